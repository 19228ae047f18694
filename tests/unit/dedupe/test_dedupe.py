"""Exact and near duplicates."""

from __future__ import annotations

import operator
import random
import struct
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.dedupe.exact import content_digest
from focuscrawl.dedupe.near import PERMUTATIONS, SHINGLE, Near, NearDuplicates, bands_for, signature_of


def test_digest_ignores_case_width_and_white_space() -> None:
    assert content_digest("Ｈｅｌｌｏ　world 围棋") == content_digest("hello\n\nWORLD围棋")
    assert content_digest("围棋") != content_digest("象棋")
    assert content_digest(" \n\t　") == ""
    assert len(content_digest("围棋")) == 16


@given(st.text())
def test_digest_of_any_text_ignores_white_space_around_it(text: str) -> None:
    assert len(content_digest(text)) in (0, 16)
    assert content_digest(f"\n {text}\t") == content_digest(text)


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


def _like(text: list[str], rng: random.Random, changes: int) -> list[str]:
    changed = list(text)
    for at in rng.sample(range(len(text)), changes):
        changed[at] = f"other{rng.randrange(100)}"
    return changed


def _brute_force(signature: tuple[int, ...], kept: dict[int, tuple[int, ...]]) -> Near | None:
    """Return what comparing with every text finds, number by number."""
    best: Near | None = None
    for key in sorted(kept):
        similarity = sum(map(operator.eq, signature, kept[key])) / len(signature)
        if similarity >= 0.85 and (best is None or similarity > best.similarity):
            best = Near(key, similarity)
    return best


def test_nearly_all_is_found_that_comparing_with_every_text_finds() -> None:
    rng = random.Random(5)
    texts = [_words(seed, 200) for seed in range(15)]
    index, kept = NearDuplicates(), dict[int, tuple[int, ...]]()
    found = missed = 0
    for key in range(300):
        text = _like(rng.choice(texts), rng, rng.randrange(12))
        numbers = struct.unpack("<64I", signature_of(text))
        expected, near = _brute_force(numbers, kept), index.check(key, text)
        if near is None:
            missed += expected is not None
            kept[key] = numbers
        else:
            assert expected is not None
            assert near.similarity <= expected.similarity
            found += 1
    assert set(kept) == set(index._signatures)
    assert found > 60
    assert missed <= 0.1 * found


@pytest.mark.parametrize("threshold", [0.5, 0.7, 0.85, 0.95])
def test_texts_at_the_threshold_are_compared_nine_times_in_ten(threshold: float) -> None:
    bands, rows = bands_for(threshold)
    assert bands * rows <= PERMUTATIONS
    rng = random.Random(7)
    drawn = [[[rng.random() < threshold for _ in range(rows)] for _ in range(bands)] for _ in range(4000)]
    assert sum(any(all(band) for band in one) for one in drawn) / len(drawn) >= 0.88


def test_signatures_are_the_same_in_every_process() -> None:
    # Workers of a fleet compare theirs: another release of a library, or an edit, must not change them unnoticed.
    signature = signature_of([f"w{n}" for n in range(100)])
    assert signature[:8].hex() == "608f14013e6d5601"
    assert len(signature) == 256


def test_texts_of_others_are_added_and_forgotten() -> None:
    index, texts = NearDuplicates(), [_words(seed, 60) for seed in range(6)]
    texts += [_like(texts[0], random.Random(n), 1) for n in range(6)]
    for key, text in enumerate(texts):
        index.add(key, signature_of(text))
        index.add(key, signature_of(text))
    assert len(index) == 12
    assert index.signature(3) == signature_of(texts[3])
    assert index.check(99, texts[3]) == Near(3, 1.0)
    for key in range(12):
        index.remove(key)
        index.remove(key)
        assert index.signature(key) is None
    assert not any(index._bands)
    assert index.check(99, texts[3]) is None
    with pytest.raises(ValueError, match="256 bytes, this one 3"):
        index.add(5, b"abc")


def test_signatures_load_no_masked_arrays() -> None:
    code = (
        "import sys; from focuscrawl.dedupe.near import *; signature_of(['a'] * 50); print('numpy.ma' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout.split() == [b"False"]
