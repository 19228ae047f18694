"""The on-line logistic model over links."""

from __future__ import annotations

import json
import math
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression

from focuscrawl.ranking.link_model import LinkExample, LinkModel, sigmoid


def test_with_nothing_learned_it_is_its_prior() -> None:
    model = LinkModel({"anchor": 2.0, "parent": 1.0}, rate=0.3, pull=0.01)
    example = LinkExample({"anchor": 0.5, "parent": 1.0, "new": 1.0}, ["tea"], ["green", "tea"])
    assert model.logit(example) == pytest.approx(2.0)


def test_one_step_by_hand() -> None:
    model = LinkModel({"a": 1.0}, rate=0.5, pull=0.0)
    predicted = model.learn(LinkExample({"a": 1.0}), 0.0)
    error = 1.0 / (1.0 + math.exp(-1.0))
    assert predicted == pytest.approx(error)
    assert model.dense_logit({"a": 1.0}) == pytest.approx(1.0 - 0.5 * error / math.sqrt(1.0 + error * error))


def test_what_the_offset_explains_is_not_learned() -> None:
    surprised, expected = (LinkModel({}, rate=0.3, pull=0.0) for _ in range(2))
    surprised.learn(LinkExample({"a": 1.0}), 1.0)
    expected.learn(LinkExample({"a": 1.0}), 1.0, offset=5.0)
    assert 0.0 < expected.dense_logit({"a": 1.0}) < 0.1 * surprised.dense_logit({"a": 1.0})


def test_it_agrees_with_batch_logistic_regression_on_the_order() -> None:
    rng = random.Random(5)
    true = {"a": 2.0, "b": -1.5, "c": 0.0, "d": 1.0}
    rows, outcomes = [], []
    for _ in range(4000):
        row = {name: rng.random() for name in true}
        rows.append(row)
        outcomes.append(int(rng.random() < sigmoid(sum(true[n] * v for n, v in row.items()) - 0.7)))
    model = LinkModel({"bias": 0.0}, rate=0.5, pull=0.0, limit=10.0)
    for row, outcome in zip(rows, outcomes, strict=True):
        model.learn(LinkExample({**row, "bias": 1.0}), float(outcome))
    batch = LogisticRegression().fit([[r[n] for n in true] for r in rows], outcomes)
    ours = [model.dense_logit({n: 1.0}) for n in true]
    assert np.corrcoef(ours, batch.coef_[0])[0, 1] > 0.97


def test_words_of_anchor_and_url_are_told_apart() -> None:
    model = LinkModel({}, rate=0.5, pull=0.0)
    for _ in range(20):
        model.learn(LinkExample({}, ["tea"], []), 1.0)
    by_text, by_url = model.words_logits(["tea"], ["tea"])
    assert by_text > 1.0
    assert by_url == 0.0


@given(st.lists(st.tuples(st.booleans(), st.sampled_from("abc")), max_size=60))
def test_no_weight_leaves_its_bounds_and_state_survives_json(history: list[tuple[bool, str]]) -> None:
    model = LinkModel({"a": 1.0}, rate=2.0, pull=0.01, limit=0.5)
    for outcome, name in history:
        model.learn(LinkExample({name: 1.0}, [name], [name]), float(outcome))
    assert 0.5 <= model.dense_logit({"a": 1.0}) <= 1.5
    other = LinkModel({"a": 1.0}, rate=2.0, pull=0.01, limit=0.5)
    other.restore(json.loads(json.dumps(model.snapshot())))
    for name in "abc":
        example = LinkExample({name: 1.0}, [name], [name])
        assert other.logit(example) == pytest.approx(model.logit(example), abs=1e-4)


@given(st.floats(-800, 800))
def test_sigmoid_is_finite_and_symmetric(z: float) -> None:
    assert 0.0 <= sigmoid(z) <= 1.0
    assert sigmoid(z) + sigmoid(-z) == pytest.approx(1.0)
