"""What a crawl has learned, as named rows of ``crawl.db``."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping

from focuscrawl.storage.values import to_json


def write_state(db: sqlite3.Connection, state: Mapping[str, object], *, at: float) -> None:
    """Write named, JSON-safe state, inside a transaction; what had a name before is replaced."""
    db.executemany(
        "INSERT OR REPLACE INTO state (name, saved_at, data) VALUES (?, ?, ?)",
        [(name, at, to_json(value)) for name, value in state.items()],
    )
