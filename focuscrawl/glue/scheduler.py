"""`FocusScheduler`: Scrapy's requests come from the frontier, and go there."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urldefrag, urlsplit

from scrapy import signals
from scrapy.core.scheduler import BaseScheduler
from scrapy.http import Request
from scrapy.utils.asyncgen import as_async_generator
from scrapy.utils.defer import deferred_from_coro, ensure_awaitable
from scrapy.utils.spider import iterate_spider_output
from scrapy.utils.url import strip_url
from twisted.python.failure import Failure

from focuscrawl.crawler.arguments import CrawlArguments
from focuscrawl.crawler.fault_log import FaultLog
from focuscrawl.crawler.feed_reader import FeedUse
from focuscrawl.crawler.fetch_failure import GIVEN_UP, FetchFailure
from focuscrawl.crawler.recent_links import RecentLinks
from focuscrawl.crawler.redirects import TO_ITSELF
from focuscrawl.crawler.refresh_round import RefreshOptions
from focuscrawl.errors import FocusCrawlError
from focuscrawl.glue import compat
from focuscrawl.glue.failed_start import fail_start
from focuscrawl.glue.failures import HostIsSlow, HostNotNow, LookupNeededError, failure_of_error
from focuscrawl.glue.given_requests import GivenRequests
from focuscrawl.glue.names import RequestsInLookup
from focuscrawl.glue.requests import (
    DEPTH,
    SLOT,
    is_last_try,
    lease_of,
    page_request,
    request_entry,
    spider_request,
    without_lease,
)
from focuscrawl.glue.session import CrawlSession, session_of
from focuscrawl.glue.stats import FETCHED_AGAIN, RequestStats
from focuscrawl.page.urls import host_of, normalize_url, url_key
from focuscrawl.records import Entry, Outcome
from focuscrawl.storage.values import to_json
from focuscrawl.types import digest64

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.spiders import Spider
    from twisted.internet.defer import Deferred

logger = logging.getLogger(__name__)


def _crawl_choices(spider: Spider) -> tuple[CrawlArguments | None, FeedUse, RefreshOptions | None]:
    """Return a focused spider's arguments, its use of feeds and what it visits again; of another: None, none, None."""
    arguments = getattr(spider, "arguments", None)
    refresh = getattr(spider, "refresh", None)
    return (
        arguments if isinstance(arguments, CrawlArguments) else None,
        getattr(spider, "feed_use", FeedUse.NONE),
        refresh if isinstance(refresh, RefreshOptions) else None,
    )


def _run_of(spider: Spider) -> str:
    """Return the run folder that ``-a run=`` has put into a spider, '' for none: a method `run` is the spider's own."""
    run = getattr(spider, "run", None)
    return str(run) if isinstance(run, str | Path) else ""


async def _without_leases(output: Any) -> AsyncIterator[Any]:
    """Yield what an errback gives; a request made of the failed one is one of its own, for that lease is settled."""
    results = await ensure_awaitable(iterate_spider_output(output))
    if not hasattr(results, "__aiter__"):
        results = as_async_generator(results)
    async for result in results:
        yield without_lease(result) if isinstance(result, Request) else result


class FocusScheduler(BaseScheduler):
    """Scrapy's scheduler over the frontier.

    A request without a lease is a new link and goes to the frontier. One with a lease is a retry or a redirect of
    work under way: it stays here, and the lease stays with it. So does one the frontier cannot keep, or knows already
    (`dont_filter`): they take turns with the frontier's. `next_request` never waits.
    """

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self.session: CrawlSession = session_of(crawler)
        self._local: deque[Request] = deque()  # with a lease
        self._beside: deque[Request] = deque()  # without one
        self._beside_seen: set[bytes] = set()  # fingerprints of those without one
        self._started = RecentLinks()  # start requests: their URLs, and what each brings
        self._beside_next = False
        self._said_again = False
        self._said_unusable = False
        self._given = GivenRequests(crawler)
        self._in_lookup = RequestsInLookup(self.session, self._found)
        self._faults = FaultLog()
        self._spider: Spider | None = None
        self._cookies = crawler.settings.getbool("COOKIES_ENABLED")
        self._own_pages = False  # the spider is a FocusedSpider: pages are handled by the session

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> FocusScheduler:
        """Build the scheduler."""
        return cls(crawler)

    # ----------------------------------------------------------------- open, close

    def open(self, spider: Spider) -> Deferred[None]:
        """Open the crawl; one that cannot start says why in the log, and `Crawler.crawl` raises the error."""
        return deferred_from_coro(self._open(spider))

    async def _open(self, spider: Spider) -> None:
        self._spider = spider
        arguments, feeds, refresh = _crawl_choices(spider)
        self._own_pages = arguments is not None
        self.crawler.signals.connect(self._dropped, signal=signals.request_dropped)
        try:
            given = arguments or CrawlArguments(run=_run_of(spider))
            await self.session.open(
                given, own_spider="" if self._own_pages else spider.name, feeds=feeds, refresh=refresh
            )
        except FocusCrawlError as error:
            fail_start(self.crawler, error)
            return
        for host, slot in self.crawler.settings.getdict("DOWNLOAD_SLOTS").items():
            if slot.get("delay") is not None:
                self.session.crawl.setbacks.set_delay(host, float(slot["delay"]))

    def close(self, reason: str) -> Deferred[None]:
        """End the crawl: nothing is lost that was fetched, and what was not goes back."""
        self._in_lookup.close()
        self._faults.tell_rest()
        return deferred_from_coro(self.session.close(reason))

    # -------------------------------------------------------------------- requests

    def has_pending_requests(self) -> bool:
        """Tell whether something may still be fetched; requests under way are the engine's to count."""
        waiting = self._local or self._beside or self._in_lookup
        return bool(waiting) or (self.session.is_open and self.session.crawl.has_work)

    def next_request(self) -> Request | None:
        """Return the next request at hand, or None."""
        stats = self.session.request_stats
        if stats is None:
            return None
        self._settle_given_up()
        request = self._next_request(stats)
        if request is not None:
            self._given.note(request)
        return request

    def _next_request(self, stats: RequestStats) -> Request | None:
        if self._local:
            stats.taken()
            request = self._local.popleft()
            self._count_waiting()
            return request
        if self._beside and self._beside_next:
            return self._take_beside()
        lease = self.session.crawl.next()
        if lease is None:
            return self._take_beside() if self._beside else None
        self._beside_next = True
        stats.leased(lease.entry.key)
        assert self._spider is not None
        if self._own_pages:
            return page_request(lease, self._spider, self.failed)
        try:
            return spider_request(lease, self._spider, self.failed)
        except (TypeError, ValueError) as error:
            # The spider's code has changed since the request was kept: a callback of that name is gone.
            self._say_unusable(lease.entry.url, error)
            self.session.crawl.setbacks.failed(lease, FetchFailure(Outcome.REFUSED, f"cannot be made: {error}"[:120]))
            return self._next_request(stats)

    def enqueue_request(self, request: Request) -> bool:
        """Take a request: a retry or a redirect with its lease, or a new one."""
        lease = lease_of(request)
        if lease is not None:
            return self._again(request)
        assert self._spider is not None
        if not self.session.is_open:
            return False
        start = bool(request.meta.get("is_start_request"))
        depth = request.meta.get(DEPTH)
        entry = None
        if not self._has_own_callback(request):
            entry = request_entry(
                request, self._spider, score=1.0 if start else 0.5, depth=depth if isinstance(depth, int) else 0
            )
        again = entry is not None and self._asks_again(request, entry, start=start)
        if again:
            self._say_again(request)
        if entry is None and self._is_repeated(request):
            self._request_stats.filtered()
            return False
        if entry is None or again:
            # Forms and what JSON cannot hold stay in this process: better fetched than refused.
            if request.url.startswith("http"):
                request.meta.setdefault(SLOT, host_of(request.url))
            self._beside.append(request)
            self._request_stats.kept()
        else:
            self._request_stats.queued([entry.key])
            self.session.crawl.push([entry])
        return True

    def _has_own_callback(self, request: Request) -> bool:
        """Tell whether a request of a focused spider has another callback: pages of the frontier are not for it."""
        own_pages = self._own_pages and request.callback is not None
        return own_pages and request.callback != self._spider.parse_page  # type: ignore[union-attr]

    def _asks_again(self, request: Request, entry: Entry, *, start: bool) -> bool:
        """Tell whether a request with `dont_filter` is for a URL that is known.

        Scrapy's own start requests have it, too: a crawl that goes on has them behind it. So of start requests for one
        URL those ask again that differ from the first in what they bring, as in their callback.
        """
        if not start:
            return self.session.asks_again(request, entry.key)
        is_first = self._started.count_new([entry.key]) > 0
        is_new = self._started.count_new([digest64(f"{entry.key} {to_json(entry.origin.request)}")]) > 0
        return request.dont_filter and not is_first and is_new

    def _is_repeated(self, request: Request) -> bool:
        """Tell whether a request that the frontier cannot keep asks for what was asked for: nothing else filters it."""
        assert self.crawler.request_fingerprinter is not None
        fingerprint = self.crawler.request_fingerprinter.fingerprint(request)
        before = fingerprint in self._beside_seen
        self._beside_seen.add(fingerprint)
        if request.dont_filter:
            return False
        if self._own_pages:  # the crawl may have the URL, but its callback has not
            return before
        url = normalize_url(request.url, request.url) if request.method == "GET" else None
        return before or (url is not None and self.session.knows(url_key(url)))

    @property
    def _request_stats(self) -> RequestStats:
        assert self.session.request_stats is not None
        return self.session.request_stats

    def _take_beside(self) -> Request:
        self._beside_next = False
        self._request_stats.taken()
        return self._beside.popleft()

    def _say_unusable(self, url: str, error: Exception) -> None:
        if not self._said_unusable:
            self._said_unusable = True
            logger.warning(
                "%(url)s is refused, for the request that was kept of it cannot be made: %(error)s. Others like it are"
                " refused without another line; the stat focuscrawl/no_page/cannot be made is their number.",
                {"url": url, "error": error},
            )

    def _say_again(self, request: Request) -> None:
        assert self.crawler.stats is not None
        self.crawler.stats.inc_value(FETCHED_AGAIN)
        if not self._said_again:
            self._said_again = True
            logger.info(
                "%(url)s is fetched again, for its request has dont_filter: such fetches are not judged, and no limit"
                " counts them. Their number is the stat %(stat)s.",
                {"url": request.url, "stat": FETCHED_AGAIN},
            )

    def _again(self, request: Request) -> bool:
        crawl, lease = self.session.crawl, lease_of(request)
        assert lease is not None
        if not crawl.loop.holds(lease):
            return False
        if request.meta.get("redirect_times"):
            if self._own_pages and self._same_request(request):
                crawl.setbacks.failed(lease, FetchFailure(Outcome.REFUSED, TO_ITSELF), url=request.url)
                return False
            hops = request.meta["redirect_times"]
            # Of a project's own requests Scrapy filters the target as well, unless they have dont_filter.
            once = self._own_pages or not request.dont_filter
            host = crawl.setbacks.redirected(lease, request.url, hops=hops, once=once)
            if host is None:
                return False
            request.meta[SLOT] = host
            if "@" in urlsplit(request.url).netloc:  # as of a link: whoever leads there has no say in who asks
                request = request.replace(url=strip_url(request.url, strip_default_port=False, strip_fragment=False))
        self._keep_here(request)
        return True

    def _same_request(self, redirected: Request) -> bool:
        """Tell whether a redirect asks for what has just been asked for: only a cookie could change the answer."""
        before = redirected.meta["redirect_urls"][-1]
        return urldefrag(redirected.url).url == urldefrag(before).url and not self._cookies

    def _settle_given_up(self) -> None:
        """Settle leases whose requests the engine has no more, but has called no errback of."""
        for request in self._given.given_up():
            lease = lease_of(request)
            assert lease is not None
            self.session.crawl.setbacks.failed(lease, GIVEN_UP, url=request.url)

    def _keep_here(self, request: Request) -> None:
        self._given.forget(request)
        self._local.append(request)
        self._request_stats.kept()
        self._count_waiting()

    def _found(self, request: Request) -> None:
        self._keep_here(request)
        compat.wake_engine(self.crawler)

    def _count_waiting(self) -> None:
        self.session.waiting(len(self._local) + len(self._in_lookup))

    # --------------------------------------------------------------------- failures

    def _is_given_up(self, failure: Failure, *, heard: bool) -> bool:
        """Settle a lease whose fetch failed; tell whether no other try will follow.

        What a component raises by mistake is logged, as Scrapy does, where no errback of the project is `heard`.
        """
        request: Request = failure.request  # type: ignore[attr-defined]
        if isinstance(failure.value, LookupNeededError):
            self._given.forget(request)
            self._in_lookup.add(request, failure.value.name)
            self._count_waiting()
            return False
        lease = lease_of(request)
        if lease is None or failure.value is None:
            return False
        setbacks = self.session.crawl.setbacks
        reason = failure_of_error(failure.value, now=self.session.clock())
        if reason.is_fault and not heard:
            said = f"{request.url} could not be fetched: {failure.value}"
            self._faults.note(said, failure.value, trace=failure.getTraceback())
        redirects = request.meta.get("redirect_times", 0)
        if reason.put_off and redirects:
            setbacks.queue_target(lease, request.url, redirects)
            return False
        # What was not sent was not tried.
        last = is_last_try(lease) and not isinstance(failure.value, HostIsSlow | HostNotNow)
        return setbacks.failed(lease, reason, url=request.url, last=last)

    def failed(self, failure: Failure, own: Callable[..., Any] | None = None) -> Any:
        """Settle a lease whose fetch failed: errback of every request, with the project's own.

        That has its say once nothing more is tried. The lease is settled at once, not when the output is asked for: the
        spider middlewares come in between.
        """
        if not self._is_given_up(failure, heard=own is not None) or own is None:
            return None
        output = own(failure)
        # One that gives the failure back has not dealt with it, as in plain Scrapy.
        return output if isinstance(output, Failure) else _without_leases(output)

    def _dropped(self, request: Request) -> None:
        lease = lease_of(request)
        if lease is not None and self.session.is_open:
            self.session.crawl.setbacks.failed(lease, FetchFailure(Outcome.REFUSED, "dropped by the scheduler"))
