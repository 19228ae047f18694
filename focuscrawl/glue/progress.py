"""The line that shows where the crawl is, and the summary at its end."""

from __future__ import annotations

import asyncio
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TextIO

from scrapy import signals

from focuscrawl.crawler.counters import WINDOW, Progress
from focuscrawl.crawler.crawl import Crawl
from focuscrawl.crawler.items import PageItem
from focuscrawl.glue.session import session_of
from focuscrawl.glue.terminal_bar import TerminalBar, is_terminal
from focuscrawl.page.readable_url import readable_url
from focuscrawl.report.sentences import wordless_warning
from focuscrawl.wording import summary as wording
from focuscrawl.wording.base import Say, speaker
from focuscrawl.wording.columns import fitted
from focuscrawl.wording.endings import REASONS, counted_reasons

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

_REFRESH_S = 0.5  # of the line on a terminal
_SPEED_S = 10.0  # the pages per second are those of so many last seconds
_NAME_COLUMNS = 11  # of the names in the summary


class ProgressExtension:
    """Shows progress on standard error: one line kept up to date on a terminal, a line now and then elsewhere."""

    def __init__(self, crawler: Crawler, *, stream: TextIO | None = None) -> None:
        self.crawler = crawler
        self.stream = stream or sys.stderr
        self._task: asyncio.Task[None] | None = None
        self._marks: list[tuple[float, int]] = []
        self._bar: TerminalBar | None = None
        self._find = ""
        crawler.signals.connect(self._opened, signal=signals.spider_opened)
        crawler.signals.connect(self._closed, signal=signals.spider_closed)
        crawler.signals.connect(self._found, signal=signals.item_scraped)

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
        say, text = speaker(crawl.config.lang), wording.GOES_ON if folder.resumed else wording.INTO
        line = say(text, topic=crawl.plan.spec.name, strategy=crawl.plan.strategy, folder=folder.path)
        self._write(line + "\n")
        self._task = asyncio.get_running_loop().create_task(self._run(crawl))

    def _found(self, item: Any) -> None:
        if isinstance(item, PageItem):
            title = " ".join(item.title.split())
            self._find = f"{title} · {readable_url(item.final_url)}" if title else readable_url(item.final_url)

    async def _run(self, crawl: Crawl) -> None:
        self._marks.append((crawl.clock(), crawl.step.counters.progress().pages))
        if is_terminal(self.stream):
            self._bar = TerminalBar(self.stream)
            self._bar.open()
        while True:
            await asyncio.sleep(_REFRESH_S if self._bar is not None else crawl.config.progress_s)
            line = self.line(crawl)
            if self._bar is None:
                self._write(line + "\n")
                continue
            progress = crawl.step.counters.progress()
            find = speaker(crawl.config.lang)(wording.LAST_FIND, page=self._find) if self._find else ""
            self._bar.show(line, done=progress.pages, goal=crawl.limits.pages, find=find)

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
        say = speaker(crawl.config.lang)
        goal = say(wording.GOAL, n=pages) if pages else ""
        if not progress.pages:
            return say(wording.NO_PAGES, goal=goal, queued=queued)
        return say(
            wording.PROGRESS,
            pages=progress.pages,
            goal=goal,
            relevant=progress.relevant,
            stored=progress.stored,
            window=min(progress.pages, WINDOW),
            recent=progress.harvest_recent,
            speed=speed,
            queued=queued,
            waiting=_left(pages - progress.pages if pages else 0, speed, say) + _waiting(crawl, now, say),
        )

    def _closed(self) -> None:
        if self._task is not None:
            self._task.cancel()
            self._task = None
        session = session_of(self.crawler)
        if not session.is_open or session.ending is None:
            return
        if self._bar is not None:
            self._bar.close()
            self._bar = None
        bundled = self.crawler.settings["COMMANDS_MODULE"] == "focuscrawl.commands"
        self._write(summary(session.crawl, speaker(session.crawl.config.lang), bundled=bundled) + "\n")

    def _write(self, text: str) -> None:
        # A terminal that is gone, or cannot show a title's characters, must not stop the crawl.
        with suppress(OSError, ValueError):
            encoding = self.stream.encoding or "utf-8"
            self.stream.write(text.encode(encoding, "replace").decode(encoding))
            self.stream.flush()


def _left(pages: int, speed: float, say: Say) -> str:
    """Return how long the rest of the budget takes at this speed, '' where nobody can tell."""
    if pages <= 0 or speed <= 0.0:
        return ""
    minutes, seconds = divmod(round(pages / speed), 60)
    return say(wording.LEFT, time=f"{minutes // 60}:{minutes % 60:02}:{seconds:02}" if minutes else f"0:{seconds:02}")


def summary(crawl: Crawl, say: Say, *, bundled: bool) -> str:
    """Return what is said at the end: pages, relevant, harvest rate, hosts, why it stopped, where the results are."""
    assert crawl.ending is not None
    progress: Progress = crawl.step.counters.progress()
    ending, folder = crawl.ending, crawl.output.folder
    why = say.known(REASONS, ending.reason)
    facts = [
        (
            wording.FETCHED,
            _pages_of_hosts(progress.pages, progress.hosts, say)
            + (say(wording.NO_PAGE, n=progress.failed) if progress.failed else ""),
        ),
        (wording.RELEVANT, _pages_of_hosts(progress.relevant, progress.relevant_hosts, say)),
        (
            wording.STORED,
            say(wording.PAGES, n=progress.stored)
            + (
                say(wording.NOT_STORED, reasons=counted_reasons(progress.not_stored, say))
                if progress.not_stored
                else ""
            ),
        ),
        (wording.HARVEST, _harvest(progress, say)),
        (wording.QUEUE, say(wording.LINKS, n=crawl.loop.queued)),
        (wording.STOPPED, say(wording.WHY, reason=why, detail=ending.detail) if ending.detail else why),
        (wording.RESULTS, say(wording.WHERE, folder=folder.path, files=", ".join(_results(crawl)))),
    ]
    warning = wordless_warning(progress.wordless, progress.stored, say)
    if warning:
        facts.append((wording.WARNING, warning))
    lines = [fitted(say(name), _NAME_COLUMNS) + told for name, told in facts]
    if ending.reason in ("stopped", "error") and folder.db.is_file():
        fleet = " -s FOCUSCRAWL_FRONTIER_URL=redis://…" if crawl.fleet is not None else ""
        command = "focuscrawl crawl --run " if bundled else "scrapy crawl focused -a run="
        lines.append(say(wording.GO_ON, command=f"{command}{folder.path}{fleet}"))
    return "\n".join(lines)


def _waiting(crawl: Crawl, now: float, say: Say) -> str:
    loop = crawl.loop
    if not loop.waits_for:
        return ""
    return say(wording.WAITING, n=loop.waits_for, seconds=max(0.0, loop.waits_until - now))


def _pages_of_hosts(pages: int, hosts: int, say: Say) -> str:
    return say(wording.OF_HOSTS, pages=say(wording.PAGES, n=pages), n=hosts)


def _harvest(progress: Progress, say: Say) -> str:
    if not progress.pages:
        return say(wording.NO_HARVEST)
    window = min(progress.pages, WINDOW)
    return say(wording.HARVEST_RATE, harvest=progress.harvest, recent=progress.harvest_recent, window=window)


def _results(crawl: Crawl) -> list[str]:
    folder = crawl.output.folder
    names = [path.name for path in (folder.db, folder.pages_jsonl) if path.is_file()]
    return names + ([folder.report.name] if crawl.output.report_written else [])
