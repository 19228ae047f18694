"""A crawl over several real servers: a server that goes, the budget, recovery, moves, and the order of leases."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

import pytest
from redis_kit import LosingClient, RedisServer, running_redis

from focuscrawl.errors import ConfigError, ServerAwayError
from focuscrawl.fleet.channel import HeartbeatReport, WorkerStatus
from focuscrawl.fleet.commands import Pause
from focuscrawl.fleet.crawl_place import open_channel
from focuscrawl.fleet.partitioned_channel import PartitionedChannel, make_channel
from focuscrawl.fleet.redis_channel import RedisChannel
from focuscrawl.frontier import partition_slot
from focuscrawl.frontier.base import Pushed
from focuscrawl.frontier.partition import Partition, crawl_of, partition_of
from focuscrawl.frontier.partition_move import move_partition
from focuscrawl.frontier.partitioned import PartitionedFrontier
from focuscrawl.frontier.redis_calls import Calls, connect
from focuscrawl.frontier.redis_url import servers_of, without_secret
from focuscrawl.page.urls import registered_domain
from focuscrawl.records import Entry, Lease, Outcome, PageRecord, Settlement
from focuscrawl.types import GroupKey, digest64

PARTITIONS = 6


def entry(domain: int, number: int, score: float = 0.5) -> Entry:
    url = f"http://www.d{domain}.org/{number}"
    return Entry(url, digest64(url), f"www.d{domain}.org", score)


def of(domain: int) -> int:
    return partition_of(f"d{domain}.org", PARTITIONS)


def page(lease: Lease, found: Sequence[Entry] = ()) -> Settlement:
    entry = lease.entry
    record = PageRecord(key=entry.key, url=entry.url, final_url=entry.url, host=entry.host, fetched_at=1.0, status=200)
    return Settlement(lease, Outcome.DONE, found, record=record)


def frontier_of(servers: Sequence[RedisServer], **more: object) -> PartitionedFrontier:
    location = ",".join(server.url for server in servers)
    return PartitionedFrontier(location, **{"crawl": "c", "partitions": PARTITIONS, **more})  # type: ignore[arg-type]


async def take(frontier: PartitionedFrontier, n: int, per_host: int = 1) -> list[Lease]:
    return await frontier.lease(n, worker="", per_host=per_host, lease_s=600.0)


def started(stack: ExitStack, count: int, *options: str) -> list[RedisServer]:
    return [stack.enter_context(running_redis(*options)) for _ in range(count)]


def test_a_killed_server_stops_only_its_partitions_and_loses_nothing() -> None:
    async def work(servers: list[RedisServer]) -> None:
        frontier = frontier_of(servers)
        await frontier.open()
        gone = {number for number in range(PARTITIONS) if number % 3 == 2}  # those of the third server
        lost, there = ([d for d in range(60) if (of(d) in gone) is inside] for inside in (True, False))
        assert await frontier.push([entry(d, 0) for d in range(60)]) == Pushed(added=60)
        held = {lease.entry.host: lease for lease in await take(frontier, 60)}
        assert len(held) == 60
        servers[2].stop(kill=True)
        # Pages of the others are settled, with links to all; a page of the dead server is not: once it is back the page
        # is in its queue again, and what is still being fetched is leased.
        settlements = [page(held[f"www.d{d}.org"], [entry(d, 1), entry(lost[0], 100 + d)]) for d in there]
        settlements.append(page(held[f"www.d{lost[1]}.org"]))
        assert await frontier.settle(settlements) == [True] * len(there) + [False]
        leases = await take(frontier, 100)
        assert {lease.entry.url for lease in leases} == {entry(d, 1).url for d in there}
        assert await frontier.next_ready_at() is not None  # something may come from it
        servers[2].start()

        async def back() -> bool:
            stats = await frontier.stats()
            return stats.queued == len(there) + 1 and stats.leased == len(lost) - 1 + len(there)

        async with asyncio.timeout(60.0):
            while not await back():
                await asyncio.sleep(0.05)
        found = [one.url async for one in frontier.entries()]
        assert sorted(found) == sorted([entry(lost[1], 0).url, *(entry(lost[0], 100 + d).url for d in there)])
        in_flight = [page(held[f"www.d{d}.org"]) for d in lost if d != lost[1]]
        assert await frontier.settle([page(held[f"www.d{lost[1]}.org"]), *in_flight]) == [
            False,
            *[True] * len(in_flight),
        ]
        again = {lease.entry.url: lease for lease in await take(frontier, 100)}
        assert await frontier.settle([page(again[entry(lost[1], 0).url])]) == [True]
        assert (await frontier.totals()).pages == 60
        await frontier.close()

    with ExitStack() as stack:
        asyncio.run(work(started(stack, 3, "--appendonly", "yes", "--appendfsync", "always")))


def test_a_connection_that_breaks_loses_no_answer(redis_server: RedisServer) -> None:
    async def work() -> None:
        frontier = frontier_of([redis_server, redis_server], crawl="broken")
        await frontier.open()
        await frontier.push([entry(0, n) for n in range(3)])
        # Both scripts are on the server then: the first call is the one that is cut.
        assert await frontier.settle([page(lease) for lease in await take(frontier, 1)]) == [True]

        def lose(script: str) -> None:
            partition = frontier._slots[of(0)]._partition
            assert partition is not None
            calls = partition._opened()
            calls.client = LosingClient(calls.client, script)

        lose("lease")
        (lease, _) = await take(frontier, 2, per_host=2)
        lose("settle")
        assert await frontier.settle([page(lease)]) == [True]
        stats = await frontier.stats()
        assert (stats.queued, stats.leased, stats.done) == (0, 1, 2)
        await frontier.close()

    asyncio.run(work())


def test_what_a_server_did_just_before_it_went_is_undone(redis_server: RedisServer) -> None:
    """A worker that never has the answer keeps no page and fetches no link of that call."""

    async def work() -> None:
        frontier = frontier_of([redis_server, redis_server], crawl="undone")
        await frontier.open()
        await frontier.push([entry(0, n) for n in range(4)])
        assert await frontier.settle([page(lease) for lease in await take(frontier, 1)]) == [True]

        def go_after(script: str) -> None:
            partition = frontier._slots[of(0)]._partition
            assert partition is not None
            calls = partition._opened()
            calls.client = LosingClient(calls.client, script, for_good=True)

        async def back(queued: int, done: int) -> None:
            async with asyncio.timeout(30.0):
                while True:
                    stats = await frontier.stats()
                    if (stats.queued, stats.leased, stats.done) == (queued, 0, done):
                        return
                    await asyncio.sleep(0.05)

        go_after("lease")
        assert await take(frontier, 2, per_host=2) == []
        await back(3, 1)
        leases = await take(frontier, 2, per_host=2)
        go_after("settle")
        assert await frontier.settle([page(lease, [entry(0, 9)]) for lease in leases]) == [False, False]
        await back(4, 1)
        totals = await frontier.totals()
        assert (totals.pages, totals.stats.hosts) == (1, 1)
        leases = await take(frontier, 4, per_host=4)
        assert {lease.entry.url for lease in leases} == {entry(0, n).url for n in (0, 1, 2, 3, 9)} - {entry(0, 0).url}
        assert await frontier.settle([page(lease) for lease in leases]) == [True] * 4
        await back(0, 5)
        await frontier.close()

    asyncio.run(work())


def test_links_of_a_page_are_not_lost_when_its_server_is_back_the_next_moment(
    redis_server: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its server is away when the links to other partitions are to be queued, and back when the page is settled."""

    async def work() -> None:
        frontier = frontier_of([redis_server, redis_server], crawl="blink")
        await frontier.open()
        there = next(d for d in range(60) if of(d) != of(0))
        await frontier.push([entry(0, 0)])
        (lease,) = await take(frontier, 1)
        left = [2]
        renew = Partition.renew

        async def away(self: Partition, leases: Sequence[Lease], lease_s: float) -> int:
            left[0] -= 1
            if left[0] >= 0:
                raise ServerAwayError("gone for a moment")
            return await renew(self, leases, lease_s)

        monkeypatch.setattr(Partition, "renew", away)
        monkeypatch.setattr(partition_slot, "RETRY_S", 0.0)
        settled = await frontier.settle([page(lease, [entry(there, 1)])])
        while not settled[0]:
            (lease,) = await take(frontier, 1)
            assert lease.entry.url == entry(0, 0).url
            settled = await frontier.settle([page(lease, [entry(there, 1)])])
        assert [one.entry.url for one in await take(frontier, 9)] == [entry(there, 1).url]
        await frontier.close()

    asyncio.run(work())


def test_calls_that_wait_for_each_other_as_their_server_goes_end_none() -> None:
    """One finds it away and leaves it; those behind it find no connection."""

    async def work(servers: list[RedisServer]) -> None:
        frontier = frontier_of(servers)
        await frontier.open()
        mine = [d for d in range(60) if of(d) % 2 == 1][:6]  # on the second server
        await frontier.push([entry(d, 0) for d in mine])
        leases = await take(frontier, 1)
        servers[1].stop(kill=True)
        settled, *_ = await asyncio.gather(
            frontier.settle([page(lease) for lease in leases]),
            frontier.stats(),
            frontier.reap(),
            frontier.next_ready_at(),
            take(frontier, 2),
        )
        assert settled == [False]
        servers[1].start()
        async with asyncio.timeout(60.0):
            while (await frontier.stats()).queued != len(mine):
                await asyncio.sleep(0.05)
        assert len(await take(frontier, 60)) == len(mine)
        await frontier.close()

    with ExitStack() as stack:
        asyncio.run(work(started(stack, 2, "--appendonly", "yes", "--appendfsync", "always")))


def test_leases_given_back_while_their_server_is_away_go_back_once_it_is_there() -> None:
    async def work(servers: list[RedisServer]) -> None:
        frontier = frontier_of(servers)
        await frontier.open()
        mine = next(d for d in range(60) if of(d) % 2 == 1)  # on the second server
        await frontier.push([entry(mine, 0)])
        leases = await take(frontier, 1)
        servers[1].stop(kill=True)
        assert await frontier.release(leases) == 0
        servers[1].start()
        async with asyncio.timeout(60.0):
            while (await frontier.stats()).queued != 1:
                await asyncio.sleep(0.05)
        await frontier.close()

    with ExitStack() as stack:
        asyncio.run(work(started(stack, 2, "--appendonly", "yes", "--appendfsync", "always")))


def test_scores_told_while_a_server_is_away_outlast_another_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    async def work(servers: list[RedisServer]) -> None:
        frontier = frontier_of(servers)
        await frontier.open()
        mine = [d for d in range(40) if of(d) % 2 == 1]  # on the second server
        await frontier.push([replace(entry(d, 0, d / 100.0), group=f"g{d}") for d in mine])
        servers[1].stop(kill=True)
        await frontier.set_offsets({f"g{mine[0]}": 1.0})
        servers[1].start()
        failed = []
        told = Partition.set_offsets

        async def fail_once(self: Partition, offsets: Mapping[GroupKey, float]) -> int:
            if not failed:
                failed.append(self)
                raise ServerAwayError("gone again")
            return await told(self, offsets)

        monkeypatch.setattr(Partition, "set_offsets", fail_once)
        async with asyncio.timeout(60.0):
            while not failed or (await frontier.stats()).queued < len(mine):
                await asyncio.sleep(0.05)
                await frontier.stats()
        (lease,) = await take(frontier, 1)
        assert lease.entry.host == f"www.d{mine[0]}.org"
        await frontier.close()

    with ExitStack() as stack:
        asyncio.run(work(started(stack, 2, "--appendonly", "yes", "--appendfsync", "always")))


def test_a_server_that_comes_back_empty_is_not_begun_anew(caplog: pytest.LogCaptureFixture) -> None:
    async def work(servers: list[RedisServer]) -> None:
        frontier = frontier_of(servers, patience_s=0.0)
        await frontier.open()
        await frontier.push([entry(d, 0) for d in range(20)])
        servers[1].stop(kill=True)
        servers[1].start()
        own = [d for d in range(20) if of(d) % 2 == 0]
        leases = await take(frontier, 20)
        assert {lease.entry.host for lease in leases} == {f"www.d{d}.org" for d in own}
        assert "is away" in caplog.text
        assert await frontier.settle([page(lease) for lease in leases]) == [True] * len(own)
        async with asyncio.timeout(60.0):
            while "is not on this server" not in caplog.text:
                await asyncio.sleep(0.05)
                await frontier.stats()
        with pytest.raises(ServerAwayError, match="All links that are left are in its partitions"):
            await frontier.next_ready_at()
        await frontier.close()
        again = frontier_of(servers)
        await again.open()
        assert len([slot async for slot in again.entries()]) == 0
        await again.close()

    with ExitStack() as stack:
        asyncio.run(work(started(stack, 2)))


@pytest.mark.parametrize("delay_s", [0.0, 900.0])
def test_the_best_of_all_servers_come_first(delay_s: float) -> None:
    async def work(servers: list[RedisServer]) -> None:
        frontier = frontier_of(servers, delay_s=delay_s)
        await frontier.open()
        draw = random.Random(1)
        entries = [entry(d, number, draw.random()) for d in range(40) for number in range(3)]
        await frontier.push(entries)
        per_host = 1 if delay_s else 3
        best = sorted(entries, key=lambda one: -one.score)
        if delay_s:  # one of each host
            best = [one for at, one in enumerate(best) if one.host not in {other.host for other in best[:at]}]
        taken = [lease.entry.url for _ in range(4) for lease in await take(frontier, 10, per_host)]
        assert taken == [one.url for one in best[:40]]
        assert [one.score async for one in frontier.entries(limit=5)] == sorted(
            (one.score for one in entries if one.url not in taken), reverse=True
        )[:5]
        await frontier.close()

    with ExitStack() as stack:
        asyncio.run(work(started(stack, 2)))


def test_the_budget_is_one_and_used_to_the_last_page(redis_server: RedisServer) -> None:
    async def work() -> None:
        workers = [frontier_of([redis_server, redis_server], crawl="budget") for _ in range(3)]
        for worker in workers:
            await worker.open()
        await workers[0].push([entry(d, number) for d in range(30) for number in range(4)])

        async def crawl(worker: PartitionedFrontier, limit: int, n: int) -> int:
            worker.page_limit = limit
            leases = await take(worker, n)
            return sum(await worker.settle([page(lease) for lease in leases]))

        async def totals() -> int:
            return (await workers[1].totals()).pages

        assert await crawl(workers[0], 0, 7) == 7  # without a limit
        pages = 7
        for _ in range(40):  # workers that ask at once get in each other's way
            before, pages = pages, (await asyncio.gather(*(crawl(worker, 50, 5) for worker in workers), totals()))[-1]
            assert before <= pages <= 50
        assert await totals() == 50
        assert await crawl(workers[1], 40, 5) == 0  # lowered
        for _ in range(4):
            await crawl(workers[2], 60, 5)  # raised
        assert await totals() == 60
        ready = await workers[0].next_ready_at()
        assert ready is not None
        for worker in workers:
            await worker.close()

    asyncio.run(work())


def test_pages_promised_to_a_worker_that_died_are_fetched_a_minute_later(
    redis_server: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def dies(*_: object) -> None:
        raise ServerAwayError("before the quota has what was promised")

    async def work() -> None:
        now = time.time()
        frontier = frontier_of([redis_server], crawl="lost-pages", clock=lambda: now)
        await frontier.open()
        await frontier.push([entry(domain, 0) for domain in range(60)])
        frontier.page_limit = 20
        with monkeypatch.context() as patched:
            patched.setattr(Partition, "add_quota", dies)
            assert not await take(frontier, 6)

        async def crawl(pages: int) -> None:
            async with asyncio.timeout(30.0):
                while (await frontier.totals()).pages < pages:
                    await frontier.settle([page(lease) for lease in await take(frontier, 20)])
                    await asyncio.sleep(0.05)  # a partition that is away is looked for once a second
            assert not await take(frontier, 20)

        await crawl(14)
        now += 30.0
        await crawl(14)  # the others may be on their way to a quota
        now += 31.0
        await crawl(20)
        await frontier.close()

    asyncio.run(work())


def test_pages_fetched_without_a_budget_count_in_one_set_later(redis_server: RedisServer) -> None:
    here = [domain for domain in range(200) if of(domain) == 0]
    there = [domain for domain in range(200) if of(domain) == 1]

    async def work() -> None:
        frontier = frontier_of([redis_server], crawl="late-budget")
        await frontier.open()
        await frontier.push([entry(domain, 0) for domain in here[:7]])
        await frontier.settle([page(lease) for lease in await take(frontier, 7)])
        await frontier.push([entry(domain, 0) for domain in there[:9]])
        frontier.page_limit = 10
        assert len(await take(frontier, 9)) == 3
        ready = await frontier.next_ready_at()
        assert ready is not None
        assert ready > time.time(), "nothing to ask for over and over"
        await frontier.close()

    asyncio.run(work())


def test_what_is_left_of_a_budget_that_was_lowered_is_not_fetched(redis_server: RedisServer) -> None:
    async def work() -> None:
        frontier = frontier_of([redis_server], crawl="lowered")
        await frontier.open()
        await frontier.push([entry(domain, 0) for domain in range(60)])
        frontier.page_limit = 50
        assert await frontier.release(await take(frontier, 20)) == 20
        frontier.page_limit = 5
        assert len(await take(frontier, 20)) == 5
        await frontier.close()

    asyncio.run(work())


def test_what_a_dead_worker_has_settled_is_known(redis_server: RedisServer) -> None:
    async def work() -> None:
        dead = frontier_of([redis_server, redis_server], crawl="dead")
        await dead.open()
        await dead.push([entry(d, 0) for d in range(12)])
        leases = await take(dead, 12)
        await dead.settle([page(leases[0]), page(leases[1])])
        last = [page(leases[at], [entry(99, at)]) for at in range(2, 8)]
        assert await dead.settle(last) == [True] * 6
        first = (last[0].lease.entry.key, last[0].lease.token)
        epoch = dead.epoch
        await dead.disconnect()
        alive = frontier_of([redis_server, redis_server], crawl="dead")
        await alive.open()
        assert alive.epoch == epoch
        for _ in range(2):  # the same answer until it is discarded
            recovered = await alive.recover(dead.worker, first)
            assert recovered.settled == (True,) * 6
            assert recovered.returned == 4
        assert (await alive.recover(dead.worker, (1, 1))).settled is None
        await alive.discard(dead.worker)
        assert (await alive.recover(dead.worker, first)).settled is None
        assert len(await take(alive, 20)) == 5  # the four that were leased, and one of the links found
        await alive.close()

    asyncio.run(work())


@pytest.mark.parametrize("back", [True, False])
def test_a_worker_that_goes_on_waits_for_a_server_that_is_away(back: bool) -> None:
    async def work(servers: list[RedisServer]) -> None:
        dead = frontier_of(servers)
        await dead.open()
        await dead.push([entry(d, 0) for d in range(12)])
        assert len(await take(dead, 12)) == 12
        await dead.disconnect()
        servers[1].stop(kill=True)
        alive = frontier_of(servers, patience_s=30.0 if back else 0.1)
        await alive.open()
        recovery = asyncio.create_task(alive.recover(dead.worker, None))
        if back:
            await asyncio.sleep(0)
            servers[1].start()
            assert (await recovery).returned == 12
        else:
            with pytest.raises(ServerAwayError, match=r"goes on in its run folder when all servers are there\.$"):
                await recovery
        await alive.close()

    with ExitStack() as stack:
        asyncio.run(work(started(stack, 2, "--appendonly", "yes", "--appendfsync", "always")))


def test_a_partition_is_moved_while_workers_go_on(caplog: pytest.LogCaptureFixture) -> None:
    async def work(servers: list[RedisServer]) -> None:
        frontier = frontier_of(servers)
        await frontier.open()
        await frontier.push([entry(d, 0) for d in range(40)])
        held = await take(frontier, 40)
        moved = of(0)
        source, target = (servers[moved % 2], servers[1 - moved % 2])
        control, there, here = (
            Calls(connect(server.url, {}), server.url, prefix, patience_s=1.0)
            for server, prefix in (
                (servers[0], "{fc:c}:"),
                (source, f"{{fc:{crawl_of('c', moved)}}}:"),
                (target, f"{{fc:{crawl_of('c', moved)}}}:"),
            )
        )
        both = {without_secret(source.url): there, without_secret(target.url): here}
        for _ in range(2):  # the second time it stays where it is
            assert await move_partition(control, both, number=moved, place=without_secret(target.url)) > 3
        assert not [key async for key in there.client.scan_iter(match=f"{there.prefix[:-1]}*")]
        caplog.clear()
        own = [lease for lease in held if partition_of(registered_domain(lease.entry.host), PARTITIONS) == moved]
        async with asyncio.timeout(60.0):
            while not await frontier.renew(own[:1], 600.0):
                await asyncio.sleep(0.05)
        (line,) = [record.getMessage() for record in caplog.records if "is away" in record.getMessage()]
        assert line.startswith(f"partition {moved} is away: ")
        assert line.endswith(
            "is not on this server (any more): it is being moved, or the server was restarted empty, or flushed."
        )
        assert await frontier.settle([page(lease) for lease in held]) == [True] * 40
        channel = PartitionedChannel(",".join(server.url for server in servers), crawl="c")
        await channel.open()
        assert (await channel.totals()).pages == 40
        await channel.close()
        await frontier.close()
        for calls in (control, there, here):
            await calls.close()

    with ExitStack() as stack:
        asyncio.run(work(started(stack, 2)))


def test_a_move_that_broke_off_at_its_end_leaves_what_was_done_since() -> None:
    async def work(servers: list[RedisServer]) -> None:
        moved = of(0)
        prefix = f"{{fc:{crawl_of('c', moved)}}}:"
        sides = [Calls(connect(server.url, {}), server.url, prefix, patience_s=1.0) for server in servers]
        source, target = sides[moved % 2], sides[1 - moved % 2]
        both = {without_secret(side.shown): side for side in sides}
        control = Calls(sides[0].client, sides[0].shown, "{fc:c}:", patience_s=1.0)
        place = without_secret(target.shown)
        frontier = frontier_of(servers)
        await frontier.open()
        await frontier.push([entry(0, 0), entry(0, 1)])
        assert await move_partition(control, both, number=moved, place=without_secret(source.shown)) > 3  # it is there

        class Breaking:
            """Client of the source that goes before it has deleted anything."""

            def __getattr__(self, name: str) -> Any:
                if name == "unlink":
                    raise RuntimeError("broken off")
                return getattr(source.client, name)

        broken = Calls(source.client, source.shown, prefix, patience_s=1.0)
        broken.client = Breaking()
        with pytest.raises(RuntimeError, match="broken off"):
            await move_partition(control, {**both, without_secret(source.shown): broken}, number=moved, place=place)
        leases: list[Lease] = []
        async with asyncio.timeout(60.0):
            while not (leases := [*leases, *await take(frontier, 1)]):
                await asyncio.sleep(0.05)
        assert await frontier.settle([page(lease) for lease in leases]) == [True]
        await move_partition(control, both, number=moved, place=place)
        assert not [key async for key in source.client.scan_iter(match=f"{prefix[:-1]}*")]
        totals = await frontier.totals()
        assert (totals.pages, totals.stats.queued) == (1, 1)
        await frontier.close()
        for side in sides:
            await side.close()

    with ExitStack() as stack:
        asyncio.run(work(started(stack, 2)))


def test_callers_at_once_find_a_moved_partition_and_leave_no_connection() -> None:
    async def work(servers: list[RedisServer]) -> None:
        frontier = frontier_of(servers, patience_s=5.0)
        await frontier.open()
        await frontier.push([entry(d, 0) for d in range(40)])
        await frontier.close()
        prefix = f"{{fc:{crawl_of('c', 0)}}}:"
        here, there = (Calls(connect(server.url, {}), server.url, prefix, patience_s=1.0) for server in servers)
        control = Calls(here.client, here.shown, "{fc:c}:", patience_s=1.0)

        async def connections() -> list[int]:
            return [len(await side.client.client_list()) for side in (here, there)]

        channel = PartitionedChannel(",".join(server.url for server in servers), crawl="c")
        await channel.open()
        assert (await channel.totals()).stats.queued == 40
        both = {without_secret(server.url): side for server, side in zip(servers, (here, there), strict=True)}
        await move_partition(control, both, number=0, place=without_secret(servers[1].url))
        for _ in range(2):  # that it is gone, then where it is
            found = await asyncio.gather(*(channel.totals() for _ in range(4)))
        assert [totals.stats.queued for totals in found] == [40] * 4
        await channel.close()
        async with asyncio.timeout(60.0):
            while await connections() != [1, 1]:  # that which counts them
                await asyncio.sleep(0.05)
        await here.close()
        await there.close()

    with ExitStack() as stack:
        asyncio.run(work(started(stack, 2)))


def test_commands_and_totals_are_those_of_all_servers(redis_server: RedisServer) -> None:
    async def work() -> None:
        url = f"{redis_server.url},{redis_server.url}"
        frontier = frontier_of([redis_server, redis_server], crawl="totals", delay_s=900.0)
        await frontier.open()
        await frontier.push([entry(d, number) for d in range(10) for number in range(2)])
        leases = await take(frontier, 10)
        await frontier.settle([page(lease) for lease in leases])
        worker = make_channel(url, crawl="totals", worker="w")
        await worker.open()
        beat = await worker.heartbeat(HeartbeatReport(WorkerStatus(topic="tea")))
        assert beat.totals is not None
        assert (beat.totals.pages, beat.totals.stats.queued, beat.totals.stats.leased) == (10, 10, 0)
        people = await open_channel(url, "totals")
        await people.give(Pause())
        assert len((await worker.heartbeat(HeartbeatReport())).commands) == 1
        assert (await people.totals()).pages == 10
        assert sum([len(batch) async for batch in people.queued()]) == 10
        assert "10 hosts, which are asked" in (await people.waiting()).reason(idle=False)
        assert "totals" in await people.crawls()
        assert not [name for name in await people.crawls() if "~" in name]
        alone = RedisChannel(redis_server.url, crawl="totals")
        with pytest.raises(ConfigError, match="is on several servers; name them all"):
            await alone.open()
        for one in (worker, people, alone):
            await one.close()
        await frontier.close()

    asyncio.run(work())


def test_a_partition_on_a_server_that_is_not_named_is_an_error(redis_server: RedisServer) -> None:
    async def work(other: RedisServer) -> None:
        frontier = frontier_of([redis_server, other], crawl="named")
        await frontier.open()
        await frontier.close()
        fewer = frontier_of([redis_server, redis_server], crawl="named")
        with pytest.raises(ConfigError, match="which FOCUSCRAWL_FRONTIER_URL does not name"):
            await fewer.open()

    with running_redis() as other:
        asyncio.run(work(other))


def test_hosts_cannot_be_given_to_workers(redis_server: RedisServer) -> None:
    with pytest.raises(ConfigError, match="FOCUSCRAWL_DISPATCH"):
        frontier_of([redis_server], dispatch="weighted")


def test_urls_of_several_servers_show_no_secret() -> None:
    url = "redis://me:secret@a:6379/0,redis+sentinel://me:hush@one,two:26380/mymaster/0"
    assert servers_of(url) == ["redis://me:secret@a:6379/0", "redis+sentinel://me:hush@one,two:26380/mymaster/0"]
    assert without_secret(url) == "redis://me:***@a:6379/0,redis+sentinel://me:***@one,two:26380/mymaster/0"
