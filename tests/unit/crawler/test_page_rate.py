"""Pages a second, as the progress line and a worker's report have them."""

from __future__ import annotations

import pytest

from focuscrawl.crawler.page_rate import PageRate


def test_the_rate_is_that_of_the_last_seconds() -> None:
    rate = PageRate(10.0)
    assert rate.at(100.0, 0) == 0.0
    assert rate.at(102.0, 4) == pytest.approx(2.0)
    for second in range(3, 60):
        last = rate.at(100.0 + second, 4 + second)
    assert last == pytest.approx(1.0)


def test_a_clock_that_was_set_back_is_no_standstill() -> None:
    rate = PageRate(10.0)
    rate.at(5_000.0, 100)
    assert rate.at(5_010.0, 150) == pytest.approx(5.0)
    assert rate.at(1_000.0, 150) == 0.0
    assert rate.at(1_010.0, 200) == pytest.approx(5.0)
