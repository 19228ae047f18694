"""Statements that run for every page must find their rows by an index: a scan would cost more with every URL queued."""

from __future__ import annotations

import asyncio
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import pytest

from focuscrawl.frontier import rows, sqlite_memory
from focuscrawl.frontier.sqlite import SqliteFrontier
from focuscrawl.records import Entry, Origin, Outcome, Settlement
from focuscrawl.storage.crawldb import _ENTRIES_QUEUED, _ENTRY_INDEXED, CrawlDb
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
    "queued entries": _ENTRIES_QUEUED,
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


def test_a_whole_queue_is_read_without_holding_it(tmp_path: Path) -> None:
    count = 6_000
    origin = Origin(parent=1, parent_url="http://e.org/", anchor="a link", parts={f"part{n}": 0.1 for n in range(9)})

    def entry(number: int) -> Entry:
        host = f"{number % 50}.example"
        return Entry(f"http://{host}/{number}", number, host, number / count, origin=origin)

    async def read() -> tuple[list[int], int]:
        frontier = SqliteFrontier(tmp_path / "crawl.db")
        await frontier.open()
        await frontier.push([entry(number) for number in range(1, count + 1)])
        await frontier.set_offsets({"7.example": 1.0})
        leases = await frontier.lease(3, worker="w", per_host=3, lease_s=60.0)
        keys: list[int] = []
        tracemalloc.start()
        try:
            async for one in frontier.entries(limit=1 << 40):
                if not keys:  # one that is further on ends meanwhile
                    await frontier.settle([Settlement(leases[0], Outcome.DONE, also=[1])])
                keys.append(one.key)
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        await frontier.close()
        assert [lease.entry.host for lease in leases] == ["7.example"] * 3
        return keys, peak

    keys, peak = asyncio.run(read())
    of_seven = sorted((number for number in range(1, count + 1) if number % 50 == 7), reverse=True)
    others = sorted((number for number in range(2, count + 1) if number % 50 != 7), reverse=True)
    assert keys == [*of_seven[3:], *others]
    assert peak < 6_000_000  # all at once 17 MB
