"""Opening a run for a command that only looks."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

from focuscrawl.errors import StoreError
from focuscrawl.storage.crawldb import CrawlDb
from focuscrawl.storage.postgres_run import PostgresRun
from focuscrawl.storage.postgres_url import is_postgres
from focuscrawl.storage.reading import RunReader
from focuscrawl.storage.run import RunFolder
from focuscrawl.storage.several import SeveralRuns


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
    """The pages of a crawl and what goes with them, wherever they are."""

    reader: RunReader
    name: str  # for people: the run folders, or server and crawl; no passwords
    short: str  # to tell two runs apart
    folders: tuple[RunFolder, ...] = ()  # none for a crawl in PostgreSQL, several for those of a fleet

    @property
    def folder(self) -> RunFolder | None:
        """The run folder, where there is exactly one."""
        return self.folders[0] if len(self.folders) == 1 else None


@contextmanager
def open_pages(*references: str) -> Iterator[OpenPages]:
    """Open the run meant by a reference: a run folder, or the address of a PostgreSQL server.

    Several are the run folders of workers of one crawl, which are read as one.

    Raises
    ------
    StoreError
        If there is no such run, it cannot be read, or several do not belong together.
    """
    if any(map(is_postgres, references)):
        if len(references) > 1:
            raise StoreError("postgresql:// has the pages of all workers of a crawl: name it alone.")
        with PostgresRun.open(references[0]) as run:
            yield OpenPages(run, run.place, run.crawl)
        return
    with ExitStack() as opened:
        runs: dict[str, tuple[RunFolder, CrawlDb]] = {}
        for reference in references:
            folder = RunFolder.find(reference)
            if not any(folder.path.samefile(other.path) for other, _ in runs.values()):
                runs[str(folder.path)] = folder, opened.enter_context(CrawlDb.open_readonly(folder.db))
        name, folders = ", ".join(runs), tuple(folder for folder, _ in runs.values())
        if len(runs) == 1:
            yield OpenPages(runs[name][1], name, folders[0].path.name, folders)
        else:
            several = opened.enter_context(SeveralRuns.open({name: db for name, (_, db) in runs.items()}))
            yield OpenPages(several, name, ", ".join(folder.path.name for folder in folders), folders)
