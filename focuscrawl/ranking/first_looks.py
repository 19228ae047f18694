"""First looks at hosts of which little is known, and further ones at the best of them.

A crawl that follows the best evidence stays where its evidence comes from: links of a well-known host carry the topic's
words, and a host of which nothing is known has little to set against them. So a share of the pages goes to hosts that
have had none, one host after the other, the one with the best link first. A look is one page: the host's best link is
called up, and what the host is worth then, its own counts say.

A front page may name nothing of what its host is full of. So half of the share goes into further looks at hosts that
have had their first, again the one with the best link first: what a front page links to says which are worth it.

Where no host waits for a first look, what is left of their half goes to links that may lead to more of them: further
pages of a listing that brought many hosts, such as a directory.

The share follows from how well the crawl pays: share * (1 - pay)^2, with pay the recent rate of relevant pages. While
every second page is relevant, little is gained elsewhere; when hardly any is, nearly every page is better spent on a
host that may hold the topic than on what is left of those that are known.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from heapq import heappop, heappush, nsmallest

from focuscrawl.types import HostKey, UrlKey

_PATIENCE = 60  # pages of other hosts after which a look that gets nowhere ends: the host is slow or refuses
_MISSES = 2  # fetches without a page, one after the other, that end a look
_WAITING = 50_000  # hosts that wait; a crawl that knows more has no lack of them
_KEPT = 1_000  # of these that are saved with the run
_OPEN_CREDIT = 3.0  # looks that may be saved up


class FirstLooks:
    """See the module's docstring.

    Parameters
    ----------
    share
        Share of the pages that goes into looks when nothing pays, in [0, 1].
    rounds
        Looks a host may have.
    further
        Part of the share that goes into further looks while there are hosts for first ones, in [0, 1].
    """

    def __init__(self, *, share: float, rounds: int = 1, further: float = 0.5) -> None:
        self.share = share
        self.rounds = rounds
        self._parts = (1.0 - further, further)  # of first looks and of further ones
        self._spent = [0, 0]  # pages of each
        self._waiting: dict[HostKey, tuple[float, UrlKey]] = {}  # -> score of the host's best link, and that link
        # (-score, order of meeting, host), outdated ones among them: for first looks, and for further ones
        self._heaps: tuple[list[tuple[float, int, HostKey]], ...] = ([], [])
        self._met = 0
        self._pages: dict[HostKey, int] = {}  # had by each host, as far as it matters
        self._misses: dict[HostKey, int] = {}
        self._open: dict[HostKey, int] = {}  # hosts looked at -> pages of other hosts since the look began
        self._scouts: list[tuple[int, int, UrlKey, float]] = []  # links that may lead to more hosts
        self._scouted: set[UrlKey] = set()
        self._credit = 0.0
        self._calls: dict[UrlKey, float] = {}  # with their scores

    def met(self, host: HostKey, score: float, key: UrlKey) -> None:
        """Take note of a link to `host` with a local score in [0, 1]."""
        known = self._waiting.get(host)
        if known is None:
            if self._pages.get(host, 0) >= self.rounds or len(self._waiting) >= _WAITING:
                return
        elif score <= known[0]:
            return
        self._waiting[host] = score, key
        if host not in self._open:
            self._wait(host, score)

    def knows(self, host: HostKey) -> bool:
        """Tell whether a link to `host` was met, or a page of it."""
        return host in self._pages or host in self._waiting

    def leads_on(self, key: UrlKey, hosts: int, score: float) -> None:
        """Take note of a link to a page like one that led to so many hosts not known before."""
        if key not in self._scouted:
            self._scouted.add(key)
            self._met += 1
            heappush(self._scouts, (-hosts, self._met, key, score))

    def fetched(self, host: HostKey, *, pay: float) -> None:
        """Count a page.

        Parameters
        ----------
        host
            Of the page.
        pay
            Recent rate of relevant pages, in [0, 1].
        """
        self._misses.pop(host, None)
        pages = self._pages[host] = min(self.rounds, self._pages.get(host, 0) + 1)
        if pages == self.rounds:
            self._waiting.pop(host, None)
        for other in list(self._open):
            self._open[other] += 1
            if other == host or self._open[other] >= _PATIENCE:
                self._close(other)
        self._credit = min(self._credit + self.share * (1.0 - pay) ** 2, _OPEN_CREDIT)
        self._open_next()

    def missed(self, host: HostKey) -> None:
        """Count a fetch that gave no page: a host that gives none is passed over, and its look goes to the next."""
        had = self._pages.get(host, 0)
        if had >= self.rounds:
            return
        misses = self._misses[host] = self._misses.get(host, 0) + 1
        if misses < _MISSES and had:
            return
        self._waiting.pop(host, None)
        self._misses.pop(host)
        self._pages[host] = self.rounds
        if host in self._open:
            del self._open[host]
            self._credit += 1.0
            self._spent[int(had > 0)] -= 1
            self._open_next()

    def calls(self) -> dict[UrlKey, float]:
        """Return the links since the last call that are to be fetched before all others, with their scores."""
        calls, self._calls = self._calls, {}
        return calls

    def waiting(self) -> list[tuple[HostKey, float, UrlKey]]:
        """Return the best hosts that wait, with their best links and the scores of these, to be saved with the run."""
        best = nsmallest(_KEPT, self._waiting.items(), key=lambda item: (-item[1][0], item[0]))
        return [(host, score, key) for host, (score, key) in best]

    def restore(self, pages: Mapping[HostKey, float], waiting: Iterable[tuple[HostKey, float, UrlKey]]) -> None:
        """Take up an earlier run: the pages hosts have had, and those that wait."""
        self._pages.update({host: min(self.rounds, int(count)) for host, count in pages.items()})
        for host, score, key in waiting:
            self.met(host, score, key)

    def _wait(self, host: HostKey, score: float) -> None:
        self._met += 1
        heappush(self._heaps[self._kind(host)], (-score, self._met, host))

    def _kind(self, host: HostKey) -> int:
        """Return 0 where the next look at `host` is its first, 1 where it is a further one."""
        return int(self._pages.get(host, 0) > 0)

    def _close(self, host: HostKey) -> None:
        """End a look; the host waits for its next one where links of it were met meanwhile."""
        del self._open[host]
        best = self._waiting.get(host)
        if best is not None:
            self._wait(host, best[0])

    def _open_next(self) -> None:
        while self._credit >= 1.0:
            kinds = [kind for kind in (0, 1) if self._parts[kind] and self._next(kind) is not None]
            if 0 not in kinds and self._scouts:
                kinds.append(0)
            if not kinds:
                return
            kind = min(kinds, key=lambda kind: self._spent[kind] / self._parts[kind])
            host = self._next(kind)
            if host is None:  # nobody waits for a first look: see where more hosts may be found
                _, _, key, score = heappop(self._scouts)
                self._calls[key] = score
                self._credit -= 1.0
                self._spent[0] += 1
                continue
            heappop(self._heaps[kind])
            score, key = self._waiting.pop(host)
            self._calls[key] = score
            self._credit -= 1.0
            self._spent[kind] += 1
            self._open[host] = 0

    def _next(self, kind: int) -> HostKey | None:
        """Return the host of one kind of looks whose turn it is."""
        heap = self._heaps[kind]
        while heap:
            score, _, host = heap[0]
            best = self._waiting.get(host)
            valid = best is not None and best[0] == -score and host not in self._open
            if valid and self._kind(host) == kind:
                return host
            heappop(heap)
            if valid:  # it has had pages without a look
                self._wait(host, -score)
        return None
