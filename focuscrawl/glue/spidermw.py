"""`LinkRankMiddleware`: a project's own spiders, with their requests scored and their pages settled."""

from __future__ import annotations

import logging
import time
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from scrapy import Request, signals
from scrapy.exceptions import NotConfigured

from focuscrawl.config import FocusConfig
from focuscrawl.crawler.arguments import CrawlArguments
from focuscrawl.crawler.fetch_failure import FetchFailure
from focuscrawl.crawler.items import page_item
from focuscrawl.crawler.plan import scoring_step
from focuscrawl.crawler.step import PageStep
from focuscrawl.crawler.step_result import StepResult
from focuscrawl.crawler.watchdog import TooSlowError, Watchdog
from focuscrawl.errors import PLUGIN_FAULTS, FocusCrawlError
from focuscrawl.glue import compat
from focuscrawl.glue.failed_start import fail_start
from focuscrawl.glue.failures import failure_of_status
from focuscrawl.glue.limits import failure_of_type
from focuscrawl.glue.requests import SCORE, fetched, lease_of, request_entry, with_request, without_lease
from focuscrawl.glue.session import session_of
from focuscrawl.glue.stats import SCORED, write_page_stats
from focuscrawl.page.urls import host_of, normalize_url, url_key
from focuscrawl.records import Entry, Lease
from focuscrawl.types import UrlKey

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Response

logger = logging.getLogger(__name__)

# A request that is no link of its page (a form's result, a built URL) has no score: it is worth what the page is.
_UNSEEN = 0.5


class LinkRankMiddleware:
    """Scores the requests of callbacks by the page they were found on (modes score, frontier, full).

    The callback decides which links are followed; the topic decides in which order. In mode full a relevant page
    also yields a `PageItem`, before the callback's own items.
    """

    def __init__(self, crawler: Crawler) -> None:
        """Build the page step of mode score; without a sound topic the crawl fails as soon as it is open."""
        spider = crawler.spider
        if isinstance(getattr(spider, "arguments", None), CrawlArguments):
            raise NotConfigured  # the focused spider does all of this itself
        self.crawler = crawler
        self.config = FocusConfig.from_settings(crawler.settings)
        self._watchdog = Watchdog(self.config.max_page_cpu_s)
        self._scoring: PageStep | None = None
        self._at_work: set[int] = set()  # tokens of leases whose callbacks give something now
        if self.config.mode == "score":
            try:
                self._scoring = scoring_step(self.config)
            except FocusCrawlError as error:
                fail_start(crawler, error)
            else:
                crawler.signals.connect(self._scoring.faults.tell_rest, signal=signals.spider_closed)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> LinkRankMiddleware:
        """Build the middleware."""
        return cls(crawler)

    async def process_spider_output(self, response: Response, result: AsyncIterator[Any]) -> AsyncIterator[Any]:
        """Score the requests among `result`; with a lease, settle it when the callback is done."""
        if self.config.mode == "score":
            async for output in self._scored(response, result):
                yield output
            return
        lease = self._held(response)
        if lease is None:
            async for output in result:
                yield without_lease(output) if isinstance(output, Request) else output
            return
        crawl, now = session_of(self.crawler).crawl, time.time()
        failure = self._failure(response, now)
        judged: StepResult | None = None
        followed: list[Entry] = []
        self._at_work.add(lease.token)
        try:
            if failure is None:
                judged = await crawl.read(fetched(response, at=now), lease, settle=False)
            if judged is not None and judged.item_wanted:
                yield page_item(judged.record)
            found = {entry.key: entry for entry in judged.settlement.found} if judged is not None else {}
            async for output in result:
                if not isinstance(output, Request):
                    yield output
                    continue
                output = without_lease(output)
                entry = self._entry_of(output, found, judged, lease) if judged is not None else None
                if entry is None:
                    yield output
                elif compat.is_wanted(self.crawler, output):
                    self._count_queued(entry)
                    followed.append(entry)
        finally:
            # Also when the callback fails half-way: the page was fetched, and what it gave so far counts.
            self._at_work.discard(lease.token)
            if judged is not None:
                crawl.settle(_with_links(judged, followed))
            elif failure is not None:  # its callback takes answers that are no page, and has taken this one
                crawl.setbacks.failed(lease, failure, url=response.url, last=True)

    def process_spider_exception(self, response: Response, exception: Exception) -> None:  # noqa: ARG002
        """Settle the page of a callback that failed before it gave anything; what is done about that is others'.

        Of a callback that gave something, `process_spider_output` does so. Scrapy waits for no answer here, so the page
        is read by this process in any case.
        """
        lease = self._held(response) if self.config.mode != "score" else None
        if lease is None or lease.token in self._at_work:
            return
        crawl, now = session_of(self.crawler).crawl, time.time()
        failure = self._failure(response, now)
        if failure is not None:
            crawl.setbacks.failed(lease, failure, url=response.url, last=True)
            return
        judged = crawl.page(fetched(response, at=now), lease, settle=False)
        if judged is None:
            return
        crawl.settle(_with_links(judged, []))
        if judged.item_wanted:
            compat.scrape_item(self.crawler, page_item(judged.record), response)

    def _failure(self, response: Response, now: float) -> FetchFailure | None:
        return failure_of_status(response, now=now) or failure_of_type(response, pdf=self.config.pdf)

    def _held(self, response: Response) -> Lease | None:
        """Return the lease of an answer, None when there is none, or it has been ended, as by an errback."""
        lease = lease_of(response.request) if response.request is not None else None
        return lease if lease is not None and session_of(self.crawler).crawl.loop.holds(lease) else None

    def _count_queued(self, entry: Entry) -> None:
        stats = session_of(self.crawler).request_stats
        assert stats is not None
        stats.queued([entry.key])

    async def _scored(self, response: Response, result: AsyncIterator[Any]) -> AsyncIterator[Any]:
        step, scores = self._scoring, {}
        assert step is not None
        # A data: URL is the spider's own text, no page of the web.
        if getattr(response, "status", 0) == 200 and response.url.startswith("http"):
            url = normalize_url(response.url, response.url) or response.url
            entry = Entry(url, url_key(url), host_of(url), 1.0, depth=int(response.meta.get("depth", 0)))
            lease = Lease(entry, 0, 0.0, 1, 1.0)
            try:
                judged = self._watchdog.run(step.process, fetched(response, at=time.time()), lease)
            except TooSlowError as error:
                logger.error("%(url)s: %(error)s; its requests have no score", {"url": url, "error": error})
            except PLUGIN_FAULTS as error:
                step.faults.note(f"{url} could not be processed: {error}; its requests have no score", error)
            else:
                scores = {entry.key: entry for entry in judged.settlement.found}
                assert self.crawler.stats is not None
                write_page_stats(self.crawler.stats, step.counters)
        async for output in result:
            # The priority of a request for the same page, as of a retry, has its score already.
            if isinstance(output, Request) and output.url != response.url and _mark(output, scores):
                assert self.crawler.stats is not None
                self.crawler.stats.inc_value(SCORED)
            yield output

    def _entry_of(self, request: Request, found: dict[UrlKey, Entry], judged: StepResult, lease: Lease) -> Entry | None:
        """Return the frontier's entry of a followed request, None for one the frontier cannot keep or has had."""
        spider, parent_url = self.crawler.spider, judged.record.final_url
        assert spider is not None
        url = normalize_url(request.url, request.url)
        scored = found.get(url_key(url)) if url is not None else None
        depth = lease.entry.depth + 1 if scored is None else scored.depth
        score = _UNSEEN * judged.record.relevance
        own = request_entry(request, spider, score=score, depth=depth, parent_url=parent_url)
        if own is None or session_of(self.crawler).asks_again(request, own.key):
            return None
        if scored is not None:
            return with_request(scored, own)
        origin = replace(own.origin, parent=lease.entry.key, parent_url=parent_url)
        return replace(own, tunnel=0 if judged.record.relevant else lease.entry.tunnel + 1, origin=origin)


def _with_links(judged: StepResult, followed: list[Entry]) -> StepResult:
    """Return what a page yields with the links its callback follows in the place of those it has."""
    return replace(judged, settlement=replace(judged.settlement, found=followed))


def _mark(request: Request, scores: dict[UrlKey, Entry]) -> bool:
    """Give a request the score of its link, on top of the priority it has; False for one that is no link here."""
    url = normalize_url(request.url, request.url)
    entry = scores.get(url_key(url)) if url is not None else None
    if entry is None:
        return False
    request.meta[SCORE] = {"score": entry.score, "parts": dict(entry.origin.parts)}
    # 101 steps: Scrapy's queue keeps one queue, and with JOBDIR one folder, for each priority.
    request.priority += round(100 * entry.score)
    return True
