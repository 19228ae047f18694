"""Change rates: worked examples, properties, and an independent implementation."""

from __future__ import annotations

import math
import random

import pytest
from scipy.optimize import minimize_scalar

from focuscrawl.recrawl.rates import WEB_RATE, Interval, change_rates, estimate_rate, fit_rate, shrunk

DAY = 86_400.0


@pytest.mark.parametrize(("visits", "changes", "rate"), [(10, 6, 0.847298), (10, 10, 3.044522), (10, 0, 0.0)])
def test_bias_reduced_estimate(visits: int, changes: int, rate: float) -> None:
    assert estimate_rate(visits, changes, 1.0) == pytest.approx(rate, abs=5e-7)
    assert estimate_rate(visits, changes, DAY) == pytest.approx(rate / DAY, rel=1e-6)


def test_no_visits_and_no_time_say_nothing() -> None:
    assert estimate_rate(0, 0, DAY) == 0.0
    assert estimate_rate(3, 2, 0.0) == 0.0
    assert fit_rate([]) == 0.0
    assert fit_rate([Interval(-5.0, True), Interval(0.0, True), Interval(math.nan, True)]) == 0.0


def test_equal_intervals_take_the_closed_form() -> None:
    seen = [Interval(DAY, number < 6) for number in range(10)]
    assert fit_rate(seen) == pytest.approx(0.847298 / DAY, rel=1e-6)


def test_the_fit_of_unequal_intervals_is_the_most_likely_rate() -> None:
    chance = random.Random(7)
    for _ in range(20):
        seen = [Interval(chance.uniform(0.1, 9.0), chance.random() < 0.5) for _ in range(12)]
        seen += [Interval(3.0, True), Interval(4.0, False)]

        def unlikely(log_rate: float, seen: list[Interval] = seen) -> float:
            rate = math.exp(log_rate)
            changed = sum(math.log(-math.expm1(-rate * one.seconds)) for one in seen if one.changed)
            return rate * sum(one.seconds for one in seen if not one.changed) - changed

        best = minimize_scalar(unlikely, bounds=(-8.0, 4.0), method="bounded", options={"xatol": 1e-10})
        assert fit_rate(seen) == pytest.approx(math.exp(best.x), rel=1e-5)


def test_more_changes_mean_a_higher_rate() -> None:
    rates = [estimate_rate(8, changes, DAY) for changes in range(9)]
    assert rates == sorted(rates)
    assert len(set(rates)) == 9
    fits = [fit_rate([Interval(1.0 + n, n < changes) for n in range(8)]) for changes in range(8)]
    assert fits == sorted(fits)


def test_estimates_of_simulated_pages_are_right_in_the_mean() -> None:
    chance = random.Random(3)
    rate, visits = 0.7, 40
    means = []
    for _ in range(600):
        changes = sum(chance.random() < -math.expm1(-rate) for _ in range(visits))
        means.append(estimate_rate(visits, changes, 1.0))
    assert sum(means) / len(means) == pytest.approx(rate, rel=0.02)


def test_shrunk_rates_lie_between_the_page_and_its_prior() -> None:
    assert shrunk(4.0, 0, 1.0) == 1.0
    assert shrunk(4.0, 2, 1.0) == 2.5
    assert shrunk(4.0, 100, 1.0) == pytest.approx(4.0, rel=0.02)


def test_a_page_seen_once_has_the_rate_of_its_host() -> None:
    busy = [Interval(DAY, True)] * 50
    quiet = [Interval(DAY, False)] * 50
    rates = change_rates({1: ("news.example", busy), 2: ("news.example", ()), 3: ("old.example", quiet)})
    host = shrunk(fit_rate(busy), 50, shrunk(fit_rate([*busy, *quiet]), 100, WEB_RATE))
    assert rates[2] == pytest.approx(host)
    assert rates[1] > rates[3]
    assert change_rates({1: ("a.example", ())}) == {1: WEB_RATE}


def test_visits_that_saw_no_change_lower_the_rate_without_making_it_zero() -> None:
    few = change_rates({1: ("a.example", [Interval(DAY, False)])})[1]
    many = change_rates({1: ("a.example", [Interval(DAY, False)] * 20)})[1]
    assert 0.0 < many < few < WEB_RATE
