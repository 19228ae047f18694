"""What a run that goes on knows of the pages it has."""

from __future__ import annotations

import pytest

from focuscrawl.crawler.counters import CrawlCounters
from focuscrawl.crawler.earlier_pages import take_up
from focuscrawl.crawler.scope import Budgets
from focuscrawl.dedupe.known import KnownTexts
from focuscrawl.records import PageEvent, PageRecord
from focuscrawl.topic.model import fit_topic
from focuscrawl.topic.spec import TopicSpec


def budgets(*, per_host: int = 0, per_pattern: int = 0) -> Budgets:
    return Budgets(per_host=per_host, per_pattern=per_pattern)


def feed(number: int, *, parent: int | None = None) -> PageRecord:
    """Return the row of a feed, one that a page or another feed led to."""
    url = f"http://a.example/list/{number}/feed"
    return PageRecord(
        number, url, url, "a.example", parent=parent, fetched_at=1.0, status=200, outcome="done", feed=True
    )


def taken_up(rows: list[PageRecord], known: Budgets) -> Budgets:
    topic = fit_topic(TopicSpec(name="tea", terms={"tea": 1.0}))
    take_up(rows, topic, set(), set(), CrawlCounters(), known, KnownTexts())
    return known


@pytest.mark.parametrize("most", [{"per_host": 10}, {"per_pattern": 10}])
def test_feeds_are_no_finds_after_a_resume_either(most: dict[str, int]) -> None:
    rows = [feed(number, parent=1000) for number in range(1, 31)]
    before = budgets(**most)
    for row in rows:
        before.learn(PageEvent(url=row.url, host=row.host, key=row.key))
    url = "http://a.example/list/99/feed"
    assert before.spent(url, "a.example")[0] == 3
    assert taken_up(rows, budgets(**most)).spent(url, "a.example") == before.spent(url, "a.example")


def test_links_like_feeds_that_a_feed_lists_wait_after_a_resume_too() -> None:
    rows = [feed(1), *(feed(number, parent=1) for number in range(2, 12))]
    known = taken_up(rows, budgets(per_pattern=1000))
    assert "mostly repeat others" in known.held_back("http://a.example/list/99/feed", "a.example")
    of_pages = [feed(number, parent=1000) for number in range(1, 12)]
    known = taken_up(of_pages, budgets(per_pattern=1000))
    assert not known.held_back("http://a.example/list/99/feed", "a.example")
