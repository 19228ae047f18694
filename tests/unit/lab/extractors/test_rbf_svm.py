from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.preprocessing import MinMaxScaler
from sklearn.svm import SVC

from focuscrawl.lab.extractors.density_training import fit_svm
from focuscrawl.lab.extractors.rbf_svm import RbfSvm, gamma, kernel, scale


def samples(count: int = 200, seed: int = 0) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    rows = rng.uniform(0.0, 3.0, (count, 5))
    return rows, np.where(rows[:, 0] + rng.normal(0.0, 0.4, count) > 1.8, 1, -1)


@pytest.mark.parametrize(("sigma", "value"), [(1.6, 0.1953125), (1.2, 0.3472222)])
def test_gamma_worked_examples(sigma: float, value: float) -> None:
    assert gamma(sigma) == pytest.approx(value, abs=5e-8)


def test_kernel_at_unit_distance() -> None:
    assert kernel(np.zeros((1, 5)), np.eye(1, 5), 1.6)[0, 0] == pytest.approx(0.822578, abs=5e-7)


@given(st.floats(0.2, 3.0), st.integers(0, 99))
def test_kernel_is_symmetric_one_for_the_same_and_that_of_scikit_learn(sigma: float, seed: int) -> None:
    rows = np.random.default_rng(seed).uniform(0.0, 1.0, (6, 5))
    values = kernel(rows, rows, sigma)
    assert values == pytest.approx(values.T)
    assert np.diag(values) == pytest.approx(np.ones(6))
    assert ((values > 0.0) & (values <= 1.0)).all()
    assert values == pytest.approx(rbf_kernel(rows, gamma=1.0 / (2.0 * sigma**2)))


def test_scaling_worked_example() -> None:
    assert scale(np.array([[0.275]]), np.array([0.05]), np.array([0.95])) == pytest.approx(np.array([[0.25]]))
    # one value only: 0; outside the training's bounds: clipped
    rows = np.array([[0.7, 9.0], [0.2, -9.0]])
    assert scale(rows, np.array([0.5, 0.0]), np.array([0.5, 1.0])).tolist() == [[0.0, 1.0], [0.0, 0.0]]


@given(st.integers(0, 99))
def test_scaling_is_that_of_scikit_learn(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows, others = rng.normal(0.0, 2.0, (9, 5)), rng.normal(0.0, 3.0, (7, 5))
    theirs = MinMaxScaler(clip=True).fit(rows).transform(others)
    assert scale(others, rows.min(0), rows.max(0)) == pytest.approx(theirs)


@pytest.mark.parametrize("count", [1, 300])
def test_decisions_are_those_of_scikit_learn(count: int) -> None:
    rows, labels = samples()
    others = np.random.default_rng(1).uniform(-1.0, 4.0, (count, 5))
    scaler = MinMaxScaler(clip=True).fit(rows)
    theirs = SVC(C=3.0, gamma=0.1953125, class_weight="balanced").fit(scaler.transform(rows), labels)
    ours = fit_svm(rows, labels, c=3.0, sigma=1.6)
    assert ours.decide(others) == pytest.approx(theirs.decision_function(scaler.transform(others)), abs=1e-4)
    assert len(ours.decide(others[:0])) == 0


def test_a_decision_is_the_sum_over_the_vectors() -> None:
    machine = RbfSvm(
        1.0, 0.5, 0.25, np.zeros(2), np.full(2, 2.0), np.array([[0.0, 0.0], [1.0, 1.0]]), np.array([2.0, -1.0])
    )
    expected = 2.0 * math.exp(-2 * 0.25) - math.exp(-2 * (0.25 + 1.0)) + 0.25
    assert machine.decide(np.array([[1.0, 0.0]])) == pytest.approx([expected])


def test_numbers_go_to_json_and_back() -> None:
    rows, labels = samples()
    machine = fit_svm(rows, labels, c=3.0, sigma=1.6)
    back = RbfSvm.from_json(json.loads(json.dumps(machine.to_json())), features=(5,))
    assert (back.c, back.sigma, back.features) == (3.0, 1.6, 5)
    assert back.decide(rows) == pytest.approx(machine.decide(rows), abs=0.02)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"bias": None}, '"bias" has to be a finite number'),
        ({"bias": [1.0]}, '"bias" has to be a finite number'),
        ({"c": "much"}, '"c" holds something that is no number'),
        ({"sigma": 0}, '"c" and "sigma" have to be above 0'),
        ({"minimum": [0.0] * 4}, '"minimum" has to hold 5 numbers'),
        ({"maximum": [1.0] * 4}, "differ in length"),
        ({"weights": []}, '"weights" has to be a list'),
        ({"weights": [10**400]}, '"weights" holds something that is no number'),
        ({"weights": [float("nan")]}, '"weights" has to be finite'),
        ({"vectors": [[0.0] * 5] * 2}, '"vectors" has to hold 1 lists of 5'),
        ({"vectors": [[0.0], [0.0, 1.0]]}, '"vectors" holds something that is no number'),
    ],
)
def test_numbers_that_do_not_fit_together_are_refused(change: dict[str, object], message: str) -> None:
    good = {"c": 1, "sigma": 1, "bias": 0, "minimum": [0] * 5, "maximum": [1] * 5, "vectors": [[0] * 5], "weights": [1]}
    assert RbfSvm.from_json(good, features=(5,)).decide(np.zeros((1, 5))) == pytest.approx([1.0])
    with pytest.raises(ValueError, match=message):
        RbfSvm.from_json(good | change, features=(5,))
    with pytest.raises(ValueError, match="is missing"):
        RbfSvm.from_json({name: good[name] for name in good if name not in change}, features=(5,))
    with pytest.raises(ValueError, match="an object"):
        RbfSvm.from_json([], features=(5,))
