"""The run folders of several workers of one crawl, read as one.

Each worker of a fleet has a ``crawl.db`` of the pages it fetched. A page may be in two of them: one worker failed to
fetch it and another did, or one was killed and never started again. What the pages' numbers, times and judgements are
is copied into a temporary database, with one row a page; texts stay where they are and are read from there. So there is
no limit of the number of folders, and a query finds one table ``pages``, as it does elsewhere.
"""

from __future__ import annotations

import heapq
import sqlite3
from collections.abc import Collection, Generator, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import Any

from focuscrawl.errors import StoreError
from focuscrawl.records import PageRecord
from focuscrawl.storage.crawldb import CrawlDb
from focuscrawl.storage.keys import to_signed, to_unsigned
from focuscrawl.storage.page_rows import PAGES
from focuscrawl.storage.reading import EVERY_PAGE, Event, PageQuery, RunReader
from focuscrawl.storage.run_settings import RunSettings
from focuscrawl.storage.unsettled import earlier_worker
from focuscrawl.storage.visits import last_told
from focuscrawl.types import UrlKey

# What is long is left in the folders; a query that asks for it finds no such column.
_COLUMNS = tuple(f'"{column.name}"' for column in PAGES.columns if not column.about.long)
_NAMES = ", ".join(_COLUMNS)
_TABLE = f'CREATE TABLE found ({_NAMES}, source, place, UNIQUE ("key"))'
# Of several rows of a page: the one with the page, else the latest; the first folder's of equal ones.
_INSERT = f"""
INSERT INTO found ({_NAMES}, source, place) VALUES ({", ".join("?" * (len(_COLUMNS) + 2))})
ON CONFLICT ("key") DO UPDATE SET {", ".join(f"{name} = excluded.{name}" for name in (*_COLUMNS, "source", "place"))}
WHERE (excluded.outcome = 'done', excluded.fetched_at) > (outcome = 'done', fetched_at)
"""  # noqa: S608 - names of our own
_SEEN = """
UPDATE found SET visited_at = ?1, revisit = ?2
WHERE "key" = ?3 AND outcome = 'done' AND visited_at < ?1 AND fetched_at < ?1
"""
_PAGES = """
CREATE TABLE pages AS SELECT row_number() OVER (ORDER BY fetched_at, source, place) AS number, * FROM found;
DROP TABLE found;
CREATE UNIQUE INDEX pages_by_number ON pages (number);
CREATE UNIQUE INDEX pages_by_key ON pages (key);
"""


class SeveralRuns(RunReader):
    """Several ``crawl.db`` as one run; made by `open`. Everything is read as of the moment of opening."""

    def __init__(self, runs: Mapping[str, CrawlDb], merged: sqlite3.Connection) -> None:
        self.runs = dict(runs)
        self._merged = merged

    @classmethod
    @contextmanager
    def open(cls, runs: Mapping[str, CrawlDb]) -> Iterator[SeveralRuns]:
        """Read several runs as one, for as long as the context lasts.

        Parameters
        ----------
        runs
            Name of each for people -> its database, open for reading. Settings are those of the first.

        Raises
        ------
        StoreError
            If they are not of workers of one crawl, or cannot be read.
        """
        _check(runs)
        with ExitStack() as opened:
            for db in runs.values():
                opened.enter_context(db.snapshot())
            merged = sqlite3.connect("", isolation_level=None, check_same_thread=False)  # a file nobody else sees
            opened.callback(merged.close)
            with _translated():
                _merge(runs.values(), merged)
            yield cls(runs, merged)

    @property
    def place(self) -> str:
        """Where the pages are, for people."""
        return ", ".join(db.place for db in self.runs.values())

    @property
    def frontier_elsewhere(self) -> str:
        """Where the links that wait are: a fleet's are never with the pages."""
        return "Redis"

    def select(self, query: str, values: Sequence[object] = ()) -> Generator[tuple[Any, ...], None, None]:
        """Yield the rows of a query on ``pages``, which has no texts here, with ? for each of `values`."""
        with _translated():
            yield from self._merged.execute(query, values)

    def settings(self) -> dict[str, Any]:
        """Return the settings of the first run."""
        return next(iter(self.runs.values())).settings()

    def events(self, kind: str | None = None) -> Iterator[Event]:
        """Yield events of all workers in the order of time, all or those of one kind."""
        each = ([replace(event, worker=name) for event in db.events(kind)] for name, db in self.runs.items())
        return heapq.merge(*each, key=lambda event: event.at)

    def pages(self, query: PageQuery = EVERY_PAGE) -> Generator[PageRecord, None, None]:
        """Yield records in the order in which pages were fetched; each is read from its folder."""
        runs = list(self.runs.values())
        clauses, values = query.clauses()
        columns = "source, place, visited_at, revisit"
        for source, place, visited_at, revisit in self.select(f"SELECT {columns} FROM pages{clauses}", values):  # noqa: S608
            for record in runs[source].pages(PageQuery(after=place - 1, limit=1, with_text=query.with_text)):
                yield replace(record, visited_at=visited_at, revisit=revisit)

    def page(self, key: UrlKey) -> PageRecord | None:
        """Return the record of a page, None when it was not fetched."""
        query = "SELECT source, visited_at, revisit FROM pages WHERE key = ?"
        for source, visited_at, revisit in self.select(query, (to_signed(key),)):
            record = list(self.runs.values())[int(source)].page(key)
            return record and replace(record, visited_at=visited_at, revisit=revisit)
        return None

    def edges(self) -> Iterator[tuple[UrlKey, list[UrlKey]]]:
        """Yield (page, keys of its links in order), each page's from the folder it was read from."""
        for source, db in enumerate(self.runs.values()):
            here = {to_unsigned(key) for (key,) in self.select("SELECT key FROM pages WHERE source = ?", (source,))}
            yield from ((page, targets) for page, targets in db.edges() if page in here)


def _merge(runs: Collection[CrawlDb], merged: sqlite3.Connection) -> None:
    merged.execute("PRAGMA journal_mode = OFF")  # nothing to take back: it is gone with the connection
    merged.execute("PRAGMA synchronous = OFF")
    merged.execute(_TABLE)
    merged.execute("BEGIN")
    for source, db in enumerate(runs):
        rows = db.select(f"SELECT {_NAMES}, {source}, number FROM pages ORDER BY number")  # noqa: S608
        merged.executemany(_INSERT, rows)
    for db in runs:  # what a worker saw of a page that another one has fetched
        merged.executemany(_SEEN, ((at, saw, key) for key, at, saw in last_told(db)))
    merged.execute("COMMIT")
    merged.executescript(_PAGES)


def _check(runs: Mapping[str, CrawlDb]) -> None:
    """Raise unless all are of workers of one crawl."""
    crawls: dict[str, tuple[str, str]] = {}
    for name, db in runs.items():
        settings = RunSettings.load(db)
        if earlier_worker(db) is None:
            raise StoreError(
                f"{name}: a crawl of a single process, which is one run of its own; only the run folders of the workers"
                " of one fleet are read as one."
            )
        crawls[name] = settings.topic, settings.crawl
    (first, (topic, crawl)), *others = crawls.items()
    for name, (its_topic, its_crawl) in others:
        if its_topic != topic:
            raise StoreError(
                f'{name}: it is about "{its_topic}", {first} about "{topic}"; name run folders of one crawl.'
            )
        if its_crawl != crawl:
            raise StoreError(
                f'{name}: it belongs to the crawl "{its_crawl}", {first} to "{crawl}"; name run folders of one crawl.'
            )


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as fault:
        raise StoreError(f"Several runs cannot be read as one: the temporary database failed: {fault}.") from fault
