"""Which limit ends a crawl, and what is said of an end."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from crawl_kit import topic_file

from focuscrawl.config import FocusConfig
from focuscrawl.crawler.arguments import CrawlArguments
from focuscrawl.crawler.endings import Ending, Standing, ending_of, limit_reached
from focuscrawl.crawler.plan import CrawlPlan, make_plan


@pytest.fixture(scope="module")
def plan(tmp_path_factory: pytest.TempPathFactory) -> CrawlPlan:
    folder = tmp_path_factory.mktemp("plan")
    arguments = CrawlArguments(topic=str(topic_file(folder, "http://a.example/")), run=str(folder / "run"))
    return replace(make_plan(arguments, FocusConfig()), pages=1000, relevant=50, minutes=1.5)


@pytest.mark.parametrize(
    ("standing", "ending"),
    [
        (Standing(999, 49, 89.9, 0.2), None),
        (Standing(1000, 0, 0.0), Ending("budget", "1,000 pages")),
        (Standing(1001, 50, 90.0), Ending("budget", "1,000 pages")),
        (Standing(60, 50, 0.0), Ending("budget", "50 relevant pages stored")),
        (Standing(60, 0, 90.0), Ending("budget", "1.5 minutes")),
        (Standing(60, 0, 0.0, 0.19), Ending("harvest too low", "19% of the last 100 pages, below 20%")),
        (Standing(60, 0, 0.0, None), None),
    ],
)
def test_the_first_limit_reached_ends_a_crawl(plan: CrawlPlan, standing: Standing, ending: Ending | None) -> None:
    assert limit_reached(plan, standing, min_harvest=0.2) == ending


def test_limits_of_zero_are_none(plan: CrawlPlan) -> None:
    free = replace(plan, pages=0, relevant=0, minutes=0.0)
    assert limit_reached(free, Standing(10**9, 10**9, 1e9, 0.0), min_harvest=0.0) is None


@pytest.mark.parametrize(
    ("reason", "pages", "queued", "ending"),
    [
        ("finished", 3, 0, Ending("exhausted")),
        ("finished", 3, 1200, Ending("exhausted", "1,200 links are left, of hosts that do not answer or want to be left"
                                     " alone")),
        ("finished", 0, 9, Ending("exhausted", "no seed could be fetched: 2 × timed out, 1 × HTTP 404", 1)),
        ("shutdown", 0, 9, Ending("stopped")),
        ("closespider_itemcount", 3, 9, Ending("budget", "itemcount")),
        ("start_error", 0, 0, Ending("error", "", 1)),
        ("a reason of the project", 3, 0, Ending("a reason of the project")),
    ],
)  # fmt: skip
def test_ends_of_scrapy_in_our_words(reason: str, pages: int, queued: int, ending: Ending) -> None:
    nothing = Counter({"timed out": 2, "HTTP 404": 1})
    assert ending_of(reason, pages=pages, queued=queued, nothing=nothing) == ending
