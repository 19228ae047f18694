"""The frontier of a fleet over several Redis servers: partitions by registered domain, budget and control in one.

Each partition is a crawl of its own (``<crawl>~000``, …) with the contract of `focuscrawl.frontier.redis`, so a
domain's delays and order are kept as on one server. The first server also has the crawl itself: commands, learning, the
budget, which server has which partition (hash ``places``), and links that wait for a server that is away (lists
``outbox:<n>``).

What differs from one server is told in ``docs/scale.md``.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from heapq import merge
from itertools import islice
from operator import itemgetter
from typing import Any, TypeVar

from focuscrawl.errors import ConfigError, ServerAwayError
from focuscrawl.frontier.base import FrontierStats, Pushed
from focuscrawl.frontier.dispatch import BEST_FIRST
from focuscrawl.frontier.fleet import FleetFrontier, FleetTotals, Recovered
from focuscrawl.frontier.partition import TOKENS, Partition, partition_of, plain
from focuscrawl.frontier.partition_budget import Budget
from focuscrawl.frontier.partition_lease import PartitionLease
from focuscrawl.frontier.partition_plan import Plan
from focuscrawl.frontier.partition_slot import RETRY_S, Slot, ask_each
from focuscrawl.frontier.redis_calls import DEFAULT_PATIENCE_S
from focuscrawl.frontier.redis_url import place_of, servers_of
from focuscrawl.frontier.rules import check_host, check_offsets
from focuscrawl.page.urls import registered_domain
from focuscrawl.records import Entry, Lease, Settlement
from focuscrawl.types import GroupKey, HostKey, UrlKey

T = TypeVar("T")
PARTITIONS = 16
"""Partitions of a new crawl: what can be moved from server to server, so several for each server to come."""
_GROUPS = 200_000  # whose partition is remembered


class PartitionedFrontier(FleetFrontier):
    """The frontier contract over several servers.

    Parameters
    ----------
    location
        URLs with commas between them; the first server has what is not in partitions. A URL may stand twice: the
        partitions of a cluster are in slots of their own.
    partitions
        Of a new crawl; one that is there keeps its number.
    dispatch
        "best-first": hosts are given to no worker.
    patience_s
        How long to wait for the first server, and for others while no server has a link to give.
    options
        As of `focuscrawl.frontier.redis.RedisFrontier`.

    Raises
    ------
    ConfigError
        If a partition lies on a server that is not named.
    ServerAwayError
        From any call, if the first server stays away; from `next_ready_at`, if all that is left is on servers that do.
    """

    durable = True

    def __init__(
        self,
        location: str,
        *,
        crawl: str = "crawl",
        partitions: int = PARTITIONS,
        dispatch: str = BEST_FIRST,
        patience_s: float = DEFAULT_PATIENCE_S,
        **options: Any,
    ) -> None:
        if dispatch != BEST_FIRST:
            raise ConfigError(f'FOCUSCRAWL_DISPATCH = "{dispatch}": expected "{BEST_FIRST}" with several servers.')
        self._servers = servers_of(location)
        self._partitions = partitions
        self._options = options
        self._patience_s = patience_s
        self._control = Partition(
            self._servers[0], crawl=crawl, worker="", epoch="", options={**options, "patience_s": patience_s}
        )
        self._budget = Budget(self._control)
        self._slots: list[Slot] = []
        self._groups: dict[GroupKey, int] = {}
        self._lease_s = 60.0
        self.crawl = crawl
        self.worker = self._control.worker
        self.page_limit = 0
        self.remembered = False

    @property
    def epoch(self) -> str:
        """Name of this crawl on the first server."""
        return self._control.epoch

    # ------------------------------------------------------------------- open, close

    async def open(self) -> None:
        self._control.successor_of = self.successor_of
        await self._control.open()
        try:
            await self._control.note("meta", "partitions", str(self._partitions), once=True)
            count = int((await self._control.notes("meta"))[b"partitions"])
            for number in range(count):
                place = place_of(self._servers[number % len(self._servers)])
                await self._control.note("places", str(number), place, once=True)
            self._slots = [Slot(number, self._control, self._servers, self._options) for number in range(count)]
            await self.stats()
        except BaseException:
            await self.close()
            raise

    async def close(self) -> None:
        slots, self._slots = self._slots, []
        for slot in slots:
            await slot.close(remembered=self.remembered)
        self._control.remembered = self.remembered
        await self._control.close()

    async def disconnect(self) -> None:
        """Leave without a word to the servers; leases made here run out."""
        await asyncio.gather(self._control.disconnect(), *(slot.disconnect() for slot in self._slots))

    async def push(self, entries: Sequence[Entry]) -> Pushed:
        parts: dict[int, list[Entry]] = defaultdict(list)
        for entry in entries:
            parts[self._of(entry.host, entry.group)].append(entry)
        pushed = await asyncio.gather(*(self._push(self._slots[number], part) for number, part in parts.items()))
        return sum(pushed, Pushed())

    async def _push(self, slot: Slot, entries: Sequence[Entry]) -> Pushed:
        pushed = await slot.ask(lambda partition: partition.push(entries), None)
        if pushed is None:
            await self._control.leave(slot.number, entries)
            return Pushed(added=len(entries))
        return pushed

    async def lease(self, n: int, *, worker: str, per_host: int, lease_s: float) -> list[Lease]:
        del worker  # as with one server
        if n <= 0:
            return []
        self._lease_s = lease_s
        lease = PartitionLease(self._slots, self._budget, self.page_limit, per_host, lease_s)
        return await lease.best(n)

    async def renew(self, leases: Sequence[Lease], lease_s: float) -> int:
        return sum(await self._by_part(leases, lambda partition, part: partition.renew(part, lease_s)))

    async def settle(self, settlements: Sequence[Settlement]) -> list[bool]:
        if not settlements:
            return []
        rest = await self._without_others(settlements)
        parts: dict[int, list[int]] = defaultdict(list)
        for at, (one, left) in enumerate(zip(settlements, rest, strict=True)):
            number = one.lease.token % TOKENS
            if left is None:
                self._slots[number].unsettled.append(plain(one.lease))
            else:
                parts[number].append(at)
        own = [plain(settlements[places[0]].lease) for places in parts.values()]
        plan = Plan.of(settlements, parts, [(lease.entry.key, lease.token) for lease in own])
        await self._control.note("plans", self.worker, plan.model_dump_json())
        answers = [False] * len(settlements)

        async def settle(number: int, places: Sequence[int]) -> None:
            part = [one for at in places if (one := rest[at]) is not None]
            slot = self._slots[number]
            settled = await slot.ask(lambda partition: partition.settle(part), None)
            if settled is None:
                slot.unsettled += [one.lease for one in part]
                return
            for at, answer in zip(places, settled, strict=True):
                answers[at] = answer

        await asyncio.gather(*(settle(number, places) for number, places in parts.items()))
        aliases = [key for one, answer in zip(settlements, answers, strict=True) if answer for key in one.also]
        if aliases:
            await self._each(lambda partition: partition.learn_aliases(aliases))
        return answers

    async def _without_others(self, settlements: Sequence[Settlement]) -> list[Settlement | None]:
        """Queue the links of settlements to other partitions; return them with the other links.

        None stands for one whose lease is not valid, as far as can be told: its links are queued nowhere, so it must
        not be settled either when its server is back the next moment.
        """
        inside: list[list[Entry]] = [[] for _ in settlements]
        outside: list[list[Entry]] = [[] for _ in settlements]
        for one, own, others in zip(settlements, inside, outside, strict=True):
            for entry in one.found:
                (own if self._of(entry.host, entry.group) == one.lease.token % TOKENS else others).append(entry)
        leases = [one.lease for one, others in zip(settlements, outside, strict=True) if others]
        invalid: set[int] = set()
        if await self.renew(leases, self._lease_s) < len(leases):  # seldom: find out which
            invalid = {lease.token for lease in leases if not await self.renew([lease], self._lease_s)}
        pairs = zip(settlements, outside, strict=True)
        await self.push([entry for one, links in pairs if one.lease.token not in invalid for entry in links])
        return [
            None if one.lease.token in invalid else replace(one, lease=plain(one.lease), found=tuple(own))
            for one, own in zip(settlements, inside, strict=True)
        ]

    async def release(self, leases: Sequence[Lease], *, delay_s: float = 0.0) -> int:
        released = await self._by_part(
            leases, lambda partition, part: partition.release(part, delay_s=delay_s), give_back=True
        )
        return sum(released)

    async def reap(self) -> int:
        return sum((await self._each(lambda partition: partition.reap())).values())

    # ----------------------------------------------------------- scores, hosts, times

    async def rescore(self, scores: Mapping[UrlKey, float]) -> int:
        return sum((await self._each(lambda partition: partition.rescore(scores))).values())

    async def set_offsets(self, offsets: Mapping[GroupKey, float]) -> int:
        check_offsets(offsets)
        parts: dict[int, dict[GroupKey, float]] = defaultdict(dict)
        for group, offset in offsets.items():
            known = self._groups.get(group)
            for number in range(len(self._slots)) if known is None else [known]:
                parts[number][group] = offset
        changed = await asyncio.gather(*(self._set_offsets(number, part) for number, part in parts.items()))
        return max(changed, default=0) if len(offsets) == 1 else min(sum(changed), len(offsets))

    async def _set_offsets(self, number: int, offsets: Mapping[GroupKey, float]) -> int:
        slot = self._slots[number]
        changed = await slot.ask(lambda partition: partition.set_offsets(offsets), None)
        if changed is None:
            slot.offsets.update(offsets)
        return changed or 0

    async def set_host(self, host: HostKey, *, delay_s: float | None = None, hold_until: float | None = None) -> None:
        check_host(host, delay_s=delay_s, hold_until=hold_until)
        await self._at(host, lambda partition: partition.set_host(host, delay_s=delay_s, hold_until=hold_until))

    async def keep_host(self, host: HostKey, *, delay_s: float | None = None, hold_until: float | None = None) -> None:
        check_host(host, delay_s=delay_s, hold_until=hold_until)
        await self._at(host, lambda partition: partition.keep_host(host, delay_s=delay_s, hold_until=hold_until))

    async def next_ready_at(self) -> float | None:
        times = [
            at for at in (await self._each(lambda partition: partition.next_ready_at())).values() if at is not None
        ]
        loop = asyncio.get_running_loop()
        away = [slot for slot in self._slots if slot.away_since is not None]
        if not times:
            for slot in away:
                if slot.away_since is not None and loop.time() - slot.away_since > self._patience_s:
                    raise ServerAwayError(f"{slot.reason} All links that are left are in its partitions.")
        # Something may come from a server that is back, and pages of the budget when a lease ends.
        now = self._control.now()
        times += [now + RETRY_S for _ in away]
        at = min(times, default=None)
        return max(at, now + RETRY_S) if at is not None and self.page_limit and self._budget.spent else at

    async def stats(self) -> FrontierStats:
        return (await self.totals()).stats

    async def totals(self) -> FleetTotals:
        """Return the totals of all partitions; of one that is away, those it had when it was asked last."""
        for number, totals in (await self._each(lambda partition: partition.totals())).items():
            self._slots[number].totals = totals
        return FleetTotals.sum([slot.totals for slot in self._slots], (await self._control.totals()).workers)

    async def entries(self, *, host: HostKey | None = None, limit: int = 100) -> AsyncIterator[Entry]:
        found = await self._each(lambda partition: partition.best_queued(host=host, limit=limit))
        for one in islice(merge(*(found[number] for number in sorted(found)), key=itemgetter(0)), limit):
            yield one.entry

    async def recover(self, worker: str, last: tuple[UrlKey, int] | None) -> Recovered:
        """End what a dead worker has begun; see `focuscrawl.frontier.fleet.FleetFrontier.recover`.

        Raises
        ------
        ServerAwayError
            If a partition stays away: it alone knows whether pages of its own were settled.
        """
        noted = (await self._control.notes("plans")).get(worker.encode())
        plan = (Plan.model_validate_json(noted) if noted else Plan()).of_call(last)
        returned, answers = 0, {}
        for slot in self._slots:
            first = plan.first_of(slot.number)

            async def call(partition: Partition, first: tuple[UrlKey, int] | None = first) -> Recovered:
                return await partition.recover(worker, first)

            try:
                one = await slot.insist(call, patience_s=self._patience_s)
            except ServerAwayError as error:
                raise ServerAwayError(
                    f"{error} Given up after {self._patience_s:.0f} s: a worker that was killed goes on in its run"
                    " folder when all servers are there."
                ) from error
            returned += one.returned
            if first is not None and one.settled is not None:
                answers[slot.number] = one.settled
        await self._control.recover(worker, None)
        return Recovered(returned, plan.together(answers))

    async def discard(self, worker: str) -> None:
        await self._each(lambda partition: partition.discard(worker))
        await self._control.discard(worker)
        await self._control.forget_note("plans", worker)

    async def imported(self, fingerprint: bytes) -> tuple[int, bool]:
        return await self._control.imported(fingerprint)

    @property
    def ahead_s(self) -> float:
        """Seconds by which the clock of the server with what all share is ahead of this worker's."""
        return self._control.ahead_s

    async def cached(
        self,
        name: str,
        fresh: Callable[[bytes], bool],
        make: Callable[[bytes | None], Awaitable[bytes]],
        *,
        keep_s: float,
    ) -> bytes:
        return await self._control.cached(name, fresh, make, keep_s=keep_s)

    def _of(self, host: HostKey, group: GroupKey = "") -> int:
        number = partition_of(registered_domain(host), len(self._slots))
        if len(self._groups) >= _GROUPS:
            self._groups.clear()
        self._groups[group or host] = number
        return number

    async def _at(self, host: HostKey, call: Callable[[Partition], Awaitable[None]]) -> None:
        await self._slots[self._of(host)].ask(call, None)

    async def _each(self, call: Callable[[Partition], Awaitable[T]]) -> dict[int, T]:
        return await ask_each(self._slots, call)

    async def _by_part(
        self,
        leases: Sequence[Lease],
        call: Callable[[Partition, list[Lease]], Awaitable[int]],
        *,
        give_back: bool = False,
    ) -> list[int]:
        """Return what `call` returns of each partition with some of the leases, 0 of one that is away.

        With `give_back` the leases of that one go back to its queue once it is there.
        """
        parts: dict[int, list[Lease]] = defaultdict(list)
        for lease in leases:
            parts[lease.token % TOKENS].append(plain(lease))

        async def one(number: int, part: list[Lease]) -> int:
            slot = self._slots[number]
            answer = await slot.ask(lambda partition: call(partition, part), None)
            if answer is None and give_back:
                slot.unsettled += part
            return answer or 0

        return await asyncio.gather(*(one(number, part) for number, part in parts.items()))
