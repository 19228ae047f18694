"""Spaces whose links give no page."""

from __future__ import annotations

from focuscrawl.crawler.build import build_step
from focuscrawl.crawler.dead_links import LEAST_FETCHES, DeadLinks
from focuscrawl.crawler.redirects import TARGET_QUEUED
from focuscrawl.crawler.step import PageStep
from focuscrawl.page.urls import url_key
from focuscrawl.records import Entry, Lease, Origin, Outcome, PageRecord
from focuscrawl.topic.spec import TopicSpec

LIST = "http://canal.example/links.html"


def tried(links: DeadLinks, count: int, url: str, *, source: str = "", gave_page: bool = False) -> None:
    """Count fetches of so many URLs, each of which has its number in the place of ``#``."""
    for number in range(count):
        one = url.replace("#", f"n{number}")
        links.fetched(one, one.split("/")[2], source, gave_page=gave_page)


def test_a_folder_waits_when_nearly_all_of_its_fetches_gave_no_page() -> None:
    links = DeadLinks()
    tried(links, LEAST_FETCHES - 1, "http://e.org/gone/#")
    assert not links.behind("http://e.org/gone/next", "e.org", "")
    tried(links, 1, "http://e.org/gone/last")
    assert "http://e.org/gone/** mostly gave no page" in links.behind("http://e.org/gone/next", "e.org", "")
    assert not DeadLinks().behind("http://e.org/gone/next", "e.org", "")


def test_an_old_archive_with_pages_among_the_gone_ones_goes_on() -> None:
    links = DeadLinks()
    tried(links, 5, "http://e.org/old/#", gave_page=True)
    tried(links, 150, "http://e.org/old/#")
    assert not links.behind("http://e.org/old/next", "e.org", "")


def test_a_domain_waits_that_never_gave_a_page() -> None:
    links = DeadLinks()
    for number in range(LEAST_FETCHES):
        links.fetched(f"http://h{number}.e.org/", "e.org", "", gave_page=False)
    assert "no fetch of e.org" in links.behind("http://next.e.org/", "e.org", "")
    links.fetched("http://www.e.org/", "e.org", "", gave_page=True)
    assert not links.behind("http://next.e.org/", "e.org", "")


def test_a_site_that_links_to_dead_domains_is_told_and_known_domains_are_not_its_own() -> None:
    links = DeadLinks()
    tried(links, 100, "http://share.example/page/#", source="list.org")  # one domain, however many links
    assert not links.behind("http://new.example/", "new.example", "list.org")
    tried(links, LEAST_FETCHES, "http://#.example/", source="list.org")
    assert "list.org mostly links" in links.behind("http://new.example/", "new.example", "list.org")
    assert not links.behind("http://new.example/", "new.example", "other.org")
    assert not links.behind("http://list.org/own", "list.org", "list.org")
    tried(links, 1, "http://new.example/", source="other.org", gave_page=True)
    assert not links.behind("http://new.example/more", "new.example", "list.org")


def lease(number: int) -> Lease:
    url = f"http://canal.example/gone/n{number}"
    entry = Entry(url, url_key(url), "canal.example", 0.5, origin=Origin(url_key(LIST), LIST))
    return Lease(entry, 1, expires_at=0.0, attempt=1, priority=0.5)


def new_step() -> PageStep:
    return build_step(TopicSpec.model_validate({"name": "locks", "terms": {"lock": 1.0}}))


def test_refused_fetches_count_and_failed_ones_and_moved_ones_do_not() -> None:
    """A site that is down for an hour, or sends on to a host that is asked later, has its pages all the same."""
    step, records = new_step(), list[PageRecord]()
    for number in range(2 * LEAST_FETCHES):
        step.failed(lease(number), outcome=Outcome.FAILED, reason="timed out")
        step.failed(lease(number), outcome=Outcome.REFUSED, reason=TARGET_QUEUED)
    assert step.deferred(lease(99).entry) is None
    for number in range(LEAST_FETCHES):
        records.append(step.failed(lease(number), outcome=Outcome.REFUSED, reason="HTTP 404", status=404).record)
    assert step.deferred(lease(99).entry) is not None
    resumed = new_step()
    resumed.restore({}, records)
    assert resumed.deferred(lease(99).entry) is not None
