"""Sentences about what a crawl stored, as summary, status and report tell them."""

from __future__ import annotations

from collections.abc import Mapping

from focuscrawl.wording.base import Say
from focuscrawl.wording.endings import COMMA, MORE_HOSTS, OF_HOST, WORDLESS

_WARN_COUNT, _WARN_SHARE, _WARN_HOSTS = 5, 0.1, 3


def wordless_warning(wordless: Mapping[str, int], stored: int, say: Say) -> str:
    """Return a warning when too many results have no topic word of their own, '' when few have none.

    >>> wordless_warning({"blog.example": 60, "a.example": 5}, 130, Say())
    '65 of 130 results (50%) have no topic word in title, text or tags: 60 of blog.example, 5 of a.example'
    >>> wordless_warning({"blog.example": 3}, 130, Say())
    ''
    """
    count = sum(wordless.values())
    if count < _WARN_COUNT or count < _WARN_SHARE * stored:
        return ""
    ordered = sorted(wordless.items(), key=lambda item: (-item[1], item[0]))
    hosts = say(COMMA).join(say(OF_HOST, n=n, host=host) for host, n in ordered[:_WARN_HOSTS])
    more = say(MORE_HOSTS, n=len(ordered) - _WARN_HOSTS) if len(ordered) > _WARN_HOSTS else ""
    return say(WORDLESS, n=count, stored=stored, share=count / stored, hosts=hosts, more=more)
