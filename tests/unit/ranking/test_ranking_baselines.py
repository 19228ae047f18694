"""Strategies that look at one thing (docs/formulas.md J.1, J.2) and those of one scorer (J.10)."""

from __future__ import annotations

import json

import pytest
from link_kit import HandTopic, judged, link, page

from focuscrawl.ranking.baselines import BestFirst, BreadthFirst, KeywordFirst
from focuscrawl.ranking.scored import Scored, Thresholded
from focuscrawl.ranking.threshold import DynamicThreshold, ThresholdOptions
from focuscrawl.types import Explained

LINKS = [link(f"http://e.com/{i}") for i in range(5)]


def values(ranked):
    return [r.score.value for r in ranked]


@pytest.mark.parametrize(("depth", "expected"), [(0, 1 / 2), (3, 1 / 5)])
def test_breadth_first_falls_with_the_depth_of_the_target(depth, expected):
    assert values(BreadthFirst().rank(judged(depth=depth), LINKS, {})) == [expected] * 5


def test_best_first_gives_all_links_the_relevance_of_their_page():
    assert values(BestFirst().rank(judged(relevance=0.37), LINKS, {})) == [0.37] * 5


def test_keyword_first_knows_two_classes():
    links = [
        link("http://e.com/1", "about chess"),
        link("http://e.com/rookery/"),
        link("http://e.com/2", "weather", around="chess"),  # beside the link is not in it
        link("http://e.com/3"),
    ]
    ranked = KeywordFirst(HandTopic()).rank(judged(), links, {})
    assert values(ranked) == [1.0, 1.0, 0.5, 0.5]
    assert "chess" in ranked[0].score.reason


def test_links_of_score_0_are_queued_by_plain_strategies():
    scores = {"uh": [Explained(0.0), Explained(1.0)] + [Explained(0.0)] * 3}
    ranked = Scored("uh").rank(judged(), LINKS, scores)
    assert values(ranked) == [0.0, 1.0, 0.0, 0.0, 0.0]
    assert all(r.keep for r in ranked)


def scored(*raws, c=0.5):
    return {"rw": [Explained(raw if raw >= c else 0.0, {"raw": raw}) for raw in raws]}


def thresholded(**options):
    return Thresholded("rw", DynamicThreshold(ThresholdOptions(**options)))


def test_links_below_the_threshold_are_kept_by_draw_only():
    ranker = thresholded()
    links = [link(f"http://e.com/{i}") for i in range(1000)]
    ranked = ranker.rank(judged(), links, scored(*[0.2] * 1000))
    kept = [r for r in ranked if r.keep]
    assert len(kept) / 1000 == pytest.approx(ranker.threshold.p, abs=0.04)
    assert all(r.score.value == 0.0 for r in ranked)
    assert all(r.inherit["below"] == 1.0 for r in kept)
    assert ranked == ranker.rank(judged(), links, scored(*[0.2] * 1000))


def test_threshold_that_fell_lets_in_what_the_scorer_cut():
    ranker = thresholded(c=0.3)
    ranked = ranker.rank(judged(), LINKS[:2], scored(0.4, 0.7))
    assert values(ranked) == [0.4, 0.7]
    assert all(r.keep for r in ranked)


def test_threshold_that_rose_refuses_what_the_scorer_let_in():
    ranker = thresholded(c=0.8, p_min=0.0, p_max=0.0)
    assert [r.keep for r in ranker.rank(judged(), LINKS[:2], scored(0.7, 0.9))] == [False, True]


def follow(ranker, relevance, inherited, number):
    """Fetch a page that carries `inherited`; return what its links carry."""
    here = judged(page(f"http://e.com/p{number}"), relevance, inherited=inherited)
    ranker.observe(here)
    return ranker.rank(here, LINKS[:1], scored(0.9))[0].inherit


def test_relevant_page_within_three_links_makes_a_tunnel_a_success():
    ranker = thresholded()
    carried = follow(ranker, 0.0, {"below": 1.0}, 0)
    assert (ranker.threshold.tries, ranker.threshold.successes) == (1, 0)
    carried = follow(ranker, 0.0, carried, 1)
    carried = follow(ranker, 0.0, carried, 2)
    follow(ranker, 0.9, carried, 3)
    assert (ranker.threshold.tries, ranker.threshold.successes) == (1, 1)
    follow(ranker, 0.9, carried, 4)  # once is enough
    assert ranker.threshold.successes == 1


def test_relevant_page_after_four_links_comes_too_late():
    ranker = thresholded()
    carried = {"below": 1.0}
    for number in range(4):
        carried = follow(ranker, 0.0, carried, number)
    assert carried == {}


def test_tunnels_without_success_are_remembered_up_to_a_number(monkeypatch):
    monkeypatch.setattr("focuscrawl.ranking.scored._MOST_OPEN", 3)
    ranker = thresholded()
    carried = [follow(ranker, 0.0, {"below": 1.0}, number) for number in range(4)]
    assert len(ranker.snapshot()["open"]) == 3
    follow(ranker, 0.9, carried[0], 5)
    assert ranker.threshold.successes == 0
    follow(ranker, 0.9, carried[1], 6)
    assert ranker.threshold.successes == 1


def test_open_tunnels_survive_a_snapshot():
    one, other = thresholded(), thresholded()
    carried = follow(one, 0.0, {"below": 1.0}, 0)
    other.restore(json.loads(json.dumps(one.snapshot())))
    follow(other, 0.9, carried, 1)
    assert (other.threshold.tries, other.threshold.successes) == (1, 1)
