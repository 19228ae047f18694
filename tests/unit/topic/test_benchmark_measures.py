"""Figures of `benchmarks/judge.py`, which `topic_drafts.py` reports, too."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

BENCHMARKS = Path(__file__).resolve().parents[3] / "benchmarks"


@pytest.mark.parametrize(
    ("scores", "value"),
    [([0.0, 0.0, 0.0, 0.0], 0.25), ([0.9, 0.0, 0.0, 0.0], 1.0), ([0.1, 0.2, 0.1, 0.0], 1 / 3)],
)
def test_pages_of_one_score_are_in_no_order(monkeypatch: pytest.MonkeyPatch, scores: list[float], value: float) -> None:
    monkeypatch.syspath_prepend(BENCHMARKS)
    monkeypatch.delitem(sys.modules, "judge", raising=False)
    from judge import average_precision

    for order in ([0, 1, 2, 3], [3, 2, 1, 0]):  # as given, the relevant page first, and last
        relevant = np.array([True, False, False, False])[order]
        assert average_precision(np.array(scores)[order], relevant, np.ones(4)) == pytest.approx(value)
