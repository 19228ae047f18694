"""Pages that give neither a text nor a link: forms for an answer, earlier versions, facts about another page."""

from __future__ import annotations

import pytest

from focuscrawl.crawler.build import build_step
from focuscrawl.crawler.fetched import Fetched
from focuscrawl.crawler.scope import Budgets
from focuscrawl.crawler.step import PageStep
from focuscrawl.page.urls import host_of, url_key
from focuscrawl.records import Entry, Lease, PageEvent
from focuscrawl.topic.spec import TopicSpec

POSTS = ("frost", "summer", "autumn")
MENU = '<a href="/">Home</a><a href="/about">About</a>'
NO_INDEX = "<meta name=robots content='noindex, follow'>"


@pytest.fixture
def step() -> PageStep:
    return build_step(TopicSpec.model_validate({"name": "locks", "terms": {"lock": 1.0, "gate": 0.8, "keeper": 0.8}}))


def event(step: PageStep, url: str, head: str = "", links: str = MENU) -> PageEvent:
    text = f"The lower gate of the lock at {url.partition('?')[0]} sticks, and the lock keeper is away until spring."
    body = f"<title>The lower gate</title>{head}<h1>The lower gate</h1><p>{text}</p>{links}".encode()
    entry = Entry(url, url_key(url), host_of(url), 1.0)
    lease = Lease(entry, token=1, expires_at=0.0, attempt=1, priority=1.0)
    found = step.process(Fetched(url, 200, body, 1_700_000_000.0, "text/html"), lease).settlement.event
    assert found is not None
    return found


def test_a_page_not_to_be_indexed_gives_nothing_unless_it_leads_on(step: PageStep) -> None:
    event(step, "http://canal.example/frost/")
    assert event(step, "http://canal.example/frost/?reply=1", NO_INDEX).repeats
    listing = event(step, "http://canal.example/posts/?page=2", NO_INDEX, MENU + '<a href="/summer/">Summer</a>')
    assert (listing.repeats, listing.closed) == (False, False)


def test_a_post_of_a_site_that_is_not_to_be_indexed_repeats_nothing(step: PageStep) -> None:
    event(step, "http://canal.example/", NO_INDEX)
    assert not event(step, "http://canal.example/frost/", NO_INDEX).repeats


def test_links_of_a_page_not_to_be_followed_lead_nowhere(step: PageStep) -> None:
    head = "<meta name=robots content='noindex, nofollow'>"
    assert event(step, "http://canal.example/frost/?history=1", head, '<a href="/old/1">1</a>').repeats


def test_a_parameter_of_such_pages_waits_under_every_path(step: PageStep) -> None:
    for post in POSTS:
        event(step, f"http://canal.example/{post}/")
    for post in (*POSTS, "frost"):
        event(step, f"http://canal.example/{post}/?reply={len(post)}", NO_INDEX)
    told = step.budgets.held_back("http://canal.example/winter/?reply=9", "canal.example")
    assert told == "pages of http://canal.example/**?reply= mostly repeat others"
    assert not step.budgets.held_back("http://canal.example/winter/", "canal.example")


def test_a_parameter_whose_pages_lead_on_does_not_wait() -> None:
    budgets = Budgets(per_host=0, per_pattern=10)
    for shelf in "abcdef":
        budgets.fetched(f"http://e.org/{shelf}/?page=2", "e.org", found=False, repeats=True, closed=False)
    assert not budgets.held_back("http://e.org/new/?page=2", "e.org")
