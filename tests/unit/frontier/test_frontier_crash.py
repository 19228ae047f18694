"""Killed at any moment, a crawl goes on with nothing lost."""

from __future__ import annotations

import asyncio
import random
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

from focuscrawl.frontier.sqlite import SqliteFrontier
from focuscrawl.storage.crawldb import CrawlDb
from focuscrawl.storage.reading import PageQuery
from focuscrawl.types import digest64

CHILD = Path(__file__).with_name("crash_child.py")


def crawl_until_killed(path: Path, pages: int) -> list[int]:
    """Kill a crawl after it has reported some pages; return the keys it reported."""
    command = [sys.executable, "-W", "error", str(CHILD), str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        reported = [line for line in (child.stdout.readline() for _ in range(pages)) if line]
        child.send_signal(signal.SIGKILL)
        reported += [line for line in child.stdout if line.endswith("\n")]
        assert child.wait(timeout=60) == -signal.SIGKILL
    return [int(line.split()[0]) for line in reported]


def check_file(path: Path, acknowledged: set[int]) -> tuple[int, int]:
    """Check what must hold of the file between two transactions; return the numbers of pages and of entries."""
    with CrawlDb.open_readonly(path) as db:
        pages = {record.key: record for record in db.pages()}
        edges = dict(db.edges())
        assert acknowledged <= pages.keys()
        assert pages.keys() == edges.keys()
        with db.reading() as connection:
            assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
            rows = connection.execute("SELECT key, state FROM frontier").fetchall()
        states = {int(key, 16): state for key, state in rows}
        assert len(states) == len(rows)  # each URL once, so in one state
        assert {key for key, state in states.items() if state == "done"} == pages.keys()
        assert {key for targets in edges.values() for key in targets} <= states.keys()
        counts = db.counts()
        assert counts["done"] == counts["pages"] == len(pages)
        assert counts["queued"] + counts["leased"] == len(states) - len(pages)
        if pages:
            last = max(
                pages.values(),
                key=lambda record: db.connection.execute(
                    "SELECT number FROM pages WHERE printf('%016x', key) = ?", (f"{record.key:016x}",)
                ).fetchone()[0],
            )
            assert db.state("ranker") == {"last": last.url}
        return len(pages), len(states)


def test_killed_at_any_moment_nothing_is_lost(tmp_path: Path) -> None:
    path = tmp_path / "crawl.db"
    acknowledged: set[int] = set()
    rng = random.Random(7)
    pages = 0
    for _ in range(6):
        acknowledged |= set(crawl_until_killed(path, rng.randrange(1, 150)))
        before, pages = pages, check_file(path, acknowledged)[0]
        assert pages > before

    async def resume() -> None:
        frontier = SqliteFrontier(path)
        await frontier.open()
        stats = await frontier.stats()
        assert (stats.leased, stats.done) == (0, pages)
        with closing(sqlite3.connect(path)) as connection, connection:
            queued = connection.execute("SELECT count(*) FROM frontier WHERE state = 'queued'").fetchone()[0]
        connection.close()
        assert stats.queued == queued
        leases = await frontier.lease(50, worker="w", per_host=50, lease_s=60.0)
        assert len(leases) == 50
        assert {lease.attempt for lease in leases} == {1}
        assert not acknowledged & {lease.entry.key for lease in leases}
        assert [lease.priority for lease in leases] == sorted((lease.priority for lease in leases), reverse=True)
        await frontier.close()

    asyncio.run(resume())


def test_killed_before_the_first_page(tmp_path: Path) -> None:
    path = tmp_path / "crawl.db"
    command = [sys.executable, str(CHILD), str(path)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as child:
        while not path.exists() and child.poll() is None:
            pass
        child.kill()
    keys = set(crawl_until_killed(path, 1))
    assert digest64("http://h0.example/") in {record.key for record in pages_of(path)}
    assert check_file(path, keys)[0] >= 1


def pages_of(path: Path) -> list[object]:
    with CrawlDb.open_readonly(path) as db:
        return list(db.pages(PageQuery(with_text=False)))
