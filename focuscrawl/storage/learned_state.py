"""What a crawl has learned, as named rows of ``crawl.db``."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Mapping

from focuscrawl.storage.values import to_json

logger = logging.getLogger(__name__)


def write_state(db: sqlite3.Connection, state: Mapping[str, object], *, at: float) -> None:
    """Write named, JSON-safe state, inside a transaction; what had a name before is replaced.

    What is not JSON-safe is left out, with a line in the log: pages settled with it are not to be lost.
    """
    rows = []
    for name, value in state.items():
        try:
            if not isinstance(value, Mapping):  # the next start would call it damaged
                raise TypeError(f"expected a mapping, found {type(value).__name__}")
            rows.append((name, at, to_json(value)))
        except (TypeError, ValueError, RecursionError) as error:  # of a plug-in
            logger.error("what the %(name)s has learned cannot be saved: %(error)s", {"name": name, "error": error})
    db.executemany("INSERT OR REPLACE INTO state (name, saved_at, data) VALUES (?, ?, ?)", rows)
