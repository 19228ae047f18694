"""Sentences about what a crawl stored, as summary, status and report tell them."""

from __future__ import annotations

from collections.abc import Mapping

_WARN_COUNT, _WARN_SHARE, _WARN_HOSTS = 5, 0.1, 3


def counted_reasons(reasons: Mapping[str, int]) -> str:
    """Return how many pages are no results for which reason, most first.

    >>> counted_reasons({"duplicate": 14, "asks not to be indexed": 1033})
    '1,033 asks not to be indexed, 14 duplicate'
    """
    ordered = sorted(reasons.items(), key=lambda item: (-item[1], item[0]))
    return ", ".join(f"{count:,} {reason}" for reason, count in ordered)


def wordless_warning(wordless: Mapping[str, int], stored: int) -> str:
    """Return a warning when too many results have no topic word of their own, '' when few have none.

    >>> wordless_warning({"blog.example": 60, "a.example": 5}, 130)
    '65 of 130 results (50%) have no topic word in title or text: 60 of blog.example, 5 of a.example'
    >>> wordless_warning({"blog.example": 3}, 130)
    ''
    """
    count = sum(wordless.values())
    if count < _WARN_COUNT or count < _WARN_SHARE * stored:
        return ""
    ordered = sorted(wordless.items(), key=lambda item: (-item[1], item[0]))
    hosts = ", ".join(f"{n:,} of {host}" for host, n in ordered[:_WARN_HOSTS])
    more = f" and {len(ordered) - _WARN_HOSTS:,} more hosts" if len(ordered) > _WARN_HOSTS else ""
    return f"{count:,} of {stored:,} results ({count / stored:.0%}) have no topic word in title or text: {hosts}{more}"
