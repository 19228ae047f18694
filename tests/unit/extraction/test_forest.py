from __future__ import annotations

import numpy as np
import pytest

from focuscrawl.extraction.forest import Forest

# x0 <= 1 -> -1, else (x1 <= 2 -> +2, else +3)
TREE = {"feature": [0, 1], "threshold": [1.0, 2.0], "value": [-1.0, 2.0, 3.0], "path": [[0], [~0, 1], [~0, ~1]]}
STUMP = {"feature": [], "threshold": [], "value": [0.5], "path": [[]]}


def test_each_row_reaches_one_leaf_of_each_tree() -> None:
    forest = Forest({"base": 0.25, "features": 2, "trees": [TREE, STUMP]})
    rows = np.array([[1.0, 9.0], [1.5, 2.0], [1.5, 2.5]], np.float32)
    expected = 1.0 / (1.0 + np.exp(-(np.array([-1.0, 2.0, 3.0]) + 0.75)))
    assert forest.probabilities(rows) == pytest.approx(expected)


def test_long_pages_are_done_in_parts() -> None:
    forest = Forest({"base": 0.0, "features": 2, "trees": [TREE]})
    rows = np.random.default_rng(0).uniform(0, 4, (1300, 2)).astype(np.float32)
    raw = np.where(rows[:, 0] <= 1, -1.0, np.where(rows[:, 1] <= 2, 2.0, 3.0))
    assert forest.probabilities(rows) == pytest.approx(1.0 / (1.0 + np.exp(-raw)))
    assert len(forest.probabilities(rows[:0])) == 0


def test_a_model_that_does_not_fit_together_is_refused() -> None:
    with pytest.raises(ValueError, match="different length"):
        Forest({"base": 0.0, "features": 2, "trees": [TREE | {"value": [1.0]}]})
    with pytest.raises(ValueError, match="feature 1 of 1"):
        Forest({"base": 0.0, "features": 1, "trees": [TREE]})
