"""Redirects and refreshes: five of both together."""

from __future__ import annotations

import pytest

from focuscrawl.crawler.build import build_step
from focuscrawl.crawler.fetched import Fetched
from focuscrawl.crawler.redirects import MAX_HOPS, TOO_MANY
from focuscrawl.crawler.step_result import StepResult
from focuscrawl.page.urls import host_of, url_key
from focuscrawl.records import Entry, Lease, Origin
from focuscrawl.topic.spec import TopicSpec

SITE = "http://canal.example"


def stub(entry: Entry, *, redirects: int = 0, more: str = "") -> StepResult:
    """Process a page that has nothing but a refresh to /next, a link to /other, and `more`."""
    step = build_step(TopicSpec.model_validate({"name": "locks", "terms": {"lock": 1.0}}))
    body = f'<meta http-equiv="refresh" content="0; url=/next"><p><a href="/other">on</a>{more}'.encode()
    fetched = Fetched(
        f"{SITE}/stub", 200, body, 1.7e9, "text/html", redirects=tuple(f"{SITE}/r{n}" for n in range(redirects))
    )
    return step.process(fetched, Lease(entry, token=1, expires_at=0.0, attempt=1, priority=1.0))


def entry(hops: int) -> Entry:
    return Entry(f"{SITE}/a", url_key(f"{SITE}/a"), host_of(SITE), 1.0, depth=3, origin=Origin(hops=hops))


@pytest.mark.parametrize(("hops", "redirects"), [(0, 0), (0, 4), (4, 0), (2, 2)])
def test_a_refresh_is_a_hop_more(hops: int, redirects: int) -> None:
    result = stub(entry(hops), redirects=redirects)
    found = {one.url.removeprefix(SITE): one for one in result.settlement.found}
    assert found["/next"].origin.hops == hops + redirects + 1
    assert found["/next"].depth == 3  # it takes the place of the page that refreshes
    assert (found["/other"].origin.hops, found["/other"].depth) == (0, 4)


def test_a_link_to_the_target_beside_the_refresh_changes_nothing() -> None:
    bare, linked = stub(entry(2)), stub(entry(2), more='<p><a href="/next">Click here if nothing happens</a>')
    (one,), (other,) = (
        [found for found in result.settlement.found if found.url == f"{SITE}/next"] for result in (bare, linked)
    )
    assert (other.origin.hops, other.depth, other.tunnel) == (one.origin.hops, one.depth, one.tunnel) == (3, 3, 0)


@pytest.mark.parametrize(("hops", "redirects"), [(MAX_HOPS, 0), (0, MAX_HOPS), (3, 2)])
def test_after_five_hops_no_refresh_is_followed(hops: int, redirects: int) -> None:
    result = stub(entry(hops), redirects=redirects)
    assert [one.url for one in result.settlement.found] == [f"{SITE}/other"]
    assert result.record.reason == TOO_MANY


def test_hops_are_stored_with_the_link() -> None:
    origin = entry(4).origin
    assert Origin.from_json(origin.to_json()) == origin
