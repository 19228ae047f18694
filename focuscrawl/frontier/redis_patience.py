"""What the scripts of the Redis frontier are told of waiting for better links (``lua/_patience.lua``)."""

from __future__ import annotations

from typing import Any

from focuscrawl.frontier import redis_codec as codec
from focuscrawl.frontier.patience import LONGEST_WAIT_S, MARGIN, allowance


def told_to_lease(seconds_a_page: float, *, pages: int) -> list[Any]:
    """Return the last arguments of ``lease.lua``.

    Parameters
    ----------
    seconds_a_page
        That may be waited; 0 for none.
    pages
        The fleet may fetch; 0 for no limit.
    """
    if not seconds_a_page:
        return [0] * 5
    at_once_s, a_page_s, earning = allowance(seconds_a_page, pages=pages)
    return [repr(at_once_s), repr(a_page_s), earning, repr(-codec.level_of(MARGIN)), LONGEST_WAIT_S]


def told_to_look(seconds_a_page: float) -> float:
    """Return the last argument of ``look.lua``."""
    return LONGEST_WAIT_S if seconds_a_page else 0.0
