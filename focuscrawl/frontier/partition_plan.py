"""Plan of a call that settles pages of several partitions: kept, so that a dead worker's answer can be put together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pydantic import BaseModel, ConfigDict

from focuscrawl.records import Settlement
from focuscrawl.types import UrlKey

Named = tuple[UrlKey, int]
"""Key and token of a lease."""


class PlanPart(BaseModel):
    """Part of the call that one partition gets."""

    model_config = ConfigDict(frozen=True)

    number: int  # of the partition
    first: Named  # of its settlements, with the token it has there
    places: tuple[int, ...]  # of its settlements among all


class Plan(BaseModel):
    """Which settlements of a worker's last call went to which partition."""

    model_config = ConfigDict(frozen=True)

    first: Named | None = None  # of all settlements
    count: int = 0
    parts: tuple[PlanPart, ...] = ()

    @classmethod
    def of(cls, settlements: Sequence[Settlement], parts: Mapping[int, Sequence[int]], firsts: Sequence[Named]) -> Plan:
        """Return the plan of a call; `firsts` name the first of each part as its partition knows it."""
        lease = settlements[0].lease
        return cls(
            first=(lease.entry.key, lease.token),
            count=len(settlements),
            parts=tuple(
                PlanPart(number=number, first=first, places=tuple(places))
                for (number, places), first in zip(parts.items(), firsts, strict=True)
            ),
        )

    def of_call(self, last: tuple[UrlKey, int] | None) -> Plan:
        """Return the plan if it is that of the call whose first settlement is `last`, else an empty one."""
        return self if self.first == last else Plan(count=self.count)

    def first_of(self, number: int) -> Named | None:
        """Return the first settlement that a partition got, None for one that got none."""
        return next((part.first for part in self.parts if part.number == number), None)

    def together(self, answers: Mapping[int, tuple[bool, ...]]) -> tuple[bool, ...] | None:
        """Return the answer to the call, None when it never came; what a partition never got was not settled.

        Parameters
        ----------
        answers
            Number of a partition -> its answer.
        """
        settled, came = [False] * self.count, False
        for part in self.parts:
            for place, answer in zip(part.places, answers.get(part.number, ()), strict=False):
                settled[place], came = answer, True
        return tuple(settled) if came else None
