from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from focuscrawl.text import stem
from focuscrawl.text.stem import StemMemo, s_stem


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("recipes", "recipe"),
        ("queries", "query"),
        ("crawlers", "crawler"),
        ("frontiers", "frontier"),
        ("corpus", "corpus"),
        ("class", "class"),
        ("zombeies", "zombey"),
        ("bus", "bus"),
        ("gas", "gas"),
        ("news", "news"),
        ("running", "running"),
        ("москвы", "москвы"),
        ("", ""),
    ],
)
def test_plural_endings_go(word: str, expected: str) -> None:
    assert s_stem(word) == expected


PLURALS = """
recipe/recipes query/queries movie/movies cookie/cookies zombie/zombies pie/pies tie/ties fly/flies box/boxes
class/classes dish/dishes watch/watches cache/caches headache/headaches potato/potatoes shoe/shoes hero/heroes
tree/trees bus/buses virus/viruses gas/gases lens/lenses nurse/nurses house/houses size/sizes analysis/analyses
crisis/crises axis/axes woman/women child/children mouse/mice leaf/leaves criterion/criteria matrix/matrices
series/series species/species nebula/nebulae photo/photos quiz/quizzes flor/flors noche/noches classe/classes
"""


@pytest.mark.parametrize("pair", PLURALS.split())
def test_a_plural_and_its_singular_are_one_word(pair: str) -> None:
    singular, plural = pair.split("/")
    assert s_stem(plural) == s_stem(singular)


@pytest.mark.parametrize("pair", ["new/news", "hi/his", "alia/alias", "care/car", "note/not", "plane/plan"])
def test_words_that_only_look_alike_stay_apart(pair: str) -> None:
    one, other = pair.split("/")
    assert s_stem(one) != s_stem(other)


@given(st.text(st.sampled_from("aeiousy"), max_size=8))
@settings(deadline=None)  # other work on the machine is no fault of ours
def test_stems_never_grow_and_keep_their_start(word: str) -> None:
    stemmed = s_stem(word)
    assert len(stemmed) <= len(word)
    assert word.startswith(stemmed[:-1])


def test_the_memo_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stem, "_MAX_MEMO", 5)
    memo = StemMemo()
    assert [memo[f"words{number}s"] for number in range(20)] == [f"words{number}" for number in range(20)]
    assert len(memo) <= 5
