"""What a lease and an answer say of a page before anyone has read it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from urllib.parse import urlsplit

from focuscrawl.page.model import PageAnalysis
from focuscrawl.page.urls import normalize_url, url_key
from focuscrawl.records import Entry, Lease, PageRecord
from focuscrawl.types import UrlKey

ALONG = "along"
"""Name in an entry's data of how many steps to it led from one page of a listing to another."""


def leased_record(lease: Lease) -> PageRecord:
    """Return the record of a page as far as the frontier knows it: nothing has been fetched."""
    entry = lease.entry
    return PageRecord(
        key=entry.key,
        url=entry.url,
        final_url=entry.url,
        host=entry.host,
        fetched_at=0.0,
        status=0,
        depth=entry.depth,
        tunnel=entry.tunnel,
        parent=parent_of(entry),
        anchor=anchor_of(entry),
        score=entry.score,
        priority=lease.priority,
        group=entry.group,
        parts=floats_of(entry.data.get("parts")),
    )


def parent_of(entry: Entry) -> UrlKey | None:
    """Return the key of the entry whose page linked here, None for seeds."""
    parent = entry.data.get("parent")
    return parent if isinstance(parent, int) else None


def anchor_of(entry: Entry) -> str:
    """Return the text of the link an entry came by."""
    return str(entry.data.get("anchor", ""))


def along_of(entry: Entry) -> int:
    """Return how many of the links from a seed to an entry led from one page of a listing to another."""
    along = entry.data.get(ALONG)
    return along if isinstance(along, int) and 0 < along <= entry.depth else 0


def floats_of(value: object) -> dict[str, float]:
    """Return a mapping of numbers as it was before it was stored; empty for anything else."""
    return {str(k): float(v) for k, v in value.items()} if isinstance(value, Mapping) else {}


def keys_of(urls: Iterable[str]) -> set[UrlKey]:
    """Return the keys of those `urls` that can be crawled."""
    normal = (normalize_url(url, url) for url in urls)
    return {url_key(url) for url in normal if url is not None}


def aliases_of(page: PageAnalysis, redirects: Iterable[str], key: UrlKey) -> list[UrlKey]:
    """Return other keys of the same page: redirect hops, the final URL, and a canonical URL that is plainly itself.

    A canonical link is believed only when it names the same path (another scheme, "www.", or query): templates that
    name the home page or page 1 of a listing on every page are common, and would hide pages never fetched.
    """
    aliases = {page.key} | keys_of(redirects)
    if page.canonical:
        here, there = urlsplit(page.url), urlsplit(page.canonical)
        same_site = here.netloc.removeprefix("www.") == there.netloc.removeprefix("www.")
        if same_site and here.path == there.path:
            aliases.add(url_key(page.canonical))
    aliases.discard(key)
    return sorted(aliases)
