"""Reasons in the rows of pages: why one is not stored, and that one was judged again; for older rows, in SQL."""

from __future__ import annotations

DUPLICATE = "duplicate"
NO_INDEX = "asks not to be indexed"
SAME_EVERYWHERE = "says what many addresses of its host say"
_NOT_STORED = "not stored: the page "
_AGAIN = "judged again when its host was known: relevance was "


def not_stored_reason(why: str) -> str:
    """Return the reason of a page that must not be stored, for people; the row has `why` in a column of its own."""
    return _NOT_STORED + why


def judged_again_reason(before: str, relevance: float) -> str:
    """Return the reason of a page whose host was not known when it was judged first.

    Parameters
    ----------
    before
        The reason it had, '' unless it still holds.
    relevance
        By the first verdict, in [0, 1].

    >>> judged_again_reason(not_stored_reason("asks not to be indexed"), 0.25)
    'not stored: the page asks not to be indexed; judged again when its host was known: relevance was 0.25'
    """
    return f"{before}{'; ' if before else ''}{_AGAIN}{relevance:.2f}"


def _begins_with(text: str) -> str:
    return f"substr(reason, 1, {len(text)}) = '{text}'"


_WITHHELD = {why: not_stored_reason(why) for why in (NO_INDEX, SAME_EVERYWHERE)}
_CASES = " ".join(f"WHEN {_begins_with(reason)} THEN '{why}'" for why, reason in _WITHHELD.items())
EARLIER_WITHHELD = f"CASE {_CASES} ELSE '' END"
"""Why a page may not be stored, in SQL, of a row that has its reason alone."""
EARLIER_JUDGED_AGAIN = " OR ".join(
    _begins_with(text) for text in (_AGAIN, *(f"{reason}; {_AGAIN}" for reason in _WITHHELD.values()))
)
"""Whether a page was judged again, in the same way."""
EARLIER_FEED = _begins_with("a feed")
"""Whether it was a feed, in the same way."""
