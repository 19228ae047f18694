"""`FocusedOutputMiddleware`: what subclasses of the focused spider yield, and pages their methods leave unsettled."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any

from scrapy import Request

from focuscrawl.crawler.fetch_failure import FetchFailure
from focuscrawl.crawler.items import page_item
from focuscrawl.glue import compat
from focuscrawl.glue.failures import failure_of_status
from focuscrawl.glue.requests import fetched, lease_of, without_lease
from focuscrawl.glue.session import session_of
from focuscrawl.records import Outcome

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Response

PASSED_OVER = "the spider's own parse_page passed it over"


class FocusedOutputMiddleware:
    """Takes the lease off requests that are copies of a page's, and settles the page when its callback has not.

    The page of a callback that raises counts, as in other spiders; one that a subclass does not hand on to
    `FocusedSpider.parse_page` is refused.
    """

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> FocusedOutputMiddleware:
        """Build the middleware."""
        return cls(crawler)

    async def process_spider_output(self, response: Response, result: AsyncIterator[Any]) -> AsyncIterator[Any]:
        """Pass on what a callback gives."""
        try:
            async for output in result:
                yield without_lease(output) if isinstance(output, Request) else output
        except Exception:
            self._count(response)
            raise
        lease = lease_of(response.request) if response.request is not None else None
        crawl = session_of(self.crawler).crawl
        if lease is not None and crawl.error is None and not crawl.loop.is_closing:  # else an open lease goes back
            failure = FetchFailure(Outcome.REFUSED, PASSED_OVER, response.status)
            crawl.setbacks.failed(lease, failure, url=response.url)

    def process_spider_exception(self, response: Response, exception: Exception) -> None:  # noqa: ARG002
        """Count the page of a callback that failed before it gave anything; what is done about that is others'."""
        self._count(response)

    def _count(self, response: Response) -> None:
        """Process a page whose callback has not, if its lease is open; by this process, for nobody waits here."""
        lease = lease_of(response.request) if response.request is not None else None
        crawl, now = session_of(self.crawler).crawl, time.time()
        if lease is None or not crawl.loop.holds(lease):
            return
        failure = None if crawl.revisits.expects(lease, response.status) else failure_of_status(response, now=now)
        if failure is not None:
            crawl.setbacks.failed(lease, failure, url=response.url)
            return
        result = crawl.page(fetched(response, at=now), lease)
        if result is not None and result.item_wanted:
            compat.scrape_item(self.crawler, page_item(result.record), response)
