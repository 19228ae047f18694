"""Expressions: parsing, truth (H.2) and p-norm degrees (H.3)."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.errors import ConfigError
from focuscrawl.topic.expression import Group, Not, Term, degree, holds, norm_and, norm_or, parse, terms_of


def true_for(text: str, *words: str) -> bool:
    return holds(parse(text), set(words).__contains__)


def test_not_binds_closer_than_and_and_closer_than_or():
    assert parse("a OR b AND NOT c") == Group("or", (Term("a"), Group("and", (Term("b"), Not(Term("c"))))))


def test_words_in_a_row_are_joined_by_and():
    assert parse("a b") == parse("a AND b")


def test_quotes_hold_phrases_and_operator_words():
    assert list(terms_of(parse('"box office" OR "AND"'))) == ["box office", "AND"]
    assert parse("“国际象棋”") == Term("国际象棋")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a AND", "ends where a word"),
        ("(a OR b", "closing parenthesis"),
        ("a ) b", "')' at character 3"),
        ('"a', "is not closed"),
        ("", "ends where a word"),
        ("OR a", "'OR' at character 1"),
        ("NOT " * 200 + "a", "deeper than 50"),
    ],
)
def test_a_faulty_expression_says_where(text: str, said: str):
    with pytest.raises(ConfigError, match="expression") as fault:
        parse(text)
    assert said in str(fault.value)


def test_truth_of_an_expression():
    assert true_for("(chess OR draughts) AND NOT poker", "chess")
    assert not true_for("(chess OR draughts) AND NOT poker", "chess", "poker")


def test_empty_and_is_true_and_empty_or_false():
    assert holds(Group("and", ()), lambda _: True)
    assert not holds(Group("or", ()), lambda _: True)


@pytest.mark.parametrize(
    ("values", "p", "expected_or", "expected_and"),
    [
        ((1, 0), 1, 0.5, 0.5),
        ((1, 0), 2, 0.707107, 0.292893),
        ((1, 0), 5, 0.870551, 0.129449),
        ((0.8, 0.2), 2, 0.583095, 0.416905),
        ((0.8, 0.2), math.inf, 0.8, 0.2),
    ],
)
def test_p_norm_worked_examples(values: tuple[float, ...], p: float, expected_or: float, expected_and: float):
    weights = [1.0] * len(values)
    assert norm_or(values, weights, p=p) == pytest.approx(expected_or, abs=1e-6)
    assert norm_and(values, weights, p=p) == pytest.approx(expected_and, abs=1e-6)


def test_no_operands_give_zero():
    assert norm_or([], []) == norm_and([], []) == 0.0


DEGREES = st.lists(st.tuples(st.floats(0, 1), st.floats(0.01, 1)), min_size=1, max_size=8)


@given(DEGREES, st.floats(1, 60))
def test_and_is_at_most_or(pairs: list[tuple[float, float]], p: float):
    values, weights = [v for v, _ in pairs], [w for _, w in pairs]
    assert 0.0 <= norm_and(values, weights, p=p) <= norm_or(values, weights, p=p) + 1e-9 <= 1.0 + 1e-9


@given(DEGREES, st.floats(1, 20))
def test_de_morgan(pairs: list[tuple[float, float]], p: float):
    values, weights = [v for v, _ in pairs], [w for _, w in pairs]
    negated = [1.0 - v for v in values]
    assert norm_and(values, weights, p=p) == pytest.approx(1.0 - norm_or(negated, weights, p=p), abs=1e-9)


def test_each_group_may_have_its_own_p():
    node = Group("or", (Term("a"), Term("b")), p=1.0)
    assert degree(node, {"a": 1.0, "b": 0.0}.__getitem__, p=5.0) == 0.5


def test_not_turns_the_degree_round():
    assert degree(parse("NOT a"), lambda _: 0.3) == 0.7
