"""The `X-Robots-Tag` header, which asks of any answer what a robots meta tag asks of HTML."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from focuscrawl.page.metadata import forbids
from focuscrawl.page.model import PageAnalysis

_HEADER = "x-robots-tag"
_RULES_WITH_VALUE = frozenset({"unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"})


def robots_rules(headers: Iterable[tuple[str, str]]) -> frozenset[str]:
    """Return the rules that `X-Robots-Tag` headers give to every robot, in lower case.

    What follows the name of a robot, up to the end of its header, is for that robot alone and is left out
    (https://developers.google.com/search/docs/crawling-indexing/robots-meta-tag#xrobotstag).

    >>> sorted(robots_rules([("X-Robots-Tag", "NoIndex, nofollow"), ("X-Robots-Tag", "otherbot: none")]))
    ['nofollow', 'noindex']
    """
    rules: set[str] = set()
    for name, value in headers:
        if name.lower() != _HEADER:
            continue
        for part in value.lower().split(","):
            before, colon, _ = part.partition(":")
            rule = before.strip()
            if " " in rule:
                continue  # the rest of a date whose day of the week has a comma behind it; no robot is called so
            if colon and rule not in _RULES_WITH_VALUE:
                break
            rules.add(rule)
    return frozenset(rules)


def with_robots_header(page: PageAnalysis, headers: Iterable[tuple[str, str]]) -> PageAnalysis:
    """Return `page` with `noindex` and `nofollow` set where its own tags or the headers of its answer ask for them."""
    rules = robots_rules(headers)
    noindex = page.noindex or forbids(rules, "noindex")
    nofollow = page.nofollow or forbids(rules, "nofollow")
    if (noindex, nofollow) == (page.noindex, page.nofollow):
        return page
    return replace(page, noindex=noindex, nofollow=nofollow)
