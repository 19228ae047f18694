"""Spots of a template: where on a page links stand, whatever the page says."""

from __future__ import annotations

import re
from functools import lru_cache

from focuscrawl.page.model import Link
from focuscrawl.types import digest64

_STEPS = 6  # of the path in the page's tree, the last ones: what is above them differs from page to page
_DIGITS = re.compile(r"\d+")


def spot_of(link: Link) -> str:
    """Return the last steps of a link's path in the tree of its page, digits folded: the spots of a list are one."""
    return _spot(link.dom_sig[-_STEPS:])


@lru_cache(4_096)
def place_name(home: str, spot: str) -> str:
    """Return a short name of a spot in the template of a host or listing."""
    return f"{digest64(home + spot):016x}"[:6]


@lru_cache(4_096)
def _spot(steps: tuple[str, ...]) -> str:
    return _DIGITS.sub("0", ">".join(steps))
