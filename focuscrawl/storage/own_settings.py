"""Settings that ``crawl.db`` keeps for itself, and how one is read and written inside a transaction."""

from __future__ import annotations

import json
import sqlite3
from contextlib import suppress
from typing import Any

from focuscrawl.storage.values import to_json

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

OWN = frozenset({"schema_version", COUNTERS, INDEXED_UPTO, OPENED, WORKER, UNSETTLED})
"""All of them; `settings()` leaves them out."""


def put_setting(db: sqlite3.Connection, name: str, value: object) -> None:
    """Keep a setting, inside a transaction of the caller."""
    db.execute(
        "INSERT INTO settings (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
        (name, to_json(value)),
    )


def get_setting(db: sqlite3.Connection, name: str, default: Any) -> Any:
    """Return a setting, `default` when it was never kept.

    Raises
    ------
    sqlite3.DatabaseError
        If it is no JSON, or not of the type that `default` has.
    """
    row = db.execute("SELECT value FROM settings WHERE name = ?", (name,)).fetchone()
    if row is None:
        return default
    with suppress(TypeError, ValueError, RecursionError):
        value = json.loads(row[0])
        if default is None or isinstance(value, type(default)):
            return value
    raise sqlite3.DatabaseError(f'the setting "{name}" is damaged; put a copy of the file back')
