"""When a host is asked again."""

from __future__ import annotations

import pytest

from focuscrawl.config import FocusConfig
from focuscrawl.crawler.fetch_failure import FetchFailure
from focuscrawl.crawler.host_backoff import HostBackoff, Reaction
from focuscrawl.records import Entry, Outcome
from focuscrawl.types import digest64

TIMED_OUT = FetchFailure(Outcome.FAILED, "timed out", host_failed=True)


@pytest.fixture
def hosts() -> HostBackoff:
    return HostBackoff(FocusConfig(host_backoff_s=10.0, max_hold_s=60.0), delay_s=2.0)


def entry(url: str = "http://a.example/") -> Entry:
    return Entry(url, digest64(url), url.split("/")[2], 0.5)


def test_one_failure_is_the_urls_matter_more_are_the_hosts(hosts: HostBackoff) -> None:
    for hold_s in (0.0, 10.0, 20.0, 40.0, 60.0, 60.0):  # doubled, up to the longest hold
        hosts.asked(entry())
        assert hosts.failed(entry(), TIMED_OUT) == Reaction(Outcome.FAILED, "timed out", hold_s=hold_s)
    hosts.answered("a.example")
    assert hosts.failed(entry(), TIMED_OUT).hold_s == 0.0


def test_fetches_that_were_under_way_when_a_host_fell_silent_are_one_failure(hosts: HostBackoff) -> None:
    urls = [f"http://a.example/{number}" for number in range(16)]
    assert {hosts.asked(entry(url)) for url in urls} == {0.0}
    assert [hosts.failed(entry(url), TIMED_OUT).hold_s for url in urls] == [0.0, 10.0, *[0.0] * 14]
    # Now and then one is tried, and those that are under way at once are one failure again.
    assert [hosts.asked(entry(url)) for url in urls[:2]] == [10.0, 10.0]
    assert [hosts.failed(entry(url), TIMED_OUT).hold_s for url in urls[:4]] == [20.0, 0.0, 0.0, 0.0]
    assert hosts.asked(entry()) == 10.0  # what its answer takes, not the whole wait
    hosts.answered("a.example")
    assert hosts.asked(entry()) == 0.0


def test_of_very_many_silent_hosts_those_that_failed_first_are_forgotten(
    hosts: HostBackoff, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("focuscrawl.crawler.host_backoff._MOST_FAILING", 4)
    for number in range(5):
        for _ in range(2):
            hosts.failed(entry(f"http://h{number}.example/"), TIMED_OUT)
    assert [hosts.is_in_trouble(f"h{number}.example") for number in range(5)] == [False, False, True, True, True]


def test_what_fails_behind_a_redirect_is_the_other_hosts_matter(hosts: HostBackoff) -> None:
    urls = [f"http://a.example/{number}" for number in range(3)]
    hosts.failed(entry(), TIMED_OUT)
    assert [hosts.failed(entry(url), TIMED_OUT, host="b.example").hold_s for url in urls] == [0.0, 10.0, 0.0]
    assert (hosts.is_in_trouble("a.example"), hosts.is_in_trouble("b.example")) == (False, True)
    assert hosts.failed(entry(), TIMED_OUT).hold_s == 0.0  # the redirects were answers
    hosts.answered("b.example")
    assert not hosts.is_in_trouble("b.example")


def test_an_answer_that_is_no_page_is_an_answer(hosts: HostBackoff) -> None:
    hosts.failed(entry(), TIMED_OUT)
    assert hosts.failed(entry(), FetchFailure(Outcome.REFUSED, "HTTP 404", 404)) == Reaction(
        Outcome.REFUSED, "HTTP 404"
    )
    assert hosts.failed(entry(), TIMED_OUT).hold_s == 0.0


def test_a_url_comes_back_five_times_with_not_now(hosts: HostBackoff) -> None:
    not_now = FetchFailure(Outcome.FAILED, "HTTP 429", 429, wait_s=500.0)
    for _ in range(5):
        # No host has itself left alone for ever.
        assert hosts.failed(entry(), not_now) == Reaction(None, "HTTP 429", delay_s=70.0, hold_s=60.0)
    assert hosts.failed(entry(), not_now) == Reaction(Outcome.REFUSED, "HTTP 429")


def test_a_later_visit_may_come_back_as_often_again(hosts: HostBackoff) -> None:
    not_now = FetchFailure(Outcome.FAILED, "HTTP 429", 429, wait_s=500.0)
    for _ in range(3):  # visits of a page, or polls of a feed, over weeks
        for _ in range(4):
            assert hosts.failed(entry(), not_now).outcome is None
        hosts.ended(entry().key)


def test_the_longer_of_two_reasons_to_wait_counts(hosts: HostBackoff) -> None:
    busy = FetchFailure(Outcome.FAILED, "HTTP 503", 503, host_failed=True, wait_s=15.0)
    for hold_s in (15.0, 15.0, 20.0, 40.0):
        hosts.asked(entry())
        # The URL comes back after the host, so another one is tried.
        assert hosts.failed(entry(), busy) == Reaction(None, "HTTP 503", delay_s=hold_s + 10.0, hold_s=hold_s)


def test_a_url_that_waits_for_the_delay_of_its_host_comes_back_as_often_as_it_takes(hosts: HostBackoff) -> None:
    waits = FetchFailure(Outcome.FAILED, "waits for its host's delay", wait_s=300.0, put_off=True)
    for _ in range(20):
        assert hosts.failed(entry(), waits) == Reaction(None, "waits for its host's delay", hold_s=300.0)


def test_robots_txt_can_raise_a_delay(hosts: HostBackoff) -> None:
    assert not hosts.raise_delay("a.example", 1.0)
    assert hosts.raise_delay("a.example", 7.0)
    assert not hosts.raise_delay("a.example", 7.0)
    assert (hosts.delay_of("a.example"), hosts.delay_of("b.example")) == (7.0, 2.0)
