"""What is logged before a run folder is there, kept for its ``run.log``, and which lines are a crawl's."""

from __future__ import annotations

import logging
from contextvars import ContextVar
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

_MOST = 1_000  # records: a start has a few
_OWN = __name__.partition(".")[0]

_logs: WeakKeyDictionary[Crawler, EarlyLog] = WeakKeyDictionary()
# Of the crawl that the running code works for: tasks and callbacks take on the context of the code that starts them.
_running: ContextVar[EarlyLog | None] = ContextVar("focuscrawl_running", default=None)


def early_log(crawler: Crawler) -> EarlyLog:
    """Return what is kept for a crawler; it listens from the first call on, and the caller works for that crawl."""
    log = _logs.get(crawler)
    if log is None:
        log = _logs[crawler] = EarlyLog()
        logging.root.addHandler(log)
        _running.set(log)
    return log


class EarlyLog(logging.Handler):
    """Keeps warnings, and what focuscrawl itself logs, until there is a file for them."""

    def __init__(self) -> None:
        super().__init__()
        self._records: list[logging.LogRecord] = []
        self.addFilter(self.is_of_crawl)

    def is_of_crawl(self, record: logging.LogRecord) -> bool:  # noqa: ARG002 - the context tells
        """Tell whether a record is not another crawl's: that of a thread may be of any in the process."""
        return _running.get() in (None, self)

    def emit(self, record: logging.LogRecord) -> None:
        """Keep a record."""
        ours = record.name.partition(".")[0] == _OWN
        if (ours or record.levelno >= logging.WARNING) and len(self._records) < _MOST:
            self._records.append(record)

    def note(self, sentence: str) -> None:
        """Keep a warning that was shown without being logged."""
        self.emit(logging.LogRecord(__name__, logging.WARNING, __file__, 0, sentence, None, None))

    def hand_over(self, handler: logging.Handler | None) -> None:
        """Listen no more; `handler` gets what was kept of its level and what the crawl logs, None drops it."""
        logging.root.removeHandler(self)
        records, self._records = self._records, []
        if handler is None:
            return
        handler.addFilter(self.is_of_crawl)
        for record in records:
            if record.levelno >= handler.level:
                handler.handle(record)
