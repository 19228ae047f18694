"""Shark-search (docs/formulas.md J.4)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from link_kit import HandTopic, judged, link

from focuscrawl.errors import ConfigError
from focuscrawl.lab.strategies.shark import Shark, SharkOptions, inherited_score, shark_score


@pytest.mark.parametrize(
    ("anchor", "surrounding", "score", "neighbourhood"), [(0.4, 0.0, 0.41, 0.52), (0.0, 0.3, 0.18, 0.06)]
)
def test_worked_example(anchor, surrounding, score, neighbourhood):
    inherited = inherited_score(0.6, 0.0)
    assert inherited == 0.3
    assert shark_score(inherited, anchor, surrounding) == pytest.approx((score, neighbourhood), abs=1e-9)


def test_page_without_similarity_passes_on_what_it_inherited():
    assert inherited_score(0.0, 0.3) == pytest.approx(0.15)


unit = st.floats(0, 1)


@given(unit, unit, unit, unit, unit, unit)
def test_score_is_in_range(inherited, anchor, surrounding, delta, beta, gamma):
    score, _ = shark_score(inherited, anchor, surrounding, SharkOptions(delta, beta, gamma))
    assert 0.0 <= score <= 1.0 + 1e-12


def test_inheritance_travels_with_the_links():
    ranker = Shark(HandTopic())
    links = [link("http://e.com/1", "chess"), link("http://e.com/2", "weather", around="rook weather")]
    first, second = ranker.rank(judged(relevance=0.8), links, {})
    assert first.inherit == second.inherit == {"inherited": pytest.approx(0.4)}
    assert first.score.value == pytest.approx(0.5 * 0.4 + 0.5 * 1.0)
    assert second.score.value == pytest.approx(0.5 * 0.4 + 0.5 * 0.2 * 0.5)
    [below] = ranker.rank(judged(relevance=0.0, inherited=first.inherit), links[:1], {})
    assert below.inherit == {"inherited": pytest.approx(0.2)}


def test_weights_and_parts_make_up_the_score():
    ranker = Shark(HandTopic(), SharkOptions(gamma=0.3))
    for ranked in ranker.rank(judged(relevance=0.8), [link(anchor="chess game"), link(around="rook")], {}):
        total = sum(ranker.weights[part] * value for part, value in ranked.score.parts.items())
        assert total == pytest.approx(ranked.score.value, abs=1e-12)


@pytest.mark.parametrize("options", [{"delta": 2}, {"beta": -1}, {"gamma": "x"}])
def test_wrong_options_are_refused(options):
    with pytest.raises(ConfigError, match=r"ranking\.options"):
        SharkOptions(**options)
