"""Counters of a crawl."""

from __future__ import annotations

import pytest

from focuscrawl.crawler.counters import CrawlCounters


def test_harvest_of_all_and_of_the_last_hundred() -> None:
    counters = CrawlCounters()
    for number in range(150):
        counters.judged("a.org", relevant=number < 75, threshold=0.4)
    look = counters.progress()
    assert (look.pages, look.relevant, look.stored) == (150, 75, 75)
    assert look.harvest == pytest.approx(0.5)
    assert look.harvest_recent == pytest.approx(0.25)
    assert counters.full_window


def test_duplicates_are_relevant_but_not_stored() -> None:
    counters = CrawlCounters()
    counters.judged("a.org", relevant=True, not_stored="duplicate", threshold=0.4)
    counters.judged("b.org", relevant=False, threshold=0.4)
    counters.gave_nothing("timeout")
    look = counters.progress()
    assert (look.relevant, look.stored, look.failed) == (1, 0, 1)
    assert look.not_stored == {"duplicate": 1}
    assert (look.hosts, look.relevant_hosts) == (2, 1)
    assert counters.reasons == {"timeout": 1}


def test_results_without_a_word_of_their_own_are_counted_by_host() -> None:
    counters = CrawlCounters()
    for own_terms in (0, 0, 3, None):
        counters.judged("a.org", relevant=True, threshold=0.4, own_terms=own_terms)
    counters.judged("b.org", relevant=True, threshold=0.4, own_terms=0, not_stored="duplicate")
    counters.judged("c.org", relevant=False, threshold=0.4, own_terms=0)
    assert counters.progress().wordless == {"a.org": 2}


def test_nothing_done_is_zero_not_an_error() -> None:
    look = CrawlCounters().progress()
    assert look.harvest == look.harvest_recent == 0.0
