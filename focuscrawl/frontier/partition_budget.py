"""Budget of pages that partitions share: each has a quota, and the quotas never add up to more than the budget."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from focuscrawl.frontier.fleet import Heads
from focuscrawl.frontier.partition import Partition
from focuscrawl.frontier.partition_slot import Slot, ask_each


class Budget:
    """What one worker knows of the quotas, for one lease.

    Parameters
    ----------
    control
        Where it stands how much was promised to partitions.
    """

    def __init__(self, control: Partition) -> None:
        self.spent = False  # the last lease was cut short
        self._control = control
        self._limit = 0
        self._is_old = False  # no page was promised for a while
        self._rooms: dict[int, int] = {}
        self._slots: Sequence[Slot] = ()

    async def begin(self, limit: int, heads: Mapping[int, Heads], slots: Sequence[Slot]) -> None:
        """Begin a lease; `heads` tell what room the quotas have. Without a limit, 0, nothing is counted."""
        self.spent = False
        self._limit, self._slots = limit, slots
        if not limit:
            return
        self._rooms = {number: head.room for number, head in heads.items()}
        for number, room in list(self._rooms.items()):
            if room < 0:  # fetched while there was no limit
                await self._level(number)
        _, promised, self._is_old = await self._control.grant(0, limit)
        if promised > limit:  # it was lowered
            for number in self._rooms:
                await self._level(number)

    async def allow(self, number: int, wanted: int) -> int:
        """Return how many of the wanted pages a partition may fetch, by its quota and what the budget has left."""
        if not self._limit:
            return wanted
        missing = wanted - self._rooms.get(number, 0)
        if missing > 0:
            await self._add(number, missing)
        return max(0, min(wanted, self._rooms.get(number, 0)))

    async def collect(self, number: int, missing: int) -> int:
        """Return how many more pages a partition may fetch, by quotas that others do not use."""
        got = 0
        for other in [other for other, room in self._rooms.items() if other != number and room > 0]:
            await self._level(other)
            got += await self._add(number, missing - got)
            if got == missing:
                return got
        self.spent = True
        if self._is_old:
            await self._take_back_lost()
        return got

    def taken(self, number: int, leases: int) -> None:
        """Take note of leases."""
        if number in self._rooms:
            self._rooms[number] -= leases

    async def _add(self, number: int, pages: int) -> int:
        granted, _, _ = await self._control.grant(pages, self._limit)
        if granted:

            async def add(partition: Partition) -> bool:
                await partition.add_quota(granted)
                return True

            if not await self._slots[number].ask(add, False):
                return 0  # its server went away, and may have added it: never to be promised twice
            self._rooms[number] = self._rooms.get(number, 0) + granted
        return granted

    async def _level(self, number: int) -> None:
        """Take back what a partition has not used."""
        await self._control.grant(0, None)  # so that what is on its way back is not taken for lost
        back = await self._slots[number].ask(lambda partition: partition.level_quota(), 0)
        if back:
            await self._control.grant(-back, None)
        self._rooms[number] = 0

    async def _take_back_lost(self) -> None:
        """Take back pages promised to workers that died before a quota had them: the next lease may have them."""
        quotas = await ask_each(self._slots, lambda partition: partition.quota())
        if len(quotas) == len(self._slots):
            await self._control.grant(0, self._limit, quotas=sum(quotas.values()))
