"""Shrunk success rates of groups."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.ranking.group_rates import GroupParts, Levels, Tally, logit


def _levels() -> Levels:
    return Levels(prior=0.1, crawl=10.0, host=4.0, section=2.0, group=3.0)


A = GroupParts("a.org", "a.org/x/", "p1")
B = GroupParts("a.org", "a.org/y/", "p2")
C = GroupParts("c.org", "c.org/", "p3")


def test_posterior_mean_by_hand() -> None:
    # docs/formulas.md J.8: (rel + m * parent) / (n + m)
    assert Tally(8.0, 2.0).rate(0.5, 2.0) == pytest.approx((2 + 2 * 0.5) / 10)


def test_nothing_known_is_the_prior_everywhere() -> None:
    assert _levels().rate("g", A) == pytest.approx(0.1)


def test_success_moves_its_group_most_then_section_host_and_strangers() -> None:
    levels = _levels()
    for _ in range(6):
        levels.add("a-g", A, 1.0)
    own = levels.rate("a-g", A)
    same_section = levels.rate("a-new", GroupParts("a.org", "a.org/x/", "p9"))
    same_host = levels.rate("b-g", B)
    stranger = levels.rate("c-g", C)
    assert own > same_section > same_host > stranger > 0.1


def test_the_place_in_the_template_is_a_witness_too() -> None:
    levels = _levels()
    for _ in range(6):
        levels.add("n", GroupParts("a.org", "a.org/x/", "sidebar"), 0.0)
        levels.add("m", GroupParts("a.org", "a.org/x/", "list"), 1.0)
    fresh = GroupParts("a.org", "a.org/z/", "list")
    other = GroupParts("a.org", "a.org/z/", "sidebar")
    assert levels.rate("f", fresh) > levels.rate("o", other)


outcomes = st.lists(st.tuples(st.sampled_from([("a", A), ("b", B), ("c", C)]), st.floats(0, 1)), max_size=80)


@given(outcomes)
def test_rates_stay_inside_zero_and_one_and_survive_json(history: list[tuple[tuple[str, GroupParts], float]]) -> None:
    levels = _levels()
    for (group, parts), outcome in history:
        levels.add(group, parts, outcome)
    other = _levels()
    other.restore(json.loads(json.dumps(levels.snapshot())))
    for group, parts in (("a", A), ("b", B), ("c", C), ("new", A)):
        rate = levels.rate(group, parts)
        assert 0.0 < rate < 1.0
        assert other.rate(group, parts) == pytest.approx(rate, abs=1e-3)


@given(outcomes)
def test_a_success_never_lowers_its_own_group(history: list[tuple[tuple[str, GroupParts], float]]) -> None:
    levels = _levels()
    for (group, parts), outcome in history:
        levels.add(group, parts, outcome)
    before = levels.rate("a", A)
    levels.add("a", A, 1.0)
    assert levels.rate("a", A) >= before - 1e-12


@pytest.mark.parametrize(("then", "now"), [(0.0, 1.0), (1.0, 0.0), (0.75, 0.25)])
def test_a_corrected_outcome_counts_as_if_it_had_been_so_from_the_start(then: float, now: float) -> None:
    corrected, right = _levels(), _levels()
    for levels, outcome in ((corrected, then), (right, now)):
        for _ in range(5):
            levels.add("b", B, 1.0)
        levels.add("a", A, outcome)
    corrected.correct("a", A, now - then)
    for group, parts in (("a", A), ("b", B), ("c", C), ("new", A), ("new", B)):
        assert corrected.rate(group, parts) == pytest.approx(right.rate(group, parts))


def test_logit_is_finite_at_the_ends() -> None:
    assert logit(0.0) == pytest.approx(-logit(1.0))
    assert logit(0.5) == 0.0
