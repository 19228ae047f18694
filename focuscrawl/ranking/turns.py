"""Turns by weights that may change: stride scheduling (Waldspurger and Weihl, MIT/LCS/TM-528, 1995).

Each turn moves its taker on by 1 / weight, and the next turn is of whoever it moves the least far. So of many turns
each takes the share that its weight says, evenly, and a weight that changes counts from the next turn on.
"""

from __future__ import annotations

from collections.abc import Mapping


class Turns:
    """See the module's docstring; takers are known by a number."""

    def __init__(self) -> None:
        self._passed: dict[int, float] = {}

    def next(self, weights: Mapping[int, float]) -> int:
        """Return whose turn it is.

        Parameters
        ----------
        weights
            Of those that can take a turn, above 0. Nobody saves up turns while he can take none.
        """
        passed = {taker: self._passed.get(taker, 0.0) for taker in weights}
        least = min(passed.values())
        chosen = min(weights, key=lambda taker: (passed[taker] + 1.0 / weights[taker], taker))
        passed[chosen] += 1.0 / weights[chosen]
        waited = {taker: max(there, least) for taker, there in self._passed.items()}
        self._passed = {taker: there - least for taker, there in {**waited, **passed}.items()}
        return chosen
