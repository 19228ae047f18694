"""Words that a sentence relates by a preposition."""

from __future__ import annotations

from itertools import groupby

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.drafting.relations import relations

STOPS = frozenset(
    ["in", "of", "for", "the", "your", "own", "every", "other", "and", "or", "is", "的", "中", "和", "是"]
)


@pytest.mark.parametrize(
    ("clause", "phrase", "group"),
    [
        ("music for children", "music for children", "music children"),
        ("vegetables in your own garden", "vegetables in your own garden", "vegetables garden"),
        # Of long runs, the words that are nearest.
        ("the old folk music of young people everywhere", "folk music of young people", None),
        # What is joined to one of the two is meant with the other, too.
        ("religion and politics in america", "politics in america", "religion politics america"),
        ("战争 和 爱情 的 电影", "爱情 的 电影", "战争 爱情 电影"),
        ("电影 中 的 战争", "电影 中 的 战争", "电影 战争"),
    ],
)
def test_a_preposition_relates_the_words_beside_it(clause: str, phrase: str, group: str | None) -> None:
    (found,) = relations([clause.split()], stops=STOPS)
    assert " ".join(found.tokens) == phrase
    assert found.group == set((group or clause).split()) - STOPS


@pytest.mark.parametrize(
    "clause",
    [
        "music and children",
        "music is for children",  # the verb is first
        "music of and for children",
        "music in every other own children",  # too far
        "for children",
        "music for",
        "战争 是 电影",
        "",
    ],
)
def test_other_words_relate_nothing(clause: str) -> None:
    assert relations([clause.split()], stops=STOPS) == []


def test_each_preposition_of_a_chain_is_a_relation_of_one_group() -> None:
    first, second = relations([["history", "of", "women", "in", "science"]], stops=STOPS)
    assert (first.tokens, second.tokens) == (("history", "of", "women"), ("women", "in", "science"))
    assert first.group == second.group == {"history", "women", "science"}
    assert (first.before, second.before) == (set(), {"history"})


def test_what_is_joined_before_the_left_side_is_told_apart() -> None:
    (found,) = relations([["astronomy", "and", "life", "of", "stars", "and", "moons"]], stops=STOPS)
    assert found.before == {"astronomy"}
    assert found.group == {"astronomy", "life", "stars", "moons"}


def test_what_stands_apart_in_a_clause_is_in_no_group() -> None:
    (found,) = relations([["fishing", "is", "sport", "for", "children"]], stops=STOPS)
    assert found.group == {"sport", "children"}


def test_a_word_that_another_clause_names_is_a_subject() -> None:
    clauses = [["politics"], ["commentary", "in", "politics"], ["old", "commentary"]]
    (found,) = relations(clauses, stops=STOPS)
    assert found.group == {"commentary"}


@given(st.lists(st.sampled_from(["in", "of", "the", "and", "is", "tea", "cup", "art"]), max_size=12))
def test_a_relation_stands_in_its_clause(tokens: list[str]) -> None:
    runs = [list(words) for is_stop, words in groupby(tokens, key=STOPS.__contains__) if not is_stop]
    text = f" {' '.join(tokens)} "
    for found in relations([tokens], stops=STOPS):
        assert f" {' '.join(found.tokens)} " in text
        assert {*found.left, *found.right} <= found.group <= set(tokens) - STOPS
        assert found.before <= found.group
    assert len(relations([tokens], stops=STOPS)) < max(1, len(runs))
