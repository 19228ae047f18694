"""The feed reader: ``scrapy crawl feed -a feed=…`` or ``-a topic=…``."""

from __future__ import annotations

import logging
import time
from collections.abc import AsyncIterator, Iterator
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from scrapy import Request, signals

from focuscrawl.engine.feed_step import FeedStep
from focuscrawl.errors import ConfigError, FocusCrawlError
from focuscrawl.extraction.template_store import TemplateStore
from focuscrawl.glue.failures import fate_of_status
from focuscrawl.glue.items import PageItem, page_item
from focuscrawl.glue.requests import SLOT, fetched, lease_of
from focuscrawl.glue.session import session_of
from focuscrawl.page.urls import host_of
from focuscrawl.spiders.focused import FocusedSpider

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Response

logger = logging.getLogger(__name__)

TEMPLATES = "templates"  # folder in the run folder
_SAVE_PAGES = 50  # after a kill at most so many pages are learned from anew


class FeedSpider(FocusedSpider):
    """Crawls the pages that feeds list, and learns templates from them.

    Arguments: ``feed``, URLs of feeds or of pages that announce some, or a file of them; without it the seeds of the
    topic. With ``topic`` its judge says which pages are results, without it all are. The others are those of the
    focused spider. A run that goes on reads its feeds again, and fetches what is new.
    """

    name = "feed"

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
        crawler.signals.connect(spider.save_templates, signal=signals.spider_closed)
        return spider

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._feeds: FeedStep | None = None
        self._since_save = 0

    async def start(self) -> AsyncIterator[Any]:
        """Yield requests of the feeds that an earlier run has read; new ones are in the frontier."""
        async for nothing in super().start():
            yield nothing
        feeds = self._step()
        folder = session_of(self.crawler).plan.folder
        if not folder.resumed:
            return
        for url in list(feeds.store.feeds):
            # What JSON cannot hold keeps it out of the frontier, which never hands out a URL twice.
            meta = {SLOT: host_of(url), "focuscrawl_again": object()}
            yield Request(url, callback=self.parse_again, dont_filter=True, meta=meta)

    def parse_page(self, response: Response) -> Iterator[PageItem]:
        """Process a feed or a page, settle its lease, and yield a page as an item when it is a result."""
        request = response.request
        lease = lease_of(request) if request is not None else None
        if lease is None:
            return
        session = session_of(self.crawler)
        now = time.time()
        fate = fate_of_status(response, now=now)
        if fate is not None:
            session.fate(lease, fate, url=response.url)
            return
        if not session.task.holds(lease):
            return
        result = self._step().process(fetched(response, at=now), lease)
        session.settle(result)
        self._since_save += 1
        if self._since_save >= _SAVE_PAGES:
            self.save_templates()
        if result.item_wanted:
            yield page_item(result.record)

    def parse_again(self, response: Response) -> None:
        """Queue what is new in a feed."""
        session = session_of(self.crawler)
        now = time.time()
        if session.is_open and fate_of_status(response, now=now) is None:
            session.task.push(self._step().read_again(fetched(response, at=now)))

    def save_templates(self) -> None:
        """Write the templates to the run folder; a failure is logged, for the crawl itself is safe."""
        self._since_save = 0
        if self._feeds is None:
            return
        try:
            self._feeds.store.save()
        except FocusCrawlError as error:
            logger.error("%(error)s", {"error": error})

    def _step(self) -> FeedStep:
        if self._feeds is None:
            session = session_of(self.crawler)
            store = TemplateStore(session.plan.folder.path / TEMPLATES, clock=session.clock)
            store.load()
            self._feeds = FeedStep(session.step, store)
        return self._feeds
