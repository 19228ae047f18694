"""Times as people write them."""

from __future__ import annotations

from datetime import UTC, datetime

from focuscrawl.wording.base import Say
from focuscrawl.wording.report import HOURS, MINUTES, SECONDS


def when(at: float) -> str:
    """Return a Unix time as people write it, in UTC."""
    return f"{datetime.fromtimestamp(at, UTC):%Y-%m-%d %H:%M} UTC"


def span(seconds: float, say: Say) -> str:
    """Return a duration in its two largest units.

    >>> span(3725, Say()), span(42.4, Say()), span(180000, Say())
    ('1 h 2 min', '42 s', '50 h 0 min')
    """
    whole = max(0, round(seconds))
    if whole < 60:
        return say(SECONDS, seconds=whole)
    if whole < 3600:
        return say(MINUTES, minutes=whole // 60, seconds=whole % 60)
    return say(HOURS, hours=whole // 3600, minutes=whole % 3600 // 60)
