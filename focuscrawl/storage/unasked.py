"""Links that a crawl drops from its queue without a request: the reasons that their rows have."""

from __future__ import annotations

from collections.abc import Mapping

BANNED = "host is banned"
HOST_SPENT = "budget of the host is spent"
PATTERN_SPENT = "budget of the URL pattern is spent"


def is_unasked(reason: str) -> bool:
    """Tell whether a row without a page is of a link that was never requested, by its reason.

    >>> is_unasked("budget of the host is spent 4 times"), is_unasked("HTTP 404")
    (True, False)
    """
    return reason.startswith((BANNED, HOST_SPENT, PATTERN_SPENT))


def unasked(reasons: Mapping[str, int]) -> dict[str, int]:
    """Return those of some counted reasons that are of links which were never requested."""
    return {reason: count for reason, count in reasons.items() if is_unasked(reason)}
