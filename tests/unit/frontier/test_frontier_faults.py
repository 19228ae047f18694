"""What goes wrong with a file: one clear sentence each, and nothing lost."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from focuscrawl.errors import FrontierError, StoreError
from focuscrawl.frontier.base import FrontierStats
from focuscrawl.frontier.sqlite import SqliteFrontier, factory
from focuscrawl.records import Entry, Origin, Outcome, PageRecord, Settlement
from focuscrawl.storage.crawldb import CrawlDb
from focuscrawl.storage.sqlite_file import SCHEMA_VERSION, TABLES
from focuscrawl.types import digest64


def entry(number: int, text: str = "") -> Entry:
    url = f"http://a.example/{number}{text}"
    return Entry(url, digest64(url), "a.example", 0.5)


def opening(path: Path, **options: str) -> str:
    """Return the sentence with which a frontier says that it cannot be opened."""

    async def attempt() -> str:
        frontier = SqliteFrontier(path, **options)
        try:
            await frontier.open()
        except FrontierError as error:
            return str(error)
        await frontier.close()
        return ""

    return asyncio.run(attempt())


def reading(path: Path) -> str:
    try:
        with CrawlDb.open_readonly(path) as db:
            list(db.pages())
            db.queue()
    except StoreError as error:
        return str(error)
    return ""


def filled(path: Path, entries: int = 3000) -> None:
    async def fill() -> None:
        frontier = SqliteFrontier(path)
        await frontier.open()
        await frontier.push([entry(i, "x" * 50) for i in range(entries)])
        await frontier.close()

    asyncio.run(fill())


def test_a_folder_in_use_names_the_process(tmp_path: Path) -> None:
    path = tmp_path / "crawl.db"
    filled(path, 1)
    hold = (
        "import sys; from pathlib import Path; from focuscrawl.storage.crawldb import CrawlDb;"
        "db = CrawlDb.open(Path(sys.argv[1])); print('open', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", hold, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "open\n"
        assert opening(path) == (
            f"{tmp_path}: process {child.pid} is crawling in this run folder;"
            " wait for it, stop it, or name another folder."
        )
        assert reading(path) == ""  # looking on is allowed
        child.kill()
    assert opening(path) == ""


def test_the_same_process_cannot_open_a_folder_twice(tmp_path: Path) -> None:
    with CrawlDb.open(tmp_path / "crawl.db"):
        assert f"process {os.getpid()} is crawling" in opening(tmp_path / "crawl.db")
    assert opening(tmp_path / "crawl.db") == ""


def test_something_else_in_place_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "crawl.db"
    path.write_bytes("不是数据库 ".encode() * 1000)
    before = path.read_bytes()
    assert opening(path).startswith(f"{path}: this is not an SQLite database")
    assert reading(path).startswith(f"{path}: this is not an SQLite database")
    assert path.read_bytes() == before


def test_a_database_of_another_program(tmp_path: Path) -> None:
    path = tmp_path / "crawl.db"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE bookmarks (url TEXT)")
    connection.close()
    before = path.read_bytes()
    assert "an SQLite database, but not of a crawl" in opening(path)
    assert "an SQLite database, but not of a crawl" in reading(path)
    assert path.read_bytes() == before


_ENDLESS = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT max(x) FROM n"


@pytest.mark.parametrize(
    ("statements", "found"),
    [
        (f"DROP TABLE settings; CREATE VIEW settings (name, value) AS SELECT 'a', ({_ENDLESS})", "view 'settings'"),
        (f"ALTER TABLE pages RENAME TO p; CREATE VIEW Pages AS SELECT *, ({_ENDLESS}) FROM p", "view 'Pages'"),
        (f"CREATE TRIGGER slow AFTER INSERT ON events BEGIN {_ENDLESS}; END", "trigger 'slow'"),
        ("CREATE VIEW best AS SELECT url FROM pages WHERE relevance > .9", ""),
    ],
)
def test_what_would_compute_for_ever_in_a_strangers_file(tmp_path: Path, statements: str, found: str) -> None:
    path = tmp_path / "crawl.db"
    filled(path)
    with closing(sqlite3.connect(path)) as connection:
        tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        assert tables == TABLES
        connection.executescript("PRAGMA legacy_alter_table = ON; " + statements)
    says = f"{path}: it holds the {found}, which no crawl makes; nothing of it was read." if found else ""
    assert (opening(path), reading(path)) == (says, says)


def test_a_file_that_was_cut_off(tmp_path: Path) -> None:
    path = tmp_path / "crawl.db"
    filled(path)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    assert "the database is damaged" in opening(path)
    assert "the database is damaged" in reading(path)
    assert path.read_bytes()[100:] == whole[100 : len(whole) // 2]


def test_an_empty_file_is_a_new_crawl(tmp_path: Path) -> None:
    path = tmp_path / "crawl.db"
    path.touch()
    assert "stopped before it began" in reading(path)
    assert opening(path) == ""
    assert reading(path) == ""


def test_a_newer_schema(tmp_path: Path) -> None:
    path = tmp_path / "crawl.db"
    filled(path, 1)
    connection = sqlite3.connect(path)
    with connection:
        connection.execute("UPDATE settings SET value = '7' WHERE name = 'schema_version'")
    connection.close()
    told = f"{path}: its schema has version 7, this program reads {SCHEMA_VERSION}; upgrade focuscrawl."
    assert opening(path) == told
    assert reading(path) == told


def test_no_file_to_read(tmp_path: Path) -> None:
    assert reading(tmp_path / "none" / "crawl.db") == (
        f"{tmp_path / 'none' / 'crawl.db'}: there is no such file; expected the crawl.db of a run folder."
    )
    assert not (tmp_path / "none").exists()


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    sentence = opening(tmp_path / "file" / "run" / "crawl.db")
    assert sentence.startswith(f"{tmp_path / 'file' / 'run'}: the run folder cannot be written: ")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    filled(tmp_path / "crawl.db", 1)
    tmp_path.chmod(0o500)
    try:
        assert "permission denied" in opening(tmp_path / "crawl.db")
    finally:
        tmp_path.chmod(0o700)


def test_a_folder_in_place_of_the_file(tmp_path: Path) -> None:
    (tmp_path / "crawl.db").mkdir()
    assert "the database cannot be opened" in opening(tmp_path / "crawl.db")
    assert "there is no such file" in reading(tmp_path / "crawl.db")


def test_another_crawl(tmp_path: Path) -> None:
    assert opening(tmp_path / "crawl.db", crawl="chess") == ""
    assert opening(tmp_path / "crawl.db", crawl="chess") == ""
    assert opening(tmp_path / "crawl.db") == ""
    assert 'it belongs to the crawl "chess", not to "go"' in opening(tmp_path / "crawl.db", crawl="go")


def test_a_frontier_that_is_not_open(tmp_path: Path) -> None:
    frontier = factory(location=str(tmp_path / "crawl.db"))
    with pytest.raises(FrontierError, match="the frontier is not open"):
        asyncio.run(frontier.stats())
    asyncio.run(frontier.close())


def test_a_full_disk_loses_nothing_and_can_be_helped(tmp_path: Path) -> None:
    async def crawl() -> None:
        frontier = SqliteFrontier(tmp_path / "crawl.db")
        await frontier.open()
        await frontier.push([entry(i) for i in range(20)])
        leases = await frontier.lease(3, worker="w", per_host=9, lease_s=60.0)
        assert await frontier.settle([Settlement(leases[0], Outcome.DONE)]) == [True]

        def limit(db: CrawlDb, pages: int) -> None:
            # Takes the place of a disk that has no room left.
            db.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
            db.connection.execute(f"PRAGMA max_page_count = {pages}").fetchall()

        await frontier.call(lambda db: limit(db, 1))
        before = await frontier.stats()
        found = [entry(100 + i, "x" * 500) for i in range(500)]
        big = Settlement(leases[1], Outcome.DONE, found=found, state={"ranker": {}})
        for _ in range(2):
            with pytest.raises(
                FrontierError,
                match=r"disk is full; what was settled before is safe\. Make room",
            ):
                await frontier.settle([big])
            with pytest.raises(FrontierError, match="the disk is full"):
                await frontier.push(found)
            assert await frontier.stats() == before == FrontierStats(queued=17, leased=2, done=1, hosts=1, groups=1)
        assert await frontier.call(lambda db: db.state("ranker")) is None
        await frontier.call(lambda db: limit(db, 1_000_000))
        assert await frontier.settle([big]) == [True]
        assert await frontier.settle([big]) == [False]
        assert await frontier.stats() == FrontierStats(queued=517, leased=1, done=2, hosts=1, groups=1)
        more = await frontier.lease(600, worker="w", per_host=600, lease_s=60.0)
        assert [lease.entry.url for lease in more] == [one.url for one in [entry(i) for i in range(3, 20)] + found]
        await frontier.close()

    asyncio.run(crawl())


def test_a_call_that_fails_changes_nothing(tmp_path: Path) -> None:
    async def crawl() -> None:
        frontier = SqliteFrontier(tmp_path / "crawl.db")
        await frontier.open()
        await frontier.push([entry(1), entry(2)])
        (lease,) = await frontier.lease(1, worker="w", per_host=9, lease_s=60.0)
        record = PageRecord(1, "http://a.example/", "http://a.example/", "a.example", 1.0, 200, "", "")
        counts: Any = {1, 2}
        odd = replace(record, evidence={"text": counts})
        with pytest.raises(TypeError, match="not JSON-safe"):
            await frontier.settle([Settlement(lease, Outcome.DONE, found=[entry(3)], record=odd)])
        assert await frontier.stats() == FrontierStats(queued=1, leased=1, hosts=1, groups=1)
        assert await frontier.settle([Settlement(lease, Outcome.DONE, found=[entry(3)])]) == [True]
        await frontier.close()

    asyncio.run(crawl())


def _fails_at_once(db: CrawlDb) -> None:
    raise ZeroDivisionError


def _fails_at_the_end_of_a_settlement(db: CrawlDb) -> None:
    db.connection.execute(
        "CREATE TEMP TRIGGER full BEFORE INSERT ON settings WHEN new.name = 'frontier_counters'"
        " BEGIN SELECT RAISE(ABORT, 'no room'); END"
    )


@pytest.mark.parametrize("failure", [_fails_at_once, _fails_at_the_end_of_a_settlement])
def test_a_host_keeps_its_delay_when_a_call_fails(
    tmp_path: Path, clock: Any, failure: Callable[[CrawlDb], None]
) -> None:
    async def crawl() -> None:
        frontier = SqliteFrontier(tmp_path / "crawl.db", clock=clock, delay_s=10.0)
        await frontier.open()
        await frontier.push([entry(1), entry(2)])
        (lease,) = await frontier.lease(5, worker="w", per_host=9, lease_s=60.0)
        with suppress(ZeroDivisionError):
            await frontier.call(failure)
        if failure is _fails_at_the_end_of_a_settlement:
            with pytest.raises(FrontierError, match="no room"):
                await frontier.settle([Settlement(lease, Outcome.DONE)])
        clock.now += 9.0
        assert await frontier.lease(5, worker="w", per_host=9, lease_s=60.0) == []
        clock.now += 1.0
        assert len(await frontier.lease(5, worker="w", per_host=9, lease_s=60.0)) == 1
        await frontier.call(lambda db: db.connection.execute("DROP TRIGGER IF EXISTS full"))
        await frontier.close()

    asyncio.run(crawl())


def test_text_sqlite_cannot_hold_is_mended(tmp_path: Path) -> None:
    async def crawl() -> None:
        frontier = SqliteFrontier(tmp_path / "crawl.db")
        await frontier.open()
        odd = "half a pair \ud83d and a zero \x00"
        await frontier.push([Entry("http://a.example/", 7, "a.example", 0.5, origin=Origin(anchor=odd))])
        (lease,) = await frontier.lease(1, worker="w", per_host=9, lease_s=60.0)
        record = PageRecord(7, "http://a.example/", "http://a.example/", "a.example", 1.0, 200, odd, odd)
        assert await frontier.settle([Settlement(lease, Outcome.DONE, record=record)]) == [True]
        await frontier.close()
        with CrawlDb.open_readonly(tmp_path / "crawl.db") as db:
            page, stored = db.page(7), db.entry(7)
            assert page is not None
            assert stored is not None
            assert page.title == page.text == odd.replace("\ud83d", "�")
            assert stored.entry.origin == Origin(anchor=odd.replace("\ud83d", "�"))

    asyncio.run(crawl())
