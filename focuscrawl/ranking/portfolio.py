"""Orders beside a strategy's own, each sure of a share of the fetches for the links it likes best.

No single model of the web is right at the start, and one that has learned the wrong thing never fetches what would
prove it wrong. So every so many pages a *member* of the portfolio calls up the link that it would fetch next, which
then goes before all others. A member with the share s has had the first s x n links of its own order after n pages,
whatever the other orders say: its favourite cannot wait to the end of the crawl.

Shares follow from what the calls of each turned out to be, as exponential weights do, and never fall below a floor::

    share = floor + (1 - members x floor) x weight / sum of weights
    weight = exp(8 x yield), for a member times .01

The yield is the posterior mean of the outcomes of what an order chose; each counts .97 times what the next one does, so
that shares follow the order that is best now, as with a floor they may (Herbster and Warmuth 1998). Its prior is the
yield of the strategy's own order, worth five pages. So a member has its floor and a hundredth at the start; where four
in five pages of the own order are relevant and one in five of its calls, its floor; and where it is the other way
round, half of the fetches.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from heapq import heapify, heappop, heappush
from itertools import islice

from focuscrawl.ranking.group_rates import Tally
from focuscrawl.types import UrlKey

OWN = "own order"
"""Name of the strategy's own order, which has the rest of the fetches and calls nothing up."""
_ETA = 8.0
_MEMBER = 0.01  # what a member's order is worth beside the strategy's own, before anything is known
_FADE = 0.97
_PRIOR_RATE = 0.1  # of the strategy's own order, as in `group_rates`
_PRIOR_PAGES = 5.0
_SAVED_UP = 3.0  # calls a member may have due
_KNOWN = 50_000  # links known at once, about 0.2 kB each; beyond, each member keeps its best
_KEPT = 5_000
_STALE_ALLOWED = 64  # outdated items a heap may hold before it is worth tidying
_REMEMBERED = 2_000  # calls whose member `focuscrawl explain` can name
_SAVED = 500  # links of each member that are saved with the run


class Portfolio:
    """See the module's docstring.

    Parameters
    ----------
    members
        Names of the orders.
    floor
        Least share of the fetches of each, in [0, 1 / members].
    """

    def __init__(self, members: Sequence[str], *, floor: float) -> None:
        self.members = tuple(members)
        self.floor = floor
        self._values: dict[UrlKey, tuple[float, ...]] = {}  # by each member, then the score to be raised
        self._heaps: list[list[tuple[float, int, UrlKey]]] = [[] for _ in self.members]  # outdated ones among them
        self._order = 0
        self._yields = {name: Tally() for name in (*self.members, OWN)}
        self._due = [0.0 for _ in self.members]
        self._callers: dict[UrlKey, str] = {}  # the last calls, oldest first

    def add(self, key: UrlKey, values: tuple[float, ...], score: float) -> None:
        """Take note of a link that may be fetched.

        Parameters
        ----------
        key
            Of the link.
        values
            Its place in the order of each member, in [0, 1], higher first.
        score
            Its local score in [0, 1].
        """
        known = self._values.get(key)
        new = (*values, score)
        if known is not None:
            new = tuple(map(max, known, new))
            if new == known:
                return
        self._values[key] = new
        self._order += 1
        for i, heap in enumerate(self._heaps):
            if known is None or new[i] > known[i]:
                heappush(heap, (-new[i], self._order, key))
                if len(heap) > 2 * len(self._values) + _STALE_ALLOWED:
                    heap[:] = [item for item in heap if self._is_current(i, item)]
                    heapify(heap)
        if len(self._values) > _KNOWN:
            self._forget()

    def leave(self, keys: Iterable[UrlKey]) -> None:
        """Forget links: they are fetched, or are not to be called up."""
        for key in keys:
            self._values.pop(key, None)

    def fetched(self, key: UrlKey, outcome: float, *, own: bool = True, called: bool = False) -> None:
        """Count a page.

        Parameters
        ----------
        key
            Of the link it was fetched by.
        outcome
            What it turned out to be, in [0, 1].
        own
            This process has fetched it. The pages of other workers of a fleet earn theirs their calls.
        called
            It went before all others; where this portfolio did not call it up, it says nothing of any order here.
        """
        self.leave([key])
        if called and not own and key not in self._callers:
            return
        tally = self._yields[self._callers.get(key, OWN)]
        tally.fade(_FADE)
        tally.add(outcome)
        if not own:
            return
        shares = self.shares()
        for i, name in enumerate(self.members):
            self._due[i] = min(self._due[i] + shares[name], _SAVED_UP)

    def shares(self) -> dict[str, float]:
        """Return the share of the fetches of each member and of the strategy's own order; their sum is 1."""
        own = self._yields[OWN].rate(_PRIOR_RATE, _PRIOR_PAGES)
        weights = {OWN: 1.0}
        for name in self.members:
            weights[name] = _MEMBER * math.exp(_ETA * (self._yields[name].rate(own, _PRIOR_PAGES) - own))
        rest = (1.0 - self.floor * len(self.members)) / sum(weights.values())
        return {name: rest * weight + (self.floor if name != OWN else 0.0) for name, weight in weights.items()}

    def calls(self) -> dict[UrlKey, float]:
        """Return the links that are called up now, with their local scores."""
        calls = {}
        for i, name in enumerate(self.members):
            while self._due[i] >= 1.0 and (key := self._next(i)) is not None:
                self._due[i] -= 1.0
                calls[key] = self._values.pop(key)[-1]
                self._callers[key] = name
        while len(self._callers) > _REMEMBERED:
            del self._callers[next(iter(self._callers))]
        return calls

    def snapshot(self) -> dict[str, object]:
        """Return yields, shares, the last calls and the best links as JSON-safe data."""
        best = {key: order for i in range(len(self.members)) for _, order, key in self._best(i, _SAVED)}
        return {
            "yields": {name: [round(t.trials, 4), round(t.successes, 4)] for name, t in self._yields.items()},
            "shares": {name: round(share, 4) for name, share in self.shares().items()},
            "calls": {f"{key:016x}": name for key, name in self._callers.items()},
            "links": [[f"{key:016x}", *self._values[key]] for key in sorted(best, key=best.__getitem__)],
        }

    def restore(self, state: Mapping[str, object]) -> None:
        """Take up what `snapshot` returned."""
        yields, calls, links = state.get("yields"), state.get("calls"), state.get("links")
        if isinstance(yields, Mapping):
            known = {name: pair for name, pair in yields.items() if name in self._yields}
            self._yields.update({name: Tally(float(pair[0]), float(pair[1])) for name, pair in known.items()})
        if isinstance(calls, Mapping):
            self._callers = {int(key, 16): name for key, name in calls.items() if name in self.members}
        for link in links if isinstance(links, list) else ():
            key, *values, score = link
            if len(values) == len(self.members):
                self.add(int(key, 16), tuple(values), score)

    def _next(self, i: int) -> UrlKey | None:
        """Take the best link of a member out of its heap."""
        heap = self._heaps[i]
        while heap:
            value, _, key = heappop(heap)
            if self._is_current(i, (value, 0, key)):
                return key
        return None

    def _is_current(self, i: int, item: tuple[float, int, UrlKey]) -> bool:
        """Tell whether an item of a member's heap is the last word on a link that may be called."""
        known = self._values.get(item[2])
        return known is not None and known[i] == -item[0]

    def _best(self, i: int, count: int) -> list[tuple[float, int, UrlKey]]:
        """Return the best links of a member that may be called, the best first."""
        return list(islice((item for item in _in_order(self._heaps[i]) if self._is_current(i, item)), count))

    def _forget(self) -> None:
        kept: dict[UrlKey, tuple[float, ...]] = {}
        for i in range(len(self.members)):
            best = self._heaps[i] = self._best(i, _KEPT)
            heapify(best)
            kept.update((key, self._values[key]) for _, _, key in best)
        self._values = kept


def _in_order(heap: Sequence[tuple[float, int, UrlKey]]) -> Iterator[tuple[float, int, UrlKey]]:
    """Yield the items of a heap, the smallest first; the first few of 100,000 cost no look at the others."""
    ahead = [(heap[0], 0)] if heap else []
    while ahead:
        item, at = heappop(ahead)
        yield item
        for child in (2 * at + 1, 2 * at + 2):
            if child < len(heap):
                heappush(ahead, (heap[child], child))
