"""Opening a run for a command that only looks."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from focuscrawl.storage.crawldb import CrawlDb
from focuscrawl.storage.postgres_run import PostgresRun
from focuscrawl.storage.postgres_url import is_postgres
from focuscrawl.storage.reading import RunReader
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


@dataclass(frozen=True, slots=True)
class OpenPages:
    """The pages of a run and what goes with them, wherever they are."""

    reader: RunReader
    name: str  # for people: the run folder, or server and crawl; no passwords
    short: str  # to tell two runs apart
    folder: RunFolder | None = None  # None for a crawl in PostgreSQL


@contextmanager
def open_pages(reference: str) -> Iterator[OpenPages]:
    """Open the run meant by `reference`: a run folder, or the address of a PostgreSQL server.

    Raises
    ------
    StoreError
        If there is no such run or it cannot be read.
    """
    if is_postgres(reference):
        with PostgresRun.open(reference) as run:
            yield OpenPages(run, run.place, run.crawl)
    else:
        with open_run(reference) as (folder, db):
            yield OpenPages(db, str(folder.path), folder.path.name, folder)
