"""Strategies that look at no page: depth first, and a number drawn for each URL (docs/formulas.md J.1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from focuscrawl.page.model import Link
from focuscrawl.ranking.base import Judged, Ranked, Ranker
from focuscrawl.topic.base import TopicModel
from focuscrawl.types import Explained, draw

_MAX_DEPTH = 1000  # scale of depth-first; deeper pages are all as deep as this


class DepthFirst(Ranker):
    """Deep pages first; equal depths in order of discovery (J.1)."""

    name = "depth-first"

    def rank(self, page: Judged, links: Sequence[Link], scores: Mapping[str, Sequence[Explained]]) -> list[Ranked]:
        """Return one score for all links of the page."""
        del scores
        depth = page.depth + 1
        score = Explained(min(depth, _MAX_DEPTH) / _MAX_DEPTH, reason=f"{depth} links from a seed")
        return [Ranked(score, link.host) for link in links]


class Random(Ranker):
    """A number drawn for each URL from the crawl's seed: the same on every worker (J.1)."""

    name = "random"

    def __init__(self, *, seed: int = 0) -> None:
        self._seed = seed

    def rank(self, page: Judged, links: Sequence[Link], scores: Mapping[str, Sequence[Explained]]) -> list[Ranked]:
        """Return a draw for each link."""
        del page, scores
        return [Ranked(Explained(draw(self._seed, link.key, "random"), reason="drawn"), link.host) for link in links]


def make_depth_first(topic: TopicModel, *, seed: int = 0, weights: Mapping[str, float] | None = None) -> DepthFirst:
    """Return the strategy ``depth-first``."""
    del topic, seed, weights
    return DepthFirst()


def make_random(topic: TopicModel, *, seed: int = 0, weights: Mapping[str, float] | None = None) -> Random:
    """Return the strategy ``random``."""
    del topic, weights
    return Random(seed=seed)
