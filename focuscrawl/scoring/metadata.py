"""UH, TeH, TiH and AMH: a topic word in the URL, the text or the title of a link (docs/formulas.md B.1-B.4).

Source: the extended-metadata heuristics of Li 2002 (Li Shengtao, 2002, formulas 4.1-4.4), after Yi, Sundaresan and
Huang, Using Metadata to Enhance Web Information Gathering (WebDB 2000).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from focuscrawl.errors import ConfigError
from focuscrawl.page.model import Link, PageAnalysis
from focuscrawl.scoring.base import LinkScorer
from focuscrawl.topic.base import TopicModel
from focuscrawl.topic.link_matches import LinkMatches
from focuscrawl.topic.term_memory import Terms
from focuscrawl.types import Explained

NOTHING = Explained(0.0)
"""Shared by all scorers: most links match nothing."""

# Ordered by the precision the source reports for text over URL, and by how rarely a link has a title (B.4).
AMH_URL, AMH_TEXT, AMH_TITLE = 0.3, 0.6, 0.1

_SHOWN = 3  # topic words named in a reason; the heaviest come first, more only make the line long


def amh_value(
    url: int, text: int, title: int, *, a: float = AMH_URL, b: float = AMH_TEXT, c: float = AMH_TITLE
) -> float:
    """Return a*UH + b*TeH + c*TiH (B.4); the sum is divided by a+b+c where that exceeds 1.

    >>> round(amh_value(1, 0, 1), 9)
    0.4
    """
    total = a + b + c
    value = a * url + b * text + c * title
    # A sum of all three can end a rounding error above 1.
    return min(1.0, value / total if total > 1.0 else value)


def shown(terms: Terms) -> str:
    """Return the heaviest of `terms` for a reason."""
    return ", ".join(terms[:_SHOWN])


class MetadataScorer(LinkScorer):
    """One of UH, TeH, TiH: 1 for links with a topic word in one class of metadata (B.1-B.3).

    The classes are URL (URL, onmouseover, src), text (surroundings included) and title (title, name).
    """

    repeatable = True

    def __init__(self, name: str, where: str, terms: Callable[[LinkMatches, int], Terms]) -> None:
        self.name = name
        self._where = where
        self._terms = terms

    def score(self, links: Sequence[Link], page: PageAnalysis, topic: TopicModel) -> list[Explained]:
        """Return 1 or 0 for each link."""
        del page
        matches = topic.link_matcher.of(links)
        known: dict[Terms, Explained] = {(): NOTHING}
        out: list[Explained] = []
        for index in range(len(links)):
            terms = self._terms(matches, index)
            found = known.get(terms)
            if found is None:
                reason = f"topic word in {self._where}: {shown(terms)}"
                found = known[terms] = Explained(1.0, {self.name: 1.0}, reason)
            out.append(found)
        return out


class AmhScorer(LinkScorer):
    """AMH: the weighted sum of UH, TeH and TiH (B.4)."""

    name = "amh"
    repeatable = True

    def __init__(self, *, a: float = AMH_URL, b: float = AMH_TEXT, c: float = AMH_TITLE) -> None:
        for option, value in (("a", a), ("b", b), ("c", c)):
            if not (isinstance(value, int | float) and math.isfinite(value) and 0.0 <= value <= 1.0):
                raise ConfigError(f"[scorers.amh] {option} = {value!r}: expected a number in [0, 1]")
        self._table: dict[tuple[bool, bool, bool], Explained] = {}
        for u in (False, True):
            for t in (False, True):
                for i in (False, True):
                    parts = {name: 1.0 for name, on in (("uh", u), ("teh", t), ("tih", i)) if on}
                    where = " and ".join(name for name, on in (("URL", u), ("text", t), ("title", i)) if on)
                    value = amh_value(u, t, i, a=a, b=b, c=c)
                    self._table[u, t, i] = Explained(value, parts, f"topic word in {where}") if parts else NOTHING

    def score(self, links: Sequence[Link], page: PageAnalysis, topic: TopicModel) -> list[Explained]:
        """Return the weighted sum for each link."""
        del page
        m = topic.link_matcher.of(links)
        table = self._table
        return [
            table[bool(url), bool(text or around), bool(title)]
            for url, text, around, title in zip(m.url, m.text, m.around, m.title, strict=True)
        ]


def _url_terms(matches: LinkMatches, index: int) -> Terms:
    return matches.url[index]


def _text_terms(matches: LinkMatches, index: int) -> Terms:
    return matches.text[index] or matches.around[index]


def _title_terms(matches: LinkMatches, index: int) -> Terms:
    return matches.title[index]


def make_uh(*, seed: int = 0) -> MetadataScorer:
    """Return the scorer ``uh``; `seed` is not used."""
    del seed
    return MetadataScorer("uh", "the URL", _url_terms)


def make_teh(*, seed: int = 0) -> MetadataScorer:
    """Return the scorer ``teh``; `seed` is not used."""
    del seed
    return MetadataScorer("teh", "the link's text or beside it", _text_terms)


def make_tih(*, seed: int = 0) -> MetadataScorer:
    """Return the scorer ``tih``; `seed` is not used."""
    del seed
    return MetadataScorer("tih", "the link's title", _title_terms)


def make_amh(*, seed: int = 0, a: float = AMH_URL, b: float = AMH_TEXT, c: float = AMH_TITLE) -> AmhScorer:
    """Return the scorer ``amh`` with the weights of URL, text and title; `seed` is not used."""
    del seed
    return AmhScorer(a=a, b=b, c=c)
