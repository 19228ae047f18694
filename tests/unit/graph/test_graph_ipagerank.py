"""iPageRank by forward push (docs/formulas.md C.3, K.3)."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from focuscrawl.errors import ConfigError
from focuscrawl.graph.ipagerank import IPageRank, PushOptions
from focuscrawl.graph.links import GraphLimits
from focuscrawl.lab.graph.pagerank import pagerank

A, B, C, D, E, F = range(1, 7)
EXAMPLE = [(A, 0.8, {B: 0.9, C: 0.1, D: 0.5}), (B, 0.6, {D: 0.8, E: 0.2}), (C, 0.0, {F: 0.4})]

urls = st.integers(0, 11)
unit = st.floats(0, 1)
# Pages come again with other links and another relevance.
crawls = st.lists(st.tuples(urls, unit, st.dictionaries(urls, unit, max_size=5)), min_size=1, max_size=20)
thetas = st.sampled_from([1e-6, 0.005, 0.1])


def crawled(pages, **options):
    engine = IPageRank(PushOptions(**options))
    for key, relevance, links in pages:
        engine.on_crawled(key, relevance, links)
    return engine


@pytest.mark.parametrize(
    ("eps", "values"),
    [
        (0.0, [0.8, 1.008, 0.045333, 0.912107, 0.171360, 0.038533]),
        (0.05, [0.8, 0.991515, 0.061818, 0.877912, 0.191543, 0.052545]),
    ],
)
def test_worked_example(eps, values):
    engine = crawled(EXAMPLE, eps=eps, theta=1e-9)
    assert [engine.score(key) for key in (A, B, C, D, E, F)] == pytest.approx(values, abs=1e-6)
    assert engine.score(99) == 0.0
    if eps == 0.0:
        normalized = [0.268877, 0.338786, 0.015236, 0.306556, 0.057594, 0.012951]
        assert list(engine.normalized().values()) == pytest.approx(normalized, abs=1e-6)


def test_queued_urls_that_changed_are_named():
    engine = crawled(EXAMPLE[:1], theta=1e-9)
    assert engine.on_crawled(*EXAMPLE[1]) == {D, E}


@settings(max_examples=25, deadline=None)
@given(crawls, thetas)
def test_invariant_and_bound_hold_for_any_crawl(pages, theta):
    engine = crawled(pages, theta=theta)
    assert engine.drift() < 1e-9
    exact = engine.exact()
    assert np.abs(exact - engine.values).sum() <= engine.residual_mass() / (1 - 0.85) + 1e-7
    assert exact.min(initial=0.0) >= 0.0


@settings(max_examples=25, deadline=None)
@given(crawls)
def test_networkx_says_the_same(pages):
    """A personalised PageRank whose dead ends lead back to the start is the same but for a factor."""
    last = {key: (relevance, {k: w for k, w in links.items() if k != key}) for key, relevance, links in pages}
    engine = crawled(pages, theta=1e-9)
    if not sum(relevance for relevance, _ in last.values()) > 1e-6:
        return
    reference = nx.DiGraph()
    reference.add_nodes_from(engine.graph.table.keys.tolist())
    for key, (_, links) in last.items():
        reference.add_weighted_edges_from((key, target, w + 0.05) for target, w in links.items())
    start = {key: last.get(key, (0.0,))[0] for key in reference}
    expected = nx.pagerank(reference, alpha=0.85, personalization=start, dangling=start, tol=1e-13, max_iter=2000)
    assert engine.normalized() == pytest.approx(expected, abs=2e-5)


@settings(max_examples=20, deadline=None)
@given(st.dictionaries(urls, st.tuples(unit, st.dictionaries(urls, unit, max_size=5)), max_size=10), st.randoms())
def test_order_of_fetching_does_not_matter(pages, rng):
    order = list(pages)
    rng.shuffle(order)
    one = crawled([(key, *pages[key]) for key in pages], theta=1e-9)
    other = crawled([(key, *pages[key]) for key in order], theta=1e-9)
    for key in one.graph.table.keys.tolist():
        assert other.score(key) == pytest.approx(one.score(key), abs=1e-4)


@settings(max_examples=20, deadline=None)
@given(st.lists(st.tuples(urls, urls), min_size=1, max_size=30))
def test_with_one_injection_it_is_pagerank(edges):
    rows = {source: {t: 1.0 for s, t in edges if s == source and t != source} for source, _ in edges}
    engine = crawled([(key, 0.0, links) for key, links in rows.items()], theta=1e-9, injection=0.15)
    ranks = pagerank(edges)
    total = sum(ranks.values())
    assert engine.normalized() == pytest.approx({key: rank / total for key, rank in ranks.items()}, abs=1e-5)


def grow(engine, pages, *, seed=1, degree=12):
    """Crawl a random topical web; return the links walked by pushes for each page, by thousands of pages."""
    rng = np.random.default_rng(seed)
    walked = [0]
    known = 1
    for page in range(pages):
        fresh = np.arange(known, known + degree // 3)
        known += len(fresh)
        targets = np.concatenate((fresh, rng.integers(0, known, degree - len(fresh)))).astype(np.uint64)
        relevance = float(rng.random() < 0.3) * rng.random()
        engine.crawled(page, relevance, targets, rng.random(degree) ** 4)
        if page % 1000 == 999:
            walked.append(engine.walked)
    return np.diff(walked) / 1000


@pytest.mark.parametrize(("theta", "most", "least_correlation"), [(0.02, 0.3, 0.95), (0.002, 0.06, 0.995)])
def test_large_graph_against_the_exact_solution(theta, most, least_correlation):
    engine = IPageRank(PushOptions(theta=theta))
    walked = grow(engine, 3000)
    exact = engine.exact()
    x, y = exact / exact.sum(), engine.values / engine.values.sum()
    assert np.abs(x - y).sum() < most
    queued = ~engine.graph.fetched
    ranks = [np.argsort(np.argsort(values[queued])) for values in (x, y)]
    assert np.corrcoef(*ranks)[0, 1] > least_correlation
    assert engine.drift() < 1e-9
    # The work of a page does not grow with the graph (C.3: at most mean relevance / ((1 - d) theta)).
    assert walked[-1] < 1.5 * walked[1] + 1
    assert walked.max() <= 0.15 / (0.15 * theta) * 1.1


def test_old_rows_are_dropped_after_a_last_push():
    engine = IPageRank(PushOptions(theta=0.02), GraphLimits(urls=100_000, links=2000))
    grow(engine, 1000)
    assert engine.graph.dropped_rows > 500
    assert engine.graph.link_count <= 2000
    values = engine.values
    assert np.isfinite(values).all()
    assert values.min() >= -1e-12
    # What flowed before the rows went stays: no page has less than its own relevance.
    assert (values >= engine.graph.relevance - 0.02 * 12 - 1e-6).all()


def test_a_full_graph_leaves_pages_out():
    engine = IPageRank(limits=GraphLimits(urls=3))
    engine.on_crawled(1, 1.0, {2: 1.0, 3: 1.0, 4: 1.0})
    assert engine.on_crawled(5, 1.0, {2: 1.0}) == set()
    assert engine.score(4) == 0.0
    assert engine.score(2) == pytest.approx(0.425)
    assert engine.graph.unknown == 2


def test_nothing_relevant_is_0_everywhere():
    engine = crawled([(A, 0.0, {B: 1.0, C: 0.2})])
    assert engine.normalized() == {A: 0.0, B: 0.0, C: 0.0}


@pytest.mark.parametrize("options", [{"d": 1.0}, {"eps": -1}, {"theta": 0.0}, {"theta": 2}])
def test_wrong_options_are_refused(options):
    with pytest.raises(ConfigError, match=r"ranking\.options"):
        PushOptions(**options)
