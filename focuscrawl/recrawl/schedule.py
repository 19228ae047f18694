"""Choice of the pages that are asked for again in a round of visits."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from focuscrawl.recrawl.allocation import Allocation, allocate
from focuscrawl.recrawl.freshness import Order
from focuscrawl.recrawl.rates import Interval, change_rates
from focuscrawl.types import HostKey, UrlKey, draw

# Shortest time that the visits of a round are spread over in the books: rounds in quick succession are one.
_SHORTEST_S = 60.0


@dataclass(frozen=True, slots=True)
class PageHistory:
    """What earlier visits have seen of a page."""

    key: UrlKey
    host: HostKey
    visited_at: float  # last visit that had an answer, Unix seconds
    intervals: Sequence[Interval] = ()
    weight: float = 1.0  # worth of its freshness, 0 or more


@dataclass(frozen=True, slots=True)
class DuePage:
    """A page with the change rate it is believed to have, and how much it is due."""

    key: UrlKey
    rate: float  # changes a second
    frequency: float  # visits a second that the allocation gives it
    due: float  # higher is sooner


@dataclass(frozen=True, slots=True)
class RefreshPlan:
    """How a round of visits is chosen."""

    allocation: Allocation = Allocation.OPTIMAL
    order: Order = Order.FIXED
    period_s: float = 0.0  # time between rounds; 0: as long as the last visits are ago, in the mean
    seed: int = 0


def due_pages(histories: Sequence[PageHistory], pages: int, *, now: float, plan: RefreshPlan) -> list[DuePage]:
    """Return the `pages` most due, most due first; all when there are fewer.

    The allocation shares `pages` visits a period among all. In fixed order a page is due by the part of its own
    interval that has passed; in random order once in each of its intervals, at a moment drawn for it; in purely random
    order pages are drawn with chances as their frequencies. Pages that the allocation never visits come last, longest
    unvisited first. A visit in the future, of a clock that has gone back, counts as one of now.
    """
    if not histories or pages <= 0:
        return []
    elapsed = [max(now - one.visited_at, 0.0) for one in histories]
    period = max(plan.period_s or sum(elapsed) / len(elapsed), _SHORTEST_S)
    rates = change_rates({one.key: (one.host, one.intervals) for one in histories})
    frequencies = allocate(
        [rates[one.key] for one in histories],
        pages / period,
        weights=[one.weight for one in histories],
        allocation=plan.allocation,
        order=plan.order,
    )
    chosen: list[tuple[bool, float, UrlKey, DuePage]] = []
    for one, since, frequency in zip(histories, elapsed, frequencies.tolist(), strict=True):
        due = _due(one.key, now - since, now, frequency, plan) if frequency > 0.0 else since
        page = DuePage(one.key, rates[one.key], frequency, due)
        chosen.append((frequency > 0.0, due, one.key, page))
    chosen.sort(key=lambda row: (not row[0], -row[1], row[2]))
    return [row[3] for row in chosen[:pages]]


def _due(key: UrlKey, visited_at: float, now: float, frequency: float, plan: RefreshPlan) -> float:
    """Return how much a page is due; 1 or more when its visit is overdue, but for purely random order."""
    match plan.order:
        case Order.FIXED:
            return (now - visited_at) * frequency
        case Order.RANDOM:
            turn = math.floor(visited_at * frequency) + 1
            planned = turn + draw(plan.seed, key, f"turn {turn}")
            return 1.0 + now * frequency - planned
        case Order.PURELY_RANDOM:
            # The largest of these are a sample without replacement (Efraimidis and Spirakis 2006).
            return math.log(max(draw(plan.seed, key, f"round {now!r}"), 1e-300)) / frequency
