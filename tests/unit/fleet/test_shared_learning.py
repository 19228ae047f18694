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

import pytest
import site_kit
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from redis_kit import RedisServer

from focuscrawl.engine.build import StepChoices, build_step
from focuscrawl.engine.shared_learning import SharedLearning
from focuscrawl.engine.step import Fetched, PageStep
from focuscrawl.errors import FrontierError
from focuscrawl.fleet.redis_board import RedisBoard
from focuscrawl.frontier.redis import RedisFrontier
from focuscrawl.ranking.base import Judged
from focuscrawl.ranking.baselines import BreadthFirst
from focuscrawl.records import Entry, Lease
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

    workers: list[SharedLearning]
    stream: list[bytes] = field(default_factory=list)

    def fetch(self, number: int, entry: Entry) -> None:
        worker = self.workers[number]
        worker.judged(process(worker.step, entry))
        self.stream += worker.take_outcomes()

    def train(self, number: int) -> None:
        worker = self.workers[number]
        start = int(worker.cursor or 0)
        worker.learn((str(start + i + 1), one) for i, one in enumerate(self.stream[start:]))


def learned(step: PageStep) -> str:
    """Return all that a step has learned, to be compared; which links are new, each worker knows for itself."""
    snapshot = step.snapshot()
    ranker = {name: part for name, part in snapshot["ranker"].items() if name != "opens"}
    return json.dumps(snapshot | {"ranker": ranker}, sort_keys=True)


def single(topic: tuple[TopicSpec, FittedTopic], pages: Iterable[Entry]) -> PageStep:
    step = new_step(topic)
    for entry in pages:
        process(step, entry)
    return step


def test_a_fleet_learns_what_one_worker_learns(topic: tuple[TopicSpec, FittedTopic]) -> None:
    pages = entries(topic, 60)
    fleet = Fleet([SharedLearning(new_step(topic), name) for name in ("a", "b", "c")])
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


class Hosts(BreadthFirst):
    """A plug-in's strategy that learns from what others have judged."""

    def __init__(self) -> None:
        self.judged: list[tuple[str, bool]] = []

    def observe_event(self, page: Judged) -> None:
        self.judged.append((page.page.url, page.verdict.relevant))


def test_a_strategy_of_a_plug_in_learns_from_what_others_have_judged(topic: tuple[TopicSpec, FittedTopic]) -> None:
    one, other = new_step(topic), new_step(topic)
    other.ranker = ranker = Hosts()
    fleet = Fleet([SharedLearning(one, "a"), SharedLearning(other, "b")])
    pages = entries(topic, 5)
    for entry in pages:
        fleet.fetch(0, entry)
    fleet.train(1)
    assert [url for url, _ in ranker.judged] == [entry.url for entry in pages]
    assert {relevant for _, relevant in ranker.judged} == {True, False}


@settings(max_examples=5, deadline=None, phases=[Phase.generate])
@given(st.lists(st.integers(0, 2), min_size=20, max_size=20), st.integers(3, 17))
def test_whoever_takes_over_knows_all_pages(
    topic: tuple[TopicSpec, FittedTopic], by: list[int], published_at: int
) -> None:
    """The trainer publishes once, learns on, and dies; the next one has lost nothing of what all have judged."""
    pages = entries(topic, len(by))
    fleet = Fleet([SharedLearning(new_step(topic), name) for name in ("a", "b", "c")])
    publication = b""
    for at, (number, entry) in enumerate(zip(by, pages, strict=True)):
        fleet.fetch(number, entry)
        fleet.train(0)
        if at == published_at:
            publication = fleet.workers[0].publication()
    heir = fleet.workers[1]
    heir.take_up(publication)
    fleet.train(1)
    assert sum(heir._seen.values()) == len(pages)
    pairs = heir.step.calibration.snapshot()["pairs"]
    assert sorted(pairs) == sorted(single(topic, pages).calibration.snapshot()["pairs"])
    # Pages of others were heard of in another order, so weights differ; how many of each host there are does not.
    counted, expected = (s.ranker.snapshot()["relevant"]["pages"] for s in (heir.step, single(topic, pages)))
    assert counted == expected


def test_an_outcome_counts_once_and_only_for_its_topic(topic: tuple[TopicSpec, FittedTopic]) -> None:
    sender, trainer = (SharedLearning(new_step(topic), name) for name in ("sender", "trainer"))
    for entry in entries(topic, 5):
        sender.judged(process(sender.step, entry))
    sent = sender.take_outcomes()
    assert sender.take_outcomes() == []
    assert max(map(len, sent)) < 2_000
    trainer.learn(("1", one) for one in sent)
    after = learned(trainer.step)
    other = json.loads(sent[0]) | {"topic": "another", "n": 99}
    damaged = [b"", b"{}", b"[1]", b"[" * 100_000, b"\xff", json.dumps(json.loads(sent[0]) | {"n": "x"}).encode()]
    assert trainer.learn(("2", one) for one in [*sent, json.dumps(other).encode(), *damaged]) == {}
    assert learned(trainer.step) == after


def test_harvest_is_over_the_last_hundred_pages_of_all(topic: tuple[TopicSpec, FittedTopic]) -> None:
    fleet = Fleet([SharedLearning(new_step(topic), name) for name in ("a", "b")])
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
        SharedLearning(new_step(topic), "a").take_up(data)


# ------------------------------------------------------------------------------------------------- the trainer's lease


async def one_trainer_after_another(server: RedisServer, name: str) -> None:
    frontier = RedisFrontier(server.url, crawl=name)
    await frontier.open()
    boards = [RedisBoard(server.url, crawl=name, worker=worker, silent_s=0.3) for worker in ("one", "two")]
    try:
        for board in boards:
            await board.open()
        first = await boards[0].poll({}, seen=0, outcomes=[b"judged"], cursor="")
        second = await boards[1].poll({}, seen=0, outcomes=[], cursor="")
        assert (first.trainer, second.trainer) == (True, False)
        assert [outcome for _, outcome in first.outcomes] == [b"judged"]
        assert [outcome for _, outcome in second.outcomes] == [b"judged"]
        assert not (await boards[1].poll({}, seen=0)).outcomes  # it did not ask
        assert await boards[0].publish(b"learned") == 1
        assert await boards[1].publish(b"not the trainer") == 0
        # The first falls silent, as if killed.
        deadline = time.monotonic() + 10.0
        while not (polled := await boards[1].poll({}, seen=0, outcomes=[], cursor="")).trainer:
            assert time.monotonic() < deadline
            await asyncio.sleep(0.02)
        assert polled.model == 1
        assert await boards[1].model() == b"learned"
        assert [outcome for _, outcome in polled.outcomes] == [b"judged"]
        assert not (await boards[0].poll({}, seen=0, outcomes=[], cursor="")).trainer
        assert await boards[0].publish(b"late") == 0
        await boards[1].retire([b"last"])
        taken = await boards[0].poll({}, seen=0, outcomes=[], cursor=polled.outcomes[0][0])
        assert taken.trainer
        assert [outcome for _, outcome in taken.outcomes] == [b"last"]
    finally:
        for board in boards:
            await board.close()
        await frontier.close()


def test_a_silent_trainer_is_replaced(redis_server: RedisServer, tmp_path: Path) -> None:
    asyncio.run(one_trainer_after_another(redis_server, tmp_path.name))


async def walk(server: RedisServer, name: str) -> tuple[set[int], set[int]]:
    frontier = RedisFrontier(server.url, crawl=name)
    await frontier.open()
    board = RedisBoard(server.url, crawl=name)
    try:
        await board.open()
        pushed = [
            Entry(f"http://h{n % 7}.example/{n}", n, f"h{n % 7}.example", n / 2000, f"g{n % 11}" if n % 2 else "")
            for n in range(1, 1500)
        ]
        await frontier.push(pushed)
        leased = {lease.entry.key for lease in await frontier.lease(9, worker="", per_host=5, lease_s=60)}
        by_key = {entry.key: entry for entry in pushed}
        seen: set[int] = set()
        batches = board.queued()
        assert batches is not None
        async for batch in batches:
            assert all(entry == by_key[entry.key] for entry in batch)
            seen |= {entry.key for entry in batch}
        return seen, set(by_key) - leased
    finally:
        await board.close()
        await frontier.close()


def test_the_whole_queue_is_walked_in_batches(redis_server: RedisServer, tmp_path: Path) -> None:
    seen, expected = asyncio.run(walk(redis_server, tmp_path.name))
    assert seen == expected
    assert len(seen) == 1490
