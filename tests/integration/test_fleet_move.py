"""Partitions moved between real Redis servers by `focuscrawl fleet move`, also when a move is broken off."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from redis_kit import RedisServer, running_redis

from focuscrawl.cli.main import run
from focuscrawl.errors import FrontierError
from focuscrawl.frontier.partition import crawl_of
from focuscrawl.frontier.partition_move import move_partition
from focuscrawl.frontier.partitioned import PartitionedFrontier
from focuscrawl.frontier.redis_calls import Calls, connect
from focuscrawl.frontier.redis_url import without_secret
from focuscrawl.records import Entry, Lease, Outcome, PageRecord, Settlement
from focuscrawl.types import digest64

PARTITIONS = 4
LINKS = 24


class BrokenOff(Exception):
    """The process that moves is gone."""


class DyingCalls(Calls):
    """A connection of a process that dies before its n-th command."""

    left: list[int]

    async def patiently(self, send: Callable[[], Awaitable[Any]], *, again: Callable[[], None] | None = None) -> Any:
        self.left[0] -= 1
        if self.left[0] < 0:
            raise BrokenOff
        return await super().patiently(send, again=again)


class OverdueCalls(DyingCalls):
    """A connection of a process that stands still before its n-th command, until its turn has gone to another."""

    turns: Any  # client of the server that has the lock

    async def patiently(self, send: Callable[[], Awaitable[Any]], *, again: Callable[[], None] | None = None) -> Any:
        self.left[0] -= 1
        if self.left[0] == 0:
            await self.turns.set("{fc:overdue}:move:lock", "another", px=60_000)
        return await Calls.patiently(self, send, again=again)


@pytest.fixture(scope="module")
def servers() -> Iterator[list[RedisServer]]:
    with ExitStack() as stack:
        yield [stack.enter_context(running_redis()) for _ in range(2)]


def links() -> list[Entry]:
    urls = [f"http://www.d{number}.org/" for number in range(LINKS)]
    return [Entry(url, digest64(url), url.split("/")[2], 0.5) for url in urls]


async def fed(servers: list[RedisServer], crawl: str) -> PartitionedFrontier:
    """Return an open frontier on all servers, with links."""
    location = ",".join(server.url for server in servers)
    frontier = PartitionedFrontier(location, crawl=crawl, partitions=PARTITIONS)
    await frontier.open()
    await frontier.push(links())
    return frontier


def page(lease: Lease) -> Settlement:
    entry = lease.entry
    record = PageRecord(key=entry.key, url=entry.url, final_url=entry.url, host=entry.host, fetched_at=1.0, status=200)
    return Settlement(lease, Outcome.DONE, (), record=record)


def connections(
    servers: list[RedisServer], crawl: str, left: list[int], kind: type[DyingCalls] = DyingCalls
) -> tuple[DyingCalls, dict[str, Calls]]:
    def calls(server: RedisServer, name: str) -> DyingCalls:
        made = kind(connect(server.url, {}), server.url, f"{{fc:{name}}}:", patience_s=5.0)
        made.left = left
        return made

    parts: dict[str, Calls] = {without_secret(one.url): calls(one, crawl_of(crawl, 0)) for one in servers}
    return calls(servers[0], crawl), parts


async def all_keys(calls: Calls) -> list[bytes]:
    return sorted([key async for key in calls.client.scan_iter(match=f"{calls.prefix[:-1]}*")])


def test_a_move_that_is_broken_off_anywhere_loses_nothing(servers: list[RedisServer]) -> None:
    """It is broken off before one of its commands, and then ended: by the same move, or by the one back."""

    async def once(steps: int, *, back: bool) -> bool:
        crawl = f"broken-{steps}-{'back' if back else 'on'}"
        location = ",".join(server.url for server in servers)
        frontier = PartitionedFrontier(location, crawl=crawl, partitions=PARTITIONS)
        await frontier.open()
        await frontier.push(links())
        await frontier.close()
        one, two = (without_secret(server.url) for server in servers)
        left = [steps]
        control, parts = connections(servers, crawl, left)
        ended = True
        try:
            await move_partition(control, parts, number=0, place=two)
        except BrokenOff:
            ended = False
        left[0] = 10**6
        place = one if back else two
        await move_partition(control, parts, number=0, place=place)
        there, elsewhere = parts[place], parts[one if place == two else two]
        assert f"{there.prefix}meta".encode() in await all_keys(there)
        assert f"{there.prefix}moving".encode() not in await all_keys(there)
        assert await all_keys(elsewhere) == []
        after = PartitionedFrontier(location, crawl=crawl, partitions=PARTITIONS)
        await after.open()
        leases = await after.lease(LINKS, worker="", per_host=1, lease_s=600.0)
        assert {lease.entry.url for lease in leases} == {entry.url for entry in links()}
        assert len(leases) == LINKS
        await after.close()
        for calls in (control, *parts.values()):
            await calls.close()
        return ended

    async def work() -> None:
        steps = 0
        while not await once(steps, back=steps % 2 == 0):
            steps += 5
        assert steps > 20

    asyncio.run(work())


def test_the_copy_of_a_broken_move_does_not_come_back(servers: list[RedisServer]) -> None:
    """Once undone, the work goes on where the partition was, and a later move takes what is there then."""

    async def work() -> None:
        one, two = (without_secret(server.url) for server in servers)
        frontier = await fed(servers, "undone")
        left = [18]
        control, parts = connections(servers, "undone", left)
        with pytest.raises(BrokenOff):
            await move_partition(control, parts, number=0, place=two)
        left[0] = 10**6
        await move_partition(control, parts, number=0, place=one)
        settled = 0
        async with asyncio.timeout(120.0):
            while settled < LINKS:
                leases = await frontier.lease(LINKS, worker="", per_host=1, lease_s=600.0)
                settled += sum(await frontier.settle([page(lease) for lease in leases]))
        await move_partition(control, parts, number=0, place=two)
        async with asyncio.timeout(120.0):
            while (await frontier.totals()).pages < LINKS or (await frontier.stats()).queued:
                await asyncio.sleep(0.05)
        assert (await frontier.totals()).pages == LINKS
        await frontier.close()
        for calls in (control, *parts.values()):
            await calls.close()

    asyncio.run(work())


def test_the_command_moves_and_tells_where_partitions_are(
    servers: list[RedisServer], capsys: pytest.CaptureFixture[str]
) -> None:
    location = ",".join(server.url for server in servers)
    one, two = (without_secret(server.url) for server in servers)
    on = ["--on", location, "--crawl", "told"]

    async def opened() -> None:
        frontier = await fed(servers, "told")
        await frontier.close()

    def said(*words: str, code: int = 0) -> str:
        with pytest.raises(SystemExit) as ended:
            run(["fleet", "move", *words, *on])
        out, err = capsys.readouterr()
        assert ended.value.code == code, err
        return out + err

    asyncio.run(opened())
    assert said().split() == ["0", one, "1", two, "2", one, "3", two]
    assert said("0", "1", "--to", two).splitlines() == [
        f"partition 0: moved from {one} to {two}",
        f"partition 1: is on {two}",
    ]
    assert json.loads(said("--json")) == {"partitions": {"0": two, "1": two, "2": one, "3": two}}
    assert "no partition; there are those from 0 to 3" in said("7", "--to", two, code=2)
    assert "none of the crawl's servers" in said("2", "--to", "redis://elsewhere:1/0", code=2)
    assert "Give partitions and --to URL together" in said("2", code=2)


def test_two_moves_at_once_are_refused(servers: list[RedisServer]) -> None:
    async def work() -> None:
        location = ",".join(server.url for server in servers)
        two = without_secret(servers[1].url)
        frontier = PartitionedFrontier(location, crawl="twice", partitions=PARTITIONS)
        await frontier.open()
        control, parts = connections(servers, "twice", [10**6])
        await control.client.set(f"{control.prefix}move:lock", "another", px=60_000)
        with pytest.raises(FrontierError, match="another move of this crawl is under way"):
            await move_partition(control, parts, number=0, place=two)
        await frontier.close()
        for calls in (control, *parts.values()):
            await calls.close()

    asyncio.run(work())


def test_a_move_that_stood_still_for_too_long_deletes_nothing(servers: list[RedisServer]) -> None:
    """Another one may have begun meanwhile: what this one would delete may be what that one has copied."""

    async def work() -> None:
        one, two = (without_secret(server.url) for server in servers)
        frontier = await fed(servers, "overdue")
        await frontier.close()
        left = [10**6]
        control, parts = connections(servers, "overdue", left, OverdueCalls)
        OverdueCalls.turns = control.client
        before = await all_keys(parts[one])

        async def place() -> bytes | None:
            found: bytes | None = await control.client.hget(f"{control.prefix}places", "0")
            return found

        step = 0
        while await place() == one.encode():
            step += 1
            await control.client.delete("{fc:overdue}:move:lock")
            left[0] = 1 + step  # the first takes the turn
            with pytest.raises(FrontierError, match="held up for more than 60 seconds"):
                await move_partition(control, parts, number=0, place=two)
            head = f"{parts[one].prefix}meta".encode()
            moving = f"{parts[one].prefix}moving".encode()
            assert {key for key in await all_keys(parts[one]) if key != moving} >= set(before) - {head}
        assert step > 10
        await control.client.delete("{fc:overdue}:move:lock")
        left[0] = 10**6
        await move_partition(control, parts, number=0, place=two)
        assert await all_keys(parts[one]) == []
        assert await all_keys(parts[two]) == before
        for calls in (control, *parts.values()):
            await calls.close()

    asyncio.run(work())
