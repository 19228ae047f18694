"""A turn of the frontier loop: what it gives, and what is due in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from focuscrawl.records import Lease, Settlement

_SLACK_S = 1.0  # corrections of the clock by less are no reason to act


@dataclass(frozen=True, slots=True)
class Turn:
    """Result of a turn of the loop."""

    settled: Sequence[Settlement] = ()  # that the frontier has taken
    lost: Sequence[Lease] = ()  # leases held for so long that their requests must have vanished


def is_due(at: float, now: float, every_s: float) -> bool:
    """Tell whether a task that runs every `every_s` seconds, next at `at`, is due.

    A task is also due when the clock was set back since, so that no task waits longer than its interval.

    >>> is_due(1150.0, 1100.0, 150.0), is_due(1150.0, 1150.0, 150.0), is_due(1150.0, 400.0, 150.0)
    (False, True, True)
    """
    return not now < at <= now + every_s + _SLACK_S
