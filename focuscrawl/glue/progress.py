"""Progress of the crawl on standard error, and the summary at its end."""

from __future__ import annotations

import asyncio
import shlex
import sys
from collections.abc import Collection
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from scrapy import signals
from scrapy.settings import SETTINGS_PRIORITIES

from focuscrawl.crawler.arguments import CrawlArguments
from focuscrawl.crawler.crawl import Crawl
from focuscrawl.crawler.items import PageItem
from focuscrawl.crawler.summary import ProgressLine, summary
from focuscrawl.glue.session import session_of
from focuscrawl.glue.terminal_bar import TerminalBar, is_terminal
from focuscrawl.page.readable_url import readable_url
from focuscrawl.report.markup import clean
from focuscrawl.storage.run import without_secrets
from focuscrawl.wording import summary as wording
from focuscrawl.wording.base import speaker

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

_REFRESH_S = 0.5  # of the line on a terminal
_CMDLINE = SETTINGS_PRIORITIES["cmdline"]
_NAMED_APART = frozenset({"FOCUSCRAWL_RUN", "FOCUSCRAWL_LANG"})
_FRONTIER_URL = "FOCUSCRAWL_FRONTIER_URL"  # what the environment or a settings.py says is not named: it says so again


class ProgressExtension:
    """Shows progress on standard error: one line kept up to date on a terminal, a line now and then elsewhere."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self.stream = sys.stderr
        self._task: asyncio.Task[None] | None = None
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
        line = say(text, topic=crawl.step.topic.name, strategy=crawl.plan.strategy, folder=folder.path)
        self._write(line + "\n")
        self._task = asyncio.get_running_loop().create_task(self._run(crawl))

    def _found(self, item: Any) -> None:
        if isinstance(item, PageItem):
            title = " ".join(item.title.split())
            self._find = f"{title} · {readable_url(item.final_url)}" if title else readable_url(item.final_url)

    async def _run(self, crawl: Crawl) -> None:
        progress_line = ProgressLine(crawl)
        if is_terminal(self.stream):
            self._bar = TerminalBar(self.stream)
            self._bar.open()
        while True:
            await asyncio.sleep(_REFRESH_S if self._bar is not None else crawl.config.progress_s)
            line = progress_line()
            if self._bar is None:
                self._write(line + "\n")
                continue
            done, goal = progress_line.budget
            find = speaker(crawl.config.lang)(wording.LAST_FIND, page=self._find) if self._find else ""
            self._bar.show(line, done=done, goal=goal, find=find)

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
        say = speaker(session.crawl.config.lang)
        self._write(summary(session.crawl, say, go_on=go_on_command(self.crawler)) + "\n")

    def _write(self, text: str) -> None:
        # A terminal that is gone, or cannot show a title's characters, must not stop the crawl.
        with suppress(OSError, ValueError):
            encoding = self.stream.encoding or "utf-8"
            self.stream.write(clean(text).encode(encoding, "replace").decode(encoding))
            self.stream.flush()


def go_on_command(crawler: Crawler) -> tuple[str, str]:
    """Return the command that goes on with an open crawl: what stands before its run folder, and after it."""
    if crawler.settings["COMMANDS_MODULE"] == "focuscrawl.commands":
        refresh, settings = session_of(crawler).crawl.refresh, _named_settings(crawler)
        if refresh is None:
            return "focuscrawl crawl --run ", settings
        return " ".join(["focuscrawl recrawl", *refresh.options.words, ""]), settings
    spider = crawler.spider
    assert spider is not None
    own = not isinstance(getattr(spider, "arguments", None), CrawlArguments)
    run = "-s FOCUSCRAWL_RUN=" if own else "-a run="
    return f"scrapy crawl {shlex.quote(spider.name)} {run}", _named_settings(crawler, {_FRONTIER_URL})


def _named_settings(crawler: Crawler, names: Collection[str] = ()) -> str:
    """Return these settings of the command line, or all, secrets blanked: a run that goes on is given them anew."""
    settings = crawler.settings
    named = {
        str(name): settings[name]
        for name in set(names or settings) - _NAMED_APART
        if settings.getpriority(name) == _CMDLINE and isinstance(settings[name], str)
    }
    return "".join(f" -s {shlex.quote(f'{name}={value}')}" for name, value in sorted(without_secrets(named).items()))
