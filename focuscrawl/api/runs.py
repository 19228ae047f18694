"""Results of a crawl, read from its run folder."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from focuscrawl.storage.crawldb import CrawlDb
from focuscrawl.storage.jsonl import kept
from focuscrawl.storage.run import RunFolder
from focuscrawl.storage.run_settings import STARTED, STOPPED

if TYPE_CHECKING:
    from focuscrawl.records import PageRecord


class CrawlRun:
    """Run folder of a crawl that has ended, goes on, or was killed."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def pages(self, *, every: bool = False) -> Iterator[PageRecord]:
        """Yield the results in the order in which they were found: relevant, no duplicates, allowed to be stored.

        Parameters
        ----------
        every
            All fetched pages, with their judgement or the reason why there was no page.

        Raises
        ------
        StoreError
            If there is no run in the folder, or it cannot be read.
        """
        folder = RunFolder.open(self.path, writable=False)
        with CrawlDb.open_readonly(folder.db) as db, closing(db.pages()) as records:
            for record in records:
                if every or kept(record):
                    yield record

    def counts(self) -> dict[str, int]:
        """Return counters: pages fetched, relevant ones, links queued, and what became of the others."""
        with CrawlDb.open_readonly(RunFolder.open(self.path, writable=False).db) as db:
            return db.counts()

    @property
    def stopped(self) -> tuple[str, str]:
        """Why the crawl stopped last, and the details; empty while it runs, or when it was killed.

        Reasons are "budget", "exhausted", "harvest too low", "stopped" and "error".
        """
        with CrawlDb.open_readonly(RunFolder.open(self.path, writable=False).db) as db:
            last = None
            for event in db.events():
                if event.kind in (STARTED, STOPPED):
                    last = event
        if last is None or last.kind == STARTED:
            return "", ""
        return str(last.data.get("reason", "")), str(last.data.get("detail", ""))

    def __repr__(self) -> str:
        return f"<CrawlRun {self.path}>"


def open_run(run: str | Path = "latest") -> CrawlRun:
    """Return a run by its folder, the name of a topic (its newest run), or "latest", the newest of all.

    Raises
    ------
    StoreError
        If there is no such run.
    """
    return CrawlRun(RunFolder.find(str(run)).path)
