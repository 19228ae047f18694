"""The frontier contract, one test a sentence, over every backend.

A backend joins by an entry in `BACKENDS`: a class that makes a frontier over the test's own place, again and again.
Nothing here knows more of a backend than the protocol and the injected clock.
"""

from __future__ import annotations

import asyncio
import functools
import inspect
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from redis_kit import RedisServer

from focuscrawl.errors import FrontierError
from focuscrawl.frontier.base import Frontier, FrontierStats, Pushed
from focuscrawl.frontier.memory import MemoryFrontier
from focuscrawl.frontier.partitioned import PartitionedFrontier
from focuscrawl.frontier.redis import RedisFrontier
from focuscrawl.frontier.rules import MAX_EXPIRIES
from focuscrawl.frontier.sqlite import SqliteFrontier
from focuscrawl.records import Entry, Lease, Origin, Outcome, PageRecord, Settlement
from focuscrawl.types import digest64


class Clock:
    """Time that passes when the test says so."""

    def __init__(self, now: float = 1_000_000.0) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


class Memory:
    durable = False
    one_order = True  # of discovery, for all hosts

    def __init__(self, folder: Path) -> None:
        pass

    def make(self, clock: Callable[[], float], *, max_attempts: int = 3, delay_s: float = 0.0) -> Frontier:
        return MemoryFrontier(clock=clock, max_attempts=max_attempts, delay_s=delay_s)


class Sqlite:
    durable = True
    one_order = True

    def __init__(self, folder: Path) -> None:
        self.path = folder / "crawl.db"

    def make(self, clock: Callable[[], float], *, max_attempts: int = 3, delay_s: float = 0.0) -> Frontier:
        return SqliteFrontier(self.path, clock=clock, max_attempts=max_attempts, delay_s=delay_s)


class Redis:
    durable = True
    one_order = True
    server: RedisServer

    def __init__(self, folder: Path) -> None:
        self.crawl = str(folder)

    def make(self, clock: Callable[[], float], *, max_attempts: int = 3, delay_s: float = 0.0) -> Frontier:
        return RedisFrontier(self.server.url, crawl=self.crawl, clock=clock, max_attempts=max_attempts, delay_s=delay_s)


class Partitioned(Redis):
    """Four partitions on one server: what holds for one frontier holds for all of them together."""

    one_order = False

    def make(self, clock: Callable[[], float], *, max_attempts: int = 3, delay_s: float = 0.0) -> Frontier:
        url = f"{self.server.url},{self.server.url}"
        return PartitionedFrontier(
            url, crawl=self.crawl, partitions=4, clock=clock, max_attempts=max_attempts, delay_s=delay_s
        )


BACKENDS = {"memory": Memory, "partitioned": Partitioned, "redis": Redis, "sqlite": Sqlite}


class Bench:
    """A backend, a clock, and the calls tests make most."""

    def __init__(self, backend: Memory | Redis | Sqlite) -> None:
        self.backend = backend
        self.clock = Clock()

    @property
    def durable(self) -> bool:
        return self.backend.durable

    @asynccontextmanager
    async def frontier(self, *, max_attempts: int = 3, delay_s: float = 0.0) -> AsyncIterator[Frontier]:
        frontier = self.backend.make(self.clock, max_attempts=max_attempts, delay_s=delay_s)
        await frontier.open()
        try:
            yield frontier
        finally:
            await frontier.close()


@pytest.fixture(params=sorted(BACKENDS))
def bench(request: pytest.FixtureRequest, tmp_path: Path) -> Bench:
    if request.param in ("partitioned", "redis"):
        Redis.server = request.getfixturevalue("redis_server")
    return Bench(BACKENDS[request.param](tmp_path))


def asynchronous(test: Callable[..., object]) -> Callable[..., None]:
    """Run an ``async def`` test in a loop of its own."""

    @functools.wraps(test)
    def run(**fixtures: object) -> None:
        asyncio.run(test(**fixtures))

    assert inspect.iscoroutinefunction(test)
    return run


def entry(
    path: str,
    score: float = 0.5,
    *,
    host: str = "a.example",
    group: str = "",
    depth: int = 0,
    tunnel: int = 0,
    not_before: float = 0.0,
    **origin: Any,
) -> Entry:
    url = f"http://{host}/{path}"
    return Entry(url, digest64(url), host, score, group, depth, tunnel, not_before, Origin(**origin))


async def take(frontier: Frontier, n: int = 1, *, per_host: int = 1000, lease_s: float = 60.0) -> list[Lease]:
    return await frontier.lease(n, worker="w1", per_host=per_host, lease_s=lease_s)


async def taken(frontier: Frontier, n: int = 1, *, per_host: int = 1000) -> list[str]:
    return [lease.entry.url.split("//")[1] for lease in await take(frontier, n, per_host=per_host)]


async def settle(frontier: Frontier, lease: Lease, outcome: Outcome = Outcome.DONE, **more: object) -> bool:
    return (await frontier.settle([Settlement(lease, outcome, **more)]))[0]  # type: ignore[arg-type]


async def waiting(frontier: Frontier, *, host: str | None = None, limit: int = 100) -> list[str]:
    return [one.url.split("//")[1] async for one in frontier.entries(host=host, limit=limit)]


# ------------------------------------------------------------------------------------------------------------- push


@asynchronous
async def test_new_keys_are_queued(bench: Bench) -> None:
    async with bench.frontier() as frontier:
        assert await frontier.push([entry("1"), entry("2"), entry("3", host="b.example")]) == Pushed(added=3)
        assert await frontier.stats() == FrontierStats(queued=3, hosts=2, groups=2)


@asynchronous
async def test_an_entry_comes_back_as_it_was_pushed(bench: Bench) -> None:
    pushed = entry(
        "详细?q=%20&x=你",
        0.123456789012345678,
        host="例子.example:8080",
        group="例子.example:8080|新闻",
        depth=3,
        tunnel=2,
        parent=2**64 - 1,
        anchor="围棋 \U0001f600 \ud83d"[:-1],
        parts={"uh": 0.1, "rw": 1 / 3},
        reason="",
    )
    async with bench.frontier() as frontier:
        await frontier.push([pushed])
        assert [one async for one in frontier.entries()] == [pushed]
        (lease,) = await take(frontier)
        assert lease.entry == pushed
        assert lease.attempt == 1
        assert lease.expires_at == bench.clock.now + 60.0
        assert lease.priority == pushed.score


@pytest.mark.parametrize("key", [0, 1, 2**63 - 1, 2**63, 2**64 - 1])
def test_keys_are_unsigned_64_bit_numbers(bench: Bench, key: int) -> None:
    async def check() -> None:
        async with bench.frontier() as frontier:
            await frontier.push([Entry("http://a.example/", key, "a.example", 0.5)])
            (lease,) = await take(frontier)
            assert lease.entry.key == key
            assert await settle(frontier, lease, also=[key ^ 1], edges=[key])
            again = [Entry("http://a.example/", one, "a.example", 0.5) for one in (key, key ^ 1)]
            assert await frontier.push(again) == Pushed(known=2)

    asyncio.run(check())


@asynchronous
async def test_a_queued_key_keeps_the_higher_score(bench: Bench) -> None:
    async with bench.frontier() as frontier:
        await frontier.push([entry("1", 0.5), entry("2", 0.6)])
        assert await frontier.push([entry("1", 0.4), entry("2", 0.6)]) == Pushed(known=2)
        assert await frontier.push([entry("1", 0.7)]) == Pushed(raised=1)
        assert await frontier.push([entry("1", 0.65)]) == Pushed(known=1)
        assert await taken(frontier, 2) == ["a.example/1", "a.example/2"]


@asynchronous
async def test_a_raised_entry_is_explained_by_the_link_that_raised_it(bench: Bench) -> None:
    async with bench.frontier() as frontier:
        await frontier.push([entry("1", 0.5, group="g", depth=1, tunnel=1, anchor="first", not_before=5.0)])
        await frontier.push([entry("1", 0.7, group="other", depth=4, tunnel=0, anchor="second")])
        (lease,) = await take(frontier)
        # Its place (group, not_before) and the shortest way to it stay; score and origin come from the link.
        assert lease.entry == entry("1", 0.7, group="g", depth=1, tunnel=0, anchor="second", not_before=5.0)


@asynchronous
async def test_a_raised_entry_keeps_the_shortest_way_to_it(bench: Bench) -> None:
    def page(score: float, depth: int, tunnel: int, steps: int) -> Entry:
        return entry("1", score, depth=depth, tunnel=tunnel, pagination_steps=steps)

    async with bench.frontier() as frontier:
        await frontier.push([page(0.1, 300, 400, 2), entry("2", 0.1, depth=300, tunnel=1)])
        await frontier.push([page(0.2, 7, 5, 4), page(0.3, 9, 2, 0), page(0.4, 8, 3, 1)])  # 3, 9 and 7 without listings
        await frontier.push([page(0.5, 12, 300, 6)])
        await frontier.push([entry("2", 0.2, depth=400, tunnel=300)])
        leases = await take(frontier, 2)
        assert [lease.entry for lease in leases] == [page(0.5, 9, 2, 6), entry("2", 0.2, depth=300, tunnel=1)]


@asynchronous
async def test_a_key_twice_in_one_push_counts_twice(bench: Bench) -> None:
    async with bench.frontier() as frontier:
        twice = [entry("1", 0.5), entry("1", 0.7), entry("1", 0.6), entry("2", 0.1), entry("2", 0.1)]
        assert await frontier.push(twice) == Pushed(added=2, raised=1, known=2)
        assert (await frontier.stats()).queued == 2
        (lease,) = await take(frontier)
        assert lease.entry.score == 0.7


@pytest.mark.parametrize("outcome", list(Outcome))
def test_a_settled_key_is_known_for_ever(bench: Bench, outcome: Outcome) -> None:
    async def check() -> None:
        async with bench.frontier(max_attempts=1) as frontier:
            await frontier.push([entry("1")])
            (lease,) = await take(frontier)
            assert await frontier.push([entry("1", 0.9)]) == Pushed(known=1)  # leased
            assert await settle(frontier, lease, outcome)
            assert await frontier.push([entry("1", 1.0)]) == Pushed(known=1)
            assert await take(frontier) == []
            assert await frontier.stats() == FrontierStats(**{outcome.value: 1})

    asyncio.run(check())


@asynchronous
async def test_entries_that_cannot_be_ranked_or_fetched_are_refused(bench: Bench) -> None:
    async with bench.frontier() as frontier:
        good = entry("1")
        bad = [
            entry("2", float("nan")),
            entry("3", float("inf")),
            entry("4", not_before=float("nan")),
            Entry("", 5, "a.example", 0.5),
            Entry("http://a.example/6", 6, "", 0.5),
            Entry("http://a.example/7", 2**64, "a.example", 0.5),
            Entry("http://a.example/8", -1, "a.example", 0.5),
        ]
        assert await frontier.push([*bad, good]) == Pushed(added=1, refused=len(bad))
        assert await frontier.push([entry("1", float("nan"))]) == Pushed(known=1)
        assert await taken(frontier, 9) == ["a.example/1"]


@asynchronous
async def test_nothing_pushed_is_nothing(bench: Bench) -> None:
    async with bench.frontier() as frontier:
        assert await frontier.push([]) == Pushed()
        assert await frontier.settle([]) == []
        assert await take(frontier, 5) == []
        assert await take(frontier, 0) == []
        assert await frontier.next_ready_at() is None
        assert await frontier.stats() == FrontierStats()
        assert await frontier.rescore({}) == 0
        assert await frontier.set_offsets({}) == 0
        assert await waiting(frontier) == []


# ------------------------------------------------------------------------------------------------------------ lease


@asynchronous
async def test_best_first_across_hosts_and_groups(bench: Bench) -> None:
    async with bench.frontier() as frontier:
        scores = [0.5, 0.875, 0.25, 0.75, 0.125, 1.0, 0.0, 0.625]
        await frontier.push(
            [entry(str(i), s, host=f"h{i % 3}.example", group=f"h{i % 3}|g{i % 2}") for i, s in enumerate(scores)]
        )
        leases = await take(frontier, 5) + await take(frontier, 5)
        assert [lease.entry.score for lease in leases] == sorted(scores, reverse=True)


@asynchronous
async def test_equal_priorities_come_in_order_of_discovery(bench: Bench) -> None:
    async with bench.frontier() as frontier:
        urls = [entry(str(i), 0.5, host=f"h{i * 7 % 5}.example", group=f"g{i * 3 % 4}") for i in range(40)]
        await frontier.push(urls[:25])
        await frontier.push(urls[25:])
        leases = [lease for _ in range(8) for lease in await take(frontier, 5)]
        found = [lease.entry.url for lease in leases]
        if bench.backend.one_order:
            assert found == [one.url for one in urls]
        for host in {one.host for one in urls}:
            assert [url for url in found if f"/{host}/" in url] == [one.url for one in urls if one.host == host]


@asynchronous
async def test_a_raised_entry_keeps_its_place_among_equals(bench: Bench) -> None:
    async with bench.frontier() as frontier:
        await frontier.push([entry("1", 0.25), entry("2", 0.5), entry("3", 0.5, host="b.example")])
        await frontier.push([entry("1", 0.5)])
        assert await taken(frontier, 3) == ["a.example/1", "a.example/2", "b.example/3"]


@asynchronous
async def test_no_more_than_asked_for(bench: Bench) -> None:
    async with bench.frontier() as frontier:
        await frontier.push([entry(str(i)) for i in range(5)])
        assert len(await take(frontier, 2)) == 2
        assert (await frontier.stats()) == FrontierStats(queued=3, leased=2, hosts=1, groups=1)
        assert len(await take(frontier, 9)) == 3


@asynchronous
async def test_per_host_limits_what_is_in_flight_not_what_a_call_returns(bench: Bench) -> None:
    async with bench.frontier() as frontier:
        await frontier.push([entry(str(i), 0.9) for i in range(5)] + [entry("x", 0.1, host="b.example")])
        first = await take(frontier, 9, per_host=2)
        assert [lease.entry.host for lease in first] == ["a.example", "a.example", "b.example"]
        assert await take(frontier, 9, per_host=2) == []
        assert await settle(frontier, first[0])
        assert await taken(frontier, 9, per_host=2) == ["a.example/2"]
        assert await frontier.release([first[1]]) == 1
        assert await taken(frontier, 9, per_host=2) == ["a.example/1"]
        # A higher limit lets more go at once.
        assert await taken(frontier, 9, per_host=3) == ["a.example/3"]
        assert await taken(frontier, 9, per_host=2) == []


@asynchronous
async def test_one_lease_a_host_and_delay(bench: Bench) -> None:
    async with bench.frontier(delay_s=2.0) as frontier:
        await frontier.push([entry(str(i), 0.9) for i in range(3)] + [entry("x", 0.1, host="b.example")])
        assert await taken(frontier, 9) == ["a.example/0", "b.example/x"]
        assert await taken(frontier, 9) == []
        bench.clock.now += 1.5
        assert await taken(frontier, 9) == []
        bench.clock.now += 0.5
        assert await taken(frontier, 9) == ["a.example/1"]
        assert await taken(frontier, 9) == []


@asynchronous
async def test_settling_does_not_shorten_the_delay(bench: Bench) -> None:
    async with bench.frontier(delay_s=2.0) as frontier:
        await frontier.push([entry("1"), entry("2")])
        (lease,) = await take(frontier)
        assert await settle(frontier, lease)
        assert await take(frontier) == []
        bench.clock.now += 2.0
        assert await taken(frontier) == ["a.example/2"]


@asynchronous
async def test_the_delay_outlives_an_empty_host(bench: Bench) -> None:
    async with bench.frontier(delay_s=2.0) as frontier:
        await frontier.push([entry("1")])
        (lease,) = await take(frontier)
        assert await settle(frontier, lease)
        await frontier.push([entry("2")])
        assert await take(frontier) == []
        bench.clock.now += 2.0
        assert await taken(frontier) == ["a.example/2"]


@asynchronous
async def test_racing_leases_do_not_break_the_delay(bench: Bench) -> None:
    async with bench.frontier(delay_s=1.0) as frontier:
        await frontier.push([entry(str(i), host=f"h{i % 4}.example") for i in range(40)])
        calls = await asyncio.gather(*(take(frontier, 10) for _ in range(8)))
        hosts = [lease.entry.host for leases in calls for lease in leases]
        assert sorted(hosts) == [f"h{i}.example" for i in range(4)]


@asynchronous
async def test_racing_leases_hand_out_each_entry_once(bench: Bench) -> None:
    async with bench.frontier() as frontier:
        await frontier.push([entry(str(i), host=f"h{i % 4}.example") for i in range(40)])
        calls = await asyncio.gather(*(take(frontier, 7) for _ in range(8)))
        leases = [lease for leases in calls for lease in leases]
        assert len({lease.entry.key for lease in leases}) == len(leases) == 40
        assert len({lease.token for lease in leases}) == 40


@asynchronous
async def test_a_host_may_have_its_own_delay(bench: Bench) -> None:
    async with bench.frontier(delay_s=1.0) as frontier:
        await frontier.set_host("slow.example", delay_s=5.0)
        await frontier.push([entry(str(i), host=host) for host in ("slow.example", "a.example") for i in range(2)])
        assert len(await take(frontier, 9)) == 2
        bench.clock.now += 1.0
        assert await taken(frontier, 9) == ["a.example/1"]
        bench.clock.now += 4.0
        assert await taken(frontier, 9) == ["slow.example/1"]


@asynchronous
async def test_a_delay_learned_after_the_first_lease_counts_from_that_lease(bench: Bench) -> None:
    async with bench.frontier() as frontier:
        await frontier.push([entry("1"), entry("2")])
        assert len(await take(frontier)) == 1
        await frontier.set_host("a.example", delay_s=3.0)  # robots.txt has been read
        assert await take(frontier) == []
        bench.clock.now += 3.0
        assert len(await take(frontier)) == 1


@asynchronous
async def test_a_host_on_hold_waits(bench: Bench) -> None:
    async with bench.frontier() as frontier:
        await frontier.push([entry("1", 0.9), entry("2", 0.1, host="b.example")])
        await frontier.set_host("a.example", hold_until=bench.clock.now + 30.0)
        assert await taken(frontier, 9) == ["b.example/2"]
        assert await frontier.next_ready_at() == bench.clock.now + 30.0
        bench.clock.now += 30.0
        assert await taken(frontier, 9) == ["a.example/1"]


@asynchronous
async def test_a_hold_can_be_lifted(bench: Bench) -> None:
    async with bench.frontier() as frontier:
        await frontier.set_host("a.example", hold_until=bench.clock.now + 30.0)  # before its first entry
        await frontier.push([entry("1")])
        assert await take(frontier) == []
        await frontier.set_host("a.example", hold_until=0.0)
        assert await taken(frontier) == ["a.example/1"]


@asynchronous
async def test_a_hold_is_not_shortened_by_a_later_one_that_is_kept(bench: Bench) -> None:
    async with bench.frontier() as frontier:
        now = bench.clock.now
        await frontier.push([entry("1")])
        await frontier.keep_host("a.example", hold_until=now + 30.0)
        await frontier.keep_host("a.example", hold_until=now + 2.0)
        assert await frontier.next_ready_at() == now + 30.0
        await frontier.keep_host("a.example", hold_until=now + 40.0)
        assert await frontier.next_ready_at() == now + 40.0
        await frontier.set_host("a.example", hold_until=0.0)
        assert await frontier.next_ready_at() == now


@asynchronous
async def test_an_address_whose_host_is_told_otherwise_stays_as_it_is(bench: Bench) -> None:
    urls = ["http://www.a.example/1", "https://user@a.example/2", "https://a.example:8443/3", "ftp://a.example/4"]
    async with bench.frontier() as frontier:
        await frontier.push([Entry(url, digest64(url), "a.example", 0.5) for url in urls])
        assert [(lease.entry.url, lease.entry.host) for lease in await take(frontier, 9)] == [
            (url, "a.example") for url in urls
        ]


@asynchronous
async def test_not_before_is_waited_for(bench: Bench) -> None:
    async with bench.frontier() as frontier:
        await frontier.push([entry("late", 0.9, not_before=bench.clock.now + 10.0), entry("now", 0.1)])
        assert (await frontier.stats()).queued == 2
        assert await waiting(frontier) == ["a.example/late", "a.example/now"]
        assert await taken(frontier, 9) == ["a.example/now"]
        assert await frontier.next_ready_at() == bench.clock.now + 10.0
        assert await frontier.push([entry("late", 0.95)]) == Pushed(raised=1)
        assert await take(frontier) == []
        bench.clock.now += 10.0
        (lease,) = await take(frontier)
        assert lease.entry.score == 0.95


@asynchronous
async def test_each_pick_of_a_call_sees_the_one_before(bench: Bench) -> None:
    async with bench.frontier() as frontier:
        pushed = [
            entry(f"{host}-{i}", 1.0 - i / 8 - host / 32, host=f"h{host}.example", group=f"h{host}|{i % 2}")
            for host in range(3)
            for i in range(4)
        ]
        await frontier.push(pushed)
        best = sorted(pushed, key=lambda one: -one.score)
        assert [lease.entry.url for lease in await take(frontier, 12)] == [one.url for one in best]


@asynchronous
async def test_many_leases_of_one_group_in_one_call(bench: Bench) -> None:
    async with bench.frontier() as frontier:
        await frontier.push([entry(str(i), i * 37 % 256 / 256) for i in range(256)])
        leases = await take(frontier, 100) + await take(frontier, 100)
        assert [lease.entry.score for lease in leases] == [i / 256 for i in range(255, 55, -1)]


@asynchronous
async def test_no_url_is_leased_while_a_better_one_of_a_ready_host_waits(bench: Bench) -> None:
    async with bench.frontier(delay_s=1.0) as frontier:
        waits: dict[int, Entry] = {}
        done = 0
        for round_ in range(30):
            new = [
                entry(f"{round_}-{i}", digest64(f"{round_}/{i}") % 64 / 64, host=f"h{(round_ * i) % 5}.example")
                for i in range(6)
            ]
            await frontier.push(new)
            waits |= {one.key: one for one in new}
            seen: set[str] = set()
            for lease in await take(frontier, 3):
                ready = [one.score for one in waits.values() if one.host not in seen]
                assert lease.entry.score == max(ready)
                seen.add(lease.entry.host)
                del waits[lease.entry.key]
                assert await settle(frontier, lease)
                done += 1
            bench.clock.now += 1.0
        assert done > 80


@asynchronous
async def test_tokens_are_never_used_twice(bench: Bench) -> None:
    tokens: list[int] = []
    for round_ in range(3):
        async with bench.frontier() as frontier:
            await frontier.push([entry(f"{round_}-{i}") for i in range(3)])
            leases = await take(frontier, 3)
            tokens += [lease.token for lease in leases]
            await frontier.release(leases)
            if not bench.durable:
                return
    assert len(set(tokens)) == 9


# ----------------------------------------------------------------------------------------------------------- settle


@asynchronous
async def test_settle_is_valid_once(bench: Bench) -> None:
    async with bench.frontier() as frontier:
        await frontier.push([entry("1")])
        (lease,) = await take(frontier)
        assert await settle(frontier, lease, found=[entry("2")])
        assert not await settle(frontier, lease, found=[entry("3")])
        assert await frontier.release([lease]) == 0
        assert await frontier.renew([lease], 60.0) == 0
        assert await frontier.stats() == FrontierStats(queued=1, done=1, hosts=1, groups=1)


@asynchronous
async def test_the_same_lease_twice_in_one_call_settles_once(bench: Bench) -> None:
    async with bench.frontier() as frontier:
        await frontier.push([entry("1")])
        (lease,) = await take(frontier)
        both = [Settlement(lease, Outcome.DONE), Settlement(lease, Outcome.REFUSED, found=[entry("2")])]
        assert await frontier.settle(both) == [True, False]
        assert await frontier.stats() == FrontierStats(done=1)


@asynchronous
async def test_late_settle_after_reap_changes_nothing(bench: Bench) -> None:
    async with bench.frontier() as frontier:
        await frontier.push([entry("1")])
        (late,) = await take(frontier, lease_s=60.0)
        bench.clock.now += 61.0
        assert await frontier.reap() == 1
        settlement = {"found": [entry("2")], "also": [entry("3").key], "state": {"ranker": {"n": 1}}}
        assert not await settle(frontier, late, **settlement)
        assert await frontier.stats() == FrontierStats(queued=1, hosts=1, groups=1)
        (lease,) = await take(frontier)
        assert not await settle(frontier, late, **settlement)
        assert (await frontier.stats()).leased == 1
        assert await settle(frontier, lease)
        assert await frontier.push([entry("2"), entry("3")]) == Pushed(added=2)


@asynchronous
async def test_a_lease_with_another_key_is_not_valid(bench: Bench) -> None:
    async with bench.frontier() as frontier:
        await frontier.push([entry("1"), entry("2")])
        (lease,) = await take(frontier)
        forged = Lease(entry("2"), lease.token, lease.expires_at, 1, 0.5)
        assert not await settle(frontier, forged)
        assert await frontier.release([forged]) == 0
        assert (await frontier.stats()).leased == 1


@asynchronous
async def test_links_found_are_queued_with_the_settlement(bench: Bench) -> None:
    async with bench.frontier() as frontier:
        await frontier.push([entry("1")])
        (lease,) = await take(frontier)
        found = [entry("2", 0.2), entry("1", 1.0), entry("3", 0.3), entry("2", 0.4)]
        assert await settle(frontier, lease, found=found, edges=[one.key for one in found])
        assert await waiting(frontier) == ["a.example/2", "a.example/3"]
        assert await taken(frontier, 9) == ["a.example/2", "a.example/3"]


@asynchronous
async def test_several_settlements_see_one_another(bench: Bench) -> None:
    async with bench.frontier() as frontier:
        await frontier.push([entry("1"), entry("2")])
        one, two = await take(frontier, 2)
        settlements = [
            Settlement(one, Outcome.DONE, found=[entry("2", 1.0), entry("3", 0.5)]),
            Settlement(two, Outcome.DONE, found=[entry("1", 1.0), entry("3", 0.75)]),
        ]
        assert await frontier.settle(settlements) == [True, True]
        (lease,) = await take(frontier, 9)
        assert lease.entry == entry("3", 0.75)


@asynchronous
async def test_other_addresses_of_a_page_are_known(bench: Bench) -> None:
    async with bench.frontier() as frontier:
        await frontier.push([entry("start", 0.9), entry("target", 0.5), entry("leased", 0.8), entry("rest", 0.1)])
        start, leased = await take(frontier, 2)
        also = [entry(name).key for name in ("target", "new", "leased", "start")]
        assert await settle(frontier, start, also=also, found=[entry("target", 1.0), entry("new", 1.0)])
        assert await waiting(frontier) == ["a.example/rest"]
        assert await frontier.push([entry("target"), entry("new")]) == Pushed(known=2)
        assert await settle(frontier, leased)  # somebody else's lease is left alone
        assert await frontier.stats() == FrontierStats(queued=1, done=4, hosts=1, groups=1)
        assert await taken(frontier, 9) == ["a.example/rest"]


@asynchronous
async def test_failed_entries_are_tried_again_up_to_the_limit(bench: Bench) -> None:
    async with bench.frontier(max_attempts=3) as frontier:
        await frontier.push([entry("1", 0.7)])
        for attempt in (1, 2, 3):
            (lease,) = await take(frontier)
            assert (lease.attempt, lease.entry.score) == (attempt, 0.7)
            assert await settle(frontier, lease, Outcome.FAILED)
        assert await take(frontier) == []
        assert await frontier.stats() == FrontierStats(failed=1)


@asynchronous
async def test_refused_entries_are_never_tried_again(bench: Bench) -> None:
    async with bench.frontier() as frontier:
        await frontier.push([entry("1")])
        (lease,) = await take(frontier)
        assert await settle(frontier, lease, Outcome.REFUSED)
        assert await take(frontier) == []
        assert await frontier.stats() == FrontierStats(refused=1)


@asynchronous
async def test_records_and_state_may_come_along(bench: Bench) -> None:
    async with bench.frontier() as frontier:
        await frontier.push([entry("1")])
        (lease,) = await take(frontier)
        record = PageRecord(lease.entry.key, lease.entry.url, lease.entry.url, "a.example", bench.clock.now, 200)
        assert await settle(
            frontier, lease, record=record, edges=[1, 2**64 - 1, 1], state={"ranker": {"w": [0.5]}, "judge": {}}
        )


# ----------------------------------------------------------------------------------- reap, renew, release, rescore


@asynchronous
async def test_reap_returns_expired_leases_with_the_old_score(bench: Bench) -> None:
    async with bench.frontier() as frontier:
        await frontier.push([entry("1", 0.7), entry("2", 0.9)])
        await take(frontier, 1, lease_s=10.0)
        await take(frontier, 1, lease_s=20.0)
        bench.clock.now += 10.0
        assert await frontier.reap() == 1
        (lease,) = await take(frontier)
        assert (lease.entry, lease.attempt) == (entry("2", 0.9), 2)
        assert await frontier.reap() == 0


@asynchronous
async def test_expiries_are_no_failures_and_end_in_one_only_after_many(bench: Bench) -> None:
    async with bench.frontier(max_attempts=1) as frontier:
        await frontier.push([entry("1", 0.7, anchor="kept")])
        for attempt in range(1, MAX_EXPIRIES + 1):
            (lease,) = await take(frontier, lease_s=1.0)
            assert (lease.attempt, lease.entry) == (attempt, entry("1", 0.7, anchor="kept"))
            bench.clock.now += 1.0
            assert await frontier.reap() == 1
        assert await take(frontier) == []
        assert await frontier.stats() == FrontierStats(failed=1)
        assert await frontier.push([entry("1", 1.0)]) == Pushed(known=1)


@asynchronous
async def test_expiries_and_failures_are_counted_apart(bench: Bench) -> None:
    async with bench.frontier(max_attempts=2) as frontier:
        await frontier.push([entry("1"), entry("other", 0.1)])
        for attempt in range(1, 6):
            (lease,) = await take(frontier, lease_s=1.0)
            assert lease.attempt == attempt
            if attempt == 3:
                assert await settle(frontier, lease, Outcome.FAILED)
            else:
                bench.clock.now += 1.0
                assert await frontier.reap() == 1
        (lease,) = await take(frontier)
        # What comes between does not change what is counted.
        assert await frontier.release([lease], delay_s=5.0) == 1
        assert await frontier.push([entry("1", 0.75)]) == Pushed(raised=1)
        assert await frontier.rescore({entry("1").key: 0.875}) == 1
        bench.clock.now += 5.0
        (lease,) = await take(frontier)
        assert (lease.attempt, lease.entry.score, lease.entry.not_before) == (6, 0.875, bench.clock.now)
        assert await settle(frontier, lease, Outcome.FAILED)
        assert await frontier.stats() == FrontierStats(queued=1, failed=1, hosts=1, groups=1)
        (lease,) = await take(frontier)
        assert lease.attempt == 1


@asynchronous
async def test_renewed_leases_are_not_reaped(bench: Bench) -> None:
    async with bench.frontier() as frontier:
        await frontier.push([entry("1"), entry("2")])
        leases = await take(frontier, 2, lease_s=10.0)
        bench.clock.now += 9.0
        assert await frontier.renew(leases[:1], 10.0) == 1
        bench.clock.now += 1.0
        assert await frontier.reap() == 1
        assert await frontier.settle([Settlement(lease, Outcome.DONE) for lease in leases]) == [True, False]


@asynchronous
async def test_release_counts_no_attempt(bench: Bench) -> None:
    async with bench.frontier(max_attempts=1) as frontier:
        await frontier.push([entry("1", 0.5), entry("2", 0.25)])
        for _ in range(3):
            leases = await take(frontier, 2)
            assert [lease.attempt for lease in leases] == [1, 1]
            assert await frontier.release(leases) == 2
        assert await taken(frontier, 2) == ["a.example/1", "a.example/2"]


@asynchronous
async def test_release_with_a_delay_waits(bench: Bench) -> None:
    async with bench.frontier() as frontier:
        await frontier.push([entry("1")])
        assert await frontier.release(await take(frontier), delay_s=5.0) == 1
        assert (await frontier.stats()).queued == 1
        assert await take(frontier) == []
        assert await frontier.next_ready_at() == bench.clock.now + 5.0
        bench.clock.now += 5.0
        (lease,) = await take(frontier)
        assert lease.attempt == 1


@asynchronous
async def test_a_lease_renewed_twice_at_once_is_reaped_once(bench: Bench) -> None:
    async with bench.frontier() as frontier:
        await frontier.push([entry("a.example/1", 0.5)])
        leases = await take(frontier, 1)
        for _ in range(2):
            assert await frontier.renew(leases, 10.0) == 1
        bench.clock.now += 11.0
        assert await frontier.reap() == 1
        assert (await frontier.stats()).queued == 1


@asynchronous
async def test_rescore_moves_queued_entries_both_ways(bench: Bench) -> None:
    async with bench.frontier() as frontier:
        await frontier.push([entry("leased", 1.0), *(entry(str(i), i / 8) for i in range(5))])
        (lease,) = await take(frontier)
        scores = {entry("0").key: 0.75, entry("4").key: 0.25, entry("3").key: 3 / 8, lease.entry.key: 0.0, 12345: 1.0}
        assert await frontier.rescore(scores) == 2
        assert await waiting(frontier) == [f"a.example/{i}" for i in (0, 3, 2, 4, 1)]
        assert await taken(frontier, 9) == [f"a.example/{i}" for i in (0, 3, 2, 4, 1)]


@asynchronous
async def test_rescored_down_and_up_again(bench: Bench) -> None:
    async with bench.frontier() as frontier:
        await frontier.push([entry(str(i), 0.5) for i in range(3)])
        for score in (0.25, 0.5, 0.75, 0.5, 0.25, 0.5):
            assert await frontier.rescore({entry("1").key: score}) == 1
        assert await frontier.rescore({entry("1").key: float("nan")}) == 0
        assert await taken(frontier, 9) == [f"a.example/{i}" for i in range(3)]
        assert await frontier.stats() == FrontierStats(leased=3)


# ------------------------------------------------------------------------------------------------- offsets, times


@asynchronous
async def test_an_offset_moves_all_links_of_a_group(bench: Bench) -> None:
    async with bench.frontier() as frontier:
        await frontier.push([entry(f"low{i}", i / 16, group="low") for i in range(4)])
        await frontier.push([entry(f"high{i}", 0.5 + i / 16, group="high") for i in range(4)])
        assert await frontier.set_offsets({"low": 0.25, "high": -0.25, "none yet": 0.5}) == 3
        assert await frontier.set_offsets({"low": 0.25}) == 0
        assert await waiting(frontier) == [
            f"a.example/{name}" for name in ["low3", "high3", "low2", "high2", "low1", "high1", "low0", "high0"]
        ]
        leases = await take(frontier, 3)
        assert [lease.entry.url[-4:] for lease in leases] == ["low3", "igh3", "low2"]
        assert leases[0].priority == 3 / 16 + 0.25
        assert leases[1].priority == 0.5 + 3 / 16 - 0.25
        await frontier.push([entry("new", 0.0, group="none yet")])
        assert await taken(frontier) == ["a.example/new"]


@asynchronous
async def test_a_host_is_its_own_group_without_a_finer_one(bench: Bench) -> None:
    async with bench.frontier() as frontier:
        await frontier.push([entry("1", 0.5), entry("2", 0.25, host="b.example")])
        await frontier.set_offsets({"b.example": 0.5})
        (lease,) = await take(frontier)
        assert (lease.entry, lease.priority) == (entry("2", 0.25, host="b.example"), 0.75)


@asynchronous
async def test_an_offset_stays_when_its_group_runs_empty(bench: Bench) -> None:
    async with bench.frontier() as frontier:
        await frontier.push([entry("1", 0.5, group="g")])
        await frontier.set_offsets({"g": 0.25})
        (lease,) = await take(frontier)
        await settle(frontier, lease)
        await frontier.push([entry("2", 0.5, group="g"), entry("3", 0.625)])
        assert await taken(frontier, 2) == ["a.example/2", "a.example/3"]


@asynchronous
async def test_an_offset_must_be_a_number(bench: Bench) -> None:
    async with bench.frontier() as frontier:
        with pytest.raises(FrontierError, match=r'offset nan of group "g"'):
            await frontier.set_offsets({"g": float("nan")})


@asynchronous
async def test_next_ready_at_leads_to_a_lease(bench: Bench) -> None:
    async with bench.frontier(delay_s=2.0) as frontier:
        await frontier.push([entry("1"), entry("2"), entry("3", host="b.example", not_before=bench.clock.now + 50.0)])
        assert await frontier.next_ready_at() == bench.clock.now
        start, order = bench.clock.now, []
        while (at := await frontier.next_ready_at()) is not None:
            assert at >= bench.clock.now
            bench.clock.now = at
            for lease in await take(frontier, 9):
                order.append((lease.entry.url[-1], at - start))
                await settle(frontier, lease)
        assert order == [("1", 0.0), ("2", 2.0), ("3", 50.0)]


@asynchronous
async def test_next_ready_at_of_a_host_at_its_limit_is_the_end_of_a_lease(bench: Bench) -> None:
    async with bench.frontier() as frontier:
        await frontier.push([entry("1"), entry("2")])
        (lease,) = await take(frontier, 9, per_host=1, lease_s=60.0)
        assert await frontier.next_ready_at() == lease.expires_at
        await settle(frontier, lease)
        assert await frontier.next_ready_at() == bench.clock.now


# ---------------------------------------------------------------------------------------------------- entries, open


@asynchronous
async def test_entries_come_by_falling_priority(bench: Bench) -> None:
    async with bench.frontier() as frontier:
        await frontier.push(
            [entry(str(i), i % 4 / 8, host=f"h{i % 2}.example", group=f"h{i % 2}|{i % 3}") for i in range(12)]
        )
        await frontier.set_offsets({"h0|1": 0.5, "h1|2": -0.5})
        whole = await waiting(frontier)
        assert await waiting(frontier, limit=5) == whole[:5]
        assert await waiting(frontier, host="h1.example") == [url for url in whole if url.startswith("h1")]
        assert await waiting(frontier, host="none.example") == []
        assert await taken(frontier, 99) == whole
        assert await waiting(frontier) == []


@asynchronous
async def test_a_durable_frontier_keeps_queued_and_leased_entries(bench: Bench) -> None:
    if not bench.durable:
        pytest.skip("nothing to keep")
    async with bench.frontier() as frontier:
        await frontier.push([entry(str(i), i / 8, group=f"g{i % 2}") for i in range(6)])
        await frontier.set_offsets({"g0": 0.25})
        await frontier.set_host("a.example", hold_until=bench.clock.now + 5.0)
        await frontier.push([entry("b", 0.5, host="b.example"), entry("late", 1.0, not_before=bench.clock.now + 9.0)])
        (done,) = await take(frontier)
        assert await settle(frontier, done)
    async with bench.frontier() as frontier:
        assert await frontier.stats() == FrontierStats(queued=7, done=1, hosts=1, groups=3)
        assert await take(frontier, 9) == []
        bench.clock.now += 5.0
        leased = await take(frontier, 2)
        assert [lease.entry.url[-1] for lease in leased] == ["4", "5"]
    async with bench.frontier() as frontier:
        leases = await take(frontier, 99)
        assert [lease.entry.url[-1] for lease in leases] == ["4", "5", "2", "3", "0", "1"]
        assert {lease.attempt for lease in leases} == {1}
        assert await frontier.settle([Settlement(lease, Outcome.DONE) for lease in leased]) == [False, False]
        bench.clock.now += 4.0
        assert await taken(frontier) == ["a.example/late"]
        assert await frontier.push([entry("b", host="b.example"), entry("1")]) == Pushed(known=2)


@asynchronous
async def test_attempts_are_remembered(bench: Bench) -> None:
    if not bench.durable:
        pytest.skip("nothing to keep")
    for attempt in (1, 2, 3):
        async with bench.frontier(max_attempts=3) as frontier:
            await frontier.push([entry("1")])
            (lease,) = await take(frontier)
            assert lease.attempt == attempt
            assert await settle(frontier, lease, Outcome.FAILED)
    async with bench.frontier() as frontier:
        assert await frontier.stats() == FrontierStats(failed=1)


@asynchronous
async def test_the_delay_of_a_host_is_remembered(bench: Bench) -> None:
    if not bench.durable:
        pytest.skip("nothing to keep")
    async with bench.frontier(delay_s=1.0) as frontier:
        await frontier.push([entry("1"), entry("2")])
        await frontier.set_host("a.example", delay_s=10.0)
        assert await taken(frontier) == ["a.example/1"]
    async with bench.frontier(delay_s=1.0) as frontier:
        bench.clock.now += 9.0
        assert await take(frontier) == []
        bench.clock.now += 1.0
        assert len(await take(frontier, 9)) == 1


@pytest.mark.parametrize(
    ("options", "fault"), [({"max_attempts": 0}, "max_attempts = 0"), ({"delay_s": -1.0}, r"delay_s = -1\.0")]
)
def test_options_that_make_no_sense_are_refused(bench: Bench, options: dict[str, object], fault: str) -> None:
    with pytest.raises(FrontierError, match=fault):
        bench.backend.make(bench.clock, **options)  # type: ignore[arg-type]


@asynchronous
async def test_a_host_setting_must_be_a_number(bench: Bench) -> None:
    async with bench.frontier() as frontier:
        for wrong in ({"delay_s": -1.0}, {"delay_s": float("nan")}, {"hold_until": float("inf")}):
            with pytest.raises(FrontierError, match=r"a\.example"):
                await frontier.set_host("a.example", **wrong)


@asynchronous
async def test_a_hosts_own_delay_holds_across_a_restart(bench: Bench) -> None:
    if not bench.durable:
        pytest.skip("a frontier that is not durable forgets delays with everything else")
    async with bench.frontier() as frontier:
        await frontier.set_host("a.example", delay_s=5.0)
        await frontier.push([entry("1"), entry("2")])
        assert len(await take(frontier)) == 1
    async with bench.frontier() as frontier:
        assert await take(frontier) == []
        bench.clock.now += 5.0
        assert len(await take(frontier)) == 1
