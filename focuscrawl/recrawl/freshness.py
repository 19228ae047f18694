"""Freshness and age of copies of pages that change at random and are fetched again at some frequency.

Cho and Garcia-Molina 2000, *Synchronizing a database to improve freshness*; docs/formulas.md, I.2. All functions take
arrays, or numbers, of rates (changes a second) and frequencies (visits a second), and return arrays.
"""

from __future__ import annotations

from enum import StrEnum

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

# Below this many changes between two visits the first terms of a series are exact, and the closed forms cancel.
_FEW = 1e-2
_FEW_FOR_AGE = 3e-2  # its terms cancel sooner


class Order(StrEnum):
    """When the pages of a round are visited."""

    FIXED = "fixed"  # each round in the same order: equal intervals
    RANDOM = "random"  # each round in another order: one visit of a page a round, at any moment of it
    PURELY_RANDOM = "purely-random"  # each visit to a page drawn at random: exponential intervals


def freshness(rates: npt.ArrayLike, frequencies: npt.ArrayLike, order: Order = Order.FIXED) -> Floats:
    """Return the share of time that each copy is what the page is, in [0, 1].

    A page that never changes is always fresh; one that changes and is never visited, never.
    """
    rate, frequency = _arrays(rates, frequencies)
    result = np.where(rate > 0.0, 0.0, 1.0)
    visited = (rate > 0.0) & (frequency > 0.0)
    result[visited] = _fresh(rate[visited] / frequency[visited], order)
    return result


def age(rates: npt.ArrayLike, frequencies: npt.ArrayLike, order: Order = Order.FIXED) -> Floats:
    """Return the mean time since the first change that each copy lacks, in seconds, 0 while it lacks none.

    Infinite for a page that changes and is never visited.
    """
    rate, frequency = _arrays(rates, frequencies)
    result = np.where(rate > 0.0, np.inf, 0.0)
    visited = (rate > 0.0) & (frequency > 0.0)
    result[visited] = _old(rate[visited] / frequency[visited], order) / frequency[visited]
    return result


def gain(changes: npt.ArrayLike, order: Order) -> Floats:
    """Return what one more visit a change adds to freshness: dF / d(f / λ), in [0, 1], by changes a visit λ / f > 0.

    It rises with the changes a visit: pages that are visited seldom gain most.
    """
    r = np.asarray(changes, dtype=np.float64)
    few = r < _FEW
    s = np.where(few, 1.0, r)
    e, seen = np.exp(-s), -np.expm1(-s)
    match order:
        case Order.FIXED:
            series = r * r * (1 / 2 - r * (1 / 3 - r * (1 / 8 - r / 30)))
            return np.where(few, series, seen - s * e)
        case Order.RANDOM:
            series = r * r * (7 / 12 - r * (1 / 2 - r * (31 / 120 - r / 10)))
            return np.where(few, series, 1.0 - 3.0 * (seen / s) ** 2 + 2.0 * seen * e / s)
        case Order.PURELY_RANDOM:
            return (r / (1.0 + r)) ** 2


def fresh_now(rates: npt.ArrayLike, elapsed_s: npt.ArrayLike) -> Floats:
    """Return the probability that each page is what it was when it was visited, `elapsed_s` ago."""
    rate, elapsed = _arrays(rates, elapsed_s)
    return np.exp(-rate * np.maximum(elapsed, 0.0))


def age_now(rates: npt.ArrayLike, elapsed_s: npt.ArrayLike) -> Floats:
    """Return the expected age of each copy, of a page visited `elapsed_s` ago, in seconds."""
    rate, elapsed = _arrays(rates, elapsed_s)
    elapsed = np.maximum(elapsed, 0.0)
    r = rate * elapsed
    few = r < _FEW
    s = np.where(few, 1.0, r)
    return elapsed * np.where(few, r * (1 / 2 - r * (1 / 6 - r / 24)), 1.0 + np.expm1(-s) / s)


def _arrays(rates: npt.ArrayLike, others: npt.ArrayLike) -> tuple[Floats, Floats]:
    one, two = np.broadcast_arrays(
        np.atleast_1d(np.asarray(rates, dtype=np.float64)), np.atleast_1d(np.asarray(others, dtype=np.float64))
    )
    return one, two


def _fresh(r: Floats, order: Order) -> Floats:
    kept = -np.expm1(-r) / r  # mean of exp(-λt) over an interval
    match order:
        case Order.FIXED:
            return kept
        case Order.RANDOM:
            few = r < _FEW
            series = 1.0 - r * (7 / 12 - r * (1 / 4 - r * 31 / 360))
            return np.where(few, series, (1.0 - kept * kept) / r)
        case Order.PURELY_RANDOM:
            return 1.0 / (1.0 + r)


def _old(r: Floats, order: Order) -> Floats:
    """Return the mean age in intervals."""
    if order is Order.PURELY_RANDOM:
        return r / (1.0 + r)
    few = r < _FEW_FOR_AGE
    s = np.where(few, 1.0, r)
    kept = -np.expm1(-s) / s
    if order is Order.FIXED:
        series = r * (1 / 6 - r * (1 / 24 - r * (1 / 120 - r / 720)))
        return np.where(few, series, 0.5 - 1.0 / s + kept / s)
    series = r * (1 / 4 - r * (31 / 360 - r * (1 / 40 - r * 127 / 20160)))
    return np.where(few, series, 7 / 12 - 1.0 / s + (1.0 - kept * kept) / (s * s))
