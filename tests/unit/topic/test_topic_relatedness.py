"""R(t) of docs/formulas.md B.6: worked examples, properties, edge cases."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.topic.relatedness import (
    CAP,
    CilinCodes,
    cilin_level,
    cilin_similarity,
    lsa_to_terms,
    npmi,
    npmi_to_terms,
    odds,
    odds_of_share,
    relatedness,
)


def test_odds_worked_example():
    assert odds(8, 10, 2, 100) == pytest.approx(0.937923, abs=1e-6)


def test_odds_of_a_word_in_one_sample_is_zero():
    assert odds(1, 10, 0, 100) == 0.0
    assert odds_of_share(1, 10, 0.001) == 0.0


def test_odds_of_a_word_commoner_elsewhere_is_zero():
    assert odds(2, 10, 90, 100) == 0.0


@given(st.integers(0, 50), st.integers(0, 1000))
def test_odds_stay_in_range(df_topic: int, df_background: int):
    assert 0.0 <= odds(df_topic, 50, df_background, 1000) < 1.0


def test_npmi_worked_example():
    assert npmi(1000, 50, 40, 20) == pytest.approx(0.588592, abs=1e-6)


def test_npmi_edge_cases():
    assert npmi(1000, 50, 40, 2) == 0.0  # too few pairs
    assert npmi(10, 10, 10, 10) == 1.0  # always together
    assert npmi(1000, 500, 500, 100) == 0.0  # less often together than by chance
    assert npmi(0, 0, 0, 0) == 0.0


def test_npmi_counts_windows_of_ten_tokens():
    near = ["chess", "rook", *"abcdefgh"]
    far = ["chess", *"abcdefghi", "rook", *"abcdefghi"]
    background = [[f"w{n}" for n in range(1000)]]
    assert "rook" in npmi_to_terms([near] * 3 + background, {"chess": 1.0})
    assert "rook" not in npmi_to_terms([far] * 3 + background, {"chess": 1.0})


def test_lsa_needs_five_documents():
    assert lsa_to_terms([["chess", "rook"]] * 4, {"chess": 1.0}) == {}


def test_lsa_relates_words_of_the_same_documents():
    documents = [["chess", "rook", "pawn"], ["chess", "rook"], ["rook", "chess", "pawn"]]
    documents += [["soup", "salt"], ["soup", "salt", "oven"], ["oven", "soup"]]
    found = lsa_to_terms(documents, {"chess": 1.0})
    assert found["rook"] == pytest.approx(1.0, abs=0.05)
    assert found.get("soup", 0.0) < 0.1


def test_lsa_agrees_with_a_full_decomposition():
    import numpy as np

    documents = [list("aabc"), list("abd"), list("cde"), list("eeb"), list("acd"), list("dee")]
    words = list("abcde")
    df = {w: sum(w in d for d in documents) for w in words}
    matrix = np.array([[d.count(w) * math.log(len(documents) / df[w]) for d in documents] for w in words])
    u, s, _ = np.linalg.svd(matrix, full_matrices=False)
    vectors = (u * s)[:, : min(matrix.shape) - 1]
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    found = lsa_to_terms(documents, {"a": 0.5})
    for word, vector in zip(words, vectors, strict=True):
        assert found.get(word, 0.0) == pytest.approx(0.5 * max(0.0, float(vector @ vectors[0])), abs=1e-6)


@pytest.mark.parametrize(
    ("a", "b", "n", "k", "expected"),
    [("Aa01A01=", "Aa01B01=", 5, 2, 0.717260), ("Aa01A01=", "Ab01A01=", 10, 3, 0.512100)],
)
def test_cilin_worked_examples(a: str, b: str, n: int, k: int, expected: float):
    assert cilin_similarity(a, b, branches=n, distance=k) == pytest.approx(expected, abs=1e-6)


def test_cilin_marks_and_roots():
    assert cilin_similarity("Aa01A01=", "Aa01A01=", branches=1, distance=0) == 1.0
    assert cilin_similarity("Aa01A01#", "Aa01A01#", branches=1, distance=0) == 0.5
    assert cilin_similarity("Aa01A01@", "Aa01A01@", branches=1, distance=0) == 0.0
    assert cilin_similarity("Aa01A01=", "Ba01A01=", branches=9, distance=1) == 0.1
    assert [cilin_level("Aa01A01=", c) for c in ("Ba01A01=", "Ab01A01=", "Aa02A01=", "Aa01B01=", "Aa01A02=")] == [
        1, 2, 3, 4, 5,
    ]  # fmt: skip


def test_cilin_lexicon_takes_the_best_pair_of_codes():
    lexicon = CilinCodes({"car": ["Aa01A01=", "Ba01A01="], "auto": ["Aa01A01="], "cart": ["Aa01B01="]})
    assert lexicon("car", "auto") == 1.0
    assert 0.0 < lexicon("car", "cart") < 1.0
    assert lexicon("car", "unknown") == 0.0
    assert lexicon("car", "cart") == lexicon("cart", "car")


def test_topic_words_are_one_and_learned_values_are_capped():
    samples = [["chess", "rook"]] * 50
    found = relatedness({"chess": 1.0}, topic_words=["chess"], samples=samples, background_share=lambda _: 1e-6)
    assert found["chess"] == 1.0
    assert found["rook"] == CAP


def test_a_lexicon_is_not_capped_and_scaled_by_the_terms_weight():
    found = relatedness({"chess": 0.5}, topic_words=["chess"], samples=[["draughts"]], lexicon=lambda _a, _b: 1.0)
    assert found["draughts"] == 0.5


def test_words_of_a_lexicon_that_no_sample_has_are_related():
    found = relatedness({"chess": 0.5}, topic_words=["chess"], samples=[], near={"draughts": 0.4, "chess": 0.1})
    assert found == {"chess": 1.0, "draughts": 0.4}


def test_stop_words_are_not_related():
    samples = [["chess", "the"]] * 5
    found = relatedness(
        {"chess": 1.0},
        topic_words=["chess"],
        samples=samples,
        background_share=lambda _: 0.01,
        stop_words=frozenset({"the"}),
    )
    assert "the" not in found


def test_background_documents_take_the_place_of_the_shares():
    samples = [["chess", "rook"], ["rook"]]
    common = relatedness({"chess": 1.0}, topic_words=["chess"], samples=samples, background=[["rook"]] * 20)
    rare = relatedness({"chess": 1.0}, topic_words=["chess"], samples=samples, background=[["soup"]] * 20)
    assert common.get("rook", 0.0) < rare["rook"]


def test_no_samples_and_no_lexicon_leave_the_topic_words():
    assert relatedness({"chess": 1.0}, topic_words=["chess"], samples=[]) == {"chess": 1.0}
