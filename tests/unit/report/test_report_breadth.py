"""What breadth-first could expect: worked by hand, and what must hold for any run."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.report.breadth import breadth_first_expectation


def test_by_hand() -> None:
    # Fetched: depth 0 one page off topic (priority .95), depth 1 two of two relevant (.55). Mean 2/3.
    # Waiting: at depth 1 three links of priority .55, at depth 2 ten of .05, below all that was fetched.
    # Tenth 5: (2 + 5·2/3) / (2 + 5) = 16/21. So depth 1 has (2 + 3·16/21) / 5 = 6/7 a link.
    points = breadth_first_expectation(
        [0, 1, 1], [0.95, 0.55, 0.55], [False, True, True], {(1, 5): 3, (2, 0): 10}, pages=7
    )
    assert points[:2] == [(0.0, 0.0), (1.0, 0.0)]
    assert points[2] == pytest.approx((6.0, 5 * 6 / 7))
    assert points[3] == pytest.approx((7.0, 5 * 6 / 7 + 16 / 21))


def test_nothing_fetched_is_no_curve() -> None:
    assert breadth_first_expectation([], [], [], {(0, 1): 5}, pages=0) == []


_PAGES = st.lists(
    st.tuples(st.integers(0, 5), st.floats(-0.5, 1.5, allow_nan=False), st.booleans()), min_size=1, max_size=40
)
_WAITING = st.dictionaries(st.tuples(st.integers(0, 6), st.integers(-5, 15)), st.integers(1, 50), max_size=20)


@given(_PAGES, _WAITING)
def test_it_never_falls_and_never_finds_more_than_it_fetches(
    pages: list[tuple[int, float, bool]], waiting: dict[tuple[int, int], int]
) -> None:
    depths, priorities, relevant = zip(*pages, strict=True)
    points = breadth_first_expectation(depths, priorities, relevant, waiting, pages=len(pages))
    assert points[0] == (0.0, 0.0)
    assert points[-1][0] == len(pages)
    for (x0, y0), (x1, y1) in pairwise(points):
        assert x1 > x0
        assert -1e-9 <= y1 - y0 <= x1 - x0 + 1e-9


@given(_PAGES)
def test_where_nothing_waits_it_ends_at_what_was_found(pages: list[tuple[int, float, bool]]) -> None:
    depths, priorities, relevant = zip(*pages, strict=True)
    points = breadth_first_expectation(depths, priorities, relevant, {}, pages=len(pages))
    assert points[-1] == pytest.approx((len(pages), sum(relevant)))
