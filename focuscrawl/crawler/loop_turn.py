"""A turn of the frontier loop: what it gives, and what is due in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from focuscrawl.records import Lease, Settlement

_SLACK_S = 1.0  # a clock is set back by so much without anybody


@dataclass(frozen=True, slots=True)
class Turn:
    """Result of a turn of the loop."""

    settled: Sequence[Settlement] = ()  # that the frontier has taken
    lost: Sequence[Lease] = ()  # leases held for so long that their requests must have vanished


def is_due(at: float, now: float, every_s: float) -> bool:
    """Tell whether what is done every `every_s` seconds, and the next time at `at`, is to be done now.

    So it is when the clock was set back since: nothing is put off for longer than that.

    >>> is_due(1150.0, 1100.0, 150.0), is_due(1150.0, 1150.0, 150.0), is_due(1150.0, 400.0, 150.0)
    (False, True, True)
    """
    return not now < at <= now + every_s + _SLACK_S
