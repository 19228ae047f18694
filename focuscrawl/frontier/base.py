"""The frontier contract: what to fetch next, leased and settled, in three levels host, group, URL.

Every backend passes ``tests/contract/test_frontier.py``. What must hold:

1. `push` of a new key queues it. A key already queued keeps the higher score (``raised``). A key leased, done,
   failed or refused is ``known`` and never queued twice.
2. `lease` hands out at most ``n`` entries, at most ``per_host`` of a host that are in flight at once, only from hosts
   whose delay has passed and that are not held, only entries whose ``not_before`` has come. The order is by priority
   (offset of the group + local score), then by discovery: the best entry of all ready hosts comes first.
   No host is handed out twice inside its delay, also when two `lease` calls race. An embedded backend with
   ``wait_per_page_s`` hands out nothing while a better entry waits for its host's delay (`frontier.patience`).
3. `settle` is valid once for a token. A late one (the lease was reaped) returns False and changes nothing, and queues
   none of its links. Settling, the links found and the page's record become visible together or not at all.
4. `reap` returns expired leases to the queue with the old score and ``attempt + 1``. Such an *expiry* is no failure of
   the URL: an entry is failed after ``max_attempts`` failed attempts, or after `rules.MAX_EXPIRIES` expiries.
5. `release` gives back unused leases without counting an attempt.
6. After `close` and `open`, queued and leased entries of a durable backend are still there. `open` of an embedded
   backend returns leases of a dead process to the queue at once.
7. `set_offsets` moves all queued links of a group at the cost of one update.
8. `stats` is exact for the embedded backends.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from focuscrawl.records import Entry, Lease, Settlement
from focuscrawl.types import GroupKey, HostKey, UrlKey


@dataclass(frozen=True, slots=True)
class Pushed:
    """Counts of pushed entries by outcome; the four add up to their number."""

    added: int = 0
    raised: int = 0
    known: int = 0
    refused: int = 0

    def __add__(self, other: Pushed) -> Pushed:
        return Pushed(
            self.added + other.added,
            self.raised + other.raised,
            self.known + other.known,
            self.refused + other.refused,
        )


@dataclass(frozen=True, slots=True)
class FrontierStats:
    """Counters of a frontier."""

    queued: int = 0
    leased: int = 0
    done: int = 0
    failed: int = 0
    refused: int = 0
    hosts: int = 0
    groups: int = 0
    waits_for: int = 0  # hosts that have better links than those that are ready, and are waited for
    waits_until: float = 0.0  # Unix time at which the first of them may be asked

    @property
    def known(self) -> int:
        """All keys the frontier remembers."""
        return self.queued + self.leased + self.ended

    @property
    def ended(self) -> int:
        """Keys that are done with."""
        return self.done + self.failed + self.refused


class Frontier(Protocol):
    """See the module's docstring for the contract. All times are Unix seconds from the injected clock."""

    durable: bool

    async def open(self) -> None: ...

    async def close(self) -> None: ...

    async def push(self, entries: Sequence[Entry]) -> Pushed: ...

    async def lease(self, n: int, *, worker: str, per_host: int, lease_s: float) -> list[Lease]: ...

    async def renew(self, leases: Sequence[Lease], lease_s: float) -> int: ...

    async def settle(self, settlements: Sequence[Settlement]) -> list[bool]:
        """Settle in one transaction; one bool a settlement, False for a token that is not valid any more."""
        ...

    async def release(self, leases: Sequence[Lease], *, delay_s: float = 0.0) -> int: ...

    async def reap(self) -> int: ...

    async def rescore(self, scores: Mapping[UrlKey, float]) -> int: ...

    async def set_offsets(self, offsets: Mapping[GroupKey, float]) -> int: ...

    async def set_host(
        self, host: HostKey, *, delay_s: float | None = None, hold_until: float | None = None
    ) -> None: ...

    async def keep_host(self, host: HostKey, *, delay_s: float | None = None, hold_until: float | None = None) -> None:
        """Set the delay or the hold of a host as `set_host` does, but a hold that is longer stays."""
        ...

    async def next_ready_at(self) -> float | None:
        """Return when the next queued entry can be leased at the earliest, None when nothing is queued."""
        ...

    async def stats(self) -> FrontierStats: ...

    def entries(self, *, host: HostKey | None = None, limit: int = 100) -> AsyncIterator[Entry]:
        """Yield queued entries by falling priority."""
        ...
