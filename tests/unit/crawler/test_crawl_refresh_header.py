"""The Refresh header leads on as a refresh of the page itself does."""

from __future__ import annotations

import pytest

from focuscrawl.crawler.build import build_step
from focuscrawl.crawler.fetched import Fetched
from focuscrawl.crawler.redirects import SENDS_ON
from focuscrawl.crawler.step import PageStep
from focuscrawl.page.urls import host_of, url_key
from focuscrawl.records import Entry, Lease
from focuscrawl.topic.spec import TopicSpec

URL = "http://canal.example/locks"
TEXT = "The lower gate of our lock sticks at half height since the frost, and the lock keeper is away until spring."


@pytest.fixture
def step() -> PageStep:
    return build_step(TopicSpec.model_validate({"name": "locks", "terms": {"lock": 1.0, "gate": 0.8, "keeper": 0.8}}))


def fetched(value: str, body: str) -> Fetched:
    return Fetched(URL, 200, body.encode(), 1_700_000_000.0, "text/html", (("refresh", value),))


def lease() -> Lease:
    return Lease(Entry(URL, url_key(URL), host_of(URL), 0.7), token=1, expires_at=0.0, attempt=1, priority=1.0)


@pytest.mark.parametrize("body", ["", "<p>You are sent on.", '<p><a href="/lock-gates">Click here</a> to go on.'])
def test_a_page_without_text_is_a_redirect_in_other_words(step: PageStep, body: str) -> None:
    result = step.process(fetched("0; URL=/lock-gates", body), lease())
    assert result.record.reason == SENDS_ON
    assert [(entry.url, entry.score, entry.origin.hops) for entry in result.settlement.found] == [
        ("http://canal.example/lock-gates", 0.7, 1)
    ]


def test_a_page_with_text_is_kept_and_has_one_link_more(step: PageStep) -> None:
    body = f"<title>The lower gate</title><p>{TEXT} {TEXT}</p><a href=/keepers>The lock keepers</a>"
    result = step.process(fetched("300;url='/gates'", body), lease())
    assert result.record.relevant
    assert sorted(entry.url.rpartition("/")[2] for entry in result.settlement.found) == ["gates", "keepers"]


@pytest.mark.parametrize(
    ("value", "links"),
    [
        ("30", ()),
        ("0; url=", ()),
        ("0; url=#top", ()),
        ("0; url=http://[::1", ()),
        ("0; url=javascript:alert(1)", ()),
        (f"0; url={URL}", ()),
        ("0; url=/\xe9\x97\xb8", ("http://canal.example/%E9%97%B8",)),
        ("0; url=/caf\xe9", ("http://canal.example/caf%C3%A9",)),
    ],
)
def test_what_is_no_address_leads_nowhere(step: PageStep, value: str, links: tuple[str, ...]) -> None:
    page = step.analysed(fetched(value, f"<p>{TEXT}</p>"))
    assert tuple(link.url for link in page.links) == links
    assert page.empty_reason == ""


def test_what_is_no_page_does_not_become_one(step: PageStep) -> None:
    page = step.analysed(fetched("0; url=/gates", "%PDF-1.7 " + TEXT))
    assert page.empty_reason == "not html: PDF"
