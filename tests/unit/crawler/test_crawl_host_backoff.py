"""When a host is asked again."""

from __future__ import annotations

import pytest

from focuscrawl.config import FocusConfig
from focuscrawl.crawler.fetch_failure import NO_SUCH_HOST, FetchFailure
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
        assert hosts.failed(entry(), TIMED_OUT) == Reaction(Outcome.FAILED, "timed out", hold_s=hold_s)
    hosts.answered("a.example")
    assert hosts.failed(entry(), TIMED_OUT).hold_s == 0.0


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
        assert hosts.failed(entry(), not_now) == Reaction(None, "HTTP 429", delay_s=10.0, hold_s=60.0)
    assert hosts.failed(entry(), not_now) == Reaction(Outcome.REFUSED, "HTTP 429")


def test_the_longer_of_two_reasons_to_wait_counts(hosts: HostBackoff) -> None:
    busy = FetchFailure(Outcome.FAILED, "HTTP 503", 503, host_failed=True, wait_s=15.0)
    assert [hosts.failed(entry(), busy).hold_s for _ in range(4)] == [15.0, 15.0, 20.0, 40.0]


def test_a_name_that_does_not_resolve_is_looked_up_three_times_for_all_its_links(hosts: HostBackoff) -> None:
    gone = FetchFailure(Outcome.FAILED, NO_SUCH_HOST, no_such_host=True)
    for n, delay_s in ((1, 20.0), (2, 40.0)):
        url = f"http://gone.example/{n}"
        assert not hosts.is_unknown(url)
        assert hosts.failed(entry(url), gone) == Reaction(None, NO_SUCH_HOST, delay_s=delay_s)
    assert hosts.failed(entry("http://gone.example/1"), gone) == Reaction(Outcome.REFUSED, NO_SUCH_HOST)
    assert hosts.is_unknown("http://gone.example/2")
    # Through a proxy for http only, https names may not resolve where http ones need not.
    assert not hosts.is_unknown("https://gone.example/3")
    hosts.answered("gone.example", "http://gone.example/4")
    assert not hosts.is_unknown("http://gone.example/5")


def test_robots_txt_can_raise_a_delay(hosts: HostBackoff) -> None:
    assert not hosts.raise_delay("a.example", 1.0)
    assert hosts.raise_delay("a.example", 7.0)
    assert not hosts.raise_delay("a.example", 7.0)
    assert (hosts.delay_of("a.example"), hosts.delay_of("b.example")) == (7.0, 2.0)
