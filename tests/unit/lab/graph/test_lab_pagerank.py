"""PageRank 4.7 and 4.8 and HITS of whole graphs (docs/formulas.md C.1, C.2)."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from focuscrawl.lab.graph.hits import hits
from focuscrawl.lab.graph.pagerank import pagerank

EXAMPLE = [("A", "B"), ("A", "C"), ("B", "C"), ("C", "A")]
REFERENCE = {"A": 0.387790, "B": 0.214811, "C": 0.397400}

nodes = st.integers(0, 9)
graphs = st.lists(st.tuples(nodes, nodes), min_size=1, max_size=40)


def shares(ranks):
    total = sum(ranks.values())
    return {node: rank / total for node, rank in ranks.items()}


def test_worked_example_of_both_forms():
    assert pagerank(EXAMPLE) == pytest.approx({"A": 1.163369, "B": 0.644432, "C": 1.192199}, abs=1e-6)
    other = pagerank(EXAMPLE, form="4.8")
    assert other == pytest.approx({"A": 0.581685, "B": 0.322216, "C": 0.596099}, abs=1e-6)
    assert sum(other.values()) == pytest.approx(1.5)
    assert shares(pagerank(EXAMPLE)) == pytest.approx(REFERENCE, abs=1e-6)
    assert shares(other) == pytest.approx(REFERENCE, abs=1e-6)


@settings(max_examples=50, deadline=None)
@given(graphs, st.sampled_from(["4.7", "4.8"]))
def test_networkx_says_the_same_with_dead_ends_and_loops(edges, form):
    reference = nx.DiGraph()
    reference.add_nodes_from(node for edge in edges for node in edge)
    reference.add_edges_from((a, b) for a, b in edges if a != b)
    expected = nx.pagerank(reference, alpha=0.85, tol=1e-12, max_iter=1000)
    assert shares(pagerank(edges, form=form)) == pytest.approx(expected, abs=1e-7)


@pytest.mark.parametrize("form", ["4.7", "4.8"])
def test_small_and_empty_graphs(form):
    assert pagerank([], form=form) == {}
    [rank] = pagerank([("A", "A")], form=form).values()  # the link to itself is none; the jump of one page is 0
    assert 0.0 <= rank <= 1.0


def test_worked_example_of_hits():
    hubs, authorities = hits(EXAMPLE)
    assert hubs == pytest.approx({"A": 0.618034, "B": 0.381966, "C": 0.0}, abs=1e-6)
    assert authorities == pytest.approx({"A": 0.0, "B": 0.381966, "C": 0.618034}, abs=1e-6)


def test_hits_without_links_is_0():
    assert hits([("A", "A"), ("B", "B")]) == ({"A": 0.0, "B": 0.0}, {"A": 0.0, "B": 0.0})
    assert hits([]) == ({}, {})


@pytest.mark.parametrize("seed", range(12))
def test_networkx_says_the_same_of_hits(seed):
    # Dense enough that the first eigenvalue stands alone: elsewhere the answer depends on the start.
    reference = nx.gnp_random_graph(14, 0.3, seed=seed, directed=True)
    expected = nx.hits(reference, tol=1e-12)
    found = hits(reference.edges, rounds=2000)
    for values, others in zip(found, expected, strict=True):
        assert values == pytest.approx({node: others[node] for node in values}, abs=1e-5)


def test_ranks_sum_to_the_number_of_pages():
    rng = np.random.default_rng(3)
    edges = [(int(a), int(b)) for a, b in rng.integers(0, 60, (150, 2))]
    ranks = pagerank(edges)
    assert sum(ranks.values()) == pytest.approx(len(ranks), rel=1e-8)
