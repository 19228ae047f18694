"""Keeps requests away from addresses that are not public: before a request, and at the moment of connecting.

One middleware judges URLs. It sees every request, those for robots.txt and of redirects included. Names are judged by
the resolver, on the very addresses the connection is then made to: a name server that gives a public address to a
check and a private one to the connection gains nothing.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import SplitResult, urlsplit

from scrapy import signals
from scrapy.exceptions import CannotResolveHostError, DownloadConnectionRefusedError, NotConfigured
from twisted.internet.interfaces import IHostnameResolver, IResolutionReceiver
from zope.interface import implementer  # type: ignore[import-untyped]

from focuscrawl.config import FocusConfig
from focuscrawl.crawler.addresses import AddressPolicy, address_of
from focuscrawl.crawler.fetch_failure import NO_HTTP_PROXY
from focuscrawl.glue.failures import Refused, failure_of_error
from focuscrawl.glue.requests import lease_of

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Request

logger = logging.getLogger(__name__)

# Names remembered for the reason of a refusal; a wildcard name server can make up any number.
_MAX_REFUSED = 10_000


class AddressGuardMiddleware:
    """Refuses requests by their URL, before anything else is done for them, robots.txt included."""

    def __init__(self, crawler: Crawler) -> None:
        config = FocusConfig.from_settings(crawler.settings)
        self.policy = AddressPolicy(config.allow_private, ftp=config.ftp)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> AddressGuardMiddleware:
        """Build the middleware."""
        return cls(crawler)

    def process_request(self, request: Request) -> None:
        """Raise `Refused` for a request that must not be made."""
        if request.url.startswith("data:") and lease_of(request) is None:
            return  # a callback's own request, which reaches no network
        refusal = self.policy.url_refusal(request.url)
        if refusal:
            raise Refused(refusal)


class ConnectionGuardMiddleware:
    """Has names judged by what they resolve to; stands after the proxy middleware, to know what goes through a proxy.

    Through a proxy, names are the proxy's matter: they may not resolve here at all.
    """

    def __init__(self, crawler: Crawler) -> None:
        self.policy = AddressPolicy(FocusConfig.from_settings(crawler.settings).allow_private)
        self._proxies: set[str] = set()
        self._absent: set[str] = set()  # proxies that were told of
        self._resolver: GuardedResolver | None = None
        if self.policy.allow_all:
            raise NotConfigured
        crawler.signals.connect(self._closed, signal=signals.spider_closed)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> ConnectionGuardMiddleware:
        """Build the middleware."""
        return cls(crawler)

    def process_request(self, request: Request) -> None:
        """Put the guard before the resolver, and learn which names are proxies'; refuse proxies of other kinds."""
        if self._resolver is None:
            # Now, for Scrapy installs its own resolver after the crawler is built.
            self._resolver = GuardedResolver.install(self.policy)
        proxy = request.meta.get("proxy")
        if proxy:
            parts = _proxy_parts(proxy)
            if parts.scheme.lower() not in ("http", "https"):
                raise Refused(NO_HTTP_PROXY)
            name = (parts.hostname or "").rstrip(".").lower()
            if name not in self._proxies:
                self._proxies.add(name)
                self._resolver.exempt(name)
        elif self._proxies and (urlsplit(request.url).hostname or "").rstrip(".").lower() in self._proxies:
            raise Refused("the host of the proxy is not a site to crawl")

    def process_exception(self, request: Request, exception: Exception) -> None:
        """Say why a name did not resolve: all its addresses were refused; tell once of a proxy that is not there."""
        proxy = request.meta.get("proxy")
        if proxy and isinstance(exception, CannotResolveHostError | DownloadConnectionRefusedError):
            self._tell_absent(_proxy_parts(proxy).netloc.rpartition("@")[2], exception)
        if self._resolver is not None and isinstance(exception, CannotResolveHostError):
            why = self._resolver.refused.get((urlsplit(request.url).hostname or "").lower())
            if why:
                raise Refused(why) from exception

    def refusal(self, name: str) -> str:
        """Return why the addresses a name resolved to must not be contacted, '' when nothing is known against them."""
        return self._resolver.refused.get(name, "") if self._resolver is not None else ""

    def _tell_absent(self, place: str, error: Exception) -> None:
        if place not in self._absent:
            self._absent.add(place)
            logger.warning(
                "the proxy %(place)s cannot be reached: %(why)s. http_proxy and https_proxy name it in the environment,"
                " no_proxy the hosts that are asked without it.",
                {"place": place, "why": failure_of_error(error, now=0.0).reason},
            )

    def _closed(self) -> None:
        if self._resolver is not None:
            self._resolver.remove()
            self._resolver = None


def _proxy_parts(proxy: str) -> SplitResult:
    """Return the parts of a proxy's address, whose scheme may be left out."""
    return urlsplit(proxy if "//" in proxy else f"http://{proxy}")


@implementer(IResolutionReceiver)
class _Checked:
    """Passes on the addresses that may be contacted."""

    def __init__(self, receiver: Any, name: str, guard: GuardedResolver) -> None:
        self._receiver = receiver
        self._name = name
        self._guard = guard

    def resolutionBegan(self, resolution: Any) -> None:  # noqa: N802 - the name is Twisted's
        self._receiver.resolutionBegan(resolution)

    def addressResolved(self, address: Any) -> None:  # noqa: N802 - the name is Twisted's
        literal = address_of(str(getattr(address, "host", "")))
        if literal is None:
            return
        why = self._guard.policy.address_refusal(literal, name=self._name)
        if not why:
            self._receiver.addressResolved(address)
        elif len(self._guard.refused) < _MAX_REFUSED:
            self._guard.refused[self._name] = why

    def resolutionComplete(self) -> None:  # noqa: N802 - the name is Twisted's
        self._receiver.resolutionComplete()


@implementer(IHostnameResolver)
class GuardedResolver:
    """Wraps the reactor's resolver, whichever it is; connections are made to the addresses that come out of it.

    Where several crawls share a process, each has a guard of its own and all of them judge: the strictest wins.
    """

    def __init__(self, inner: Any, policy: AddressPolicy) -> None:
        self.inner = inner
        self.policy = policy
        self.refused: dict[str, str] = {}  # name -> why one of its addresses may not be contacted
        self._exempt: set[str] = set()

    @classmethod
    def install(cls, policy: AddressPolicy) -> GuardedResolver:
        """Put a guard before the reactor's resolver."""
        from twisted.internet import reactor

        guard = cls(reactor.nameResolver, policy)
        reactor.installNameResolver(guard)
        return guard

    def remove(self) -> None:
        """Take the guard away again, if nobody has put something before it; otherwise it stays and lets all pass."""
        from twisted.internet import reactor

        if reactor.nameResolver is self:
            reactor.installNameResolver(self.inner)
        else:
            self.policy = AddressPolicy(True)

    def exempt(self, name: str) -> None:
        """Let a proxy's own name resolve to whatever it does."""
        self._exempt.add(name)

    def resolveHostName(  # noqa: N802 - the names are Twisted's
        self,
        resolutionReceiver: Any,  # noqa: N803
        hostName: str,  # noqa: N803
        portNumber: int = 0,  # noqa: N803
        addressTypes: Sequence[type[Any]] | None = None,  # noqa: N803
        transportSemantics: str = "TCP",  # noqa: N803
    ) -> Any:
        receiver = resolutionReceiver
        if hostName.rstrip(".").lower() not in self._exempt:
            receiver = _Checked(receiver, hostName.lower(), self)
        return self.inner.resolveHostName(receiver, hostName, portNumber, addressTypes, transportSemantics)
