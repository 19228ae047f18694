"""How often what was learned is saved, and that a crawl goes on with it."""

from __future__ import annotations

import json
from random import Random
from string import ascii_lowercase

import pytest

from focuscrawl.crawler.build import StepChoices, build_step
from focuscrawl.crawler.fetched import Fetched
from focuscrawl.crawler.step import PageStep
from focuscrawl.crawler.step_result import StepResult
from focuscrawl.page.analysis import analyse
from focuscrawl.page.urls import host_of, url_key
from focuscrawl.records import Entry, Lease, Outcome, PageRecord
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


SUBJECTS = {"canal.example": "lock", "cook.example": "soup"}


def follow(step: PageStep, entry: Entry, number: int) -> StepResult:
    """Process a page of one of two sites, which links to the next page of both."""
    links = "".join(
        f"<p><a href=http://{host}/{number + 2}>The next {subject} of all</a></p>" for host, subject in SUBJECTS.items()
    )
    subject = SUBJECTS[entry.host]
    lease = Lease(entry, number, expires_at=0.0, attempt=1, priority=entry.score)
    words = " ".join("".join(Random(f"{entry.url} {n}").sample(ascii_lowercase, 6)) for n in range(30))
    text = f"<p>A {subject} that is {number} days old: {words}</p>{links}"
    body = f"<title>The {subject} {number}</title>{text}".encode()
    return step.process(Fetched(entry.url, 200, body, 1.7e9 + number, "text/html"), lease)


@pytest.mark.parametrize("strategy", ["apprentice", "ipagerank"])
def test_a_crawl_that_goes_on_scores_and_expects_as_if_it_had_not_ended(strategy: str) -> None:
    spec = TopicSpec.model_validate({"name": "locks", "terms": {"canal": 1.0, "lock": 1.0}})
    first, second, fresh = (build_step(spec, choices=StepChoices(strategy=strategy)) for _ in range(3))
    states: dict[str, object] = {}
    records: list[PageRecord] = []
    queue = {url: Entry(url, url_key(url), host_of(url), 1.0) for url in (f"http://{host}/" for host in SUBJECTS)}
    for number in range(120):
        entry = queue.pop(next(iter(queue)))
        result = follow(first, entry, number)
        settlement = result.settlement
        records.append(result.record)
        queue.update({one.url: one for one in settlement.found})
        states.update(settlement.state)
    states.update(first.unsaved())
    second.restore(json.loads(json.dumps(states)), records)
    assert second.judge.snapshot() == first.judge.snapshot() != fresh.judge.snapshot()
    menu = analyse(b"<p>The next lock of all</p>", "http://canal.example/", tokenizer=first.topic.tokenizer)
    assert [step.sites.own(menu).site_wide.known for step in (first, second, fresh)] == [True, True, False]
    entry = queue.pop(next(iter(queue)))
    here, there, nothing = (follow(step, entry, 500) for step in (first, second, fresh))
    scores, others, unlearned = (
        {one.url: one.score for one in result.settlement.found} for result in (here, there, nothing)
    )
    assert others == pytest.approx(scores, abs=0.025)  # the scores of a model rise in steps of .02
    assert unlearned != pytest.approx(scores, abs=0.025)
    assert there.record.predicted == pytest.approx(here.record.predicted, abs=0.02)
    assert nothing.record.predicted != pytest.approx(here.record.predicted, abs=0.02)


LEARNING = ("apprentice", "rw", "locality", "tagpath", "infospiders", "context-graph", "ipagerank")


@pytest.mark.parametrize("strategy", LEARNING)
def test_another_strategy_begins_anew_and_the_same_one_goes_on(strategy: str) -> None:
    spec = TopicSpec.model_validate({"name": "locks", "terms": {"canal": 1.0, "lock": 1.0}})
    first = build_step(spec, choices=StepChoices(strategy=strategy))
    states: dict[str, object] = {}
    queue = {url: Entry(url, url_key(url), host_of(url), 1.0) for url in (f"http://{host}/" for host in SUBJECTS)}
    for number in range(60):
        settlement = follow(first, queue.pop(next(iter(queue))), number).settlement
        queue.update({one.url: one for one in settlement.found})
        states.update(settlement.state)
    saved = json.loads(json.dumps(states | first.unsaved()))
    for other in LEARNING:
        second, fresh = (build_step(spec, choices=StepChoices(strategy=other)) for _ in range(2))
        second.restore(saved, ())
        assert second.judge.snapshot() == first.judge.snapshot()
        learned = [step.ranker.snapshot() | step.calibration.snapshot() for step in (second, fresh)]
        assert (learned[0] == learned[1]) == (other != strategy)
        if hasattr(second.ranker, "pages"):  # that are saved one by one
            assert second.ranker.pages == (60 if other == strategy else 0)
        follow(second, Entry("http://canal.example/500", 500, "canal.example", 1.0), 500)
        back = build_step(spec, choices=StepChoices(strategy=strategy))
        back.restore(json.loads(json.dumps(saved | second.unsaved())), ())


def test_a_page_that_failed_is_told_with_the_address_that_failed() -> None:
    step, entry = made_step(), Entry("http://canal.example/", 1, "canal.example", 1.0)
    lease = Lease(entry, token=1, expires_at=0.0, attempt=1, priority=1.0)
    for url, told in (("", entry.url), ("http://elsewhere.example/gone", "http://elsewhere.example/gone")):
        record = step.failed(lease, outcome=Outcome.REFUSED, reason="HTTP 404", status=404, url=url).record
        assert (record.url, record.final_url, record.status) == (entry.url, told, 404)
