"""A worker's heartbeat: what it does when the channel, a command, or what the trainer published fails it."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from redis_kit import RedisServer, running_redis

from focuscrawl.crawler.arguments import CrawlArguments
from focuscrawl.crawler.build import StepChoices, build_step
from focuscrawl.crawler.control import CrawlControl
from focuscrawl.crawler.endings import Ending
from focuscrawl.crawler.fetched import Fetched
from focuscrawl.crawler.learning import FleetLearning
from focuscrawl.crawler.limits import Limits
from focuscrawl.crawler.new_topic import change_topic
from focuscrawl.crawler.step import PageStep
from focuscrawl.errors import FrontierError, StoreError
from focuscrawl.fleet import commands
from focuscrawl.fleet.channel import ControlChannel, Heartbeat, HeartbeatReport
from focuscrawl.fleet.commands import Command, Pause, Retopic, Stop, Unreadable, from_json
from focuscrawl.fleet.redis_channel import RedisChannel
from focuscrawl.frontier.base import FrontierStats
from focuscrawl.frontier.fleet import FleetTotals
from focuscrawl.frontier.memory import MemoryFrontier
from focuscrawl.frontier.redis import RedisFrontier
from focuscrawl.page.urls import host_of, url_key
from focuscrawl.ranking.apprentice import Apprentice
from focuscrawl.records import Entry, Lease, Origin, Outcome, PageEvent, Settlement
from focuscrawl.storage.run_settings import RunSettings
from focuscrawl.topic.examples import Example
from focuscrawl.topic.packed import pack_topic
from focuscrawl.topic.spec import TopicSpec

FACTS = {"name": "lighthouses", "language": "en", "seeds": ["http://a.example/"], "terms": {"lighthouse": 1.0}}


@pytest.fixture(scope="module")
def step() -> PageStep:
    return build_step(TopicSpec.model_validate(FACTS), choices=StepChoices(extractor="blocks"))


class Session:
    """Of a crawl what the heartbeat needs, with a note of what was done to it."""

    def __init__(self, step: PageStep, folder: Path, *, spider: str = "") -> None:
        self.step = step
        self.error: Exception | None = None
        self.ending_for_all: Ending | None = None
        self.done: list[tuple[Any, ...]] = []
        self.clock, self.started_at = time.time, time.time()
        self.output = SimpleNamespace(folder=SimpleNamespace(worker="machine-1"), note_pause=self.note_pause)
        self.plan = SimpleNamespace(
            folder=SimpleNamespace(path=folder),
            arguments=CrawlArguments(),
            settings=RunSettings(spider=spider),
            strategy="apprentice",
        )
        self.limits = Limits(step.counters, pages=1000)
        self.loop = SimpleNamespace(in_flight=0, changes=0)
        self.frontier: Any = None
        self.learning: FleetLearning | None = None
        self.refresh: Any = None
        self.orders = self  # they are noted here

    def fail(self, error: Exception) -> None:
        self.error = error

    def stop(self, ending: Ending, *, told: bool = False) -> None:
        assert told
        self.done.append(("stop", ending.reason, ending.detail))

    def take_totals(self, totals: FleetTotals, *, changes: int) -> None:
        self.done.append(("totals", totals.pages, changes))

    def set_limit(self, name: str, value: float) -> None:
        self.done.append((name, value))

    def pause(self, paused: bool) -> None:
        self.done.append(("pause", paused))

    async def note_pause(self, frontier: Any, paused: bool) -> None:
        assert frontier is self.frontier
        self.done.append(("noted", paused))

    def ban(self, host: str) -> None:
        self.step.scope.ban(host)

    def add_seeds(self, urls: Sequence[str]) -> list[str]:
        self.done.append(("seeds", urls))
        return []

    async def retopic(self, spec: TopicSpec) -> PageStep:
        self.step = change_topic(self.step, spec, StepChoices(extractor="blocks"))
        if self.learning is not None:
            self.learning.changed_topic(self.step)
        return self.step


class Answers(ControlChannel):
    """A channel that gives one answer a heartbeat, or fails; then it has nothing new."""

    def __init__(self, *answers: Heartbeat | Exception, shared: bool = True, published: bytes | None = None) -> None:
        self.shared = shared
        self.answers = list(answers)
        self.published = published
        self.looks = self.models = 0
        self.closed = False
        self.told: list[Mapping[str, Any]] = []
        self.given: list[Command] = []
        self.last = Heartbeat(trainer=False)

    async def open(self) -> None:
        pass

    async def close(self) -> None:
        self.closed = True

    async def heartbeat(self, report: HeartbeatReport) -> Heartbeat:
        self.looks += 1
        self.told.append({name: getattr(report, name) for name in ("events", "cursor", "learns", "run")})
        nothing = Heartbeat((), self.last.number, model=self.last.model, trainer=False)
        answer = self.answers.pop(0) if self.answers else nothing
        if isinstance(answer, Exception):
            raise answer
        self.last = answer
        return answer

    async def give(self, command: Command) -> int:
        self.given.append(command)
        return len(self.given)

    async def publish(self, model: bytes) -> int:
        return len(model)

    async def model(self) -> bytes | None:
        self.models += 1
        return self.published

    async def mark_scored(self, number: int) -> None:
        self.scored = number

    async def retire(self, events: Sequence[bytes] = (), *, run: str = "") -> None:
        self.told.append({"events": events, "run": run})


def control_of(session: Session, channel: Any, frontier: Any = None, *, every_s: float = 0.001) -> CrawlControl:
    given: Any = session
    session.frontier = frontier or MemoryFrontier()
    session.learning = FleetLearning(session.step, "me") if channel.shared else None
    return CrawlControl(given, channel, every_s=every_s, publish_s=0.0)


async def listen(control: CrawlControl, until: Callable[[], bool]) -> None:
    await control.start()
    deadline = time.monotonic() + 60.0
    while not until():
        assert time.monotonic() < deadline
        await asyncio.sleep(0.001)
    await control.close()


def run(control: Callable[[], CrawlControl], until: Callable[[CrawlControl], bool]) -> None:
    async def work() -> None:
        made = control()
        await listen(made, lambda: until(made))

    asyncio.run(work())


def given(*said: Command | Unreadable, number: int = 0, **more: Any) -> Heartbeat:
    return Heartbeat(said, number or len(said), trainer=False, **more)


def test_a_crawl_does_not_go_on_where_no_command_reaches_it(step: PageStep, tmp_path: Path) -> None:
    session, lost = Session(step, tmp_path), FrontierError("no answer from Redis for 120 s")
    channel = Answers(Heartbeat(trainer=False), lost)
    run(lambda: control_of(session, channel), lambda _: session.error is not None)
    assert session.error is lost
    assert channel.looks == 2


def test_a_channel_that_fails_at_the_start_is_closed(step: PageStep, tmp_path: Path) -> None:
    lost = FrontierError("Redis is full")
    session, channel = Session(step, tmp_path), Answers(lost)

    async def work() -> None:
        with pytest.raises(FrontierError, match="Redis is full"):
            await control_of(session, channel).start()

    asyncio.run(work())
    assert channel.closed
    assert session.error is None


def test_a_worker_of_a_fleet_waits_as_long_as_its_frontier_does() -> None:
    channel, frontier = RedisChannel("redis://127.0.0.1:1", crawl="c", worker="w"), RedisFrontier("redis://127.0.0.1:1")
    assert channel._calls._patience_s == frontier._patience_s == 120.0


def test_one_process_crawls_on_without_commands_and_says_so_once(
    step: PageStep, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    session, channel = Session(step, tmp_path), Answers(shared=False)
    channel.answers = [Heartbeat(), *[StoreError("control.jsonl: cannot be read.")] * 5, given(Pause())]
    run(lambda: control_of(session, channel), lambda _: bool(session.done))
    assert session.done == [("pause", True), ("noted", True)]
    assert session.error is None
    assert caplog.text.count("cannot be read") == 1


def test_a_command_that_cannot_be_run_keeps_nothing_from_going_on(
    step: PageStep, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    session = Session(step, tmp_path)
    broken = [
        from_json(b'{"command": "set", "name": "speed", "value": 3}'),
        from_json(b'{"command": "ban-host"}'),
        from_json(b"{}"),
        Retopic(topic="no [ toml"),
    ]
    channel = Answers(given(*broken, commands.set_limit("pages=7"), commands.ban_host("b.example")))
    run(lambda: control_of(session, channel), lambda _: channel.looks > 3)
    assert session.done == [("pages", 7.0)]
    assert session.step.scope.is_banned("www.b.example")
    assert session.error is None
    said = [record.getMessage() for record in caplog.records if record.levelno >= logging.ERROR]
    assert len(said) == 4
    assert any('command 1 cannot be read: "speed" cannot be set while a crawl runs' in one for one in said)
    assert any("command retopic: The topic that was sent cannot be read" in one for one in said)


def test_events_of_a_heartbeat_that_the_end_breaks_off_are_sent_with_the_last_ones(
    step: PageStep, tmp_path: Path
) -> None:
    session = Session(step, tmp_path)
    channel = Unanswered()

    async def work() -> None:
        control = control_of(session, channel)
        await control.start()
        assert session.learning is not None
        session.learning.settled([settlement_of(1)])
        async with asyncio.timeout(60.0):
            await channel.asked.wait()
        session.learning.settled([settlement_of(2)])
        await control.close()

    asyncio.run(work())
    told = [PageEvent.from_json(event) for event in channel.told[-1]["events"]]
    assert [event.number for event in told if event is not None] == [1, 2]


class Unanswered(Answers):
    """A channel that is slow to answer a heartbeat with events."""

    def __init__(self) -> None:
        super().__init__()
        self.asked = asyncio.Event()

    async def heartbeat(self, report: HeartbeatReport) -> Heartbeat:
        if report.events:
            self.asked.set()
            await asyncio.Event().wait()
        return await super().heartbeat(report)


def settlement_of(number: int) -> Settlement:
    url = f"http://a.example/{number}"
    lease = Lease(Entry(url, url_key(url), host_of(url), 0.5), number, 0.0, 1, 0.5)
    event = PageEvent(url=url, host=host_of(url), key=url_key(url), worker="me", number=number)
    return Settlement(lease, Outcome.DONE, event=event)


def test_of_older_limits_the_last_one_counts(step: PageStep, tmp_path: Path) -> None:
    session = Session(step, tmp_path)
    older = [commands.set_limit(text) for text in ("pages=25", "minutes=5", "pages=50")]
    channel = Answers(given(*older, past=3), shared=False)
    run(lambda: control_of(session, channel), lambda _: channel.looks > 1)
    assert session.done == [("minutes", 5.0), ("pages", 50.0)]
    assert not channel.given


def test_a_limit_named_at_the_start_counts_before_older_commands(step: PageStep, tmp_path: Path) -> None:
    session = Session(step, tmp_path)
    session.plan.arguments = CrawlArguments(pages=40)
    older, newer = commands.set_limit("pages=25"), commands.set_limit("pages=30")
    channel = Answers(given(older, commands.set_limit("minutes=5"), past=2), shared=False)
    run(lambda: control_of(session, channel), lambda _: channel.looks > 1)
    assert session.done == [("minutes", 5.0)]
    # Given as a command, it is the last one for a session after this one, too.
    assert [(one.command, getattr(one, "value", None)) for one in channel.given] == [("set", 40.0)]
    session.done.clear()
    channel = Answers(given(older, newer, past=1), shared=False)
    run(lambda: control_of(session, channel), lambda _: channel.looks > 1)
    assert session.done == [("pages", 30.0)]


def test_a_worker_of_a_fleet_that_starts_again_undoes_no_limit(step: PageStep, tmp_path: Path) -> None:
    session = Session(step, tmp_path)
    session.plan.arguments = CrawlArguments(pages=40)
    channel = Answers(given(commands.set_limit("pages=25"), past=1), shared=True)
    run(lambda: control_of(session, channel), lambda _: channel.looks > 1)
    assert session.done == [("pages", 25.0)]
    assert not channel.given


def test_a_stop_found_at_the_start_ends_the_crawl(step: PageStep, tmp_path: Path) -> None:
    session, channel = Session(step, tmp_path), Answers(given(Stop(reason="budget", detail="5 pages")))

    async def work() -> None:
        control = control_of(session, channel)
        await control.start()
        await control.close()

    asyncio.run(work())
    assert session.done == [("stop", "budget", "5 pages")]


@pytest.mark.parametrize("shared", [True, False])
def test_a_stop_given_before_these_workers_came_is_over(step: PageStep, tmp_path: Path, shared: bool) -> None:
    session = Session(step, tmp_path)
    channel = Answers(given(Pause(), Stop(), past=2), given(number=2, past=2), shared=shared)
    run(lambda: control_of(session, channel), lambda _: channel.looks > 3)
    # A fleet stays paused until it is told to go on; a process of its own does not.
    assert session.done == ([("pause", True), ("noted", True)] if shared else [])


def test_a_worker_tells_all_to_stop_and_what_they_have_done(step: PageStep, tmp_path: Path) -> None:
    totals = FleetTotals(FrontierStats(), 12, 3, 3, 2)
    session, channel = Session(step, tmp_path), Answers(given(), given(totals=totals))

    async def work() -> None:
        control = control_of(session, channel)
        await control.start()
        session.ending_for_all = Ending("budget", "12 pages")
        while not session.done:
            await asyncio.sleep(0.001)
        session.ending_for_all = Ending("harvest too low")  # sent with the last report at the latest
        await control.close()

    asyncio.run(work())
    assert session.done == [("totals", 12, 0)]
    assert [(one.reason, one.detail) for one in channel.given if isinstance(one, Stop)] == [
        ("budget", "12 pages"),
        ("harvest too low", ""),
    ]


@pytest.mark.parametrize("published", [b"no zlib", b"x\x9c+\xceM\xccK\x07\x00\t\xf7\x02\xe9"])
def test_a_damaged_publication_is_passed_over(
    step: PageStep, tmp_path: Path, caplog: pytest.LogCaptureFixture, published: bytes
) -> None:
    session = Session(step, tmp_path)
    channel = Answers(given(model=3), given(), given(Pause()), published=published)
    channel.answers[1] = given(model=3)
    run(lambda: control_of(session, channel), lambda _: bool(session.done) and channel.looks > 5)
    assert session.error is None
    assert channel.models == 1
    assert caplog.text.count("goes on with what it has learned itself") == 1


def test_a_look_that_fails_for_a_fault_of_ours_is_not_the_last_one(
    step: PageStep, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    session, channel = Session(step, tmp_path), Answers(Heartbeat(), KeyError("x"), given(Pause()))
    run(lambda: control_of(session, channel), lambda _: bool(session.done))
    assert "a heartbeat failed" in caplog.text


def test_there_is_no_waiting_while_there_is_more_to_hear(step: PageStep, tmp_path: Path) -> None:
    session = Session(step, tmp_path)
    page = PageEvent(url="http://a.example/", host="a.example", key=1, worker="other")
    events = [replace(page, number=number).to_json() for number in range(1, 121)]
    channel = Answers(given(events=events, cursor="5-0", more=True), given(cursor="6-0"))

    async def work() -> None:
        control = control_of(session, channel, every_s=3600.0)
        await listen(control, lambda: channel.looks == 2)
        assert control.learning is not None
        assert control.learning.events == 120

    asyncio.run(work())
    assert [told.get("cursor") for told in channel.told] == ["", "5-0", None]
    assert all(told["run"] == "machine-1" for told in channel.told)


class Fails(MemoryFrontier):
    """A frontier that cannot score its links anew."""

    def __init__(self, error: Exception) -> None:
        super().__init__()
        self.error = error
        self.tried = 0

    async def rescore(self, scores: Mapping[int, float]) -> int:
        del scores
        self.tried += 1
        raise self.error


@pytest.mark.parametrize(
    ("shared", "error", "ends"),
    [
        (True, FrontierError("no answer from Redis"), True),
        (False, FrontierError("crawl.db: disk full"), False),
        (True, ValueError("a plug-in"), False),
    ],
)
def test_a_queue_that_cannot_be_scored_anew_is_said_once_and_closing_goes_on(
    step: PageStep,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
    shared: bool,
    error: Exception,
    ends: bool,
) -> None:
    monkeypatch.setattr("focuscrawl.crawler.control.ORDERS_ARRIVED_S", 0.0)
    session, frontier = Session(step, tmp_path), Fails(error)
    retopic = Retopic(**pack_topic(TopicSpec.model_validate({**FACTS, "name": "other"})))
    looks: Sequence[Heartbeat] = [Heartbeat([retopic], 1), *[Heartbeat((), 1) for _ in range(20)]]
    channel = Answers(*looks, shared=shared)

    async def work() -> None:
        await frontier.open()
        await frontier.push([Entry("http://a.example/1", 1, "a.example", 0.5, origin=Origin(7))])
        control = control_of(session, channel, frontier)
        await listen(control, lambda: frontier.tried > 0 and channel.looks > 15)

    asyncio.run(work())
    assert frontier.tried == 1
    assert (session.error is not None) == ends
    assert str(error) in caplog.text or ends


@pytest.mark.parametrize("shared", [True, False])
def test_examples_are_taken_up_like_a_change_of_topic_and_the_queue_keeps_its_scores(
    step: PageStep, tmp_path: Path, shared: bool
) -> None:
    session, frontier = Session(step, tmp_path), Fails(FrontierError("the queue is left alone"))
    before, ranker = step.topic.version, step.ranker
    example = Example(url="http://a.example/1", relevant=False, title="No", text="another thing")
    taught = TopicSpec.model_validate(FACTS).taught([example])
    channel = Answers(given(Retopic(**pack_topic(taught)), number=3), shared=shared)
    run(lambda: control_of(session, channel, frontier), lambda _: channel.looks > 3)
    assert session.step.topic.version == taught.digest != before
    assert session.step.ranker is ranker
    assert (channel.scored, frontier.tried, session.error) == (1, 0, None)


async def reports_again(folder: Path) -> None:
    with running_redis("--appendonly", "yes", "--appendfsync", "always") as server:
        frontier = RedisFrontier(server.url, crawl="c")
        await frontier.open()
        channel = RedisChannel(server.url, crawl="c", worker="w")
        await channel.open()
        session = Session(build_step(TopicSpec.model_validate(FACTS), choices=StepChoices(extractor="blocks")), folder)
        control = control_of(session, channel)
        await control.start()
        server.stop(kill=True)
        sent = channel._calls.sent
        while channel._calls.sent < sent + 2:  # a report meets a server that is not there
            await asyncio.sleep(0.005)
        await asyncio.get_running_loop().run_in_executor(None, server.start)
        person = RedisChannel(server.url, crawl="c")
        await person.open()
        await person.give(commands.set_limit("pages=9"))
        deadline = time.monotonic() + 60.0
        while ("pages", 9.0) not in session.done:
            assert time.monotonic() < deadline
            await asyncio.sleep(0.01)
        (worker,) = [one for one in await person.workers() if one.name == "w"]
        assert worker.silent_s < 5.0
        assert session.error is None
        await control.close()
        await person.close()
        await frontier.close()


def test_a_worker_reports_again_when_redis_is_back(tmp_path: Path) -> None:
    asyncio.run(reports_again(tmp_path))


def said_by_the_second(
    sessions: Sequence[Session], url: str, caplog: pytest.LogCaptureFixture, *, crawl: str
) -> list[str]:
    """Start two workers of a crawl, the second beside the first, and return what is logged; the first says nothing."""

    async def work() -> None:
        frontier = RedisFrontier(url, crawl=crawl)
        await frontier.open()
        first, second = (
            control_of(session, RedisChannel(url, crawl=crawl, worker=name))
            for session, name in zip(sessions, ("one", "two"), strict=True)
        )
        await first.start()
        assert not caplog.records
        await second.start()
        await second.close()
        await first.close()
        await frontier.close()

    with caplog.at_level(logging.WARNING):
        asyncio.run(work())
    return [record.getMessage() for record in caplog.records]


@pytest.mark.parametrize(
    ("terms", "warned"), [({"lighthouse": 1.0}, 0), ({"lighthouse": 0.5}, 1)], ids=["same topic", "another"]
)
def test_a_worker_with_another_topic_than_the_others_warns_at_its_start(
    step: PageStep,
    tmp_path: Path,
    redis_server: RedisServer,
    caplog: pytest.LogCaptureFixture,
    terms: Mapping[str, float],
    warned: int,
) -> None:
    other = build_step(TopicSpec.model_validate({**FACTS, "terms": terms}), choices=StepChoices(extractor="blocks"))
    other.topic = replace(other.topic, version=f"{other.topic.version}+aabbccdd")  # taught, which says nothing
    sessions = Session(other, tmp_path), Session(step, tmp_path)
    said = said_by_the_second(sessions, redis_server.url, caplog, crawl=f"topics {warned}")
    assert len(said) == warned
    assert all(f'"lighthouses" ({step.topic.version}), that of one in' in line for line in said)
    assert all(other.topic.version in line and "stop one of them" in line for line in said)


@pytest.mark.parametrize(("spider", "warned"), [("book", 0), ("", 0), ("news", 1)])
def test_a_worker_with_another_spider_than_the_others_warns_at_its_start(
    step: PageStep,
    tmp_path: Path,
    redis_server: RedisServer,
    caplog: pytest.LogCaptureFixture,
    spider: str,
    warned: int,
) -> None:
    sessions = Session(step, tmp_path, spider="book"), Session(step, tmp_path, spider=spider)
    said = said_by_the_second(sessions, redis_server.url, caplog, crawl=f"spiders {spider}")
    assert len(said) == warned
    assert all('the spider of this worker is "news", that of one in the same crawl "book"' in line for line in said)


def test_a_worker_with_another_strategy_or_other_limits_than_the_others_warns_at_its_start(
    step: PageStep, tmp_path: Path, redis_server: RedisServer, caplog: pytest.LogCaptureFixture
) -> None:
    first, second = Session(step, tmp_path), Session(step, tmp_path)
    second.plan.strategy = "breadth-first"
    second.limits = Limits(step.counters, pages=5000, minutes=90.5)
    strategies, limits = said_by_the_second((first, second), redis_server.url, caplog, crawl="choices")
    assert 'the strategy of this worker is "breadth-first", that of one in the same crawl "apprentice"' in strategies
    assert "are pages = 5,000 and minutes = 90.5, those of one in the same crawl pages = 1,000 and minutes" in limits
    assert "minutes = none: the one that is reached first ends the crawl for all. `focuscrawl fleet set pag" in limits


def test_a_worker_that_makes_a_round_of_visits_has_no_strategy_and_no_limits_to_compare(
    step: PageStep, tmp_path: Path, redis_server: RedisServer, caplog: pytest.LogCaptureFixture
) -> None:
    class Round:
        async def poll(self) -> None:
            pass

    first, second = Session(step, tmp_path), Session(step, tmp_path)
    second.refresh = Round()
    second.plan.strategy, second.limits = "", Limits(step.counters, pages=5000)
    assert said_by_the_second((first, second), redis_server.url, caplog, crawl="choices of a round") == []


# ------------------------------------------------------------------------------------------------------- learning


def events_of(count: int) -> tuple[FleetLearning, list[bytes]]:
    """Return a worker that has judged so many pages, and its events."""
    other = FleetLearning(build_step(TopicSpec.model_validate(FACTS), choices=StepChoices(extractor="blocks")), "other")
    for n in range(count):
        url = f"http://b{n}.example/"
        lease = Lease(Entry(url, url_key(url), host_of(url), 0.5), 1, 2e9, 1, 0.5)
        body = b"<title>A lighthouse</title><p>The lighthouse by the sea.</p>"
        result = other.step.process(Fetched(url, 200, body, 1.8e9, "text/html"), lease)
        other.settled([other.numbered(result.settlement)])
    return other, other.take()


def pages_learned(session: Session) -> int:
    ranker = session.step.ranker
    assert isinstance(ranker, Apprentice)
    return sum(tally.trials >= 1.0 for tally in ranker.relevant.hosts.values())


@pytest.fixture
def learner(tmp_path: Path) -> Session:
    return Session(build_step(TopicSpec.model_validate(FACTS), choices=StepChoices(extractor="blocks")), tmp_path)


def test_a_worker_learns_from_what_others_judge_without_being_the_trainer(learner: Session) -> None:
    _, events = events_of(45)  # more than are learned at once
    channel = Answers(given(), given(events=events, cursor="45-0"))
    run(lambda: control_of(learner, channel), lambda control: channel.looks >= 4)
    assert [look["cursor"] for look in channel.told[:4]] == ["", "", "45-0", "45-0"]
    assert [look["learns"] for look in channel.told[:4]] == [False, True, True, True]
    assert pages_learned(learner) == 45
    assert channel.models == 0


class Published(Answers):
    """Answers, and a publication for each version."""

    publications: Mapping[int, bytes]

    async def model(self) -> bytes | None:
        self.models += 1
        return self.publications[self.last.model]


def test_a_worker_that_cannot_keep_up_takes_up_what_was_published(
    learner: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("focuscrawl.crawler.learning.LEARNED_AT_MOST", 1)
    first = events_of(0)[0].publication()
    other, events = events_of(12)
    other.cursor = "12-0"
    looks = [given(events=[one], cursor=f"{n + 1}-0", more=True, model=1) for n, one in enumerate(events[:5])]
    counted = given(events=events[5:], cursor="20-0", model=1)
    channel = Published(given(model=1), *looks, counted, given(cursor="20-0", model=2))
    channel.publications = {1: first, 2: other.publication()}
    run(lambda: control_of(learner, channel), lambda control: channel.models == 2 and control.model_version == 2)
    polls = [look for look in channel.told if "cursor" in look]
    assert [look["cursor"] for look in polls[:8]] == ["", "", "1-0", "2-0", "3-0", "4-0", "5-0", "20-0"]
    assert [look["learns"] for look in polls[:8]] == [False, *[True] * 5, False, False]
    # What was only counted while nothing was learned is read again, from where the publication ends.
    assert polls[-1]["cursor"] in ("12-0", "20-0")
    assert pages_learned(learner) == 12


def test_whoever_comes_later_takes_up_what_was_published_and_goes_on_from_there(learner: Session) -> None:
    other, _ = events_of(5)
    other.cursor = "5-0"
    _, more = events_of(7)
    channel = Answers(given(events=more, cursor="7-0", model=3), published=other.publication())
    run(lambda: control_of(learner, channel), lambda control: channel.looks >= 3)
    assert [look["cursor"] for look in channel.told[:3]] == ["", "7-0", "7-0"]
    assert pages_learned(learner) == 7  # the first five of the seven are those of the publication
    assert channel.models == 1
