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
        ("classes", "classe"),
        ("shoes", "shoes"),
        ("trees", "trees"),
        ("aeries", "aery"),
        ("zombeies", "zombeies"),
        ("bus", "bus"),
        ("gas", "gas"),
        ("news", "new"),
        ("running", "running"),
        ("москвы", "москвы"),
        ("", ""),
    ],
)
def test_harmans_rules(word: str, expected: str) -> None:
    assert s_stem(word) == expected


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
