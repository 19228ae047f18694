"""First looks at hosts of which little is known, and second ones at the best of them.

A crawl that follows the best evidence stays where its evidence comes from: links of a well-known host carry the topic's
words, and a host of which nothing is known has little to set against them. So a share of the pages goes to hosts that
have had fewer than `look` pages, one host after the other, the one with the best link first. All links of a host that
is being looked at are raised until it has had its pages; what it is worth then, its own counts say.

A front page may name nothing of what its host is full of. So half of the share goes into further looks at hosts that
have had their first, again the one with the best link first: what a front page links to says which are worth it.

The share follows from how well the crawl pays: share * (1 - pay)^2, with pay the recent rate of relevant pages. While
every second page is relevant, little is gained elsewhere; when hardly any is, nearly every page is better spent on a
host that may hold the topic than on what is left of those that are known.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from heapq import heappop, heappush

from focuscrawl.types import HostKey

_PATIENCE = 60  # pages of other hosts after which a look that gets nowhere ends: the host is slow or refuses
_MISSES = 2  # fetches without a page, one after the other, that end a look
_WAITING = 50_000  # hosts that wait; a crawl that knows more has no lack of them
_KEPT = 1_000  # of these that are saved with the run
_OPEN_CREDIT = 3.0  # looks that may be saved up


class FirstLooks:
    """See the module's docstring.

    Parameters
    ----------
    look
        Pages of a host that make a first look, at least 1.
    share
        Share of the pages that goes into looks when nothing pays, in [0, 1].
    rounds
        Looks a host may have.
    further
        Part of the share that goes into further looks while there are hosts for first ones, in [0, 1].
    """

    def __init__(self, *, look: int, share: float, rounds: int = 1, further: float = 0.5) -> None:
        self.look = look
        self.share = share
        self._parts = (1.0 - further, further)  # of first looks and of further ones
        self._spent = [0.0, 0.0]  # pages of each
        # Pages after which a host has had its first look, its second …
        self._goals = [look * number for number in range(1, rounds + 1)]
        self._waiting: dict[HostKey, float] = {}  # -> score of the host's best link
        # (-score, order of meeting, host), outdated ones among them: for first looks, and for further ones
        self._heaps: tuple[list[tuple[float, int, HostKey]], ...] = ([], [])
        self._met = 0
        self._pages: dict[HostKey, int] = {}  # had by each host, as far as it matters
        self._misses: dict[HostKey, int] = {}
        self._open: dict[HostKey, int] = {}  # hosts looked at -> pages of other hosts since the last of theirs
        self._best: dict[HostKey, float] = {}  # of hosts looked at: score of the best link met meanwhile
        self._credit = 0.0

    def met(self, host: HostKey, score: float) -> None:
        """Take note of a link to `host` with a local score in [0, 1]."""
        if host in self._open:
            self._best[host] = max(score, self._best.get(host, 0.0))
            return
        known = self._waiting.get(host)
        if known is None:
            if self._pages.get(host, 0) >= self._goals[-1] or len(self._waiting) >= _WAITING:
                return
        elif score <= known:
            return
        self._wait(host, score)

    def looked_at(self, host: HostKey) -> bool:
        """Tell whether the links of `host` are to be raised."""
        return host in self._open

    def fetched(self, host: HostKey, *, pay: float) -> list[HostKey]:
        """Count a page; return the hosts whose look began or ended.

        Parameters
        ----------
        host
            Of the page.
        pay
            Recent rate of relevant pages, in [0, 1].
        """
        self._misses.pop(host, None)
        pages = self._pages[host] = min(self._goals[-1], self._pages.get(host, 0) + 1)
        if pages == self._goals[-1]:
            self._waiting.pop(host, None)
        changed = []
        for other, idle in list(self._open.items()):
            self._open[other] = 0 if other == host else idle + 1
            if (other == host and pages in self._goals) or idle >= _PATIENCE:
                self._close(other)
                changed.append(other)
        self._credit = min(self._credit + self.share * (1.0 - pay) ** 2, _OPEN_CREDIT * self.look)
        return changed + self._open_next()

    def missed(self, host: HostKey) -> list[HostKey]:
        """Count a fetch that gave no page; return the hosts whose look began or ended.

        A host that gives none is passed over, and what its look had left goes to the next.
        """
        had = self._pages.get(host, 0)
        if had >= self._goals[-1]:
            return []
        misses = self._misses[host] = self._misses.get(host, 0) + 1
        if misses < _MISSES and had:
            return []
        self._waiting.pop(host, None)
        self._misses.pop(host)
        left = self._left(host)
        self._pages[host] = self._goals[-1]
        if host not in self._open:
            return []
        self._close(host)
        self._credit += left
        self._spent[int(had >= self.look)] -= left
        return [host, *self._open_next()]

    def waiting(self) -> list[tuple[HostKey, float]]:
        """Return the best hosts that wait, with the scores of their best links, to be saved with the run."""
        return sorted(self._waiting.items(), key=lambda item: (-item[1], item[0]))[:_KEPT]

    def restore(self, pages: Mapping[HostKey, float], waiting: Sequence[tuple[HostKey, float]]) -> None:
        """Take up an earlier run: the pages hosts have had, and those that wait."""
        self._pages.update({host: min(self._goals[-1], int(count)) for host, count in pages.items()})
        for host, score in waiting:
            self.met(host, score)

    def _round(self, host: HostKey) -> int:
        pages = self._pages.get(host, 0)
        return sum(pages >= goal for goal in self._goals)

    def _left(self, host: HostKey) -> int:
        """Return the pages a look at `host` takes."""
        return self._goals[self._round(host)] - self._pages.get(host, 0)

    def _wait(self, host: HostKey, score: float) -> None:
        self._waiting[host] = score
        self._met += 1
        heappush(self._heaps[self._kind(host)], (-score, self._met, host))

    def _kind(self, host: HostKey) -> int:
        """Return 0 where the next look at `host` is its first, 1 where it is a further one."""
        return int(self._pages.get(host, 0) >= self.look)

    def _close(self, host: HostKey) -> None:
        """End a look; the host waits for its next one where links of it were met meanwhile."""
        del self._open[host]
        best = self._best.pop(host, None)
        if best is not None and self._pages.get(host, 0) in self._goals[:-1]:
            self._wait(host, best)

    def _open_next(self) -> list[HostKey]:
        opened: list[HostKey] = []
        while True:
            kinds = [kind for kind in (0, 1) if self._parts[kind] and self._next(kind) is not None]
            if not kinds:
                return opened
            kind = min(kinds, key=lambda kind: self._spent[kind] / self._parts[kind])
            host = self._next(kind)
            assert host is not None
            cost = self._left(host)
            # More than can be saved up is begun with what there is, and paid off afterwards.
            if self._credit < min(cost, _OPEN_CREDIT * self.look):
                return opened
            heappop(self._heaps[kind])
            del self._waiting[host]
            self._credit -= cost
            self._spent[kind] += cost
            self._open[host] = 0
            opened.append(host)

    def _next(self, kind: int) -> HostKey | None:
        """Return the host of one kind of looks whose turn it is."""
        heap = self._heaps[kind]
        while heap:
            score, _, host = heap[0]
            if self._waiting.get(host) == -score and self._kind(host) == kind:
                return host
            heappop(heap)
            if self._waiting.get(host) == -score:  # it has had pages without a look
                self._wait(host, -score)
        return None
