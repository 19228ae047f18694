"""Counters of a crawl."""

from __future__ import annotations

from dataclasses import replace

import pytest
from record_kit import stored_record

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
        counters.recorded(stored_record(0, host="a.org", own_terms=own_terms))
    counters.recorded(stored_record(1, host="b.org", own_terms=0, duplicate_of=7))
    counters.recorded(stored_record(2, host="c.org", own_terms=0, relevant=False))
    assert counters.progress().words.wordless == {"a.org": 2}


def test_results_with_one_topic_word_alone_are_counted_by_the_word_once_a_page_has_had_two() -> None:
    counters = CrawlCounters()
    one, two = {"title": {"tea": 1}, "text": {"tea": 4}, "links": {"cup": 2}}, {"title": {"tea": 1}, "tags": {"cup": 1}}
    first = stored_record(1, evidence=one, own_terms=1)
    counters.recorded(first)
    counters.recorded(stored_record(2, evidence=one, own_terms=1, duplicate_of=7))
    counters.recorded(stored_record(3, evidence=one, own_terms=1, relevant=False))
    assert counters.progress().words.lone == {}, "a topic may have but one word"
    counters.recorded(stored_record(4, evidence=two, own_terms=2))
    assert counters.progress().words.lone == {"tea": 1}
    counters.revised(first, replace(first, relevant=False))
    assert counters.progress().words.lone == {}


def test_nothing_done_is_zero_not_an_error() -> None:
    look = CrawlCounters().progress()
    assert look.harvest == look.harvest_recent == 0.0
