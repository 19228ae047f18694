"""Control channel of a fleet over several Redis servers: commands on the first one, totals of all."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from dataclasses import replace
from typing import Any

from focuscrawl.errors import ConfigError, CrawlGoneError, ServerAwayError
from focuscrawl.fleet.channel import Heartbeat, HeartbeatReport
from focuscrawl.fleet.redis_channel import RedisChannel
from focuscrawl.fleet.waiting import MAX_NAMED, Waiting
from focuscrawl.frontier.base import FrontierStats
from focuscrawl.frontier.fleet import FleetTotals
from focuscrawl.frontier.partition import crawl_of
from focuscrawl.frontier.redis_calls import Calls, connect
from focuscrawl.frontier.redis_queue import queued
from focuscrawl.frontier.redis_url import place_of, servers_of, without_secret
from focuscrawl.records import Entry

_NONE = FleetTotals(FrontierStats(), 0, 0, 0, 0)


class PartitionedChannel(RedisChannel):
    """`ControlChannel` of a crawl in partitions; parameters as of `RedisChannel`, `location` names all servers.

    Of a partition whose server is away, the totals are those it had when it was asked last.
    """

    def __init__(
        self,
        location: str,
        *,
        crawl: str,
        connection: Mapping[str, Any] | None = None,
        worker: str = "",
    ) -> None:
        self._servers = servers_of(location)
        super().__init__(self._servers[0], crawl=crawl, connection=connection, worker=worker)
        self.shown = without_secret(location)
        self._connection = connection or {}
        self._parts: dict[int, Calls] = {}
        self._epochs: dict[int, bytes] = {}
        self._last: dict[int, FleetTotals] = {}
        self._moved = False  # a partition was not where it was
        self._finding = asyncio.Lock()

    async def _find_partitions(self) -> None:
        """Find out which server has which partition.

        Raises
        ------
        ConfigError
            If the crawl is not in partitions.
        """
        client, prefix = self._calls.client, self._calls.prefix
        places, epochs = await self._calls.patiently(
            lambda: asyncio.gather(client.hgetall(f"{prefix}places"), client.hgetall(f"{prefix}epochs"))
        )
        if not places:
            raise ConfigError(
                f'{self.shown}: the crawl "{self.crawl}" is all on {without_secret(self._servers[0])}; name that server'
                " alone."
            )
        self._moved = False
        self._epochs = {int(number): epoch for number, epoch in epochs.items()}
        servers = {place_of(url): url for url in self._servers}
        parts: dict[int, Calls] = {}
        for number, place in places.items():
            url = servers.get(place_of(place.decode()))
            if url is None:
                raise ConfigError(f"{self.shown}: a partition lies on {place.decode()}, which is not named.")
            crawl = crawl_of(self.crawl, int(number))
            parts[int(number)] = Calls(
                connect(url, self._connection), without_secret(url), f"{{fc:{crawl}}}:", patience_s=0.0
            )
        await self._replace_parts(parts)

    async def close(self) -> None:
        """Close the connections."""
        await self._replace_parts({})
        await super().close()

    async def _replace_parts(self, parts: dict[int, Calls]) -> None:
        earlier, self._parts = self._parts, parts
        for calls in earlier.values():
            await calls.close()

    async def heartbeat(self, report: HeartbeatReport) -> Heartbeat:
        """Report, and learn what is new."""
        beat = await super().heartbeat(report)
        workers = beat.totals.workers if beat.totals is not None else 0
        return replace(beat, totals=await self._sum(workers))

    async def totals(self) -> FleetTotals:
        """Return the totals of all workers and partitions."""
        return await self._sum((await super().totals()).workers)

    async def waiting(self) -> Waiting:
        """Return what the hosts with queued links wait for."""
        found = [Waiting.of(answer) for answer in (await self._ask_all("waits", MAX_NAMED)).values()]
        hosts = sorted((host for one in found for host in one.hosts), key=lambda host: host.left_s)
        return Waiting(
            sum(one.ready for one in found),
            sum(one.full for one in found),
            sum(one.timed for one in found),
            hosts[:MAX_NAMED],
        )

    async def refusals_of_writes(self) -> list[str]:
        """Return for each server a sentence why it takes no writes now, '' when it does; that of the commands first."""
        servers = {calls.shown: calls for calls in self._parts.values() if calls.shown != self._calls.shown}
        return [await calls.refusal_of_writes() for calls in (self._calls, *servers.values())]

    async def queued(self) -> AsyncIterator[list[Entry]]:
        """Yield all queued entries in batches."""
        for calls in self._parts.values():
            async for batch in queued(calls):
                yield [one.entry for one in batch]

    async def _sum(self, workers: int) -> FleetTotals:
        for number, answer in (await self._ask_all("totals")).items():
            self._last[number] = FleetTotals.of(answer)
        return FleetTotals.sum([self._last.get(number, _NONE) for number in self._parts], workers)

    async def _ask_all(self, name: str, *args: Any) -> dict[int, Any]:
        """Return the answers of the partitions that are there."""

        async def ask(number: int, calls: Calls) -> list[Any]:
            try:
                return [await calls.run(name, [self._epochs.get(number, b""), "", *args])]
            except ServerAwayError:
                return []
            except CrawlGoneError:
                self._moved = True
                return []

        async with self._finding:
            if self._moved:
                await self._find_partitions()
        parts = self._parts  # another caller may replace them meanwhile
        answers = await asyncio.gather(*(ask(number, calls) for number, calls in parts.items()))
        return {number: answer[0] for number, answer in zip(parts, answers, strict=True) if answer}


def make_channel(
    location: str, *, crawl: str, connection: Mapping[str, Any] | None = None, worker: str = ""
) -> RedisChannel:
    """Return the channel of a crawl on the server or the servers of `location`; parameters as of `RedisChannel`."""
    several = len(servers_of(location)) > 1
    return (PartitionedChannel if several else RedisChannel)(
        location, crawl=crawl, connection=connection, worker=worker
    )
