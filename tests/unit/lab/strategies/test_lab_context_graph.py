"""Context graph (docs/formulas.md J.6)."""

from __future__ import annotations

import json

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from link_kit import HandTopic, judged, link, page
from sklearn.naive_bayes import MultinomialNB

from focuscrawl.errors import ConfigError, FocusCrawlError
from focuscrawl.lab.strategies.context_graph import _SPACE, ContextGraph, LayerModels, layers
from focuscrawl.ranking.strategies import make_ranker

nodes = st.integers(0, 9)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(nodes, nodes), max_size=25), st.sets(nodes, max_size=3), st.integers(1, 4))
def test_layers_are_distances_on_reversed_links(edges, relevant, most):
    graph = nx.DiGraph()
    graph.add_nodes_from(range(10))
    graph.add_edges_from(edges)
    distance = nx.multi_source_dijkstra_path_length(graph.reverse(), relevant) if relevant else {}
    expected = [int(d) if (d := distance.get(node, 99)) <= most else -1 for node in range(10)]
    sources, targets = np.array(edges, dtype=np.int64).reshape(-1, 2).T
    flags = np.isin(np.arange(10), list(relevant))
    assert layers(sources, targets, flags, most).tolist() == expected


def test_models_are_naive_bayes():
    rng = np.random.default_rng(0)
    documents = [np.unique(rng.integers(0, 60, 12) + 20 * (number % 3)).astype(np.int32) for number in range(30)]
    of_layer = [number % 3 for number in range(30)]
    models = LayerModels(documents, of_layer, 4)
    table = np.zeros((30, _SPACE))
    for row, terms in zip(table, documents, strict=True):
        row[terms] = 1
    reference = MultinomialNB(alpha=1.0, class_prior=[1 / 3] * 3).fit(table, of_layer)
    for row, terms in zip(table, documents, strict=True):
        posterior = models.posterior(terms)
        assert posterior[:3] == pytest.approx(reference.predict_proba([row])[0], abs=1e-9)
        assert posterior[3] == 0.0  # no document


def fetch(ranker, url, text, relevance, targets):
    here = judged(page(url, text=text, links=[link(target) for target in targets]), relevance)
    ranker.observe(here)
    return here


def trained(ranker, pages=120, once=""):
    """Chains: front page → club page → relevant page, and pages that lead nowhere."""
    for number in range(pages // 4):
        front, club, game, other = (f"http://e.com/{kind}/{number}" for kind in ("front", "club", "game", "other"))
        fetch(ranker, front, "city news portal today", 0.0, [club])
        fetch(ranker, club, "members club evening table", 0.0, [game])
        fetch(ranker, game, "chess rook opening board" + (f" {once}" if number == 0 else ""), 0.9, [other])
        fetch(ranker, other, "weather rain cloud wind", 0.0, ["http://e.com/nowhere"])
    return ranker


def test_layers_are_told_by_words():
    ranker = trained(ContextGraph())
    values = []
    for text in ("chess rook opening", "members club evening", "city news portal", "weather rain cloud"):
        here = fetch(ranker, "http://e.com/new", text, 0.0, [])
        [place] = ranker.rank(here, [link("http://e.com/x")], {})
        values.append(place.score.value)
    # The page that leads nowhere has no layer of its own: its words fit none of those there are.
    assert values[:3] == [1.0, 0.75, 0.5]
    assert values[3] < 1.0


def test_a_page_is_in_a_layer_from_a_posterior_of_one_half():
    ranker = trained(ContextGraph(), once="gambit")
    # One word of each of two layers, and one that a page of layer 0 had once: two to one for it.
    layer, posterior = ranker.layer_of(judged(page("http://e.com/new", text="chess members gambit")))
    assert (layer, posterior) == (0, pytest.approx(2 / 3, abs=0.02))
    layer, posterior = ranker.layer_of(judged(page("http://e.com/new", text="chess members city")))
    assert (layer, posterior) == (-1, pytest.approx(1 / 3, abs=0.02))


def test_before_the_models_the_judge_decides():
    ranker = ContextGraph()
    good, poor = (fetch(ranker, f"http://e.com/{r}", "chess", r, []) for r in (0.9, 0.1))
    assert ranker.rank(good, [link()], {})[0].score.value == 1.0
    assert ranker.rank(poor, [link()], {})[0].score.value == 0.0


def test_no_relevant_page_means_no_models():
    ranker = ContextGraph(every=100)
    for number in range(200):
        fetch(ranker, f"http://e.com/{number}", "weather", 0.0, [f"http://e.com/{number + 1}"])
    assert ranker.models is None


def test_it_goes_on_from_its_journal():
    one, other = ContextGraph(), ContextGraph()
    trained(one, 80)
    first = one.journal()
    trained(one, 60)
    parts = [json.loads(json.dumps(part)) for _, part in (first, one.journal())]
    other.replay(parts)
    assert one.journal() is None
    assert (one.models is not None) == (other.models is not None)
    assert other.pages == one.pages
    assert np.array_equal(other.models.log_p, one.models.log_p)
    with pytest.raises(FocusCrawlError, match="words of the run's pages"):
        ContextGraph().replay([{**parts[0], "terms": []}])


@pytest.mark.parametrize("options", [{"height": 0}, {"every": 0}])
def test_wrong_options_are_refused(options):
    with pytest.raises(ConfigError, match=r"ranking\.options"):
        make_ranker("context-graph", HandTopic(), options=options)
