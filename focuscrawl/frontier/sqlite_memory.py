"""In-memory half of the SQLite frontier: selection, leases, known keys, counters.

It follows what is on disk: built by `load`, and brought up to date by `follow` once a transaction is committed.
"""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from pathlib import Path

from focuscrawl.errors import FrontierError
from focuscrawl.frontier import rows as sql
from focuscrawl.frontier.known import KnownKeys
from focuscrawl.frontier.leases import LeaseBook
from focuscrawl.frontier.patience import Patience
from focuscrawl.frontier.rows import DONE, FAILED, LEASED, NEW, QUEUED, REFUSED, WAITING, Row
from focuscrawl.frontier.selection import Selection
from focuscrawl.frontier.window import WINDOW, WindowBucket
from focuscrawl.records import Lease
from focuscrawl.storage.own_settings import COUNTERS, get_setting
from focuscrawl.types import GroupKey, HostKey, UrlKey

# Numbers of buckets remembered for links to groups that are empty at the moment.
_NUMBERS = 20_000

_QUEUED_BUCKETS = """
SELECT q.bucket, b.host, b.grp, q.n, q.best
FROM (SELECT bucket, count(*) AS n, max(score) AS best FROM entries INDEXED BY entries_queued
      WHERE state = 0 GROUP BY bucket) AS q
JOIN buckets AS b ON b.id = q.bucket"""
_WAITING_BUCKETS = """
SELECT b.id, b.host, b.grp, q.n
FROM (SELECT bucket, count(*) AS n FROM entries WHERE state = 1 GROUP BY bucket) AS q
JOIN buckets AS b ON b.id = q.bucket"""


class Memory:
    """See the module's docstring.

    Parameters
    ----------
    path
        The file, for messages.
    first_token
        Tokens of leases count up from here.
    delay_s, wait_per_page_s, wait_pages
        As for the frontier.
    """

    def __init__(
        self, path: Path, *, first_token: int, delay_s: float, wait_per_page_s: float, wait_pages: int
    ) -> None:
        self.path = path
        self.known = KnownKeys()
        self.numbers: dict[tuple[HostKey, GroupKey], int] = {}
        self.live: dict[int, WindowBucket] = {}  # by number; all that hold queued entries, and some that did
        self.flying: dict[UrlKey, Row] = {}  # leased rows; on disk they are queued
        self.expiries: dict[UrlKey, int] = {}  # of queued entries that have some; they end with the process
        self.counts = [0] * NEW  # by state
        self.seq = 0
        self.next_due = math.inf  # when the first waiting entry may be leased
        self.asked: dict[HostKey, float] = {}  # when hosts were leased from last, not on disk yet
        self.leases: LeaseBook[Row] = LeaseBook(first_token)
        self.select: Selection[WindowBucket]
        self._delay_s = delay_s
        self._wait_per_page_s = wait_per_page_s
        self._wait_pages = wait_pages

    def load(self, db: sqlite3.Connection, now: float) -> None:
        """Build everything from what is on disk, but for the leases, which memory knows better."""
        counters = get_setting(db, COUNTERS, {})
        patience = Patience(self._wait_per_page_s, pages=self._wait_pages, fetched=counters.get("done", 0))
        self.select = select = Selection(WindowBucket, delay_s=self._delay_s, now=now, patience=patience)
        flying = list(self.flying.values())
        for host, delay_s, hold_until, leased_at in db.execute("SELECT * FROM hosts"):
            select.set_host(host, delay_s=delay_s, hold_until=hold_until)
            select.resume(host, leased_at=leased_at)
        for host, leased_at in self.asked.items():
            select.resume(host, leased_at=leased_at)
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
        queued = sum(bucket.ready for bucket in select.buckets())
        waiting = sum(bucket.size for bucket in select.buckets()) - queued
        self.counts = [
            queued, waiting, *(counters.get(name, 0) for name in ("done", "failed", "refused")), len(flying)
        ]  # fmt: skip
        self.seq = db.execute("SELECT coalesce(max(seq), 0) FROM entries").fetchone()[0]
        self.see_due(db)
        self.known.load(db)
        self.numbers.clear()
        self.live = {bucket.number: bucket for bucket in select.buckets()}

    def counters(self, counts: Sequence[int]) -> dict[str, int]:
        """Return counts of states by name, with the present numbers of hosts and groups."""
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

    def see_due(self, db: sqlite3.Connection) -> None:
        """Look when the first waiting entry may be leased."""
        row = db.execute("SELECT min(not_before) FROM entries INDEXED BY entries_waiting WHERE state = 1").fetchone()
        self.next_due = math.inf if row[0] is None else float(row[0])

    def tidy(self) -> None:
        """Forget what is only remembered to save a look into the file, once there is much of it."""
        if len(self.numbers) > _NUMBERS:
            self.numbers.clear()
        if len(self.live) > 2 * self.select.group_count + _NUMBERS:
            self.live = {bucket.number: bucket for bucket in self.select.buckets()}

    # ------------------------------------------------------------------ leasing

    def lease(self, db: sqlite3.Connection, n: int, per_host: int, *, now: float, expires_at: float) -> list[Lease]:
        """Lease the best entries that may be leased, at most `n`; on disk they stay queued."""
        picks = self._pick(db, n, per_host, now)
        if picks:
            sql.fill(db, (row for row, _ in picks))
        leases: list[Lease] = []
        for row, priority in picks:
            row.expiries = self.expiries.get(row.key, 0)
            self.flying[row.key] = row
            token = self.leases.add(row, row.key, expires_at)
            leases.append(Lease(row.entry(), token, expires_at, row.attempts + row.expiries + 1, priority))
            row.origin = None
        self.counts[QUEUED] -= len(picks)
        self.counts[LEASED] += len(picks)
        return leases

    def next_ready_at(self, now: float) -> float | None:
        """Return when the next queued entry can be leased at the earliest, None when nothing is queued."""
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
        return min(times, default=None)  # none where only visits are handed out

    def _pick(self, db: sqlite3.Connection, n: int, per_host: int, now: float) -> list[tuple[Row, float]]:
        """Take out the best entries that may be leased, at most `n`; return each with its priority."""
        picks: list[tuple[Row, float]] = []
        while len(picks) < n:
            bucket = self.select.pick(now, per_host)
            if bucket is None:
                break
            if bucket.unloaded:
                self._load_bucket(db, bucket, [row.seq for row, _ in picks])
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
            self.asked[row.host] = now
            self.select.leased(bucket, now)
        return picks

    def _load_bucket(self, db: sqlite3.Connection, bucket: WindowBucket, picked: Sequence[int]) -> None:
        """Read the best entries that are neither leased nor `picked` for a lease, all of which are queued on disk."""
        flying = {row.seq for row in self.flying.values()}.union(picked)
        best = sql.best_of(db, bucket.number, WINDOW + len(flying))
        best = [rank for rank in best if rank[1] not in flying][:WINDOW]
        if not best:
            raise FrontierError(
                f"{self.path}: {bucket.ready} queued entries of {bucket.host.host} are missing;"
                " the file was changed by another program. Resume the run to go on with what is there."
            )
        bucket.load(best)

    # ------------------------------------------------------- after a transaction

    def follow(self, changed: Iterable[Row], ended: Mapping[int, Row], seen: Iterable[Row]) -> None:
        """Take up what was committed.

        Parameters
        ----------
        changed
            Rows with the state they had and the state they have now.
        ended
            Token -> row of each lease that was ended.
        seen
            All rows that were read or made.
        """
        select = self.select
        buckets: dict[int, WindowBucket] = {}
        for row in changed:
            if row.was == NEW:
                self.known.fresh[row.key] = row.seq
            elif row.was == LEASED:
                del self.flying[row.key]
                if row.expiries:
                    self.expiries[row.key] = row.expiries
            if row.state in (DONE, FAILED, REFUSED):
                self.expiries.pop(row.key, None)
            number = row.number
            if number is None:
                continue
            bucket = buckets.get(number)
            if bucket is None:
                bucket = buckets[number] = self.live[number] = select.bucket(row.host, row.group)
                bucket.number = number
            if row.was == QUEUED:
                bucket.remove((-row.was_score, row.seq))
                bucket.size -= 1
            elif row.was == WAITING:
                bucket.size -= 1
            if row.state == QUEUED:
                bucket.add(row.rank)
                bucket.size += 1
            elif row.state == WAITING:
                bucket.size += 1
                self.next_due = min(self.next_due, row.not_before)
        for bucket in buckets.values():
            select.changed(bucket)
        for token, row in ended.items():
            self.leases.end(token)
            select.returned(row.host)
        rows = list(seen)
        self.known.remember(
            [row.key for row in rows],
            [row.score if row.state in (QUEUED, WAITING, LEASED) else math.inf for row in rows],
        )
