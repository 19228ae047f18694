"""The links of one host that wait, in the buckets of their groups; `selection` chooses among hosts and buckets."""

from __future__ import annotations

from heapq import heappop

from focuscrawl.types import GroupKey, HostKey

Rank = tuple[float, int]
"""(-score, seq) inside a bucket, (-priority, seq) above it: the smaller, the better."""


class Bucket:
    """The queued links of one group on one host. Backends say how they are kept (`head`)."""

    __slots__ = ("group", "host", "offset", "rank", "size", "stamp")

    def __init__(self, host: HostQueue, group: GroupKey, offset: float) -> None:
        self.host = host
        self.group = group  # as entries have it: '' when the host is the group
        self.offset = offset
        self.size = 0  # queued entries, those included whose `not_before` has not come
        self.rank: Rank | None = None  # as it stands in the host's heap
        self.stamp = 0

    def head(self) -> Rank | None:
        """Return (-score, seq) of the best entry that may be leased, None without one."""
        raise NotImplementedError


class HostQueue:
    """A host: its buckets, its leases in flight, and when it may be asked again."""

    __slots__ = ("buckets", "delay_s", "heap", "hold_until", "host", "in_flight", "leased_at", "place", "rank", "stamp")

    def __init__(self, host: HostKey, delay_s: float) -> None:
        self.host = host
        self.delay_s = delay_s
        self.hold_until = 0.0
        self.leased_at = float("-inf")
        self.in_flight = 0
        self.buckets: dict[GroupKey, Bucket] = {}
        self.heap: list[tuple[float, int, int, Bucket]] = []
        # "ready"; "timed": waits; "full": at its limit of leases; "idle": has no entries but waits; "": has no entries
        self.place = ""
        self.rank: Rank | None = None  # in the heap of ready hosts; (time, 0) in that of waiting ones
        self.stamp = 0

    @property
    def ready_at(self) -> float:
        """Unix time from which the host may be asked again."""
        if self.delay_s > 0.0:
            return max(self.hold_until, self.leased_at + self.delay_s)
        return self.hold_until

    def only_delayed(self, now: float) -> bool:
        """Tell whether the host waits for its delay and not for the end of a hold after a failure.

        A robots.txt or redirect read beside a lease holds a host for one or two of its delays.
        """
        return self.hold_until <= now + 2.0 * self.delay_s

    def top_rank(self) -> Rank:
        """Return (-priority, seq) of the best entry; worse than any without one."""
        top = self.top()
        return (float("inf"), 0) if top is None else (top[0], top[1])

    def top(self) -> tuple[float, int, int, Bucket] | None:
        """Return the valid best of the heap, after throwing away stale ranks above it."""
        heap = self.heap
        while heap:
            best = heap[0]
            if best[3].stamp == best[2]:
                return best
            heappop(heap)
        return None
