"""Pages of directories that may lead to more hosts."""

from __future__ import annotations

import pytest

from focuscrawl.ranking.referrers import Referrers
from focuscrawl.ranking.scouts import Opened, Scouts

LISTED = "directory.org directory.org/ 0a1b2c"


def made() -> tuple[Scouts, Referrers]:
    referrers = Referrers()
    return Scouts(referrers), referrers


def opened(key: int, *, hosts: int = 8, best: float = 0.45, home: str = "directory.org") -> Opened:
    return Opened(key, LISTED, home, hosts, best)


def order(scouts: Scouts) -> list[tuple[float, int]]:
    """Return values and keys of all that wait, taken one by one."""
    found = []
    while (best := scouts.best()) is not None:
        value, scout = best
        found.append((round(value, 3), scout.key))
        scouts.taken(scout.key)
    return found


def test_the_other_pages_of_a_directory_wait_once_one_has_brought_hosts() -> None:
    scouts, _ = made()
    for key in (1, 2, 3):
        scouts.add(LISTED, key, 0.3)
    scouts.add("directory.org directory.org/about/ 9f", 4, 0.3)
    assert scouts.best() is None, "nobody knows yet what they are"
    scouts.taken(3)
    scouts.opened(opened(1), [])
    assert order(scouts) == [(0.4, 2)]  # .45 x 8/9


def test_a_post_that_names_a_few_sites_makes_no_directory_of_the_others() -> None:
    scouts, _ = made()
    scouts.add(LISTED, 2, 0.3)
    scouts.opened(opened(1, hosts=4), [(6, 0.2)])
    assert scouts.best() is None


def test_a_link_waits_once_and_comes_when_its_directory_is_believed() -> None:
    scouts, referrers = made()
    scouts.opened(opened(1), [(2, 0.3)])
    scouts.opened(opened(3), [(2, 0.3), (3, 0.3), (4, 0.2)])
    scouts.opened(opened(9, best=0.36, home="other.org"), [(10, 0.1)])
    for _ in range(2):
        referrers.tried("directory.org", gave=False)
    assert order(scouts) == [(0.32, 10), (0.2, 2), (0.2, 4)]


def test_pages_that_bring_nothing_speak_against_their_like() -> None:
    scouts, _ = made()
    for key in range(2, 40):
        scouts.add(LISTED, key, 0.3)
    scouts.opened(opened(1), [])
    values = []
    for n in range(6):
        value, scout = scouts.best() or (0.0, None)
        assert scout is not None
        values.append(round(value, 3))
        scouts.called(scout)
        if n == 3:
            scouts.opened(opened(scout.key), [])
    # .4, as often as pages of the group brought hosts: 2 of 2, 2 of 3, 2 of 4, 2 of 5, then one does, 3 of 6, 3 of 7.
    assert values == [round(0.4 * rate, 3) for rate in (1, 2 / 3, 2 / 4, 2 / 5, 3 / 6, 3 / 7)]
    scouts.opened(opened(100, best=0.2)._replace(group="other"), [(101, 0.1)])
    assert scouts.best(pay=0.3) is not None
    best = scouts.best()
    assert best is not None
    assert (best[0], best[1].key) == (pytest.approx(0.2 * 8 / 9), 101)
    assert scouts.rate("other") == 1.0


def test_links_wait_while_the_crawl_finds_more_than_their_like_brings() -> None:
    scouts, _ = made()
    scouts.opened(opened(1), [(key, 0.3) for key in range(2, 20)])
    for _ in range(6):
        found = scouts.best()
        assert found is not None
        scouts.called(found[1])
    assert scouts.rate(LISTED) == 0.25
    assert scouts.best(pay=0.25) is None
    again = scouts.best(pay=0.2)
    assert again is not None
    assert again[0] == pytest.approx(0.1)


def test_links_that_had_no_turn_keep_their_order() -> None:
    scouts, _ = made()
    scouts.opened(opened(1, best=0.18), [(2, 0.3)])
    scouts.opened(opened(3, best=0.45)._replace(group="other"), [(4, 0.3)])
    assert scouts.best(pay=1.0) is None  # as after a fetch that gave no page
    assert order(scouts) == [(0.4, 4), (0.16, 2)]


def test_what_is_remembered_is_bounded_and_the_best_stay() -> None:
    scouts, _ = made()
    for key in range(300):
        scouts.add(LISTED, key, 0.1)
    scouts.opened(opened(300), [])
    assert len(order(scouts)) == 100
    for group in range(2_001):
        scouts.add(f"group {group}", 1_000 + group, 0.1)
    scouts.opened(opened(0)._replace(group="group 0"), [])
    assert scouts.best() is None, "the group met first is forgotten"
    for key in range(10_000, 60_001):
        scouts.opened(opened(0, hosts=key), [(key, 0.1)])
    assert len(order(scouts)) == 1_000
