"""How often what was learned is saved: often at first, and by a share of the pages in a long crawl."""

from __future__ import annotations

import pytest

from focuscrawl.crawler.build import build_step
from focuscrawl.crawler.fetched import Fetched
from focuscrawl.crawler.step import PageStep
from focuscrawl.page.urls import host_of, url_key
from focuscrawl.records import Entry, Lease
from focuscrawl.topic.spec import TopicSpec


def made_step() -> PageStep:
    return build_step(TopicSpec.model_validate({"name": "locks", "terms": {"lock": 1.0}}))


def read(step: PageStep, number: int) -> dict[str, object]:
    """Process a page, and return what is saved with it."""
    url = f"http://canal.example/{number}"
    entry = Entry(url, url_key(url), host_of(url), 1.0)
    lease = Lease(entry, token=number, expires_at=0.0, attempt=1, priority=1.0)
    body = f"<title>Lock {number}</title><p>Gates of lock {number} are of oak and iron.</p>".encode()
    return dict(step.process(Fetched(url, 200, body, 1.7e9 + number, "text/html"), lease).settlement.state)


@pytest.mark.parametrize(("pages_before", "pause"), [(0, 50), (1_000, 50), (1_300, 55), (2_500, 105)])
def test_the_pause_between_two_saves_grows_with_the_crawl(pages_before: int, pause: int) -> None:
    step = made_step()
    step.counters.pages = pages_before
    saved = [number for number in range(1, pause + 5) if read(step, number)]
    assert saved == [pause]


def test_what_the_last_save_does_not_have_is_saved_at_the_end() -> None:
    step = made_step()
    states = [read(step, number) for number in range(1, 54)]
    assert [number for number, state in enumerate(states, 1) if state] == [50]
    ranker = step.unsaved()["ranker"]
    assert isinstance(ranker, dict)
    assert ranker["pages"] == 53
    assert step.unsaved() == {}


def test_nothing_is_saved_where_nobody_takes_up_the_crawl() -> None:
    step = made_step()
    step.snapshot_pages = 0
    assert not any(read(step, number) for number in range(1, 60))
    assert step.unsaved() == {}
