"""Transactions of the SQLite frontier, decided in memory and written at once."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from focuscrawl.frontier import rows as sql
from focuscrawl.frontier.base import Pushed
from focuscrawl.frontier.rows import DONE, FAILED, NEW, QUEUED, REFUSED, WAITING, Row
from focuscrawl.frontier.rules import MAX_EXPIRIES, acceptable
from focuscrawl.frontier.sqlite_memory import Memory
from focuscrawl.records import NO_ORIGIN, Entry, Outcome, Settlement
from focuscrawl.storage.crawldb import CrawlDb
from focuscrawl.storage.own_settings import COUNTERS, put_setting
from focuscrawl.types import UrlKey
from focuscrawl.visits import VISIT_SCORE, Revisit

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
        """Give a queued row another score; return whether that changes anything.

        A page that is to be visited again keeps its own: its turn is that of its round.
        """
        if row.score >= VISIT_SCORE:
            return False
        if row.state not in (QUEUED, WAITING) or row.score == score or not math.isfinite(score):
            return False
        row.score = score
        self._change(row)
        return True

    def visit_again(self, visits: Sequence[Revisit]) -> int:
        """Queue pages that are done; return how many there are. `find` must have been asked for their keys."""
        done = {one.key: row for one in visits if (row := self._rows.get(one.key)) is not None}
        done = {key: row for key, row in done.items() if row.state == DONE and row.number is not None}
        with self._db.reading() as db:
            sql.fill(db, done.values())
            for row in done.values():
                sql.place(db, row)
        for one in visits:
            if one.key in done:
                row = done[one.key]
                earlier = replace(one.earlier, score=row.score)
                row.origin = replace(row.origin or NO_ORIGIN, earlier=earlier)
                row.score, row.not_before, row.state = one.score, 0.0, QUEUED
                self._change(row)
                self._explained[row.key] = row
        return len(done)

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
            origin = settlement.lease.entry.origin
            if origin.earlier is not None:
                row.score, row.origin = origin.earlier.score, replace(origin, earlier=None)
                self._explained[row.key] = row
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

    def expire(self, row: Row) -> None:
        """Count a lease that ran out: back to the queue, or failed for good."""
        row.expiries += 1
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
        over = row.attempts >= self._max_attempts or row.expiries >= MAX_EXPIRIES
        row.state = FAILED if over else self._waits(row.not_before)
        self._change(row)

    def _waits(self, not_before: float) -> int:
        return WAITING if not_before > self._now else QUEUED

    def _change(self, row: Row, *, write: bool = True) -> None:
        self._touched[row.key] = row
        if write:
            self._write[row.key] = row
