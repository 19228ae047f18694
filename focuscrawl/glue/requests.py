"""Entry ⇄ Request, lease ⇄ Request: the only place that knows the meta keys."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from scrapy.http import Headers, Request, Response

from focuscrawl.crawler.fetched import HTML, Fetched, Made, Redirect
from focuscrawl.crawler.redirects import MAX_HOPS
from focuscrawl.crawler.revisits import Revisits
from focuscrawl.glue.kept_request import freeze, thaw
from focuscrawl.page.urls import host_of, normalize_url, url_key
from focuscrawl.records import Entry, Lease, Origin

if TYPE_CHECKING:
    from scrapy import Spider

LEASE = "focuscrawl_lease"
"""Meta key of the lease; Scrapy copies meta to retries and redirects, so it goes with them."""
SCORE = "focuscrawl_score"
"""Meta key of a link's score and its parts, for the project's own callbacks."""
UNPACKED_BYTES = "focuscrawl_unpacked_bytes"
"""Meta key: bytes that a body may have when it is decompressed, where that is not for `download_maxsize` to say."""
ROBOTS_BYTES = "focuscrawl_robots_bytes"
"""Meta key of the bytes received so far of a robots.txt."""
SLOT = "download_slot"
TLS = "focuscrawl_tls"
"""Meta key of what is wrong with a certificate on the way to the page."""
MADE = "focuscrawl_made"
"""Meta key of the HTML that was made of an answer (`focuscrawl.crawler.fetched.Made`)."""
REDIRECTED_BY = "focuscrawl_redirected_by"
"""Meta key of the redirects on the way to the page, as archives keep them."""
DEPTH = "depth"
"""Meta key of Scrapy's depth of a request: that of its entry."""
RETRY_OFF = "dont_retry"
"""Meta key that tells Scrapy not to ask again by itself: what the frontier leases it tries again itself, later."""
_RETRIES = "max_retry_times"
_OWN_META = frozenset(
    {LEASE, SLOT, SCORE, TLS, MADE, REDIRECTED_BY, "is_start_request", "download_latency", "redirect_ttl"}
)


def lease_of(request: Request) -> Lease | None:
    """Return the lease a request has, None for one that did not come from the frontier."""
    lease = request.meta.get(LEASE)
    return lease if isinstance(lease, Lease) else None


class LeasedErrback:
    """Errback of a leased request: settles the lease, then lets the project's own have its say."""

    def __init__(self, settle: Callable[..., Any], own: Callable[..., Any]) -> None:
        self.settle = settle
        self.own = own

    def __call__(self, failure: Any) -> Any:
        """Return what the project's own errback gives."""
        return self.settle(failure, self.own)


def page_request(lease: Lease, spider: Any, errback: Callable[..., Any]) -> Request:
    """Return the request of a leased link for the focused spider.

    What a subclass gave a link that it yielded is in it; what names methods of another kind of spider is left out.
    """
    entry = lease.entry
    if entry.origin.request and entry.origin.earlier is None:
        with suppress(TypeError, ValueError):
            request = spider_request(lease, spider, errback)
            request.callback = spider.parse_page
            return request
    return Request(
        entry.url,
        callback=spider.parse_page,
        errback=errback,
        dont_filter=True,
        headers=Revisits.conditions(lease),
        meta={LEASE: lease, SLOT: entry.host, DEPTH: entry.depth, RETRY_OFF: True, **_hops_left(entry)},
    )


def spider_request(lease: Lease, spider: Spider, errback: Callable[..., Any]) -> Request:
    """Return the request of a leased link for a project's own spider, with its callback, meta and all.

    Raises
    ------
    ValueError
        If what was kept of it cannot be used.
    """
    entry = lease.entry
    kept = entry.origin.request
    request = thaw(entry.url, kept, spider, parent_url=entry.origin.parent_url) if kept else Request(entry.url)
    if request.errback is not None:
        request.errback = LeasedErrback(errback, request.errback)
    else:
        request.errback = errback
    request.meta[LEASE] = lease
    request.meta[RETRY_OFF] = True
    request.meta.update(_hops_left(entry))
    request.meta.setdefault(SLOT, entry.host)
    request.meta.setdefault(DEPTH, entry.depth)  # another one, as of `depth_reset`, was kept
    return request


def _hops_left(entry: Entry) -> dict[str, int]:
    """Return what tells Scrapy how many redirects are left to a link that a refresh or a redirect has led to."""
    hops = entry.origin.hops
    return {"redirect_ttl": max(0, MAX_HOPS - hops)} if hops else {}


def without_lease(request: Request) -> Request:
    """Return a copy of a callback's request without what it has copied of a leased one: it is a request of its own."""
    lease = lease_of(request)
    if lease is None:
        return request
    copy = request.copy()
    own = copy.errback.own if isinstance(copy.errback, LeasedErrback) else None
    copy.errback = own
    for name in (LEASE, SCORE, TLS, MADE):
        copy.meta.pop(name, None)
    if copy.meta.get(SLOT) == lease.entry.host:
        del copy.meta[SLOT]
    if RETRY_OFF not in _kept_meta(lease.entry):
        copy.meta.pop(RETRY_OFF, None)
    return copy


def is_last_try(lease: Lease) -> bool:
    """Tell whether the project wants no other try of a leased request of its own, as its meta says to Scrapy."""
    meta = _kept_meta(lease.entry)
    times = meta.get(_RETRIES)
    return bool(meta.get(RETRY_OFF)) or (isinstance(times, int) and lease.attempt > times)


def _kept_meta(entry: Entry) -> Mapping[str, Any]:
    """Return the meta keys that are the project's own: they were kept of its request."""
    meta = entry.origin.request.get("meta")
    return meta if isinstance(meta, Mapping) else {}


def request_entry(
    request: Request, spider: Spider, *, score: float, depth: int = 0, parent_url: str = ""
) -> Entry | None:
    """Return the frontier's entry of a project's own request; None when it cannot be kept there.

    What can be kept is what JSON can hold, and GET: a form is not a link. A request that chooses its proxy cannot.
    """
    url = normalize_url(request.url, request.url)
    if url is None or request.method != "GET":
        return None
    own_meta = _OWN_META | {DEPTH} if request.meta.get(DEPTH) == depth else _OWN_META
    try:
        kept = freeze(request, spider, own_meta=own_meta, parent_url=parent_url)
    except (TypeError, ValueError):
        return None
    return Entry(url, url_key(url), host_of(url), score, depth=depth, origin=Origin(request=kept))


def with_request(entry: Entry, request: Entry) -> Entry:
    """Return `entry`, found and scored on a page, with what the request of the callback has beside its URL."""
    kept = request.origin.request
    return replace(entry, origin=replace(entry.origin, request=kept)) if kept else entry


def fetched(response: Response, *, at: float) -> Fetched:
    """Return a response in the engine's terms; `Response.text` and `.selector`, which parse, are not touched."""
    content_type = response.headers.get("Content-Type")
    made = response.meta.get(MADE)
    if not isinstance(made, Made):
        made = None
    return Fetched(
        url=response.url,
        status=response.status,
        body=made.html if made is not None and made.html else response.body,
        fetched_at=at,
        content_type=HTML
        if made is not None and made.html
        else content_type.decode("latin-1")
        if content_type
        else None,
        headers=_texts(response.headers),
        request=_sent(response.request),
        redirected_by=response.meta.get(REDIRECTED_BY, ()),
        redirects=tuple(response.meta.get("redirect_urls", ())),
        tls=response.meta.get(TLS, ""),
        made=made,
    )


def _sent(request: Request | None) -> tuple[tuple[str, str], ...]:
    """Return the headers of a request as the downloader sent it."""
    return () if request is None else _texts(request.headers)


def _texts(headers: Headers) -> tuple[tuple[str, str], ...]:
    return tuple(
        (name.decode("latin-1"), value.decode("latin-1")) for name, values in headers.items() for value in values
    )


def note_redirect(request: Request, response: Response, target: Request) -> None:
    """Note in the request of its `target` that an answer was a redirect."""
    passed = Redirect(response.url, response.status, _texts(response.headers), _sent(request))
    target.meta[REDIRECTED_BY] = (*request.meta.get(REDIRECTED_BY, ()), passed)
