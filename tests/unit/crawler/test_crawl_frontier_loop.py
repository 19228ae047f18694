"""The loop between scheduler and frontier, over a frontier in memory."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from redis_kit import RedisServer

from focuscrawl.crawler.counters import CrawlCounters
from focuscrawl.crawler.frontier_loop import FrontierLoop
from focuscrawl.crawler.limits import Limits
from focuscrawl.crawler.loop_options import LoopOptions
from focuscrawl.errors import FocusCrawlError, FrontierError
from focuscrawl.frontier.base import Frontier
from focuscrawl.frontier.fleet import FleetTotals
from focuscrawl.frontier.memory import MemoryFrontier
from focuscrawl.frontier.redis import RedisFrontier
from focuscrawl.records import Entry, Lease, Outcome, Settlement


class Crawl:
    """The owner of a loop, and what the turns of the loop have brought."""

    def __init__(
        self,
        frontier: Frontier | None = None,
        *,
        concurrency: int = 4,
        buffer: int = 2,
        budget: int = 0,
        patience_s: float = math.inf,
        per_host: int = 100,
    ) -> None:
        self.frontier = frontier or MemoryFrontier()
        self.settled: list[Settlement] = []
        self.errors: list[FocusCrawlError] = []
        self.lost: list[Lease] = []
        self.counters = CrawlCounters()
        self.task = FrontierLoop(
            self.frontier,
            LoopOptions(concurrency=concurrency, buffer=buffer, per_host=per_host, lease_s=60.0, patience_s=patience_s),
            Limits(self.counters, pages=budget),
        )

    def start(self) -> None:
        self._running = asyncio.get_running_loop().create_task(self._run())

    async def _run(self) -> None:
        try:
            while not self.task.is_closing:
                turn = await self.task.turn()
                self.settled += turn.settled
                self.lost += turn.lost
                await self.task.wait()
        except FocusCrawlError as error:
            self.errors.append(error)

    async def close(self) -> None:
        self.task.close()
        await self._running
        self.settled += await self.task.finish()

    async def take(self) -> Lease:
        return await eventually(self.task.take)  # type: ignore[return-value]

    def done(self, lease: Lease, *found: Entry) -> bool:
        self.counters.pages += 1
        return self.task.settle(Settlement(lease, Outcome.DONE, found=found))


async def eventually(condition: Callable[[], Any], *, timeout_s: float = 5.0) -> Any:
    deadline = asyncio.get_running_loop().time() + timeout_s
    while not (result := condition()):
        assert asyncio.get_running_loop().time() < deadline, "it did not come true in time"
        await asyncio.sleep(0.001)
    return result


def entry(number: int, score: float = 0.5, host: str = "") -> Entry:
    return Entry(f"http://h{number}.example/", number, host or f"h{number}.example", score)


def run(test: Callable[[], Coroutine[Any, Any, None]]) -> None:
    asyncio.run(test())


def test_the_best_entry_comes_first_and_an_end_is_seen() -> None:
    async def test() -> None:
        crawl = Crawl()
        crawl.task.push([entry(1, 0.2), entry(2, 0.9), entry(3, 0.5)])
        crawl.start()
        scores = []
        for _ in range(3):
            lease = await crawl.take()
            scores.append(lease.entry.score)
            crawl.done(lease)
        assert scores == [0.9, 0.5, 0.2]
        await eventually(lambda: not crawl.task.has_work)
        assert len(crawl.settled) == 3
        await crawl.close()

    run(test)


def test_links_found_on_a_page_are_there_before_the_next_lease() -> None:
    async def test() -> None:
        crawl = Crawl(concurrency=1, buffer=1)
        crawl.task.push([entry(1, 1.0)])
        crawl.start()
        crawl.done(await crawl.take(), entry(2, 0.3), entry(3, 0.8))
        assert (await crawl.take()).entry.key == 3
        await crawl.close()

    run(test)


class SlowFrontier(MemoryFrontier):
    """Frontier over a network: a call of `lease` takes effect before its answer is there."""

    def __init__(self) -> None:
        super().__init__()
        self.asked, self.answer = asyncio.Event(), asyncio.Event()

    async def lease(self, n: int, **options: Any) -> list[Lease]:
        leases = await super().lease(n, **options)
        self.asked.set()
        await self.answer.wait()
        return leases


def test_a_pause_gives_back_what_is_being_leased() -> None:
    async def test() -> None:
        frontier = SlowFrontier()
        crawl = Crawl(frontier)
        await frontier.push([entry(1), entry(2)])
        crawl.start()
        await frontier.asked.wait()
        crawl.task.pause(True)
        frontier.answer.set()
        async with asyncio.timeout(5.0):
            while (await frontier.stats()).queued < 2:
                await asyncio.sleep(0)
        crawl.task.pause(False)
        assert (await crawl.take()).entry.key in (1, 2)
        await crawl.close()

    run(test)


def test_a_hold_gives_back_what_is_being_leased() -> None:
    async def test() -> None:
        frontier = SlowFrontier()
        crawl = Crawl(frontier)
        await frontier.push([entry(1, host="a.example"), entry(2, host="b.example")])
        crawl.start()
        await frontier.asked.wait()
        crawl.task.hold("a.example", hold_until=time.time() + 100)
        frontier.answer.set()
        assert (await crawl.take()).entry.key == 2
        async with asyncio.timeout(5.0):
            while (await frontier.stats()).queued < 1:
                await asyncio.sleep(0)
        assert crawl.task.take() is None
        await crawl.close()

    run(test)


def test_links_of_a_drained_host_wait_for_no_delay() -> None:
    async def test() -> None:
        crawl = Crawl(MemoryFrontier(delay_s=1000.0))
        crawl.task.push([entry(n, host="h.example") for n in range(1, 40)])
        crawl.start()
        crawl.done(await crawl.take())
        await eventually(lambda: crawl.settled)
        assert crawl.task.take() is None
        crawl.task.drain("h.example")
        for _ in range(38):
            crawl.done(await crawl.take())
        await eventually(lambda: not crawl.task.has_work)
        await crawl.close()

    run(test)


def test_a_better_lease_goes_before_those_that_wait() -> None:
    async def test() -> None:
        crawl = Crawl(concurrency=1, buffer=3)
        crawl.task.push([entry(n, 0.1) for n in range(1, 6)])
        crawl.start()
        first = await crawl.take()
        crawl.done(first, entry(9, 0.9))
        await eventually(lambda: crawl.settled)
        assert (await crawl.take()).entry.key == 9
        await crawl.close()

    run(test)


def test_a_lease_is_ended_once() -> None:
    async def test() -> None:
        crawl = Crawl()
        crawl.task.push([entry(1)])
        crawl.start()
        lease = await crawl.take()
        assert crawl.task.holds(lease)
        assert crawl.done(lease)
        assert not crawl.done(lease)
        assert not crawl.task.release(lease)
        assert not crawl.task.holds(lease)
        await crawl.close()
        assert (await crawl.frontier.stats()).done == 1

    run(test)


@pytest.mark.parametrize("budget", [1, 3, 7])
def test_no_more_is_under_way_than_the_budget_has_left(budget: int) -> None:
    async def test() -> None:
        crawl = Crawl(budget=budget, concurrency=4, buffer=4)
        crawl.task.push([entry(n) for n in range(1, 30)])
        crawl.start()
        for _ in range(budget):
            lease = await crawl.take()
            crawl.done(lease)
        await eventually(lambda: len(crawl.settled) == budget)
        for _ in range(20):
            await asyncio.sleep(0.001)
            assert crawl.task.take() is None
        await crawl.close()

    run(test)


def test_close_settles_what_is_done_and_gives_the_rest_back() -> None:
    async def test() -> None:
        crawl = Crawl()
        crawl.task.push([entry(n) for n in range(1, 11)])
        crawl.start()
        one, _two = await crawl.take(), await crawl.take()
        crawl.done(one, entry(20))
        await crawl.close()
        stats = await crawl.frontier.stats()
        assert (stats.done, stats.leased, stats.queued) == (1, 0, 10)
        # what was given back has its attempt left
        assert [lease.attempt for lease in await crawl.frontier.lease(20, worker="", per_host=1, lease_s=1)] == [1] * 10

    run(test)


def test_a_host_on_hold_takes_back_the_leases_that_wait() -> None:
    async def test() -> None:
        crawl = Crawl(concurrency=1, buffer=3)
        crawl.task.push([entry(1, 0.9, "a.example"), entry(2, 0.8, "a.example"), entry(3, 0.1, "b.example")])
        crawl.start()
        first = await crawl.take()
        assert first.entry.host == "a.example"
        crawl.task.hold("a.example", hold_until=time.time() + 1000)
        crawl.done(first)
        assert (await crawl.take()).entry.host == "b.example"
        await crawl.close()

    run(test)


def test_the_longer_of_two_holds_counts() -> None:
    async def test() -> None:
        crawl = Crawl()
        crawl.task.hold("a.example", hold_until=200.0)
        crawl.task.hold("a.example", hold_until=100.0, delay_s=3.0)
        crawl.task.hold("a.example", hold_until=150.0)
        assert crawl.task._noted._holds == {"a.example": (3.0, 200.0)}

    run(test)


def test_a_delay_wakes_the_loop_by_itself() -> None:
    async def test() -> None:
        crawl = Crawl(MemoryFrontier(delay_s=0.05))
        crawl.task.push([entry(n, host="a.example") for n in range(1, 4)])
        crawl.start()
        loop = asyncio.get_running_loop()
        start = loop.time()
        for _ in range(3):
            crawl.done(await crawl.take())
        assert 0.09 <= loop.time() - start < 2.0
        await crawl.close()

    run(test)


@pytest.mark.parametrize(("patience_s", "ends"), [(50.0, True), (500.0, False)])
def test_hosts_that_are_on_hold_for_long_do_not_keep_a_crawl_alive(patience_s: float, ends: bool) -> None:
    async def test() -> None:
        crawl = Crawl(patience_s=patience_s)
        crawl.task.push([entry(1, host="a.example"), entry(2, host="a.example")])
        crawl.start()
        first = await crawl.take()
        crawl.task.hold("a.example", hold_until=time.time() + 100)
        crawl.done(first)
        await eventually(lambda: crawl.settled)
        for _ in range(5):
            await asyncio.sleep(0.002)
        assert crawl.task.has_work is not ends
        await crawl.close()
        assert (await crawl.frontier.stats()).queued == 1

    run(test)


@pytest.mark.parametrize("answers", [False, True])
def test_short_holds_that_follow_each_other_count_as_one(answers: bool) -> None:
    async def test() -> None:
        now = [1000.0]
        frontier = MemoryFrontier(clock=lambda: now[0])
        options = LoopOptions(1, 0, 1, 600.0, patience_s=50.0)
        loop = FrontierLoop(frontier, options, Limits(CrawlCounters()), clock=lambda: now[0])
        await frontier.push([entry(number, host="a.example") for number in range(9)])
        has_work = []
        for _ in range(3):
            await loop.turn()
            lease = loop.take()
            assert lease is not None, "what is ready is worth a look"
            if answers:
                loop.settle(Settlement(lease, Outcome.REFUSED))
            else:
                loop.release(lease)
            loop.hold("a.example", hold_until=now[0] + 40.0)
            await loop.turn()
            has_work.append(loop.has_work)
            now[0] += 40.0
        assert has_work == [True, answers, answers]

    run(test)


def test_a_clock_that_jumps_is_no_wait() -> None:
    async def test() -> None:
        now = [1000.0]
        frontier = MemoryFrontier(clock=lambda: now[0])
        options = LoopOptions(1, 0, 1, 600.0, patience_s=50.0)
        loop = FrontierLoop(frontier, options, Limits(CrawlCounters()), clock=lambda: now[0])
        await frontier.push([entry(1)])
        for jump_s in (36_000.0, 0.0):
            await loop.turn()
            lease = loop.take()
            assert lease is not None
            loop.release(lease, delay_s=20.0)
            await loop.turn()
            assert loop.has_work
            now[0] += 20.0 + jump_s

    run(test)


def test_a_clock_that_is_set_back_stops_neither_renewals_nor_counts() -> None:
    async def test() -> None:
        now = [100_000.0]
        frontier = MemoryFrontier()  # of a server, whose clock goes on
        renewed: list[Lease] = []
        renew = frontier.renew

        async def noted(leases: Sequence[Lease], lease_s: float) -> int:
            renewed.extend(leases)
            return await renew(leases, lease_s)

        frontier.renew = noted  # type: ignore[method-assign]
        options = LoopOptions(1, 0, 1, 60.0)
        loop = FrontierLoop(frontier, options, Limits(CrawlCounters()), clock=lambda: now[0])
        await frontier.push([entry(1)])
        await loop.turn()
        lease = loop.take()
        assert lease is not None
        now[0] -= 3600.0
        await frontier.push([entry(2), entry(3)])
        await loop.turn()
        assert (renewed, loop.queued) == ([lease], 2)
        now[0] += 29.0
        await loop.turn()
        assert renewed == [lease]
        now[0] += 2.0
        await loop.turn()
        assert renewed == [lease, lease]

    run(test)


def test_a_lease_that_was_renewed_too_often_is_lost() -> None:
    async def test() -> None:
        now = [1000.0]
        frontier = MemoryFrontier(clock=lambda: now[0])
        loop = FrontierLoop(frontier, LoopOptions(4, 2, 100, 60.0), Limits(CrawlCounters()), clock=lambda: now[0])
        await frontier.push([entry(1)])
        await loop.turn()
        lease = loop.take()
        for _ in range(8):
            now[0] += 31.0
            assert not (await loop.turn()).lost
        now[0] += 31.0
        assert (await loop.turn()).lost == [lease]

    run(test)


def test_a_frontier_that_fails_ends_the_work_and_is_reported_once() -> None:
    class Full(MemoryFrontier):
        async def settle(self, settlements: Sequence[Settlement]) -> list[bool]:
            raise FrontierError("crawl.db: the disk is full.")

    async def test() -> None:
        crawl = Crawl(Full())
        crawl.task.push([entry(1), entry(2)])
        crawl.start()
        crawl.done(await crawl.take())
        await eventually(lambda: crawl.errors)
        assert [str(error) for error in crawl.errors] == ["crawl.db: the disk is full."]
        assert not crawl.task.has_work
        await crawl.close()

    run(test)


def test_a_settlement_that_comes_too_late_is_not_among_the_settled() -> None:
    async def test() -> None:
        now = [1000.0]
        crawl = Crawl(MemoryFrontier(clock=lambda: now[0]))
        crawl.task.push([entry(1), entry(2)])
        crawl.start()
        late, valid = await crawl.take(), await crawl.take()
        await crawl.frontier.renew([valid], 1000.0)
        now[0] += 61.0
        assert await crawl.frontier.reap() == 1
        crawl.done(late)
        crawl.done(valid)
        await eventually(lambda: crawl.settled)
        assert [one.lease for one in crawl.settled] == [valid]
        await crawl.close()

    run(test)


def test_settlements_that_gather_share_a_transaction() -> None:
    class Counting(MemoryFrontier):
        calls = 0

        async def settle(self, settlements: Sequence[Settlement]) -> list[bool]:
            self.calls += 1
            await asyncio.sleep(0.01)
            return await super().settle(settlements)

    async def test() -> None:
        frontier = Counting()
        crawl = Crawl(frontier, concurrency=20, buffer=10)
        crawl.task.push([entry(n) for n in range(1, 21)])
        crawl.start()
        leases = [await crawl.take() for _ in range(20)]
        for lease in leases:
            crawl.done(lease)
        await eventually(lambda: len(crawl.settled) == 20)
        assert frontier.calls <= 3
        await crawl.close()

    run(test)


# -------------------------------------------------------------------------------------------------------- of a fleet


def test_a_worker_of_a_fleet_ends_when_nobody_can_bring_links_any_more(
    redis_server: RedisServer, tmp_path: Path
) -> None:
    async def totals(frontier: RedisFrontier) -> FleetTotals:
        return FleetTotals.of(await frontier._run("totals"))

    async def test() -> None:
        ours, other = (RedisFrontier(redis_server.url, crawl=tmp_path.name) for _ in range(2))
        await ours.open()
        await other.open()
        await other.push([entry(1)])
        (held,) = await other.lease(1, worker="", per_host=9, lease_s=60.0)
        crawl = Crawl(ours)
        crawl.start()
        await eventually(lambda: crawl.task._ready_at is None and not crawl.task._busy)
        assert crawl.task.has_work  # nothing is known of the others
        crawl.task.take_totals(await totals(ours), changes=crawl.task.changes)
        assert crawl.task.has_work  # one holds a lease
        await other.settle([Settlement(held, Outcome.DONE, found=[entry(2)])])
        crawl.task.take_totals(await totals(ours), changes=crawl.task.changes)
        lease = await crawl.take()  # found by the other, looked for at once
        before, changes = await totals(other), crawl.task.changes
        crawl.done(lease)
        await eventually(lambda: crawl.settled)
        await eventually(lambda: not crawl.task._busy)
        empty = replace(before, stats=replace(before.stats, queued=0, leased=0))
        crawl.task.take_totals(empty, changes=changes)
        assert crawl.task.has_work  # asked for before this worker has settled, and brought links perhaps
        assert not crawl.task.is_ready
        crawl.task.take_totals(await totals(ours), changes=crawl.task.changes)
        assert not crawl.task.has_work
        assert crawl.task.is_ready
        await crawl.close()
        await ours.close()
        await other.close()

    run(test)


def test_a_worker_of_a_fleet_stays_while_others_fetch_from_the_only_host(
    redis_server: RedisServer, tmp_path: Path
) -> None:
    async def test() -> None:
        ours, other = (RedisFrontier(redis_server.url, crawl=tmp_path.name) for _ in range(2))
        await ours.open()
        await other.open()
        await other.push([replace(entry(n), host="a.example") for n in range(1, 5)])
        await other.set_host("a.example", delay_s=0.001)
        (first,) = await other.lease(1, worker="", per_host=1, lease_s=600.0)
        crawl = Crawl(ours, per_host=1, patience_s=300.0)
        crawl.start()

        def waits_for_long() -> bool:
            ready_at = crawl.task._ready_at
            return ready_at is not None and ready_at > time.time() + 300 and not crawl.task._busy

        await eventually(waits_for_long)
        await other.settle([Settlement(first, Outcome.DONE)])
        between = FleetTotals.of(await other._run("totals"))
        assert between.stats.leased == 0
        while not await other.lease(1, worker="", per_host=1, lease_s=600.0):
            pass  # the delay of the host
        crawl.task.take_totals(between, changes=crawl.task.changes)
        await eventually(waits_for_long)
        assert crawl.task.has_work, "others have ended a link, and lease another"
        crawl.task.take_totals(between, changes=crawl.task.changes)
        assert not crawl.task.has_work, "nobody holds a lease, and nothing has moved since the host was looked at"
        await crawl.close()
        await ours.close()
        await other.close()

    run(test)


def test_a_worker_of_a_round_that_finds_no_visit_waits_until_the_round_is_over(
    redis_server: RedisServer, tmp_path: Path
) -> None:
    async def test() -> None:
        ours = RedisFrontier(redis_server.url, crawl=tmp_path.name)
        await ours.open()
        await ours.push([entry(1)])  # a link, which waits for the end of the visits
        ours.only_visits = True
        crawl = Crawl(ours)
        crawl.start()

        def found_nothing() -> bool:
            return crawl.task._ready_at is None and not crawl.task._busy

        await eventually(found_nothing)
        totals = FleetTotals.of(await ours._run("totals"))
        assert (totals.stats.leased, totals.stats.queued) == (0, 1)
        crawl.task.take_totals(totals, changes=crawl.task.changes)
        await eventually(found_nothing)
        assert crawl.task.has_work
        ours.only_visits = False
        crawl.task.push(())
        assert (await crawl.take()).entry.key == entry(1).key
        await crawl.close()
        await ours.close()

    run(test)


def test_a_hold_is_not_shortened_by_a_later_one() -> None:
    async def test() -> None:
        frontier = MemoryFrontier(clock=lambda: 1000.0)
        loop = FrontierLoop(frontier, LoopOptions(4, 2, 100, 60.0), Limits(CrawlCounters()), clock=lambda: 1000.0)
        await frontier.push([entry(1)])
        loop.hold("h1.example", hold_until=4600.0)  # its Retry-After
        await loop.turn()
        loop.hold("h1.example", hold_until=1002.0)  # another page of it redirects, or it has failed twice
        await loop.turn()
        assert loop.take() is None
        assert await frontier.next_ready_at() == 4600.0
        loop.drain("h1.example")
        await loop.turn()
        assert loop.take() is not None

    run(test)


def test_a_lease_that_goes_back_with_a_hold_is_not_taken_before_the_hold_is_there() -> None:
    async def test() -> None:
        class Slow(MemoryFrontier):
            """Calls `meanwhile` while a host is held."""

            meanwhile: Callable[[], None] | None = None

            async def keep_host(
                self, host: str, *, delay_s: float | None = None, hold_until: float | None = None
            ) -> None:
                if self.meanwhile is not None:
                    meanwhile, self.meanwhile = self.meanwhile, None
                    meanwhile()
                await super().keep_host(host, delay_s=delay_s, hold_until=hold_until)

        frontier = Slow()
        crawl = Crawl(frontier)
        crawl.task.push([entry(1)])
        crawl.start()
        lease = await crawl.take()

        def put_off() -> None:
            crawl.task.hold(lease.entry.host, hold_until=time.time() + 1000.0)
            crawl.task.release(lease)

        frontier.meanwhile = put_off
        crawl.task.hold("other.example", delay_s=1.0)
        await eventually(lambda: frontier.meanwhile is None)
        for _ in range(20):
            await asyncio.sleep(0.001)
            assert crawl.task.take() is None
        await crawl.close()

    run(test)
