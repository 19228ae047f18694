"""Which pages a round of visits takes."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import pytest

from focuscrawl.recrawl.allocation import Allocation
from focuscrawl.recrawl.freshness import Order
from focuscrawl.recrawl.rates import Interval
from focuscrawl.recrawl.schedule import PageHistory, RefreshPlan, due_pages

DAY = 86_400.0
NOW = 100 * DAY


def _history(key: int, *, days_ago: float, changed: int = 0, of: int = 0, weight: float = 1.0) -> PageHistory:
    seen = [Interval(DAY, number < changed) for number in range(of)]
    return PageHistory(key, f"h{key}.example", NOW - days_ago * DAY, seen, weight)


def _keys(histories: list[PageHistory], pages: int, **plan: object) -> list[int]:
    return [page.key for page in due_pages(histories, pages, now=NOW, plan=RefreshPlan(**plan))]  # type: ignore[arg-type]


def test_uniform_visits_take_the_page_that_was_visited_longest_ago() -> None:
    pages = [_history(1, days_ago=1), _history(2, days_ago=3), _history(3, days_ago=2)]
    assert _keys(pages, 2, allocation=Allocation.UNIFORM) == [2, 3]


def test_proportional_visits_take_the_page_that_changes_most() -> None:
    pages = [_history(1, days_ago=2, changed=0, of=20), _history(2, days_ago=2, changed=19, of=20)]
    assert _keys(pages, 1, allocation=Allocation.PROPORTIONAL) == [2]


def test_optimal_visits_leave_out_what_changes_too_often() -> None:
    pages = [_history(1, days_ago=1, changed=30, of=30), _history(2, days_ago=1, changed=8, of=30)]
    assert _keys(pages, 1, allocation=Allocation.OPTIMAL, period_s=DAY) == [2]


def test_optimal_visits_prefer_what_is_worth_more() -> None:
    pages = [_history(1, days_ago=1, weight=0.2), _history(2, days_ago=1, weight=0.9)]
    assert _keys(pages, 1) == [2]


def test_a_round_takes_each_page_once_and_pages_that_are_never_visited_last() -> None:
    pages = [_history(1, days_ago=9, weight=0.0), _history(2, days_ago=1), _history(3, days_ago=2)]
    for order in Order:
        keys = _keys(pages, 10, order=order)
        assert sorted(keys) == [1, 2, 3]
        assert keys[-1] == 1


def test_random_order_visits_once_a_turn_at_another_moment_of_it() -> None:
    page = [_history(1, days_ago=50)]
    plan = RefreshPlan(order=Order.RANDOM, allocation=Allocation.UNIFORM, period_s=10 * DAY)
    visits: list[float] = []
    now, history = NOW, page[0]
    for _ in range(400):
        now += DAY / 4
        (due,) = due_pages([history], 1, now=now, plan=plan)
        if due.due >= 1.0:
            visits.append(now)
            history = PageHistory(1, history.host, now)
    gaps = {round((b - a) / DAY) for a, b in pairwise(visits)}
    assert 8 <= len(visits) <= 12  # 100 days, once in ten
    assert len(gaps) > 3


def test_purely_random_order_draws_pages_by_their_frequency() -> None:
    pages = [_history(1, days_ago=1, changed=0, of=50), _history(2, days_ago=1, changed=45, of=50)]
    drawn: Counter[int] = Counter()
    plan = RefreshPlan(Allocation.PROPORTIONAL, Order.PURELY_RANDOM, period_s=DAY)
    rates = {page.key: page.rate for page in due_pages(pages, 2, now=NOW, plan=plan)}
    for number in range(2000):
        drawn[due_pages(pages, 1, now=NOW + number, plan=plan)[0].key] += 1
    assert drawn[2] / 2000 == pytest.approx(rates[2] / sum(rates.values()), abs=0.03)


def test_a_visit_in_the_future_counts_as_one_of_now() -> None:
    pages = [_history(1, days_ago=-500), _history(2, days_ago=1)]
    for order in Order:
        due = due_pages(pages, 2, now=NOW, plan=RefreshPlan(order=order))
        assert {page.key for page in due} == {1, 2}
    assert _keys(pages, 2, allocation=Allocation.UNIFORM) == [2, 1]


def test_nothing_to_visit() -> None:
    assert _keys([], 5) == []
    assert _keys([_history(1, days_ago=1)], 0) == []
