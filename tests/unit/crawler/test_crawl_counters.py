"""Counters of a crawl."""

from __future__ import annotations

import pytest

from focuscrawl.crawler.counters import CrawlCounters


def test_harvest_of_all_and_of_the_last_hundred() -> None:
    counters = CrawlCounters()
    for number in range(150):
        counters.judged("a.org", relevant=number < 75, duplicate=False, threshold=0.4)
    look = counters.progress()
    assert (look.pages, look.relevant, look.stored) == (150, 75, 75)
    assert look.harvest == pytest.approx(0.5)
    assert look.harvest_recent == pytest.approx(0.25)
    assert counters.full_window


def test_duplicates_are_relevant_but_not_stored() -> None:
    counters = CrawlCounters()
    counters.judged("a.org", relevant=True, duplicate=True, threshold=0.4)
    counters.judged("b.org", relevant=False, duplicate=False, threshold=0.4)
    counters.gave_nothing("timeout")
    look = counters.progress()
    assert (look.relevant, look.stored, look.duplicates, look.failed) == (1, 0, 1, 1)
    assert (look.hosts, look.relevant_hosts) == (2, 1)
    assert counters.reasons == {"timeout": 1}


def test_nothing_done_is_zero_not_an_error() -> None:
    look = CrawlCounters().progress()
    assert look.harvest == look.harvest_recent == 0.0
