"""The line that shows where the crawl is, and the summary at its end."""

from __future__ import annotations

import asyncio
import shutil
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, TextIO

from scrapy import signals

from focuscrawl.crawler.counters import WINDOW, Progress
from focuscrawl.crawler.crawl import Crawl
from focuscrawl.glue.session import session_of
from focuscrawl.report.sentences import counted_reasons, wordless_warning

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

_REFRESH_S = 0.5  # of the line on a terminal
_SPEED_S = 10.0  # the pages per second are those of so many last seconds
_SENTENCES = {
    "budget": "the budget is used up",
    "exhausted": "no links are left to fetch",
    "harvest too low": "the harvest is too low",
    "stopped": "stopped by hand",
    "error": "an error",
}


class ProgressExtension:
    """Shows progress on standard error: one line kept up to date on a terminal, a line now and then elsewhere."""

    def __init__(self, crawler: Crawler, *, stream: TextIO | None = None) -> None:
        self.crawler = crawler
        self.stream = stream or sys.stderr
        self._task: asyncio.Task[None] | None = None
        self._marks: list[tuple[float, int]] = []
        self._shown = 0  # columns of the line that stands on the terminal
        crawler.signals.connect(self._opened, signal=signals.spider_opened)
        crawler.signals.connect(self._closed, signal=signals.spider_closed)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> ProgressExtension:
        """Build the extension."""
        return cls(crawler)

    def _opened(self) -> None:
        session = session_of(self.crawler)
        if not session.is_open:
            return
        crawl = session.crawl
        folder = crawl.output.folder
        verb = "goes on in" if folder.resumed else "into"
        self._write(f'Crawl of "{crawl.plan.spec.name}" with {crawl.plan.strategy} {verb} {folder.path}\n')
        self._task = asyncio.get_running_loop().create_task(self._run(crawl))

    async def _run(self, crawl: Crawl) -> None:
        terminal = self.stream.isatty()
        self._marks.append((crawl.clock(), crawl.step.counters.progress().pages))
        interval = _REFRESH_S if terminal else crawl.config.progress_s
        while True:
            await asyncio.sleep(interval)
            self._show(self.line(crawl), terminal=terminal)

    def line(self, crawl: Crawl) -> str:
        """Return the progress line."""
        progress, pages, queued = crawl.step.counters.progress(), crawl.limits.pages, crawl.loop.queued
        now = crawl.clock()
        self._marks.append((now, progress.pages))
        while len(self._marks) > 2 and self._marks[1][0] < now - _SPEED_S:
            self._marks.pop(0)
        (then, before), speed = self._marks[0], 0.0
        if now > then:
            speed = (progress.pages - before) / (now - then)
        goal = f" of {pages:,}" if pages else ""
        if not progress.pages:
            return f"0{goal} pages, queue {queued:,}: waiting for the first answers"
        return (
            f"{progress.pages:,}{goal} pages, {progress.relevant:,} relevant, {progress.stored:,} stored,"
            f" last {min(progress.pages, WINDOW)}: {progress.harvest_recent:.0%},"
            f" {speed:.1f} pages/s, queue {queued:,}{self._waiting(crawl, now)}"
        )

    def _waiting(self, crawl: Crawl, now: float) -> str:
        loop = crawl.loop
        if not loop.waits_for:
            return ""
        return f", waiting for {_count(loop.waits_for, 'host')}, next in {max(0.0, loop.waits_until - now):.0f} s"

    def _closed(self) -> None:
        if self._task is not None:
            self._task.cancel()
            self._task = None
        session = session_of(self.crawler)
        if not session.is_open or session.ending is None:
            return
        self._clear()
        bundled = self.crawler.settings["COMMANDS_MODULE"] == "focuscrawl.commands"
        self._write(summary(session.crawl, bundled=bundled) + "\n")

    def _show(self, line: str, *, terminal: bool) -> None:
        if not terminal:
            self._write(line + "\n")
            return
        width = shutil.get_terminal_size().columns - 1
        text = line[:width]
        self._write("\r" + text.ljust(min(self._shown, width)))
        self._shown = len(text)

    def _clear(self) -> None:
        if self._shown:
            self._write("\r" + " " * self._shown + "\r")
            self._shown = 0

    def _write(self, text: str) -> None:
        # A terminal that is gone, or cannot show a title's characters, must not stop the crawl.
        with suppress(OSError, ValueError):
            encoding = self.stream.encoding or "utf-8"
            self.stream.write(text.encode(encoding, "replace").decode(encoding))
            self.stream.flush()


def summary(crawl: Crawl, *, bundled: bool) -> str:
    """Return what is said at the end: pages, relevant, harvest rate, hosts, why it stopped, where the results are."""
    assert crawl.ending is not None
    progress: Progress = crawl.step.counters.progress()
    ending, folder = crawl.ending, crawl.output.folder
    why = _SENTENCES.get(ending.reason, ending.reason) + (f": {ending.detail}" if ending.detail else "")
    recent = f"{progress.harvest_recent:.1%} of the last {min(progress.pages, WINDOW)}"
    harvest = f"{progress.harvest:.1%}; {recent}" if progress.pages else "–"
    lines = [
        f"Fetched    {_count(progress.pages, 'page')} of {_count(progress.hosts, 'host')}"
        + (f"; {_count(progress.failed, 'fetch', 'fetches')} gave no page" if progress.failed else ""),
        f"Relevant   {_count(progress.relevant, 'page')} of {_count(progress.relevant_hosts, 'host')}",
        f"Stored     {_count(progress.stored, 'page')}"
        + (f"; not stored: {counted_reasons(progress.not_stored)}" if progress.not_stored else ""),
        f"Harvest    {harvest} (relevant of fetched)",
        f"Queue      {_count(crawl.loop.queued, 'link')}",
        f"Stopped    {why}",
        f"Results    {folder.path} ({', '.join(_results(crawl))})",
    ]
    warning = wordless_warning(progress.wordless, progress.stored)
    if warning:
        lines.append(f"Warning    {warning}")
    if ending.reason in ("stopped", "error") and folder.db.is_file():
        fleet = " -s FOCUSCRAWL_FRONTIER_URL=redis://…" if crawl.fleet is not None else ""
        command = "focuscrawl crawl --run " if bundled else "scrapy crawl focused -a run="
        lines.append(f"Go on with {command}{folder.path}{fleet}")
    return "\n".join(lines)


def _count(number: int, thing: str, things: str = "") -> str:
    return f"{number:,} {thing}" if number == 1 else f"{number:,} {things or thing + 's'}"


def _results(crawl: Crawl) -> list[str]:
    folder = crawl.output.folder
    names = [path.name for path in (folder.db, folder.pages_jsonl) if path.is_file()]
    return names + ([folder.report.name] if crawl.output.report_written else [])
