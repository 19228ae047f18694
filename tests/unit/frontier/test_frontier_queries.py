"""Statements that run for every page must find their rows by an index: a scan would cost more with every URL queued."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from focuscrawl.frontier import rows, sqlite_memory
from focuscrawl.storage.crawldb import _ENTRY_INDEXED, CrawlDb
from focuscrawl.storage.page_rows import PAGES

HOT = {
    "find by key": rows._BY_KEY.format("?,?,?"),
    "find by seq": rows._BY_SEQ.format("?,?,?"),
    "details": rows._DETAILS.format("?,?,?"),
    "due": rows._DUE,
    "best of a bucket": rows._BEST,
    "update": rows._UPDATE,
    "number of a bucket": "SELECT id FROM buckets WHERE host = ? AND grp = ?",
    "page": f"{PAGES.select} WHERE key = ?",
    "entry": _ENTRY_INDEXED,
    "links": "SELECT target FROM links WHERE source = ?",
}


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CrawlDb]:
    with CrawlDb.open(tmp_path_factory.mktemp("run") / "crawl.db") as db:
        yield db


def plan(db: CrawlDb, query: str) -> list[str]:
    values = [1] * query.count("?")
    return [row[3] for row in db.connection.execute(f"EXPLAIN QUERY PLAN {query}", values)]


@pytest.mark.parametrize("name", HOT)
def test_no_table_is_scanned_for_a_page(db: CrawlDb, name: str) -> None:
    scans = [step for step in plan(db, HOT[name]) if step.startswith("SCAN") and "VIRTUAL TABLE" not in step]
    assert scans == []
    assert not any("TEMP B-TREE FOR ORDER BY" in step for step in plan(db, HOT[name]))


def test_opening_goes_through_queued_entries_in_the_order_of_their_index(db: CrawlDb) -> None:
    steps = plan(db, sqlite_memory._QUEUED_BUCKETS)
    assert "SCAN entries USING INDEX entries_queued" in steps
    assert not any("TEMP B-TREE" in step for step in steps)
