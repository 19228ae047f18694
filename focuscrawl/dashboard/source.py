"""What a dashboard shows: the folders or the server the pages are in, and where the crawl is steered."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from focuscrawl.errors import ConfigError, StoreError
from focuscrawl.fleet.crawl_place import URL_VARIABLE, CrawlPlace, find_place
from focuscrawl.frontier.redis_url import is_redis
from focuscrawl.storage.crawldb import CrawlDb
from focuscrawl.storage.open_run import OpenPages, open_pages
from focuscrawl.storage.postgres_run import PostgresRun
from focuscrawl.storage.postgres_url import is_postgres
from focuscrawl.storage.reading import RunReader
from focuscrawl.storage.run import RunFolder, holds_run


@dataclass
class Source:
    """Where the pages of a crawl are, and where it is steered.

    Parameters
    ----------
    references
        Run folders, or the address of a PostgreSQL server; those of a fleet's workers on this machine are added as
        its Redis names them.
    place
        Where commands go; None where the crawl cannot be steered.
    why_not
        Why it cannot.
    shared
        Whether the run folders of workers on other machines are at the same paths here, in a volume they share.
    """

    references: list[str]
    place: CrawlPlace | None = None
    why_not: str = ""
    shared: bool = False

    @property
    def is_fleet(self) -> bool:
        """Tell whether the crawl has a Redis."""
        return self.place is not None and self.place.run is None

    @property
    def folder(self) -> RunFolder | None:
        """The run folder, where there is exactly one."""
        if len(self.references) != 1 or is_postgres(self.references[0]):
            return None
        return RunFolder.find(self.references[0])

    def folders(self) -> list[RunFolder]:
        """Return the run folders."""
        return [RunFolder.find(reference) for reference in self.references if not is_postgres(reference)]

    @contextmanager
    def readers(self) -> Iterator[list[RunReader]]:
        """Open each folder, or the server, for reading.

        Raises
        ------
        FocusCrawlError
            If one cannot be read.
        """
        with ExitStack() as opened:
            readers: list[RunReader] = []
            for reference in self.references:
                if is_postgres(reference):
                    readers.append(opened.enter_context(PostgresRun.open(reference)))
                else:
                    folder = RunFolder.find(reference)
                    readers.append(opened.enter_context(CrawlDb.open_readonly(folder.db)))
            yield readers

    @contextmanager
    def merged(self) -> Iterator[OpenPages]:
        """Open all as one run, for what needs the pages of all workers together.

        Raises
        ------
        FocusCrawlError
            If one cannot be read, or none is known.
        """
        if not self.references:
            raise StoreError("The pages of this crawl are on other machines: name a run folder beside --on.")
        with open_pages(*self.references) as pages:
            yield pages

    def add_folders(self, workers: Sequence[dict[str, Any]]) -> None:
        """Add the run folders of those workers of a fleet that are on this machine, or in a volume it shares."""
        if any(map(is_postgres, self.references)):
            return
        here = os.uname().nodename
        known = {str(Path(reference).resolve()) for reference in self.references}
        for worker in workers:
            run = Path(worker["run"]) if worker["run"] else None
            if run is None or not run.is_absolute() or str(run.resolve()) in known:
                continue
            if worker["machine"] != here and not self.shared:
                continue
            if holds_run(run):
                self.references.append(str(run))
                known.add(str(run.resolve()))


def find_source(runs: Sequence[str], on: str = "", crawl: str = "", *, shared: bool = False) -> Source:
    """Return the source that a command line means.

    Parameters
    ----------
    runs
        Run folders, names of topics or ``latest``, or a PostgreSQL address; none: the latest run, or `on`.
    on
        URL of a fleet's Redis, '' for a crawl of one process.
    crawl
        Name of the fleet's crawl.
    shared
        Whether the run folders of workers on other machines are at the same paths here.

    Raises
    ------
    FocusCrawlError
        If there is no such run or crawl, or it cannot be read.
    """
    redis = [run for run in runs if is_redis(run)]
    if redis and (on or len(redis) > 1):
        raise ConfigError("A dashboard shows one crawl: name one redis:// address, with --on.")
    on, runs = on or (redis[0] if redis else ""), [run for run in runs if not is_redis(run)]
    if on and not is_redis(on):
        raise ConfigError(f'--on {on}: expected the URL of a fleet\'s Redis; a run folder is named without "--on".')
    if not on and not runs:
        given = os.environ.get(URL_VARIABLE, "")
        on, runs = (given, []) if is_redis(given) else ("", ["latest"])
    references = [run if is_postgres(run) else str(RunFolder.find(run).path) for run in runs]
    source = Source(references, shared=shared)
    if on:
        source.place = find_place(on, crawl)
        source.place.ask(_nothing)  # a server that is not there is said now, not by an empty page
    elif len(references) > 1 or is_postgres(references[0]):
        source.why_not = "steer"
    else:
        try:
            source.place = find_place(references[0], crawl)
        except ConfigError as error:
            source.why_not = str(error)
    with source.readers():
        pass  # likewise: a damaged run, or one of a newer version
    return source


async def _nothing(_: object) -> None:
    return None
