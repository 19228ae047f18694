"""A frontier that lives in the process: for tests, simulation and crawls that need not survive."""

from __future__ import annotations

import math
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import replace
from heapq import heapify, heappop, heappush, nsmallest

from focuscrawl.frontier.base import FrontierStats, Pushed
from focuscrawl.frontier.host_queue import Bucket, HostQueue, Rank
from focuscrawl.frontier.leases import LeaseBook
from focuscrawl.frontier.patience import Patience, with_waiting
from focuscrawl.frontier.rules import MAX_EXPIRIES, acceptable, check_host, check_offsets, check_options, with_score
from focuscrawl.frontier.selection import Selection
from focuscrawl.records import Entry, Lease, Outcome, Settlement
from focuscrawl.types import GroupKey, HostKey, UrlKey

# Stale items a heap of entries or leases may hold before it is worth rebuilding.
_STALE_ALLOWED = 64


class _Queued:
    """An entry that is queued or leased."""

    __slots__ = ("attempts", "bucket", "entry", "expiries", "not_before", "seq", "stamp", "waiting")

    def __init__(self, entry: Entry, seq: int) -> None:
        self.entry = entry
        self.seq = seq
        self.attempts = 0  # that have failed
        self.expiries = 0  # leases that ran out
        self.not_before = entry.not_before
        self.bucket: _HeapBucket | None = None  # None while it is leased
        self.waiting = False  # queued, but `not_before` has not come
        self.stamp = 0  # of its one valid place in the bucket's heap


class _HeapBucket(Bucket):
    """All queued links of one group on one host, best first. Items with an old stamp are stale."""

    __slots__ = ("heap",)

    def __init__(self, host: HostQueue, group: GroupKey, offset: float) -> None:
        super().__init__(host, group, offset)
        self.heap: list[tuple[float, int, int, _Queued]] = []

    def head(self) -> Rank | None:
        heap = self.heap
        while heap:
            score, seq, stamp, queued = heap[0]
            if queued.stamp == stamp:
                return score, seq
            heappop(heap)
        return None

    def put(self, queued: _Queued) -> None:
        """Add an entry that may be leased, or move it to where its new score belongs."""
        heap = self.heap
        queued.stamp += 1
        heappush(heap, (-queued.entry.score, queued.seq, queued.stamp, queued))
        if len(heap) > 2 * self.size + _STALE_ALLOWED:
            self.heap = [item for item in heap if item[3].stamp == item[2]]
            heapify(self.heap)

    def take(self) -> _Queued:
        """Take out the best entry; `head` must have returned one."""
        queued = heappop(self.heap)[3]
        queued.stamp += 1
        return queued


class MemoryFrontier:
    """The frontier contract without a disk: what it holds is gone with the process.

    Parameters
    ----------
    clock
        Gives the time in Unix seconds.
    max_attempts
        Failed attempts after which an entry counts as failed.
    delay_s
        Seconds between two leases of the same host, where `set_host` said nothing else; 0 for none.
    wait_per_page_s
        Seconds a page, in the mean, that better links of hosts that may not be asked yet are waited for; 0: none.
    wait_pages
        Pages that give such seconds, those the crawl may fetch; 0 for no limit.

    Raises
    ------
    FrontierError
        If an option is wrong.
    """

    durable = False

    def __init__(
        self,
        *,
        clock: Callable[[], float] = time.time,
        max_attempts: int = 3,
        delay_s: float = 0.0,
        wait_per_page_s: float = 0.0,
        wait_pages: int = 0,
    ) -> None:
        check_options(
            max_attempts=max_attempts, delay_s=delay_s, wait_per_page_s=wait_per_page_s, wait_pages=wait_pages
        )
        self._clock = clock
        self._max_attempts = max_attempts
        self._select = Selection(_HeapBucket, delay_s=delay_s, patience=Patience(wait_per_page_s, pages=wait_pages))
        self._known: dict[UrlKey, _Queued | Outcome] = {}
        self._waiting: list[tuple[float, int, _Queued]] = []  # not_before has not come
        self._leases: LeaseBook[_Queued] = LeaseBook()
        self._seq = 0
        self._queued = 0
        self._ended = dict.fromkeys(Outcome, 0)

    async def open(self) -> None:
        """Do nothing: a frontier in memory is ready once it is made."""

    async def close(self) -> None:
        """Do nothing: leases and entries stay until the object goes."""

    async def push(self, entries: Sequence[Entry]) -> Pushed:
        return self._push(entries)

    async def lease(self, n: int, *, worker: str, per_host: int, lease_s: float) -> list[Lease]:
        del worker  # one process: whose lease it is matters to nobody
        now = self._clock()
        self._wake(now)
        leases: list[Lease] = []
        while len(leases) < n:
            bucket = self._select.pick(now, per_host)
            if bucket is None:
                break
            queued = bucket.take()
            queued.bucket = None
            bucket.size -= 1
            self._queued -= 1
            priority = bucket.offset + queued.entry.score
            self._select.leased(bucket, now)
            token = self._leases.add(queued, queued.entry.key, now + lease_s)
            leases.append(Lease(queued.entry, token, now + lease_s, queued.attempts + queued.expiries + 1, priority))
        return leases

    async def renew(self, leases: Sequence[Lease], lease_s: float) -> int:
        expires_at = self._clock() + lease_s
        return sum([self._leases.renew(lease.token, lease.entry.key, expires_at) for lease in leases])

    async def settle(self, settlements: Sequence[Settlement]) -> list[bool]:
        return [self._settle(settlement) for settlement in settlements]

    async def release(self, leases: Sequence[Lease], *, delay_s: float = 0.0) -> int:
        now = self._clock()
        released = 0
        for lease in leases:
            queued = self._end(lease)
            if queued is not None:
                if delay_s > 0.0:
                    queued.not_before = now + delay_s
                    queued.entry = replace(queued.entry, not_before=queued.not_before)
                self._queue(queued, now)
                released += 1
        return released

    async def reap(self) -> int:
        now = self._clock()
        expired = self._leases.expired(now)
        for token, queued in expired:
            self._leases.end(token)
            self._select.returned(queued.entry.host)
            queued.expiries += 1
            self._again(queued, now)
        return len(expired)

    async def rescore(self, scores: Mapping[UrlKey, float]) -> int:
        changed = 0
        for key, score in scores.items():
            queued = self._known.get(key)
            if (
                isinstance(queued, _Queued)
                and queued.bucket is not None
                and queued.entry.score != score
                and math.isfinite(score)
            ):
                self._rescore(queued, with_score(queued.entry, score, queued.entry))
                changed += 1
        return changed

    async def set_offsets(self, offsets: Mapping[GroupKey, float]) -> int:
        check_offsets(offsets)
        return sum([self._select.set_offset(group, offset) for group, offset in offsets.items()])

    async def set_host(self, host: HostKey, *, delay_s: float | None = None, hold_until: float | None = None) -> None:
        check_host(host, delay_s=delay_s, hold_until=hold_until)
        self._select.set_host(host, delay_s=delay_s, hold_until=hold_until)

    async def keep_host(self, host: HostKey, *, delay_s: float | None = None, hold_until: float | None = None) -> None:
        check_host(host, delay_s=delay_s, hold_until=hold_until)
        self._select.set_host(host, delay_s=delay_s, hold_until=self._select.longer_hold(host, hold_until))

    async def next_ready_at(self) -> float | None:
        now = self._clock()
        self._wake(now)
        if not self._queued:
            return None
        times: list[float] = []
        host_at = self._select.next_ready_at(now)
        if host_at is not None:
            times.append(host_at)
        if self._waiting:
            times.append(self._waiting[0][0])
        if self._select.full_count:
            # A host at its limit goes on when a lease ends; at the latest, when one can be reaped.
            times.append(max(now, self._leases.first_expiry() or now))
        return min(times)

    async def stats(self) -> FrontierStats:
        stats = FrontierStats(
            queued=self._queued,
            leased=len(self._leases),
            done=self._ended[Outcome.DONE],
            failed=self._ended[Outcome.FAILED],
            refused=self._ended[Outcome.REFUSED],
            hosts=self._select.host_count,
            groups=self._select.group_count,
        )
        return with_waiting(stats, self._select.waiting())

    async def entries(self, *, host: HostKey | None = None, limit: int = 100) -> AsyncIterator[Entry]:
        """Yield queued entries by falling priority."""
        ranked = (
            (-(queued.bucket.offset + queued.entry.score), queued.seq, queued.entry)
            for queued in self._known.values()
            if isinstance(queued, _Queued) and queued.bucket is not None and host in (None, queued.entry.host)
        )
        for _, _, entry in nsmallest(limit, ranked):
            yield entry

    # ----------------------------------------------------------------- private

    def _push(self, entries: Sequence[Entry]) -> Pushed:
        added = raised = known = refused = 0
        now = None
        records = self._known
        for entry in entries:
            queued = records.get(entry.key)
            if queued is None:
                if not acceptable(entry):
                    refused += 1
                    continue
                if now is None:
                    now = self._clock()
                self._seq += 1
                queued = records[entry.key] = _Queued(entry, self._seq)
                self._queue(queued, now)
                added += 1
            elif (
                isinstance(queued, _Queued)
                and queued.bucket is not None
                and entry.score > queued.entry.score
                and math.isfinite(entry.score)
            ):
                self._rescore(queued, with_score(queued.entry, entry.score, entry))
                raised += 1
            else:
                known += 1
        return Pushed(added, raised, known, refused)

    def _queue(self, queued: _Queued, now: float) -> None:
        """Put an entry that is in no bucket into its own."""
        entry = queued.entry
        bucket = self._select.bucket(entry.host, entry.group)
        queued.bucket = bucket
        bucket.size += 1
        self._queued += 1
        if queued.not_before > now:
            queued.waiting = True
            heappush(self._waiting, (queued.not_before, queued.seq, queued))
        else:
            bucket.put(queued)
            self._select.changed(bucket)

    def _unqueue(self, queued: _Queued) -> None:
        bucket = queued.bucket
        assert bucket is not None
        queued.bucket, queued.waiting = None, False
        queued.stamp += 1
        bucket.size -= 1
        self._queued -= 1
        self._select.changed(bucket)

    def _rescore(self, queued: _Queued, entry: Entry) -> None:
        bucket = queued.bucket
        assert bucket is not None
        queued.entry = entry
        if not queued.waiting:
            bucket.put(queued)
            self._select.changed(bucket)

    def _wake(self, now: float) -> None:
        """Let entries compete whose `not_before` has come."""
        waiting = self._waiting
        while waiting and waiting[0][0] <= now:
            at, _, queued = heappop(waiting)
            if queued.waiting and queued.not_before == at and queued.bucket is not None:
                queued.waiting = False
                queued.bucket.put(queued)
                self._select.changed(queued.bucket)

    def _end(self, lease: Lease) -> _Queued | None:
        """Take back a lease; None when it is not valid any more."""
        queued = self._leases.get(lease.token, lease.entry.key)
        if queued is not None:
            self._leases.end(lease.token)
            self._select.returned(lease.entry.host)
        return queued

    def _settle(self, settlement: Settlement) -> bool:
        queued = self._end(settlement.lease)
        if queued is None:
            return False
        if settlement.outcome is Outcome.FAILED:
            queued.attempts += 1
            self._again(queued, self._clock())
        else:
            self._finish(queued.entry.key, settlement.outcome)
            if settlement.outcome is Outcome.DONE:
                self._select.page_fetched()
        for key in settlement.also:
            other = self._known.get(key)
            if other is None:
                self._finish(key, Outcome.DONE)
            elif isinstance(other, _Queued) and other.bucket is not None:
                self._unqueue(other)
                self._finish(key, Outcome.DONE)
        if settlement.found:
            self._push(settlement.found)
        return True

    def _again(self, queued: _Queued, now: float) -> None:
        if queued.attempts >= self._max_attempts or queued.expiries >= MAX_EXPIRIES:
            self._finish(queued.entry.key, Outcome.FAILED)
        else:
            self._queue(queued, now)

    def _finish(self, key: UrlKey, outcome: Outcome) -> None:
        self._known[key] = outcome
        self._ended[outcome] += 1


def factory(
    *,
    location: str = "",
    clock: Callable[[], float] = time.time,
    max_attempts: int = 3,
    delay_s: float = 0.0,
    wait_per_page_s: float = 0.0,
    wait_pages: int = 0,
) -> MemoryFrontier:
    """Build the frontier ``memory``; it has no location."""
    del location
    return MemoryFrontier(
        clock=clock,
        max_attempts=max_attempts,
        delay_s=delay_s,
        wait_per_page_s=wait_per_page_s,
        wait_pages=wait_pages,
    )
