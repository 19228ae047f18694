"""Redirects and refreshes: five of both together."""

from __future__ import annotations

from dataclasses import replace

import pytest

from focuscrawl.crawler.build import build_step
from focuscrawl.crawler.fetched import Fetched
from focuscrawl.crawler.redirects import MAX_HOPS, SENDS_ON, SENDS_TO_FETCHED, TOO_MANY
from focuscrawl.crawler.step import PageStep
from focuscrawl.crawler.step_result import StepResult
from focuscrawl.page.urls import host_of, url_key
from focuscrawl.ranking.apprentice import Apprentice
from focuscrawl.ranking.group_rates import Tally
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


LINK = Entry(
    f"{SITE}/old",
    url_key(f"{SITE}/old"),
    "canal.example",
    0.7,
    "canal.example/|a|b",
    depth=3,
    tunnel=2,
    origin=Origin(parent=7, parent_url=f"{SITE}/list", anchor="The lock", parts={"words": 1.0}, carried={"words": 1.0}),
)


def sent_on(step: PageStep, entry: Entry, target: str, *, more: str = "") -> StepResult:
    """Process a page that sends its visitors on and says nothing else but `more`."""
    body = f'<title>Redirecting</title><meta http-equiv="refresh" content="0; url={target}"><p>Redirecting {more}'
    page = Fetched(entry.url, 200, body.encode(), 1.7e9, "text/html")
    return step.process(page, Lease(entry, token=1, expires_at=0.0, attempt=1, priority=0.7))


def new_step() -> PageStep:
    return build_step(TopicSpec.model_validate({"name": "locks", "terms": {"lock": 1.0}}))


def test_a_page_that_only_sends_its_visitors_on_is_a_redirect() -> None:
    step = new_step()
    canonical = f'<link rel="canonical" href="{SITE}/new">'
    result = sent_on(step, LINK, "/new", more=f'{canonical}<a href="/new">here</a>')
    assert (result.record.outcome, result.record.reason) == ("refused", SENDS_ON)
    (target,) = result.settlement.found
    assert target == replace(LINK, url=f"{SITE}/new", key=url_key(f"{SITE}/new"), origin=replace(LINK.origin, hops=1))
    assert url_key(f"{SITE}/new") not in result.settlement.also
    assert step.counters.pages == 0


def test_pages_that_send_their_visitors_on_teach_nothing() -> None:
    """They all say the same, which is no reason to leave the pages that stand behind them to the end."""
    step = new_step()
    before = step.ranker.snapshot()["relevant"]
    for number in range(300):
        link = replace(LINK, url=f"{SITE}/old/{number}", key=url_key(f"{SITE}/old/{number}"))
        assert sent_on(step, link, f"/new/{number}").settlement.event is None
    assert not step.budgets.held_back(f"{SITE}/old/301", "canal.example")
    assert step.ranker.snapshot()["relevant"] == before


def fetch(step: PageStep, path: str) -> None:
    """Process a page with a text of its own."""
    page = Fetched(f"{SITE}{path}", 200, f"<p>A lock of the canal at {path}".encode(), 1.7e9, "text/html")
    fetched = replace(LINK, url=page.url, key=url_key(page.url))
    step.process(page, Lease(fetched, token=1, expires_at=0.0, attempt=1, priority=0.7))


def test_pages_that_send_to_pages_that_others_led_to_first_count_for_their_group_alone() -> None:
    step = new_step()
    for number in range(20):
        fetch(step, f"/new/{number}")
    before, ranker = step.ranker.snapshot(), step.ranker
    assert isinstance(ranker, Apprentice)
    rate, offset = replace(ranker.relevant.groups[LINK.group]), ranker.groups.offsets[LINK.group]
    for number in range(20):
        link = replace(LINK, url=f"{SITE}/old/{number}", key=url_key(f"{SITE}/old/{number}"))
        result = sent_on(step, link, f"/new/{number}")
        assert (result.record.outcome, result.record.reason) == ("refused", SENDS_TO_FETCHED)
        assert not result.settlement.found
        assert result.settlement.event is None
    assert ranker.relevant.groups[LINK.group] == Tally(rate.trials + 20.0, rate.successes)
    assert ranker.groups.offsets[LINK.group] < offset
    assert [name for name, state in ranker.snapshot().items() if state != before[name]] == ["relevant"]


def test_pages_that_all_send_to_one_page_repeat_it() -> None:
    step = new_step()
    fetch(step, "/")
    outcomes = [
        sent_on(step, replace(LINK, url=f"{SITE}/old/{n}", key=url_key(f"{SITE}/old/{n}")), "/").record.outcome
        for n in range(20)
    ]
    assert outcomes == ["refused"] * 3 + ["done"] * 17


def test_what_sends_to_a_page_that_others_send_to_or_may_not_be_fetched_is_judged_like_any_page() -> None:
    step = new_step()
    fetch(step, "/new")
    for outcome in ("refused", "refused", "refused", "done"):
        assert sent_on(step, LINK, "/new").record.outcome == outcome
    assert sent_on(step, LINK, "ftp://canal.example/x").record.outcome == "done"
    assert sent_on(step, replace(LINK, origin=replace(LINK.origin, hops=MAX_HOPS)), "/other").record.reason == TOO_MANY


def test_a_page_with_text_beside_its_refresh_is_a_page() -> None:
    assert sent_on(new_step(), LINK, "/new", more="The keeper opens the lock. " * 10).record.outcome == "done"


def test_what_teaches_nothing_does_so_after_a_resume() -> None:
    first, second = new_step(), new_step()
    links = [replace(LINK, url=f"{SITE}/old/{n}", key=url_key(f"{SITE}/old/{n}")) for n in range(300)]
    second.restore({}, [sent_on(first, link, f"/new/{at}").record for at, link in enumerate(links)])
    assert not second.budgets.held_back(f"{SITE}/old/301", "canal.example")
    assert second.counters.failed == first.counters.failed == 300


def test_hops_are_stored_with_the_link() -> None:
    origin = entry(4).origin
    assert Origin.from_json(origin.to_json()) == origin
