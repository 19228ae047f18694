"""From priorities to probabilities: how often pages queued like this one turned out to be relevant.

A strategy's priority orders links and claims nothing about how many of them are relevant. Isotonic regression [1]_ of
the verdicts on the priorities of the last pages turns it into a probability without changing the order: the one rising
step function with the least squared error. It is fitted anew as the crawl goes, since what is left in the queue of a
focused crawl gets poorer all the time. A link that was called up, or waited behind all others, counts by the priority
it had without that: so the model learns from links of all priorities.

References
----------
.. [1] Bianca Zadrozny, Charles Elkan, Transforming classifier scores into accurate multiclass probability estimates,
   KDD 2002, section 3.3.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Mapping, Sequence
from itertools import groupby
from operator import itemgetter

from focuscrawl.ranking.base import own_value
from focuscrawl.records import PageEvent

WINDOW = 400
"""Pages a fit rests on. Fewer follow the fall of the harvest more closely and are noisier."""
_EVERY = 20  # pages between two fits; one takes a tenth of a millisecond
_PRIOR_PAGES = 10.0  # pages of the window's mean that every step is mixed with: a step of few pages is no certainty
_PRIOR_RATE = 0.1  # expected before the first page, as in `group_rates`


class Calibration:
    """Rolling isotonic regression of verdicts on priorities.

    >>> calibration = Calibration()
    >>> for i in range(100): calibration.add(i / 100, relevant=i >= 50)
    >>> calibration.probability(0.2) < 0.15, calibration.probability(0.9) > 0.85
    (True, True)
    """

    def __init__(self, *, window: int = WINDOW) -> None:
        self._pairs: deque[tuple[float, bool]] = deque(maxlen=window)
        self._since_fit = 0
        self._from: list[float] = []  # priorities at which the steps begin, rising
        self._steps: list[float] = []  # their probabilities

    def probability(self, priority: float) -> float:
        """Return the share of pages of this priority expected to be relevant, in (0, 1); rises with `priority`."""
        if not self._steps:
            return self._mean()
        return self._steps[max(0, bisect_right(self._from, own_value(priority)) - 1)]

    def add(self, priority: float, *, relevant: bool) -> None:
        """Take note of a page that was fetched for its `priority`."""
        self._pairs.append((own_value(priority), relevant))
        self._since_fit += 1
        if self._since_fit >= _EVERY:
            self._fit()

    def learn(self, event: PageEvent) -> None:
        """Take note of a judged page; seeds are left out, because they are fetched whatever their priority."""
        judgement = event.judgement
        if judgement is not None and judgement.parent is not None:
            self.add(judgement.priority, relevant=event.relevant)

    def snapshot(self) -> dict[str, object]:
        """Return the pages the next fit rests on, JSON-safe."""
        return {"pairs": [[round(priority, 5), int(relevant)] for priority, relevant in self._pairs]}

    def restore(self, state: Mapping[str, object]) -> None:
        """Take up what `snapshot` returned; damaged data is left alone."""
        pairs = state.get("pairs")
        if not isinstance(pairs, Sequence):
            return
        self._pairs.clear()
        self._from, self._steps = [], []
        for pair in pairs:
            if isinstance(pair, Sequence) and len(pair) == 2 and isinstance(pair[0], int | float):
                self._pairs.append((float(pair[0]), bool(pair[1])))
        if len(self._pairs) >= _EVERY:
            self._fit()

    def _mean(self) -> float:
        found = sum(relevant for _, relevant in self._pairs)
        return (found + _PRIOR_PAGES * _PRIOR_RATE) / (len(self._pairs) + _PRIOR_PAGES)

    def _fit(self) -> None:
        self._since_fit = 0
        # Pages of one priority are one observation: their order among themselves says nothing.
        observed = [
            (priority, [relevant for _, relevant in pairs])
            for priority, pairs in groupby(sorted(self._pairs), key=itemgetter(0))
        ]
        mean = self._mean()
        self._from, self._steps = [], []
        for first, rate, pages in _rising([(sum(hits) / len(hits), float(len(hits))) for _, hits in observed]):
            self._from.append(observed[first][0])
            self._steps.append((rate * pages + _PRIOR_PAGES * mean) / (pages + _PRIOR_PAGES))
        # Mixing with the mean can turn two steps round when the higher one has fewer pages.
        for i in range(1, len(self._steps)):
            self._steps[i] = max(self._steps[i], self._steps[i - 1])


def _rising(observed: Sequence[tuple[float, float]]) -> list[tuple[int, float, float]]:
    """Return the rising step function nearest to (value, weight) pairs: (first pair, value, weight) of each step.

    Neighbours that fall are pooled until none do (Ayer et al. 1955). A step's sum is kept beside its mean, so that
    long steps gather no rounding errors.
    """
    steps: list[tuple[int, float, float]] = []
    at = 0
    while at < len(observed):
        first, (value, weight) = at, observed[at]
        at += 1
        if steps and steps[-1][1] >= value:
            first, before, pages = steps.pop()
            total = pages * before + weight * value
            weight += pages
            value = total / weight
            while at < len(observed) and value >= observed[at][0]:
                total += observed[at][1] * observed[at][0]
                weight += observed[at][1]
                value = total / weight
                at += 1
            while steps and steps[-1][1] >= value:
                first, before, pages = steps.pop()
                total += pages * before
                weight += pages
                value = total / weight
        steps.append((first, value, weight))
    return steps
