"""Reasons in rows of judged pages: why a relevant page is no result, and that a page was judged again."""

from __future__ import annotations

DUPLICATE = "duplicate"
NO_INDEX = "asks not to be indexed"
SAME_EVERYWHERE = "says what many addresses of its host say"
NOT_STORED = "not stored: the page "
"""What the reason of a relevant page begins with that must not be stored."""
_AGAIN = "judged again when its host was known: relevance was "
_AND_AGAIN = f"; {_AGAIN}"


def not_stored_reason(why: str) -> str:
    """Return the reason of a relevant page that must not be stored; `why_not_stored` reads it back."""
    return NOT_STORED + why


def why_not_stored(reason: str) -> str:
    """Return why a page must not be stored, by the reason of its row; '' for one that may be.

    >>> why_not_stored(not_stored_reason("asks not to be indexed")), why_not_stored("HTTP status 404")
    ('asks not to be indexed', '')
    """
    return reason.removeprefix(NOT_STORED).partition(_AND_AGAIN)[0] if reason.startswith(NOT_STORED) else ""


def judged_again_reason(before: str, relevance: float) -> str:
    """Return the reason of a page whose host was not known when it was judged first; `was_judged_again` tells it.

    Parameters
    ----------
    before
        The reason it had, '' unless it still holds.
    relevance
        By the first verdict, in [0, 1].

    >>> why_not_stored(judged_again_reason(not_stored_reason("asks not to be indexed"), 0.25))
    'asks not to be indexed'
    """
    return f"{before}{_AND_AGAIN if before else _AGAIN}{relevance:.2f}"


def was_judged_again(reason: str) -> bool:
    """Tell by the reason of a row whether its verdict is not the first one.

    >>> was_judged_again(judged_again_reason("", 0.25)), was_judged_again("HTTP status 404")
    (True, False)
    """
    return reason.startswith(_AGAIN) or _AND_AGAIN in reason
