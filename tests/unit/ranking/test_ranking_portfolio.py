"""Orders beside a strategy's own, each sure of a share of the fetches."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.ranking.evidence import caller, order_shares
from focuscrawl.ranking.portfolio import OWN, Portfolio


def test_shares_by_the_formula() -> None:
    portfolio = Portfolio(["a", "b"], floor=0.02)
    start = 0.02 + 0.96 * 0.01 / 1.02
    assert portfolio.shares() == pytest.approx({"a": start, "b": start, OWN: 1.0 - 2.0 * start})
    for key in range(200):
        portfolio.fetched(key, 0.8)
    # 33 pages' worth of memory, with a prior of .1 worth 5: the own order's yield; the members' prior is that yield
    trials = (1 - 0.97**200) / 0.03
    own = (0.8 * trials + 5 * 0.1) / (trials + 5)
    portfolio.add(999, (1.0, 0.0), 0.5)
    portfolio._callers[999] = "a"
    portfolio.fetched(999, 0.0)
    weights = {"a": 0.01 * math.exp(8 * (5 * own / 6 - own)), "b": 0.01, OWN: 1.0}
    total = sum(weights.values())
    expected = {name: 0.96 * weight / total + 0.02 * (name != OWN) for name, weight in weights.items()}
    assert portfolio.shares() == pytest.approx(expected)


@given(st.lists(st.tuples(st.integers(0, 30), st.floats(0.0, 1.0)), max_size=60), st.floats(0.0, 0.3))
def test_shares_sum_to_one_and_never_fall_below_the_floor(pages: list[tuple[int, float]], floor: float) -> None:
    portfolio = Portfolio(["a", "b", "c"], floor=floor)
    for key, outcome in pages:
        portfolio.add(key, (outcome, 1.0 - outcome, 0.5), 0.5)
        portfolio.fetched(key + 1, outcome)
        portfolio.calls()
        shares = portfolio.shares()
        assert sum(shares.values()) == pytest.approx(1.0)
        assert all(shares[name] >= floor for name in "abc")


def test_the_pages_of_other_workers_earn_no_calls() -> None:
    portfolio = Portfolio(["a"], floor=0.1)
    portfolio.add(999, (1.0,), 0.5)
    for key in range(100):
        portfolio.fetched(key, 1.0, own=False)
    assert portfolio.calls() == {}
    before = portfolio.snapshot()["yields"]
    for key in range(100, 200):
        portfolio.fetched(key, 0.0, own=False, called=True)  # a look of the trainer's
    assert portfolio.snapshot()["yields"] == before, "what others called up says nothing of the own order"
    portfolio.fetched(200, 0.0, own=False)
    assert portfolio.snapshot()["yields"] != before


def test_no_members_favourite_waits_to_the_end_of_the_crawl() -> None:
    portfolio = Portfolio(["words", "parent"], floor=0.05)
    for key in range(1000):
        portfolio.add(key, (0.9 if key == 700 else 0.5, 0.0), 0.1)
    called: list[int] = []
    for page in range(400):  # the own order pays every time, what is called never
        portfolio.fetched(2000 + page, 1.0)
        for key, score in portfolio.calls().items():
            assert score == 0.1
            called.append(key)
            portfolio.fetched(key, 0.0)
    assert called[0] == 700
    assert len(called) == len(set(called)) >= 0.05 * 400 * 2 - 2
    assert len(called) < 0.15 * 400


def test_a_member_that_pays_while_the_own_order_does_not_gets_most_fetches() -> None:
    portfolio = Portfolio(["good", "bad"], floor=0.02)
    for key in range(2000):
        portfolio.add(key, (1.0 if key < 1000 else 0.5, 0.0 if key < 1000 else 1.0), 0.3)
    for page in range(200):
        portfolio.fetched(5000 + page, 0.0)
        for key in portfolio.calls():
            portfolio.fetched(key, 1.0 if key < 1000 else 0.0)
    shares = portfolio.shares()
    assert shares["good"] > 0.8
    assert shares["bad"] < 0.05


def test_links_fetched_or_set_aside_are_not_called() -> None:
    portfolio = Portfolio(["a"], floor=0.5)
    for key in range(4):
        portfolio.add(key, (key / 10,), 0.1)
    portfolio.leave([3])
    portfolio.fetched(2, 0.0)
    portfolio.fetched(90, 0.0)
    assert list(portfolio.calls()) == [1]


def test_the_best_word_on_a_link_counts() -> None:
    portfolio = Portfolio(["a", "b"], floor=0.5)
    portfolio.add(1, (0.3, 0.2), 0.3)
    portfolio.add(2, (0.4, 0.1), 0.2)
    portfolio.add(1, (0.1, 0.9), 0.5)
    portfolio.add(1, (0.5, 0.0), 0.1)
    portfolio.fetched(8, 0.0)
    portfolio.fetched(9, 0.0)
    assert portfolio.calls() == {1: 0.5, 2: 0.2}  # a's best link is b's too, which takes its second


def test_memory_is_bounded_and_the_best_links_stay() -> None:
    portfolio = Portfolio(["a"], floor=0.5)
    for key in range(50_001):
        portfolio.add(key, (key / 60_000,), 0.1)
    assert len(portfolio._values) == 5_000
    portfolio.fetched(99_999, 0.0)
    portfolio.fetched(99_998, 0.0)
    assert list(portfolio.calls()) == [50_000]


def test_links_that_were_fetched_take_no_memory() -> None:
    portfolio = Portfolio(["a", "b"], floor=0.01)
    for key in range(3_000):
        portfolio.add(key, (key % 10 / 10, 0.5), 0.1)
        portfolio.fetched(key, 0.5)
    assert sum(map(len, portfolio._heaps)) < 300


def test_state_survives_as_json() -> None:
    first = Portfolio(["a", "b"], floor=0.2)
    for key in range(20):
        first.add(key, (key / 20, 1 - key / 20), 0.1)
    for key in range(30, 36):
        first.fetched(key, 0.3)
    calls = first.calls()
    state = json.loads(json.dumps(first.snapshot()))
    assert set(state["calls"]) == {f"{key:016x}" for key in calls}
    again = Portfolio(["a", "b"], floor=0.2)
    again.restore(state)
    assert again.shares() == pytest.approx(first.shares(), abs=1e-3)
    for portfolio in (first, again):
        portfolio._due = [0.0, 0.0]
        portfolio.fetched(77, 0.3)
        portfolio._due = [1.0, 0.0]
    assert again.calls() == first.calls()
    again.restore({"yields": {"gone": [1, 1]}, "calls": {}, "links": [["0f", 0.1, 0.5]]})


def test_what_the_members_have_brought_is_saved_and_what_they_have_called_counts_for_them() -> None:
    first, again, fresh = (Portfolio(["a", "b"], floor=0.1) for _ in range(3))
    for key in range(40):
        first.add(key, (key / 40, 1 - key / 40), 0.1)
    for key in range(100, 160):
        first.fetched(key, 0.0)
    called = list(first.calls())
    assert len(called) >= 4
    first.fetched(called[0], 1.0)
    again.restore(json.loads(json.dumps(first.snapshot())))
    assert again.shares() == pytest.approx(first.shares(), abs=1e-3)
    assert again.shares() != pytest.approx(fresh.shares(), abs=1e-3)
    for portfolio in (first, again):
        portfolio.fetched(called[1], 1.0)
    assert again.shares() == pytest.approx(first.shares(), abs=1e-3)


def test_the_saved_state_tells_who_called_and_the_shares() -> None:
    portfolio = Portfolio(["a", "b"], floor=0.5)
    portfolio.add(255, (0.9, 0.1), 0.3)
    portfolio.fetched(1, 0.0)
    portfolio.fetched(2, 0.0)
    assert list(portfolio.calls()) == [255]
    state = json.loads(json.dumps({"portfolio": portfolio.snapshot()}))
    assert caller(state, 255) == "a"
    assert caller(state, 256) == ""
    assert order_shares(state) == pytest.approx(portfolio.shares(), abs=1e-4)
    assert caller({}, 255) == ""
    assert order_shares({}) == {}
