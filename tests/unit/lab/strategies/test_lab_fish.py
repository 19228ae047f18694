"""Fish-search (docs/formulas.md J.11)."""

from __future__ import annotations

import pytest
from link_kit import HandTopic, judged, link

from focuscrawl.errors import ConfigError
from focuscrawl.lab.strategies.fish import make_fish_search

LINKS = [link(f"http://e.com/{i}") for i in range(8)]


def places(ranked):
    return [one.score.value for one in ranked]


def test_the_first_links_of_a_relevant_page_go_to_the_front():
    fish = make_fish_search(HandTopic(), width=2, depth=3)
    assert places(fish.rank(judged(relevance=0.9), LINKS, {})) == [1, 1, 1, 0.5, 0.5, 0, 0, 0]
    assert places(fish.rank(judged(relevance=0.0), LINKS, {})) == [0.5, 0.5, 0, 0, 0, 0, 0, 0]


def test_a_school_dies_after_its_depth_and_lives_again_where_it_finds_something():
    fish = make_fish_search(HandTopic(), width=2, depth=3)
    inherited, followed = {}, 0
    while True:
        ranked = fish.rank(judged(relevance=0.0, inherited=inherited), LINKS, {})
        if not ranked[0].keep:
            break
        inherited, followed = ranked[0].inherit, followed + 1
    assert followed == 2  # a seed has the full depth: its links have 2 left, theirs 1
    assert not any(one.keep for one in ranked)
    again = fish.rank(judged(relevance=0.9, inherited=inherited), LINKS, {})
    assert again[0].keep
    assert again[0].inherit == {"left": 1.0}


@pytest.mark.parametrize("options", [{"width": 0}, {"depth": 0}, {"depth": "far"}])
def test_wrong_options_are_refused(options):
    with pytest.raises(ConfigError, match=next(iter(options))):
        make_fish_search(HandTopic(), **options)
