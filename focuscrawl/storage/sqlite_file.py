"""The file ``crawl.db``: made, checked, brought up to date, opened, and its faults in sentences."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from typing import Any

from focuscrawl.errors import FocusCrawlError, FrontierError, NotBegunError, StoreError
from focuscrawl.storage import visits
from focuscrawl.storage.columns import TableColumn, filling
from focuscrawl.storage.own_settings import get_setting
from focuscrawl.storage.page_rows import PAGES, RecordTable

SCHEMA_VERSION = 3

# "fcra": tells our files from other SQLite databases.
_APPLICATION_ID = 0x66637261
TABLES = frozenset(
    {
        "settings",
        "events",
        "state",
        "hosts",
        "groups",
        "buckets",
        "entries",
        "keys",
        "page_links",
        "pages",
        "visits",
        "versions",
    }
)
"""Of the file."""

# How long a writer waits for somebody who has the file open in another tool and writes.
_BUSY_S = 15.0
# Pages of the file in memory. The system holds them, too: three times as many take no CPU less at 10^6 URLs.
_CACHE_KIB = 16 * 1024
# 16 MB of write-ahead log between checkpoints: a page of an index changed many times is written back once.
_CHECKPOINT_PAGES = 4000


def open_for_writing(path: Path) -> sqlite3.Connection:
    """Return a connection to the file, made when there is none; the caller has locked its folder.

    Raises
    ------
    FrontierError
        If it cannot be made, is damaged, is something else, or comes from another version.
    """
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
        raise
    return connection


def open_for_reading(path: Path) -> sqlite3.Connection:
    """Return a connection to the file, while a crawl writes to it or not; it is never changed.

    Raises
    ------
    StoreError
        If there is none, or it is damaged, is something else, or comes from another version.
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
            if not connection.execute("SELECT count(*) FROM sqlite_master WHERE name = 'visits'").fetchone()[0]:
                connection.executescript(visits.TABLES.replace("CREATE TABLE", "CREATE TEMP TABLE"))
    except BaseException:
        if connection is not None:
            connection.close()
        raise
    return connection


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
            f"BEGIN; {PAGES.sqlite_table()}; {schema}; {visits.TABLES} {version}"
            f" PRAGMA application_id = {_APPLICATION_ID}; COMMIT;"
        )
    else:
        add_missing_columns(db)
        db.executescript(f"BEGIN; {visits.TABLES} COMMIT;")


def add_missing_columns(db: sqlite3.Connection, pages: RecordTable[Any] = PAGES) -> None:
    """Add the columns to a file of an earlier version that are new since."""
    lacking = _missing(db, pages)
    if lacking:
        adding = [f"ALTER TABLE pages ADD COLUMN {column.definition(column.kind.sqlite)};" for column in lacking]
        db.executescript(f"BEGIN; {' '.join(adding)} {filling(lacking, 'pages')} COMMIT;")


def show_missing_columns(db: sqlite3.Connection, pages: RecordTable[Any] = PAGES) -> None:
    """Let this connection read the columns that a file of an earlier version lacks, without changing the file."""
    lacking = _missing(db, pages)
    if lacking:
        defaults = ", ".join(f'{column.earlier} AS "{column.name}"' for column in lacking)
        db.execute(f"CREATE TEMP VIEW pages AS SELECT *, {defaults} FROM main.pages")  # noqa: S608 - names of our own


def _missing(db: sqlite3.Connection, pages: RecordTable[Any]) -> list[TableColumn]:
    return pages.missing([name for (name,) in db.execute("SELECT name FROM pragma_table_info('pages', 'main')")])


def _is_ours(db: sqlite3.Connection, path: Path, error: type[FocusCrawlError]) -> bool:
    """Return False for an empty file; raise for somebody else's and for one from the future."""
    tables = db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    if not tables:
        return False
    if db.execute("PRAGMA application_id").fetchone()[0] != _APPLICATION_ID:
        raise error(
            f"{path}: an SQLite database, but not of a crawl; name another run folder with --run (scrapy: -a run=)."
        )
    # Either computes for ever where its author wants it to; a view of another name is the user's, and is not read.
    for kind, name in db.execute("SELECT type, name FROM sqlite_master WHERE type IN ('view', 'trigger')"):
        if kind == "trigger" or name.lower() in TABLES:
            raise error(f"{path}: it holds the {kind} {name!r}, which no crawl makes; nothing of it was read.")
    version = get_setting(db, "schema_version", 0)
    if version != SCHEMA_VERSION:
        newer = isinstance(version, int) and version > SCHEMA_VERSION
        hint = "upgrade focuscrawl" if newer else "crawl in a new run folder"
        raise error(f"{path}: its schema has version {version}, this program reads {SCHEMA_VERSION}; {hint}.")
    return True


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
            return "the disk is full; what was settled before is safe. Make room and go on with the run."
        case sqlite3.SQLITE_CORRUPT:
            return (
                "the database is damaged (it may have been cut off or changed by another program);"
                ' "sqlite3 crawl.db .recover" saves what can be read. It was left as it is.'
            )
        case sqlite3.SQLITE_NOTADB:
            return "this is not an SQLite database; expected the crawl.db of a run folder. It was left as it is."
        case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_PERM | sqlite3.SQLITE_AUTH:
            return "the database cannot be written: permission denied; name another run with --run (scrapy: -a run=)."
        case sqlite3.SQLITE_CANTOPEN:
            return "the database cannot be opened; check that it is a file in a folder you may write to."
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return "another program keeps the database locked; close it and go on with the run."
        case sqlite3.SQLITE_IOERR:
            return f"the disk failed ({fault}); what was settled before is safe. Check it and go on with the run."
        case _:
            return f"the database failed: {fault}."
