"""A fair first look at hosts of which little is known.

A crawl that follows the best evidence stays where its evidence comes from: links of a well-known host carry the topic's
words, and a host of which nothing is known has little to set against them. So a share of the pages goes to hosts that
have had fewer than `look` pages, one host after the other, the one with the best link first. All links of a host that
is being looked at are raised until it has had its pages; what it is worth then, its own counts say.

The share follows from how well the crawl pays: share * (1 - pay)^2, with pay the recent rate of relevant pages. While
every second page is relevant, little is gained elsewhere; when hardly any is, nearly every page is better spent on a
host that may hold the topic than on what is left of those that are known.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
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
        Pages of a host that make a look, at least 1.
    share
        Share of the pages that goes into looks when nothing pays, in [0, 1].
    """

    def __init__(self, *, look: int, share: float) -> None:
        self.look = look
        self.share = share
        self._waiting: dict[HostKey, float] = {}  # -> score of the host's best link
        self._heap: list[tuple[float, int, HostKey]] = []  # (-score, order of meeting, host), outdated ones among them
        self._met = 0
        self._pages: dict[HostKey, int] = {}  # had by each host; `look` for those that need no look
        self._misses: dict[HostKey, int] = {}
        self._open: dict[HostKey, int] = {}  # hosts looked at -> pages of other hosts since the last of theirs
        self._credit = 0.0

    def met(self, host: HostKey, score: float) -> None:
        """Take note of a link to `host` with a local score in [0, 1]."""
        known = self._waiting.get(host)
        if known is None:
            if self._pages.get(host, 0) >= self.look or host in self._open or len(self._waiting) >= _WAITING:
                return
        elif score <= known:
            return
        self._waiting[host] = score
        self._met += 1
        heappush(self._heap, (-score, self._met, host))

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
        pages = self._pages[host] = min(self.look, self._pages.get(host, 0) + 1)
        if pages == self.look:
            self._waiting.pop(host, None)
        changed = []
        for other, idle in list(self._open.items()):
            self._open[other] = 0 if other == host else idle + 1
            if (other == host and pages == self.look) or idle >= _PATIENCE:
                del self._open[other]
                changed.append(other)
        self._credit = min(self._credit + self.share * (1.0 - pay) ** 2, _OPEN_CREDIT * self.look)
        return changed + self._open_next()

    def missed(self, host: HostKey) -> list[HostKey]:
        """Count a fetch that gave no page; return the hosts whose look began or ended.

        A host that gives none is passed over, and what its look had left goes to the next.
        """
        if self._pages.get(host, 0) >= self.look:
            return []
        misses = self._misses[host] = self._misses.get(host, 0) + 1
        if misses < _MISSES and self._pages.get(host, 0):
            return []
        self._waiting.pop(host, None)
        self._misses.pop(host)
        left = self.look - self._pages.get(host, 0)
        self._pages[host] = self.look
        if self._open.pop(host, None) is None:
            return []
        self._credit += left
        return [host, *self._open_next()]

    def waiting(self) -> list[tuple[HostKey, float]]:
        """Return the best hosts that wait, with the scores of their best links, to be saved with the run."""
        return sorted(self._waiting.items(), key=lambda item: (-item[1], item[0]))[:_KEPT]

    def restore(self, known: Iterable[HostKey], waiting: Sequence[tuple[HostKey, float]]) -> None:
        """Take up an earlier run: hosts that have had their pages, and those that wait."""
        self._pages.update(dict.fromkeys(known, self.look))
        for host, score in waiting:
            self.met(host, score)

    def _open_next(self) -> list[HostKey]:
        opened = []
        while self._heap:
            score, _, host = self._heap[0]
            if self._waiting.get(host) != -score:  # outdated: it had a better link, or its look
                heappop(self._heap)
                continue
            cost = self.look - self._pages.get(host, 0)
            if self._credit < cost:
                break
            heappop(self._heap)
            del self._waiting[host]
            self._credit -= cost
            self._open[host] = 0
            opened.append(host)
        return opened
