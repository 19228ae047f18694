"""A worker that has died is recovered: its leases, its place on the lists, and what became of its last settlement."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from itertools import count

import pytest
from redis_kit import LosingClient, RedisServer

from focuscrawl.errors import FrontierError
from focuscrawl.frontier.base import FrontierStats
from focuscrawl.frontier.fleet import FleetTotals, Recovered
from focuscrawl.frontier.redis import RedisFrontier
from focuscrawl.frontier.redis_calls import script
from focuscrawl.frontier.rules import MAX_EXPIRIES
from focuscrawl.records import Entry, Lease, Origin, Outcome, Settlement
from focuscrawl.types import digest64

_crawls = count()
NOW = 1_000_000.0


def entry(number: int) -> Entry:
    url = f"http://h{number % 2}.example/{number}"
    return Entry(url, digest64(url), url.split("/")[2], 0.5, origin=Origin(anchor=str(number)))


async def take(frontier: RedisFrontier, n: int) -> list[Lease]:
    return await frontier.lease(n, worker="", per_host=100, lease_s=600.0)


def named(lease: Lease) -> tuple[int, int]:
    return lease.entry.key, lease.token


async def workers_of(frontier: RedisFrontier) -> int:
    return FleetTotals.of(await frontier._run("totals")).workers


def numbers(leases: list[Lease]) -> list[int]:
    return [int(one.entry.url.rpartition("/")[2]) for one in leases]


def fleet(server: RedisServer, test: Callable[[RedisFrontier, RedisFrontier], Awaitable[None]]) -> None:
    """Run a test of two workers, the first of which is never closed: it is killed."""

    async def work() -> None:
        crawl = f"recover {next(_crawls)}"
        dead, alive = (RedisFrontier(server.url, crawl=crawl, clock=lambda: NOW, max_attempts=1) for _ in range(2))
        await dead.open()
        await alive.open()
        await alive.push([entry(number) for number in range(6)])
        await test(dead, alive)
        await alive.close()
        await dead._opened().close()

    asyncio.run(work())


def test_leases_of_a_dead_worker_are_in_the_queue_again_at_once(redis_server: RedisServer) -> None:
    async def test(dead: RedisFrontier, alive: RedisFrontier) -> None:
        lost = await take(dead, 2) + await take(dead, 1)
        (kept,) = await take(alive, 1)
        assert await alive.recover(dead.worker, None) == Recovered(3, None)
        assert await alive.stats() == FrontierStats(queued=5, leased=1, hosts=2, groups=2)
        again = await take(alive, 9)
        assert numbers(again) == [0, 1, 2, 4, 5]
        assert [one.attempt for one in again] == [2, 2, 2, 1, 1]  # an expiry, and no failure: max_attempts is 1
        assert [one.entry for one in again[:3]] == [one.entry for one in lost]
        # What the dead worker had sent and comes only now changes nothing.
        assert await dead.settle([Settlement(lost[0], Outcome.DONE, found=[entry(7)])]) == [False]
        assert await alive.settle([Settlement(one, Outcome.DONE) for one in (kept, *again)]) == [True] * 6
        assert await alive.stats() == FrontierStats(done=6)

    fleet(redis_server, test)


def test_what_became_of_the_last_settlement_is_told_until_it_is_forgotten(redis_server: RedisServer) -> None:
    async def test(dead: RedisFrontier, alive: RedisFrontier) -> None:
        one, two, three = await take(dead, 3)
        assert await dead.settle([Settlement(one, Outcome.DONE)]) == [True]
        await dead.release([two])
        both = [Settlement(three, Outcome.REFUSED), Settlement(two, Outcome.DONE)]
        assert await dead.settle(both) == [True, False]
        # Asked as often as need be, by whomever.
        for _ in range(2):
            assert await alive.recover(dead.worker, named(three)) == Recovered(0, (True, False))
        assert await alive.recover(dead.worker, named(two)) == Recovered(0, None)  # not the first of its call
        assert await alive.recover(dead.worker, named(one)) == Recovered(0, None)  # not the last call
        assert await alive.recover(dead.worker, None) == Recovered(0, None)
        await alive.discard(dead.worker)
        assert await alive.recover(dead.worker, named(three)) == Recovered(0, None)

    fleet(redis_server, test)


def test_a_settlement_that_never_came_is_told_from_one_that_did(redis_server: RedisServer) -> None:
    async def test(dead: RedisFrontier, alive: RedisFrontier) -> None:
        one, two = await take(dead, 2)
        assert await dead.settle([Settlement(one, Outcome.DONE)]) == [True]
        # Killed before it was sent: the lease went back, and is told as given back each time.
        for _ in range(2):
            assert await alive.recover(dead.worker, named(two)) == Recovered(1, None)
        assert numbers(await take(alive, 1)) == [1]
        assert await alive.recover(dead.worker, named(two)) == Recovered(1, None)

    fleet(redis_server, test)


def test_a_key_leased_before_under_another_token_is_not_mistaken(redis_server: RedisServer) -> None:
    async def test(dead: RedisFrontier, alive: RedisFrontier) -> None:
        (first,) = await take(dead, 1)
        await dead.release([first])
        (again,) = await take(dead, 1)
        assert first.entry.key == again.entry.key
        assert await dead.settle([Settlement(first, Outcome.DONE)]) == [False]
        assert await alive.recover(dead.worker, named(again)) == Recovered(1, None)
        assert await alive.recover(dead.worker, named(first)) == Recovered(1, (False,))

    fleet(redis_server, test)


def test_an_answer_that_is_lost_is_the_same_when_asked_for_again(redis_server: RedisServer) -> None:
    async def test(dead: RedisFrontier, alive: RedisFrontier) -> None:
        one, _ = await take(dead, 2)
        await dead.settle([Settlement(one, Outcome.DONE)])
        client = alive._opened().client
        await client.script_load(script("recover")[0])  # so that the first call is the one that is cut
        alive._opened().client = LosingClient(client, "recover")
        sent = alive._opened().sent
        assert await alive.recover(dead.worker, named(one)) == Recovered(1, (True,))
        assert alive._opened().sent == sent + 2
        assert numbers(await take(alive, 1)) == [1]

    fleet(redis_server, test)


def test_a_dead_worker_is_on_no_list(redis_server: RedisServer) -> None:
    async def test(dead: RedisFrontier, alive: RedisFrontier) -> None:
        calls = alive._opened()
        for worker in (dead, alive):
            await worker._opened().client.hset(f"{calls.prefix}status", worker.worker, "{}")
            await worker._opened().client.hset(f"{calls.prefix}capacity", worker.worker, "1")
        await calls.client.set(f"{calls.prefix}trainer", dead.worker)
        (one,) = await take(dead, 1)
        await dead.settle([Settlement(one, Outcome.DONE)])
        await take(dead, 1)
        assert await workers_of(alive) == 2
        await alive.recover(dead.worker, None)
        assert await workers_of(alive) == 1
        assert await calls.client.get(f"{calls.prefix}trainer") is None
        await calls.client.set(f"{calls.prefix}trainer", alive.worker)
        await alive.recover(dead.worker, None)  # leaves another trainer alone
        assert await calls.client.get(f"{calls.prefix}trainer") == alive.worker.encode()
        await alive.discard(dead.worker)
        for name in ("status", "capacity"):
            assert await calls.client.hkeys(f"{calls.prefix}{name}") == [alive.worker.encode()]
        for name in ("calls", "taken"):
            assert await calls.client.hkeys(f"{calls.prefix}{name}") == []

    fleet(redis_server, test)


class Watched:
    """Two workers that send heartbeats by a clock of the test."""

    def __init__(self, server: RedisServer) -> None:
        crawl = f"recover {next(_crawls)}"
        self.now = NOW
        self.silent, self.heard = (RedisFrontier(server.url, crawl=crawl, clock=lambda: self.now) for _ in range(2))

    async def run(self, test: Callable[[Watched], Awaitable[None]]) -> None:
        """Run a test of both, with six links queued."""
        for worker in (self.silent, self.heard):
            await worker.open()
        await self.heard.push([entry(number) for number in range(6)])
        await test(self)
        for worker in (self.silent, self.heard):
            await worker.close()

    async def beat(self, worker: RedisFrontier) -> None:
        await worker._run("heartbeat", worker.worker, "{}", 0, 0, "0", 0, "a run")

    async def hear(self, seconds: int) -> None:
        """Hear one of the two for so long."""
        for _ in range(seconds):
            self.now += 1.0
            await self.beat(self.heard)


def test_leases_of_a_worker_that_falls_silent_go_back_after_a_minute(redis_server: RedisServer) -> None:
    async def test(fleet: Watched) -> None:
        await fleet.beat(fleet.silent)
        await fleet.beat(fleet.heard)
        lost, (kept,) = await take(fleet.silent, 3), await take(fleet.heard, 1)
        await fleet.hear(60)
        assert await fleet.heard.reap() == 0
        await fleet.hear(1)
        assert await fleet.heard.reap() == 3
        assert await fleet.heard.reap() == 0
        again = await take(fleet.heard, 9)
        assert [one.attempt for one in again] == [2, 2, 2, 1, 1]
        # It was stopped and not killed: what it says of these leases comes too late, and it goes on with others.
        await fleet.beat(fleet.silent)
        assert await fleet.silent.settle([Settlement(one, Outcome.DONE) for one in lost]) == [False] * 3
        assert await fleet.heard.settle([Settlement(one, Outcome.DONE) for one in (kept, *again)]) == [True] * 6
        assert await fleet.heard.recover(fleet.silent.worker, None) == Recovered(3, None)

    asyncio.run(Watched(redis_server).run(test))


def test_nobody_is_dead_by_the_silence_of_the_server(redis_server: RedisServer) -> None:
    async def test(fleet: Watched) -> None:
        await fleet.beat(fleet.silent)
        await take(fleet.silent, 3)
        await fleet.hear(50)
        fleet.now += 100.0  # the server was away, and one of the two is back first
        await fleet.hear(50)
        assert await fleet.heard.reap() == 0
        await fleet.beat(fleet.silent)
        await fleet.hear(50)
        assert await fleet.heard.reap() == 0

    asyncio.run(Watched(redis_server).run(test))


def test_leases_of_a_frontier_that_sends_no_heartbeats_last_their_time(redis_server: RedisServer) -> None:
    async def test(fleet: Watched) -> None:
        await take(fleet.silent, 3)
        await fleet.hear(599)
        assert await fleet.heard.reap() == 0
        await fleet.hear(2)
        assert await fleet.heard.reap() == 3

    asyncio.run(Watched(redis_server).run(test))


def test_a_page_that_kills_its_workers_is_failed_in_the_end(redis_server: RedisServer) -> None:
    async def test(dead: RedisFrontier, alive: RedisFrontier) -> None:
        await alive.settle([Settlement(one, Outcome.DONE) for one in await take(alive, 5)])
        for death in range(MAX_EXPIRIES):
            (lease,) = await take(dead, 1)
            assert lease.attempt == death + 1
            assert (await alive.recover(dead.worker, None)).returned == 1
            await alive.discard(dead.worker)
        assert await alive.stats() == FrontierStats(done=5, failed=1)

    fleet(redis_server, test)


def test_a_worker_does_not_recover_itself(redis_server: RedisServer) -> None:
    async def test(dead: RedisFrontier, alive: RedisFrontier) -> None:
        with pytest.raises(FrontierError, match="this worker is alive"):
            await alive.recover(alive.worker, None)

    fleet(redis_server, test)


def test_a_crawl_begun_anew_is_told_from_the_earlier_one(redis_server: RedisServer) -> None:
    async def test(dead: RedisFrontier, alive: RedisFrontier) -> None:
        assert dead.epoch == alive.epoch != ""
        other = RedisFrontier(redis_server.url, crawl=f"{alive.crawl}, another", clock=lambda: NOW)
        await other.open()
        assert other.epoch != alive.epoch
        await other.close()

    fleet(redis_server, test)


def test_a_worker_that_closes_is_remembered_where_its_answer_is_not_safe(redis_server: RedisServer) -> None:
    async def test(dead: RedisFrontier, alive: RedisFrontier) -> None:
        for remembered, answer in ((True, (True,)), (False, None)):
            worker = RedisFrontier(redis_server.url, crawl=alive.crawl, clock=lambda: NOW)
            await worker.open()
            one, _two = await take(worker, 2)
            assert await worker.settle([Settlement(one, Outcome.DONE)]) == [True]
            worker.remembered = remembered
            await worker.close()
            assert await alive.recover(worker.worker, named(one)) == Recovered(0, answer)  # leases were given back

    fleet(redis_server, test)
