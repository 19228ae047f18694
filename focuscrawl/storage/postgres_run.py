"""A crawl in PostgreSQL, for status, report and export. The frontier and the links are not there."""

from __future__ import annotations

import json
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any

from focuscrawl.errors import StoreError
from focuscrawl.records import PageRecord
from focuscrawl.storage.crawldb import Event
from focuscrawl.storage.page_rows import PAGES, pages_query
from focuscrawl.storage.postgres import connect
from focuscrawl.storage.postgres_schema import check_version, missing
from focuscrawl.storage.postgres_url import PostgresPlace, parse_place
from focuscrawl.storage.reading import FrontierElsewhere

if TYPE_CHECKING:
    from psycopg import Connection

# Queries are written for a table of one crawl, as in crawl.db. PostgreSQL plans through this, it copies nothing.
_ONE_CRAWL = "WITH pages AS NOT MATERIALIZED (SELECT * FROM focuscrawl.pages WHERE crawl = %s) "
_ROWS = 500  # fetched at once: a crawl of a million pages is never in memory


class PostgresRun(FrontierElsewhere):
    """An open crawl; made by `open`. Everything is read as of the moment of the first read."""

    def __init__(self, place: PostgresPlace, connection: Connection[Any], crawl: str) -> None:
        self.server = place
        self.connection = connection
        self.crawl = crawl
        self._cursors = 0

    @classmethod
    def open(cls, url: str) -> PostgresRun:
        """Open the crawl that a URL means: that of its ``?crawl=NAME``, or the only one there is.

        Raises
        ------
        StoreError
            If the server cannot be reached, has no tables of ours, or the crawl cannot be told; the sentence names
            those that are there.
        """
        place = parse_place(url)
        with _translated(place):
            connection = connect(place)
            try:
                return cls(place, connection, cls._begin(place, connection))
            except BaseException:
                connection.close()
                raise

    @staticmethod
    def _begin(place: PostgresPlace, connection: Connection[Any]) -> str:
        from psycopg import IsolationLevel
        from psycopg.adapt import Loader

        class JsonText(Loader):
            """Leaves JSON as text: `page_rows` reads it, as it does SQLite's."""

            def load(self, data: Any) -> str:
                return bytes(data).decode()

        if not check_version(connection, place):
            raise StoreError(f"{place.shown}: there is no crawl in this database.")
        connection.adapters.register_loader("jsonb", JsonText)
        connection.autocommit = False
        connection.isolation_level = IsolationLevel.REPEATABLE_READ
        connection.read_only = True
        # A crawl has settings from its start, pages a little later.
        known = [name for (name,) in connection.execute("SELECT DISTINCT crawl FROM focuscrawl.settings ORDER BY 1")]
        for column in missing(connection):
            raise StoreError(
                f"{place.shown}: it was written by an earlier version and has no column {column.name};"
                " the next crawl with this version adds it."
            )
        if place.crawl in known or (not place.crawl and len(known) == 1):
            return place.crawl or known[0]
        there = ", ".join(known) or "none"
        if place.crawl:
            raise StoreError(f'{place.shown}: there is no crawl "{place.crawl}"; there are: {there}.')
        raise StoreError(f"{place.shown}: name the crawl with ?crawl=NAME at the end; there are: {there}.")

    def close(self) -> None:
        """Close the connection."""
        self.connection.close()

    def __enter__(self) -> PostgresRun:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def place(self) -> str:
        """The server and the crawl, for people."""
        return f"{self.server.shown}, crawl {self.crawl}"

    @property
    def frontier_elsewhere(self) -> str:
        """Where the links that wait are: with the process that crawls, unless a fleet shares them."""
        return "crawl.db of the run folder"

    def select(self, query: str, values: Sequence[object] = ()) -> Generator[tuple[Any, ...], None, None]:
        """Yield the rows of a query on ``pages`` with ? for each of `values`."""
        yield from self._rows(_ONE_CRAWL + query.replace("?", "%s"), (self.crawl, *values))

    def settings(self) -> dict[str, Any]:
        """Return what was kept under each name."""
        query = "SELECT name, value FROM focuscrawl.settings WHERE crawl = %s ORDER BY name"
        return {name: json.loads(value) for name, value in self._rows(query, (self.crawl,))}

    def events(self, kind: str | None = None) -> Iterator[Event]:
        """Yield events of all workers in the order they were added, all or those of one kind."""
        query = "SELECT at, kind, data, worker FROM focuscrawl.events WHERE crawl = %s AND (%s::text IS NULL"
        for at, name, data, worker in self._rows(f"{query} OR kind = %s) ORDER BY id", (self.crawl, kind, kind)):
            yield Event(at, name, json.loads(data), worker)

    def pages(
        self,
        *,
        relevant: bool | None = None,
        outcome: str | None = None,
        host: str | None = None,
        with_text: bool = True,
        best_first: bool = False,
        limit: int | None = None,
        after: int = 0,
    ) -> Generator[PageRecord, None, None]:
        """Yield records in the order in which pages were stored, as `CrawlDb.pages` does."""
        query, values = pages_query(
            relevant=relevant,
            outcome=outcome,
            host=host,
            with_text=with_text,
            best_first=best_first,
            limit=limit,
            after=after,
        )
        with closing(self.select(query, values)) as rows:
            for row in rows:
                yield PAGES.to_record(row)

    def _rows(self, query: str, values: Sequence[object]) -> Iterator[tuple[Any, ...]]:
        self._cursors += 1
        with _translated(self.server), self.connection.cursor(f"rows{self._cursors}") as cursor:
            cursor.itersize = _ROWS
            cursor.execute(query.encode(), values)
            yield from cursor


@contextmanager
def _translated(place: PostgresPlace) -> Iterator[None]:
    """Turn what the driver raises into one sentence."""
    try:
        yield
    except ImportError:
        raise
    except Exception as error:
        if not type(error).__module__.startswith("psycopg"):
            raise
        raise StoreError(f"{place.shown}: {place.say(error)}.") from error
