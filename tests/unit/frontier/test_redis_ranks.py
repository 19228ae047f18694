"""Ranks of hosts with many groups, and of scores that hardly differ: the Redis frontier beside the one in memory."""

from __future__ import annotations

import asyncio
import random
from itertools import count

import pytest
from redis_kit import RedisServer

from focuscrawl.frontier.base import Frontier
from focuscrawl.frontier.memory import MemoryFrontier
from focuscrawl.frontier.redis import RedisFrontier
from focuscrawl.records import Entry, Lease, Outcome, Settlement
from focuscrawl.types import digest64

_crawls = count()
NOW = 1_000_000.0


def entry(number: int, score: float, *, hosts: int, groups: int) -> Entry:
    host = f"h{number % hosts}.example"
    url = f"http://{host}/{number}"
    return Entry(url, digest64(url), host, score, f"{host}|{number % groups}")


async def both(server: RedisServer, work: random.Random, *, hosts: int, groups: int, per_host: int) -> None:
    def clock() -> float:
        return NOW

    frontiers: list[Frontier] = [
        RedisFrontier(server.url, crawl=f"ranks {next(_crawls)}", clock=clock),
        MemoryFrontier(clock=clock),
    ]
    for frontier in frontiers:
        await frontier.open()
    held: list[list[Lease]] = [[], []]
    for _ in range(60):
        draws = [(work.randrange(400), work.randrange(9) / 8) for _ in range(work.randrange(12))]
        entries = [entry(number, score, hosts=hosts, groups=groups) for number, score in draws]
        offsets = {one.group: work.randrange(-4, 5) / 8 for one in entries[: work.randrange(3)]}
        n, settled = work.randrange(9), work.randrange(6)
        seen = []
        for frontier, mine in zip(frontiers, held, strict=True):
            pushed = await frontier.push(entries)
            changed = await frontier.set_offsets(offsets)
            leases = await frontier.lease(n, worker="", per_host=per_host, lease_s=60.0)
            mine += leases
            done, mine[:] = mine[:settled], mine[settled:]
            await frontier.settle([Settlement(one, Outcome.DONE) for one in done])
            seen.append((pushed, changed, [(one.entry, one.priority) for one in leases], await frontier.stats()))
        assert seen[0] == seen[1]
    for frontier in frontiers:
        await frontier.close()


@pytest.mark.parametrize(("hosts", "groups", "per_host"), [(1, 16, 100), (3, 16, 4), (40, 7, 2), (40, 1, 1)])
def test_groups_of_a_host_are_ranked_as_in_memory(
    redis_server: RedisServer, hosts: int, groups: int, per_host: int
) -> None:
    asyncio.run(both(redis_server, random.Random(hosts), hosts=hosts, groups=groups, per_host=per_host))


def test_more_hosts_than_are_read_at_once_are_leased_in_order(redis_server: RedisServer) -> None:
    async def work() -> None:
        frontier = RedisFrontier(redis_server.url, crawl=f"ranks {next(_crawls)}", clock=lambda: NOW)
        await frontier.open()
        draw = random.Random(7)
        entries = [entry(number, draw.random(), hosts=300, groups=1) for number in range(900)]
        await frontier.push(entries)
        leases = await frontier.lease(700, worker="", per_host=2, lease_s=60.0)
        assert await frontier.lease(1, worker="", per_host=2, lease_s=60.0) == []
        best: dict[str, list[Entry]] = {}
        for one in sorted(entries, key=lambda one: -one.score):
            best.setdefault(one.host, []).append(one)
        expected = [one for some in best.values() for one in some[:2]]
        assert [one.entry for one in leases] == sorted(expected, key=lambda one: -one.score)
        await frontier.close()

    asyncio.run(work())


def test_scores_are_told_apart_as_far_as_offsets_leave_them(redis_server: RedisServer) -> None:
    async def work() -> None:
        frontier = RedisFrontier(redis_server.url, crawl=f"ranks {next(_crawls)}", clock=lambda: NOW)
        await frontier.open()
        scores = [0.5, 0.5 + 2**-52, 1.0, 1.0 - 2**-52, 0.0, 2**-52, -1.0, 3e9, 1e300, 1 / 3, 1e-9, 2e-9]
        entries = [entry(number, score, hosts=1, groups=1) for number, score in enumerate(scores)]
        await frontier.push(entries)
        listed = [one.score async for one in frontier.entries()]
        leases = await frontier.lease(99, worker="", per_host=99, lease_s=60.0)
        assert listed == [one.entry.score for one in leases] == sorted(scores, reverse=True)
        assert [one.priority for one in leases] == sorted(scores, reverse=True)
        await frontier.close()

    asyncio.run(work())
