"""The place of a link in the queue, for people: its priority from 0 to 1, and why it goes first or last."""

from __future__ import annotations

from enum import StrEnum

from focuscrawl.ranking.base import AHEAD, own_value
from focuscrawl.visits import VISIT_SCORE


class Turn(StrEnum):
    """Why a link does not wait in the order of its priority."""

    USUAL = ""  # it does
    VISIT = "visit"  # a page that is fetched again, before all links
    CALLED = "called"  # before all others, to look at a host or to try another order
    BEHIND = "behind"  # after all others


def turn_of(priority: float) -> Turn:
    """Return the turn of a link by its priority as queued.

    >>> [turn_of(priority).value for priority in (1_000_003.0, 3.41, 0.41, -2.6)]
    ['visit', 'called', '', 'behind']
    """
    if priority >= VISIT_SCORE / 2:
        return Turn.VISIT
    if priority > AHEAD - 1.0:
        return Turn.CALLED
    return Turn.BEHIND if priority < -1.0 else Turn.USUAL


def shown_priority(priority: float) -> float | None:
    """Return a priority in [0, 1], without what it was raised or lowered by; None for a visit, which has none.

    >>> [round(shown_priority(priority) or 0.0, 2) for priority in (3.41, 0.41, 1.2, -2.6)]
    [0.41, 0.41, 1.0, 0.4]
    """
    if turn_of(priority) is Turn.VISIT:
        return None
    return min(1.0, max(0.0, own_value(priority)))
