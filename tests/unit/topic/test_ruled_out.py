from __future__ import annotations

import pytest

from focuscrawl.text.tokenize import make_auto
from focuscrawl.topic.own_words import own_words
from focuscrawl.topic.ruled_out import wanted_clauses, wanted_sentences

TOKENIZER = make_auto()


@pytest.mark.parametrize(
    ("description", "words"),
    [
        ("Locks on canals in Wales, but not railways, roads or bridges.", {"lock", "canal", "wale"}),
        ("Locks on canals except railways. Bridges are not wanted.", {"lock", "canal"}),
        ("Locks (not bridges) on canals.", {"lock", "canal"}),
        ("Not only locks, but canals.", {"lock", "canal"}),
        ("茶叶的冲泡，不包括咖啡，也收茶具。", {"茶叶", "冲泡", "茶具"}),
        ("茶叶的冲泡不包括咖啡。茶几除外。", {"茶叶", "冲泡"}),
    ],
)
def test_a_clause_that_rules_out_gives_no_words_and_the_others_do(description: str, words: set[str]) -> None:
    found = own_words("", description, tokens=TOKENIZER.tokens, idf=lambda word: 5.0 if len(word) > 1 else 0.0)
    assert words <= set(found)
    assert not {"railway", "road", "bridge", "咖啡", "茶几"} & set(found)


@pytest.mark.parametrize(
    ("sentence", "wanted"),
    [
        ("围棋，不要象棋，重点是定式", "围棋，重点是定式"),
        ("围棋，不要象棋，也不要跳棋", "围棋"),
        ("茶叶（不含茶几）与茶具", "茶叶与茶具"),
        ("Tea, not coffee, cocoa or milk", "Tea"),
        ("Tea; not coffee, cocoa or milk; cups of any kind", "Tea; cups of any kind"),
    ],
)
def test_a_clause_that_rules_out_ends_with_its_list(sentence: str, wanted: str) -> None:
    assert wanted_sentences(sentence) == [wanted]


def test_nothing_is_left_of_a_description_that_only_rules_out() -> None:
    assert wanted_clauses("No railways. 除咖啡以外") == []


def test_a_full_stop_within_a_word_ends_no_sentence() -> None:
    assert wanted_clauses("Servers in Node.js and Go 1.22, not in PHP. Their tests.") == [
        "Servers in Node.js and Go 1.22",
        "Their tests",
    ]
