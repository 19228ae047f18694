"""Figures: worked by hand, as properties, and against scikit-learn."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.calibration import calibration_curve
from sklearn.metrics import auc, roc_auc_score

from focuscrawl.report.metrics import (
    area_under_recall,
    calibration_bins,
    calibration_error,
    cumulative,
    harvest_rate,
    harvest_recent,
    moving_harvest,
    ranking_auc,
    recall_curve,
)

T, F = True, False
judgements = st.lists(st.booleans(), min_size=1, max_size=80)
scored = st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=80)


def test_harvest_of_a_worked_crawl() -> None:
    crawl = [T, T, F, T, F, F]
    assert harvest_rate(crawl) == 0.5
    assert harvest_recent(crawl, 3) == pytest.approx(1 / 3)
    assert moving_harvest(crawl, 2) == [1.0, 1.0, 0.5, 0.5, 0.5, 0.0]
    assert cumulative(crawl) == [1, 2, 2, 3, 3, 3]


def test_empty_crawl_has_no_harvest() -> None:
    assert harvest_rate([]) == 0.0
    assert harvest_recent([]) == 0.0
    assert moving_harvest([]) == []
    assert area_under_recall([], targets=4) == 0.0
    assert calibration_error(calibration_bins([], [])) == 0.0


def test_recall_and_its_area_worked() -> None:
    assert recall_curve([T, F, T], targets=4) == [0.25, 0.25, 0.5]
    assert area_under_recall([T, F, T], targets=4) == pytest.approx(1 / 3)
    # ended after 3 of 5 fetches: the last recall counts for the two that were not made
    assert area_under_recall([T, F, T], targets=4, budget=5) == pytest.approx(0.4)
    assert area_under_recall([T, F, T], targets=4, budget=2) == pytest.approx(0.25)


def test_more_relevant_than_targets_is_refused() -> None:
    with pytest.raises(ValueError, match="2 relevant pages for 1 targets"):
        recall_curve([T, T], targets=1)


@settings(deadline=None)  # the machine may be busy
@given(judgements, st.integers(1, 30))
def test_moving_harvest_is_the_recent_harvest_at_each_page(crawl: list[bool], n: int) -> None:
    expected = [harvest_recent(crawl[: i + 1], n) for i in range(len(crawl))]
    assert moving_harvest(crawl, n) == pytest.approx(expected)


@settings(deadline=None)  # the machine may be busy
@given(judgements, st.integers(1, 200))
def test_best_order_has_the_largest_area(crawl: list[bool], budget: int) -> None:
    targets = max(1, sum(crawl))
    best = area_under_recall(sorted(crawl, reverse=True), targets=targets, budget=budget)
    assert 0.0 <= area_under_recall(crawl, targets=targets, budget=budget) <= best + 1e-12 <= 1.0 + 1e-12


@settings(deadline=None)  # the machine may be busy
@given(judgements)
def test_area_is_that_of_the_step_curve(crawl: list[bool]) -> None:
    targets = max(1, sum(crawl))
    curve = recall_curve(crawl, targets=targets)
    xs = [x for i in range(len(curve)) for x in (i, i + 1)]
    ys = [y for y in curve for _ in range(2)]
    assert area_under_recall(crawl, targets=targets) == pytest.approx(auc(xs, ys) / len(crawl))


@settings(deadline=None)  # the machine may be busy
@given(scored)
def test_auc_equals_scikit_learn(pairs: list[tuple[float, bool]]) -> None:
    scores, hits = [s for s, _ in pairs], [h for _, h in pairs]
    if all(hits) or not any(hits):
        assert ranking_auc(scores, hits) is None
    else:
        assert ranking_auc(scores, hits) == pytest.approx(roc_auc_score(hits, scores))


def test_auc_worked() -> None:
    assert ranking_auc([0.9, 0.8, 0.3, 0.3], [T, F, T, F]) == pytest.approx((2 + 0.5) / 4)


def test_calibration_worked() -> None:
    bins = calibration_bins([0.1, 0.15, 0.9, 1.0], [F, T, T, T], bins=10)
    assert [(b.low, b.high, b.pages) for b in bins] == [(0.1, 0.2, 2), (0.9, 1.0, 2)]
    assert bins[0].predicted == pytest.approx(0.125)
    assert bins[0].observed == 0.5
    assert calibration_error(bins) == pytest.approx(0.5 * 0.375 + 0.5 * 0.05)


@settings(deadline=None)  # the machine may be busy
@given(scored)
def test_calibration_equals_scikit_learn(pairs: list[tuple[float, bool]]) -> None:
    # numbers on a bin's edge belong to the bin above here and below there: keep off the edges
    pairs = [(min(0.97, round(s, 2) + 0.005), h) for s, h in pairs]
    scores, hits = [s for s, _ in pairs], [h for _, h in pairs]
    bins = calibration_bins(scores, hits, bins=10)
    assert sum(b.pages for b in bins) == len(pairs)
    if any(hits) and not all(hits):
        observed, predicted = calibration_curve(hits, scores, n_bins=10)
        assert [b.observed for b in bins] == pytest.approx(list(observed))
        assert [b.predicted for b in bins] == pytest.approx(list(predicted))
    assert 0.0 <= calibration_error(bins) <= 1.0


def test_prediction_outside_the_unit_interval_is_refused() -> None:
    with pytest.raises(ValueError, match=r"1\.2 is outside"):
        calibration_bins([1.2], [T])
