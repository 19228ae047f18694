"""``run.log``: what the crawl logs goes to the run folder; the terminal stays for the progress and for trouble."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from scrapy import signals
from scrapy.logformatter import LogFormatter

from focuscrawl.crawler.log_file import CleanFormatter, LogFile
from focuscrawl.errors import os_reason
from focuscrawl.glue.compat import quiet_scrapy
from focuscrawl.glue.early_log import early_log
from focuscrawl.glue.session import session_of

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

logger = logging.getLogger(__name__)


class QuietLogFormatter(LogFormatter):
    """No line for each page and item: they have rows in the database."""

    def crawled(self, *_: Any) -> None:  # type: ignore[override]
        """Log nothing."""

    def scraped(self, *_: Any) -> None:  # type: ignore[override]
        """Log nothing."""


class RunLogExtension:
    """Writes ``run.log`` from the moment the run folder is there, with the warnings from before."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self._handler: logging.Handler | None = None
        self._root_level = logging.NOTSET  # before the crawl
        crawler.signals.connect(self._opened, signal=signals.spider_opened)
        crawler.signals.connect(self._closed, signal=signals.spider_closed)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> RunLogExtension:
        """Build the extension."""
        return cls(crawler)

    def _opened(self) -> None:
        session, settings = session_of(self.crawler), self.crawler.settings
        if not session.is_open:
            early_log(self.crawler).hand_over(None)
            return
        named = logging.getLevelName(str(settings["LOG_LEVEL"]).upper())
        level = named if isinstance(named, int) else logging.INFO
        quiet_scrapy(level)
        log = session.crawl.output.folder.log
        try:
            handler = LogFile(log, encoding="utf-8")
        except OSError as error:
            why = os_reason(error)
            logger.warning(
                "%(file)s: cannot be written: %(why)s; the crawl goes on without it", {"file": log, "why": why}
            )
            early_log(self.crawler).hand_over(None)
            return
        handler.setLevel(level)
        handler.setFormatter(CleanFormatter(settings.get("LOG_FORMAT"), settings.get("LOG_DATEFORMAT")))
        early_log(self.crawler).hand_over(handler)
        logging.root.addHandler(handler)
        self._root_level = logging.root.level
        if logging.root.level > level:
            logging.root.setLevel(level)
        self._handler = handler
        logger.info("crawl of %(topic)s begins", {"topic": session.crawl.plan.spec.name})

    def _closed(self, reason: str) -> None:
        if self._handler is None:
            return
        logger.info(
            "crawl ends: %(reason)s; stats: %(stats)s", {"reason": reason, "stats": self.crawler.stats.get_stats()}
        )
        logging.root.removeHandler(self._handler)
        self._handler.close()
        self._handler = None
        if not any(isinstance(other, LogFile) for other in logging.root.handlers):  # of another crawl in this process
            logging.root.setLevel(self._root_level)
