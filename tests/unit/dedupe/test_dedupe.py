"""Exact and near duplicates."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.dedupe.exact import content_digest
from focuscrawl.dedupe.near import SHINGLE, NearDuplicates


def test_digest_ignores_case_width_and_white_space() -> None:
    assert content_digest("Ｈｅｌｌｏ　world 围棋") == content_digest("hello\n\nWORLD围棋")
    assert content_digest("围棋") != content_digest("象棋")
    assert content_digest(" \n\t　") == ""
    assert len(content_digest("围棋")) == 16


@given(st.text())
def test_digest_never_fails(text: str) -> None:
    assert content_digest(text) == content_digest(text)


def _words(seed: int, n: int) -> list[str]:
    rng = random.Random(seed)
    return [f"w{rng.randrange(5000)}" for _ in range(n)]


def test_a_text_with_a_changed_sentence_is_a_near_duplicate() -> None:
    index = NearDuplicates()
    text = _words(1, 400)
    assert index.check(1, text) is None
    changed = [*text[:200], "new", "words", *text[200:]]
    near = index.check(2, changed)
    assert near is not None
    assert near.key == 1
    assert near.similarity >= 0.85
    assert len(index) == 1


def test_other_texts_and_stubs_are_kept() -> None:
    index = NearDuplicates()
    assert index.check(1, _words(1, 300)) is None
    assert index.check(2, _words(2, 300)) is None
    assert index.check(3, ["to", "be"]) is None
    assert index.check(4, ["to", "be"]) is None
    assert len(index) == 2


def test_estimate_agrees_with_the_true_jaccard_similarity() -> None:
    def shingles(tokens: list[str]) -> set[tuple[str, ...]]:
        return {tuple(tokens[i : i + SHINGLE]) for i in range(len(tokens) - SHINGLE + 1)}

    text = _words(3, 500)
    changed = [*text[:450], *_words(4, 20)]
    true = len(shingles(text) & shingles(changed)) / len(shingles(text) | shingles(changed))
    index = NearDuplicates(threshold=0.5)
    index.check(1, text)
    near = index.check(2, changed)
    assert near is not None
    assert abs(near.similarity - true) < 0.2  # three standard errors of 64 permutations
