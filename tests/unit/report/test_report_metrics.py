"""Figures: worked by hand, as properties, and against scikit-learn."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.calibration import calibration_curve
from sklearn.metrics import roc_auc_score

from focuscrawl.report.metrics import (
    calibration_bins,
    calibration_error,
    cumulative,
    harvest_rate,
    harvest_recent,
    moving_harvest,
    ranking_auc,
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
    assert calibration_error(calibration_bins([], [])) == 0.0


@settings(deadline=None)  # the machine may be busy
@given(judgements, st.integers(1, 30))
def test_moving_harvest_is_the_recent_harvest_at_each_page(crawl: list[bool], n: int) -> None:
    expected = [harvest_recent(crawl[: i + 1], n) for i in range(len(crawl))]
    assert moving_harvest(crawl, n) == pytest.approx(expected)


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
