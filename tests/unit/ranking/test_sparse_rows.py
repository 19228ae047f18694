"""Rows of named values times weights."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from focuscrawl.ranking.sparse_rows import SparseRows

NAMES = "abcdef"
values = st.floats(-10.0, 10.0)
rows_of = st.lists(st.lists(st.tuples(st.sampled_from(NAMES), values), max_size=5), max_size=12)


def test_by_hand() -> None:
    rows = SparseRows()
    assert [rows.add([("tea", 1.0), ("green", 0.5)]), rows.add([]), rows.add([("tea", 2.0), ("tea", 1.0)])] == [0, 1, 2]
    assert rows.times({"tea": 3.0, "green": 4.0, "unknown": 9.0}).tolist() == [5.0, 0.0, 9.0]
    assert rows.columns == 2


def test_nothing_is_no_rows() -> None:
    rows = SparseRows()
    assert rows.times({"tea": 1.0}).tolist() == []
    rows.keep(np.zeros(0, dtype=np.intp))
    assert len(rows) == 0
    rows.add([])
    assert rows.times({}).tolist() == [0.0]


@given(rows_of, st.dictionaries(st.sampled_from(NAMES), values), st.data())
def test_as_a_sparse_matrix_has_it_before_and_after_rows_are_dropped(
    given_rows: list[list[tuple[str, float]]], weights: dict[str, float], data: st.DataObject
) -> None:
    rows = SparseRows()
    dense = np.zeros((len(given_rows), len(NAMES)))
    for number, row in enumerate(given_rows):
        assert rows.add(row) == number
        for name, value in row:
            dense[number, NAMES.index(name)] += value
    vector = np.array([weights.get(name, 0.0) for name in NAMES])
    expected = csr_array(dense) @ vector if len(given_rows) else np.zeros(0)
    assert rows.times(weights) == pytest.approx(expected, abs=1e-9)
    order = data.draw(st.permutations(range(len(given_rows)))) if given_rows else []
    kept = np.array(order[: len(order) // 2], dtype=np.intp)
    rows.keep(kept)
    assert len(rows) == len(kept)
    assert rows.columns == len({name for number in kept for name, _ in given_rows[number]})
    assert rows.times(weights) == pytest.approx(expected[kept], abs=1e-9)
    assert rows.add([("a", 1.0)]) == len(kept)
    assert rows.times({"a": 2.0})[-1] == pytest.approx(2.0, abs=1e-9)
