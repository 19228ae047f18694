"""Links to pages that may lead to more hosts: a page may be worth as much as a host.

A directory has its sites on many pages, which are little else than links to other hosts. When one of them has brought
five or more hosts that were not known before, the others will bring as many: those it links to itself, and those that
stood where its own link did, on the directory's first page. They wait with what the best of the new hosts promises,
less where there were few, as far as the directory is to be believed.

A blog's posts name hosts, too, page after page of them; but its listing is there for the posts, and what they mention
is found from the posts that are fetched.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from heapq import heapify, heappop, heappush, heapreplace, nsmallest
from typing import NamedTuple

from focuscrawl.ranking.referrers import Referrers
from focuscrawl.types import GroupKey, HostKey, UrlKey

_GROUPS = 2_000  # whose links are remembered, those met last
_LINKS = 100  # of a group
_WAITING = 50_000  # links that wait; where there are more, the best of them stay
_KEPT = 1_000
_DONE = 100_000  # links that are known not to be had any more
_FEWEST = 5  # new hosts by which a page shows that its like are worth a look: a post may name two or three


class Scout(NamedTuple):
    """A link to a page that may lead to more hosts."""

    score: float
    key: UrlKey
    referrer: HostKey  # whose page it is
    promise: float  # score of the best link that its like has brought, less where there were few


class Opened(NamedTuple):
    """A page of a directory, and what it has led to."""

    key: UrlKey
    group: GroupKey  # by which it was fetched
    home: HostKey  # its host
    hosts: int  # not known before, that it has links to
    best: float  # best score of these links, in [0, 1]


class Scouts:
    """See the module's docstring.

    Parameters
    ----------
    referrers
        Tells how far hosts are to be believed that name other hosts.
    """

    def __init__(self, referrers: Referrers) -> None:
        self._referrers = referrers
        self._groups: OrderedDict[GroupKey, dict[UrlKey, float]] = OrderedDict()
        self._heap: list[tuple[float, int, Scout]] = []  # (-value, number, link), those that were fetched among them
        self._waiting: set[UrlKey] = set()
        self._done: set[UrlKey] = set()  # links that were fetched or are gone
        self._number = 0

    def met(self, group: GroupKey, key: UrlKey, score: float) -> None:
        """Take note of a link inside a host, with its group and its score in [0, 1]."""
        links = self._groups.get(group)
        if links is None:
            if len(self._groups) >= _GROUPS:
                self._groups.popitem(last=False)
            links = self._groups[group] = {}
        if key in links or len(links) < _LINKS:
            links[key] = score

    def opened(self, page: Opened, onward: Sequence[tuple[UrlKey, float]]) -> None:
        """Take note of what a page has led to, and of the keys and scores of its links to pages like it."""
        if page.hosts < _FEWEST:
            return
        promise = page.best * page.hosts / (page.hosts + 1.0)
        value = promise * self._referrers.trust(page.home)
        siblings = self._groups.pop(page.group, {})
        for key, score in (*onward, *siblings.items()):
            if key == page.key or key in self._waiting or key in self._done:
                continue
            self._waiting.add(key)
            self._number += 1
            heappush(self._heap, (-value, self._number, Scout(score, key, page.home, promise)))
        if len(self._waiting) > _WAITING:
            self._heap = nsmallest(_KEPT, self._heap)
            heapify(self._heap)
            self._waiting = {scout.key for _, _, scout in self._heap}

    def taken(self, key: UrlKey) -> None:
        """Take note of a link that was fetched or is gone, whoever asked for it."""
        self._waiting.discard(key)
        if len(self._done) >= _DONE:
            self._done.clear()
        self._done.add(key)

    def best(self) -> tuple[float, Scout] | None:
        """Return the link whose turn it is, with what it is worth now, in [0, 1]; it waits until it is `taken`."""
        heap = self._heap
        while heap:
            value, number, scout = heap[0]
            now = -scout.promise * self._referrers.trust(scout.referrer)
            if scout.key not in self._waiting:
                heappop(heap)
            elif now > value:
                heapreplace(heap, (now, number, scout))
            else:
                return -now, scout
        return None
