"""Bucket of entries in SQLite that keeps its best few in memory."""

from __future__ import annotations

from bisect import bisect_left, insort

from focuscrawl.frontier.host_queue import Bucket, HostQueue, Rank
from focuscrawl.types import GroupKey

# The best entries of a bucket kept in memory: read at once when the last is gone, so a read serves as many leases.
WINDOW = 8
# New entries better than the worst known are kept too, until there are so many.
_MOST = 16
# Most buckets are never read from disk, and of those only two are kept: one to lease, and one that tells how good the
# next is. Sixteen of each took 30 MB more with a million links in 20,000 buckets.
_UNREAD = 2


class WindowBucket(Bucket):
    """The best entries of one group on one host: ranks only, in order, the rest being on disk.

    `best` holds the ranks of the `len(best)` best entries that may be leased. When it is empty and `ready` is not 0,
    the bucket must be loaded before it can be leased from; until then `bound`, which no entry on disk beats, stands
    for its best.
    """

    __slots__ = ("best", "bound", "number", "read", "ready")

    def __init__(self, host: HostQueue, group: GroupKey, offset: float) -> None:
        super().__init__(host, group, offset)
        self.number = 0  # of its row in the database
        self.best: list[Rank] = []
        self.bound: Rank = (0.0, 0)
        self.read = False  # whether entries were read from disk: it is leased from
        self.ready = 0  # entries that may be leased

    def head(self) -> Rank | None:
        if self.best:
            return self.best[0]
        return self.bound if self.ready else None

    @property
    def unloaded(self) -> bool:
        """Whether entries must be read from disk before one can be taken."""
        return not self.best and self.ready > 0

    def add(self, rank: Rank) -> None:
        """Add an entry that may be leased."""
        best = self.best
        if best:
            if rank < best[-1] or len(best) == self.ready:
                insort(best, rank)
                if len(best) > (_MOST if self.read else _UNREAD):
                    del best[WINDOW if self.read else _UNREAD :]
        elif not self.ready:
            best.append(rank)
        elif rank < self.bound:
            self.bound = rank
        self.ready += 1

    def remove(self, rank: Rank) -> None:
        """Take out an entry that could have been leased."""
        self.ready -= 1
        best = self.best
        index = bisect_left(best, rank)
        if index < len(best) and best[index] == rank:
            del best[index]
            if not best:
                self.bound = rank  # all others are worse

    def take(self) -> Rank:
        """Take out the best entry; the bucket must be loaded and not empty."""
        self.ready -= 1
        rank = self.best.pop(0)
        if not self.best:
            self.bound = rank
        return rank

    def load(self, best: list[Rank]) -> None:
        """Take the best entries, as read from disk."""
        self.best = best
        self.read = True
