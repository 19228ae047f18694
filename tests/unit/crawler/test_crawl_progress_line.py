"""The line of progress, while a crawl is paused too."""

from __future__ import annotations

from collections import Counter
from types import SimpleNamespace
from typing import Any

from focuscrawl.crawler.counters import CrawlCounters
from focuscrawl.crawler.limits import Limits
from focuscrawl.crawler.page_history import RunFreshness
from focuscrawl.crawler.summary import ProgressLine
from focuscrawl.frontier.base import FrontierStats
from focuscrawl.frontier.fleet import FleetTotals
from focuscrawl.frontier.patience import Waiting
from focuscrawl.visits import Saw


def test_a_round_of_visits_has_its_own_budget() -> None:
    refresh = SimpleNamespace(wanted=20, over=False, before=RunFreshness(freshness=0.5, age_s=0.0, pages=3))
    revisits = SimpleNamespace(seen=Counter({Saw.CHANGED: 2, Saw.GONE: 1}))
    counters = CrawlCounters()
    counters.judged("a.example", relevant=True, threshold=0.3)
    crawl: Any = SimpleNamespace(
        clock=lambda: 1_790_000_000.0,
        config=SimpleNamespace(lang="en"),
        fleet=None,
        limits=Limits(counters),
        orders=SimpleNamespace(paused_since=None),
        refresh=refresh,
        revisits=revisits,
        step=SimpleNamespace(counters=counters),
    )
    line = ProgressLine(crawl)
    assert line.budget == (3, 20)
    assert line() == "3 of 20 visits, 2 changed, 0 unchanged, 0 moved, 1 gone, 0 failed, 50% fresh before"
    refresh.over, crawl.limits.pages = True, 30
    assert line.budget == (1, 30)


def test_a_pause_is_told_with_its_beginning() -> None:
    counters = CrawlCounters()
    crawl: Any = SimpleNamespace(
        clock=lambda: 1_790_000_000.0,
        config=SimpleNamespace(lang="en"),
        fleet=None,
        limits=Limits(counters, pages=300),
        loop=SimpleNamespace(queued=7, waits_for=0, waits_until=0.0),
        orders=SimpleNamespace(paused_since=None),
        refresh=None,
        step=SimpleNamespace(counters=counters),
    )
    line = ProgressLine(crawl)
    assert line() == "0 of 300 pages, queue 7: waiting for the first answers"
    counters.judged("a.example", relevant=True, threshold=0.3)
    running = line()
    assert running.startswith("1 of 300 pages, 1 relevant")
    crawl.orders.paused_since = 1_789_999_000.0
    assert line() == f"paused since 2026-09-21 13:56 UTC: {running}"
    crawl.config.lang = "zh"
    assert line().startswith("2026-09-21 13:56 UTC 起已暂停：已抓取 1")


def test_a_wait_for_better_links_is_told_in_whole_seconds_until_it_is_over() -> None:
    counters = CrawlCounters()
    counters.judged("a.example", relevant=True, threshold=0.3)
    loop = SimpleNamespace(queued=7, waits_for=2, waits_until=1_790_000_000.4)
    crawl: Any = SimpleNamespace(
        clock=lambda: 1_790_000_000.0,
        config=SimpleNamespace(lang="en"),
        fleet=None,
        limits=Limits(counters),
        loop=loop,
        orders=SimpleNamespace(paused_since=None),
        refresh=None,
        step=SimpleNamespace(counters=counters),
    )
    line = ProgressLine(crawl)
    assert line().endswith(", waiting for 2 hosts, next in 1 s")
    loop.waits_until = 1_789_999_999.9
    assert line().endswith("queue 7")
    # A worker of a fleet has it from the frontier.
    crawl.fleet = SimpleNamespace(waits_for=Waiting(3, 1_790_000_001.5))
    assert line().endswith(", waiting for 3 hosts, next in 2 s")
    crawl.fleet.waits_for = None
    assert line().endswith("queue 7")


def test_the_time_left_of_a_fleet_is_that_of_the_pages_of_all_workers() -> None:
    counters = CrawlCounters()
    now = [1_790_000_000.0]
    limits = Limits(counters, pages=400)
    crawl: Any = SimpleNamespace(
        clock=lambda: now[0],
        config=SimpleNamespace(lang="en"),
        fleet=SimpleNamespace(waits_for=None),
        limits=limits,
        loop=SimpleNamespace(queued=7, waits_for=0, waits_until=0.0),
        orders=SimpleNamespace(paused_since=None),
        refresh=None,
        step=SimpleNamespace(counters=counters),
    )
    line = ProgressLine(crawl)
    counters.judged("a.example", relevant=True, threshold=0.3)
    now[0] += 1.0
    assert line().endswith("1.0 pages/s, queue 7")  # what the others do is not known yet
    limits.totals = FleetTotals(FrontierStats(), pages=200, relevant=0, stored=0, workers=4)
    now[0] += 1.0
    assert line().endswith("queue 7")  # nor how fast
    counters.judged("a.example", relevant=True, threshold=0.3)
    limits.totals = FleetTotals(FrontierStats(), pages=220, relevant=0, stored=0, workers=4)
    now[0] += 2.0
    assert line().startswith("2 of 400 pages, ")
    assert line().endswith(" 0.5 pages/s, queue 7, 0:18 left")
    assert line.budget == (220, 400)


def test_a_clock_that_is_set_back_shows_no_standstill() -> None:
    times = iter([5_000.0, 5_005.0, 1_000.0, 1_010.0])
    counters = CrawlCounters()
    crawl: Any = SimpleNamespace(
        clock=lambda: next(times),
        config=SimpleNamespace(lang="en"),
        fleet=None,
        limits=Limits(counters, clock=lambda: 0.0),
        loop=SimpleNamespace(queued=7, waits_for=0, waits_until=0.0),
        orders=SimpleNamespace(paused_since=None),
        refresh=None,
        step=SimpleNamespace(counters=counters),
    )
    line = ProgressLine(crawl)
    for _ in range(10):
        counters.judged("a.example", relevant=True, threshold=0.3)
    assert "2.0 pages/s" in line()
    line()
    for _ in range(50):
        counters.judged("a.example", relevant=True, threshold=0.3)
    assert "5.0 pages/s" in line()
