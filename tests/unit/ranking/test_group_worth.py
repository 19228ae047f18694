"""Groups of links that a crawl has seen: how many are known at once."""

from __future__ import annotations

from focuscrawl.ranking.apprentice_options import ApprenticeOptions
from focuscrawl.ranking.group_worth import GroupWorth


def named(groups: GroupWorth, number: int) -> str:
    host = f"{number // 3}.example"
    return groups.named(host, f"{host}/{number % 3}/", "dir.example ul", "dir.example")


def test_the_groups_of_links_that_nobody_fetches_are_not_kept_for_ever() -> None:
    waiting: set[str] = set()
    groups = GroupWorth(ApprenticeOptions(), in_use=lambda: waiting, most=1_000)
    with_pages = [named(groups, number) for number in range(100)]
    waiting.add(named(groups, 150))
    for group in with_pages:
        groups.relevant.add(group, groups.know(group), 1.0)
    for number in range(20_000):
        named(groups, number)
        groups.refresh_some()
        groups.refresh_host(f"{number // 6}.example")
        groups.refresh_section("0.example/0/")
    assert len(groups.offsets) <= 1_500
    assert len(groups.share) == len(groups.offsets)
    assert groups.offsets.keys() >= {*with_pages, *waiting}
    last = named(groups, 19_999)
    assert groups.offsets[last] == groups.offset(last)


def test_a_group_that_was_forgotten_is_worth_the_same_when_it_is_met_again() -> None:
    many, few = GroupWorth(ApprenticeOptions()), GroupWorth(ApprenticeOptions(), most=50)
    for groups in (many, few):
        for number in range(200):
            group = named(groups, number)
            if number % 2:
                groups.relevant.add(group, groups.know(group), float(number % 3 == 1))
    for groups in (many, few):
        for number in range(200):
            groups.refresh(named(groups, number))
    assert {group: many.offset(group) for group in few.offsets} == {group: few.offset(group) for group in few.offsets}
    assert len(few.offsets) < len(many.offsets)


def test_groups_that_all_had_pages_are_seldom_looked_through() -> None:
    groups = GroupWorth(ApprenticeOptions(), most=100)
    names = []
    for number in range(3_000):
        names.append(named(groups, number))
        groups.hubs.add(names[-1], groups.know(names[-1]), 0.0)
    assert groups.offsets.keys() == set(names)
