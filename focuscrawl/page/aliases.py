"""Other addresses of a fetched page."""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import urlsplit

from focuscrawl.page.model import PageAnalysis
from focuscrawl.page.urls import INDEX_FILE, normalize_url, url_key
from focuscrawl.types import UrlKey


def keys_of(urls: Iterable[str]) -> set[UrlKey]:
    """Return the keys of those `urls` that can be crawled."""
    normal = (normalize_url(url, url) for url in urls)
    return {url_key(url) for url in normal if url is not None}


def aliases_of(page: PageAnalysis, redirects: Iterable[str], key: UrlKey) -> list[UrlKey]:
    """Return other keys of the same page: redirects, the final URL, its messages' and its own canonical URL.

    A canonical link is believed only when it names the same path (another scheme, "www.", query, or "index.html"):
    templates that name the home page or page 1 of a listing on every page are common, and would hide pages never
    fetched.
    """
    aliases = {page.key} | keys_of(redirects) | {url_key(url) for url in page.parts}
    if page.canonical:
        here, there = urlsplit(page.url), urlsplit(page.canonical)
        same_site = here.netloc.removeprefix("www.") == there.netloc.removeprefix("www.")
        if same_site and _folder(here.path) == _folder(there.path):
            aliases.add(url_key(page.canonical))
    aliases.discard(key)
    return sorted(aliases)


def _folder(path: str) -> str:
    """Return a path without the name of the page that servers send for a folder."""
    return INDEX_FILE.sub("/", path)
