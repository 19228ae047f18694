"""Sentences about what a crawl stored, as summary, status and report tell them."""

from __future__ import annotations

import shlex
from collections.abc import Mapping

from focuscrawl.wording.base import Say
from focuscrawl.wording.endings import COMMA, FEW_FOUND, MORE_HOSTS, OF_HOST, WORDLESS

_FEW_PAGES, _FEW, _FEW_SHARE = 100, 20, 0.01
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


def few_found_advice(pages: int, relevant: int, *, topic: str, run: str, say: Say) -> str:
    """Return what to do when hardly any of 100 pages and more is relevant, '' when some are.

    >>> few_found_advice(600, 1, topic="tea.toml", run="crawls/tea", say=Say())[:76]
    'hardly any page is on the topic: start nearer to it (focuscrawl seeds find t'
    >>> few_found_advice(600, 7, topic="tea.toml", run="crawls/tea", say=Say())
    ''
    """
    if pages < _FEW_PAGES or relevant >= _FEW or relevant > _FEW_SHARE * pages:
        return ""
    return say(FEW_FOUND, topic=shlex.quote(topic), run=shlex.quote(run))
