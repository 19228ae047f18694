"""Strategies that ask no page what it is about (docs/formulas.md J.1)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from link_kit import HandTopic, judged, link, page

from focuscrawl.lab.strategies.blind import DepthFirst, Location, Random, make_forward_link, make_location
from focuscrawl.types import draw

LINKS = [link(f"http://e.com/{i}") for i in range(5)]


def values(ranked):
    return [r.score.value for r in ranked]


def test_depth_first_rises_with_depth():
    scores = [DepthFirst().rank(judged(depth=d), LINKS, {})[0].score.value for d in (0, 1, 50, 5000)]
    assert scores == sorted(scores)
    assert scores[-1] == 1.0


def test_random_is_the_draw_of_the_url():
    ranked = Random(seed=4).rank(judged(), LINKS, {})
    assert values(ranked) == [draw(4, one.key, "random") for one in LINKS]


def test_links_of_pages_with_many_links_come_first():
    few, many = page(links=LINKS[:2]), page(links=[link(f"http://e.com/{i}") for i in range(50)])
    strategy = make_forward_link(HandTopic())
    assert values(strategy.rank(judged(few), LINKS, {})) == [pytest.approx(2 / 52)] * 5
    assert values(strategy.rank(judged(many), LINKS, {})) == [0.5] * 5


@pytest.mark.parametrize(
    ("url", "value"),
    [
        ("http://e.com/home/a.html", 0.466667),
        ("http://e.org/", 0.8),
        ("http://e.com/", 0.9),
        ("http://e.org/a/b/c/?from=/x/y", 0.2),
    ],
)
def test_location_by_the_formula(url, value):
    ranked = make_location(HandTopic()).rank(judged(), [link(url)], {})[0]
    assert ranked.score.value == pytest.approx(value, abs=1e-6)
    assert sum(Location.weights[part] * v for part, v in ranked.score.parts.items()) == pytest.approx(value, abs=1e-6)


@given(st.lists(st.sampled_from(["a", "home", "b1"]), max_size=6))
def test_a_step_further_down_never_comes_first(steps):
    above = Location().place("http://e.org/" + "/".join(["x", *steps]), "e.org").value
    below = Location().place("http://e.org/" + "/".join(["x", *steps, "y"]), "e.org").value
    assert below < above
