from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.isotonic import IsotonicRegression

from focuscrawl.ranking.calibration import Calibration
from focuscrawl.records import Judgement, PageEvent
from focuscrawl.report.metrics import calibration_bins, calibration_error
from focuscrawl.types import draw

PAIRS = st.lists(st.tuples(st.floats(-0.9, 1.9), st.booleans()), max_size=120)


def fitted(pairs: list[tuple[float, bool]], *, window: int = 400) -> Calibration:
    calibration = Calibration(window=window)
    for priority, relevant in pairs:
        calibration.add(priority, relevant=relevant)
    return calibration


def test_expects_little_before_the_first_page() -> None:
    assert Calibration().probability(0.9) == pytest.approx(0.1)


def test_two_steps_by_hand() -> None:
    # 10 pages of priority 0.2, 2 relevant; 10 of 0.8, 9 relevant; mean (11 + 1) / (20 + 10) = 0.4
    pairs = [(0.2, i < 2) for i in range(10)] + [(0.8, i < 9) for i in range(10)]
    calibration = fitted(pairs)
    assert calibration.probability(0.2) == pytest.approx((2 + 10 * 0.4) / 20)
    assert calibration.probability(0.8) == pytest.approx((9 + 10 * 0.4) / 20)
    assert calibration.probability(0.0) == calibration.probability(0.5) == calibration.probability(0.2)
    assert calibration.probability(5.0) == calibration.probability(0.8)


@given(PAIRS, st.lists(st.floats(-0.9, 1.9), min_size=2, max_size=10))
def test_rises_with_the_priority_and_is_a_probability(pairs: list[tuple[float, bool]], asked: list[float]) -> None:
    calibration = fitted(pairs)
    values = [calibration.probability(priority) for priority in sorted(asked)]
    assert values == sorted(values)
    assert all(0.0 < value < 1.0 for value in values)


@settings(deadline=None)  # sklearn's first call loads what it needs
@given(st.lists(st.tuples(st.integers(0, 9), st.booleans()), min_size=20, max_size=20))
def test_orders_steps_as_sklearn_does(pairs: list[tuple[float, bool]]) -> None:
    pairs = [(p / 9, hit) for p, hit in pairs]
    calibration = fitted(pairs)
    reference = IsotonicRegression().fit([p for p, _ in pairs], [float(hit) for _, hit in pairs])
    seen = sorted({p for p, _ in pairs})
    theirs = reference.predict(seen)
    ours = [calibration.probability(p) for p in seen]
    for i in range(1, len(seen)):
        # Where theirs is level ours is; mixing with the mean may level more, never less.
        if theirs[i] == pytest.approx(theirs[i - 1]):
            assert ours[i] == pytest.approx(ours[i - 1])


def test_follows_a_crawl_whose_harvest_falls() -> None:
    calibration, predicted, relevant = Calibration(), [], []
    for i in range(2000):
        priority = draw(1, i, "priority")
        hit = draw(1, i, "hit") < priority * (0.9 if i < 1000 else 0.2)
        predicted.append(calibration.probability(priority))
        relevant.append(hit)
        calibration.add(priority, relevant=hit)
    assert calibration_error(calibration_bins(predicted, relevant)) < 0.05


def test_goes_on_after_a_resume() -> None:
    calibration = fitted([(draw(2, i, "p"), draw(2, i, "hit") < 0.3) for i in range(200)])
    again = Calibration()
    again.restore(json.loads(json.dumps(calibration.snapshot())))
    assert [again.probability(p / 10) for p in range(10)] == pytest.approx(
        [calibration.probability(p / 10) for p in range(10)], abs=1e-4
    )


def test_seeds_and_fetches_without_a_page_teach_nothing() -> None:
    calibration = Calibration()
    event = PageEvent(url="http://a.example/", host="a.example", key=1, relevant=True)
    seed = Judgement(topic="t", relevance=0.9, threshold=0.5, priority=1.0)
    for judgement in (None, seed):
        calibration.learn(replace(event, judgement=judgement))
    assert calibration.snapshot()["pairs"] == []
    calibration.learn(replace(event, judgement=replace(seed, parent=7, priority=0.4)))
    assert calibration.snapshot()["pairs"] == [[0.4, 1]]


def test_damaged_state_is_left_alone() -> None:
    calibration = fitted([(0.5, True)] * 40)
    before = calibration.probability(0.5)
    calibration.restore({"pairs": 3})
    assert calibration.probability(0.5) == before
    calibration.restore({"pairs": [[0.1], "x", [0.5, 1]]})
    assert calibration.probability(0.5) == pytest.approx((1 + 1) / 11)


def test_links_called_up_or_behind_all_others_count_by_their_own_priority():
    plain, moved = Calibration(), Calibration()
    for i in range(200):
        plain.add(i / 200, relevant=i % 3 == 0 and i > 90)
        moved.add(i / 200 + (0.0, 3.0, -3.0)[i % 3], relevant=i % 3 == 0 and i > 90)
    for priority in (0.1, 0.5, 0.9):
        assert moved.probability(priority) == pytest.approx(plain.probability(priority))
        assert moved.probability(priority + 3.0) == moved.probability(priority)
