"""Place of a partition on its server, which may be away for a while or somewhere else when it is back."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, TypeVar

from focuscrawl.errors import ConfigError, CrawlGoneError, FrontierError, ServerAwayError
from focuscrawl.frontier.base import FrontierStats
from focuscrawl.frontier.fleet import FleetTotals
from focuscrawl.frontier.partition import Partition, crawl_of
from focuscrawl.frontier.redis_url import place_of
from focuscrawl.records import Lease
from focuscrawl.types import GroupKey

logger = logging.getLogger(__name__)

T = TypeVar("T")
RETRY_S = 1.0
"""Seconds between two looks whether a server is back."""


class Slot:
    """One partition as a worker sees it: connected, or away.

    Parameters
    ----------
    number
        Of the partition.
    control
        Where it is noted on which server which partition lies.
    servers
        Their URLs.
    options
        Of `focuscrawl.frontier.redis.RedisFrontier`.
    """

    def __init__(self, number: int, control: Partition, servers: list[str], options: Mapping[str, Any]) -> None:
        self.number = number
        self.offsets: dict[GroupKey, float] = {}  # set while it was away
        self.unsettled: list[Lease] = []  # of pages that came while it was away; others may fetch them once it is back
        self.totals = FleetTotals(FrontierStats(), 0, 0, 0, 0)  # when it was asked last
        self.away_since: float | None = None
        self.reason = ""
        self._control = control
        self._servers = {place_of(url): url for url in servers}
        self._options = options
        self._partition: Partition | None = None
        self._earlier: Partition | None = None
        self._retry_at = 0.0
        self._said: type[FrontierError] | tuple[()] = ()  # of what was logged last
        self._opening = asyncio.Lock()

    async def ask(self, call: Callable[[Partition], Awaitable[T]], missing: T) -> T:
        """Return what `call` returns, `missing` while the server is away."""
        try:
            partition = await self._there()
            if partition is None:
                return missing
            return await call(partition)
        except (ServerAwayError, CrawlGoneError) as error:
            await self._lose(error)
            return missing

    async def insist(self, call: Callable[[Partition], Awaitable[T]], *, patience_s: float) -> T:
        """Return what `call` returns, once the server is there.

        Raises
        ------
        ServerAwayError
            If it stays away for `patience_s` seconds.
        """
        loop = asyncio.get_running_loop()
        deadline = loop.time() + patience_s
        none: list[T] = []
        while not (answers := await self.ask(lambda partition: _listed(call, partition), none)):
            if loop.time() >= deadline:
                raise ServerAwayError(self.reason)
            await asyncio.sleep(RETRY_S)
        return answers[0]

    async def close(self, *, remembered: bool) -> None:
        """Give back what is leased, and leave."""
        partition, self._partition = self._partition, None
        if partition is not None:
            partition.remembered = remembered
            try:
                await partition.close()
            except (ServerAwayError, CrawlGoneError) as error:
                logger.warning("%(why)s Its leases run out by themselves.", {"why": str(error)})

    async def disconnect(self) -> None:
        """Leave without a word to the server."""
        partition, self._partition = self._partition, None
        if partition is not None:
            await partition.disconnect()

    async def _there(self) -> Partition | None:
        if self._partition is not None:
            return self._partition
        async with self._opening:
            loop = asyncio.get_running_loop()
            if self._partition is None and loop.time() >= self._retry_at:
                self._partition = await self._open()
                if self.away_since is not None:
                    logger.info("partition %(n)d answers again", {"n": self.number})
                self.away_since, self._earlier, self._said = None, None, ()
                handed = await self._control.hand_over(self.number, self._partition)
                if self.offsets:
                    await self._partition.set_offsets(self.offsets)
                    self.offsets = {}
                await self._partition.undo_unanswered()
                leases = len(self.unsettled)
                await self._partition.release(self.unsettled[:leases])  # of one that was settled nothing is changed
                del self.unsettled[:leases]
                if handed:
                    logger.info("partition %(n)d: queued %(links)d links", {"n": self.number, "links": handed})
            return self._partition

    async def _open(self) -> Partition:
        number = str(self.number)
        place = place_of((await self._control.notes("places"))[number.encode()].decode())
        if place not in self._servers:
            raise ConfigError(
                f'partition {number} of "{self._control.crawl}" lies on {place}, which FOCUSCRAWL_FRONTIER_URL does not'
                f" name; it names {', '.join(self._servers)}."
            )
        epoch = (await self._control.notes("epochs")).get(number.encode(), b"").decode()
        partition = Partition(
            self._servers[place],
            crawl=crawl_of(self._control.crawl, self.number),
            worker=self._control.worker,
            epoch=epoch,
            options={**self._options, "patience_s": 0.0},
        )
        if self._earlier is not None:
            partition.follow(self._earlier)
        await partition.open()
        if not epoch:
            await self._control.note("epochs", number, partition.epoch, once=True)
        return partition

    async def _lose(self, error: FrontierError) -> None:
        loop = asyncio.get_running_loop()
        partition, self._partition = self._partition, None
        if partition is not None:
            self._earlier = partition
            if isinstance(error, CrawlGoneError):
                error = partition.gone()  # a move looks the same as a server that was emptied
            await partition.disconnect()
        news = not isinstance(error, self._said)
        self.reason, self._said = str(error), type(error)
        self._retry_at = loop.time() + RETRY_S
        if self.away_since is None:
            self.away_since = loop.time()
        if news:
            logger.warning("partition %(n)d is away: %(why)s", {"n": self.number, "why": self.reason})


async def ask_each(slots: Sequence[Slot], call: Callable[[Partition], Awaitable[T]]) -> dict[int, T]:
    """Return what `call` returns of each partition that is there, by its number."""

    async def one(slot: Slot) -> list[T]:
        none: list[T] = []
        return await slot.ask(lambda partition: _listed(call, partition), none)

    # All of them, before an error of one ends the crawl: what still opens would be left open.
    answers = await asyncio.gather(*(one(slot) for slot in slots), return_exceptions=True)
    found: dict[int, T] = {}
    for slot, answer in zip(slots, answers, strict=True):
        if isinstance(answer, BaseException):
            raise answer
        if answer:
            found[slot.number] = answer[0]
    return found


async def _listed(call: Callable[[Partition], Awaitable[T]], partition: Partition) -> list[T]:
    return [await call(partition)]
