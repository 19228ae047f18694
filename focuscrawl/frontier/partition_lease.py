"""Lease of the best links of several partitions, within the budget they share."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from heapq import nsmallest
from math import inf

from focuscrawl.frontier.fleet import Heads
from focuscrawl.frontier.partition import QUOTA, Partition, unique
from focuscrawl.frontier.partition_budget import Budget
from focuscrawl.frontier.partition_slot import Slot, ask_each
from focuscrawl.records import Lease

_ROUNDS = 8  # in which others were faster


@dataclass(frozen=True, slots=True)
class PartitionLease:
    """One call of `lease` over all partitions.

    Parameters
    ----------
    slots
        Of the partitions, by number.
    page_limit
        Pages of the crawl, 0 for no limit.
    per_host, lease_s
        As of `focuscrawl.frontier.base.Frontier.lease`.
    """

    slots: Sequence[Slot]
    budget: Budget
    page_limit: int
    per_host: int
    lease_s: float

    async def best(self, n: int) -> list[Lease]:
        """Lease the best `n` links that are ready, the best first; their tokens are unique among all partitions."""
        leases: list[Lease] = []
        for _ in range(_ROUNDS):
            left = n - len(leases)
            heads = await self._heads(left)
            await self.budget.begin(self.page_limit, heads, self.slots)
            in_turn = any(head.repeats for head in heads.values())
            leases += await (self._in_turn if in_turn else self._at_once)(left, heads)
            # Fewer than there were: another worker was faster, so look at other heads.
            if len(leases) == n or self.budget.spent or not any(head.ranks for head in heads.values()):
                break
        # Sorted is stable: within a partition the order is that of the server.
        return sorted(leases, key=lambda lease: -lease.priority)

    async def _heads(self, n: int) -> dict[int, Heads]:
        return await ask_each(self.slots, lambda partition: partition.heads(n, per_host=self.per_host))

    async def _at_once(self, n: int, heads: Mapping[int, Heads]) -> list[Lease]:
        """Lease the best `n` where a host has but one link to give: no better one can be behind."""
        best = nsmallest(n, [(rank, number) for number, head in heads.items() for rank in head.ranks])
        shares = Counter(number for _, number in best)
        worst = best[-1][0] if best else 0.0
        allowed = {number: await self.budget.allow(number, share) for number, share in shares.items()}
        taken = await asyncio.gather(*(self._take(number, share, worst) for number, share in allowed.items() if share))
        for number, share in shares.items():
            more = await self.budget.collect(number, share - allowed[number]) if allowed[number] < share else 0
            if more:
                taken.append(await self._take(number, more, worst))
        return [lease for leases in taken for lease in leases]

    async def _in_turn(self, n: int, heads: dict[int, Heads]) -> list[Lease]:
        """Lease the best `n`: from the best partition, as long as what it has is better than the others' best."""
        leases: list[Lease] = []
        while len(leases) < n:
            order = sorted((head.ranks[0], number) for number, head in heads.items() if head.ranks)
            if not order:
                break
            number = order[0][1]
            worst = order[1][0] if len(order) > 1 else inf
            share = await self.budget.allow(number, n - len(leases))
            share = share or await self.budget.collect(number, n - len(leases))
            taken = await self._take(number, share, worst) if share else []
            leases += taken
            # Another worker was faster, or the budget is spent: look elsewhere.
            head = await self.slots[number].ask(lambda partition: partition.heads(1, per_host=self.per_host), None)
            heads[number] = head if taken and head is not None else Heads([], 0, False)
        return leases

    async def _take(self, number: int, n: int, worst: float) -> list[Lease]:
        limit = QUOTA if self.page_limit else 0

        async def call(partition: Partition) -> list[Lease]:
            partition.page_limit = limit
            return await partition.lease_until(n, worst, per_host=self.per_host, lease_s=self.lease_s)

        none: list[Lease] = []
        leases = await self.slots[number].ask(call, none)
        self.budget.taken(number, len(leases))
        return [unique(lease, number) for lease in leases]
