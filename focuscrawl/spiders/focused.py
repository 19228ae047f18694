"""The crawler: ``scrapy crawl focused -a topic=…``."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any

from scrapy import Spider

from focuscrawl.crawler.arguments import JOB, CrawlArguments
from focuscrawl.crawler.feed_reader import FeedUse
from focuscrawl.crawler.items import PageItem, page_item
from focuscrawl.crawler.refresh_round import RefreshOptions
from focuscrawl.errors import ConfigError
from focuscrawl.glue.failures import failure_of_status
from focuscrawl.glue.requests import fetched, lease_of
from focuscrawl.glue.session import session_of

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Response


class FocusedSpider(Spider):
    """Crawls one topic. Arguments: topic, seeds, pages, strategy, run, minutes, relevant (docs/commands.md)."""

    name = "focused"
    # Answers that are no page are settled here as well, without an exception for each.
    custom_settings = {"HTTPERROR_ALLOW_ALL": True}  # noqa: RUF012 - Scrapy's own declaration

    arguments: CrawlArguments
    feed_use = FeedUse.FOLLOW
    refresh: RefreshOptions | None = None  # of a spider that visits pages again

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> FocusedSpider:
        """Build the spider.

        Raises
        ------
        ConfigError
            With one sentence for each argument that is wrong.
        """
        job = {JOB: kwargs.pop(JOB)} if JOB in kwargs else {}
        arguments = CrawlArguments.parse(kwargs)
        spider: FocusedSpider = super().from_crawler(crawler, *args, **job)
        spider.arguments = arguments
        return spider

    async def start(self) -> AsyncIterator[Any]:
        """Yield nothing: the seeds are in the frontier when the crawl opens."""
        if not session_of(self.crawler).is_open:
            raise ConfigError(
                "The scheduler is not focuscrawl's:"
                " add focuscrawl.addon.FocusCrawlAddon to ADDONS, and remove SCHEDULER."
            )
        return
        yield

    async def parse_page(self, response: Response) -> AsyncIterator[PageItem]:
        """Process a page, settle its lease, and yield it as an item when it is a result."""
        request = response.request
        lease = lease_of(request) if request is not None else None
        if lease is None:
            return
        crawl = session_of(self.crawler).crawl
        now = time.time()
        failure = None if crawl.revisits.expects(lease, response.status) else failure_of_status(response, now=now)
        if failure is not None:
            crawl.setbacks.failed(lease, failure, url=response.url)
            return
        result = await crawl.read(fetched(response, at=now), lease)
        if result is None:
            return
        stats = session_of(self.crawler).request_stats
        assert stats is not None
        stats.queued([entry.key for entry in result.settlement.found])
        if result.item_wanted:
            yield page_item(result.record)
