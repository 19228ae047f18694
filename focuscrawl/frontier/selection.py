"""Selection of the next lease: the best entry of the best group of the best ready host.

Shared by the embedded backends. Three levels of heaps hold ranks ``(-priority, seq)``, smallest first:

- a bucket (the links of one group on one host) knows the rank of its best entry, in whatever way it keeps them;
- a host holds a heap over its buckets;
- the selection holds a heap over hosts that are ready, and one over hosts that wait, by the time they become ready.

Heaps are not searched for what has changed: a changed rank is pushed anew with a fresh stamp, and what carries an
old stamp is thrown away when it comes to the top. A heap of which more than half is stale is rebuilt. So every
operation costs the logarithm of the number of buckets of a host plus that of the number of hosts, whatever the
number of URLs, and moving all links of a group by an offset costs the same as pushing one link.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from heapq import heapify, heappop, heappush
from itertools import count
from typing import Generic, TypeVar

from focuscrawl.frontier.host_queue import Bucket, HostQueue, Rank
from focuscrawl.frontier.patience import LONGEST_WAIT_S, Patience, Waiting
from focuscrawl.types import GroupKey, HostKey

# A heap may hold this many stale ranks before the share of them counts: small heaps are not worth rebuilding.
_STALE_ALLOWED = 64
# How long the last lease of a host without entries is remembered, should it be given a delay: no host that is crawled
# at all is given a longer one.
_REMEMBERED_S = 3600.0


BucketT = TypeVar("BucketT", bound=Bucket)


class Selection(Generic[BucketT]):
    """Ready hosts, waiting hosts and their buckets. Not thread-safe: one thread owns it.

    Parameters
    ----------
    make
        Builds an empty bucket from its host, group and offset.
    delay_s
        Seconds between two leases of a host of which nothing else was said; 0 for none.
    now
        The present time, where hosts that wait are taken up from an earlier selection.
    patience
        For better links of hosts that are not ready; None: they are never waited for.
    """

    def __init__(
        self,
        make: Callable[[HostQueue, GroupKey, float], BucketT],
        *,
        delay_s: float = 0.0,
        now: float = float("-inf"),
        patience: Patience | None = None,
    ) -> None:
        self._make = make
        self._patience = patience or Patience()
        self._delay_s = delay_s
        self._hosts: dict[HostKey, HostQueue] = {}
        self._by_group: dict[GroupKey, list[BucketT]] = {}
        self._offsets: dict[GroupKey, float] = {}
        self._delays: dict[HostKey, float] = {}  # only hosts with a delay of their own
        self._leased_at: dict[HostKey, float] = {}  # last leases of hosts that are forgotten otherwise
        self._leased_at_limit = _STALE_ALLOWED
        self._ready: list[tuple[float, int, int, HostQueue]] = []
        self._timed: list[tuple[float, int, HostQueue]] = []
        self._per_host = 1
        self._stamps = count(1)
        self._now = now
        self._ready_count = 0
        self.floor = float("-inf")  # entries of a lower priority are not handed out
        self.full_count = 0  # hosts with entries that are at their limit of leases
        self.host_count = 0  # hosts with queued entries
        self.group_count = 0  # buckets with queued entries

    # ---------------------------------------------------------------- buckets

    def host(self, name: HostKey) -> HostQueue:
        """Return the host, made on first use."""
        host = self._hosts.get(name)
        if host is None:
            host = self._hosts[name] = HostQueue(name, self._delays.get(name, self._delay_s))
            host.leased_at = self._leased_at.pop(name, host.leased_at)
        return host

    def find(self, host: HostKey, group: GroupKey) -> BucketT | None:
        """Return the bucket of `group` on `host`, None when nothing is queued there."""
        found = self._hosts.get(host)
        return found.buckets.get(group) if found else None  # type: ignore[return-value]

    def bucket(self, host: HostKey, group: GroupKey) -> BucketT:
        """Return the bucket of `group` on `host`, made on first use; the caller adds an entry and says `changed`."""
        queue = self.host(host)
        bucket: BucketT | None = queue.buckets.get(group)  # type: ignore[assignment]
        if bucket is None:
            name = group or host
            bucket = self._make(queue, group, self._offsets.get(name, 0.0))
            if not queue.buckets:
                self.host_count += 1
            queue.buckets[group] = bucket
            self.group_count += 1
            self._by_group.setdefault(name, []).append(bucket)
        return bucket

    def buckets(self) -> Iterator[BucketT]:
        """Yield all buckets that hold queued entries."""
        for same in self._by_group.values():
            yield from same

    def changed(self, bucket: BucketT) -> None:
        """Take note that the best entry, the size or the offset of `bucket` may have changed."""
        head = bucket.head()
        rank = None if head is None else (head[0] - bucket.offset, head[1])
        if rank != bucket.rank:
            bucket.rank = rank
            bucket.stamp = next(self._stamps)
            host = bucket.host
            if rank is not None:
                item: tuple[float, int, int, Bucket] = (rank[0], rank[1], bucket.stamp, bucket)
                heappush(host.heap, item)
                if len(host.heap) > 2 * len(host.buckets) + _STALE_ALLOWED:
                    host.heap = [old for old in host.heap if old[3].stamp == old[2]]
                    heapify(host.heap)
            self._put(host)
        if bucket.size == 0:
            self._drop(bucket)

    def _drop(self, bucket: BucketT) -> None:
        host = bucket.host
        if host.buckets.pop(bucket.group, None) is None:
            return
        self.group_count -= 1
        name = bucket.group or host.host
        same = self._by_group[name]
        if len(same) == 1:
            del self._by_group[name]
        else:
            same.remove(bucket)
        if not host.buckets:
            host.heap.clear()
            self.host_count -= 1
            self._put(host)

    # ------------------------------------------------------------------ leases

    def pick(self, now: float, per_host: int) -> BucketT | None:
        """Return the bucket whose head is to be leased now; the caller takes it out and calls `leased`."""
        self._advance(now, per_host)
        while self._ready:
            _, _, stamp, host = self._ready[0]
            if host.stamp != stamp:
                heappop(self._ready)
                continue
            if host.ready_at > now:  # the clock went back
                self._put(host)
                continue
            best = host.top()
            assert best is not None
            if -best[0] < self.floor:
                return None
            if self._patience.look(now) and self._better_later(now, -best[0]):
                return None
            return best[3]  # type: ignore[return-value]
        return None

    def page_fetched(self) -> None:
        """Count a page, which earns some seconds of waiting for better links."""
        self._patience.earned()

    def waiting(self) -> Waiting | None:
        """Return what is waited for while links are ready, None when nothing is."""
        until = self._patience.until
        if until is None:
            return None
        ready = min((h.top_rank() for _, _, stamp, h in self._ready if h.stamp == stamp), default=(float("inf"), 0))
        hosts = [host for host in self._soon(self._now) if host.top_rank() < ready]
        return Waiting(len(hosts), min((h.ready_at for h in hosts), default=until))

    def _better_later(self, now: float, ready: float) -> bool:
        """Tell whether to wait for a host with a better link than the best that is ready."""
        best: HostQueue | None = None
        for host in self._soon(now):
            if best is None or host.top_rank() < best.top_rank():
                best = host
        return best is not None and self._patience.waits(now, ready=ready, better=-best.top_rank()[0], at=best.ready_at)

    def _soon(self, now: float) -> Iterator[HostQueue]:
        """Yield the hosts that only wait for their delay; one on a longer hold has failed or is not to be asked now."""
        latest, timed = now + LONGEST_WAIT_S, self._timed
        places = [0]
        while places:
            place = places.pop()
            # What lies below a place of the heap is ready no sooner: hosts on long holds are not looked at.
            if place < len(timed) and timed[place][0] <= latest:
                _, stamp, host = timed[place]
                if host.stamp == stamp and host.place == "timed" and host.only_delayed(now):
                    yield host
                places += (2 * place + 1, 2 * place + 2)

    def leased(self, bucket: BucketT, now: float) -> None:
        """Count a lease of an entry of `bucket`, which has been taken out of it."""
        host = bucket.host
        host.in_flight += 1
        host.leased_at = now
        stamp = bucket.stamp
        self.changed(bucket)
        if bucket.stamp == stamp:
            self._put(host)

    def returned(self, name: HostKey) -> None:
        """Count the end of a lease of the host, however it ended."""
        host = self._hosts.get(name)
        if host is None:
            return
        host.in_flight -= 1
        self._put(host)

    # ------------------------------------------------------------ offsets, hosts

    def set_offset(self, group: GroupKey, offset: float) -> bool:
        """Move all links of a group; return whether the offset is a new one."""
        if self._offsets.get(group, 0.0) == offset:
            return False
        self._offsets[group] = offset
        for bucket in self._by_group.get(group, ()):
            bucket.offset = offset
            self.changed(bucket)
        return True

    def offset(self, group: GroupKey) -> float:
        """Return the offset of a group, 0 when none was set."""
        return self._offsets.get(group, 0.0)

    def set_host(self, name: HostKey, *, delay_s: float | None = None, hold_until: float | None = None) -> None:
        """Set the delay between leases of a host, or the time until which it is left alone."""
        host = self.host(name)
        if delay_s is not None:
            self._delays[name] = host.delay_s = delay_s
        if hold_until is not None:
            host.hold_until = hold_until
        self._put(host)

    def longer_hold(self, name: HostKey, hold_until: float | None) -> float | None:
        """Return the later of a time and the one until which a host is left alone anyway; None for None."""
        host = self._hosts.get(name)
        return hold_until if hold_until is None or host is None else max(hold_until, host.hold_until)

    def resume(self, name: HostKey, *, leased_at: float | None = None, in_flight: int = 0) -> None:
        """Take up what an earlier selection knew of a host; its entries are added afterwards."""
        host = self.host(name)
        if leased_at is not None:
            host.leased_at = leased_at
        host.in_flight += in_flight
        self._put(host)

    def next_ready_at(self, now: float) -> float | None:
        """Return when the next host with entries is ready; None when none is, or all are at their limit of leases."""
        self._advance(now, self._per_host)
        if self.floor > float("-inf"):
            above = (
                h for h in self._hosts.values() if h.place in ("ready", "timed") and -h.top_rank()[0] >= self.floor
            )
            return min((max(now, host.ready_at) for host in above), default=None)
        if self._ready_count:
            until = self._patience.until
            return now if until is None else max(now, until)
        timed = self._timed
        while timed:
            at, stamp, host = timed[0]
            if host.stamp == stamp and host.place == "timed":
                return at
            heappop(timed)
        return None

    # ----------------------------------------------------------------- private

    def _advance(self, now: float, per_host: int) -> None:
        """Let in the hosts whose time has come, and those that a higher limit of leases sets free."""
        self._now = now
        if per_host != self._per_host:
            self._per_host = per_host
            for host in list(self._hosts.values()):
                if host.in_flight:
                    self._put(host)
        timed = self._timed
        while timed and timed[0][0] <= now:
            _, stamp, host = heappop(timed)
            if host.stamp == stamp:
                self._put(host)

    def _forget(self, host: HostQueue) -> None:
        """Let go of a host that has no entries and need not wait, but for the time of its last lease."""
        if self._hosts.pop(host.host, None) is None:
            return
        oldest = self._now - _REMEMBERED_S
        if host.leased_at > oldest:
            self._leased_at[host.host] = host.leased_at
        if len(self._leased_at) > self._leased_at_limit:
            self._leased_at = {name: at for name, at in self._leased_at.items() if at > oldest}
            self._leased_at_limit = 2 * len(self._leased_at) + _STALE_ALLOWED

    def _put(self, host: HostQueue) -> None:
        """Move the host to where it belongs now."""
        top = host.top()
        ready_at = host.ready_at
        rank: Rank | None = None
        if top is None:
            # A host without entries is forgotten once nothing is known of it that would have to be kept.
            if host.in_flight or host.buckets:
                place = ""
            elif ready_at > self._now:
                place, rank = "idle", (ready_at, 0)
            else:
                place = ""
                self._forget(host)
        elif host.in_flight >= self._per_host:
            place = "full"
        elif ready_at > self._now:
            place, rank = "timed", (ready_at, 0)
        else:
            place, rank = "ready", (top[0], top[1])
        if place == host.place and rank == host.rank:
            return
        if host.place == "ready":
            self._ready_count -= 1
        elif host.place == "full":
            self.full_count -= 1
        host.place, host.rank, host.stamp = place, rank, next(self._stamps)
        if place == "ready":
            assert rank is not None
            self._ready_count += 1
            heappush(self._ready, (rank[0], rank[1], host.stamp, host))
            if len(self._ready) > 2 * self._ready_count + _STALE_ALLOWED:
                self._ready = [item for item in self._ready if item[3].stamp == item[2]]
                heapify(self._ready)
        elif place == "full":
            self.full_count += 1
        elif rank is not None:
            heappush(self._timed, (rank[0], host.stamp, host))
            if len(self._timed) > 2 * len(self._hosts) + _STALE_ALLOWED:
                self._timed = [item for item in self._timed if item[2].stamp == item[1]]
                heapify(self._timed)
