"""robots.txt as RFC 9309 has it: Scrapy's parser, with the RFC's rules for answers that are no robots.txt.

- 2xx: what it says, the first 500 KiB of it; read for 24 hours (2.4, 2.5).
- 4xx, and more than five redirects: nothing is forbidden (2.3.1.2, 2.3.1.3).
- 5xx, 429, time-outs, no connection: everything is forbidden (2.3.1.4). The host's URLs wait and the file is asked
  for again, later each time; after the third time they are refused.

A crawl-delay raises the delay of the host in the frontier; it never lowers it. The workers of a fleet share what one
of them has read.
"""

from __future__ import annotations

import asyncio
import json
import logging
import zlib
from base64 import b64decode, b64encode
from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from scrapy import signals
from scrapy.exceptions import CannotResolveHostError, NotConfigured, StopDownload
from scrapy.http import Request
from scrapy.http.request import NO_CALLBACK
from scrapy.utils.httpobj import urlparse_cached
from scrapy.utils.misc import build_from_crawler, load_object

from focuscrawl.crawler.host_backoff import MAX_WAIT_S
from focuscrawl.crawler.names import LookUp
from focuscrawl.crawler.robots_agents import with_own_names
from focuscrawl.glue import compat
from focuscrawl.glue.failures import (
    HostIsSlow,
    HostNotNow,
    LookupNeededError,
    Refused,
    failure_of_error,
    is_redirect_limit,
    retry_after,
)
from focuscrawl.glue.requests import ROBOTS_BYTES, SLOT, UNPACKED_BYTES, lease_of
from focuscrawl.glue.session import CrawlSession, session_of
from focuscrawl.glue.sitemaps import SitemapReader
from focuscrawl.page.decode import as_utf8
from focuscrawl.page.urls import host_of
from focuscrawl.records import Outcome

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Response

logger = logging.getLogger(__name__)

MAX_BYTES = 500 * 1024  # RFC 9309, 2.5: a parsing limit of at least 500 KiB
_MOST_UNPACKED = 32 * MAX_BYTES  # of a server that compresses it, though it is asked not to
_FRESH_S = 24 * 3600.0  # RFC 9309, 2.4
_MAX_TRIES = 3
# Rules take about 5 kB a host; those longest not asked for are read again when they are needed. Those of a long file
# take up to 47 times its length.
_MAX_HOSTS = 10_000
_MAX_KEPT_BYTES = 8_000_000
# Longer ones are parsed beside the event loop, and asked there: of 500 KiB the first takes .1 to .9 s, and 26,000 rules
# with an asterisk, which are compared one by one, 80 ms each time.
_MAX_BYTES_AT_ONCE = 50_000
_FORBIDDEN = "forbidden by robots.txt"
_UNREADABLE = "robots.txt cannot be read"


def within_limit(body: bytes) -> bytes:
    r"""Return the whole lines of the first 500 KiB of a robots.txt, as UTF-8 when it has a byte order mark.

    Half a rule would be another rule: ``Disallow: /private/`` cut after its first slash forbids the site.

    >>> within_limit(b"User-agent: *\nDisallow: /private/")
    b'User-agent: *\nDisallow: /private/'
    """
    is_cut = len(body) > MAX_BYTES
    body = as_utf8(body[: MAX_BYTES + 1])
    if not is_cut and len(body) <= MAX_BYTES:
        return body
    # RFC 9309, 2.2: a line ends with CR, LF or both; one that ends right behind the limit is whole.
    end = max(body.rfind(b"\n", 0, MAX_BYTES + 1), body.rfind(b"\r", 0, MAX_BYTES + 1))
    return body[: end + 1][:MAX_BYTES]


@dataclass(slots=True)
class _Rules:
    """State of one site's robots.txt."""

    parser: Any = None  # None: nothing is forbidden, unless `unreadable`
    unreadable: str = ""  # why it could not be read
    refused: str = ""  # why the site must not be contacted at all
    no_tunnel: bool = False  # as of `FetchFailure`, of `refused`
    until: float = 0.0  # Unix time it is asked for again
    tries: int = 0  # in a row that failed
    body: bytes | None = None  # that `parser` was made of, where it is shared
    size: int = 0  # bytes of it

    def packed(self, ahead_s: float) -> bytes:
        """Return what the workers of a fleet share, with times by a clock so many seconds ahead of this worker's."""
        until = self.until + ahead_s
        body = None if self.body is None else b64encode(zlib.compress(self.body)).decode()
        return json.dumps([self.unreadable, self.refused, until, self.tries, body, self.no_tunnel]).encode()

    @classmethod
    def unpacked(cls, packed: bytes, ahead_s: float) -> _Rules:
        """Return the rules that `packed` made, without a parser yet."""
        unreadable, refused, until, tries, body, *added = json.loads(packed)
        # Bounded: whoever can write to Redis could send what grows without end.
        whole = None if body is None else zlib.decompressobj().decompress(b64decode(body), MAX_BYTES)
        no_tunnel = bool(added and added[0])  # earlier versions have not kept it, and their rules last for a day
        size = len(whole or b"")
        return cls(None, str(unreadable), str(refused), no_tunnel, float(until) - ahead_s, int(tries), whole, size)


class _KeptRules:
    """Rules of the sites that were asked for last, bounded in their number and in the length of their files."""

    def __init__(self) -> None:
        self._rules: OrderedDict[str, _Rules] = OrderedDict()
        self._bytes = 0

    def get(self, site: str) -> _Rules | None:
        """Return the rules of a site, None where they are not here."""
        rules = self._rules.get(site)
        if rules is not None:
            self._rules.move_to_end(site)
        return rules

    def keep(self, site: str, rules: _Rules) -> None:
        """Keep the rules of a site, in the place of those longest not asked for."""
        self._drop(self._rules.pop(site, None))
        self._rules[site] = rules
        self._bytes += rules.size
        while len(self._rules) > _MAX_HOSTS or self._bytes > _MAX_KEPT_BYTES:
            self._drop(self._rules.popitem(last=False)[1])

    def _drop(self, rules: _Rules | None) -> None:
        if rules is not None:
            self._bytes -= rules.size


class RobotsMiddleware:
    """Lets through what the sites' robots.txt allow."""

    def __init__(self, crawler: Crawler) -> None:
        settings = crawler.settings
        if not settings.getbool("ROBOTSTXT_OBEY"):
            raise NotConfigured
        self.crawler = crawler
        self.session: CrawlSession = session_of(crawler)
        assert crawler.stats is not None
        self._stats = crawler.stats
        self._agent: str = settings.get("ROBOTSTXT_USER_AGENT") or settings.get("USER_AGENT")
        self._parser_class = load_object(settings["ROBOTSTXT_PARSER"])
        self._rules = _KeptRules()
        self._reading: dict[str, asyncio.Future[_Rules]] = {}
        self._sitemaps = SitemapReader(crawler, self.session) if self.session.config.sitemaps else None
        self._downloads = 0  # of robots.txt, under way; fewer than `_reading` has, where a fleet reads them

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> RobotsMiddleware:
        """Build the middleware."""
        return cls(crawler)

    async def process_request(self, request: Request) -> None:
        """Raise when the request must not be made, or not now."""
        if request.meta.get("dont_obey_robotstxt"):
            return
        url = urlparse_cached(request)
        if url.scheme not in ("http", "https", "ftp"):  # RFC 9309, 2.3: of ftp as well
            return
        site = f"{url.scheme}://{url.netloc}"
        rules = self._rules.get(site)
        if rules is None or rules.until <= self.session.clock():
            rules = await self._of_new_site(request, site)
        if rules.refused:
            raise Refused(rules.refused, no_tunnel=rules.no_tunnel)
        if rules.unreadable:
            if rules.tries >= _MAX_TRIES:
                raise Refused(f"{_UNREADABLE}: {rules.unreadable}")
            raise HostNotNow(f"{_UNREADABLE}: {rules.unreadable}", wait_s=max(0.0, rules.until - self.session.clock()))
        if rules.parser is not None and not await self._allowed(rules, request.url):
            self._stats.inc_value("robotstxt/forbidden")
            raise Refused(_FORBIDDEN)
        if lease_of(request) is not None:
            # The file was a request to the host: the next one is due after its delay, of which more is known now.
            wait_s = compat.slot_wait_s(self.crawler, host_of(request.url))
            if wait_s > MAX_WAIT_S:
                raise HostIsSlow(wait_s)

    async def _allowed(self, rules: _Rules, url: str) -> bool:
        """Tell whether rules let a URL through; many of them are compared with it beside the event loop."""
        allowed = rules.parser.allowed
        if rules.size > _MAX_BYTES_AT_ONCE:
            return bool(await asyncio.to_thread(allowed, url, self._agent))
        return bool(allowed(url, self._agent))

    async def _of_new_site(self, request: Request, site: str) -> _Rules:
        """Read a site's robots.txt; a request without a lease cannot be sent back, so it waits here for the name."""
        try:
            return await self._fresh(site)
        except LookupNeededError as error:
            lookups = self.session.lookups
            if lease_of(request) is not None or lookups is None:
                raise
            answer = await lookups.look_up(error.name)
        if answer is not LookUp.FOUND:
            raise CannotResolveHostError(answer.value)
        return await self._fresh(site)

    async def _fresh(self, site: str) -> _Rules:
        """Read a site's robots.txt, once for all requests that wait for it."""
        reading = self._reading.get(site)
        if reading is None:
            reading = self._reading[site] = asyncio.get_running_loop().create_future()
            try:
                rules = await self._shared(site)
                self._rules.keep(site, rules)
                reading.set_result(rules)
            except BaseException as error:
                reading.set_exception(error)
                reading.exception()  # retrieved, also when nobody else waits
                raise
            finally:
                del self._reading[site]
            return rules
        return await asyncio.shield(reading)

    async def _shared(self, site: str) -> _Rules:
        """Read a site's robots.txt, or take what another worker of the fleet has read."""
        fleet = self.session.crawl.fleet if self.session.is_open else None
        now = self.session.clock
        if fleet is None:
            return await self._read(site, self._rules.get(site))
        mine: list[_Rules] = []

        def unpacked(kept: bytes) -> _Rules:
            return _Rules.unpacked(kept, fleet.ahead_s)

        async def read(old: bytes | None) -> bytes:
            mine.append(await self._read(site, unpacked(old) if old is not None else None))
            return mine[0].packed(fleet.ahead_s)

        packed = await fleet.cached(f"robots:{site}", lambda kept: unpacked(kept).until > now(), read, keep_s=_FRESH_S)
        if mine:
            return mine[0]
        rules = unpacked(packed)
        if rules.body is not None:
            rules.parser = await self._parse(rules.body, Request(f"{site}/robots.txt"))
        return rules

    async def _read(self, site: str, before: _Rules | None) -> _Rules:
        host = host_of(f"{site}/")
        request = Request(
            f"{site}/robots.txt",
            callback=NO_CALLBACK,
            dont_filter=True,
            # Compressed, a file cut at the limit could not be read at all.
            headers={"Accept-Encoding": "identity"},
            # `_limit` ends it: what is behind the limit is no reason to know nothing of what is before.
            meta={
                "dont_obey_robotstxt": True,
                "dont_retry": True,
                "download_maxsize": 0,
                UNPACKED_BYTES: _MOST_UNPACKED,
                SLOT: host,
                ROBOTS_BYTES: 0,
            },
        )
        if not self._downloads:
            self.crawler.signals.connect(self._limit, signal=signals.bytes_received)
        self._downloads += 1
        self._stats.inc_value("robotstxt/request_count")
        try:
            if self.session.is_open:
                self._count_fetch(host)
            response = await self.crawler.engine.download_async(request)
        except Refused as error:
            return _Rules(refused=str(error), until=self.session.clock() + _FRESH_S)
        except (CannotResolveHostError, LookupNeededError):
            raise  # there is no such host: its robots.txt is not the matter
        except Exception as error:
            if is_redirect_limit(error):
                return _Rules(until=self.session.clock() + _FRESH_S)
            self._stats.inc_value(f"robotstxt/exception_count/{type(error)}")
            failure = failure_of_error(error, now=self.session.clock())
            rules = self._unreadable(before, failure.reason)
            if failure.outcome is Outcome.REFUSED:
                # Another try would meet it again, as with a proxy that opens no tunnel. A URL that waited for the next
                # one would hold its place: of a look at the host, or of the best links.
                rules.refused, rules.no_tunnel = f"{_UNREADABLE}: {failure.reason}", failure.no_tunnel
            return rules
        finally:
            self._downloads -= 1
            if not self._downloads:
                self.crawler.signals.disconnect(self._limit, signal=signals.bytes_received)
        self._stats.inc_value("robotstxt/response_count")
        self._stats.inc_value(f"robotstxt/response_status_count/{response.status}")
        if response.status == 429 or response.status >= 500:
            wait_s = retry_after(response, now=self.session.clock())
            return self._unreadable(before, f"HTTP {response.status}", wait_s=wait_s)
        if not 200 <= response.status < 300:
            return _Rules(until=self.session.clock() + _FRESH_S)
        return await self._readable(response)

    async def _parse(self, body: bytes, request: Request) -> Any:
        is_long = len(body) > _MAX_BYTES_AT_ONCE
        parser = await asyncio.to_thread(self._parser_of, body) if is_long else self._parser_of(body)
        self.crawler.signals.send_catch_log(signal=signals.robots_parsed, robotparser=parser, request=request)
        try:
            delay_s = parser.crawl_delay(self._agent)
        except (AttributeError, NotImplementedError):
            delay_s = None
        if delay_s and self.session.is_open:
            host, crawl = host_of(request.url), self.session.crawl
            if crawl.setbacks.raise_delay(host, float(delay_s)):
                # For redirects, which pass no frontier.
                compat.raise_slot_delay(self.crawler, host, crawl.hosts.delay_of(host))
            self._count_fetch(host)
        return parser

    def _parser_of(self, body: bytes) -> Any:
        return build_from_crawler(self._parser_class, self.crawler, with_own_names(body, self._agent))

    def _count_fetch(self, host: str) -> None:
        """Count a robots.txt towards its host's delay, with the request that waits for it and follows at once."""
        crawl = self.session.crawl
        crawl.setbacks.count_fetch(host, own=not crawl.hosts.is_slow(host))

    async def _readable(self, response: Response) -> _Rules:
        shared = self.session.is_open and self.session.crawl.fleet is not None
        until = self.session.clock() + _FRESH_S
        body = within_limit(response.body)
        assert response.request is not None
        if self._sitemaps is not None:
            self._sitemaps.start(body, response.request.url)
        return _Rules(
            await self._parse(body, response.request),
            until=until,
            body=body if shared else None,
            size=len(body),
        )

    def _unreadable(self, before: _Rules | None, why: str, *, wait_s: float | None = None) -> _Rules:
        tries = before.tries + 1 if before is not None else 1
        config = self.session.config
        if wait_s is None:
            wait_s = config.robots_retry_s * 3.0 ** (tries - 1)
        now = self.session.clock()
        if tries >= _MAX_TRIES:
            return _Rules(unreadable=why, until=now + _FRESH_S, tries=tries)
        return _Rules(unreadable=why, until=now + min(wait_s, config.max_hold_s), tries=tries)

    def _limit(self, data: bytes, request: Request) -> None:
        """Stop reading a robots.txt at the limit, keeping what has come (signal bytes_received)."""
        so_far = request.meta.get(ROBOTS_BYTES)
        if so_far is not None:
            so_far += len(data)
            request.meta[ROBOTS_BYTES] = so_far
            if so_far > MAX_BYTES:
                raise StopDownload(fail=False)
