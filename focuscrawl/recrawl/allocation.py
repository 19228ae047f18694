"""Allocation of visits: how often each page is visited when all share one budget (docs/formulas.md, I.2)."""

from __future__ import annotations

from enum import StrEnum

import numpy as np
import numpy.typing as npt

from focuscrawl.errors import ConfigError
from focuscrawl.recrawl.freshness import Floats, Order, gain

# Changes a visit for which the gain of a visit is tabled. Beyond, a visit gains all or next to nothing.
_CHANGES = np.geomspace(1e-8, 1e4, 10_001)
_STEPS = 200


class Allocation(StrEnum):
    """How a budget of visits is shared among pages."""

    UNIFORM = "uniform"  # all pages as often
    PROPORTIONAL = "proportional"  # by change rate
    OPTIMAL = "optimal"  # so that the sum of weight times freshness is greatest


def allocate(
    rates: npt.ArrayLike,
    budget: float,
    *,
    weights: npt.ArrayLike | None = None,
    allocation: Allocation = Allocation.OPTIMAL,
    order: Order = Order.FIXED,
) -> Floats:
    """Return visits of each page a second (or another unit of time, that of `rates`); their sum is `budget`.

    Parameters
    ----------
    rates
        Changes of each page a second, 0 or more.
    budget
        Visits a second in all.
    weights
        What the freshness of each page is worth, 0 or more, for the optimal allocation; None: 1 each.
    order
        For the optimal allocation.

    Raises
    ------
    ConfigError
        If a rate, a weight or the budget is negative or no number.
    """
    rate = np.asarray(rates, dtype=np.float64)
    weight = np.ones_like(rate) if weights is None else np.asarray(weights, dtype=np.float64)
    for name, values in (("rates", rate), ("weights", weight), ("budget", np.asarray(budget, dtype=np.float64))):
        if not (np.isfinite(values).all() and (values >= 0.0).all()):
            raise ConfigError(f"{name} of visits: expected numbers, 0 or more.")
    if not rate.size or budget == 0.0:
        return np.zeros_like(rate)
    match allocation:
        case Allocation.UNIFORM:
            return np.full_like(rate, budget / rate.size)
        case Allocation.PROPORTIONAL:
            # Of pages that never change none needs a visit, and the budget is there.
            shares: Floats = rate if rate.any() else np.ones_like(rate)
            visits: Floats = budget * shares / shares.sum()
            return visits
        case Allocation.OPTIMAL:
            if not (rate * weight > 0.0).any():
                return np.full_like(rate, budget / rate.size)
            return _optimal(rate, weight, budget, order)


def _optimal(rate: Floats, weight: Floats, budget: float, order: Order) -> Floats:
    """Return the frequencies at which one more visit gains the same on every page that is visited.

    With r = λ / f the gain of a visit is weight / λ · gain(r): for a multiplier μ, each page has the r with
    gain(r) = μ λ / weight, and none where that is 1 or more. The sum of the frequencies falls with μ: bisection.
    """
    wanted = rate * weight > 0.0
    cost, changing = rate[wanted] / weight[wanted], rate[wanted]
    table = gain(_CHANGES, order)
    logs, log_gains = np.log(_CHANGES), np.log(table)

    def frequencies(multiplier: float) -> Floats:
        share = multiplier * cost
        r = np.exp(np.interp(np.log(share), log_gains, logs))
        visits: Floats = np.where(share < table[-1], changing / r, 0.0)
        return visits

    low, high = np.log(1e-300), float(np.log(1.0 / cost.min()))
    for _ in range(_STEPS):
        middle = (low + high) / 2.0
        if middle in (low, high):
            break
        low, high = (middle, high) if frequencies(float(np.exp(middle))).sum() > budget else (low, middle)
    # A page at the margin, for which a visit gains the same at any low frequency, takes what the others leave.
    most, least = frequencies(float(np.exp(low))), frequencies(float(np.exp(high)))
    spread = most.sum() - least.sum()
    chosen = least + (most - least) * ((budget - least.sum()) / spread if spread > 0.0 else 0.0)
    result = np.zeros_like(rate)
    result[wanted] = chosen * (budget / chosen.sum())
    return result
