"""The SQLite frontier as one thread sees it: plain calls, no loop."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from itertools import groupby

from focuscrawl.errors import FrontierError
from focuscrawl.frontier import rows as sql
from focuscrawl.frontier.base import FrontierStats, Pushed
from focuscrawl.frontier.changes import Changes
from focuscrawl.frontier.known import KnownKeys
from focuscrawl.frontier.leases import LeaseBook
from focuscrawl.frontier.patience import with_waiting
from focuscrawl.frontier.rows import DONE, FAILED, LEASED, NEW, QUEUED, REFUSED, WAITING, Row
from focuscrawl.frontier.selection import Selection
from focuscrawl.frontier.window import WINDOW, WindowBucket
from focuscrawl.records import Entry, Lease, Settlement
from focuscrawl.storage.crawldb import CrawlDb
from focuscrawl.storage.own_settings import COUNTERS, OPENED, get_setting, put_setting
from focuscrawl.storage.settled import write_settled
from focuscrawl.types import GroupKey, HostKey, UrlKey

# Numbers of buckets remembered for links to groups that are empty at the moment.
_NUMBERS = 20_000
# Tokens of one opening of the file; more than any process leases.
_TOKENS = 1 << 32

_QUEUED_BUCKETS = """
SELECT q.bucket, b.host, b.grp, q.n, q.best
FROM (SELECT bucket, count(*) AS n, max(score) AS best FROM entries INDEXED BY entries_queued
      WHERE state = 0 GROUP BY bucket) AS q
JOIN buckets AS b ON b.id = q.bucket"""
_WAITING_BUCKETS = """
SELECT b.id, b.host, b.grp, q.n
FROM (SELECT bucket, count(*) AS n FROM entries WHERE state = 1 GROUP BY bucket) AS q
JOIN buckets AS b ON b.id = q.bucket"""


class SqliteCore:
    """Selection, leases and known keys in memory; entries in a `CrawlDb`."""

    def __init__(
        self, db: CrawlDb, *, clock: Callable[[], float], max_attempts: int, delay_s: float, wait_per_page_s: float
    ) -> None:
        self.db = db
        self.max_attempts = max_attempts
        self._clock = clock
        self._delay_s = delay_s
        self._wait_per_page_s = wait_per_page_s
        self.known = KnownKeys()
        self.numbers: dict[tuple[HostKey, GroupKey], int] = {}
        self.live: dict[int, WindowBucket] = {}  # by number; all that hold queued entries, and some that did
        self.flying: dict[UrlKey, Row] = {}  # leased rows; on disk they are queued
        self.lapses: dict[UrlKey, int] = {}  # of queued entries that have some; like leases, they end with the process
        self.counts = [0] * NEW  # by state
        self.seq = 0
        self.next_due = float("inf")  # when the first waiting entry may be leased
        self._asked: dict[HostKey, float] = {}  # when hosts were leased from last, not on disk yet
        with db.transaction() as connection:
            opened = get_setting(connection, OPENED, 0) + 1
            put_setting(connection, OPENED, opened)
        self.leases: LeaseBook[Row] = LeaseBook(opened * _TOKENS)
        self.select: Selection[WindowBucket]
        self.load()

    def load(self) -> None:
        """Build what memory holds from what is on disk, but for the leases, which memory knows better."""
        self.select = select = Selection(
            WindowBucket, delay_s=self._delay_s, now=self._clock(), patience=self._wait_per_page_s
        )
        flying = list(self.flying.values())
        with self.db.reading() as db:
            for host, delay_s, hold_until, leased_at in db.execute("SELECT * FROM hosts"):
                select.set_host(host, delay_s=delay_s, hold_until=hold_until)
                select.resume(host, leased_at=max(leased_at, self._asked.get(host, 0.0)))
            for row in flying:
                select.resume(row.host, in_flight=1)
            for group, offset in db.execute("SELECT grp, offset FROM groups"):
                select.set_offset(group, offset)
            flying_in = {
                number: len(list(rows))
                for number, rows in groupby(sorted(row.number or 0 for row in flying), lambda number: number)
            }
            for number, host, group, size, best in db.execute(_QUEUED_BUCKETS).fetchall():
                ready = size - flying_in.get(number, 0)
                if ready:
                    bucket = select.bucket(host, group)
                    bucket.number, bucket.size, bucket.ready, bucket.bound = number, ready, ready, (-best, -1)
                    select.changed(bucket)
            for number, host, group, size in db.execute(_WAITING_BUCKETS).fetchall():
                bucket = select.bucket(host, group)
                bucket.number = number
                bucket.size += size
                select.changed(bucket)
            counters = get_setting(db, COUNTERS, {})
            queued = sum(bucket.ready for bucket in select.buckets())
            waiting = sum(bucket.size for bucket in select.buckets()) - queued
            self.counts = [
                queued, waiting, *(counters.get(name, 0) for name in ("done", "failed", "refused")), len(flying)
            ]  # fmt: skip
            self.seq = db.execute("SELECT coalesce(max(seq), 0) FROM entries").fetchone()[0]
            self.next_due = self._first_due(db)
            self.known.load(db)
        self.numbers.clear()
        self.live = {bucket.number: bucket for bucket in select.buckets()}

    def close(self) -> None:
        """Keep what would be lost, and close the file."""
        try:
            with self.db.transaction() as db:
                self._keep_asked(db)
                # Leases end with the process.
                self.counts[QUEUED] += self.counts[LEASED]
                self.counts[LEASED] = 0
                put_setting(db, COUNTERS, self.counters(self.counts))
        finally:
            self.db.close()

    # ------------------------------------------------------------ push, lease, settle

    def push(self, entries: Sequence[Entry]) -> Pushed:
        self._housekeeping()
        changes = Changes(self, self._clock())
        undecided = self.known.undecided(entries)
        if not undecided:
            return Pushed(known=len(entries))
        changes.find(entry.key for entry in undecided)
        pushed = changes.push(undecided) + Pushed(known=len(entries) - len(undecided))
        changes.commit()
        return pushed

    def lease(self, n: int, per_host: int, lease_s: float) -> list[Lease]:
        now = self._clock()
        self._wake(now)
        picks: list[tuple[Row, float]] = []
        while len(picks) < n:
            bucket = self.select.pick(now, per_host)
            if bucket is None:
                break
            if bucket.unloaded:
                self._load_bucket(bucket, [row.seq for row, _ in picks])
                self.select.changed(bucket)
                continue
            score, seq = bucket.take()
            bucket.size -= 1
            row = Row()
            row.seq, row.number, row.host, row.group = seq, bucket.number, bucket.host.host, bucket.group
            row.score = row.was_score = -score
            row.state = row.was = LEASED
            picks.append((row, bucket.offset + row.score))
            # Hosts without a delay too: they may be given one.
            self._asked[row.host] = now
            self.select.leased(bucket, now)
        if picks:
            with self.db.reading() as db:
                sql.fill(db, (row for row, _ in picks))
        leases: list[Lease] = []
        for row, priority in picks:
            row.lapses = self.lapses.get(row.key, 0)
            self.flying[row.key] = row
            token = self.leases.add(row, row.key, now + lease_s)
            leases.append(Lease(row.entry(), token, now + lease_s, row.attempts + row.lapses + 1, priority))
            row.origin = None
        self.counts[QUEUED] -= len(picks)
        self.counts[LEASED] += len(picks)
        return leases

    def renew(self, leases: Sequence[Lease], lease_s: float) -> int:
        expires_at = self._clock() + lease_s
        return sum([self.leases.renew(lease.token, lease.entry.key, expires_at) for lease in leases])

    def settle(self, settlements: Sequence[Settlement]) -> list[bool]:
        self._housekeeping()
        changes = Changes(self, self._clock())
        valid: list[tuple[Settlement, Row, list[Entry]] | None] = []
        keys: list[UrlKey] = []
        for settlement in settlements:
            lease = settlement.lease
            leased = self.leases.get(lease.token, lease.entry.key)
            row = changes.end(lease.token, leased) if leased is not None else None
            if row is None:
                valid.append(None)
                continue
            found = self.known.undecided(settlement.found)
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
        return [one is not None for one in valid]

    def release(self, leases: Sequence[Lease], delay_s: float) -> int:
        now = self._clock()
        changes = Changes(self, now)
        released = 0
        for lease in leases:
            leased = self.leases.get(lease.token, lease.entry.key)
            row = changes.end(lease.token, leased) if leased is not None else None
            if row is not None:
                changes.give_back(row, now + delay_s if delay_s > 0.0 else None)
                released += 1
        changes.commit()
        return released

    def reap(self) -> int:
        now = self._clock()
        expired = self.leases.expired(now)
        if expired:
            changes = Changes(self, now)
            for token, leased in expired:
                row = changes.end(token, leased)
                if row is not None:
                    changes.lapse(row)
            changes.commit()
        return len(expired)

    # ------------------------------------------------------------- scores, hosts, times

    def rescore(self, scores: Mapping[UrlKey, float]) -> int:
        changes = Changes(self, self._clock())
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
        changed = {group: offset for group, offset in offsets.items() if self.select.offset(group) != offset}
        if changed:
            with self.db.transaction() as db:
                db.executemany(
                    "INSERT INTO groups (grp, offset) VALUES (?, ?)"
                    " ON CONFLICT (grp) DO UPDATE SET offset = excluded.offset",
                    changed.items(),
                )
            for group, offset in changed.items():
                self.select.set_offset(group, offset)
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
        self.select.set_host(host, delay_s=delay_s, hold_until=hold_until)

    def next_ready_at(self) -> float | None:
        now = self._clock()
        self._wake(now)
        if not self.counts[QUEUED] + self.counts[WAITING]:
            return None
        times: list[float] = []
        host_at = self.select.next_ready_at(now)
        if host_at is not None:
            times.append(host_at)
        if self.counts[WAITING]:
            times.append(self.next_due)
        if self.select.full_count:
            # A host at its limit goes on when a lease ends; at the latest, when one can be reaped.
            times.append(max(now, self.leases.first_expiry() or now))
        return min(times)

    def stats(self) -> FrontierStats:
        return with_waiting(FrontierStats(**self.counters(self.counts)), self.select.waiting())

    def entries(self, host: HostKey | None, limit: int) -> list[Entry]:
        flying = [row.seq for row in self.flying.values()]
        return [stored.entry for stored in self.db.queue(host=host, limit=limit, without=flying)]

    # --------------------------------------------------------------------- for Changes

    def counters(self, counts: Sequence[int]) -> dict[str, int]:
        """Return `counts` by name, with the present numbers of hosts and groups."""
        return {
            "queued": counts[QUEUED] + counts[WAITING],
            "leased": counts[LEASED],
            "done": counts[DONE],
            "failed": counts[FAILED],
            "refused": counts[REFUSED],
            "hosts": self.select.host_count,
            "groups": self.select.group_count,
        }

    def bucket_number(
        self, db: sqlite3.Connection, host: HostKey, group: GroupKey, new: dict[tuple[HostKey, GroupKey], int]
    ) -> int:
        """Return the number of a bucket's row, made inside the transaction where there is none; `new` keeps those."""
        bucket = self.select.find(host, group)
        if bucket is not None:
            return bucket.number
        name = (host, group)
        number = new.get(name) or self.numbers.get(name)
        if number is None:
            row = db.execute("SELECT id FROM buckets WHERE host = ? AND grp = ?", name).fetchone()
            if row is None:
                row = (db.execute("INSERT INTO buckets (host, grp) VALUES (?, ?)", name).lastrowid,)
            number = new[name] = int(row[0])
        return number

    # ----------------------------------------------------------------- private

    def _housekeeping(self) -> None:
        if len(self.numbers) > _NUMBERS:
            self.numbers.clear()
        if len(self.live) > 2 * self.select.group_count + _NUMBERS:
            self.live = {bucket.number: bucket for bucket in self.select.buckets()}
        if self.known.want_indexing(self.seq):
            with self.db.transaction() as db:
                self.known.index(db, self.seq)
            self.known.indexed()

    def _wake(self, now: float) -> None:
        """Let entries compete whose `not_before` has come."""
        if self.next_due > now:
            return
        changes = Changes(self, now)
        for row in changes.find_due():
            changes.wake(row)
        changes.commit()
        with self.db.reading() as db:
            self.next_due = self._first_due(db)

    @staticmethod
    def _first_due(db: sqlite3.Connection) -> float:
        row = db.execute("SELECT min(not_before) FROM entries INDEXED BY entries_waiting WHERE state = 1").fetchone()
        return float("inf") if row[0] is None else float(row[0])

    def _load_bucket(self, bucket: WindowBucket, picked: Sequence[int]) -> None:
        """Read the best entries that are neither leased nor `picked` for a lease, all of which are queued on disk."""
        flying = {row.seq for row in self.flying.values()}.union(picked)
        with self.db.reading() as db:
            best = sql.best_of(db, bucket.number, WINDOW + len(flying))
        best = [rank for rank in best if rank[1] not in flying][:WINDOW]
        if not best:
            raise FrontierError(
                f"{self.db.path}: {bucket.ready} queued entries of {bucket.host.host} are missing;"
                " the file was changed by another program. Resume with -a run= to go on with what is there."
            )
        bucket.load(best)

    def _keep_asked(self, db: sqlite3.Connection) -> None:
        if self._asked:
            db.executemany(
                "INSERT INTO hosts (host, leased_at) VALUES (?, ?)"
                " ON CONFLICT (host) DO UPDATE SET leased_at = excluded.leased_at",
                self._asked.items(),
            )
            self._asked = {}

    def _write_pages(self, db: sqlite3.Connection, settlements: Sequence[Settlement]) -> None:
        write_settled(db, settlements, at=self._clock())
        self._keep_asked(db)
