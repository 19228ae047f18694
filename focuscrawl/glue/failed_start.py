"""End of a crawl that cannot start: extensions see the error, not an empty crawl that went well."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy import signals
from scrapy.exceptions import CloseSpider

from focuscrawl.crawler.endings import ERROR
from focuscrawl.crawler.failed_start import log_failed_start
from focuscrawl.errors import FocusCrawlError
from focuscrawl.glue import compat

if TYPE_CHECKING:
    from scrapy.crawler import Crawler


def fail_start(crawler: Crawler, error: FocusCrawlError) -> None:
    """Close the spider as soon as it is open; `Crawler.crawl` then raises `error`.

    The reason is logged when the spider has opened: Scrapy counts the errors of the log from then on.
    """

    def close() -> None:
        log_failed_start(error)
        compat.fail_crawl(crawler, error)
        raise CloseSpider(ERROR)

    crawler.signals.connect(close, signal=signals.spider_opened, weak=False)
