"""Budgets and duplicates of a fleet are those of one worker that has fetched all pages."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from redis_kit import RedisServer

from focuscrawl.crawler.build import StepChoices, build_step
from focuscrawl.crawler.fetched import Fetched
from focuscrawl.crawler.learning import FleetLearning
from focuscrawl.crawler.step import PageStep
from focuscrawl.crawler.step_result import StepResult
from focuscrawl.fleet.channel import HeartbeatReport
from focuscrawl.fleet.redis_channel import RedisChannel
from focuscrawl.frontier.redis import RedisFrontier
from focuscrawl.page.model import PageAnalysis
from focuscrawl.page.site import OwnText, SiteMemory
from focuscrawl.records import Entry, Lease, Origin, Outcome
from focuscrawl.topic.model import FittedTopic, fit_topic
from focuscrawl.topic.spec import TopicSpec
from focuscrawl.types import digest64

HOST = "site.example"
TEXT = "The keeper of the lighthouse trims the lamp and polishes the lens of the lighthouse. " * 4
LISTING = f"http://{HOST}/list/7"


@pytest.fixture(scope="module")
def topic() -> tuple[TopicSpec, FittedTopic]:
    spec = TopicSpec.model_validate(
        {
            "name": "lighthouses",
            "language": "en",
            "seeds": [f"http://{HOST}/"],
            "terms": {"lighthouse": 1.0, "lamp": 0.6},
            "judge": {"name": "vsm", "threshold": 0.15},
        }
    )
    return spec, fit_topic(spec)


class NothingRepeats(SiteMemory):
    """A site memory that takes all for a page's own: what a site repeats, each worker learns from its own pages."""

    def own(self, page: PageAnalysis) -> PageAnalysis:
        return page

    def own_text(self, host: str, text: str, *, url: str = "", again: bool = False) -> OwnText:
        return OwnText(text, self._tokenizer.tokens(text))


def new_step(topic: tuple[TopicSpec, FittedTopic], *, per_pattern: int = 500) -> PageStep:
    choices = StepChoices(extractor="blocks", pages_per_pattern=per_pattern)
    step = build_step(topic[0], topic[1], choices=choices)
    step.sites = NothingRepeats(step.topic.tokenizer)
    return step


def lease(path: str) -> Lease:
    url = f"http://{HOST}{path}"
    return Lease(Entry(url, digest64(url), HOST, 0.5, depth=1, origin=Origin(1, LISTING)), 1, 2e9, 1, 0.5)


def fetch(step: PageStep, path: str, text: str) -> StepResult:
    one = lease(path)
    html = f"<html><head><title>A page</title></head><body><h1>A page</h1><p>{text}</p></body></html>"
    return step.process(Fetched(one.entry.url, 200, html.encode(), 1.8e9, "text/html"), one)


def own_words(number: int) -> str:
    return TEXT + " ".join(f"name{number}of{k}" for k in range(60))


def worker(topic: tuple[TopicSpec, FittedTopic], name: str, *, per_pattern: int = 500) -> FleetLearning:
    return FleetLearning(new_step(topic, per_pattern=per_pattern), name)


def settle(worker: FleetLearning, result: StepResult) -> None:
    worker.settled([worker.numbered(result.settlement)])


def tell(workers: Sequence[FleetLearning]) -> list[bytes]:
    """Let each worker take the events of the others."""
    told = [fact for one in workers for fact in one.take()]
    for one in workers:
        one.take_events(told)
    return told


def test_a_text_that_another_worker_has_stored_is_a_duplicate(topic: tuple[TopicSpec, FittedTopic]) -> None:
    one, two = worker(topic, "one"), worker(topic, "two")
    first = fetch(one.step, "/a", own_words(1))
    assert first.item_wanted
    settle(one, first)
    settle(one, fetch(one.step, "/b", own_words(1)))  # its own duplicate is not told as a text
    tell([one, two])
    assert len(two.step.texts.near) == 1
    exact, near = fetch(two.step, "/c", own_words(1)), fetch(two.step, "/d", own_words(1) + " and one more")
    assert [result.record.duplicate_of for result in (exact, near)] == [first.record.key] * 2
    assert fetch(two.step, "/e", own_words(2)).item_wanted


def test_a_trap_takes_its_budget_of_all_workers_together(topic: tuple[TopicSpec, FittedTopic]) -> None:
    workers = [worker(topic, f"w{n}", per_pattern=12) for n in range(4)]
    fetched = 0
    while not workers[0].step.budgets.spent(f"http://{HOST}/trap/1", HOST)[0]:
        one = workers[fetched % 4]
        if fetched % 3:
            settle(one, fetch(one.step, f"/trap/{fetched}", "Flour, butter and salt."))
        else:  # a fetch without a page costs as much
            settle(one, one.step.failed(lease(f"/trap/{fetched}"), outcome=Outcome.REFUSED, reason="no"))
        fetched += 1
        tell(workers)
    assert fetched == 12
    assert all(one.step.budgets.spent(f"http://{HOST}/trap/1", HOST)[0] for one in workers)


def test_a_find_of_another_worker_pays_for_the_listing_that_led_to_it(topic: tuple[TopicSpec, FittedTopic]) -> None:
    one, two = worker(topic, "one", per_pattern=3), worker(topic, "two", per_pattern=3)
    for number in range(3):
        settle(two, fetch(two.step, f"/list/{number}", "Flour, butter and salt."))
    assert two.step.budgets.spent(LISTING, HOST)[0]
    settle(one, fetch(one.step, "/find", own_words(1)))
    tell([one, two])
    assert not two.step.budgets.spent(LISTING, HOST)[0]


@settings(max_examples=20, deadline=None)
@given(pages=st.lists(st.tuples(st.integers(0, 2), st.integers(0, 8), st.integers(0, 3)), max_size=30))
def test_all_workers_know_what_one_would_know(
    topic: tuple[TopicSpec, FittedTopic], pages: list[tuple[int, int, int]]
) -> None:
    workers, alone = [worker(topic, name) for name in "abc"], new_step(topic)
    for at, (number, text, shape) in enumerate(pages):
        path = f"/{'abcd'[shape]}/{at}"
        expected = fetch(alone, path, own_words(text) if text else "Flour and butter.")
        result = fetch(workers[number].step, path, own_words(text) if text else "Flour and butter.")
        assert result.record.duplicate_of == expected.record.duplicate_of
        settle(workers[number], result)
        tell(workers)
    for one in workers:
        for ours, theirs in (
            (one.step.budgets._patterns, alone.budgets._patterns),
            (one.step.budgets._hosts, alone.budgets._hosts),
        ):
            assert ours is not None
            assert theirs is not None
            assert (ours._fetched, ours._found) == (theirs._fetched, theirs._found)
        assert one.step.texts._digests == alone.texts._digests
        assert one.step.texts.near._signatures == alone.texts.near._signatures


def test_what_is_told_twice_counts_once(topic: tuple[TopicSpec, FittedTopic]) -> None:
    one, two = worker(topic, "one"), worker(topic, "two")
    for n in range(3):
        settle(one, fetch(one.step, f"/p/{n}", "Flour."))
    told = one.take()
    for facts in (told[:2], told, told):
        two.take_events(facts)
    assert two.events == 3
    one.take_events(told)
    assert one.events == 0


def changed(fact: bytes, **changes: object) -> bytes:
    return json.dumps({**json.loads(fact), **changes}).encode()


def test_events_of_another_version_and_broken_ones_are_left_out(topic: tuple[TopicSpec, FittedTopic]) -> None:
    one, two = worker(topic, "one"), worker(topic, "two")
    for n in range(2):
        settle(one, fetch(one.step, f"/p/{n}", own_words(n)))
    first, second = one.take()
    assert len(first) < 1200
    broken = [
        *(b"", b"\xff", b"{}", b"[1]", b"null", b"[" * 100_000, first[:-5]),
        *(changed(first, version=2), changed(first, number="1"), changed(first, worker=1), changed(first, number=True)),
        *(changed(first, relevant=1), changed(first, url=None), changed(first, key=-1), changed(first, key=1.5)),
        *(changed(first, signature="AAAA"), changed(first, signature="?"), changed(first, signature=7)),
        *(changed(first, digest=5), changed(first, judgement=[]), changed(first, judgement={"topic": "t"})),
    ]
    two.take_events(broken)
    assert two.events == 0
    assert not two.step.texts._digests
    two.take_events([second])
    assert two.events == 1


@pytest.mark.parametrize("facts", [{}, {"signature": None}])
def test_a_short_text_is_told_without_a_signature(
    topic: tuple[TopicSpec, FittedTopic], facts: dict[str, object]
) -> None:
    one, two = worker(topic, "one"), worker(topic, "two")
    result = fetch(one.step, "/short", "A lighthouse lamp.")
    assert result.record.content_digest
    settle(one, result)
    (fact,) = one.take()
    assert "signature" not in json.loads(fact)
    two.take_events([changed(fact, **facts)])
    assert fetch(two.step, "/other", "A lighthouse lamp.").record.duplicate_of == result.record.key


def test_a_settlement_without_an_event_sends_nothing(topic: tuple[TopicSpec, FittedTopic]) -> None:
    one = worker(topic, "one")
    one.settled([replace(fetch(one.step, "/a", TEXT).settlement, event=None)])
    assert one.take() == []


# --------------------------------------------------------------------------------------------------------- over Redis


async def hears_in_pieces(url: str, name: str) -> None:
    frontier = RedisFrontier(url, crawl=name)
    await frontier.open()
    channels = [RedisChannel(url, crawl=name, worker=worker) for worker in ("one", "two", "one again")]
    try:
        for channel in channels:
            await channel.open()
        told = [b'{"n": %d}' % n for n in range(700)]
        first = await channels[0].heartbeat(HeartbeatReport(events=told, run="r1"))
        # Of its own pages a worker hears nothing: they are passed over, piece by piece.
        assert (first.events, first.more) == ((), True)
        second = await channels[0].heartbeat(HeartbeatReport(cursor=first.cursor, run="r1"))
        assert (second.events, second.more) == ((), False)
        for learns, looks in ((False, 2), (True, 3)):  # who learns from each event is given fewer at once
            heard, cursor, more, calls = [], "", True, 0
            while more:
                mine = [b"mine"] if not calls and not learns else ()
                beat = await channels[1].heartbeat(HeartbeatReport(events=mine, cursor=cursor, learns=learns, run="r2"))
                heard += beat.events
                cursor, more, calls = beat.cursor, beat.more, calls + 1
            assert (heard, calls) == (told, looks)
        again = await channels[1].heartbeat(HeartbeatReport(cursor=cursor, run="r2"))
        assert (again.events, again.cursor, again.more) == ((), cursor, False)
        # A worker started again in the folder of the first hears what the others told, from the beginning.
        await channels[1].retire([b"last"], run="r2")
        beat = await channels[2].heartbeat(HeartbeatReport(cursor=second.cursor, run="r1"))
        assert beat.events == [b"mine", b"last"]
        anew = await channels[2].heartbeat(HeartbeatReport(run="r1"))
        assert (anew.events, anew.more) == ((), True)
    finally:
        for channel in channels:
            await channel.close()
        await frontier.close()


def test_workers_hear_of_the_pages_of_other_runs(redis_server: RedisServer, tmp_path: Path) -> None:
    asyncio.run(hears_in_pieces(redis_server.url, tmp_path.name))
