"""Costs of the selection that must not grow: what its heaps hold."""

from __future__ import annotations

import asyncio

from focuscrawl.frontier.memory import MemoryFrontier
from focuscrawl.records import Entry, Lease, Outcome, Settlement


def test_stale_ranks_do_not_pile_up() -> None:
    async def crawl() -> None:
        frontier = MemoryFrontier(clock=lambda: 0.0)
        keep: list[Lease] = []
        for round_ in range(3000):
            host = f"h{round_ % 7}.example"
            # Ever better links: each one makes the rank of its bucket and of its host stale.
            await frontier.push([Entry(f"http://{host}/{round_}", round_, host, round_ / 3000, f"{host}|{round_ % 3}")])
            await frontier.rescore({round_ // 2: round_ / 4000})
            await frontier.set_offsets({f"{host}|0": round_ / 3000})
            if round_ % 3 == 0:
                keep += await frontier.lease(1, worker="w", per_host=3, lease_s=60.0)
            if round_ % 3 == 1 and keep:
                await frontier.renew(keep[-1:], 90.0)
                await frontier.settle([Settlement(keep.pop(), Outcome.DONE)])
        select = frontier._select
        assert len(select._ready) < 200
        assert len(select._timed) < 200
        assert all(len(host.heap) < 200 for host in select._hosts.values())
        assert len(frontier._leases._expiries) < 200
        assert sum(len(bucket.heap) for bucket in select.buckets()) < 2 * 3000 + 21 * 64

    asyncio.run(crawl())


def test_finished_hosts_are_forgotten() -> None:
    async def crawl() -> None:
        now = 0.0
        frontier = MemoryFrontier(clock=lambda: now, delay_s=1.0)
        for number in range(500):
            await frontier.push([Entry(f"http://h{number}.example/", number, f"h{number}.example", 0.5)])
            (lease,) = await frontier.lease(1, worker="w", per_host=1, lease_s=60.0)
            await frontier.settle([Settlement(lease, Outcome.DONE)])
            now += 0.5
        assert len(frontier._select._hosts) <= 3
        assert len(frontier._select._timed) < 100

    asyncio.run(crawl())
