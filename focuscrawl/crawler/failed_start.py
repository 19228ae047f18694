"""Log line of a crawl that cannot start: one sentence at level ERROR, whatever runs Scrapy."""

from __future__ import annotations

import logging

from focuscrawl.errors import FocusCrawlError

logger = logging.getLogger(__name__)


def log_failed_start(error: FocusCrawlError) -> None:
    """Log why a crawl cannot start: scrapyd and many scripts never look at the exception that `crawl` raises.

    For those asyncio would log it once more, below its traceback.
    """
    logger.error("%(error)s", {"error": error})
    error.is_logged = True
    logging.getLogger("asyncio").addFilter(_ONCE)


class NotAFailedStart(logging.Filter):
    """Log filter that leaves out failed starts, for a command that writes their sentence itself."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Return False for the record of a failed start."""
        return record.name != logger.name


class _Once(logging.Filter):
    """Log filter that leaves out exceptions whose sentence was logged."""

    def filter(self, record: logging.LogRecord) -> bool:
        error = record.exc_info[1] if record.exc_info else None
        return not (isinstance(error, FocusCrawlError) and error.is_logged)


_ONCE = _Once()
