"""Turns by weights that may change: stride scheduling (Waldspurger and Weihl, MIT/LCS/TM-528, 1995).

Each turn moves its taker on by 1 / weight, and the next turn is of whoever it moves the least far. So of many turns
each takes the share that its weight says, evenly, and a weight that changes counts from the next turn on.
"""

from __future__ import annotations

from collections.abc import Mapping

_OWED = 40.0  # that a taker may be behind, in units of 1 / weight: twenty turns of one with half of the weight


class Turns:
    """See the module's docstring; takers are the numbers from 0 on.

    Parameters
    ----------
    takers
        How many there are.
    """

    def __init__(self, takers: int) -> None:
        self._passed = [0.0] * takers

    def next(self, weights: Mapping[int, float]) -> int:
        """Return whose turn it is.

        Parameters
        ----------
        weights
            Of those that can take a turn, above 0. Who can take none is owed it, some twenty turns at most.
        """
        chosen = min(weights, key=lambda taker: (self._passed[taker] + 1.0 / weights[taker], taker))
        self._passed[chosen] += 1.0 / weights[chosen]
        least = min(self._passed)
        self._passed = [min(there - least, _OWED) for there in self._passed]
        return chosen
