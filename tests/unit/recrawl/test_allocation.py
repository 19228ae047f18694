"""Freshness, age and allocation: worked examples, properties, numeric optimisation and simulated copies."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

from focuscrawl.errors import ConfigError
from focuscrawl.recrawl.allocation import Allocation, allocate
from focuscrawl.recrawl.freshness import Order, age, age_now, fresh_now, freshness, gain

FIVE = [1.0, 2.0, 3.0, 4.0, 5.0]
ORDERS = list(Order)
_rates = st.lists(st.floats(1e-3, 1e3), min_size=1, max_size=12)


def test_the_published_table_of_five_pages() -> None:
    optimal = allocate(FIVE, 5.0)
    assert optimal == pytest.approx([1.14989, 1.35841, 1.35384, 1.13786, 0.0], abs=5e-6)
    assert freshness(FIVE, optimal).mean() == pytest.approx(0.37389, abs=5e-6)
    uniform = allocate(FIVE, 5.0, allocation=Allocation.UNIFORM)
    assert freshness(FIVE, uniform).mean() == pytest.approx(0.36505, abs=5e-6)
    proportional = allocate(FIVE, 5.0, allocation=Allocation.PROPORTIONAL)
    assert freshness(FIVE, proportional).mean() == pytest.approx(0.31674, abs=5e-6)


def test_two_pages_one_of_which_changes_often() -> None:
    uniform = allocate([9.0, 1.0], 2.0, allocation=Allocation.UNIFORM)
    assert freshness([9.0, 1.0], uniform).mean() == pytest.approx(0.371609, abs=5e-7)
    proportional = allocate([9.0, 1.0], 2.0, allocation=Allocation.PROPORTIONAL)
    assert freshness([9.0, 1.0], proportional).mean() == pytest.approx(0.198652, abs=5e-7)
    # A visit gains 1/9 on the first page until it has many: the second has gain(1 / f) = 1/9, the first the rest.
    assert allocate([9.0, 1.0], 2.0) == pytest.approx([0.235867, 1.764133], abs=1e-6)
    assert freshness([9.0, 1.0], allocate([9.0, 1.0], 2.0)).mean() == pytest.approx(0.394766, abs=5e-7)


@pytest.mark.parametrize(("budget", "visits"), [(10.0, [4.0, 6.0]), (2.0, [2.0, 0.0]), (1.0, [1.0, 0.0])])
def test_purely_random_visits_have_a_closed_form(budget: float, visits: list[float]) -> None:
    assert allocate([1.0, 9.0], budget, order=Order.PURELY_RANDOM) == pytest.approx(visits, abs=1e-6)


@given(_rates, st.floats(0.1, 100.0), st.sampled_from(ORDERS))
def test_optimal_is_no_worse_than_the_others(rates: list[float], budget: float, order: Order) -> None:
    fresh = {
        allocation: freshness(rates, allocate(rates, budget, allocation=allocation, order=order), order).mean()
        for allocation in Allocation
    }
    assert fresh[Allocation.OPTIMAL] >= fresh[Allocation.UNIFORM] - 1e-7
    assert fresh[Allocation.UNIFORM] >= fresh[Allocation.PROPORTIONAL] - 1e-7  # the paper's theorem


@given(_rates, st.floats(0.1, 100.0), st.sampled_from(ORDERS), st.sampled_from(list(Allocation)))
def test_the_whole_budget_is_used(rates: list[float], budget: float, order: Order, allocation: Allocation) -> None:
    visits = allocate(rates, budget, allocation=allocation, order=order)
    assert (visits >= 0.0).all()
    assert visits.sum() == pytest.approx(budget)


@pytest.mark.parametrize("order", ORDERS)
def test_a_general_optimiser_finds_nothing_better(order: Order) -> None:
    rates = np.array([0.1, 0.5, 1.0, 2.0, 6.0])
    weights = np.array([1.0, 2.0, 1.0, 0.5, 3.0])

    def stale(visits: np.ndarray) -> float:
        return -float((weights * freshness(rates, np.maximum(visits, 1e-12), order)).sum())

    best = minimize(
        stale,
        np.ones(5),
        bounds=[(0.0, 5.0)] * 5,
        constraints=[{"type": "eq", "fun": lambda visits: visits.sum() - 5.0}],
        options={"ftol": 1e-14, "maxiter": 500},
    )
    mine = allocate(rates, 5.0, weights=weights, order=order)
    assert -stale(mine) == pytest.approx(-best.fun, rel=1e-8)


def test_edges_of_the_allocation() -> None:
    assert allocate([], 3.0).size == 0
    assert allocate(FIVE, 0.0).tolist() == [0.0] * 5
    assert allocate([0.0, 0.0], 4.0).tolist() == [2.0, 2.0]
    assert allocate([0.0, 0.0], 4.0, allocation=Allocation.PROPORTIONAL).tolist() == [2.0, 2.0]
    assert allocate([1.0, 0.0], 4.0).tolist() == [4.0, 0.0]
    assert allocate([1.0, 1.0], 4.0, weights=[1.0, 0.0]).tolist() == [4.0, 0.0]
    for rates, budget in (([-1.0], 1.0), ([math.nan], 1.0), ([1.0], -1.0), ([math.inf], 1.0)):
        with pytest.raises(ConfigError, match="0 or more"):
            allocate(rates, budget)


@pytest.mark.parametrize("order", ORDERS)
def test_copies_that_are_simulated_have_the_freshness_and_age_of_the_formulas(order: Order) -> None:
    rate, interval, turns = 1.7, 0.8, 40_000
    chance = np.random.default_rng(11)
    match order:
        case Order.FIXED:
            visits = np.arange(turns) * interval
        case Order.RANDOM:
            visits = (np.arange(turns) + chance.random(turns)) * interval
        case Order.PURELY_RANDOM:
            visits = np.cumsum(chance.exponential(interval, turns))
    gaps = np.diff(visits)
    first = np.minimum(chance.exponential(1 / rate, gaps.size), gaps)  # first change after each visit
    assert first.sum() / gaps.sum() == pytest.approx(freshness(rate, 1 / interval, order)[0], rel=0.01)
    old = ((gaps - first) ** 2 / 2).sum() / gaps.sum()
    assert old == pytest.approx(age(rate, 1 / interval, order)[0], rel=0.03)


@pytest.mark.parametrize("order", ORDERS)
def test_formulas_go_over_into_their_series_without_a_step(order: Order) -> None:
    for edge in (1e-2, 3e-2):
        below, above = np.array([edge * (1 - 1e-9)]), np.array([edge * (1 + 1e-9)])
        assert gain(below, order) == pytest.approx(gain(above, order), rel=1e-6)
        assert freshness(below, 1.0, order) == pytest.approx(freshness(above, 1.0, order), rel=1e-7)
        assert age(below, 1.0, order) == pytest.approx(age(above, 1.0, order), rel=1e-6)


@pytest.mark.parametrize("order", ORDERS)
def test_gain_is_the_slope_of_freshness(order: Order) -> None:
    for changes in (0.02, 0.3, 1.0, 4.0, 30.0):
        visits, step = 1.0 / changes, 1e-5 / changes
        slope = (freshness(1.0, visits + step, order) - freshness(1.0, visits - step, order)) / (2 * step)
        assert gain(changes, order) == pytest.approx(float(slope[0]), rel=1e-4, abs=1e-7)
    gains = gain(np.geomspace(1e-6, 20.0, 60), order)
    assert all(one < other for one, other in pairwise(gains))


def test_edges_of_freshness_and_age() -> None:
    assert freshness([0.0, 1.0, 0.0], [0.0, 0.0, 1.0]).tolist() == [1.0, 0.0, 1.0]
    assert age([0.0, 1.0], [0.0, 0.0]).tolist() == [0.0, math.inf]
    assert fresh_now([1.0, 1.0, 0.0], [0.0, math.log(2.0), 9.0]) == pytest.approx([1.0, 0.5, 1.0])
    assert fresh_now(1.0, -5.0)[0] == 1.0  # a clock that went back
    assert age_now(2.0, 3.0)[0] == pytest.approx(3.0 - (1.0 - math.exp(-6.0)) / 2.0)
    assert age_now(1e-4, 3.0)[0] == pytest.approx(1e-4 * 4.5, rel=1e-3)
    assert age_now(1.0, 0.0)[0] == 0.0
