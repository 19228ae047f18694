"""What workers learn together is what one worker would have learned of the same pages."""

from __future__ import annotations

import asyncio
import json
import random
import time
import zlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import site_kit
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from redis_kit import RedisServer

from focuscrawl.crawler.build import StepChoices, build_step
from focuscrawl.crawler.fetched import Fetched
from focuscrawl.crawler.learning import LEARNED_AT_MOST, FleetLearning
from focuscrawl.crawler.step import PageStep
from focuscrawl.errors import FrontierError
from focuscrawl.fleet.channel import HeartbeatReport
from focuscrawl.fleet.redis_channel import RedisChannel
from focuscrawl.frontier.redis import RedisFrontier
from focuscrawl.ranking.base import Judged
from focuscrawl.ranking.baselines import BreadthFirst
from focuscrawl.records import Entry, Lease, Outcome
from focuscrawl.topic.model import FittedTopic, fit_topic
from focuscrawl.topic.spec import TopicSpec, load_topic

SITE = "http://lighthouses.example"


@pytest.fixture(scope="module")
def topic(tmp_path_factory: pytest.TempPathFactory) -> tuple[TopicSpec, FittedTopic]:
    path = tmp_path_factory.mktemp("topic") / "lighthouses.toml"
    toml = site_kit.TOPIC_TOML.format(seed=f"{SITE}/page/0").replace("threshold = 0.15", 'threshold = "adaptive"')
    path.write_text(toml, encoding="utf-8")
    spec = load_topic(str(path))
    return spec, fit_topic(spec)


def new_step(topic: tuple[TopicSpec, FittedTopic]) -> PageStep:
    return build_step(topic[0], topic[1], choices=StepChoices(extractor="blocks"))


_entries: list[Entry] = []


def entries(topic: tuple[TopicSpec, FittedTopic], count: int) -> list[Entry]:
    """Return the entries of a crawl, in the order one worker that takes first what it finds first leases them."""
    if not _entries:
        _entries.extend(_crawled(new_step(topic), 60))
    return _entries[:count]


def _crawled(step: PageStep, count: int) -> list[Entry]:
    found, _ = step.seed_entries([f"{SITE}/page/0"])
    known = {entry.key for entry in found}
    out: list[Entry] = []
    while found and len(out) < count:
        entry = found.pop(0)
        out.append(entry)
        for one in process(step, entry).settlement.found:
            if one.key not in known:
                known.add(one.key)
                found.append(one)
    return out


def process(step: PageStep, entry: Entry):
    number = int(entry.url.rpartition("/")[2])
    lease = Lease(entry, 1, 2e9, 1, entry.score)
    return step.process(Fetched(entry.url, 200, site_kit.page(number).encode(), 1.8e9, "text/html"), lease)


@dataclass
class Fleet:
    """Workers and what stands in Redis between them."""

    workers: list[FleetLearning]
    stream: list[bytes] = field(default_factory=list)

    def fetch(self, number: int, entry: Entry) -> None:
        worker = self.workers[number]
        worker.settled([worker.numbered(process(worker.step, entry).settlement)])
        self.stream += worker.take()

    def train(self, number: int) -> None:
        worker = self.workers[number]
        worker.current = True
        worker.take_events(self.stream[int(worker.cursor or 0) :])
        worker.cursor = str(len(self.stream))


def learned(step: PageStep) -> str:
    """Return all that a step has learned, to be compared.

    Each worker knows for itself which links are new, and which it has called up: for looks, and for the other orders.
    """
    own = ("looked", "opens", "own", "portfolio", "waiting")
    snapshot = step.snapshot()
    ranker = {name: part for name, part in snapshot["ranker"].items() if name not in own}
    return json.dumps(snapshot | {"ranker": ranker}, sort_keys=True)


def single(topic: tuple[TopicSpec, FittedTopic], pages: Iterable[Entry]) -> PageStep:
    step = new_step(topic)
    for entry in pages:
        process(step, entry)
    return step


def test_a_fleet_learns_what_one_worker_learns(topic: tuple[TopicSpec, FittedTopic]) -> None:
    pages = entries(topic, 60)
    fleet = Fleet([FleetLearning(new_step(topic), name) for name in ("a", "b", "c")])
    draw = random.Random(1)
    for entry in pages:
        fleet.fetch(draw.randrange(3), entry)
        fleet.train(0)
    alone = single(topic, pages)
    assert learned(fleet.workers[0].step) == learned(alone)
    assert learned(fleet.workers[1].step) != learned(alone)
    publication = fleet.workers[0].publication()
    for other in fleet.workers[1:]:
        assert other.take_up(publication)
        assert json.loads(learned(other.step)) == json.loads(learned(alone))
        assert other.step.ranker.snapshot()["opens"] == fleet.workers[0].step.ranker.snapshot()["opens"]


def test_a_failed_fetch_is_heard_of(topic: tuple[TopicSpec, FittedTopic]) -> None:
    fleet = Fleet([FleetLearning(new_step(topic), name) for name in ("a", "b")])
    first, gone = entries(topic, 2)
    for worker in (0, 1):
        fleet.fetch(worker, first)  # both know of the link
    ranker = fleet.workers[1].step.ranker
    assert gone.key in ranker.portfolio._values
    one = fleet.workers[0]
    lease = Lease(gone, 1, 2e9, 1, gone.score)
    one.settled([one.numbered(one.step.failed(lease, outcome=Outcome.REFUSED, reason="404").settlement)])
    fleet.stream += one.take()
    fleet.train(1)
    assert gone.key not in ranker.portfolio._values


def test_the_trainer_makes_the_looks_of_all(topic: tuple[TopicSpec, FittedTopic]) -> None:
    """Links to a host that another worker has seen are called up by the trainer, and by nobody else."""
    fleet = Fleet([FleetLearning(new_step(topic), name) for name in ("trainer", "other")])
    trainer, other = fleet.workers
    trainer.trainer = True
    seed = entries(topic, 1)[0]
    links = "".join(f'<p><a href="http://host{n}.example/">Lighthouses of the coast, {n}</a></p>' for n in range(9))
    page = f"<html><body><h1>Sites</h1>{links}</body></html>".encode()
    result = other.step.process(Fetched(seed.url, 200, page, 1.8e9, "text/html"), Lease(seed, 1, 2e9, 1, 1.0))
    named = {entry.key for entry in result.settlement.found if entry.host.endswith(".example") and "host" in entry.host}
    assert len(named) == 9
    other.settled([other.numbered(result.settlement)])
    fleet.stream += other.take()
    fleet.train(0)
    for entry in entries(topic, 12)[1:]:
        fleet.fetch(1, entry)
        fleet.train(0)
    called = {key for key, score in trainer.step.ranker.rescored().items() if score > 1.0}
    assert called & named
    assert not [key for key, score in other.step.ranker.rescored().items() if score > 1.0 and key in named]
    trainer.trainer = False
    other.trainer = True  # as when it takes over: it makes looks from now on
    fleet.train(1)
    for entry in entries(topic, 40)[12:]:
        fleet.fetch(1, entry)
    assert other.step.ranker.looks is not None
    assert [key for key in named - called if other.step.ranker.looks.has_called(key)]


class Hosts(BreadthFirst):
    """A plug-in's strategy that learns from what others have judged."""

    def __init__(self) -> None:
        self.judged: list[tuple[str, bool]] = []

    def observe_event(self, page: Judged) -> None:
        self.judged.append((page.page.url, page.verdict.relevant))


def test_a_strategy_of_a_plug_in_learns_from_what_others_have_judged(topic: tuple[TopicSpec, FittedTopic]) -> None:
    one, other = new_step(topic), new_step(topic)
    other.ranker = ranker = Hosts()
    fleet = Fleet([FleetLearning(one, "a"), FleetLearning(other, "b")])
    pages = entries(topic, 5)
    for entry in pages:
        fleet.fetch(0, entry)
    fleet.train(1)
    assert [url for url, _ in ranker.judged] == [entry.url for entry in pages]
    assert {relevant for _, relevant in ranker.judged} == {True, False}


class Failing(BreadthFirst):
    """A plug-in's strategy that fails in all that a fleet asks of it."""

    def _fail(self, *_: object, **__: object) -> Any:
        raise SystemExit(3)

    observe_event = observe_looks = missed = share_looks = offsets = rescored = snapshot = _fail


@pytest.mark.parametrize("part", ["strategy", "judge"])
def test_a_plug_in_that_fails_over_pages_of_others_costs_what_it_would_have_learned(
    topic: tuple[TopicSpec, FittedTopic], caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch, part: str
) -> None:
    fleet = Fleet([FleetLearning(new_step(topic), "a")])
    for entry in entries(topic, 9):
        fleet.fetch(0, entry)
    gone = Lease(entries(topic, 10)[9], 1, 2e9, 1, 0.5)
    one = fleet.workers[0]
    one.settled([one.numbered(one.step.failed(gone, outcome=Outcome.REFUSED, reason="404").settlement)])
    fleet.stream += one.take()
    failing = new_step(topic)
    if part == "strategy":
        failing.ranker = Failing()
    else:
        monkeypatch.setattr(failing.judge, "learn", Failing()._fail)
    worker = FleetLearning(failing, "b")
    worker.trainer = worker.current = True
    assert worker.take_events(fleet.stream)[0] == 9
    assert worker.events == 10
    assert failing.calibration.snapshot() == one.step.calibration.snapshot()
    assert (worker.rescores() == {}) == (part == "strategy")
    assert (worker.publication() is None) == (part == "strategy")
    assert caplog.text.count("Traceback") == (6 if part == "strategy" else 1)
    assert f"the {part} failed over {SITE}/page/0, which another worker has fetched" in caplog.text
    failing.faults.tell_rest()
    assert "8 more faults like this one were not logged" in caplog.text


@settings(max_examples=5, deadline=None, phases=[Phase.generate])
@given(st.lists(st.integers(0, 2), min_size=20, max_size=20), st.integers(3, 17))
def test_whoever_takes_over_knows_all_pages(
    topic: tuple[TopicSpec, FittedTopic], by: list[int], published_at: int
) -> None:
    """The trainer publishes once, learns on, and dies; the next one has lost nothing of what all have judged."""
    pages = entries(topic, len(by))
    fleet = Fleet([FleetLearning(new_step(topic), name) for name in ("a", "b", "c")])
    publication = b""
    for at, (number, entry) in enumerate(zip(by, pages, strict=True)):
        fleet.fetch(number, entry)
        fleet.train(0)
        if at == published_at:
            publication = fleet.workers[0].publication()
    heir = fleet.workers[1]
    heir.take_up(publication)
    assert heir.cursor == ""  # all is read again: what the publication has is passed over
    fleet.train(1)
    assert sum(heir._seen.values()) == len(pages)
    pairs = heir.step.calibration.snapshot()["pairs"]
    assert sorted(pairs) == sorted(single(topic, pages).calibration.snapshot()["pairs"])
    # Pages of others were heard of in another order, so weights differ; how many of each host there are does not.
    counted, expected = (s.ranker.snapshot()["relevant"]["pages"] for s in (heir.step, single(topic, pages)))
    assert counted == expected


def test_an_event_teaches_once_and_only_its_topic(topic: tuple[TopicSpec, FittedTopic]) -> None:
    sender, trainer = (FleetLearning(new_step(topic), name) for name in ("sender", "trainer"))
    for entry in entries(topic, 5):
        sender.settled([sender.numbered(process(sender.step, entry).settlement)])
    sent = sender.take()
    assert sender.take() == []
    assert max(map(len, sent)) < 2_000
    trainer.current = True
    assert trainer.take_events(sent)[0] == 5
    after, texts = learned(trainer.step), len(trainer.step.texts.near)
    other = json.loads(sent[0])
    other |= {"number": 99, "judgement": other["judgement"] | {"topic": "another"}}
    assert trainer.take_events([*sent, json.dumps(other).encode()]) == (0, {})
    assert (learned(trainer.step), trainer.events, len(trainer.step.texts.near)) == (after, 6, texts)


def test_who_waits_for_a_publication_counts_pages_and_reads_them_again(topic: tuple[TopicSpec, FittedTopic]) -> None:
    pages = entries(topic, 30)
    fleet = Fleet([FleetLearning(new_step(topic), name) for name in ("a", "b", "late")])
    for at, entry in enumerate(pages):
        fleet.fetch(at % 2, entry)
        fleet.train(0)
        if at == 19:
            publication = fleet.workers[0].publication()
    late = fleet.workers[2]
    late.take_events(fleet.stream)
    late.cursor = "30"
    assert learned(late.step) == learned(new_step(topic))
    assert late.events == 30
    assert late.take_up(publication)
    assert late.cursor == "20"
    fleet.train(2)
    assert late.events == 30
    theirs, ours = fleet.workers[0].step.snapshot(), late.step.snapshot()
    assert (ours["judge"], ours["calibration"]) == (theirs["judge"], theirs["calibration"])
    assert ours["ranker"]["relevant"]["pages"] == theirs["ranker"]["relevant"]["pages"]  # type: ignore[index]


def test_a_worker_that_cannot_learn_all_waits_after_five_looks(topic: tuple[TopicSpec, FittedTopic]) -> None:
    worker = FleetLearning(new_step(topic), "a")
    worker.current = True
    assert not worker.keep_up(LEARNED_AT_MOST, more=True)  # a second's work is done
    assert worker.keep_up(LEARNED_AT_MOST - 1, more=True)  # it was mostly known
    assert [worker.keep_up(LEARNED_AT_MOST, more=True) for _ in range(4)] == [False] * 4
    assert worker.current
    assert not worker.keep_up(LEARNED_AT_MOST, more=True)
    assert not worker.current
    assert worker.keep_up(0, more=True)  # what is only counted costs little
    assert not worker.keep_up(0, more=False)


def test_harvest_is_over_the_last_hundred_pages_of_all(topic: tuple[TopicSpec, FittedTopic]) -> None:
    fleet = Fleet([FleetLearning(new_step(topic), name) for name in ("a", "b")])
    pages = entries(topic, 60)
    for n in range(99):
        fleet.fetch(n % 2, pages[n % 60])
    fleet.train(0)
    assert fleet.workers[0].harvest is None
    fleet.fetch(1, pages[0])
    fleet.train(0)
    harvest = fleet.workers[0].harvest
    assert harvest is not None
    assert 0.2 < harvest < 0.5


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"no zlib",
        zlib.compress(b"{}"),
        zlib.compress(b"[]"),
        zlib.compress(b"no json"),
        zlib.compress(b"[" * 100_000),
    ],
)
def test_a_damaged_publication_is_said_to_be_one(topic: tuple[TopicSpec, FittedTopic], data: bytes) -> None:
    with pytest.raises(FrontierError, match="cannot be read"):
        FleetLearning(new_step(topic), "a").take_up(data)


# ------------------------------------------------------------------------------------------------- the trainer's lease


async def one_trainer_after_another(server: RedisServer, name: str) -> None:
    frontier = RedisFrontier(server.url, crawl=name)
    await frontier.open()
    channels = [RedisChannel(server.url, crawl=name, worker=worker, silent_s=0.3) for worker in ("one", "two")]
    try:
        for channel in channels:
            await channel.open()
        first = await channels[0].heartbeat(HeartbeatReport())
        second = await channels[1].heartbeat(HeartbeatReport())
        assert (first.trainer, second.trainer) == (True, False)
        assert await channels[0].publish(b"learned") == 1
        assert await channels[1].publish(b"not the trainer") == 0
        # The first falls silent, as if killed.
        deadline = time.monotonic() + 60.0
        while not (beat := await channels[1].heartbeat(HeartbeatReport())).trainer:
            assert time.monotonic() < deadline
            await asyncio.sleep(0.02)
        assert beat.model == 1
        assert await channels[1].model() == b"learned"
        assert not (await channels[0].heartbeat(HeartbeatReport())).trainer
        assert await channels[0].publish(b"late") == 0
        await channels[1].retire()
        assert (await channels[0].heartbeat(HeartbeatReport())).trainer
    finally:
        for channel in channels:
            await channel.close()
        await frontier.close()


def test_a_silent_trainer_is_replaced(redis_server: RedisServer, tmp_path: Path) -> None:
    asyncio.run(one_trainer_after_another(redis_server, tmp_path.name))


async def walk(server: RedisServer, name: str) -> tuple[set[int], set[int]]:
    frontier = RedisFrontier(server.url, crawl=name)
    await frontier.open()
    channel = RedisChannel(server.url, crawl=name)
    try:
        await channel.open()
        pushed = [
            Entry(f"http://h{n % 7}.example/{n}", n, f"h{n % 7}.example", n / 2000, f"g{n % 11}" if n % 2 else "")
            for n in range(1, 1500)
        ]
        await frontier.push(pushed)
        leased = {lease.entry.key for lease in await frontier.lease(9, worker="", per_host=5, lease_s=60)}
        by_key = {entry.key: entry for entry in pushed}
        seen: set[int] = set()
        batches = channel.queued()
        assert batches is not None
        async for batch in batches:
            assert all(entry == by_key[entry.key] for entry in batch)
            seen |= {entry.key for entry in batch}
        return seen, set(by_key) - leased
    finally:
        await channel.close()
        await frontier.close()


def test_the_whole_queue_is_walked_in_batches(redis_server: RedisServer, tmp_path: Path) -> None:
    seen, expected = asyncio.run(walk(redis_server, tmp_path.name))
    assert seen == expected
    assert len(seen) == 1490
