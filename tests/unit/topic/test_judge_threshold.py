"""Fixed and adaptive thresholds."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.errors import ConfigError
from focuscrawl.topic.threshold import HIGH, LOW, START, AdaptiveThreshold, FixedThreshold, make_threshold, otsu


def feed(threshold: AdaptiveThreshold, *groups: tuple[int, float, float]) -> AdaptiveThreshold:
    rng = random.Random(3)
    scores = [rng.uniform(low, high) for count, low, high in groups for _ in range(count)]
    rng.shuffle(scores)
    for score in scores:
        threshold.observe(score)
    return threshold


@pytest.mark.parametrize(("breadth", "start"), [(0.0, 0.5), (1.0, 1 / 3), (0.5, 1 / (1 + 2**0.5))])
def test_a_broad_topic_asks_for_less_evidence(breadth: float, start: float) -> None:
    threshold = make_threshold("adaptive", breadth=breadth)
    assert isinstance(threshold, AdaptiveThreshold)
    assert threshold.value == pytest.approx(start)
    # s / half, of which half is asked for at breadth 1, at the start and at both bounds
    for narrow, broad in ((START, threshold.start), (LOW, threshold.low), (HIGH, threshold.high)):
        assert broad / (1 - broad) == pytest.approx(2**-breadth * narrow / (1 - narrow))
    assert make_threshold(0.6, breadth=breadth).value == 0.6  # a number is meant


def test_fixed_threshold_stays():
    threshold = make_threshold(0.3)
    for _ in range(500):
        threshold.observe(0.9)
    assert isinstance(threshold, FixedThreshold)
    assert threshold.value == 0.3


def test_a_fixed_threshold_keeps_the_users_number_on_resume():
    threshold = FixedThreshold(0.3)
    threshold.restore({"value": 0.9})
    assert threshold.value == 0.3


@pytest.mark.parametrize("value", ["adaptiv", -0.1, 1.1, True, None])
def test_anything_else_is_refused(value: object):
    with pytest.raises(ConfigError, match="adaptive"):
        make_threshold(value)  # type: ignore[arg-type]


def test_nothing_moves_before_a_hundred_pages():
    assert feed(AdaptiveThreshold(), (99, 0.9, 1.0)).value == START


def test_it_moves_every_fifty_pages() -> None:
    threshold = AdaptiveThreshold()
    moved, before = [], threshold.value
    for page in range(1, 301):
        threshold.observe(0.05 if page % 2 else 0.7)
        if threshold.value != before:
            moved, before = [*moved, page], threshold.value
    assert moved == [100, 150, 200, 250, 300]


def test_it_moves_down_into_a_gap_below():
    value = feed(AdaptiveThreshold(), (300, 0.0, 0.1), (300, 0.42, 0.8)).value
    assert LOW <= value < 0.45


def test_it_moves_up_into_a_gap_above():
    value = feed(AdaptiveThreshold(), (600, 0.3, 0.55), (200, 0.85, 0.92)).value
    assert 0.55 < value <= HIGH


def test_it_does_not_fall_while_nothing_relevant_was_seen():
    # Two groups, but both below the start: the upper one is only the best of the rest.
    assert feed(AdaptiveThreshold(), (500, 0.0, 0.05), (500, 0.2, 0.4)).value >= START


@given(st.lists(st.floats(0, 1), max_size=400))
def test_it_never_leaves_its_bounds(scores: list[float]):
    threshold = AdaptiveThreshold()
    for score in scores:
        threshold.observe(score)
        assert LOW <= threshold.value <= HIGH


def test_not_a_number_does_no_harm():
    threshold = AdaptiveThreshold()
    for score in [float("nan"), float("inf"), -5.0] * 100:
        threshold.observe(score)
    assert LOW <= threshold.value <= HIGH


def test_snapshot_and_restore_continue_alike():
    first = feed(AdaptiveThreshold(), (300, 0.0, 0.1), (300, 0.42, 0.8))
    second = AdaptiveThreshold()
    second.restore(first.snapshot())
    for threshold in (first, second):
        feed(threshold, (200, 0.3, 0.6))
    assert first.value == second.value


@pytest.mark.parametrize(
    "state", [{}, {"value": "x"}, {"value": float("nan"), "counts": [0] * 80}, {"value": 0.4, "counts": [1, 2]}]
)
def test_damaged_snapshots_are_left_alone(state: dict[str, object]):
    threshold = AdaptiveThreshold()
    threshold.restore(state)
    assert threshold.value == START


def test_bounds_have_to_be_in_order():
    with pytest.raises(ConfigError, match="in order"):
        AdaptiveThreshold(start=0.2, low=0.3)


def test_otsu_takes_the_middle_of_a_gap():
    split = otsu([5, 5, 0, 0, 0, 0, 0, 0, 5, 5])
    assert split is not None
    assert split.border == pytest.approx(0.5)
    assert split.upper_mean == pytest.approx(0.9)


def test_otsu_of_one_group_is_none():
    assert otsu([0, 7, 0]) is None
    assert otsu([0] * 10) is None


@given(st.lists(st.integers(0, 9), min_size=3, max_size=20))
def test_otsu_agrees_with_a_plain_search(counts: list[int]):
    values = [at + 0.5 for at, count in enumerate(counts) for _ in range(count)]

    def between(border: int) -> float:
        low = [v for v in values if v < border]
        high = [v for v in values if v >= border]
        if not low or not high:
            return 0.0
        return len(low) * len(high) * (sum(low) / len(low) - sum(high) / len(high)) ** 2

    best = max((between(border) for border in range(1, len(counts))), default=0.0)
    split = otsu(counts)
    if best == 0.0:
        assert split is None
    else:
        assert split is not None
        # A border in the middle of an empty stretch splits as its ends do.
        assert between(round(split.border * len(counts) + 1e-9)) == pytest.approx(best) or _ties(counts, between, best)


def _ties(counts: list[int], between: object, best: float) -> bool:
    assert callable(between)
    return sum(between(border) == pytest.approx(best) for border in range(1, len(counts))) > 1
