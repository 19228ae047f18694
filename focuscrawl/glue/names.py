"""Look-ups of host names outside the downloader's places."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from scrapy.exceptions import CannotResolveHostError, NotConfigured
from scrapy.resolver import dnscache
from twisted.internet.interfaces import IResolutionReceiver
from zope.interface import implementer  # type: ignore[import-untyped]

from focuscrawl.crawler.addresses import address_of
from focuscrawl.crawler.fetch_failure import NO_SUCH_HOST, FetchFailure
from focuscrawl.crawler.names import LookUp, NameLookups
from focuscrawl.glue.address_guard import ConnectionGuardMiddleware
from focuscrawl.glue.failures import LookupNeededError
from focuscrawl.glue.requests import ROBOTS_BYTES, LeasedErrback, lease_of
from focuscrawl.glue.session import CrawlSession, session_of
from focuscrawl.records import Lease, Outcome

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Request


class NameLookupMiddleware:
    """Sends requests back whose host name has not been looked up yet; `RequestsInLookup` keeps them meanwhile.

    Stands next to the downloader: what goes through a proxy, or comes from a cache, needs no name.
    """

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self.session: CrawlSession = session_of(crawler)
        at_once = self.session.config.name_lookups
        if not at_once or not crawler.settings.getbool("TWISTED_REACTOR_ENABLED"):
            raise NotConfigured
        self.lookups = NameLookups(self._resolve, at_once=at_once, timeout_s=crawler.settings.getfloat("DNS_TIMEOUT"))
        self.session.lookups = self.lookups

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> NameLookupMiddleware:
        """Build the middleware."""
        return cls(crawler)

    def process_request(self, request: Request) -> None:
        """Raise `LookupNeededError` for a name nobody has looked up, Scrapy's error for one that does not exist.

        Requests that did not come from the frontier cannot be sent back; the downloader looks their names up.
        """
        if request.meta.get("proxy") or (lease_of(request) is None and ROBOTS_BYTES not in request.meta):
            return
        name = urlsplit(request.url).hostname
        if name and not self.lookups.is_found(name) and address_of(name) is None:
            if self.session.crawl.names.is_unknown(request.url, now=self.session.clock()):
                raise CannotResolveHostError(NO_SUCH_HOST)  # for the errback of a project's own
            raise LookupNeededError(name)

    async def _resolve(self, name: str) -> bool:
        from twisted.internet import reactor

        answer: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        try:
            name.encode("idna")  # as the system's resolver does, in a thread from which its error would not come back
            reactor.nameResolver.resolveHostName(_Answer(answer), name)
        except UnicodeError:
            return False  # an empty label, or one that is too long
        found = await answer
        if name != name.lower():  # a check of the resolver, which the next one is not to find in the cache
            dnscache.pop(name, None)
            return found
        guard = self.crawler.get_downloader_middleware(ConnectionGuardMiddleware)
        # A name of addresses that must not be contacted exists; its request is refused when it connects.
        return found or (guard is not None and bool(guard.refusal(name)))


@implementer(IResolutionReceiver)
class _Answer:
    """Sets a future to whether a name has an address."""

    def __init__(self, answer: asyncio.Future[bool]) -> None:
        self._answer = answer
        self._found = False

    def resolutionBegan(self, resolution: Any) -> None:  # noqa: N802 - the name is Twisted's
        """Take no note: it cannot be cancelled."""

    def addressResolved(self, address: Any) -> None:  # noqa: ARG002, N802 - the name is Twisted's
        self._found = True

    def resolutionComplete(self) -> None:  # noqa: N802 - the name is Twisted's
        if not self._answer.done():
            self._answer.set_result(self._found)


class RequestsInLookup:
    """Requests that wait for the look-up of a name: they have their leases, but no place of the downloader.

    Parameters
    ----------
    put_back
        Takes a request whose name has been found.
    """

    def __init__(self, session: CrawlSession, put_back: Callable[[Request], None]) -> None:
        self._session = session
        self._put_back = put_back
        self._requests: dict[str, list[Request]] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    def __len__(self) -> int:
        return sum(map(len, self._requests.values()))

    def add(self, request: Request, name: str) -> None:
        """Keep a request until its name has been looked up; beyond a number of them its lease goes back instead."""
        crawl, lease = self._session.crawl, lease_of(request)
        if lease is None or not crawl.loop.holds(lease):
            return
        if not crawl.loop.park(lease):
            crawl.loop.release(lease, delay_s=self._session.crawler.settings.getfloat("DNS_TIMEOUT"))
            return
        waiting = self._requests.get(name)
        if waiting is not None:
            waiting.append(request)
            return
        self._requests[name] = [request]
        task = asyncio.get_running_loop().create_task(self._look_up(name))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def close(self) -> None:
        """Wait for no name any more."""
        for task in self._tasks:
            task.cancel()
        if self._session.lookups is not None:
            self._session.lookups.close()

    async def _look_up(self, name: str) -> None:
        lookups, crawl = self._session.lookups, self._session.crawl
        assert lookups is not None
        answer = await lookups.look_up(name)
        requests = self._requests.pop(name)
        url = requests[0].url
        if answer is LookUp.OUTAGE:
            wait_s = crawl.names.outage(now=crawl.clock())
            for lease in _leases(requests):
                crawl.loop.release(lease, delay_s=wait_s)
            return
        if answer is not LookUp.FOUND:
            failure = FetchFailure(Outcome.FAILED, answer.value, no_such_host=True)
            with_errback = [request for request in requests if isinstance(request.errback, LeasedErrback)]
            others = [request for request in requests if request not in with_errback]
            if not crawl.setbacks.unresolved(_leases(others), failure, url=url):
                wait_s = crawl.names.wait_s(url, now=crawl.clock())
                for lease in _leases(with_errback):
                    crawl.loop.release(lease, delay_s=wait_s)
                return
            requests = with_errback  # they fail on their way: only Scrapy can call an errback
        else:
            crawl.names.found(url)
        for lease, request in zip(_leases(requests), requests, strict=True):
            crawl.loop.unpark(lease)
            self._put_back(request.copy())


def _leases(requests: Iterable[Request]) -> list[Lease]:
    return [lease for request in requests if (lease := lease_of(request)) is not None]
