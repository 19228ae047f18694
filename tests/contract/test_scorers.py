"""What every registered scorer and ranker must do, whoever wrote it."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from link_kit import HandTopic, block, judged, link, page

from focuscrawl.plugins import build, names
from focuscrawl.ranking.strategies import make_ranker
from focuscrawl.scoring.base import PageScorer

SCORERS = names("scorers")
RANKERS = names("rankers")
TOPIC = HandTopic()

BLOCKS = [
    block(0, -1, "chess club news", tag="body"),
    block(1, 0, "chess and the rook", siblings=2),
    block(2, 0, "imprint", siblings=2, boilerplate=True),
]
PAGE = page(title="chess today", text="chess club news the rook board", blocks=BLOCKS)

words = st.lists(st.sampled_from(["chess", "rook", "board", "opening", "weather", "a"]), max_size=4).map(" ".join)
links_of_a_page = st.lists(
    st.builds(
        link,
        st.sampled_from(
            ["http://e.com/chess/1", "http://e.com/a.jpg", "http://f.org/login", "http://g.net/?a=1&b=2&c=3"]
        ),
        words,
        around=words,
        title=words,
        block=st.integers(-1, 2),
    ),
    max_size=8,
)


@pytest.mark.parametrize("name", SCORERS)
@settings(max_examples=15, deadline=None)
@given(links=links_of_a_page)
def test_scorer_gives_one_score_in_range_for_each_link(name, links):
    scores = build("scorers", name, seed=1).score(links, PAGE, TOPIC)
    assert len(scores) == len(links)
    for score in scores:
        for value in (score.value, *score.parts.values()):
            assert math.isfinite(value)
            assert 0.0 <= value <= 1.0
    json.dumps([dict(score.parts) for score in scores])


@pytest.mark.parametrize("name", SCORERS)
@settings(max_examples=8, deadline=None)
@given(links=links_of_a_page)
def test_scorer_keeps_the_order_and_repeats_itself(name, links):
    scorer = build("scorers", name, seed=1)
    scores = scorer.score(links, PAGE, TOPIC)
    assert build("scorers", name, seed=1).score(list(links), PAGE, TOPIC) == scores
    assert scorer.score(links[::-1], PAGE, TOPIC) == scores[::-1]


@pytest.mark.parametrize("name", SCORERS)
def test_scorer_takes_empty_input(name):
    scorer = build("scorers", name, seed=1)
    assert scorer.score([], PAGE, TOPIC) == []
    empty_topic = HandTopic(weights={}, related={}, query=(), expanded={})
    for topic in (TOPIC, empty_topic):
        [score] = scorer.score([replace(link(), url_tokens=())], page(), topic)
        assert 0.0 <= score.value <= 1.0


@pytest.mark.parametrize("name", SCORERS)
def test_scorer_is_called_by_its_name(name):
    assert build("scorers", name, seed=1).name == name


def ranked(name, links):
    ranker = make_ranker(name, TOPIC, seed=3)
    scorer = PageScorer({needed: build("scorers", needed, seed=3) for needed in ranker.needs})
    here = judged(PAGE, 0.6, group=ranker.seed(PAGE.key, PAGE.url, PAGE.host).group)
    ranker.observe(here)
    return ranker, ranker.rank(here, links, scorer.score(links, PAGE, TOPIC))


@pytest.mark.parametrize("name", RANKERS)
@settings(max_examples=8, deadline=None)
@given(links=links_of_a_page)
def test_ranker_gives_each_link_a_place(name, links):
    ranker, places = ranked(name, links)
    assert ranker.name == name
    assert len(places) == len(links)
    for place in places:
        assert 0.0 <= place.score.value <= 1.0
        assert all(math.isfinite(v) for v in place.score.parts.values())
        assert place.group
        json.dumps([dict(place.score.parts), dict(place.inherit)])
    assert places == ranked(name, links)[1]


@pytest.mark.parametrize("name", RANKERS)
@settings(max_examples=8, deadline=None)
@given(links=links_of_a_page)
def test_weighted_parts_add_up_to_the_score(name, links):
    ranker, places = ranked(name, links)
    if not ranker.weights:
        return
    for place in places:
        if place.keep:
            total = math.fsum(ranker.weights.get(part, 0.0) * value for part, value in place.score.parts.items())
            assert total == pytest.approx(place.score.value, abs=1e-9)


@pytest.mark.parametrize("name", RANKERS)
def test_seeds_come_first(name):
    ranker = make_ranker(name, TOPIC)
    place = ranker.seed(1, "http://e.com/a/", "e.com")
    assert place.keep
    assert place.score.value == 1.0


@pytest.mark.parametrize("name", RANKERS)
def test_ranker_goes_on_from_its_snapshot(name):
    ranker, _ = ranked(name, [link("http://e.com/chess/1", "chess")])
    other = make_ranker(name, TOPIC, seed=3)
    other.restore(json.loads(json.dumps(ranker.snapshot())))
    assert other.snapshot() == ranker.snapshot()
    assert all(-1.0 <= offset <= 1.0 for offset in ranker.offsets().values())


@pytest.mark.parametrize("name", RANKERS)
def test_ranker_takes_a_page_without_links(name):
    assert ranked(name, [])[1] == []
