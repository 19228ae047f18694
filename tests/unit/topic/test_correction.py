"""Correction of a judge by examples."""

from __future__ import annotations

from math import exp

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from focuscrawl.topic.correction import Correction, fit_correction, gram, log_odds, moved

_values = st.floats(-2.0, 2.0).map(lambda value: round(value, 3))
_traits = st.dictionaries(st.sampled_from("abcdefgh"), _values, max_size=6)
_examples = st.lists(st.tuples(_traits, st.floats(0.0, 1.0), st.booleans()), min_size=1, max_size=12)


def test_one_example_worked_by_hand() -> None:
    # w maximises ln(1 / (1 + e^-w)) - w^2 / 2, so w = 1 - 1 / (1 + e^-w): 0.40105814, to eight digits.
    w = fit_correction([{"always": 1.0}], [0.5], [True]).weights["always"]
    assert w == pytest.approx(0.40105814, abs=1e-7)
    assert w == pytest.approx(1.0 - 1.0 / (1.0 + exp(-w)))


def test_no_examples_move_nothing() -> None:
    correction = fit_correction([], [], [])
    assert correction == Correction()
    assert correction.shift({"anything": 1.0}) == 0.0


@given(st.floats(0.0, 1.0))
def test_nothing_to_add_leaves_a_relevance_as_it_is(p: float) -> None:
    assert moved(p, 0.0) == p


@given(st.floats(0.0, 1.0), st.floats(-5.0, 5.0).filter(bool))
def test_a_moved_relevance_has_the_odds_it_should(p: float, shift: float) -> None:
    q = moved(p, shift)
    assert 0.0 < q < 1.0
    assert np.log(q / (1.0 - q)) == pytest.approx(log_odds(p) + shift, abs=1e-6)


@settings(max_examples=60)
@given(_examples)
def test_the_fit_is_the_maximum(examples: list[tuple[dict[str, float], float, bool]]) -> None:
    # Of a concave function the gradient is 0 there only: w = sum of (label - p) x.
    traits, before, labels = map(list, zip(*examples, strict=True))
    correction = fit_correction(traits, before, labels)
    expected: dict[str, float] = {}
    for known, p0, label in examples:
        p = moved(p0, correction.shift(known)) if correction.shift(known) else moved(p0, 1e-300)
        for name, value in known.items():
            expected[name] = expected.get(name, 0.0) + (label - p) * value
    for name, weight in correction.weights.items():
        assert weight == pytest.approx(expected[name], abs=1e-4)


@settings(max_examples=30)
@given(_examples)
def test_a_second_answer_alike_moves_the_page_further(examples: list[tuple[dict[str, float], float, bool]]) -> None:
    traits, before, labels = map(list, zip(*examples, strict=True))
    once = fit_correction(traits, before, labels).shift(traits[0])
    twice = fit_correction([*traits, traits[0]], [*before, before[0]], [*labels, labels[0]]).shift(traits[0])
    assert twice >= once - 1e-6 if labels[0] else twice <= once + 1e-6


def test_it_is_logistic_regression_where_the_judge_knows_nothing() -> None:
    linear_model = pytest.importorskip("sklearn.linear_model")
    rng = np.random.default_rng(11)
    x = rng.normal(size=(40, 7))
    y = x[:, 0] + rng.normal(size=40) > 0.0
    other = linear_model.LogisticRegression(C=1.0, fit_intercept=False, tol=1e-10).fit(x, y)
    ours = fit_correction([{str(j): v for j, v in enumerate(row)} for row in x.tolist()], [0.5] * 40, y.tolist())
    assert [ours.weights[str(j)] for j in range(7)] == pytest.approx(other.coef_[0].tolist(), abs=1e-5)


@given(st.lists(_traits, max_size=6))
def test_products_of_all_pairs(traits: list[dict[str, float]]) -> None:
    names = "abcdefgh"
    dense = np.array([[known.get(name, 0.0) for name in names] for known in traits]).reshape(len(traits), len(names))
    assert np.allclose(gram(traits), dense @ dense.T)
