"""Change rates of pages, estimated from visits that saw whether there was a change, not how many.

Pages change as Poisson processes (Cho and Garcia-Molina 2003, *Estimating frequency of change*): of the changes between
two visits only one is seen. See docs/formulas.md, I.2.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from focuscrawl.types import HostKey, UrlKey

DAY_S = 86_400.0
WEB_RATE = 1.0 / (120.0 * DAY_S)
"""Changes a second of a page of which nothing is known: one in four months, the mean that Cho and Garcia-Molina met in
half a year's daily visits (2000, *The evolution of the web*)."""
PRIOR_VISITS = 2.0
"""Visits that the host's rate counts for in the rate of a page, and that of all hosts in a host's."""
# Intervals this close to each other, as a share, are equal: the closed form has less bias than the likelihood.
_EQUAL = 0.01
_FEW = 32  # intervals of a page: an array costs more than it saves
_STEPS = 40  # the rate is known to a part in 10^12 of its bound then


@dataclass(frozen=True, slots=True)
class Interval:
    """The time between two visits of a page that had an answer, and whether they saw different pages."""

    seconds: float
    changed: bool


def estimate_rate(visits: int, changes: int, interval_s: float) -> float:
    """Return the bias-reduced rate of `changes` seen in `visits` at equal intervals, in changes a second.

    -ln((n - X + 0.5) / (n + 0.5)) / I (Cho and Garcia-Molina 2003, section 4.2; docs/formulas.md, I.2). Finite for
    X = n too, where the likelihood has no maximum; 0 for X = 0 and without visits.

    >>> round(estimate_rate(10, 6, 1.0), 6)
    0.847298
    """
    if visits <= 0 or interval_s <= 0.0:
        return 0.0
    seen = min(max(changes, 0), visits)
    return math.log((visits + 0.5) / (visits - seen + 0.5)) / interval_s


def fit_rate(intervals: Iterable[Interval]) -> float:
    """Return the rate that makes what was seen in `intervals` of any lengths most likely, in changes a second.

    Equal intervals, and those that all saw a change, take `estimate_rate` (with their mean). An interval that does not
    last, as after a clock went back, says nothing.
    """
    used = [one for one in intervals if math.isfinite(one.seconds) and one.seconds > 0.0]
    if not used:
        return 0.0
    lengths = [one.seconds for one in used]
    changed = [one.seconds for one in used if one.changed]
    if not changed:
        return 0.0
    mean = sum(lengths) / len(lengths)
    if len(changed) == len(used) or max(lengths) - min(lengths) <= _EQUAL * mean:
        return estimate_rate(len(used), len(changed), mean)
    return _most_likely(changed, sum(lengths) - sum(changed))


def _most_likely(changed: Sequence[float], unchanged_s: float) -> float:
    """Return the root of the derivative of sum ln(1 - exp(-λt)) - λ·unchanged, by bisection.

    Each term t / (exp(λt) - 1) falls with λ and lies below 1 / λ, so the root lies below n / unchanged.
    """
    slope: Callable[[Any, float], float] = _slope_of_few if len(changed) <= _FEW else _slope_of_many
    lengths: Any = changed if len(changed) <= _FEW else np.asarray(changed)
    low, high = 0.0, len(changed) / unchanged_s
    for _ in range(_STEPS):
        rate = (low + high) / 2.0
        low, high = (rate, high) if slope(lengths, rate) > unchanged_s else (low, rate)
    return (low + high) / 2.0


def _slope_of_few(lengths: Sequence[float], rate: float) -> float:
    return sum([t / math.expm1(min(rate * t, 700.0)) for t in lengths])


def _slope_of_many(lengths: Any, rate: float) -> float:
    return float((lengths / np.expm1(np.minimum(rate * lengths, 700.0))).sum())


def shrunk(rate: float, visits: int, prior: float) -> float:
    """Return a rate drawn towards `prior`, which counts for `PRIOR_VISITS` visits."""
    return (visits * rate + PRIOR_VISITS * prior) / (visits + PRIOR_VISITS)


def change_rates(seen: Mapping[UrlKey, tuple[HostKey, Sequence[Interval]]]) -> dict[UrlKey, float]:
    """Return the rate of each page, drawn towards its host's, which is drawn towards that of all, in changes a second.

    Parameters
    ----------
    seen
        Host of each page, and its intervals: none for a page that was visited once.
    """
    by_host: dict[HostKey, list[Interval]] = {}
    for host, intervals in seen.values():
        by_host.setdefault(host, []).extend(intervals)
    every = [one for intervals in by_host.values() for one in intervals]
    overall = shrunk(fit_rate(every), len(every), WEB_RATE)
    hosts = {host: shrunk(fit_rate(intervals), len(intervals), overall) for host, intervals in by_host.items()}
    return {key: shrunk(fit_rate(intervals), len(intervals), hosts[host]) for key, (host, intervals) in seen.items()}
