"""``crawl.db``: the one SQLite file of a crawl, its schema, its lock, and what is asked of it.

A crawl writes it through one connection (`CrawlDb.open`, in the frontier's own thread); any number of readers
(`CrawlDb.open_readonly`: status, report, explain, export) look on, while it runs or afterwards.
"""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any

from focuscrawl.errors import FocusCrawlError, FrontierError, NotBegunError, StoreError
from focuscrawl.records import Entry, Origin, PageRecord
from focuscrawl.storage.columns import TableColumn
from focuscrawl.storage.keys import to_signed, to_unsigned
from focuscrawl.storage.page_rows import PAGES, RecordTable, pages_query
from focuscrawl.storage.reading import FRONTIER_COUNTS
from focuscrawl.storage.runlock import RunLock
from focuscrawl.storage.values import to_json
from focuscrawl.types import UrlKey

SCHEMA_VERSION = 3
LOCK_NAME = "crawl.lock"
COUNTERS = "frontier_counters"
"""Setting that holds the frontier's counters as of the last transaction."""
INDEXED_UPTO = "indexed_upto"
"""Setting that holds the `seq` up to which entries are in the table of keys."""
OPENED = "opened"
"""Setting that counts how often the file was opened for crawling."""
WORKER = "fleet_worker"
"""Setting that names the worker of a fleet that crawls here, and the crawl, as their frontier does: `unsettled.py`."""
UNSETTLED = "unsettled"
"""Setting that lists the pages this worker has written and the frontier has not acknowledged yet."""

# "fcra": tells our files from other SQLite databases.
_APPLICATION_ID = 0x66637261
# Settings the database keeps for itself; `settings()` leaves them out.
_OWN = frozenset({"schema_version", COUNTERS, INDEXED_UPTO, OPENED, WORKER, UNSETTLED})
# How long a writer waits for somebody who has the file open in another tool and writes.
_BUSY_S = 15.0
# Pages of the key index in memory; at 10^6 URLs it has 25 MB.
_CACHE_KIB = 48 * 1024
# 16 MB of write-ahead log between checkpoints: a page of an index changed many times is written back once.
_CHECKPOINT_PAGES = 4000
_STATES = ("queued", "queued", "done", "failed", "refused")


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened to a crawl: it started, stopped, a host was put on hold, …"""

    at: float  # Unix time, UTC seconds
    kind: str
    data: Mapping[str, object] = field(default_factory=dict)
    worker: str = ""  # of a fleet, whose events lie together


@dataclass(frozen=True, slots=True)
class StoredEntry:
    """A URL of the frontier as the file has it. A queued one may be in flight: leases are kept by the crawler."""

    entry: Entry
    state: str  # queued, done, failed, refused
    attempts: int  # that ended without success
    seq: int  # order of discovery
    offset: float  # of its group

    @property
    def priority(self) -> float:
        """What it is ranked by: offset of the group plus its own score."""
        return self.offset + self.entry.score


class CrawlDb:
    """An open ``crawl.db``; made by `open` or `open_readonly`. For use in one thread at a time.

    Every method raises `FrontierError` (opened for writing) or `StoreError` (for reading) when the file fails.
    """

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
        lock = RunLock(path.with_name(LOCK_NAME))
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            holder = lock.acquire()
        except OSError as error:
            why = (error.strerror or str(error)).lower()
            raise FrontierError(
                f"{path.parent}: the run folder cannot be written: {why}; name another with -a run=."
            ) from error
        if holder is not None:
            who = f"process {holder}" if holder else "another process"
            raise FrontierError(
                f"{path.parent}: {who} is crawling in this run folder; wait for it, stop it, or name another folder."
            )
        connection: sqlite3.Connection | None = None
        try:
            with translated(path, FrontierError):
                connection = sqlite3.connect(
                    path, timeout=_BUSY_S, isolation_level=None, check_same_thread=False, cached_statements=256
                )
                _prepare(connection, path)
        except BaseException:
            if connection is not None:
                connection.close()
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
        if not path.is_file():
            raise StoreError(f"{path}: there is no such file; expected the crawl.db of a run folder.")
        connection: sqlite3.Connection | None = None
        try:
            with translated(path, StoreError):
                uri = path.absolute().as_uri()
                connection = sqlite3.connect(
                    f"{uri}?mode=ro", uri=True, timeout=_BUSY_S, isolation_level=None, check_same_thread=False
                )
                try:
                    connection.execute("SELECT count(*) FROM sqlite_master")
                except sqlite3.OperationalError as fault:
                    if fault.sqlite_errorcode & 0xFF not in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY):
                        raise
                    # A folder nobody may write to (a mounted archive) has no room for the file readers share.
                    connection.close()
                    connection = sqlite3.connect(
                        f"{uri}?immutable=1", uri=True, isolation_level=None, check_same_thread=False
                    )
                if not _is_ours(connection, path, StoreError):
                    raise NotBegunError(f"{path}: it is empty; the crawl was stopped before it began.")
                show_missing_columns(connection)
        except BaseException:
            if connection is not None:
                connection.close()
            raise
        return cls(path, connection, lock=None, error=StoreError)

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

    def select(self, query: str, values: Sequence[object] = ()) -> Iterator[tuple[Any, ...]]:
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

    # ------------------------------------------------------------ settings, events

    def settings(self) -> dict[str, Any]:
        """Return what was kept under each name."""
        with self.reading() as db:
            rows = db.execute("SELECT name, value FROM settings ORDER BY name").fetchall()
        return {name: json.loads(value) for name, value in rows if name not in _OWN}

    def set_setting(self, name: str, value: object) -> None:
        """Keep a JSON-safe value under `name`; `FrontierError` for the few names the database keeps for itself."""
        if name in _OWN:
            raise FrontierError(f'"{name}": the database keeps this setting itself; take another name.')
        with self.transaction() as db:
            put_setting(db, name, value)

    def add_event(self, kind: str, data: Mapping[str, object] | None = None, *, at: float | None = None) -> None:
        """Add an event, at the present time unless told otherwise."""
        row = (time.time() if at is None else at, kind, to_json(data or {}))
        with self.transaction() as db:
            db.execute("INSERT INTO events (at, kind, data) VALUES (?, ?, ?)", row)

    def events(self, kind: str | None = None) -> Iterator[Event]:
        """Yield events in the order they were added, all or those of one kind."""
        where, values = (" WHERE kind = ?", (kind,)) if kind is not None else ("", ())
        for at, name, data in self.select(f"SELECT at, kind, data FROM events{where} ORDER BY id", values):  # noqa: S608
            yield Event(at, name, json.loads(data))

    def state(self, name: str) -> dict[str, Any] | None:
        """Return the last snapshot that came with a settlement under `name`, None without one."""
        with self.reading() as db:
            row = db.execute("SELECT data FROM state WHERE name = ?", (name,)).fetchone()
        return None if row is None else json.loads(row[0])

    def states(self) -> dict[str, dict[str, Any]]:
        """Return all snapshots that came with settlements, by name."""
        return {name: json.loads(data) for name, data in self.select("SELECT name, data FROM state")}

    # ------------------------------------------------------------------- pages

    def page(self, key: UrlKey) -> PageRecord | None:
        """Return the record of a page, None when it was not fetched."""
        with self.reading() as db:
            row = db.execute(f"{PAGES.select} WHERE key = ?", (to_signed(key),)).fetchone()
        return None if row is None else PAGES.to_record(row)

    def pages(
        self,
        *,
        relevant: bool | None = None,
        outcome: str | None = None,
        host: str | None = None,
        with_text: bool = True,
        best_first: bool = False,
        limit: int | None = None,
        after: int = 0,
    ) -> Generator[PageRecord, None, None]:
        """Yield records in the order in which pages were settled.

        Parameters
        ----------
        relevant, outcome, host
            Only pages that are so; None for all.
        with_text
            False leaves `text` empty, which is much faster.
        best_first
            By falling relevance instead.
        limit
            At most so many.
        after
            Skip so many pages from the start of the crawl, at no cost (a page fetched again counts twice).
        """
        query, values = pages_query(
            relevant=relevant,
            outcome=outcome,
            host=host,
            with_text=with_text,
            best_first=best_first,
            limit=limit,
            after=after,
        )
        for row in self.select(query, values):
            yield PAGES.to_record(row)

    def targets(self, source: UrlKey) -> list[UrlKey]:
        """Return the keys of all links of a page, in order; none when it was not fetched."""
        with self.reading() as db:
            row = db.execute("SELECT targets FROM page_links WHERE source = ?", (to_signed(source),)).fetchone()
        return [to_unsigned(key) for key in json.loads(row[0])] if row else []

    def edges(self) -> Iterator[tuple[UrlKey, list[UrlKey]]]:
        """Yield (page, keys of its links in order) of all fetched pages, in no particular order."""
        for source, targets in self.select("SELECT source, targets FROM page_links"):
            yield to_unsigned(source), [to_unsigned(key) for key in json.loads(targets)]

    # ---------------------------------------------------------------- frontier

    def entry(self, key: UrlKey) -> StoredEntry | None:
        """Return what the frontier has of a URL, None when it was never found."""
        with self.reading() as db:
            upto = get_setting(db, INDEXED_UPTO, 0)
            row = db.execute(_ENTRY_INDEXED, (to_signed(key),)).fetchone()
            row = row or db.execute(_ENTRY_RECENT, (upto, to_signed(key))).fetchone()
        return None if row is None else _stored(row)

    def queue(self, *, host: str | None = None, limit: int = 100, without: Sequence[int] = ()) -> list[StoredEntry]:
        """Return queued entries by falling priority, `without` those of some `seq` (leased, for one who knows)."""
        values: list[object] = [] if host is None else [host]
        where = "e.state IN (0, 1)" + ("" if host is None else " AND b.host = ?")
        query = f"{_ENTRY} WHERE {where} ORDER BY coalesce(g.offset, 0.0) + e.score DESC, e.seq LIMIT ?"
        skip = frozenset(without)
        rows = self.select(query, [*values, limit + len(skip)])
        return [stored for stored in map(_stored, rows) if stored.seq not in skip][:limit]

    def queued_by_host(self) -> dict[str, int]:
        """Return how many links of each host wait, those in flight among them."""
        names = dict(self.select("SELECT id, host FROM buckets"))
        queued: dict[str, int] = {}
        for where in ("state = 0", "state = 1"):  # apart, so that each is counted on its own partial index
            query = f"SELECT bucket, count(*) FROM entries WHERE {where} GROUP BY bucket"  # noqa: S608 - the two above
            for bucket, count in self.select(query):
                host = names.get(bucket, "")
                queued[host] = queued.get(host, 0) + count
        return queued

    def counts(self) -> dict[str, int]:
        """Return counters as of the last transaction.

        ``queued leased done failed refused hosts groups`` are the frontier's (`FrontierStats`), ``pages`` the fetched
        pages with a record, ``relevant`` the relevant ones among them.
        """
        with self.reading() as db:
            counters: dict[str, int] = get_setting(db, COUNTERS, {})
            pages, relevant = db.execute("SELECT count(*), coalesce(sum(relevant), 0) FROM pages").fetchone()
        return {name: counters.get(name, 0) for name in FRONTIER_COUNTS} | {"pages": pages, "relevant": relevant}


_ENTRY = """
SELECT e.url, e.key, b.host, e.score, b.grp, e.depth, e.tunnel, e.not_before, e.data, e.state, e.attempts, e.seq,
       coalesce(g.offset, 0.0)
FROM entries AS e
LEFT JOIN buckets AS b ON b.id = e.bucket
LEFT JOIN groups AS g ON g.grp = CASE b.grp WHEN '' THEN b.host ELSE b.grp END"""

_ENTRY_INDEXED = _ENTRY + " WHERE e.seq = (SELECT seq FROM keys WHERE key = ?)"  # noqa: S608
_ENTRY_RECENT = _ENTRY + " WHERE e.seq > ? AND e.key = ?"


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


# ------------------------------------------------------------------------------------------------------ settings rows


def put_setting(db: sqlite3.Connection, name: str, value: object) -> None:
    """Keep a setting, inside a transaction of the caller."""
    db.execute(
        "INSERT INTO settings (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
        (name, to_json(value)),
    )


def get_setting(db: sqlite3.Connection, name: str, default: Any) -> Any:
    """Return a setting, `default` when it was never kept."""
    row = db.execute("SELECT value FROM settings WHERE name = ?", (name,)).fetchone()
    return default if row is None else json.loads(row[0])


# ------------------------------------------------------------------------------------------------------------ opening


def _prepare(db: sqlite3.Connection, path: Path) -> None:
    ours = _is_ours(db, path, FrontierError)
    db.execute("PRAGMA journal_mode = WAL")
    # A commit survives the end of the process at any moment. A power cut may take back the last ones, whole.
    db.execute("PRAGMA synchronous = NORMAL")
    db.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")
    db.execute(f"PRAGMA wal_autocheckpoint = {_CHECKPOINT_PAGES}")
    db.execute("PRAGMA temp_store = MEMORY")
    if not ours:
        schema = files("focuscrawl.storage").joinpath("crawl_schema.sql").read_text(encoding="utf-8")
        version = f"INSERT INTO settings VALUES ('schema_version', '{SCHEMA_VERSION}');"  # noqa: S608
        # One transaction: a process killed here leaves an empty file, which is a new one the next time.
        db.executescript(
            f"BEGIN; {PAGES.sqlite_table()}; {schema}; {version} PRAGMA application_id = {_APPLICATION_ID}; COMMIT;"
        )
    else:
        add_missing_columns(db)


def add_missing_columns(db: sqlite3.Connection, pages: RecordTable[Any] = PAGES) -> None:
    """Add the columns to a file of an earlier version that are new since."""
    lacking = _missing(db, pages)
    if lacking:
        adding = (f"ALTER TABLE pages ADD COLUMN {column.definition(column.kind.sqlite)};" for column in lacking)
        db.executescript(f"BEGIN; {' '.join(adding)} COMMIT;")


def show_missing_columns(db: sqlite3.Connection, pages: RecordTable[Any] = PAGES) -> None:
    """Let this connection read the columns that a file of an earlier version lacks, without changing the file."""
    lacking = _missing(db, pages)
    if lacking:
        defaults = ", ".join(f'{column.literal} AS "{column.name}"' for column in lacking)
        db.execute(f"CREATE TEMP VIEW pages AS SELECT *, {defaults} FROM main.pages")  # noqa: S608 - names of our own


def _missing(db: sqlite3.Connection, pages: RecordTable[Any]) -> list[TableColumn]:
    return pages.missing([name for (name,) in db.execute("SELECT name FROM pragma_table_info('pages', 'main')")])


def _is_ours(db: sqlite3.Connection, path: Path, error: type[FocusCrawlError]) -> bool:
    """Return False for an empty file; raise for somebody else's and for one from the future."""
    tables = db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    if not tables:
        return False
    if db.execute("PRAGMA application_id").fetchone()[0] != _APPLICATION_ID:
        raise error(f"{path}: an SQLite database, but not of a crawl; name another run folder with -a run=.")
    version = get_setting(db, "schema_version", 0)
    if version != SCHEMA_VERSION:
        newer = isinstance(version, int) and version > SCHEMA_VERSION
        hint = "upgrade focuscrawl" if newer else "crawl in a new run folder"
        raise error(f"{path}: its schema has version {version}, this program reads {SCHEMA_VERSION}; {hint}.")
    return True


# ------------------------------------------------------------------------------------------------------------- errors


@contextmanager
def translated(path: Path, error: type[FocusCrawlError]) -> Iterator[None]:
    """Turn what SQLite raises into one sentence: which file, what is wrong, what to do."""
    try:
        yield
    except sqlite3.Error as fault:
        raise error(f"{path}: {_sentence(fault)}") from fault


def _sentence(fault: sqlite3.Error) -> str:
    # The low byte is the kind of error, the rest says more.
    match getattr(fault, "sqlite_errorcode", 0) & 0xFF:
        case sqlite3.SQLITE_FULL:
            return "the disk is full; what was settled before is safe. Make room and resume with -a run=."
        case sqlite3.SQLITE_CORRUPT:
            return (
                "the database is damaged (it may have been cut off or changed by another program);"
                ' "sqlite3 crawl.db .recover" saves what can be read. It was left as it is.'
            )
        case sqlite3.SQLITE_NOTADB:
            return "this is not an SQLite database; expected the crawl.db of a run folder. It was left as it is."
        case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_PERM | sqlite3.SQLITE_AUTH:
            return "the database cannot be written: permission denied; name another run folder with -a run=."
        case sqlite3.SQLITE_CANTOPEN:
            return "the database cannot be opened; check that it is a file in a folder you may write to."
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return "another program keeps the database locked; close it and resume with -a run=."
        case sqlite3.SQLITE_IOERR:
            return f"the disk failed ({fault}); what was settled before is safe. Check it and resume with -a run=."
        case _:
            return f"the database failed: {fault}."
