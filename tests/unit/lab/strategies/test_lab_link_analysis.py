"""Strategies by link analysis: backlink, pagerank, hits, ipagerank."""

from __future__ import annotations

import json
import random

import numpy as np
import pytest
from link_kit import HandTopic, judged, link, page

from focuscrawl.errors import ConfigError, PluginError
from focuscrawl.lab.graph.pagerank import pagerank
from focuscrawl.ranking.graph_ranker import RunningMedian
from focuscrawl.ranking.strategies import make_ranker
from focuscrawl.types import Explained, digest64

NAMES = ["backlink", "pagerank", "hits", "ipagerank"]


def url(number):
    return f"http://e.com/{number}"


def key(number):
    return digest64(url(number))


def fetch(ranker, number, targets, relevance=0.0, *, rwb=0.5, **changes):
    """Fetch a page; return its links' places by number of the target. Links to fetched pages are not ranked."""
    links = [link(url(target)) for target in targets]
    here = judged(page(url(number), links=links), relevance, key=key(number), **changes)
    ranker.observe(here)
    graph = ranker.graph
    numbers = {one.key: graph.id_of(one.key) for one in links}
    queued = [one for one in links if numbers[one.key] < 0 or not graph.fetched[numbers[one.key]]]
    values = rwb if isinstance(rwb, dict) else dict.fromkeys(targets, rwb)
    scores = {"rwb": [Explained(values[int(one.url.rpartition("/")[2])]) for one in queued]} if ranker.needs else {}
    ranked = ranker.rank(here, queued, scores)
    return {int(one.url.rpartition("/")[2]): place.score for one, place in zip(queued, ranked, strict=True)}


def values(ranker):
    return ranker.values_of(np.arange(len(ranker.graph))).tolist()


def known(ranker):
    return set(ranker.graph.table.keys.tolist())


def crawl(ranker, pages=60, seed=2):
    """Fetch a random web; return all that was told."""
    rng = random.Random(seed)
    told = []
    for number in range(pages):
        targets = rng.sample(range(number + 20), 12)
        told.append(fetch(ranker, number, [t for t in targets if t != number], rng.choice([0.0, 0.2, 0.9])))
        told.append(ranker.rescored())
    return told


@pytest.mark.parametrize("name", NAMES)
def test_what_it_tells_is_in_range_and_of_queued_urls(name):
    ranker = make_ranker(name, HandTopic())
    told = crawl(ranker)
    fetched = {key(number) for number in range(60)}
    for number, (ranked, rescored) in enumerate(zip(told[::2], told[1::2], strict=True)):
        assert all(0.0 <= score.value <= 1.0 for score in ranked.values())
        assert all(0.0 <= score <= 1.0 for score in rescored.values())
        assert not rescored.keys() & {key(n) for n in range(number + 1)}
    assert known(ranker) >= fetched


@pytest.mark.parametrize(("name", "options"), [("pagerank", {"theta": 0.002}), ("hits", {}), ("ipagerank", {})])
def test_urls_further_down_are_rescored(name, options):
    told = crawl(make_ranker(name, HandTopic(), options=options))
    assert any(told[1::2])


def test_backlink_counts_pages_that_link():
    ranker = make_ranker("backlink", HandTopic())
    first = fetch(ranker, 0, [1, 2, 3])
    second = fetch(ranker, 1, [2, 3])
    third = fetch(ranker, 2, [3, 3])
    assert [first[3].value, second[3].value, third[3].value] == pytest.approx([1 / 2, 2 / 3, 3 / 4])
    assert third[3].reason == "3 of the fetched pages link here"


def test_pagerank_orders_as_the_whole_graph_does():
    ranker = make_ranker("pagerank", HandTopic(), options={"theta": 1e-5})
    rng = random.Random(4)
    edges = []
    for number in range(40):
        targets = [t for t in rng.sample(range(number + 20), 8) if t != number]
        edges += [(key(number), key(t)) for t in targets]
        fetch(ranker, number, targets)
    ranks = pagerank(edges)
    total, mine = sum(ranks.values()), sum(values(ranker))
    for number, value in zip(ranker.graph.table.keys.tolist(), values(ranker), strict=True):
        assert value / mine == pytest.approx(ranks[number] / total, abs=1e-5)


def test_ipagerank_mixes_rwb_and_inflow():
    ranker = make_ranker("ipagerank", HandTopic(), options={"rwb": 0.25})
    scores = fetch(ranker, 0, [1, 2, 3], 0.8, rwb={1: 1.0, 2: 0.0, 3: 0.0})
    assert scores[1].parts["rwb"] == 1.0
    assert scores[1].parts["inflow"] > 0.9 > 0.6 > scores[2].parts["inflow"]
    assert scores[1].value == pytest.approx(0.25 + 0.75 * scores[1].parts["inflow"])
    assert ranker.weights == {"rwb": 0.25, "inflow": 0.75}
    nothing = make_ranker("ipagerank", HandTopic(), options={"rwb": 0.0})
    assert fetch(nothing, 0, [1], 0.0, rwb=1.0)[1].value == 0.0  # nothing relevant: no inflow


def test_relevant_pages_pass_on_more():
    ranker = make_ranker("ipagerank", HandTopic())
    good = fetch(ranker, 0, [1, 2], 0.9)
    poor = fetch(ranker, 10, [11, 12], 0.1)
    assert good[1].value > poor[11].value


def test_a_link_to_a_fetched_page_weighs_what_the_page_is_worth():
    one = make_ranker("ipagerank", HandTopic())
    fetch(one, 0, [5, 6], 0.5)
    fetch(one, 1, [7, 8], 1.0)
    fetch(one, 7, [9], 1.0)
    fetch(one, 8, [10], 0.0)
    fetch(one, 2, [7, 8], 1.0)
    graph = one.graph
    weights = dict(
        zip(graph.targets_of(graph.id_of(key(2))).tolist(), graph.weights_of(graph.id_of(key(2))).tolist(), strict=True)
    )
    assert weights[graph.id_of(key(7))] == pytest.approx(1.05 / 1.1)
    assert weights[graph.id_of(key(8))] == pytest.approx(0.05 / 1.1)


def test_page_whose_links_are_not_followed_is_taken_in():
    ranker = make_ranker("ipagerank", HandTopic())
    ranker.observe(judged(page(url(0), links=[link(url(1))]), 0.9, key=key(0)))
    ranker.rescored()
    assert ranker.pages == 1
    assert known(ranker) == {key(0)}


def test_page_after_redirects_has_two_keys():
    ranker = make_ranker("backlink", HandTopic())
    ranker.observe(judged(page(url(1)), key=key(0)))
    ranker.rescored()
    assert ranker.graph.id_of(key(1)) == ranker.graph.id_of(key(0)) >= 0
    fetch(ranker, 2, [1, 3])
    assert ranker.graph.in_links[ranker.graph.id_of(key(0))] == 1


@pytest.mark.parametrize("name", NAMES)
def test_it_goes_on_from_its_journal(name):
    one, other = make_ranker(name, HandTopic()), make_ranker(name, HandTopic())
    parts = []
    for seed in range(3):
        crawl(one, 30, seed)
        parts.append(one.journal())
    assert [number for number, _ in parts] == [0, 30, 60]
    assert one.journal() is None
    other.replay([json.loads(json.dumps(part)) for _, part in parts])
    assert values(other) == values(one)
    assert other.graph.table.keys.tolist() == one.graph.table.keys.tolist()
    assert other.journal() is None
    assert fetch(other, 500, [1, 501, 502], 0.7) == fetch(one, 500, [1, 501, 502], 0.7)
    assert other.journal()[0] == 90


def test_running_median():
    median = RunningMedian(4)
    assert median.value == 0.0
    for number in range(1, 7):
        median.add(np.array([float(number)]))
    assert median.value == 4.5


@pytest.mark.parametrize(
    ("name", "options"),
    [("ipagerank", {"rwb": 2}), ("ipagerank", {"d": 1}), ("hits", {"urls": 1}), ("pagerank", {"theta": 0})],
)
def test_wrong_options_are_refused(name, options):
    with pytest.raises(ConfigError, match=r"ranking\.options"):
        make_ranker(name, HandTopic(), options=options)


def test_unknown_option_is_named():
    with pytest.raises(PluginError, match="unknown option"):
        make_ranker("hits", HandTopic(), options={"damping": 1})
