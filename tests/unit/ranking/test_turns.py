"""Turns are taken as weights say."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.ranking.turns import Turns


def test_three_turns_to_one_come_evenly() -> None:
    turns = Turns(2)
    assert [turns.next({0: 3.0, 1: 1.0}) for _ in range(8)] == [0, 0, 0, 1, 0, 0, 0, 1]


def test_who_could_take_none_is_owed_his_turns() -> None:
    turns = Turns(2)
    assert [turns.next({0: 1.0}) for _ in range(3)] == [0, 0, 0]
    assert [turns.next({0: 1.0, 1: 1.0}) for _ in range(5)] == [1, 1, 1, 0, 1]


def test_no_more_than_some_twenty_turns_are_owed() -> None:
    turns = Turns(2)
    for _ in range(1000):
        turns.next({0: 0.01})
    taken = [turns.next({0: 0.5, 1: 0.5}) for _ in range(40)]
    assert taken[:19] == [1] * 19
    assert sum(taken[22:]) == 9, "then by turns"


@given(st.lists(st.floats(0.05, 1.0), min_size=1, max_size=4), st.integers(1, 300))
def test_after_any_number_of_turns_nobody_is_far_from_his_share(weights: list[float], count: int) -> None:
    turns, of_takers = Turns(len(weights)), dict(enumerate(weights))
    taken = Counter(turns.next(of_takers) for _ in range(count))
    for taker, weight in of_takers.items():
        assert abs(taken[taker] - count * weight / sum(weights)) <= 1.5 * len(weights)
