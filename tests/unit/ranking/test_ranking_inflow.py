"""Graph inflow as a feature."""

from __future__ import annotations

import json

import pytest
from link_kit import judged, link, page

from focuscrawl.errors import ConfigError
from focuscrawl.ranking.inflow import GraphInflow


def url(number):
    return f"http://e.com/{number}"


def learn(inflow, number, weights, relevance=0.8):
    links = [link(url(target)) for target in weights]
    here = judged(page(url(number), links=links), relevance)
    inflow.observe(here)
    inflow.learn(here, links, list(weights.values()))
    return links


def test_more_and_better_links_give_more():
    inflow = GraphInflow()
    learn(inflow, 0, {1: 0.9, 2: 0.1, 3: 0.1})
    assert 0.0 == inflow.inflow(url(99)) < inflow.inflow(url(2)) == inflow.inflow(url(3)) < inflow.inflow(url(1)) < 1.0
    before = inflow.inflow(url(2))
    links = learn(inflow, 10, {2: 0.9, 3: 0.1})
    assert inflow.inflow(url(2)) > before
    assert inflow.inflows(links) == [inflow.inflow(url(2)), inflow.inflow(url(3))]


def test_in_links_alone():
    inflow = GraphInflow("links")
    learn(inflow, 0, {1: 0.0, 2: 0.9})
    learn(inflow, 3, {2: 0.0})
    assert (inflow.inflow(url(1)), inflow.inflow(url(2))) == pytest.approx((1 / 2, 2 / 3))


@pytest.mark.parametrize("kind", ["ipagerank", "links"])
def test_it_goes_on_from_its_journal(kind):
    one, other = GraphInflow(kind), GraphInflow(kind)
    for number in range(5):
        learn(one, number, {number + 1: 0.5, number + 7: 0.2, 0: 0.9})
    number, part = one.journal()
    assert number == 0
    other.replay([json.loads(json.dumps(part))])
    assert [other.inflow(url(n)) for n in range(12)] == [one.inflow(url(n)) for n in range(12)]


def test_unknown_kind_is_named():
    with pytest.raises(ConfigError, match="links"):
        GraphInflow("hubs")
