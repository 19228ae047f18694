"""Each frontier beside a dictionary that does the same the slow way."""

from __future__ import annotations

import asyncio
import hashlib
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from itertools import count
from pathlib import Path
from types import ModuleType
from typing import ClassVar

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from redis_kit import RedisServer

from focuscrawl.frontier import known, memory, redis_calls, sqlite_changes, sqlite_memory, window
from focuscrawl.frontier import redis as redis_frontier
from focuscrawl.frontier.base import Frontier, FrontierStats, Pushed
from focuscrawl.frontier.memory import MemoryFrontier
from focuscrawl.frontier.redis import RedisFrontier
from focuscrawl.frontier.sqlite import SqliteFrontier
from focuscrawl.records import Entry, Lease, Origin, Outcome, Settlement
from focuscrawl.types import digest64

MAX_ATTEMPTS = 2
MAX_EXPIRIES = 3

EXPIRIES = [(module, "MAX_EXPIRIES", MAX_EXPIRIES) for module in (memory, sqlite_changes, redis_frontier)]
SMALL = [
    (known, "_FEWEST", 7),
    (known, "_MOST", 7),
    (known, "_FIRST_PLACES", 2),
    (known, "_PLACES", 8),
    (window, "WINDOW", 2),
    (window, "_MOST", 3),
    (window, "_UNREAD", 1),
    (sqlite_memory, "WINDOW", 2),
]

# Eighths add up without rounding, so that the model's order is the frontier's.
eighths = st.integers(0, 8).map(lambda n: n / 8)
numbers = st.integers(0, 40)
paths = st.lists(st.tuples(numbers, eighths, st.sampled_from([False, False, True])), max_size=16)


@dataclass
class Known:
    """What the model knows of a URL."""

    entry: Entry
    state: str
    seq: int
    attempts: int = 0
    expiries: int = 0
    token: int = 0
    expires_at: float = 0.0


def host_of(number: int) -> str:
    return f"h{number % 2}.example"


class FrontierMachine(RuleBasedStateMachine):
    """Rules are the calls of the protocol; what the model says is compared after each."""

    durable = False
    small: ClassVar[list[tuple[ModuleType, str, int]]] = []

    def make(self) -> Frontier:
        return MemoryFrontier(clock=lambda: self.now, max_attempts=MAX_ATTEMPTS, delay_s=self.delay_s)

    def __init__(self) -> None:
        super().__init__()
        self.now = 1000.0
        self.delay_s = 0.0
        self.seq = 0
        self.model: dict[int, Known] = {}
        self.aliases: set[int] = set()
        self.offsets: dict[str, float] = {}
        self.delays: dict[str, float] = {}
        self.holds: dict[str, float] = {}
        self.asked: dict[str, float] = {}
        self.leases: list[Lease] = []  # all ever given, so that late ones are tried too
        self.tokens: set[int] = set()
        self.runner = asyncio.Runner()
        self.small = EXPIRIES + self.small
        self.usual = [(module, name, getattr(module, name)) for module, name, _ in self.small]
        for module, name, value in self.small:
            setattr(module, name, value)

    @initialize(delay_s=st.sampled_from([0.0, 0.0, 0.0, 2.5]))
    def start(self, delay_s: float) -> None:
        self.delay_s = delay_s
        self.frontier = self.make()
        self.runner.run(self.frontier.open())

    def teardown(self) -> None:
        if hasattr(self, "frontier"):
            self.runner.run(self.frontier.close())
        self.runner.close()
        for module, name, value in self.usual:
            setattr(module, name, value)

    # ------------------------------------------------------------------- model

    def entry(self, number: int, score: float, later: bool) -> Entry:
        url = f"http://{host_of(number)}/{number}"
        group = ("", "", f"{host_of(number)}|1", "", "shared", "")[number // 2 % 6]
        not_before = self.now + 3.0 if later else 0.0
        return Entry(
            url, digest64(url), host_of(number), score, group, number % 4, 0, not_before, Origin(anchor=str(number))
        )

    def priority(self, one: Known) -> float:
        return self.offsets.get(one.entry.group or one.entry.host, 0.0) + one.entry.score

    def push_model(self, entries: list[Entry]) -> Pushed:
        pushed = Pushed()
        for entry in entries:
            one = self.model.get(entry.key)
            if entry.key in self.aliases:
                pushed += Pushed(known=1)
            elif one is None:
                self.seq += 1
                self.model[entry.key] = Known(entry, "queued", self.seq)
                pushed += Pushed(added=1)
            elif one.state == "queued" and entry.score > one.entry.score:
                one.entry = replace(entry, group=one.entry.group, not_before=one.entry.not_before)
                pushed += Pushed(raised=1)
            else:
                pushed += Pushed(known=1)
        return pushed

    def ready_at(self, host: str) -> float:
        delay_s = self.delays.get(host, self.delay_s)
        asked = self.asked.get(host, float("-inf")) + delay_s if delay_s else 0.0
        return max(self.holds.get(host, 0.0), asked)

    def in_flight(self, host: str) -> int:
        return sum(one.state == "leased" and one.entry.host == host for one in self.model.values())

    def best(self, per_host: int) -> Known | None:
        can = [
            one
            for one in self.model.values()
            if one.state == "queued"
            and one.entry.not_before <= self.now
            and self.ready_at(one.entry.host) <= self.now
            and self.in_flight(one.entry.host) < per_host
        ]
        return min(can, key=lambda one: (-self.priority(one), one.seq), default=None)

    def holder(self, lease: Lease) -> Known | None:
        one = self.model[lease.entry.key]
        return one if one.state == "leased" and one.token == lease.token else None

    def again_model(self, one: Known) -> None:
        one.state = "failed" if one.attempts >= MAX_ATTEMPTS or one.expiries >= MAX_EXPIRIES else "queued"

    # ------------------------------------------------------------------- rules

    @rule(paths=paths)
    def push(self, paths: list[tuple[int, float, bool]]) -> None:
        entries = [self.entry(*path) for path in paths]
        assert self.runner.run(self.frontier.push(entries)) == self.push_model(entries)

    @rule(
        n=st.sampled_from([0, 1, 2, 5, 10]),
        per_host=st.sampled_from([1, 3, 100, 100]),
        lease_s=st.sampled_from([2.0, 60.0]),
    )
    def lease(self, n: int, per_host: int, lease_s: float) -> None:
        leases = self.runner.run(self.frontier.lease(n, worker="w", per_host=per_host, lease_s=lease_s))
        for lease in leases:
            one = self.best(per_host)
            assert one is not None
            assert lease.entry == one.entry
            assert (lease.attempt, lease.priority) == (one.attempts + one.expiries + 1, self.priority(one))
            assert lease.token not in self.tokens
            self.tokens.add(lease.token)
            one.state, one.token, one.expires_at = "leased", lease.token, self.now + lease_s
            self.asked[one.entry.host] = self.now
        if len(leases) < n:
            assert self.best(per_host) is None
        self.leases += leases

    @precondition(lambda self: self.leases)
    @rule(
        data=st.data(),
        outcome=st.sampled_from(Outcome),
        found=paths,
        also=st.lists(numbers, max_size=3),
        both=st.booleans(),
    )
    def settle(
        self,
        data: st.DataObject,
        outcome: Outcome,
        found: list[tuple[int, float, bool]],
        also: list[int],
        both: bool,
    ) -> None:
        chosen = data.draw(st.lists(st.sampled_from(self.leases), min_size=1, max_size=3))
        entries = [self.entry(*path) for path in found]
        keys = [self.entry(number, 0.0, False).key for number in also]
        settlements = [Settlement(lease, outcome, found=entries, also=keys) for lease in chosen]
        results = self.runner.run(self.frontier.settle(settlements))
        for lease, result in zip(chosen, results, strict=True):
            one = self.holder(lease)
            assert result == (one is not None)
            if one is None:
                continue
            if outcome is Outcome.FAILED:
                one.attempts += 1
                self.again_model(one)
            else:
                one.state = outcome.value
            for key in keys:
                other = self.model.get(key)
                if other is None:
                    self.aliases.add(key)
                elif other.state == "queued":
                    other.state = "done"
            self.push_model(entries)

    @precondition(lambda self: self.leases)
    @rule(data=st.data(), delay_s=st.sampled_from([0.0, 4.0]))
    def release(self, data: st.DataObject, delay_s: float) -> None:
        chosen = data.draw(st.lists(st.sampled_from(self.leases), min_size=1, max_size=4))
        released = 0
        for lease in chosen:
            one = self.holder(lease)
            if one is not None:
                released += 1
                one.state = "queued"
                if delay_s:
                    one.entry = replace(one.entry, not_before=self.now + delay_s)
        assert self.runner.run(self.frontier.release(chosen, delay_s=delay_s)) == released

    @precondition(lambda self: self.leases)
    @rule(data=st.data())
    def renew(self, data: st.DataObject) -> None:
        lease = data.draw(st.sampled_from(self.leases))
        one = self.holder(lease)
        assert self.runner.run(self.frontier.renew([lease], 10.0)) == (one is not None)
        if one is not None:
            one.expires_at = self.now + 10.0

    @rule()
    def reap(self) -> None:
        expired = [one for one in self.model.values() if one.state == "leased" and one.expires_at <= self.now]
        for one in expired:
            one.expiries += 1
            self.again_model(one)
        assert self.runner.run(self.frontier.reap()) == len(expired)

    @rule(scores=st.dictionaries(numbers, eighths, max_size=8))
    def rescore(self, scores: dict[int, float]) -> None:
        changed = 0
        for number, score in scores.items():
            one = self.model.get(self.entry(number, 0.0, False).key)
            if one is not None and one.state == "queued" and one.entry.score != score:
                one.entry = replace(one.entry, score=score)
                changed += 1
        by_key = {self.entry(number, 0.0, False).key: score for number, score in scores.items()}
        assert self.runner.run(self.frontier.rescore(by_key)) == changed

    @rule(
        offsets=st.dictionaries(
            st.sampled_from(["shared", "h0.example", "h1.example|1", "h1.example"]), eighths.map(lambda x: x - 0.5)
        )
    )
    def set_offsets(self, offsets: dict[str, float]) -> None:
        changed = sum(self.offsets.get(group, 0.0) != offset for group, offset in offsets.items())
        self.offsets |= offsets
        assert self.runner.run(self.frontier.set_offsets(offsets)) == changed

    @rule(
        number=st.integers(0, 1),
        delay_s=st.sampled_from([None, 0.0, 1.0, 5.0]),
        hold_s=st.sampled_from([None, 0.0, 2.0, 7.0]),
    )
    def set_host(self, number: int, delay_s: float | None, hold_s: float | None) -> None:
        host = host_of(number)
        hold_until = None if hold_s is None else self.now + hold_s
        if delay_s is not None:
            self.delays[host] = delay_s
        if hold_until is not None:
            self.holds[host] = hold_until
        self.runner.run(self.frontier.set_host(host, delay_s=delay_s, hold_until=hold_until))

    @rule(seconds=st.sampled_from([0.5, 1.0, 3.0, 70.0]))
    def wait(self, seconds: float) -> None:
        self.now += seconds

    @rule()
    def next_ready_at(self) -> None:
        at = self.runner.run(self.frontier.next_ready_at())
        queued = [one for one in self.model.values() if one.state == "queued"]
        assert (at is None) == (not queued)
        if at is None:
            return
        assert at >= self.now
        free = [max(self.now, one.entry.not_before, self.ready_at(one.entry.host)) for one in queued]
        assert at <= max(free + [one.expires_at for one in self.model.values() if one.state == "leased"])
        if at > self.now and not any(one.state == "leased" for one in self.model.values()):
            assert self.best(1) is None
            assert at <= min(free)

    @precondition(lambda self: self.durable)
    @rule()
    def restart(self) -> None:
        self.runner.run(self.frontier.close())
        self.frontier = self.make()
        self.runner.run(self.frontier.open())
        for one in self.model.values():
            if one.state == "leased":
                one.state = "queued"
        self.restarted()

    def restarted(self) -> None:
        """Forget what a backend may forget with its process."""

    # -------------------------------------------------------------- invariants

    @invariant()
    def counters_are_exact(self) -> None:
        if not hasattr(self, "frontier"):
            return
        states = [one.state for one in self.model.values()]
        queued = [one.entry for one in self.model.values() if one.state == "queued"]
        assert self.runner.run(self.frontier.stats()) == FrontierStats(
            queued=len(queued),
            leased=states.count("leased"),
            done=states.count("done") + len(self.aliases),
            failed=states.count("failed"),
            refused=states.count("refused"),
            hosts=len({entry.host for entry in queued}),
            groups=len({(entry.host, entry.group) for entry in queued}),
        )

    @invariant()
    def entries_are_ranked(self) -> None:
        if not hasattr(self, "frontier"):
            return

        async def listed() -> list[Entry]:
            return [entry async for entry in self.frontier.entries(limit=20)]

        queued = [one for one in self.model.values() if one.state == "queued"]
        queued.sort(key=lambda one: (-self.priority(one), one.seq))
        assert self.runner.run(listed()) == [one.entry for one in queued[:20]]


class SqliteMachine(FrontierMachine):
    durable = True
    # Keys move to the index, scores are forgotten and buckets outgrow memory after a few instead of thousands.
    small = SMALL

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())

    def make(self) -> Frontier:
        return SqliteFrontier(
            self.folder / "crawl.db", clock=lambda: self.now, max_attempts=MAX_ATTEMPTS, delay_s=self.delay_s
        )

    def restarted(self) -> None:
        for one in self.model.values():
            one.expiries = 0  # they end with the process, like leases

    def teardown(self) -> None:
        super().teardown()
        shutil.rmtree(self.folder)


class RedisMachine(FrontierMachine):
    durable = True
    server: RedisServer
    crawls = count()

    def __init__(self) -> None:
        super().__init__()
        self.crawl = f"walk {next(self.crawls)}"
        # Bands split after four entries and sets of known keys after two, instead of 64 and 200.
        self.usual_script = redis_calls.script

        @cache
        def script(name: str) -> tuple[str, str]:
            text, _ = self.usual_script(name)
            for large, small in ((" MOST = 64", " MOST = 4"), (" BASE, MEAN = 2048, 200", " BASE, MEAN = 2048, 0.001")):
                text = text.replace(large, small)
            return text, hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest()

        redis_calls.script = script

    def teardown(self) -> None:
        super().teardown()
        redis_calls.script = self.usual_script

    def make(self) -> Frontier:
        return RedisFrontier(
            self.server.url, crawl=self.crawl, clock=lambda: self.now, max_attempts=MAX_ATTEMPTS, delay_s=self.delay_s
        )


@pytest.fixture(scope="module", autouse=True)
def _server(redis_server: RedisServer) -> None:
    RedisMachine.server = redis_server


def _case(machine: Callable[[], FrontierMachine], examples: int, steps: int) -> type:
    case = machine.TestCase  # type: ignore[attr-defined]
    case.settings = settings(
        max_examples=examples,
        stateful_step_count=steps,
        deadline=None,
        database=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
    )
    return case  # type: ignore[no-any-return]


TestMemory = _case(FrontierMachine, 80, 40)
TestSqlite = _case(SqliteMachine, 25, 40)
TestRedis = _case(RedisMachine, 8, 30)
