"""Entries of the SQLite frontier as they are worked on, and the statements that read and write them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from typing import Any

from focuscrawl.frontier.host_queue import Rank
from focuscrawl.records import NO_ORIGIN, Entry, Origin
from focuscrawl.storage.keys import hex_key, to_signed, to_unsigned
from focuscrawl.types import GroupKey, HostKey, UrlKey, storable

# Values of entries.state; the last two are never stored.
QUEUED, WAITING, DONE, FAILED, REFUSED, LEASED, NEW = range(7)

# Keys asked for in one statement. Few sizes, so that SQLite compiles few statements.
_CHUNKS = (1, 8, 32, 128)


class Row:
    """An entry with the state it had and the state it will have once the transaction is over."""

    __slots__ = (
        "attempts",
        "depth",
        "expiries",
        "group",
        "host",
        "key",
        "not_before",
        "number",
        "origin",
        "score",
        "seq",
        "state",
        "tunnel",
        "url",
        "was",
        "was_score",
    )

    key: UrlKey
    seq: int
    number: int | None  # of its bucket; None for another address of a fetched page
    host: HostKey
    group: GroupKey
    score: float
    state: int
    attempts: int  # that have failed
    expiries: int  # leases that ran out, of a leased row; never stored, like the leases
    not_before: float
    depth: int
    tunnel: int
    url: str
    origin: Origin | None  # None: not read, or unchanged
    was: int
    was_score: float

    @classmethod
    def new(cls, entry: Entry, seq: int, state: int) -> Row:
        """Return the row of an entry that was never seen."""
        row = cls()
        row.key, row.seq, row.number = entry.key, seq, 0
        row.host, row.group, row.score, row.state = entry.host, entry.group, entry.score, state
        row.attempts, row.expiries = 0, 0
        row.not_before, row.depth, row.tunnel = entry.not_before, entry.depth, entry.tunnel
        row.url, row.origin, row.was, row.was_score = entry.url, entry.origin, NEW, entry.score
        return row

    @classmethod
    def alias(cls, key: UrlKey, page: UrlKey, seq: int) -> Row:
        """Return the row of another address of a fetched page, of which nothing but the key is known."""
        row = cls.new(Entry("", key, "", 0.0, origin=Origin(same_as=hex_key(page))), seq, DONE)
        row.number = None
        return row

    @classmethod
    def read(cls, values: tuple[Any, ...]) -> Row:
        """Return the row of a result of `find_by_key` and its like; host and group are the caller's to fill in."""
        row = cls()
        key, row.seq, row.number, row.score, row.state, row.attempts, row.not_before = values
        row.key = to_unsigned(key)
        row.host = row.group = ""
        row.depth = row.tunnel = row.expiries = 0
        row.url, row.origin, row.was, row.was_score = "", None, row.state, row.score
        return row

    def raise_to(self, entry: Entry) -> None:
        """Take over the score of a better link and what explains it; the shortest way to the URL stays."""
        depth, tunnel = entry.scope_depth, entry.tunnel
        if self.origin is not None:  # else `write` compares them with what is stored
            depth, tunnel = min(self.depth - self.origin.pagination_steps, depth), min(self.tunnel, tunnel)
        self.score, self.origin, self.tunnel = entry.score, entry.origin, tunnel
        self.depth = depth + entry.origin.pagination_steps

    def copy(self) -> Row:
        """Return a row to work on, which this one stays the `was` of."""
        row = Row()
        for name in Row.__slots__:
            setattr(row, name, getattr(self, name))
        row.was, row.was_score = self.state, self.score
        return row

    @property
    def rank(self) -> Rank:
        """Its rank in its bucket."""
        return -self.score, self.seq

    def entry(self) -> Entry:
        """Return the entry of a row read by `details`."""
        return Entry(
            self.url,
            self.key,
            self.host,
            self.score,
            self.group,
            self.depth,
            self.tunnel,
            self.not_before,
            self.origin if self.origin is not None else NO_ORIGIN,
        )


# ------------------------------------------------------------------------------------------------------------ reading

_FIND = "SELECT key, seq, bucket, score, state, attempts, not_before FROM entries WHERE seq IN "
_BY_KEY = _FIND + "(SELECT seq FROM keys WHERE key IN ({}))"  # noqa: S608
_BY_SEQ = _FIND + "({})"
_DETAILS = "SELECT seq, key, attempts, depth, tunnel, not_before, url, data FROM entries WHERE seq IN ({})"
_DUE = _FIND.replace("seq IN ", "state = 1 AND not_before <= ?")
_BEST = "SELECT -score, seq FROM entries WHERE bucket = ? AND state = 0 ORDER BY score DESC, seq LIMIT ?"


def _chunked(db: sqlite3.Connection, query: str, values: Iterable[int]) -> Iterator[tuple[Any, ...]]:
    rest = list(values)
    while rest:
        size = next((size for size in _CHUNKS if size >= len(rest)), _CHUNKS[-1])
        part, rest = rest[:size], rest[size:]
        part += part[-1:] * (size - len(part))
        yield from db.execute(query.format(",".join("?" * size)), part).fetchall()


def find_by_key(db: sqlite3.Connection, keys: Iterable[UrlKey]) -> Iterator[Row]:
    """Yield the rows of those keys that are in the table of keys."""
    return map(Row.read, _chunked(db, _BY_KEY, [to_signed(key) for key in keys]))


def find_by_seq(db: sqlite3.Connection, seqs: Iterable[int]) -> Iterator[Row]:
    """Yield the rows with these numbers."""
    return map(Row.read, _chunked(db, _BY_SEQ, seqs))


def find_due(db: sqlite3.Connection, now: float) -> Iterator[Row]:
    """Yield the waiting rows whose `not_before` has come."""
    return map(Row.read, db.execute(_DUE, (now,)).fetchall())


def fill(db: sqlite3.Connection, rows: Iterable[Row]) -> None:
    """Read what `find_by_key` leaves out: key, depth, URL, origin."""
    by_seq = {row.seq: row for row in rows}
    for seq, key, attempts, depth, tunnel, not_before, url, data in _chunked(db, _DETAILS, by_seq):
        row = by_seq.pop(seq, None)
        if row is not None:
            row.key, row.attempts, row.depth, row.tunnel = to_unsigned(key), attempts, depth, tunnel
            row.not_before, row.url, row.origin = not_before, url, Origin.from_json(data)


def place(db: sqlite3.Connection, row: Row) -> None:
    """Read host and group of a row of which nothing is queued."""
    found = db.execute("SELECT host, grp FROM buckets WHERE id = ?", (row.number,)).fetchone()
    row.host, row.group = found


def best_of(db: sqlite3.Connection, number: int, limit: int) -> list[Rank]:
    """Return the ranks of the best queued entries of a bucket, leased ones included."""
    return [(score, seq) for score, seq in db.execute(_BEST, (number, limit)).fetchall()]


# ------------------------------------------------------------------------------------------------------------ writing

_INSERT = """
INSERT INTO entries (seq, key, bucket, score, state, attempts, depth, tunnel, not_before, url, data)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"""
_UPDATE = "UPDATE entries SET score = ?, state = ?, attempts = ?, not_before = ? WHERE seq = ?"
_EXPLAIN = """
UPDATE entries SET depth = ?1 + min(?2, depth - coalesce(json_extract(nullif(data, ''), '$.along'), 0)),
    tunnel = min(?3, tunnel), data = ?4 WHERE seq = ?5"""


def write(db: sqlite3.Connection, rows: Iterable[Row], explained: Iterable[Row]) -> None:
    """Write new and changed rows, and origin of those whose score was raised, whose way may be shorter."""
    new: list[tuple[object, ...]] = []
    changed: list[tuple[object, ...]] = []
    for row in rows:
        if row.was == NEW:
            new.append(
                (
                    row.seq,
                    to_signed(row.key),
                    row.number,
                    row.score,
                    row.state,
                    row.attempts,
                    row.depth,
                    row.tunnel,
                    row.not_before,
                    storable(row.url),
                    _stored(row.origin),
                )
            )
        else:
            changed.append((row.score, row.state, row.attempts, row.not_before, row.seq))
    if new:
        db.executemany(_INSERT, new)
    if changed:
        db.executemany(_UPDATE, changed)
    raised: list[tuple[object, ...]] = []
    for row in explained:
        if row.was != NEW and row.origin is not None:
            steps = row.origin.pagination_steps
            raised.append((steps, row.depth - steps, row.tunnel, _stored(row.origin), row.seq))
    if raised:
        db.executemany(_EXPLAIN, raised)


def _stored(origin: Origin | None) -> str:
    return origin.to_json().decode() if origin is not None else ""
