"""RW (docs/formulas.md B.5)."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from link_kit import HandTopic, link, page

from focuscrawl.errors import ConfigError
from focuscrawl.scoring.relevance import aggregate, make_rw, metadata_tokens, raw_relatedness, rw

R = {"nba": 0.9, "score": 0.4, "today": 0.05}


@pytest.mark.parametrize(
    ("agg", "k", "raw", "value"), [("max", 3, 0.9, 0.9), ("mean", 3, 0.45, 0.0), ("topk", 2, 0.65, 0.65)]
)
def test_worked_example(agg, k, raw, value):
    score = rw(["nba", "score", "today", "nba"], R, c=0.5, agg=agg, k=k)
    assert score.parts["raw"] == pytest.approx(raw, abs=1e-9)
    assert score.value == pytest.approx(value, abs=1e-9)


def test_threshold_itself_is_relevant():
    assert rw(["w"], {"w": 0.5}, c=0.5).value == 0.5


def test_no_tokens_give_0():
    assert rw([], R).parts["raw"] == 0.0


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20), st.sampled_from(["max", "mean", "topk"]), st.integers(1, 25))
def test_aggregates_agree_with_numpy_and_stay_inside_the_values(values, agg, k):
    expected = {
        "max": np.max(values),
        "mean": np.mean(values),
        "topk": np.mean(np.sort(values)[::-1][:k]),
    }[agg]
    got = aggregate(values, agg=agg, k=k)
    assert got == pytest.approx(expected, abs=1e-9)
    assert min(values) - 1e-12 <= got <= max(values)


@pytest.mark.parametrize("agg", ["max", "mean", "topk"])
def test_scorer_agrees_with_the_function_on_single_word_topics(agg):
    topic = HandTopic()
    links = [
        link("http://e.com/opening/", "a game", around="on the board"),
        link("http://e.com/game/", "play"),
        link("http://e.com/x/", "nothing here"),
        link("http://e.com/y/", title="opening book", extra="rook"),
    ]
    scores = make_rw(agg=agg).score(links, page(), topic)
    for one, score in zip(links, scores, strict=True):
        expected = rw(metadata_tokens(one), topic.related, agg=agg)
        assert score.value == pytest.approx(expected.value)
        assert score.parts.get("raw", 0.0) == pytest.approx(expected.parts["raw"])


def test_phrase_and_part_of_a_url_token_count_as_topic_words():
    topic = HandTopic(weights={"queen gambit": 1.0, "chess": 1.0}, related={})
    links = [link("http://e.com/", "the queen gambit"), link("http://e.com/onlinechess/")]
    assert [s.value for s in make_rw().score(links, page(), topic)] == [1.0, 1.0]


def test_mean_counts_unknown_words_as_0():
    assert raw_relatedness(["nba", "unknown"], R, agg="mean") == pytest.approx(0.45)


@pytest.mark.parametrize("options", [{"c": 2.0}, {"agg": "median"}, {"k": 0}])
def test_wrong_options_are_refused(options):
    with pytest.raises(ConfigError, match=r"\[scorers\.rw\]"):
        make_rw(**options)
