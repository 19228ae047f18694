"""The feed reader: ``scrapy crawl feed -a feed=…`` or ``-a topic=…``."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from scrapy import Request

from focuscrawl.crawler.feed_reader import FeedUse
from focuscrawl.errors import ConfigError
from focuscrawl.glue.failures import failure_of_status
from focuscrawl.glue.requests import SLOT, fetched
from focuscrawl.glue.session import session_of
from focuscrawl.page.urls import host_of
from focuscrawl.spiders.focused import FocusedSpider

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Response


class FeedSpider(FocusedSpider):
    """Crawls the pages that feeds list, and learns templates from them.

    Arguments: ``feed``, URLs of feeds or of pages that announce some, or a file of them; without it the seeds of the
    topic. With ``topic`` its judge says which pages are results, without it all are. The others are those of the
    focused spider. A run that goes on reads its feeds again, and fetches what is new.
    """

    name = "feed"
    feed_use = FeedUse.READ

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> FeedSpider:
        """Build the spider.

        Raises
        ------
        ConfigError
            With one sentence for each argument that is wrong.
        """
        feeds = str(kwargs.pop("feed", "") or "").strip()
        if feeds and kwargs.get("seeds"):
            raise ConfigError("-a feed= and -a seeds= exclude each other: both say where the crawl begins.")
        if feeds:
            kwargs["seeds"] = feeds
        if not kwargs.get("topic") and not kwargs.get("run") and not feeds:
            raise ConfigError("-a feed= is missing: name the URL of a feed, a file of URLs, or a topic with -a topic=.")
        if not kwargs.get("topic") and feeds:
            kwargs["topic"] = str(files("focuscrawl.feeds").joinpath("everything.toml"))
        spider = super().from_crawler(crawler, *args, **kwargs)
        assert isinstance(spider, FeedSpider)
        return spider

    async def start(self) -> AsyncIterator[Any]:
        """Yield requests of the feeds that an earlier run has read; new ones are in the frontier."""
        async for nothing in super().start():
            yield nothing
        crawl = session_of(self.crawler).crawl
        if not crawl.plan.folder.resumed or crawl.feeds is None:
            return
        for url in sorted({feed.url for feed in crawl.feeds.store.feeds.values()}):
            # What JSON cannot hold keeps it out of the frontier, which never hands out a URL twice.
            meta = {SLOT: host_of(url), "focuscrawl_again": object()}
            yield Request(url, callback=self.parse_again, dont_filter=True, meta=meta, cb_kwargs={"feed": url})

    async def parse_again(self, response: Response, feed: str) -> None:
        """Queue what is new in a feed, whose address before redirects is `feed`."""
        session = session_of(self.crawler)
        now = time.time()
        if not session.is_open or failure_of_status(response, now=now) is not None:
            return
        feeds = session.crawl.feeds
        if feeds is not None:
            answer = await feeds.read(fetched(response, at=now), None)
            session.crawl.push(feeds.step.read_again(answer, feed))
