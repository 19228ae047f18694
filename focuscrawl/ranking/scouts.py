"""Links to pages that may lead to more hosts: a page may be worth as much as a host.

A directory has its sites on many pages, which are little else than links to other hosts. When one of them has brought
five or more hosts that were not known before, the others will bring as many: those it links to itself, and those that
stood where its own link did, on the directory's first page. They wait with what the best of the new hosts promises,
less where there were few, as far as the directory is to be believed, and as often as pages like them that were called
up have brought as many again: a post that names a dozen sites makes no directory of the blog.

A blog's posts name hosts, too, page after page of them; but its listing is there for the posts, and what they mention
is found from the posts that are fetched.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from heapq import heapify, heappop, heappush, heapreplace, nsmallest
from typing import NamedTuple

from focuscrawl.ranking.group_rates import Tally
from focuscrawl.ranking.referrers import Referrers
from focuscrawl.types import GroupKey, HostKey, UrlKey

_GROUPS = 2_000  # whose links are remembered, those seen last
_LINKS = 100  # of a group
_WAITING = 50_000  # links that wait; where there are more, the best of them stay
_KEPT = 1_000
_DONE = 100_000  # links that are known not to be had any more
_PRIOR = 2.0  # pages that brought hosts, which a group is credited with: one has, or its links would not wait
_UNTRIED = Tally()
_FEWEST = 5  # new hosts by which a page shows that its like are worth a look: a post may name two or three


class Scout(NamedTuple):
    """A link to a page that may lead to more hosts."""

    score: float
    key: UrlKey
    referrer: HostKey  # whose page it is
    promise: float  # score of the best link that its like has brought, less where there were few
    like: GroupKey  # group of the page that brought these


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
        self._called: dict[UrlKey, GroupKey] = {}  # links that were called up, with what they were thought to be like
        self._tallies: dict[GroupKey, Tally] = {}  # links called up, and those that brought hosts
        self._number = 0

    def add(self, group: GroupKey, key: UrlKey, score: float) -> None:
        """Take note of a link inside a host, with its group and its score in [0, 1]."""
        links = self._groups.get(group)
        if links is None:
            if len(self._groups) >= _GROUPS:
                self._groups.popitem(last=False)
            links = self._groups[group] = {}
        if key in links or len(links) < _LINKS:
            links[key] = score

    def opened(self, page: Opened, onward: Sequence[tuple[UrlKey, float]]) -> list[tuple[UrlKey, float]] | None:
        """Take note of what a page has led to, and of the keys and scores of its links to pages like it.

        Returns
        -------
        list or None
            Those of the links that wait from now on; None where the page led to too few hosts to be one of a directory.
        """
        if page.hosts < _FEWEST:
            return None
        like = self._called.pop(page.key, None)
        if like is not None:
            self._tallies[like].correct(1.0)
        promise = page.best * page.hosts / (page.hosts + 1.0)
        value = promise * self._referrers.trust(page.home) * self.rate(page.group)
        siblings = self._groups.pop(page.group, {})
        waiting = []
        for key, score in (*onward, *siblings.items()):
            if key == page.key or key in self._waiting or key in self._done:
                continue
            self._waiting.add(key)
            waiting.append((key, score))
            self._number += 1
            heappush(self._heap, (-value, self._number, Scout(score, key, page.home, promise, page.group)))
        if len(self._waiting) > _WAITING:
            self._heap = nsmallest(_KEPT, self._heap)
            heapify(self._heap)
            self._waiting = {scout.key for _, _, scout in self._heap}
        return waiting

    def called(self, scout: Scout) -> None:
        """Take note of a link that is called up: one that waits no more, and brings hosts or fails."""
        self.taken(scout.key)
        if len(self._called) >= _WAITING or len(self._tallies) >= _WAITING:
            self._called.clear()
            self._tallies.clear()
        self._called[scout.key] = scout.like
        self._tallies.setdefault(scout.like, Tally()).add(0.0)  # until its page has shown better

    def rate(self, like: GroupKey) -> float:
        """Return how likely the next page like those of a group brings hosts, in (0, 1]: a Beta posterior's mean."""
        return self._tallies.get(like, _UNTRIED).rate(1.0, _PRIOR)

    def taken(self, key: UrlKey) -> None:
        """Take note of a link that was fetched or is gone, whoever asked for it."""
        self._waiting.discard(key)
        if len(self._done) >= _DONE:
            self._done.clear()
        self._done.add(key)

    def best(self, pay: float = 0.0) -> tuple[float, Scout] | None:
        """Return the link whose turn it is, with what it is worth now, in (0, 1]; it waits until it is `taken`.

        Parameters
        ----------
        pay
            What the crawl finds: while the like of the best link brings hosts no more often, none has its turn.
        """
        heap = self._heap
        while heap:
            value, number, scout = heap[0]
            rate = self.rate(scout.like)
            now = -scout.promise * self._referrers.trust(scout.referrer) * rate
            if scout.key not in self._waiting:
                heappop(heap)
            elif now > value:
                heapreplace(heap, (now, number, scout))
            else:
                return (-now, scout) if rate > pay else None
        return None
