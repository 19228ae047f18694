"""Turns are taken as weights say."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.ranking.turns import Turns


def test_three_turns_to_one_come_evenly() -> None:
    turns = Turns()
    assert [turns.next({0: 3.0, 1: 1.0}) for _ in range(8)] == [0, 0, 0, 1, 0, 0, 0, 1]


def test_nobody_saves_up_turns_that_he_could_not_take() -> None:
    turns = Turns()
    for _ in range(100):
        assert turns.next({0: 1.0}) == 0
    assert [turns.next({0: 1.0, 1: 1.0}) for _ in range(4)] == [1, 0, 1, 0]


@given(st.lists(st.floats(0.05, 1.0), min_size=1, max_size=4), st.integers(1, 300))
def test_after_any_number_of_turns_nobody_is_a_turn_and_a_half_from_his_share(weights: list[float], count: int) -> None:
    turns, given_weights = Turns(), dict(enumerate(weights))
    taken = Counter(turns.next(given_weights) for _ in range(count))
    total = sum(weights)
    for taker, weight in given_weights.items():
        assert abs(taken[taker] - count * weight / total) <= 1.5 * len(weights)
