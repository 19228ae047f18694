"""Hosts to which a proxy opens no tunnel: after a few failed requests their other links are refused without one."""

from __future__ import annotations

from focuscrawl.page.urls import host_of

_LEAST = 3  # links in a row after which one is refused unasked
_MAX_HOSTS = 50_000


class Tunnels:
    """Counts links to https by host that came to no tunnel, in a row.

    A proxy that allows no connection to a host refuses it for each of its links, which may be thousands: a company's to
    a social network, one without CONNECT to all. After three links only the 5th, the 9th, the 17th, … is asked for, so
    that a proxy that has changed its mind is noticed.
    """

    def __init__(self) -> None:
        self._refused: dict[str, int] = {}

    def failed(self, url: str) -> None:
        """Take note that the proxy has made no connection for `url`."""
        host = host_of(url)
        if host not in self._refused and len(self._refused) >= _MAX_HOSTS:
            self._refused.clear()
        self._refused[host] = self._refused.get(host, 0) + 1

    def opened(self, url: str) -> None:
        """Take note of an answer from `url`."""
        if self._refused and url.startswith("https:"):
            self._refused.pop(host_of(url), None)

    def is_closed(self, url: str) -> bool:
        """Tell whether a link is to be refused unasked; it counts as one more then."""
        if not self._refused or not url.startswith("https:"):
            return False
        host = host_of(url)
        refused = self._refused.get(host, 0)
        if refused < _LEAST or refused & (refused - 1) == 0:
            return False
        self._refused[host] = refused + 1
        return True
