"""Tag-path bandit (docs/formulas.md J.9)."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from link_kit import judged, link, page

from focuscrawl.lab.strategies.tagpath import ALPHA, TagPath, path_vector, upper_bound

MENU = ("html", "body", "nav#menu", "ul", "li", "a")
LIST = ("html", "body", "div#content", "div.list", "p.title", "a.read")


def test_worked_example():
    assert upper_bound(0.4, 25, 100) == pytest.approx(1.613942, abs=1e-6)
    assert pytest.approx(2 * math.sqrt(2)) == ALPHA


@given(st.lists(st.text(max_size=4), max_size=8))
def test_vectors_have_length_1(path):
    places, values = path_vector(path)
    assert np.square(values).sum() == pytest.approx(1.0, abs=1e-5)
    assert len(set(places.tolist())) == len(places)
    assert places.max() < 4096


def links(path, *numbers):
    return [link(f"http://e.com/{number}", dom_sig=path) for number in numbers]


def rank(ranker, path, *numbers, **changes):
    return ranker.rank(judged(page("http://e.com/"), **changes), links(path, *numbers), {})


def test_like_paths_are_one_action_and_others_another():
    ranker = TagPath()
    longer = (*MENU[:4], "li.current", "a")
    groups = {rank(ranker, path, 1)[0].group for path in (MENU, (*MENU[:3], "ul", "li", "a"))}
    assert len(groups) == 1
    assert rank(ranker, LIST, 2)[0].group not in groups
    # 7 bigrams each, 5 in common: a cosine of 0.71 is not enough.
    assert rank(ranker, longer, 3)[0].group not in groups
    assert ranker.actions == 3


def test_paths_are_alike_from_a_cosine_of_three_quarters():
    ranker = TagPath()
    long = (*MENU[:2], "div#page", "div#main", *MENU[2:])
    # 9 bigrams each: 7 in common are .78.
    assert len({rank(ranker, path, 1)[0].group for path in (long, (*long[:3], "div#content", *long[4:]))}) == 1


def test_untried_actions_first_then_the_better_one():
    ranker = TagPath()
    menu, listing = rank(ranker, MENU, 1)[0].group, rank(ranker, LIST, 2)[0].group
    assert ranker.offsets() == {menu: 1.0, listing: 1.0}
    for number in range(10):
        for group in (menu, listing):
            ranker.observe(judged(page(f"http://e.com/{number}"), group=group))
            # The children of what the listing led to are relevant: its action is paid.
            [child] = rank(ranker, MENU, 100 + number, group=group)
            ranker.observe(judged(page("http://e.com/c"), 0.9 if group == listing else 0.0, inherited=child.inherit))
    offsets = ranker.offsets()
    assert offsets[menu] < offsets[listing] < 1.0
    bound = upper_bound(1.0, 10, 20)
    assert offsets[listing] == pytest.approx(bound / (1 + bound))
    assert ranker.offsets() == {}


def test_inside_an_action_the_draw_decides():
    ranked = rank(TagPath(seed=1), LIST, *range(50))
    draws = [one.score.parts["draw"] for one in ranked]
    assert len(set(draws)) == 50
    assert [one.score.value for one in ranked] == pytest.approx([0.001 * draw for draw in draws])
    assert ranked == rank(TagPath(seed=1), LIST, *range(50))
    assert ranked != rank(TagPath(seed=2), LIST, *range(50))


def test_it_goes_on_from_its_snapshot():
    one, other = TagPath(), TagPath()
    for path in (MENU, LIST):
        [place] = rank(one, path, 1)
        one.observe(judged(page("http://e.com/x"), 0.9, group=place.group, inherited={"action": 0.0}))
    other.restore(json.loads(json.dumps(one.snapshot())))
    assert rank(other, LIST, 7) == rank(one, LIST, 7)
    one.offsets()
    one._told = [0.0] * one.actions
    assert other.offsets() == one.offsets()
