"""Index from the address of a page to its entry in a feed."""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import unquote, urlsplit

from focuscrawl.feeds.entries import RELATIVE_BASE, FeedEntry
from focuscrawl.page.urls import host_of
from focuscrawl.types import HostKey

_INDEX = re.compile(r"/(?:index|default)\.(?:html?|php|aspx?|jsp)$", re.IGNORECASE)
_UNKNOWN_HOST = host_of(RELATIVE_BASE)


class EntryIndex:
    """Looks up entries by the address of a page.

    Addresses are compared without scheme, ``www.``, ``index.html`` and final slash. Feeds made before a site had its
    name link to another host: then the path alone decides.
    """

    __slots__ = ("_by_address", "_by_path", "hosts")

    def __init__(self, entries: Iterable[FeedEntry]) -> None:
        self._by_address: dict[str, FeedEntry] = {}
        self._by_path: dict[str, FeedEntry | None] = {}
        self.hosts: set[HostKey] = set()  # of the feed's pages, without ``www.``
        for entry in entries:
            host, path = _loose(entry.link)
            self._by_address.setdefault(host + path, entry)
            # A path that two hosts have tells nothing; nor does that of a home page.
            self._by_path[path] = entry if path and path not in self._by_path else None
            if host != _UNKNOWN_HOST:
                self.hosts.add(host)

    def find(self, url: str) -> FeedEntry | None:
        """Return the entry of a page, None when the feed does not list it."""
        host, path = _loose(url)
        return self._by_address.get(host + path) or self._by_path.get(path)

    def add_host(self, url: str) -> None:
        """Note the host of a page that an entry was found for."""
        self.hosts.add(_loose(url)[0])


def host_name(url: str) -> HostKey:
    """Return the host of a page as feeds are kept under it, without ``www.``."""
    return _loose(url)[0]


def _loose(url: str) -> tuple[str, str]:
    try:
        parts = urlsplit(url)
    except ValueError:
        return "", url
    host = host_of(url).removeprefix("www.")
    path = _INDEX.sub("/", unquote(parts.path)).rstrip("/")
    return host, path + (f"?{parts.query}" if parts.query else "")
