"""Pages of a crawl, of one process or of a fleet, in PostgreSQL.

Every fetched page has a row, as in ``crawl.db``. A page is one row whatever is sent twice: the key of a row is
(crawl, key), and only a newer fetch replaces it. So a batch is sent again until the server has acknowledged it, and a
connection that breaks at any moment loses nothing and doubles nothing.
"""

from __future__ import annotations

import itertools
import json
import logging
import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from focuscrawl.errors import StoreError
from focuscrawl.records import PageRecord
from focuscrawl.storage import postgres_schema as schema
from focuscrawl.storage.base import Store
from focuscrawl.storage.keys import to_signed
from focuscrawl.storage.postgres_url import PostgresPlace, parse_place
from focuscrawl.storage.reading import EVERY_PAGE, PageQuery, Pages
from focuscrawl.storage.values import to_json
from focuscrawl.types import UrlKey

if TYPE_CHECKING:
    from psycopg import Connection

    from focuscrawl.storage.run import RunFolder

logger = logging.getLogger(__name__)

_BATCH = 200  # records a statement; with long texts some megabytes
_PUT_S = 5.0  # a crawl that was going well waits so long for a server that restarts
_FLUSH_S = 30.0  # at the end there is nothing else to do
_FIRST_WAIT_S = 0.1
_LONGEST_WAIT_S = 10.0
# Held for a server that is away: with texts of 10 kB 50 MB. What comes then is left to crawl.db.
_MAX_PENDING = 5000
_CONNECT: Mapping[str, object] = {
    "application_name": "focuscrawl",
    "connect_timeout": 10,
    # A network that was cut is noticed within half a minute, not after the system's two hours.
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 20_000,  # milliseconds
}
_STATEMENT_S = 60
_UPSERT = schema.upsert().encode()


def connect(place: PostgresPlace) -> Connection[Any]:
    """Return a connection that commits each statement; what the URL says goes before our own time limits.

    Raises
    ------
    StoreError
        If the driver is not installed, or the URL has a parameter it does not know.
    psycopg.OperationalError
        If the server cannot be reached, or does not let us in.
    """
    try:
        import psycopg
        from psycopg.conninfo import conninfo_to_dict
    except ImportError as error:
        raise StoreError(
            "PostgreSQL needs the driver psycopg, which is not installed: pip install 'focuscrawl[postgres]'."
        ) from error
    try:
        given = conninfo_to_dict(place.url)
    except psycopg.ProgrammingError as error:
        raise StoreError(f"{place.shown}: {place.say(error)}.") from None
    options: dict[str, Any] = {**_CONNECT, **given}
    # Nothing prepared: a pool such as PgBouncer may give each statement another session.
    connection = psycopg.connect(**options, autocommit=True, prepare_threshold=None)
    connection.execute(f"SET statement_timeout = '{_STATEMENT_S}s'".encode())
    return connection


class PostgresStore(Store):
    """Writes records in batches, one statement each; for use in one thread at a time.

    Parameters
    ----------
    place
        The server.
    crawl
        Name of the crawl: rows of the same name belong together, whoever wrote them.
    worker
        Name of this process in the crawl.
    connecting, sleep, clock
        For tests.
    """

    all_pages = True
    before_settling = True  # of a fleet: a page is here before the frontier forgets it

    def __init__(
        self,
        place: PostgresPlace,
        *,
        crawl: str,
        worker: str = "",
        connecting: Callable[[PostgresPlace], Connection[Any]] = connect,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.place = place
        self.crawl = crawl
        self.worker = worker
        self._connecting = connecting
        self._sleep = sleep
        self._clock = clock
        self._connection: Connection[Any] | None = None
        self._pending: dict[UrlKey, PageRecord] = {}  # not acknowledged yet, oldest first
        self._behind = False
        self._retry_at = 0.0
        self._wait_s = _FIRST_WAIT_S

    @property
    def pending(self) -> int:
        """Records the server has not acknowledged yet."""
        return len(self._pending)

    def open(self) -> None:
        """Connect, and make the tables on first use.

        Raises
        ------
        StoreError
            If the driver is missing, the server cannot be reached, or the database cannot be used.
        """
        try:
            self._connected()
        except _Failures().all as error:
            self._drop()
            raise self._error(error) from error

    def put(self, records: Sequence[PageRecord]) -> int:
        """Store `records`, and those of earlier calls that wait; return how many rows are new or newer.

        A server that is away is waited for a few seconds the first time; from then on records gather here, and each
        call tries again when it is time to.

        Raises
        ------
        StoreError
            If a record was refused, or too many wait already; the others are safe.
        """
        room = _MAX_PENDING - len(self._pending)
        for record in records[: max(room, 0)]:
            older = self._pending.pop(record.key, None)
            self._pending[record.key] = older if older and older.fetched_at > record.fetched_at else record
        written = self._deliver(0.0 if self._behind else _PUT_S)
        if len(records) > max(room, 0):
            missed = len(records) - max(room, 0)
            raise StoreError(f"{self._name}: {missed:,} more pages than can wait for the server{_ADDED}")
        return written

    def revise(self, records: Sequence[PageRecord]) -> int:
        """Store records again whose verdict is another now; return how many rows changed."""
        return self.put(records)

    def complete(self, pages: Pages) -> int:
        """Store those pages of ``crawl.db`` that are not here yet, for a run that goes on; return how many.

        Parameters
        ----------
        pages
            ``CrawlDb.pages`` of the run; texts are read only when something is missing.
        """
        missing: set[UrlKey] = set()
        brief = pages(PageQuery(with_text=False))
        while batch := {r.key: r.fetched_at for r in itertools.islice(brief, 1000)}:
            missing |= batch.keys() - self._stored(batch)
        added = 0
        if missing:
            lacking = (record for record in pages(EVERY_PAGE) if record.key in missing)
            while records := list(itertools.islice(lacking, _BATCH)):
                added += self.put(records)
        return added

    def flush(self) -> None:
        """Store what waits, and give the server more time than during the crawl.

        Raises
        ------
        StoreError
            If it is still away.
        """
        self._retry_at = 0.0
        self._deliver(_FLUSH_S)
        if self._pending:
            raise StoreError(f"{self._name}: {len(self._pending):,} pages could not be sent{_ADDED}")

    def close(self) -> None:
        """Close the connection; closing twice is fine."""
        self._drop()

    # ---------------------------------------------- beside the pages, as CrawlDb has them

    def set_setting(self, name: str, value: object) -> None:
        """Keep a JSON-safe value of the crawl under `name`."""
        self._note(
            "INSERT INTO focuscrawl.settings (crawl, name, value) VALUES (%s, %s, %s::jsonb)"
            " ON CONFLICT (crawl, name) DO UPDATE SET value = excluded.value",
            (self.crawl, name, _json(value)),
        )

    def add_event(self, kind: str, data: Mapping[str, object] | None = None, *, at: float | None = None) -> None:
        """Add an event of this worker, at the present time unless told otherwise."""
        self._note(
            # The same event again, after an answer that was lost, is not added twice.
            "INSERT INTO focuscrawl.events (crawl, worker, at, kind, data)"
            " SELECT new.* FROM (VALUES (%s::text, %s::text, %s::double precision, %s::text, %s::jsonb))"
            " AS new (crawl, worker, at, kind, data) WHERE NOT EXISTS (SELECT FROM focuscrawl.events AS old"
            " WHERE (old.crawl, old.worker, old.at, old.kind) = (new.crawl, new.worker, new.at, new.kind))",
            (self.crawl, self.worker, time.time() if at is None else at, kind, _json(dict(data or {}))),
        )

    # ----------------------------------------------------------------------- private

    @property
    def _name(self) -> str:
        return f"{self.place.shown}, crawl {self.crawl}"

    def _connected(self) -> Connection[Any]:
        if self._connection is None or self._connection.closed:
            self._connection = self._connecting(self.place)
            schema.prepare(self._connection, self.place)
        return self._connection

    def _drop(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    def _deliver(self, patience_s: float) -> int:
        """Send what waits; give up for now after `patience_s` seconds without a server."""
        if not self._pending or self._clock() < self._retry_at:
            return 0
        lost = _Failures().connection
        give_up_at = self._clock() + patience_s
        written = 0
        refused: list[str] = []
        while self._pending:
            batch = list(itertools.islice(self._pending.values(), _BATCH))
            try:
                written += self._write(batch, refused)
            except lost as error:
                self._drop()
                if self._clock() + self._wait_s > give_up_at:
                    self._fall_behind(error)
                    break
                self._sleep(self._wait_s)
                self._wait_s = min(self._wait_s * 2, _LONGEST_WAIT_S)
                continue
            self._wait_s = _FIRST_WAIT_S
            for record in batch:
                del self._pending[record.key]
        if not self._pending and self._behind:
            self._behind, self._retry_at = False, 0.0
            logger.warning("%s: the server is back, and has all pages", self._name)
        if refused:
            raise StoreError(f"{self._name}: {len(refused):,} of the pages were refused: {refused[0]}")
        return written

    def _write(self, batch: Sequence[PageRecord], refused: list[str]) -> int:
        """Send one statement; a batch the server cannot store is halved until the record at fault is found."""
        failures = _Failures()
        try:
            cursor = self._connected().execute(_UPSERT, schema.upsert_values(self.crawl, self.worker, batch))
        except failures.connection:
            raise
        except failures.data as error:
            if len(batch) == 1:
                refused.append(f"{batch[0].url}: {self.place.say(error)}.")
                return 0
            middle = len(batch) // 2
            return self._write(batch[:middle], refused) + self._write(batch[middle:], refused)
        except failures.all as error:
            raise self._error(error) from error
        return cursor.rowcount

    def _stored(self, fetched: Mapping[UrlKey, float]) -> set[UrlKey]:
        """Return the keys among `fetched` of which this fetch, or a newer one, is stored."""
        signed = {to_signed(key): key for key in fetched}
        try:
            rows = self._connected().execute(
                "SELECT key, fetched_at FROM focuscrawl.pages WHERE crawl = %s AND key = ANY(%s)",
                (self.crawl, list(signed)),
            )
            return {signed[key] for key, at in rows if at >= fetched[signed[key]]}
        except _Failures().all as error:
            self._drop()
            raise self._error(error) from error

    def _note(self, statement: str, values: Sequence[object]) -> None:
        failures = _Failures()
        for attempt in itertools.count(1):
            try:
                self._connected().execute(statement.encode(), values)
            except failures.connection as error:
                self._drop()
                if attempt == 3 or self._behind:
                    raise self._error(error) from error
                self._sleep(_FIRST_WAIT_S * 2**attempt)
            except failures.all as error:
                raise self._error(error) from error
            else:
                return

    def _fall_behind(self, error: Exception) -> None:
        self._retry_at = self._clock() + self._wait_s
        self._wait_s = min(self._wait_s * 2, _LONGEST_WAIT_S)
        if not self._behind:
            self._behind = True
            logger.warning("%s: %s; pages wait until the server is back", self._name, self.place.say(error))

    def _error(self, error: Exception) -> StoreError:
        if isinstance(error, StoreError):
            return error
        return StoreError(
            f"{self.place.shown}: {self.place.say(error)}; check FOCUSCRAWL_POSTGRES_URL, the server, and that the user"
            " may create tables in this database."
        )


_ADDED = "; they are in crawl.db, and resuming the run adds them."


class _Failures:
    """The driver's exceptions by what to do; a class, so that the driver is only imported when it is there."""

    connection: tuple[type[Exception], ...] = ()  # try again with a new connection
    data: tuple[type[Exception], ...] = ()  # a record is at fault
    all: tuple[type[Exception], ...] = (StoreError,)

    def __init__(self) -> None:
        try:
            import psycopg
        except ImportError:
            return
        self.connection = (psycopg.OperationalError, psycopg.InterfaceError)
        self.data = (psycopg.DataError, psycopg.IntegrityError, psycopg.NotSupportedError)
        self.all = (StoreError, psycopg.Error)


def _json(value: object) -> str:
    return json.dumps(schema.without_nul(json.loads(to_json(value))), ensure_ascii=False)


def postgres_store(run: RunFolder, *, url: str, crawl: str, worker: str = "") -> PostgresStore:
    """Return the store of a crawl in PostgreSQL (the plug-in ``postgres``).

    Raises
    ------
    ConfigError
        If `url` is none.
    """
    place = parse_place(url)
    return PostgresStore(place, crawl=place.crawl or crawl or run.path.name, worker=worker)
