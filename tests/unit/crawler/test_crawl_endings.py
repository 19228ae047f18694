"""Which limit ends a crawl, and what is said of an end."""

from __future__ import annotations

from collections import Counter

import pytest

from focuscrawl.crawler.counters import CrawlCounters
from focuscrawl.crawler.endings import Ending, ending_of
from focuscrawl.crawler.limits import Limits
from focuscrawl.frontier.base import FrontierStats
from focuscrawl.frontier.fleet import FleetTotals
from focuscrawl.wording.base import Say
from focuscrawl.wording.endings import detail_of


def limits(*, pages: int, relevant: int, seconds: float, **given: float) -> Limits:
    """Return limits of a crawl that has fetched `pages`, in so many seconds."""
    counters, now = CrawlCounters(), [1000.0]
    made = Limits(counters, clock=lambda: now[0], **given)  # type: ignore[arg-type]
    counters.pages, counters.stored = pages, relevant
    now[0] += seconds
    return made


@pytest.mark.parametrize(
    ("pages", "relevant", "seconds", "harvest", "ending"),
    [
        (999, 49, 89.9, 0.2, None),
        (1000, 0, 0.0, None, Ending("budget", "1,000 pages")),
        (1001, 50, 90.0, None, Ending("budget", "1,000 pages")),
        (60, 50, 0.0, None, Ending("budget", "50 relevant pages stored")),
        (60, 0, 90.0, None, Ending("budget", "1.5 minutes")),
        (60, 0, 0.0, 0.19, Ending("harvest too low", "19% of the last 100 pages, below 20%")),
        (60, 0, 0.0, None, None),
    ],
)
def test_the_first_limit_reached_ends_a_crawl(
    pages: int, relevant: int, seconds: float, harvest: float | None, ending: Ending | None
) -> None:
    given = {"minutes": 1.5, "min_harvest": 0.2}
    made = limits(pages=pages, relevant=relevant, seconds=seconds, **given)
    made.change("pages", 1000)
    made.change("relevant", 50)
    assert made.reached(harvest) == ending


def test_a_least_harvest_can_be_set_later() -> None:
    made = limits(pages=200, relevant=0, seconds=0.0)
    assert made.reached(0.1) is None
    made.change("min_harvest", 0.2)
    assert made.reached(0.1) == Ending("harvest too low", "10% of the last 100 pages, below 20%")
    assert made.reached(0.2) is None


def test_limits_of_zero_are_none() -> None:
    made = limits(pages=10**9, relevant=10**9, seconds=1e9)
    assert made.reached(0.0) is None
    assert made.allowed(10**6) > 10**6


def test_what_other_workers_have_fetched_counts() -> None:
    made = limits(pages=10, relevant=3, seconds=0.0)
    made.change("pages", 100)
    made.totals = FleetTotals(FrontierStats(), pages=70, relevant=60, stored=40, workers=2)
    assert made.allowed(20) == 10
    made.change("relevant", 41)
    assert made.reached(None) is None, "what is relevant and not stored does not count"
    made.change("relevant", 40)
    assert made.reached(None) == Ending("budget", "40 relevant pages stored")
    made.ended = True
    assert made.allowed(0) == 0


@pytest.mark.parametrize(
    ("reason", "pages", "queued", "ending"),
    [
        ("finished", 3, 0, Ending("exhausted")),
        ("finished", 3, 1200, Ending("exhausted", "1,200 links wait for hosts that do not answer or want to be left"
                                     " alone", links_left=True)),
        ("finished", 0, 9, Ending("exhausted", "no seed could be fetched: 2 × timed out, 1 × HTTP 404", 1)),
        ("shutdown", 0, 9, Ending("stopped")),
        ("closespider_itemcount", 3, 9, Ending("budget", "CLOSESPIDER_ITEMCOUNT")),
        ("start_error", 0, 0, Ending("error", "", 1)),
        ("a reason of the project", 3, 0, Ending("a reason of the project")),
    ],
)  # fmt: skip
def test_ends_of_scrapy_in_our_words(reason: str, pages: int, queued: int, ending: Ending) -> None:
    nothing = Counter({"timed out": 2, "HTTP 404": 1})
    assert ending_of(reason, pages=pages, queued=queued, nothing=nothing) == ending


@pytest.mark.parametrize("why", ["localhost is this machine", "wiki.example (10.0.0.7) is not a public address"])
def test_a_crawl_that_was_kept_from_its_seeds_names_the_setting(why: str) -> None:
    ending = ending_of("finished", pages=0, queued=0, nothing=Counter({"timed out": 2, why: 1}))
    assert ending.detail == (
        f"no seed could be fetched: 2 × timed out, 1 × {why}; FOCUSCRAWL_ALLOW_PRIVATE=1 lets a crawl reach addresses"
        " that are not public"
    )
    assert detail_of(ending.detail, Say("zh")).startswith("没有一个种子能抓取：超时 × 2，")
    assert detail_of(ending.detail, Say("zh")).endswith("；设置 FOCUSCRAWL_ALLOW_PRIVATE=1 后可以访问非公网地址")
