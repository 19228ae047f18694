"""Hosts that wait to be looked at, in queues by value."""

from __future__ import annotations

from collections.abc import Iterator
from heapq import heapify, heappop, heappush, heapreplace

from focuscrawl.types import HostKey

_STALE_ALLOWED = 64  # places left by hosts that a heap may hold before it is worth tidying
_Place = tuple[float, int, HostKey]  # -value, number, host


class WaitingHosts:
    """Queues of hosts, the best first, and beside them the hosts that wait until the crawl pays less.

    A host has one place at most. A place it has left stays in its heap until it comes to the front, or is tidied away.

    Parameters
    ----------
    queues
        Number of queues, which go by their index.
    """

    __slots__ = ("_aside", "_heaps", "_last", "_places")

    def __init__(self, queues: int) -> None:
        self._places: dict[HostKey, int] = {}  # number of the one valid place of a host
        self._heaps: tuple[list[_Place], ...] = tuple([] for _ in range(queues))
        self._aside: list[_Place] = []
        self._last = 0  # number given

    def __len__(self) -> int:
        """Return the number of places, with those that hosts have left."""
        return sum(map(len, self._heaps)) + len(self._aside)

    def put(self, host: HostKey, value: float, *, queue: int) -> None:
        """Give a host the place of its value; among equals the one that came first is first."""
        self._last += 1
        self._places[host] = self._last
        heappush(self._heaps[queue], (-value, self._last, host))
        for heap in (self._heaps[queue], self._aside):
            if len(heap) > 2 * len(self._places) + _STALE_ALLOWED:
                self._tidy(heap)

    def remove(self, host: HostKey) -> None:
        """Let a host wait no more."""
        self._places.pop(host, None)

    def first(self, queue: int) -> tuple[HostKey, float] | None:
        """Return the first host of a queue and its value, None when the queue is empty."""
        heap = self._heaps[queue]
        while heap:
            value, number, host = heap[0]
            if self._places.get(host) == number:
                return host, -value
            heappop(heap)
        return None

    def lower(self, value: float, *, queue: int) -> None:
        """Give the first host of a queue the place of a lower value."""
        heap = self._heaps[queue]
        _, number, host = heap[0]
        heapreplace(heap, (-value, number, host))

    def put_aside(self, rate: float, *, queue: int) -> None:
        """Let the first host of a queue wait until the crawl pays less than a rate."""
        _, number, host = heappop(self._heaps[queue])
        heappush(self._aside, (-rate, number, host))

    def returned(self, pay: float) -> Iterator[HostKey]:
        """Yield the hosts aside whose rate is better than `pay`, each of which needs a place in a queue."""
        while self._aside and -self._aside[0][0] > pay:
            _, number, host = heappop(self._aside)
            if self._places.get(host) == number:
                yield host

    def take(self, queue: int) -> HostKey:
        """Remove the first host of a queue, and return it."""
        _, _, host = heappop(self._heaps[queue])
        del self._places[host]
        return host

    def _tidy(self, heap: list[_Place]) -> None:
        heap[:] = [place for place in heap if self._places.get(place[2]) == place[1]]
        heapify(heap)
