"""Sitemaps named in robots.txt, read beside the crawl as links of their host (sitemaps.org, protocol 0.9).

XML and text, in UTF-8 or UTF-16, compressed or not, and index files two levels deep. They are asked for under the same
guards as pages: public addresses, robots.txt, scope, delay of the host. A hostile one costs little: sixty files a host
at most, the first 10 MB of each over the wire and 50 MB out of it, a million tags and attributes of each, two million
of all, and of the addresses the bounds of `focuscrawl.crawler.sitemap_links`.
"""

from __future__ import annotations

import asyncio
import logging
import re
import zlib
from collections import deque
from contextlib import contextmanager
from dataclasses import dataclass
from gzip import GzipFile
from io import BytesIO
from itertools import islice
from typing import TYPE_CHECKING

from lxml.etree import XMLSyntaxError
from scrapy import signals
from scrapy.exceptions import StopDownload
from scrapy.http import Request
from scrapy.http.request import NO_CALLBACK
from scrapy.utils.sitemap import Sitemap, sitemap_urls_from_robots

from focuscrawl.crawler.sitemap_links import MOST_URLS, SitemapLinks, SitemapUrl
from focuscrawl.glue.requests import SLOT, UNPACKED_BYTES
from focuscrawl.glue.session import CrawlSession
from focuscrawl.page.decode import as_utf8
from focuscrawl.page.urls import host_of, normalize_url
from focuscrawl.types import HostKey

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy.crawler import Crawler

logger = logging.getLogger(__name__)

_MOST_FILES = 60
_LEVELS = 2  # of index files
_MOST_BYTES = 10_000_000  # of a file, over the wire
_MOST_UNPACKED = 50 * 1024 * 1024  # the protocol's own limit
# Tags and attributes, 2 µs and 200 bytes each: 50,000 addresses with all that the protocol has for them take 500,000.
_MOST_MARKS, _MOST_MARKS_OF_HOST = 1_000_000, 2_000_000
_MARK = re.compile(b"[<=]")
_AT_ONCE = 2  # hosts whose sitemaps are read
_MOST_WAITING = 1_000  # hosts that wait for it
_FIRST_PART = "focuscrawl_first_part"  # in `meta`: the sitemap that a request asks for
_GZIP = b"\x1f\x8b\x08"
_CHUNK = 1 << 16
_DAMAGED = (OSError, EOFError, zlib.error)  # what a file raises that cannot be unpacked
_DECLARATION = re.compile(rb"\s*+<\?xml[^>]*+>")
# One that is written as it stands, as in addresses put together by hand, or a section in which it may stand so.
_AMPERSAND = re.compile(rb"<!\[CDATA\[.*?(?:\]\]>|\Z)|&(?!#?\w++;)", re.DOTALL)
_WIDE = re.compile(rb"encoding\s*+=\s*+[\"'](?:utf-?16|utf-?32|ucs-?[24]|iso-10646)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class SitemapFile:
    """A sitemap: addresses of pages, or of further sitemaps."""

    urls: tuple[SitemapUrl, ...] = ()
    sitemaps: tuple[SitemapUrl, ...] = ()
    marks: int = 0  # tags and attributes that were read


def parse_sitemap(body: bytes, url: str, *, is_cut: bool = False) -> SitemapFile:
    """Return what a sitemap at `url` names, 50,000 addresses at most, normalised; nothing of what is no sitemap.

    Parameters
    ----------
    is_cut
        There is more of it than `body`: its end may be half an address.

    >>> parse_sitemap(b"http://e.org/a\\nhttp://E.org/b#c", "http://e.org/sitemap.txt").urls[1].url
    'http://e.org/b'
    """
    marks = 0
    try:
        if body.startswith(_GZIP):
            body, is_short = _unpacked(body)
            is_cut = is_cut or is_short
        body = as_utf8(body)
        if not body.lstrip().startswith(b"<"):
            if is_cut:
                body = body[: body.rfind(b"\n") + 1]
            lines = (line.strip().decode("utf-8", "replace") for line in islice(BytesIO(body), MOST_URLS))
            absolute = (normalize_url(line, url) for line in lines if line.startswith(("http://", "https://")))
            return SitemapFile(tuple(SitemapUrl(named) for named in absolute if named is not None))
        marks = body.count(b"<") + body.count(b"=")
        if marks > _MOST_MARKS:
            marks, body = _MOST_MARKS, body[: next(islice(_MARK.finditer(body), _MOST_MARKS, None)).start()]
            is_cut = True
        if is_cut:  # half an address would be another one
            body = body[: max(body.rfind(b"</"), 0)]
        # A parser that recovers leaves out "&" and the name behind it: a?b=1&c=2 would become a?b=1=2.
        body = _AMPERSAND.sub(_escaped, _without_wide_label(body), count=_MOST_MARKS)
        sitemap = Sitemap(body)
        found = tuple(
            SitemapUrl(named, item.get("lastmod", ""))
            for item in islice(sitemap, MOST_URLS)
            # Empty, or an entity: it would be the sitemap itself. None: no address that can be crawled.
            if item["loc"] and (named := normalize_url(item["loc"], url)) is not None
        )
    except (ValueError, *_DAMAGED, XMLSyntaxError, StopIteration):
        return SitemapFile(marks=marks)  # broken, or no sitemap at all
    if sitemap.type == "sitemapindex":
        return SitemapFile(sitemaps=found, marks=marks)
    return SitemapFile(found, marks=marks)


def _unpacked(body: bytes) -> tuple[bytes, bool]:
    """Return what a compressed sitemap holds and whether there is more: 50 MB, or what comes before damage."""
    pieces: list[bytes] = []
    left = _MOST_UNPACKED
    with GzipFile(fileobj=BytesIO(body)) as packed:
        try:
            while left > 0 and (piece := packed.read1(min(left, _CHUNK))):
                pieces.append(piece)
                left -= len(piece)
            is_cut = left <= 0 and bool(packed.read1(1))
        except _DAMAGED:
            if not pieces:
                raise
            is_cut = True
    return b"".join(pieces), is_cut


def _without_wide_label(body: bytes) -> bytes:
    """Return UTF-8 without a declaration of UTF-16, as of what was changed here or what .NET makes of a string."""
    declaration = _DECLARATION.match(body)
    return body[declaration.end() :] if declaration is not None and _WIDE.search(declaration[0]) else body


def _escaped(found: re.Match[bytes]) -> bytes:
    return b"&amp;" if found[0] == b"&" else found[0]


class SitemapReader:
    """Reads the sitemaps of hosts, each host once; ends with the crawl."""

    def __init__(self, crawler: Crawler, session: CrawlSession) -> None:
        self.crawler = crawler
        self.session = session
        self._hosts: set[HostKey] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._slots = asyncio.Semaphore(_AT_ONCE)
        crawler.signals.connect(self._end, signal=signals.spider_closed)

    def start(self, robots: bytes, url: str) -> None:
        """Read the sitemaps that a robots.txt at `url` names."""
        host = host_of(url)
        addresses = (normalize_url(named, url) for named in sitemap_urls_from_robots(robots))
        named = list(dict.fromkeys(islice((one for one in addresses if one is not None), _MOST_FILES)))
        if not named or host in self._hosts or len(self._tasks) >= _MOST_WAITING or not self.session.is_open:
            return
        self._hosts.add(host)
        task = asyncio.get_running_loop().create_task(self._read(host, named))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _read(self, host: HostKey, named: list[str]) -> None:
        with self.session.crawl.bringing_links():
            async with self._slots:
                await self._read_in_turn(host, named)

    async def _read_in_turn(self, host: HostKey, named: list[str]) -> None:
        links = SitemapLinks(host)
        files = deque((url, 0) for url in named)
        asked: set[str] = set()
        marks = 0
        while files and len(asked) < _MOST_FILES and marks < _MOST_MARKS_OF_HOST and not links.full:
            if not self.session.crawl.has_work:  # it has waited long enough for nothing but sitemaps
                break
            url, level = files.popleft()
            if url in asked:
                continue
            asked.add(url)
            body, is_cut = await self._body(url)
            if not body:
                continue
            file = await asyncio.to_thread(parse_sitemap, body, url, is_cut=is_cut)
            marks += file.marks
            if level < _LEVELS:
                newest = sorted(file.sitemaps, key=lambda one: one.modified, reverse=True)
                files.extend((one.url, level + 1) for one in newest[:_MOST_FILES])
            await links.add(self.session.crawl.step, file.urls, url)
        best = links.best()
        if best:
            self.session.crawl.push(best)
        logger.info(
            "sitemaps of %(host)s: files %(files)d, addresses %(urls)d, queued %(kept)d",
            {"host": host, "files": len(asked), "urls": links.considered, "kept": len(best)},
        )

    async def _body(self, url: str) -> tuple[bytes, bool]:
        """Return a file, b"" where it cannot be had, and whether it is the first part only."""
        host, crawl = host_of(url), self.session.crawl
        if crawl.step.scope.refusal(url, host, 0):
            return b"", False
        meta = {"dont_retry": True, "download_maxsize": 0, UNPACKED_BYTES: _MOST_UNPACKED, SLOT: host, _FIRST_PART: url}
        request = Request(url, callback=NO_CALLBACK, dont_filter=True, meta=meta)
        crawl.setbacks.count_fetch(host, own=True)
        try:
            with self._stopped_when_long(url):
                response = await self.crawler.engine.download_async(request)
        except Exception as error:  # whatever keeps it from being read, the crawl goes on without it
            logger.debug("sitemap %(url)s: %(error)r", {"url": url, "error": error})
            return b"", False
        if response.status != 200:
            return b"", False
        is_cut = "download_stopped" in response.flags
        if is_cut:
            logger.info("sitemap %(url)s: longer than %(most)d bytes; read so far", {"url": url, "most": _MOST_BYTES})
        return bytes(response.body), is_cut

    @contextmanager
    def _stopped_when_long(self, url: str) -> Iterator[None]:
        """End downloads of the file at `url` at 10 MB with what came: DOWNLOAD_MAXSIZE would leave nothing of it."""
        came: dict[Request, int] = {}  # of each redirect its own

        def count(data: bytes, request: Request) -> None:
            if request.meta.get(_FIRST_PART) == url:
                came[request] = came.get(request, 0) + len(data)
                if came[request] > _MOST_BYTES:
                    raise StopDownload(fail=False)

        self.crawler.signals.connect(count, signal=signals.bytes_received)  # held by this frame
        try:
            yield
        finally:
            self.crawler.signals.disconnect(count, signal=signals.bytes_received)

    def _end(self) -> None:
        for task in self._tasks:
            task.cancel()
