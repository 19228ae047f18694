"""Hosts to which a proxy opens no tunnel: after a few failed requests their other links are refused without one.

So are those of all hosts where it has never opened any.
"""

from __future__ import annotations

from focuscrawl.page.urls import host_of

_LEAST = 3  # links in a row after which one is refused unasked
_LEAST_OF_ALL = 16  # of the links to all hosts
_MAX_HOSTS = 50_000


class Tunnels:
    """Counts links to https by host that came to no tunnel, in a row.

    A proxy that allows no connection to a host refuses it for each of its links, which may be thousands: a company's to
    a social network. After three links only the 5th, the 9th, the 17th, … is asked for, so that a proxy that has
    changed its mind is noticed. One without CONNECT refuses all hosts, and pages link to ever new ones: while it has
    not opened a single tunnel, of the links to all hosts the 17th, the 33rd, the 65th, … is asked for.
    """

    def __init__(self) -> None:
        self._refused: dict[str, int] = {}
        self._refused_of_all: int | None = 0  # None once there was a tunnel

    def failed(self, url: str) -> None:
        """Take note that the proxy has made no connection for `url`."""
        if self._refused_of_all is not None:
            self._refused_of_all += 1
        host = host_of(url)
        if host not in self._refused and len(self._refused) >= _MAX_HOSTS:
            self._refused.clear()
        self._refused[host] = self._refused.get(host, 0) + 1

    def opened(self, url: str) -> None:
        """Take note of an answer from `url`."""
        if url.startswith("https:"):
            self._refused_of_all = None
            self._refused.pop(host_of(url), None)

    def is_closed(self, url: str) -> bool:
        """Tell whether a link is to be refused unasked; it counts as one more then."""
        if not self._refused or not url.startswith("https:"):
            return False
        host = host_of(url)
        refused = self._refused.get(host, 0)
        if not _is_asked(refused, _LEAST):
            self._refused[host] = refused + 1
        elif self._refused_of_all is None or _is_asked(self._refused_of_all, _LEAST_OF_ALL):
            return False
        if self._refused_of_all is not None:
            self._refused_of_all += 1
        return True


def _is_asked(refused: int, least: int) -> bool:
    """Tell whether the link after so many refused ones is asked for: each of the first ones, then ever fewer."""
    return refused < least or refused & (refused - 1) == 0
