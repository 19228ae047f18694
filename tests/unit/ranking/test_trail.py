"""The pages by which others were found."""

from __future__ import annotations

from focuscrawl.ranking.link_model import LinkExample
from focuscrawl.ranking.trail import HOPS, Passed, Trail


def passed(key: int, parent: int | None) -> Passed:
    return Passed(key, f"group {key}", parent, LinkExample(), f"e.org/{key}/")


def chain(pages: int, *, most: int = 50) -> Trail:
    """Return a trail of pages 0, 1, 2 …, each found by the one before it."""
    trail = Trail(pages=most)
    for key in range(pages):
        trail.add(passed(key, key - 1 if key else None))
    return trail


def test_a_page_speaks_for_those_above_it_and_no_further_than_three_hops() -> None:
    trail = chain(6)
    assert [page.key for page in trail.above(5)] == [5, 4, 3]
    assert [page.key for page in trail.above(1)] == [1, 0]
    assert [page.key for page in trail.above(None)] == []
    assert HOPS == 3


def test_the_trail_ends_at_a_page_that_is_not_known() -> None:
    trail = Trail()
    trail.add(passed(1, 7))  # found by a page of an earlier session
    assert [page.key for page in trail.above(1)] == [1]
    assert [page.key for page in trail.above(7)] == []


def test_pages_that_name_each_other_are_no_endless_trail() -> None:
    trail = Trail()
    trail.add(passed(1, 2))
    trail.add(passed(2, 1))
    assert [page.key for page in trail.above(1)] == [1, 2, 1]


def test_the_oldest_pages_are_forgotten_with_what_they_led_to() -> None:
    trail = chain(3, most=2)
    assert [page.key for page in trail.above(2)] == [2, 1]

    first = passed(0, None)
    trail.add(first)
    assert [trail.count(first) for _ in range(3)] == [0, 1, 2]
    trail.add(passed(1, 0))
    trail.add(passed(2, 1))  # page 0 is forgotten
    trail.add(first)
    assert trail.count(first) == 0
