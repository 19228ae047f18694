"""HITS while the graph grows, against HITS of the whole."""

from __future__ import annotations

import numpy as np
import pytest

from focuscrawl.graph.links import GraphLimits, LinkGraph
from focuscrawl.lab.graph.hits import GrowingHits, hits


def crawl(growing, rng, pages, *, links_a_call=40):
    graph = growing.graph
    for page in range(pages):
        targets = np.unique(rng.integers(0, 3 * (page + 5), 8).astype(np.uint64))
        source, ids = graph.number(page, targets)
        graph.set_row(source, ids[ids != source], relevance=float(page % 3 == 0))
        growing.grown(source)
        assert len(growing.authorities) == len(graph)
        growing.advance(links_a_call)
        assert growing.authorities.min() >= 0.0
        assert growing.authorities.max() <= 1.0


def counted_edges(graph):
    """Links of relevant pages and of pages that link to one."""
    relevant = graph.relevance >= 0.5
    return [
        (("page", source), ("target", target))
        for source in np.flatnonzero(graph.degree).tolist()
        if relevant[source] or relevant[graph.targets_of(source)].any()
        for target in graph.targets_of(source).tolist()
    ]


@pytest.mark.parametrize("links_a_call", [1, 40, 10_000])
def test_rounds_in_slices_come_to_what_hits_says(links_a_call):
    growing = GrowingHits(LinkGraph())
    crawl(growing, np.random.default_rng(5), 60, links_a_call=links_a_call)
    while growing.rounds < 300:
        growing.advance(1000)
    _, expected = hits(counted_edges(growing.graph), rounds=500)
    found = growing.authorities / growing.authorities.sum()
    for (side, node), value in expected.items():
        if side == "target":
            assert found[node] == pytest.approx(value, abs=1e-6)


def test_a_new_url_has_a_value_at_once():
    growing = GrowingHits(LinkGraph())
    crawl(growing, np.random.default_rng(5), 30)
    graph = growing.graph
    good = int(np.argmax(growing.authorities))
    source, ids = graph.number(5000, np.array([int(graph.table.keys[good]), 6000], np.uint64))
    graph.set_row(source, ids, relevance=1.0)
    growing.grown(source)
    assert growing.authorities[graph.id_of(6000)] > 0.0
    source, ids = graph.number(5001, np.array([6001], np.uint64))
    graph.set_row(source, ids, relevance=0.0)  # not relevant, and links to nothing that is
    growing.grown(source)
    assert growing.authorities[graph.id_of(6001)] == 0.0


def test_rows_that_move_do_not_upset_it():
    growing = GrowingHits(LinkGraph(GraphLimits(urls=10_000, links=150)))
    crawl(growing, np.random.default_rng(5), 200, links_a_call=30)
    assert growing.graph.dropped_rows > 100
    assert np.isfinite(growing.authorities).all()
    assert growing.rounds > 10
