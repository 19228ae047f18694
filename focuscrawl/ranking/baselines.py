"""Strategies that look at one thing: depth, the relevance of the page, or a keyword (docs/formulas.md J.1, J.2).

They are what every other strategy is measured against. Their score is not a sum, so they have no weights.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from focuscrawl.page.model import Link
from focuscrawl.ranking.base import Judged, Ranked, Ranker
from focuscrawl.scoring.metadata import shown
from focuscrawl.topic.base import TopicModel
from focuscrawl.topic.term_memory import Terms
from focuscrawl.types import Explained, clip01


class BreadthFirst(Ranker):
    """Shallow pages first: 1 / (1 + depth of the target); equal depths in order of discovery (J.1)."""

    name = "breadth-first"

    def rank(self, page: Judged, links: Sequence[Link], scores: Mapping[str, Sequence[Explained]]) -> list[Ranked]:
        """Return one score for all links of the page."""
        del scores
        depth = page.depth + 1
        score = Explained(1.0 / (1 + depth), reason=f"{depth} links from a seed")
        return [Ranked(score, link.host) for link in links]


class BestFirst(Ranker):
    """Relevance of the page that holds the link; the frontier keeps the highest of several (J.2)."""

    name = "best-first"

    def rank(self, page: Judged, links: Sequence[Link], scores: Mapping[str, Sequence[Explained]]) -> list[Ranked]:
        """Return the page's relevance for all its links."""
        del scores
        score = Explained(clip01(page.topicality), reason="relevance of the page that holds the link")
        return [Ranked(score, link.host) for link in links]


class KeywordFirst(Ranker):
    """A topic word in anchor or URL sends the link to the front; all else, first in first out.

    Score 1 or 0.5. It needs no judge and no weights, and is hard to beat: the yardstick for everything cleverer.
    """

    name = "keyword-first"
    _ELSE = Explained(0.5, reason="no topic word in anchor or URL")

    def __init__(self, topic: TopicModel) -> None:
        self._topic = topic

    def rank(self, page: Judged, links: Sequence[Link], scores: Mapping[str, Sequence[Explained]]) -> list[Ranked]:
        """Return 1 for links with a topic word, 0.5 for others."""
        del page, scores
        matches = self._topic.link_matcher.of(links)
        known: dict[Terms, Explained] = {(): self._ELSE}
        out: list[Ranked] = []
        for link, text, url in zip(links, matches.text, matches.url, strict=True):
            terms = text or url
            score = known.get(terms)
            if score is None:
                score = known[terms] = Explained(1.0, reason=f"topic word in anchor or URL: {shown(terms)}")
            out.append(Ranked(score, link.host))
        return out


def make_breadth_first(topic: TopicModel, *, seed: int = 0, weights: Mapping[str, float] | None = None) -> BreadthFirst:
    """Return the strategy ``breadth-first``."""
    del topic, seed, weights
    return BreadthFirst()


def make_keyword_first(topic: TopicModel, *, seed: int = 0, weights: Mapping[str, float] | None = None) -> KeywordFirst:
    """Return the strategy ``keyword-first``."""
    del seed, weights
    return KeywordFirst(topic)
