from __future__ import annotations

from math import isclose, log

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics.pairwise import cosine_similarity

from focuscrawl.text.vectors import (
    combine,
    dot,
    heaviest,
    mean,
    norm,
    term_frequencies,
    tf_idf,
    unit,
)

VECTORS = st.dictionaries(st.sampled_from("abcdef"), st.floats(0, 1e6), max_size=6)


def test_rocchio_example() -> None:
    moved = combine([(1, {"x": 1.0}), (0.75, {"x": 2.0, "y": 1.0}), (-0.15, {"x": 1.0, "y": 3.0})], clip=True)
    assert moved == pytest.approx({"x": 2.35, "y": 0.30})


def test_frequencies() -> None:
    assert term_frequencies("aab") == {"a": 2, "b": 1}
    assert term_frequencies("aab", sublinear=True) == {"a": 1 + log(2), "b": 1}
    assert tf_idf("aab", {"a": 2.0, "b": 0.0}.__getitem__) == {"a": 4.0}


def test_empty_vectors() -> None:
    assert unit({}) == {}
    assert unit({"a": 0.0}) == {}
    assert mean([]) == {}


def test_tiny_and_huge_weights_neither_vanish_nor_overflow() -> None:
    assert unit({"a": 1e-200}) == {"a": 1.0}
    assert unit({"a": 1e200, "b": 1e200})["a"] == pytest.approx(0.5**0.5)


@given(VECTORS, VECTORS)
@settings(deadline=None)  # other work on the machine is no fault of ours
def test_products_of_units_are_cosines(a: dict[str, float], b: dict[str, float]) -> None:
    ours = dot(unit(a), unit(b))
    assert isclose(ours, dot(unit(b), unit(a)), abs_tol=1e-12)
    rows = [[vector.get(key, 0.0) for key in "abcdef"] for vector in (unit(a), unit(b))]
    assert isclose(ours, float(cosine_similarity(rows[:1], rows[1:])[0, 0]), abs_tol=1e-9)


@given(VECTORS)
@settings(deadline=None)  # other work on the machine is no fault of ours
def test_units_have_length_one(vector: dict[str, float]) -> None:
    assert not unit(vector) or isclose(norm(unit(vector)), 1)


def test_dot_mean_and_heaviest() -> None:
    assert dot({"a": 2, "b": 1}, {"a": 3}) == 6
    assert mean([{"a": 1.0}, {"a": 3.0, "b": 2.0}]) == {"a": 2.0, "b": 1.0}
    assert heaviest({"b": 1.0, "a": 1.0, "c": 2.0}, 2) == [("c", 2.0), ("a", 1.0)]
