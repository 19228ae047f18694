"""Requests with a lease that the engine was given, and those of them it has given up."""

from __future__ import annotations

from typing import TYPE_CHECKING

from focuscrawl.glue import compat
from focuscrawl.glue.requests import lease_of
from focuscrawl.glue.session import session_of

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler


class GivenRequests:
    """Memory of the request that stands for each lease under way.

    A downloader middleware can return a request of its own in the place of one it was given, and a listener can drop
    the target of a redirect: neither tells anybody. The engine has the request no more then, and its lease is out.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._requests: dict[int, Request] = {}  # token of a lease -> what was given for it last

    def note(self, request: Request) -> None:
        """Take note of a request the engine is given now; one without a lease is nobody's loss."""
        lease = lease_of(request)
        if lease is not None:
            self._requests[lease.token] = request

    def forget(self, request: Request) -> None:
        """Forget the request of a lease that waits outside the engine."""
        lease = lease_of(request)
        if lease is not None:
            self._requests.pop(lease.token, None)

    def given_up(self) -> list[Request]:
        """Return the requests that the engine has no more though their leases are out, once each."""
        gone = [request for request in self._requests.values() if not compat.is_under_way(self._crawler, request)]
        for request in gone:
            self.forget(request)
        loop = session_of(self._crawler).crawl.loop
        return [request for request in gone if (lease := lease_of(request)) is not None and loop.holds(lease)]
