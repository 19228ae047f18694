"""Rows of a settlement in ``crawl.db`` beside the frontier's own: page, links, snapshots."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import TYPE_CHECKING

from focuscrawl.storage.keys import to_signed
from focuscrawl.storage.learned_state import write_state
from focuscrawl.storage.page_rows import PAGES
from focuscrawl.storage.values import to_json
from focuscrawl.storage.visits import keep_versions, write_visits

if TYPE_CHECKING:
    from focuscrawl.records import Settlement


def write_settled(db: sqlite3.Connection, settlements: Sequence[Settlement], *, at: float) -> None:
    """Write pages, links and snapshots of settlements, inside a transaction; a page written before is replaced."""
    pages = [PAGES.to_row(one.record) for one in settlements if one.record is not None]
    links = [
        (to_signed(one.lease.entry.key), to_json([to_signed(key) for key in one.edges]))
        for one in settlements
        if one.edges
    ]
    state = {name: value for one in settlements for name, value in one.state.items()}
    if pages:
        keep_versions(db, settlements)
        db.executemany(PAGES.insert, pages)
    write_visits(db, settlements)
    revised = [[*PAGES.to_row(record), to_signed(record.key)] for one in settlements for record in one.revised]
    if revised:  # only rows that are there: an earlier settlement may have come too late
        db.executemany(PAGES.update, revised)
    if links:
        db.executemany("INSERT OR REPLACE INTO page_links (source, targets) VALUES (?, ?)", links)
    if state:
        write_state(db, state, at=at)
