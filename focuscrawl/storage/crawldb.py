"""``crawl.db``: the one SQLite file of a crawl, its lock, its transactions, and what is asked of its frontier.

A crawl writes it through one connection (`CrawlDb.open`, in the frontier's own thread); any number of readers
(`CrawlDb.open_readonly`: status, report, explain, export) look on, while it runs or afterwards.
"""

from __future__ import annotations

import math
import sqlite3
import time
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

from focuscrawl.errors import FocusCrawlError, FrontierError, StoreError
from focuscrawl.records import Entry, Origin
from focuscrawl.storage.keys import parse_hex_key, to_signed, to_unsigned
from focuscrawl.storage.learned_state import write_state
from focuscrawl.storage.own_settings import COUNTERS, INDEXED_UPTO, OWN, get_setting, put_setting
from focuscrawl.storage.reading import FRONTIER_COUNTS, RunReader, StoredEntry
from focuscrawl.storage.runlock import RunLock, lock_folder
from focuscrawl.storage.sqlite_file import open_for_reading, open_for_writing, translated
from focuscrawl.storage.values import to_json
from focuscrawl.types import UrlKey

_STATES = ("queued", "queued", "done", "failed", "refused")


class CrawlDb(RunReader):
    """An open ``crawl.db``; made by `open` or `open_readonly`. For use in one thread at a time.

    Every method raises `FrontierError` (opened for writing) or `StoreError` (for reading) when the file fails.
    """

    _EVENTS = "SELECT at, kind, data, '' FROM events"

    def __init__(
        self, path: Path, connection: sqlite3.Connection, *, lock: RunLock | None, error: type[FocusCrawlError]
    ) -> None:
        self.path = path
        self.connection = connection
        self._lock = lock
        self._error = error

    # -------------------------------------------------------------- open, close

    @classmethod
    def open(cls, path: Path) -> CrawlDb:
        """Open the file for writing, make it when there is none, and lock its folder.

        Raises
        ------
        FrontierError
            If another process crawls in this folder, or the file cannot be made, is damaged, is something else, or
            comes from a newer version.
        """
        lock = lock_folder(path.parent)
        try:
            connection = open_for_writing(path)
        except BaseException:
            lock.release()
            raise
        return cls(path, connection, lock=lock, error=FrontierError)

    @classmethod
    def open_readonly(cls, path: Path) -> CrawlDb:
        """Open the file for reading, while a crawl writes to it or not. It is never changed.

        Raises
        ------
        StoreError
            If there is none, or it is damaged, is something else, or comes from a newer version.
        """
        return cls(path, open_for_reading(path), lock=None, error=StoreError)

    def close(self) -> None:
        """Close the file and give the lock back; a second call does nothing."""
        with translated(self.path, self._error):
            try:
                self.connection.close()
            finally:
                if self._lock is not None:
                    self._lock.release()

    def __enter__(self) -> CrawlDb:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Run what is inside wholly or not at all."""
        with translated(self.path, self._error):
            self.connection.execute("BEGIN IMMEDIATE")
            try:
                yield self.connection
                self.connection.execute("COMMIT")
            except BaseException:
                if self.connection.in_transaction:
                    self.connection.execute("ROLLBACK")
                raise

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Translate what SQLite raises while reading."""
        with translated(self.path, self._error):
            yield self.connection

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Read everything inside as of one moment, while a crawl writes on."""
        with self.reading() as db:
            db.execute("BEGIN")
            try:
                yield
            finally:
                if db.in_transaction:
                    db.execute("ROLLBACK")

    # ------------------------------------------------------------------ reading

    def select(self, query: str, values: Sequence[object] = ()) -> Generator[tuple[Any, ...], None, None]:
        """Yield the rows of a query, with ? for each of `values`."""
        with self.reading() as db:
            yield from db.execute(query, values)

    @property
    def place(self) -> str:
        """Where the pages are, for people."""
        return str(self.path)

    @property
    def frontier_elsewhere(self) -> str:
        """Nothing: the links that wait are here too, unless a fleet shares them."""
        return ""

    def settings(self) -> dict[str, Any]:
        """Return what was kept under each name, but for what the database keeps for itself."""
        return {name: value for name, value in super().settings().items() if name not in OWN}

    def state(self, name: str) -> dict[str, Any] | None:
        """Return the last snapshot that came with a settlement under `name`, None without one."""
        with self.reading() as db:
            row = db.execute("SELECT data FROM state WHERE name = ?", (name,)).fetchone()
        return None if row is None else self.value_of(row[0], name, table="state", shape=dict)

    def states(self) -> dict[str, dict[str, Any]]:
        """Return all snapshots that came with settlements, by name."""
        return self._values("SELECT name, data FROM state", table="state", shape=dict)

    def edges(self) -> Iterator[tuple[UrlKey, list[UrlKey]]]:
        """Yield (page, keys of its links in order) of all fetched pages, in no particular order."""
        with closing(self.select("SELECT source, targets FROM page_links")) as rows:
            for source, targets in rows:
                yield to_unsigned(source), [to_unsigned(key) for key in self._targets(source, targets)]

    def links_of(self, page: UrlKey) -> list[UrlKey]:
        """Return the keys of the links of a fetched page, in order."""
        rows = list(self.select("SELECT source, targets FROM page_links WHERE source = ?", (to_signed(page),)))
        return [to_unsigned(key) for key in self._targets(*rows[0])] if rows else []

    def linking_to(self, page: UrlKey, *, limit: int = 100) -> list[UrlKey]:
        """Return keys of fetched pages that link to a page, a scan of all lists of links."""
        key = str(to_signed(page))
        # A number may be part of a longer one, so what is found is looked at once more.
        rows = self.select("SELECT source, targets FROM page_links WHERE instr(targets, ?)", (key,))
        found = (source for source, targets in rows if to_signed(page) in self._targets(source, targets))
        with closing(rows):
            return [to_unsigned(source) for source in islice(found, limit)]

    def _targets(self, source: int, targets: str) -> list[int]:
        """Return the keys of the links of a page, as the database has them."""
        keys: list[int] = self.value_of(targets, str(source), table="page_links", shape=list)
        if not all(isinstance(key, int) for key in keys):
            raise self.damaged(str(source), "page_links", "list of numbers")
        return keys

    def other_addresses(self) -> Iterator[tuple[UrlKey, UrlKey]]:
        """Yield (key, page) of further URLs that led to a fetched page, through a redirect for one."""
        for key, origin in self.select("SELECT key, data FROM entries WHERE bucket IS NULL"):
            yield to_unsigned(key), parse_hex_key(Origin.from_json(origin).same_as)

    # ---------------------------------------------------------------- frontier

    def entry(self, key: UrlKey) -> StoredEntry | None:
        """Return what the frontier has of a URL, None when it was never found."""
        with self.reading() as db:
            upto = get_setting(db, INDEXED_UPTO, 0)
            row = db.execute(_ENTRY_INDEXED, (to_signed(key),)).fetchone()
            row = row or db.execute(_ENTRY_RECENT, (upto, to_signed(key))).fetchone()
        return None if row is None else _stored(row)

    def queue(self, *, host: str | None = None, limit: int = 100) -> list[StoredEntry]:
        """Return queued entries by falling priority."""
        where, values = _first_queued(host, limit)
        return [_stored(row) for row in self.select(f"{_ENTRY} {where}", values)]

    def queue_order(self, *, host: str | None = None, limit: int = 100) -> list[int]:
        """Return `StoredEntry.seq` of queued entries by falling priority: 40 bytes each, where an entry takes 2 kB."""
        where, values = _first_queued(host, limit)
        return [seq for (seq,) in self.select(f"SELECT e.seq {_PLACED} {where}", values)]

    def queued(self, numbers: Sequence[int]) -> list[StoredEntry]:
        """Return those of some entries, given by `StoredEntry.seq`, that are still queued, in the order given."""
        stored = {one.seq: one for one in map(_stored, self.select(_ENTRIES_QUEUED, [to_json(numbers)]))}
        return [stored[seq] for seq in numbers if seq in stored]

    def queued_by_host(self, *, score_upto: float = math.inf) -> dict[str, int]:
        """Return how many links of each host wait, those in flight among them."""
        names = dict(self.select("SELECT id, host FROM buckets"))
        queued: dict[str, int] = {}
        for where in ("state = 0", "state = 1"):  # apart, so that each is counted on its own partial index
            query = f"SELECT bucket, count(*) FROM entries WHERE {where} AND score <= ? GROUP BY bucket"  # noqa: S608
            for bucket, count in self.select(query, (score_upto,)):
                host = names.get(bucket, "")
                queued[host] = queued.get(host, 0) + count
        return queued

    def queued_by_depth(self) -> dict[tuple[int, int], int]:
        """Return how many links wait by (links from a seed, tenth of the priority, rounded down)."""
        # CAST cuts towards zero: what is added keeps priorities below 0 from being rounded up.
        query = (
            "WITH placed AS (SELECT b.id, coalesce(g.offset, 0.0) AS offset FROM buckets AS b"
            " LEFT JOIN groups AS g ON g.grp = CASE b.grp WHEN '' THEN b.host ELSE b.grp END)"
            " SELECT e.depth, CAST((e.score + p.offset) * 10 + 1000 AS INTEGER) - 1000, count(*)"
            " FROM placed AS p JOIN entries AS e ON e.bucket = p.id WHERE e.state IN (0, 1) GROUP BY 1, 2"
        )
        return {(depth, class_): count for depth, class_, count in self.select(query)}

    def _frontier_counts(self) -> dict[str, int]:
        with self.reading() as db:
            counters = get_setting(db, COUNTERS, {})
        return {name: counters.get(name, 0) for name in FRONTIER_COUNTS}

    # ------------------------------------------------------------------ writing

    def set_setting(self, name: str, value: object) -> None:
        """Keep a JSON-safe value under `name`; `FrontierError` for the few names the database keeps for itself."""
        self.set_settings({name: value})

    def set_settings(self, values: Mapping[str, object]) -> None:
        """Keep values by name as `set_setting` does, all of them or none."""
        for name in values:
            if name in OWN:
                raise FrontierError(f'"{name}": the database keeps this setting itself; take another name.')
        with self.transaction() as db:
            for name, value in values.items():
                put_setting(db, name, value)

    def set_state(self, state: Mapping[str, object]) -> None:
        """Keep what was learned, name -> JSON-safe state, in the place of what had these names before."""
        with self.transaction() as db:
            write_state(db, state, at=time.time())

    def add_event(self, kind: str, data: Mapping[str, object] | None = None, *, at: float | None = None) -> None:
        """Add an event, at the present time unless told otherwise."""
        row = (time.time() if at is None else at, kind, to_json(data or {}))
        with self.transaction() as db:
            db.execute("INSERT INTO events (at, kind, data) VALUES (?, ?, ?)", row)


_PLACED = """
FROM entries AS e
LEFT JOIN buckets AS b ON b.id = e.bucket
LEFT JOIN groups AS g ON g.grp = CASE b.grp WHEN '' THEN b.host ELSE b.grp END"""
_ENTRY = f"""
SELECT e.url, e.key, b.host, e.score, b.grp, e.depth, e.tunnel, e.not_before, e.data, e.state, e.attempts, e.seq,
       coalesce(g.offset, 0.0) {_PLACED}"""

_ENTRY_INDEXED = _ENTRY + " WHERE e.seq = (SELECT seq FROM keys WHERE key = ?)"  # noqa: S608
_ENTRY_RECENT = _ENTRY + " WHERE e.seq > ? AND e.key = ?"
# + keeps SQLite from going through all that wait.
_ENTRIES_QUEUED = _ENTRY + " WHERE e.seq IN (SELECT value FROM json_each(?)) AND +e.state IN (0, 1)"  # noqa: S608


def _first_queued(host: str | None, limit: int) -> tuple[str, list[object]]:
    """Return what follows the tables of a query for the queued entries of the highest priorities, and its values."""
    of_host = "" if host is None else "AND b.host = ? "
    where = f"WHERE e.state IN (0, 1) {of_host}ORDER BY coalesce(g.offset, 0.0) + e.score DESC, e.seq LIMIT ?"
    return where, [limit] if host is None else [host, limit]


def _stored(row: tuple[Any, ...]) -> StoredEntry:
    url, key, host, score, group, depth, tunnel, not_before, data, state, attempts, seq, offset = row
    entry = Entry(
        url,
        to_unsigned(key),
        host or "",
        score,
        group or "",
        depth,
        tunnel,
        not_before,
        Origin.from_json(data),
    )
    return StoredEntry(entry, _STATES[state], attempts, seq, offset)
