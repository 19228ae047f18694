"""Visits of pages in ``crawl.db``, and earlier versions of pages that were asked to be kept."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Any

from focuscrawl.storage.keys import to_signed, to_unsigned
from focuscrawl.storage.page_rows import PAGES
from focuscrawl.storage.reading import RunReader
from focuscrawl.types import storable
from focuscrawl.visits import Saw, Visit

if TYPE_CHECKING:
    from focuscrawl.records import Settlement

RECRAWL = "recrawl"
"""Kind of the event that says what a round of visits has come to."""
TABLES = """
CREATE TABLE IF NOT EXISTS visits (
    number   INTEGER PRIMARY KEY,
    key      INTEGER NOT NULL,         -- of the page
    at       REAL NOT NULL,
    saw      TEXT NOT NULL,            -- first, unchanged, changed, moved, gone, failed
    status   INTEGER NOT NULL,         -- HTTP status, 0 without an answer
    body     TEXT NOT NULL,            -- digest of the body
    text     TEXT NOT NULL,            -- digest of the words outside links and boilerplate
    etag     TEXT NOT NULL,
    modified TEXT NOT NULL,            -- Last-Modified
    reason   TEXT NOT NULL             -- of a visit that failed
);
CREATE TABLE IF NOT EXISTS versions (
    number     INTEGER PRIMARY KEY,
    key        INTEGER NOT NULL,
    fetched_at REAL NOT NULL,
    data       TEXT NOT NULL           -- JSON, the fields of pages.jsonl
);"""
"""Statements that make the tables where they are missing, as in a file of an earlier version."""

_INSERT = "INSERT INTO visits (key, at, saw, status, body, text, etag, modified, reason) VALUES (?,?,?,?,?,?,?,?,?)"
_SELECT = "SELECT key, at, saw, status, body, text, etag, modified, reason FROM visits ORDER BY number"
_SINCE = "SELECT saw, count(*) FROM visits WHERE saw <> 'first' AND at > ? GROUP BY saw"
_LAST_TOLD = "SELECT key, max(at), saw FROM visits WHERE saw IN ('unchanged', 'gone') GROUP BY key"  # saw of that row
_KEEP = "INSERT INTO versions (key, fetched_at, data) VALUES (?, ?, ?)"
_SEEN = "UPDATE pages SET visited_at = ?, revisit = ? WHERE key = ?"
# What these visits say of a page is put into its row, which stays otherwise.
_TOLD = frozenset({Saw.UNCHANGED, Saw.GONE})


def keep_versions(db: sqlite3.Connection, settlements: Sequence[Settlement]) -> None:
    """Keep the rows of pages that new records are about to replace, where that was asked for; inside a transaction."""
    for one in settlements:
        earlier = one.lease.entry.origin.earlier
        if one.record is None or earlier is None or not earlier.versions:
            continue
        row = db.execute(f"{PAGES.select} WHERE key = ?", (to_signed(one.record.key),)).fetchone()
        if row is not None:
            record = PAGES.to_record(row)
            data = json.dumps(PAGES.fields(record), ensure_ascii=False)
            db.execute(_KEEP, (to_signed(record.key), record.fetched_at, storable(data)))


def write_visits(db: sqlite3.Connection, settlements: Sequence[Settlement]) -> None:
    """Write the visits of settlements, and what they say of pages whose rows stay; inside a transaction."""
    visits = [(one.visit, one.record is None) for one in settlements if one.visit is not None]
    if not visits:
        return
    db.executemany(_INSERT, [_row(visit) for visit, _ in visits])
    seen = [(v.at, str(v.saw), to_signed(v.key)) for v, row_stays in visits if row_stays and v.saw in _TOLD]
    if seen:
        db.executemany(_SEEN, seen)


def read_visits(run: RunReader) -> Iterator[Visit]:
    """Yield the visits of a run, in the order of settling; none where none were noted."""
    for key, at, saw, status, body, text, etag, modified, reason in run.select(_SELECT):
        yield Visit(to_unsigned(key), at, Saw(saw), status, body, text, etag, modified, reason)


def last_told(run: RunReader) -> Iterator[tuple[int, float, str]]:
    """Yield (signed key, time, what was seen) of the last visit of each page whose row stayed and says what it saw."""
    if _has_table(run, "visits"):
        yield from run.select(_LAST_TOLD)


def seen_since(run: RunReader, at: float) -> dict[str, int]:
    """Return what visits after a moment have seen -> how many; first fetches are none, nor is a file without visits.

    Parameters
    ----------
    at
        Unix time, UTC seconds.
    """
    return dict(run.select(_SINCE, (at,))) if _has_table(run, "visits") else {}


def all_versions(run: RunReader) -> Generator[dict[str, Any], None, None]:
    """Yield the earlier versions of all pages in the order in which they were replaced, with fields as ``pages.jsonl``.

    Raises
    ------
    StoreError
        If one is damaged.
    """
    if not _has_table(run, "versions"):
        return
    with closing(run.select("SELECT number, data FROM versions ORDER BY number")) as rows:
        for number, data in rows:
            yield run.value_of(data, str(number), table="versions", shape=dict)


def _has_table(run: RunReader, name: str) -> bool:
    return bool(list(run.select("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", (name,))))


def _row(visit: Visit) -> tuple[object, ...]:
    return (
        to_signed(visit.key),
        visit.at,
        str(visit.saw),
        visit.status,
        visit.body,
        visit.text,
        storable(visit.etag),
        storable(visit.modified),
        visit.reason,
    )
