"""The SQLite frontier as one thread sees it: plain calls, no loop."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence

from focuscrawl.frontier import rows as sql
from focuscrawl.frontier.base import FrontierStats, Pushed
from focuscrawl.frontier.patience import with_waiting
from focuscrawl.frontier.rows import DONE, FAILED, LEASED, NEW, QUEUED, REFUSED, WAITING, Row
from focuscrawl.frontier.rules import MAX_LAPSES, acceptable
from focuscrawl.frontier.sqlite_memory import Memory
from focuscrawl.records import Entry, Lease, Outcome, Settlement
from focuscrawl.storage.crawldb import CrawlDb
from focuscrawl.storage.own_settings import COUNTERS, OPENED, get_setting, put_setting
from focuscrawl.storage.settled import write_settled
from focuscrawl.types import GroupKey, HostKey, UrlKey

# Tokens of one opening of the file; more than any process leases.
_TOKENS = 1 << 32
_ENDED = {Outcome.DONE: DONE, Outcome.FAILED: FAILED, Outcome.REFUSED: REFUSED}


class Changes:
    """One transaction of the SQLite frontier: what it reads, decides and writes, and what memory takes up then.

    Everything is decided on `Row` copies first, then written, then committed; only then memory follows. A transaction
    that fails has changed nothing, on disk or in memory.
    """

    def __init__(self, db: CrawlDb, memory: Memory, *, now: float, max_attempts: int) -> None:
        self._db = db
        self._memory = memory
        self._now = now
        self._max_attempts = max_attempts
        self._rows: dict[UrlKey, Row] = {}
        self._touched: dict[UrlKey, Row] = {}
        self._write: dict[UrlKey, Row] = {}
        self._explained: dict[UrlKey, Row] = {}
        self._ended: dict[int, Row] = {}  # token -> row of its lease
        self._seq = memory.seq

    # ------------------------------------------------------------------ reading

    def find(self, keys: Iterable[UrlKey]) -> None:
        """Read the rows of `keys`; keys without one were never seen."""
        known, flying, fresh = self._rows, self._memory.flying, self._memory.known.fresh
        seqs: list[int] = []
        others: list[UrlKey] = []
        for key in set(keys):
            if key in known:
                continue
            row = flying.get(key)
            if row is not None:
                known[key] = row.copy()
            elif key in fresh:
                seqs.append(fresh[key])
            else:
                others.append(key)
        with self._db.reading() as db:
            self._add(sql.find_by_seq(db, seqs))
            self._add(sql.find_by_key(db, others))

    def find_due(self) -> list[Row]:
        """Read the waiting rows whose `not_before` has come."""
        with self._db.reading() as db:
            self._add(sql.find_due(db, self._now))
        return list(self._rows.values())

    def _add(self, rows: Iterable[Row]) -> None:
        live = self._memory.live
        for row in rows:
            bucket = live.get(row.number) if row.number is not None else None
            if bucket is not None:  # else nothing of it is queued, and its place does not matter
                row.host, row.group = bucket.host.host, bucket.group
            self._rows[row.key] = row

    def row(self, key: UrlKey) -> Row | None:
        """Return the row of a key that was asked for by `find`."""
        return self._rows.get(key)

    # ----------------------------------------------------------------- deciding

    def push(self, entries: Sequence[Entry]) -> Pushed:
        """Queue entries, or raise their scores; `find` must have been asked for their keys."""
        rows = self._rows
        added = raised = known = refused = 0
        for entry in entries:
            row = rows.get(entry.key)
            if row is None:
                if not acceptable(entry):
                    refused += 1
                    continue
                self._seq += 1
                row = rows[entry.key] = Row.new(entry, self._seq, self._waits(entry.not_before))
                self._change(row)
                added += 1
            elif row.state in (QUEUED, WAITING) and entry.score > row.score and math.isfinite(entry.score):
                row.raise_to(entry)
                self._change(row)
                self._explained[row.key] = row
                raised += 1
            else:
                known += 1
        return Pushed(added, raised, known, refused)

    def rescore(self, row: Row, score: float) -> bool:
        """Give a queued row another score; return whether that changes anything."""
        if row.state not in (QUEUED, WAITING) or row.score == score or not math.isfinite(score):
            return False
        row.score = score
        self._change(row)
        return True

    def wake(self, row: Row) -> None:
        """Let a waiting row compete."""
        row.state = QUEUED
        self._change(row)

    def end(self, token: int, row: Row) -> Row | None:
        """End the lease of `row`, None when this transaction has ended it already; return the row to work on."""
        if token in self._ended:
            return None
        mine = self._rows.setdefault(row.key, row.copy())
        self._ended[token] = mine
        return mine

    def settle(self, row: Row, settlement: Settlement) -> None:
        """Settle a row whose lease was ended, and what comes with it."""
        if settlement.outcome is Outcome.FAILED:
            row.attempts += 1
            self._again(row)
        else:
            row.state = _ENDED[settlement.outcome]
            self._change(row)
        for key in settlement.also:
            other = self._rows.get(key)
            if other is None:
                self._seq += 1
                other = self._rows[key] = Row.alias(key, row.key, self._seq)
            elif other.state in (QUEUED, WAITING):
                other.state = DONE
            else:
                continue
            self._change(other)

    def lapse(self, row: Row) -> None:
        """Count a lease that ran out: back to the queue, or failed for good."""
        row.lapses += 1
        self._again(row)

    def give_back(self, row: Row, not_before: float | None) -> None:
        """Return a row to the queue as it was, or not before some time."""
        if not_before is not None:
            row.not_before = not_before
        row.state = self._waits(row.not_before)
        # Without a new time nothing changes on disk, where a leased entry is a queued one.
        self._change(row, write=not_before is not None)

    # --------------------------------------------------------------- committing

    def commit(self, also: Callable[[sqlite3.Connection], None] | None = None) -> None:
        """Write what was decided and what `also` writes, in one transaction; then let memory follow."""
        memory = self._memory
        counts = list(memory.counts)
        for row in self._touched.values():
            if row.was != NEW:
                counts[row.was] -= 1
            counts[row.state] += 1
        numbers: dict[tuple[str, str], int] = {}
        if self._write or also is not None:
            with self._db.transaction() as db:
                for row in self._write.values():
                    if row.was == NEW and row.number is not None:
                        row.number = memory.bucket_number(db, row.host, row.group, numbers)
                sql.write(db, self._write.values(), self._explained.values())
                if also is not None:
                    also(db)
                put_setting(db, COUNTERS, memory.counters(counts))
        memory.counts = counts
        memory.seq = self._seq
        memory.numbers.update(numbers)
        memory.follow(self._touched.values(), self._ended, self._rows.values())

    # ------------------------------------------------------------------ private

    def _again(self, row: Row) -> None:
        over = row.attempts >= self._max_attempts or row.lapses >= MAX_LAPSES
        row.state = FAILED if over else self._waits(row.not_before)
        self._change(row)

    def _waits(self, not_before: float) -> int:
        return WAITING if not_before > self._now else QUEUED

    def _change(self, row: Row, *, write: bool = True) -> None:
        self._touched[row.key] = row
        if write:
            self._write[row.key] = row


class SqliteCore:
    """Selection, leases and known keys in memory; entries in a `CrawlDb`."""

    def __init__(
        self, db: CrawlDb, *, clock: Callable[[], float], max_attempts: int, delay_s: float, wait_per_page_s: float
    ) -> None:
        self.db = db
        self._max_attempts = max_attempts
        self._clock = clock
        with db.transaction() as connection:
            opened = get_setting(connection, OPENED, 0) + 1
            put_setting(connection, OPENED, opened)
        self._memory = Memory(db.path, first_token=opened * _TOKENS, delay_s=delay_s, wait_per_page_s=wait_per_page_s)
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

    def lease(self, n: int, per_host: int, lease_s: float) -> list[Lease]:
        now = self._clock()
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
                    changes.lapse(row)
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

    def next_ready_at(self) -> float | None:
        now = self._clock()
        self._wake(now)
        return self._memory.next_ready_at(now)

    def stats(self) -> FrontierStats:
        memory = self._memory
        return with_waiting(FrontierStats(**memory.counters(memory.counts)), memory.select.waiting())

    def entries(self, host: HostKey | None, limit: int) -> list[Entry]:
        flying = [row.seq for row in self._memory.flying.values()]
        return [stored.entry for stored in self.db.queue(host=host, limit=limit, without=flying)]

    # ----------------------------------------------------------------- private

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
            self._memory.asked = {}

    def _write_pages(self, db: sqlite3.Connection, settlements: Sequence[Settlement]) -> None:
        write_settled(db, settlements, at=self._clock())
        self._keep_asked(db)
