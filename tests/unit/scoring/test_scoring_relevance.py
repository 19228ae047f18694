"""RW (docs/formulas.md B.5)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from link_kit import HandTopic, link, page

from focuscrawl.errors import ConfigError
from focuscrawl.page.model import Link
from focuscrawl.scoring.relevance import aggregate, make_rw, metadata_tokens

R = {"nba": 0.9, "score": 0.4, "today": 0.05}


def _topic(related: Mapping[str, float]) -> HandTopic:
    return HandTopic(weights={}, related=related)


def _bare(text: str) -> Link:
    """Return a link with no words but those of its text."""
    return replace(link("http://e.com/", text), url_tokens=())


@pytest.mark.parametrize(
    ("agg", "k", "raw", "value"), [("max", 3, 0.9, 0.9), ("mean", 3, 0.45, 0.0), ("topk", 2, 0.65, 0.65)]
)
def test_worked_example(agg, k, raw, value):
    [score] = make_rw(c=0.5, agg=agg, k=k).score([_bare("nba score today nba")], page(), _topic(R))
    assert score.parts["raw"] == pytest.approx(raw, abs=1e-9)
    assert score.value == pytest.approx(value, abs=1e-9)


@pytest.mark.parametrize("agg", ["max", "mean", "topk"])
def test_threshold_itself_is_relevant(agg):
    [score] = make_rw(c=0.5, agg=agg).score([_bare("w")], page(), _topic({"w": 0.5}))
    assert score.value == 0.5


@pytest.mark.parametrize("agg", ["max", "mean", "topk"])
def test_no_words_give_0(agg):
    assert make_rw(agg=agg).score([_bare("")], page(), _topic(R))[0].value == 0.0


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
def test_words_of_all_metadata_count_once(agg):
    topic = HandTopic()
    links = [
        link("http://e.com/opening/", "a game", around="on the board"),
        link("http://e.com/game/", "play"),
        link("http://e.com/x/", "nothing here"),
        link("http://e.com/y/", title="opening book", extra="rook"),
    ]
    scores = make_rw(agg=agg).score(links, page(), topic)
    for one, score in zip(links, scores, strict=True):
        raw = aggregate([topic.related.get(word, 0.0) for word in set(metadata_tokens(one))], agg=agg)
        assert score.value == pytest.approx(raw if raw >= 0.5 else 0.0)
        assert score.parts.get("raw", 0.0) == pytest.approx(raw)


def test_phrase_and_part_of_a_url_token_count_as_topic_words():
    topic = HandTopic(weights={"queen gambit": 1.0, "chess": 1.0}, related={})
    links = [link("http://e.com/", "the queen gambit"), link("http://e.com/onlinechess/")]
    assert [s.value for s in make_rw().score(links, page(), topic)] == [1.0, 1.0]


def test_mean_counts_unknown_words_as_0():
    [score] = make_rw(agg="mean").score([_bare("nba unknown")], page(), _topic(R))
    assert score.parts["raw"] == pytest.approx(0.45)


@pytest.mark.parametrize("options", [{"c": 2.0}, {"agg": "median"}, {"k": 0}])
def test_wrong_options_are_refused(options):
    with pytest.raises(ConfigError, match=r"\[scorers\.rw\]"):
        make_rw(**options)
