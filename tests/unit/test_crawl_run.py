"""A crawl's run in Python, read while the crawl goes on."""

from __future__ import annotations

from pathlib import Path

from record_kit import stored_record

import focuscrawl
from focuscrawl.storage.crawldb import CrawlDb
from focuscrawl.storage.page_rows import PAGES


def add_pages(db: CrawlDb, *numbers: int) -> None:
    with db.transaction() as connection:
        connection.executemany(PAGES.insert, [PAGES.to_row(stored_record(n)) for n in numbers])


def test_a_caller_that_works_on_a_page_holds_up_no_crawl(tmp_path: Path) -> None:
    with CrawlDb.open(tmp_path / "crawl.db") as db:
        add_pages(db, *range(100))
        pages = focuscrawl.CrawlRun(tmp_path).pages()
        first = next(pages)
        add_pages(db, 100)
        # What SQLite has noted of changes is moved to crawl.db only once nobody reads as of a time before them.
        blocked, *_ = db.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        assert not blocked
        assert [first, *pages] == [stored_record(n) for n in range(101)]
