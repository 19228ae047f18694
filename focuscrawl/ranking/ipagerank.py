"""The strategy ``ipagerank``: half RWB, half the inflow of topical surfers (docs/formulas.md C.3)."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from focuscrawl.errors import ConfigError
from focuscrawl.graph.ipagerank import IPageRank, PushOptions
from focuscrawl.graph.journal import PageLinks
from focuscrawl.graph.keys import Ids
from focuscrawl.graph.links import GraphLimits
from focuscrawl.ranking.graph_ranker import GraphRanker
from focuscrawl.topic.base import TopicModel

_LIMITS = GraphLimits()


def limits_of(urls: int, links: int) -> GraphLimits:
    """Return the bounds of a graph's memory, as options give them.

    Raises
    ------
    ConfigError
        If one is no whole number from 1000 to 10^9.
    """
    for option, value in (("urls", urls), ("links", links)):
        if not (isinstance(value, int) and 1000 <= value <= 1_000_000_000):
            raise ConfigError(f"[ranking.options] {option} = {value!r}: expected a whole number from 1000 to 10^9")
    return GraphLimits(urls, links)


class Pushed(GraphRanker):
    """A value kept up by forward push: PageRank, or iPageRank mixed with RWB."""

    def __init__(
        self, name: str, options: PushOptions, limits: GraphLimits = _LIMITS, *, part: str, rwb_share: float = 0.0
    ) -> None:
        self.name = name
        self.engine = IPageRank(options, limits)
        super().__init__(
            self.engine.graph,
            part=part,
            scorer="rwb" if options.injection is None else "",
            scorer_share=rwb_share,
        )

    def take_in(self, page: PageLinks) -> Ids:
        """Add a page and push what it gives."""
        weights = page.weights if len(page.weights) else np.ones(len(page.targets), np.float32)
        return self.engine.crawled(page.key, page.relevance, page.targets, weights)

    def values_of(self, numbers: Ids) -> NDArray[np.float64]:
        """Return the estimates; what floats leave below 0 is 0."""
        return np.maximum(self.engine.values[numbers], 0.0)


def make_ipagerank(
    topic: TopicModel,
    *,
    seed: int = 0,
    weights: Mapping[str, float] | None = None,
    rwb: float = 0.5,
    d: float = 0.85,
    eps: float = 0.05,
    theta: float = 0.005,
    urls: int = _LIMITS.urls,
    links: int = _LIMITS.links,
) -> Pushed:
    """Return the strategy ``ipagerank``; `rwb` is the share of RWB in the score, 0 for pure iPageRank."""
    del topic, seed, weights
    if not (isinstance(rwb, int | float) and 0.0 <= rwb <= 1.0):
        raise ConfigError(f"[ranking.options] rwb = {rwb!r}: expected a number in [0, 1]")
    options = PushOptions(d, eps, theta)
    return Pushed("ipagerank", options, limits_of(urls, links), part="inflow", rwb_share=rwb)
