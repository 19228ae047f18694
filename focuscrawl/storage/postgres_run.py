"""A crawl in PostgreSQL, for status, report and export. The frontier and the links are not there."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from focuscrawl.errors import StoreError
from focuscrawl.storage.columns import TableColumn
from focuscrawl.storage.postgres import connect
from focuscrawl.storage.postgres_schema import check_version, missing
from focuscrawl.storage.postgres_url import PostgresPlace, parse_place
from focuscrawl.storage.reading import RunReader

if TYPE_CHECKING:
    from psycopg import Connection

_ROWS = 500  # fetched at once: a crawl of a million pages is never in memory


class PostgresRun(RunReader):
    """An open crawl; made by `open`. Everything is read as of the moment of the first read."""

    def __init__(
        self, place: PostgresPlace, connection: Connection[Any], crawl: str, lacking: Sequence[TableColumn] = ()
    ) -> None:
        self.server = place
        self.connection = connection
        self.crawl = crawl
        self._tables = _one_crawl(lacking)
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
                return cls(place, connection, cls._begin(place, connection), missing(connection))
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
        """Yield the rows of a query on ``pages``, ``settings`` or ``events`` with ? for each of `values`."""
        self._cursors += 1
        with _translated(self.server), self.connection.cursor(f"rows{self._cursors}") as cursor:
            cursor.itersize = _ROWS
            crawl = (self.crawl, self.crawl, self.crawl)  # one for each of the tables
            cursor.execute(f"WITH {self._tables} {query.replace('?', '%s')}".encode(), (*crawl, *values))
            yield from cursor


def _one_crawl(lacking: Sequence[TableColumn]) -> str:
    """Return the tables that a query written for ``crawl.db`` sees: those of one crawl, with the columns that it lacks.

    PostgreSQL plans through them, it copies nothing.
    """
    new = "".join(f', ({column.earlier})::{column.kind.postgres} AS "{column.name}"' for column in lacking)
    tables = (("pages", f"*{new}"), ("settings", "*"), ("events", "*"))
    return ", ".join(
        f"{name} AS NOT MATERIALIZED (SELECT {columns} FROM focuscrawl.{name} WHERE crawl = %s)"  # noqa: S608
        for name, columns in tables
    )


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
