"""Opening a run for a command that only looks."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from focuscrawl.storage.crawldb import CrawlDb
from focuscrawl.storage.run import RunFolder


@contextmanager
def open_run(reference: str) -> Iterator[tuple[RunFolder, CrawlDb]]:
    """Open the run meant by `reference` for reading, while a crawl writes to it or not.

    Raises
    ------
    StoreError
        If there is no such run or it cannot be read.
    """
    folder = RunFolder.find(reference)
    with CrawlDb.open_readonly(folder.db) as db:
        yield folder, db
