"""The crawler: ``scrapy crawl focused -a topic=…``."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Iterator
from typing import TYPE_CHECKING, Any

from scrapy import Spider, signals

from focuscrawl.crawler.arguments import CrawlArguments
from focuscrawl.crawler.items import PageItem, page_item
from focuscrawl.errors import ConfigError
from focuscrawl.glue.failures import failure_of_status
from focuscrawl.glue.feed_reader import FeedReader
from focuscrawl.glue.requests import fetched, lease_of
from focuscrawl.glue.session import session_of

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from focuscrawl.crawler.step import Fetched, StepResult
    from focuscrawl.records import Lease


class FocusedSpider(Spider):
    """Crawls one topic. Arguments: topic, seeds, pages, strategy, run, minutes, relevant (docs/commands.md)."""

    name = "focused"
    # Answers that are no page are settled here as well, without an exception for each.
    custom_settings = {"HTTPERROR_ALLOW_ALL": True}  # noqa: RUF012 - Scrapy's own declaration

    arguments: CrawlArguments
    _feeds: FeedReader | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> FocusedSpider:
        """Build the spider.

        Raises
        ------
        ConfigError
            With one sentence for each argument that is wrong.
        """
        arguments = CrawlArguments.parse(kwargs)
        spider: FocusedSpider = super().from_crawler(crawler, *args)
        spider.arguments = arguments
        crawler.signals.connect(spider.save_templates, signal=signals.spider_closed)
        return spider

    @property
    def feeds(self) -> FeedReader:
        """Feeds that were met, and the templates of their pages."""
        if self._feeds is None:
            self._feeds = FeedReader(session_of(self.crawler), by_topic=True)
        return self._feeds

    def save_templates(self) -> None:
        """Write the templates to the run folder."""
        if self._feeds is not None:
            self._feeds.save()

    async def start(self) -> AsyncIterator[Any]:
        """Yield nothing: the seeds are in the frontier when the crawl opens."""
        if not session_of(self.crawler).is_open:
            raise ConfigError(
                "The scheduler is not focuscrawl's:"
                " add focuscrawl.addon.FocusCrawlAddon to ADDONS, and remove SCHEDULER."
            )
        session_of(self.crawler).stop_if_done()  # a resumed run may have reached its budget
        return
        yield

    def parse_page(self, response: Response) -> Iterator[PageItem]:
        """Process a page, settle its lease, and yield it as an item when it is a result."""
        request = response.request
        lease = lease_of(request) if request is not None else None
        if lease is None:
            return
        session = session_of(self.crawler)
        now = time.time()
        fate = failure_of_status(response, now=now)
        if fate is not None:
            session.hosts.fate(lease, fate, url=response.url)
            return
        result = session.page(fetched(response, at=now), lease, process=self.process)
        if result is None:
            return
        self.feeds.page_done()
        if result.item_wanted:
            yield page_item(result.record)

    def process(self, answer: Fetched, lease: Lease) -> StepResult:
        """Return what an answer yields: the entries of a feed, or a page with its links."""
        return self.feeds.step.follow(answer, lease)
