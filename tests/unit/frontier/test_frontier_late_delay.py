"""A delay that comes late counts from the host's last lease, also when the host has been empty since."""

from __future__ import annotations

import asyncio

import pytest

from focuscrawl.frontier.host_queue import Bucket
from focuscrawl.frontier.memory import MemoryFrontier
from focuscrawl.frontier.selection import Selection
from focuscrawl.frontier.sqlite import SqliteFrontier
from focuscrawl.records import Entry, Outcome, Settlement
from focuscrawl.types import digest64

HOST = "e.com"


def entry(number: int) -> Entry:
    url = f"http://{HOST}/{number}"
    return Entry(url, digest64(url), HOST, 0.5)


async def empty_the_host(frontier) -> None:
    await frontier.push([entry(1)])
    [lease] = await frontier.lease(1, worker="w", per_host=1, lease_s=60.0)
    assert await frontier.settle([Settlement(lease, Outcome.DONE)]) == [True]


async def next_after_delay(frontier) -> float | None:
    await frontier.set_host(HOST, delay_s=5.0)
    await frontier.push([entry(2)])
    assert await frontier.lease(1, worker="w", per_host=1, lease_s=60.0) == []
    return await frontier.next_ready_at()


@pytest.mark.parametrize("reopen", [False, True])
def test_delay_given_to_an_emptied_host(tmp_path, reopen):
    async def sqlite() -> float | None:
        frontier = SqliteFrontier(tmp_path / "crawl.db", clock=lambda: 1000.0)
        await frontier.open()
        await empty_the_host(frontier)
        if reopen:
            await frontier.close()
            await frontier.open()
        at = await next_after_delay(frontier)
        await frontier.close()
        return at

    assert asyncio.run(sqlite()) == 1005.0


def test_delay_given_to_an_emptied_host_in_memory():
    async def memory() -> float | None:
        frontier = MemoryFrontier(clock=lambda: 1000.0)
        await empty_the_host(frontier)
        return await next_after_delay(frontier)

    assert asyncio.run(memory()) == 1005.0


def test_last_leases_of_forgotten_hosts_are_few():
    select: Selection[Bucket] = Selection(Bucket)
    for second in range(20_000):
        select.pick(float(second), 1)
        select.resume(f"h{second}.example", leased_at=float(second))
    assert len(select._leased_at) < 9000
    select.set_host("h19990.example", delay_s=100.0)
    assert select.host("h19990.example").ready_at == 20_090.0
