"""Moments that elements declare beside what they show: "2 years ago" with the day in its tooltip."""

from __future__ import annotations

from itertools import islice

from focuscrawl.extraction.dates import iso_date, may_have_date
from focuscrawl.page.tree import Element

_TAGS = ("time", "abbr", "relative-time", "time-ago", "span", "li", "a")
_MAX_CHARS = 40


def stamped_date(block: Element, most: int) -> str | None:
    """Return the first date that one of the first elements of a block, `most` of them, declares, None for none."""
    for element in islice(block.iter(*_TAGS), most):
        for name in ("datetime", "title"):
            stamp = element.get(name)
            if stamp and len(stamp) <= _MAX_CHARS and may_have_date(stamp) and (date := iso_date(stamp)):
                return date
    return None
