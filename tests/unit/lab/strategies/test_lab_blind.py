"""Strategies that look at no page (docs/formulas.md J.1)."""

from __future__ import annotations

from link_kit import judged, link

from focuscrawl.lab.strategies.blind import DepthFirst, Random
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
