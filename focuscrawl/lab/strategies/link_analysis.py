"""Strategies by link analysis of the crawl so far: backlink, hits, pagerank (docs/formulas.md C, J.1)."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from focuscrawl.graph.ipagerank import PushOptions
from focuscrawl.graph.journal import PageLinks
from focuscrawl.graph.keys import Ids
from focuscrawl.graph.links import GraphLimits, LinkGraph
from focuscrawl.lab.graph.hits import GrowingHits
from focuscrawl.ranking.graph_ranker import GraphRanker
from focuscrawl.ranking.ipagerank import Pushed, limits_of
from focuscrawl.topic.base import TopicModel

_LIMITS = GraphLimits()
_NONE = np.empty(0, np.int32)
# Links of the graph read for HITS with each page, about 0.5 ms; at 10,000 pages of 110 links a round takes 55 pages.
_HITS_LINKS = 20_000


def add_plain(graph: LinkGraph, page: PageLinks) -> int:
    """Add a page to a graph without weights; return its number, -1 when the graph is full."""
    source, ids = graph.number(page.key, page.targets)
    graph.unknown += int((ids < 0).sum()) + (source < 0)
    if source >= 0:
        graph.set_row(source, np.unique(ids[(ids >= 0) & (ids != source)]), relevance=page.relevance)
    return source


class Backlink(GraphRanker):
    """Known in-links: fetched pages that link to the URL (Cho, Garcia-Molina, Page 1998)."""

    name = "backlink"

    def __init__(self, limits: GraphLimits = _LIMITS) -> None:
        super().__init__(LinkGraph(limits), part="backlinks")

    def take_in(self, page: PageLinks) -> Ids:
        """Add a page; only its own links gain."""
        add_plain(self.graph, page)
        return _NONE

    def values_of(self, numbers: Ids) -> NDArray[np.float64]:
        """Return the in-links."""
        return self.graph.in_links[numbers].astype(np.float64)

    def reason(self, x: float) -> str:
        """Say how many pages link there."""
        return f"{x:.0f} of the fetched pages link here"


class Hits(GraphRanker):
    """Authority (C.2) from hubs that are relevant or link to a relevant page."""

    name = "hits"
    sweep = 4096  # URLs: 100,000 take 25 pages

    def __init__(self, limits: GraphLimits = _LIMITS) -> None:
        super().__init__(LinkGraph(limits), part="authority")
        self.hits = GrowingHits(self.graph)

    def take_in(self, page: PageLinks) -> Ids:
        """Add a page and go on with the iteration; with a round, all values change, and `sweep` finds them."""
        source = add_plain(self.graph, page)
        if source >= 0:
            self.hits.grown(source)
        self.hits.advance(_HITS_LINKS)
        return _NONE

    def values_of(self, numbers: Ids) -> NDArray[np.float64]:
        """Return the authorities."""
        return self.hits.authorities[numbers]


def make_backlink(
    topic: TopicModel,
    *,
    seed: int = 0,
    weights: Mapping[str, float] | None = None,
    urls: int = _LIMITS.urls,
    links: int = _LIMITS.links,
) -> Backlink:
    """Return the strategy ``backlink``."""
    del topic, seed, weights
    return Backlink(limits_of(urls, links))


def make_hits(
    topic: TopicModel,
    *,
    seed: int = 0,
    weights: Mapping[str, float] | None = None,
    urls: int = _LIMITS.urls,
    links: int = _LIMITS.links,
) -> Hits:
    """Return the strategy ``hits``."""
    del topic, seed, weights
    return Hits(limits_of(urls, links))


def make_pagerank(
    topic: TopicModel,
    *,
    seed: int = 0,
    weights: Mapping[str, float] | None = None,
    d: float = 0.85,
    theta: float = 0.01,
    urls: int = _LIMITS.urls,
    links: int = _LIMITS.links,
) -> Pushed:
    """Return the strategy ``pagerank``: formula 4.7, whose order is that of 4.8 too."""
    del topic, seed, weights
    options = PushOptions(d, 1.0, theta, injection=1.0 - d)
    return Pushed("pagerank", options, limits_of(urls, links), part="pagerank")
