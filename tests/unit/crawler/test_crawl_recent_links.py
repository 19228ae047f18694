"""Recently seen links."""

from __future__ import annotations

from focuscrawl.crawler.recent_links import RecentLinks


def test_a_link_is_new_once() -> None:
    seen = RecentLinks()
    assert seen.count_new([1, 2, 2, 3]) == 3
    assert seen.count_new([3, 4]) == 1
    assert seen.count_new(()) == 0


def test_at_least_a_generation_is_remembered_and_at_most_two() -> None:
    seen = RecentLinks(generation=10)
    for number in range(100):
        assert seen.count_new([number]) == 1
        last = range(max(0, number - 9), number + 1)
        assert seen.count_new(last) == 0
    assert seen.count_new([0]) == 1


def test_links_seen_again_and_again_are_not_forgotten_while_others_come_and_go() -> None:
    seen = RecentLinks(generation=10)
    assert seen.count_new([-1, 0]) == 2
    assert sum(seen.count_new([-1, number]) for number in range(1, 200)) == 199
