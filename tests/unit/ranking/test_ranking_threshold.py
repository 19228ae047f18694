"""Dynamic threshold and tunnel probability (docs/formulas.md B.8)."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.errors import ConfigError
from focuscrawl.ranking.threshold import DynamicThreshold, ThresholdOptions
from focuscrawl.types import digest64


def judge(threshold: DynamicThreshold, relevant: int, of: int) -> None:
    for i in range(of):
        threshold.judged(i < relevant)


@pytest.mark.parametrize(("relevant", "expected"), [(15, 0.51), (40, 0.485)])
def test_worked_example_of_the_threshold(relevant, expected):
    threshold = DynamicThreshold()
    judge(threshold, relevant, 50)
    assert threshold.precision == relevant / 50
    assert threshold.c == pytest.approx(expected, abs=1e-9)


def test_worked_example_of_the_tunnel_probability():
    threshold = DynamicThreshold()
    for i in range(98):
        threshold.tunnel(i < 4)
    assert threshold.tunnel_frequency == pytest.approx(0.05)
    assert threshold.p == pytest.approx(0.075)


def test_unchanged_while_fewer_than_20_pages_are_judged():
    threshold = DynamicThreshold(ThresholdOptions(every=5))
    judge(threshold, 0, 19)
    assert threshold.c == 0.5
    threshold.judged(False)
    assert threshold.c == pytest.approx(0.525)


def test_only_the_last_w_pages_count():
    threshold = DynamicThreshold(ThresholdOptions(window=50, every=50))
    judge(threshold, 50, 50)
    judge(threshold, 0, 50)
    assert threshold.c == pytest.approx(0.5 - 0.025 + 0.025)


def test_keeps_links_with_the_probability_it_states():
    threshold = DynamicThreshold(seed=1)
    for _ in range(8):
        threshold.tunnel(False)
    kept = sum(threshold.keep(digest64(str(i))) for i in range(5000))
    assert kept / 5000 == pytest.approx(threshold.p, abs=0.02)


def test_credit_turns_a_failure_into_a_success():
    threshold = DynamicThreshold()
    threshold.tunnel(False)
    threshold.credit()
    threshold.credit()  # there is no second failure
    assert (threshold.tries, threshold.successes) == (1, 1)


@given(st.lists(st.booleans(), max_size=300), st.lists(st.booleans(), max_size=30))
def test_bounds_hold_and_a_snapshot_continues_the_same(judgements, tunnels):
    one = DynamicThreshold(ThresholdOptions(every=7, window=30, eta=0.5), seed=2)
    for relevant in judgements:
        one.judged(relevant)
    for success in tunnels:
        one.tunnel(success)
    assert 0.1 <= one.c <= 0.9
    assert 0.01 <= one.p <= 0.2
    other = DynamicThreshold(one.options, seed=2)
    other.restore(json.loads(json.dumps(one.snapshot())))
    for relevant in (True, False) * 10:
        one.judged(relevant)
        other.judged(relevant)
    assert (one.c, one.p, one.precision) == (other.c, other.p, other.precision)


@pytest.mark.parametrize(
    "options", [{"c": 1.5}, {"window": 0}, {"every": 2.5}, {"eta": -1}, {"c_min": 0.8, "c_max": 0.2}, {"p_max": 0.001}]
)
def test_wrong_options_are_refused(options):
    with pytest.raises(ConfigError, match="threshold option"):
        ThresholdOptions(**options)
