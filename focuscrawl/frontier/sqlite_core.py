"""The SQLite frontier as one thread sees it: plain calls, no loop."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping, Sequence

from focuscrawl.frontier.base import FrontierStats, Pushed
from focuscrawl.frontier.patience import with_waiting
from focuscrawl.frontier.rows import LEASED, QUEUED, WAITING, Row
from focuscrawl.frontier.sqlite_changes import Changes
from focuscrawl.frontier.sqlite_memory import Memory
from focuscrawl.records import Entry, Lease, Outcome, Settlement
from focuscrawl.storage.crawldb import CrawlDb
from focuscrawl.storage.own_settings import COUNTERS, OPENED, get_setting, put_setting
from focuscrawl.storage.settled import write_settled
from focuscrawl.types import GroupKey, HostKey, UrlKey
from focuscrawl.visits import Revisit

# Tokens of one opening of the file; more than any process leases.
_TOKENS = 1 << 32


class SqliteCore:
    """Selection, leases and known keys in memory; entries in a `CrawlDb`."""

    def __init__(
        self,
        db: CrawlDb,
        *,
        clock: Callable[[], float],
        max_attempts: int,
        delay_s: float,
        wait_per_page_s: float,
        wait_pages: int,
    ) -> None:
        self.db = db
        self._max_attempts = max_attempts
        self._clock = clock
        with db.transaction() as connection:
            opened = get_setting(connection, OPENED, 0) + 1
            put_setting(connection, OPENED, opened)
            _follow_clock(connection, clock())
        self._memory = Memory(
            db.path,
            first_token=opened * _TOKENS,
            delay_s=delay_s,
            wait_per_page_s=wait_per_page_s,
            wait_pages=wait_pages,
        )
        self.load()

    def load(self) -> None:
        """Build memory anew from what is on disk, after a call that failed half-way."""
        with self.db.reading() as db:
            self._memory.load(db, self._clock())

    def close(self) -> None:
        """Keep what would be lost, and close the file."""
        try:
            with self.db.transaction() as db:
                self._keep_asked(db)
                # Leases end with the process.
                self._memory.counts[QUEUED] += self._memory.counts[LEASED]
                self._memory.counts[LEASED] = 0
                put_setting(db, COUNTERS, self._memory.counters(self._memory.counts))
        finally:
            self.db.close()

    # ------------------------------------------------------------ push, lease, settle

    def push(self, entries: Sequence[Entry]) -> Pushed:
        self._housekeeping()
        changes = self._changes(self._clock())
        undecided = self._memory.known.undecided(entries)
        if not undecided:
            return Pushed(known=len(entries))
        changes.find(entry.key for entry in undecided)
        pushed = changes.push(undecided) + Pushed(known=len(entries) - len(undecided))
        changes.commit()
        return pushed

    def visit_again(self, visits: Sequence[Revisit]) -> int:
        changes = self._changes(self._clock())
        changes.find(one.key for one in visits)
        queued = changes.visit_again(visits)
        changes.commit()
        return queued

    def lease(self, n: int, per_host: int, lease_s: float, floor: float) -> list[Lease]:
        now = self._clock()
        self._memory.select.floor = floor
        self._wake(now)
        with self.db.reading() as db:
            return self._memory.lease(db, n, per_host, now=now, expires_at=now + lease_s)

    def renew(self, leases: Sequence[Lease], lease_s: float) -> int:
        expires_at = self._clock() + lease_s
        return sum([self._memory.leases.renew(lease.token, lease.entry.key, expires_at) for lease in leases])

    def settle(self, settlements: Sequence[Settlement]) -> list[bool]:
        self._housekeeping()
        changes = self._changes(self._clock())
        valid: list[tuple[Settlement, Row, list[Entry]] | None] = []
        keys: list[UrlKey] = []
        for settlement in settlements:
            lease = settlement.lease
            leased = self._memory.leases.get(lease.token, lease.entry.key)
            row = changes.end(lease.token, leased) if leased is not None else None
            if row is None:
                valid.append(None)
                continue
            found = self._memory.known.undecided(settlement.found)
            keys += [entry.key for entry in found]
            keys += settlement.also
            valid.append((settlement, row, found))
        settled = [one for one in valid if one is not None]
        if settled:
            changes.find(keys)
            for settlement, row, found in settled:
                changes.settle(row, settlement)
                changes.push(found)
            changes.commit(lambda db: self._write_pages(db, [settlement for settlement, _, _ in settled]))
            self._memory.asked = {}  # on disk now
            for settlement, _, _ in settled:
                if settlement.outcome is Outcome.DONE:
                    self._memory.select.page_fetched()
        return [one is not None for one in valid]

    def release(self, leases: Sequence[Lease], delay_s: float) -> int:
        now = self._clock()
        changes = self._changes(now)
        released = 0
        for lease in leases:
            leased = self._memory.leases.get(lease.token, lease.entry.key)
            row = changes.end(lease.token, leased) if leased is not None else None
            if row is not None:
                changes.give_back(row, now + delay_s if delay_s > 0.0 else None)
                released += 1
        changes.commit()
        return released

    def reap(self) -> int:
        now = self._clock()
        expired = self._memory.leases.expired(now)
        if expired:
            changes = self._changes(now)
            for token, leased in expired:
                row = changes.end(token, leased)
                if row is not None:
                    changes.expire(row)
            changes.commit()
        return len(expired)

    # ------------------------------------------------------------- scores, hosts, times

    def rescore(self, scores: Mapping[UrlKey, float]) -> int:
        changes = self._changes(self._clock())
        changes.find(scores)
        changed = 0
        for key, score in scores.items():
            row = changes.row(key)
            if row is not None and changes.rescore(row, score):
                changed += 1
        if changed:
            changes.commit()
        return changed

    def set_offsets(self, offsets: Mapping[GroupKey, float]) -> int:
        changed = {group: offset for group, offset in offsets.items() if self._memory.select.offset(group) != offset}
        if changed:
            with self.db.transaction() as db:
                db.executemany(
                    "INSERT INTO groups (grp, offset) VALUES (?, ?)"
                    " ON CONFLICT (grp) DO UPDATE SET offset = excluded.offset",
                    changed.items(),
                )
            for group, offset in changed.items():
                self._memory.select.set_offset(group, offset)
        return len(changed)

    def set_host(self, host: HostKey, delay_s: float | None, hold_until: float | None) -> None:
        if delay_s is None and hold_until is None:
            return
        with self.db.transaction() as db:
            db.execute("INSERT INTO hosts (host) VALUES (?) ON CONFLICT (host) DO NOTHING", (host,))
            db.execute(
                "UPDATE hosts SET delay_s = coalesce(?, delay_s), hold_until = coalesce(?, hold_until) WHERE host = ?",
                (delay_s, hold_until, host),
            )
        self._memory.select.set_host(host, delay_s=delay_s, hold_until=hold_until)

    def keep_host(self, host: HostKey, delay_s: float | None, hold_until: float | None) -> None:
        self.set_host(host, delay_s, self._memory.select.longer_hold(host, hold_until))

    def next_ready_at(self, floor: float) -> float | None:
        self._memory.select.floor = floor
        now = self._clock()
        self._wake(now)
        return self._memory.next_ready_at(now)

    def stats(self) -> FrontierStats:
        memory = self._memory
        return with_waiting(FrontierStats(**memory.counters(memory.counts)), memory.select.waiting())

    def queue_order(self, host: HostKey | None, limit: int) -> list[int]:
        """Return numbers of queued entries by falling priority, for `entries`."""
        flying = self._flying
        order = self.db.queue_order(host=host, limit=limit + len(flying))
        return [seq for seq in order if seq not in flying][:limit]

    def entries(self, numbers: Sequence[int]) -> list[Entry]:
        """Return those of some entries that are still queued, in the order given."""
        flying = self._flying
        return [stored.entry for stored in self.db.queued(numbers) if stored.seq not in flying]

    # ----------------------------------------------------------------- private

    @property
    def _flying(self) -> set[int]:
        """Numbers of the entries that are leased; on disk they are queued."""
        return {row.seq for row in self._memory.flying.values()}

    def _changes(self, now: float) -> Changes:
        return Changes(self.db, self._memory, now=now, max_attempts=self._max_attempts)

    def _housekeeping(self) -> None:
        memory = self._memory
        memory.tidy()
        if memory.known.want_indexing(memory.seq):
            with self.db.transaction() as db:
                memory.known.index(db, memory.seq)
            memory.known.indexed()

    def _wake(self, now: float) -> None:
        """Let entries compete whose `not_before` has come."""
        if self._memory.next_due > now:
            return
        changes = self._changes(now)
        for row in changes.find_due():
            changes.wake(row)
        changes.commit()
        with self.db.reading() as db:
            self._memory.see_due(db)

    def _keep_asked(self, db: sqlite3.Connection) -> None:
        if self._memory.asked:
            db.executemany(
                "INSERT INTO hosts (host, leased_at) VALUES (?, ?)"
                " ON CONFLICT (host) DO UPDATE SET leased_at = excluded.leased_at",
                self._memory.asked.items(),
            )

    def _write_pages(self, db: sqlite3.Connection, settlements: Sequence[Settlement]) -> None:
        write_settled(db, settlements, at=self._clock())
        self._keep_asked(db)


def _follow_clock(db: sqlite3.Connection, now: float) -> None:
    """Move the times of a file back with a clock that was set back, or hosts were left alone until it is there again.

    No host was asked later than now: what its row has beyond that is how far the clock went back, or a little less.
    """
    ahead = db.execute("SELECT coalesce(max(leased_at), 0) FROM hosts").fetchone()[0] - now
    if ahead > 0.0:
        db.execute(
            "UPDATE hosts SET leased_at = max(leased_at - :ahead, 0), hold_until = max(hold_until - :ahead, 0)",
            {"ahead": ahead},
        )
        db.execute("UPDATE entries SET not_before = not_before - ? WHERE state = ?", (ahead, WAITING))
