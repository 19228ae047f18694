"""Which worker gets a new host: the policies against their formulas, on a real server."""

from __future__ import annotations

import asyncio
import hashlib
from collections import Counter
from itertools import count

import pytest
from redis_kit import RedisServer

from focuscrawl.errors import ConfigError
from focuscrawl.frontier.redis import RedisFrontier
from focuscrawl.records import Entry
from focuscrawl.types import digest64

_crawls = count()


def drawn(seed: int, host: str, n: int) -> float:
    """Return the n-th number of a host, uniform in [0, 1)."""
    return int(hashlib.sha1(f"{seed} {host} {n}".encode()).hexdigest()[:8], 16) / 2**32


def owners(server: RedisServer, policy: str, capacities: list[float], hosts: int, *, seed: int = 0) -> list[int]:
    """Return the index of the worker that each of so many new hosts is given to, in order of discovery."""

    async def run() -> list[int]:
        crawl = f"dispatch {next(_crawls)}"
        workers = [
            RedisFrontier(server.url, crawl=crawl, clock=lambda: 1000.0, dispatch=policy, capacity=capacity, seed=seed)
            for capacity in capacities
        ]
        for number, worker in enumerate(workers):
            worker.worker = f"w{number:02d}"
            await worker.open()
            assert await worker.lease(1, worker="", per_host=1, lease_s=60.0) == []
        urls = [f"http://h{number}.example/" for number in range(hosts)]
        await workers[0].push([Entry(url, digest64(url), url.split("/")[2], 0.5) for url in urls])
        # A worker takes what it owns; asking for one entry more than that would give it another's.
        client = workers[0]._calls.client
        await workers[0].lease(1, worker="", per_host=1, lease_s=60.0)
        while await client.zcard(f"{{fc:{crawl}}}:ready:"):
            await workers[0].lease(1, worker="", per_host=1, lease_s=60.0)
        result: dict[str, int] = {}
        names = {value: key.decode() for key, value in (await client.hgetall(f"{{fc:{crawl}}}:hid")).items()}
        for number, packed in (await client.hgetall(f"{{fc:{crawl}}}:host")).items():
            result[names[number]] = int(packed[85:88].lstrip(b"w"))
        for worker in workers:
            await worker.close()
        return [result[f"h{number}.example"] for number in range(hosts)]

    return asyncio.run(run())


def test_round_robin_goes_round(redis_server: RedisServer) -> None:
    assert owners(redis_server, "round-robin", [1, 1, 1], 7) == [0, 1, 2, 0, 1, 2, 0]


def test_weighted_is_smooth(redis_server: RedisServer) -> None:
    # docs/formulas.md I.1: weights (5, 1, 1) give a a b a c a a
    assert owners(redis_server, "weighted", [5, 1, 1], 14) == [0, 0, 1, 0, 2, 0, 0] * 2


def test_random_is_in_proportion_to_capacity_and_the_same_each_time(redis_server: RedisServer) -> None:
    capacities = [3.0, 1.0, 2.0]
    given = owners(redis_server, "random", capacities, 300, seed=7)
    expected = []
    for number in range(300):
        left = drawn(7, f"h{number}.example", 1) * sum(capacities)
        expected.append(next(k for k in range(3) if left < sum(capacities[: k + 1])))
    assert given == expected
    # chi-squared with 2 degrees of freedom: 13.8 is passed once in a thousand seeds
    counts = Counter(given)
    means = [300 * capacity / 6.0 for capacity in capacities]
    assert sum((counts[k] - mean) ** 2 / mean for k, mean in enumerate(means)) < 13.8
    assert owners(redis_server, "random", capacities, 300, seed=8) != given


def test_the_least_loaded_worker_has_the_fewest_hosts(redis_server: RedisServer) -> None:
    assert owners(redis_server, "least-loaded", [1, 1, 1], 7) == [0, 1, 2, 0, 1, 2, 0]


def test_pick_2_takes_the_less_loaded_of_two(redis_server: RedisServer) -> None:
    given = owners(redis_server, "pick-2", [1, 1, 1, 1], 80, seed=3)
    load = [0, 0, 0, 0]
    for number, chosen in enumerate(given):
        i = int(drawn(3, f"h{number}.example", 1) * 4)
        j = int(drawn(3, f"h{number}.example", 2) * 3)
        pair = sorted((i, j + (j >= i)))
        assert chosen == min(pair, key=lambda k: load[k])
        load[chosen] += 1
    assert max(load) - min(load) <= 4


def test_a_worker_of_no_capacity_is_given_nothing(redis_server: RedisServer) -> None:
    assert set(owners(redis_server, "round-robin", [0, 1, 1], 6)) == {1, 2}


def test_an_unknown_policy_is_refused() -> None:
    with pytest.raises(ConfigError, match='dispatch = "fair": unknown; known: best-first, round-robin'):
        RedisFrontier("redis://127.0.0.1", dispatch="fair")


def test_hosts_of_a_dead_worker_are_given_away_again(redis_server: RedisServer) -> None:
    async def run() -> None:
        now = [1000.0]
        crawl = f"dispatch {next(_crawls)}"
        dead, alive = (
            RedisFrontier(redis_server.url, crawl=crawl, clock=lambda: now[0], dispatch="least-loaded")
            for _ in range(2)
        )
        await dead.open()
        await dead.push([Entry(f"http://h{n}.example/", n, f"h{n}.example", n / 10) for n in range(6)])
        assert len(await dead.lease(2, worker="", per_host=1, lease_s=30.0)) == 2
        await dead._calls.close()  # no farewell
        await alive.open()
        now[0] += 61.0
        assert await alive.reap() == 2
        leases = await alive.lease(9, worker="", per_host=1, lease_s=30.0)
        assert [lease.entry.score for lease in leases] == [0.5, 0.4, 0.3, 0.2, 0.1, 0.0]
        await alive.close()

    asyncio.run(run())
