"""The crawl of a Scrapy crawler: opened and closed by the scheduler, found by every component with `session_of`."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from focuscrawl.config import FocusConfig
from focuscrawl.crawler.arguments import CrawlArguments
from focuscrawl.crawler.closing import close_crawl
from focuscrawl.crawler.control import CrawlControl
from focuscrawl.crawler.crawl import Crawl, Network
from focuscrawl.crawler.endings import Ending
from focuscrawl.crawler.feed_reader import FeedUse
from focuscrawl.crawler.fetch_failure import LOST
from focuscrawl.crawler.names import NameLookups
from focuscrawl.crawler.opening import open_crawl
from focuscrawl.crawler.plan import make_plan
from focuscrawl.crawler.refresh_round import RefreshOptions
from focuscrawl.errors import FocusCrawlError, StoreError, os_reason
from focuscrawl.glue import compat
from focuscrawl.glue.given_settings import given_settings
from focuscrawl.glue.stats import RequestStats, write_stats
from focuscrawl.types import UrlKey

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler

# How often lost requests are looked for.
_WATCH_S = 5.0
# How often the figures of the crawl are put into Scrapy's stats, at most.
_STATS_S = 1.0
# A crawl may end while the engine opens, as one that goes on and has used its budget.
_OPENING_S = 0.02
# How long a crawl that a signal broke off may take to open, so that it can be closed in order.
_BROKEN_OFF_S = 10.0
# A request that no component of the engine has worked on for so long is lost.
_LOST_S = 10.0

_sessions: WeakKeyDictionary[Crawler, CrawlSession] = WeakKeyDictionary()


def session_of(crawler: Crawler) -> CrawlSession:
    """Return the session of a crawler, made on first use.

    Raises
    ------
    ConfigError
        If a ``FOCUSCRAWL_…`` setting is wrong.
    """
    session = _sessions.get(crawler)
    if session is None:
        session = _sessions[crawler] = CrawlSession(crawler)
    return session


class CrawlSession:
    """Bridge from a crawl to Scrapy's engine: wakes it for links, closes it at the end."""

    def __init__(self, crawler: Crawler, *, clock: Callable[[], float] = time.time) -> None:
        self.crawler = crawler
        self.clock = clock
        self.config = FocusConfig.from_settings(crawler.settings)
        self.control: CrawlControl | None = None  # once open
        self.lookups: NameLookups | None = None  # where names are looked up beside the downloads
        self.request_stats: RequestStats | None = None  # once open
        self._crawl: Crawl | None = None
        self._error: FocusCrawlError | None = None  # of a crawl that could not start
        self._opening: asyncio.Task[tuple[Crawl, CrawlControl]] | None = None
        self.broken_off = False  # a signal stopped Scrapy while the crawl opened
        self._attending: asyncio.Task[None] | None = None
        self._closing: asyncio.Task[None] | None = None
        self._stats_at = 0.0
        self._waiting = 0  # requests with a lease that wait in the scheduler
        self._idle_since: float | None = None

    @property
    def crawl(self) -> Crawl:
        """The crawl, once open."""
        assert self._crawl is not None
        return self._crawl

    @property
    def is_open(self) -> bool:
        """Tell whether the crawl has begun."""
        return self._crawl is not None

    @property
    def ending(self) -> Ending | None:
        """How the crawl ends, None while it goes on."""
        return self._crawl.ending if self._crawl is not None else None

    @property
    def error(self) -> FocusCrawlError | None:
        """What ended the crawl, or kept it from starting."""
        return self._crawl.error if self._crawl is not None else self._error

    async def open(
        self,
        arguments: CrawlArguments,
        *,
        own_spider: str = "",
        feeds: FeedUse = FeedUse.NONE,
        refresh: RefreshOptions | None = None,
    ) -> None:
        """Open the crawl.

        Parameters
        ----------
        own_spider
            Name of a project's own spider, which brings its start requests: the topic's seeds are left alone.
        feeds
            What is done with feeds.
        refresh
            Which pages are visited again, of a run that is there; None: none.

        Raises
        ------
        FocusCrawlError
            With a sentence for people, when the crawl cannot start; nothing is left open or locked then.
        """
        settings = self.crawler.settings
        try:
            plan = make_plan(arguments, self.config, own_spider=own_spider, feeds=feeds)
            concurrency = settings.getint("CONCURRENT_REQUESTS") or 16
            network = Network(
                concurrency,
                settings.getint("CONCURRENT_REQUESTS_PER_DOMAIN") or concurrency,
                settings.getfloat("DOWNLOAD_DELAY"),
            )
            overrides = given_settings(settings, self.config)
            opening = open_crawl(
                plan, self.config, network, settings=settings, overrides=overrides, clock=self.clock, refresh=refresh
            )
            self._opening = asyncio.get_running_loop().create_task(opening)
            with compat.before_shutdown(self._close_broken_off):
                self._crawl, self.control = await self._opening
        except FocusCrawlError as error:
            self._error = error
            raise
        except OSError as error:  # as of a name that is too long: Scrapy would show a traceback, and fail in its own
            self._error = StoreError(f"{error.filename or 'crawl'}: {os_reason(error)}.")
            raise self._error from error
        if self.broken_off:
            raise asyncio.CancelledError  # nothing is to be fetched any more
        assert self.crawler.stats is not None
        self.request_stats = RequestStats(self.crawler.stats, durable=self.crawl.frontier.durable)
        self._attending = asyncio.get_running_loop().create_task(self._attend(self.crawl))

    async def close(self, reason: str) -> None:
        """End the crawl: settle what has gathered, give back the leases, write the report; `reason` is Scrapy's."""
        if self._crawl is None:
            return
        if self._attending is not None:
            self._attending.cancel()
            with suppress(asyncio.CancelledError):
                await self._attending
        await self._crawl.finish()
        if self.control is not None:
            await self.control.close()
        await close_crawl(self._crawl, reason)
        self._write_stats(self._crawl)  # before Scrapy tells its extensions of the end

    def asks_again(self, request: Request, key: UrlKey) -> bool:
        """Tell whether a request has `dont_filter` for a URL that is queued, under way or fetched.

        Such a request is the scheduler's own: the frontier would drop it.
        """
        return request.dont_filter and self.knows(key)

    def knows(self, key: UrlKey) -> bool:
        """Tell whether a URL is queued, under way or fetched, as far as this process knows."""
        return self.request_stats is not None and (self.crawl.has_fetched(key) or self.request_stats.has_seen(key))

    def waiting(self, requests: int) -> None:
        """Take note of how many requests with a lease wait in the scheduler."""
        self._waiting = requests

    async def _close_broken_off(self) -> None:
        """Close a crawl in order that a signal breaks off while it opens, before the event loop stops.

        Its run would else have a start and no end, like that of a crawl that was killed, and its folder stay locked
        until this process ends.
        """
        assert self._opening is not None
        self.broken_off = True
        await asyncio.wait([self._opening], timeout=_BROKEN_OFF_S)
        if self._opening.done() and self._opening.exception() is None:
            self._crawl, self.control = self._opening.result()
            await self.close("shutdown")

    async def _attend(self, crawl: Crawl) -> None:
        while True:
            ends = crawl.ending is not None and self._closing is None
            with suppress(TimeoutError):
                async with asyncio.timeout(_OPENING_S if ends else _WATCH_S):
                    await crawl.news()
            if crawl.ending is not None and self._closing is None and compat.engine_can_close(self.crawler):
                self._closing = asyncio.get_running_loop().create_task(
                    compat.close_engine(self.crawler, crawl.ending.reason)
                )
            compat.wake_engine(self.crawler)
            self._look_for_lost(crawl)
            if self.clock() >= self._stats_at:
                self._stats_at = self.clock() + _STATS_S
                self._write_stats(crawl)

    def _write_stats(self, crawl: Crawl) -> None:
        assert self.crawler.stats is not None
        write_stats(self.crawler.stats, crawl)

    def _look_for_lost(self, crawl: Crawl) -> None:
        """Settle leases whose requests no component has any more."""
        now = self.clock()
        if self._waiting or not crawl.loop.in_flight or compat.engine_is_active(self.crawler):
            self._idle_since = None
        elif self._idle_since is None:
            self._idle_since = now
        elif now - self._idle_since > _LOST_S:
            for lease in crawl.loop.leases:
                crawl.setbacks.failed(lease, LOST)
