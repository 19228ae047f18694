"""Reading a run, whichever database its pages are in: ``crawl.db``, PostgreSQL, or several folders of a fleet."""

from __future__ import annotations

import json
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from typing import Any, Protocol

from focuscrawl.errors import StoreError
from focuscrawl.records import Entry, PageRecord
from focuscrawl.storage.keys import to_signed
from focuscrawl.storage.page_rows import PAGES
from focuscrawl.types import UrlKey

FRONTIER_COUNTS = ("queued", "leased", "done", "failed", "refused", "hosts", "groups")
"""Names of the frontier's counters in `RunReader.counts`."""
RESULT = "outcome = 'done' AND relevant AND duplicate_of IS NULL AND withheld = ''"
"""Condition of rows that are results, in SQL that both databases read."""
SHAPES = {dict: "JSON object", list: "JSON list", str: "text", int: "whole number"}
"""Types of values that are kept as JSON, in words."""


@dataclass(frozen=True, slots=True)
class PageQuery:
    """Query for pages, in the order of settling unless it says otherwise."""

    relevant: bool | None = None  # None: all, here and below
    outcome: str | None = None
    host: str | None = None
    with_text: bool = True  # False leaves text, summary and records empty, which is much faster
    best_first: bool = False  # by falling relevance
    limit: int | None = None
    after: int = 0  # skip so many from the start of the crawl, at no cost; a page fetched again counts twice

    def clauses(self) -> tuple[str, list[object]]:
        """Return what follows ``FROM pages``, in SQL that both databases read, and its values."""
        where, values = ["number > ?"], list[object]((self.after,))
        if self.relevant is not None:
            where.append("relevant" if self.relevant else "NOT relevant")
        for name, value in (("outcome", self.outcome), ("host", self.host)):
            if value is not None:
                where.append(f"{name} = ?")
                values.append(value)
        clauses = f" WHERE {' AND '.join(where)} ORDER BY {'relevance DESC, number' if self.best_first else 'number'}"
        if self.limit is not None:
            clauses += " LIMIT ?"
            values.append(self.limit)
        return clauses, values


EVERY_PAGE = PageQuery()
JUDGED_OFF = PageQuery(relevant=False, outcome="done", with_text=False)
"""Pages that are not on the topic, without their texts."""
Pages = Callable[[PageQuery], Iterator[PageRecord]]
"""Gives the rows that are the truth to a store that lacks some: `RunReader.pages`."""


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened to a crawl: it started, stopped, a host was put on hold, …"""

    at: float  # Unix time, UTC seconds
    kind: str
    data: Mapping[str, object] = field(default_factory=dict)
    worker: str = ""  # of a fleet, whose events lie together


@dataclass(frozen=True, slots=True)
class StoredEntry:
    """A URL of the frontier as the file has it. A queued one may be in flight: leases are kept by the crawler."""

    entry: Entry
    state: str  # queued, done, failed, refused
    attempts: int  # that ended without success
    seq: int  # order of discovery
    offset: float  # of its group

    @property
    def priority(self) -> float:
        """What it is ranked by: offset of the group plus its own score."""
        return self.offset + self.entry.score


class Notes(Protocol):
    """Keeps settings and events of a run beside its pages."""

    def set_setting(self, name: str, value: object) -> None: ...

    def set_settings(self, values: Mapping[str, object]) -> None: ...

    def add_event(self, kind: str, data: Mapping[str, object] | None = None, *, at: float | None = None) -> None: ...


class RunReader(ABC):
    """A run, for reading.

    A database is one method, `select`. What is read of the frontier is empty here: only ``crawl.db`` has it.
    """

    _EVENTS = "SELECT at, kind, data, worker FROM events"

    @abstractmethod
    def select(self, query: str, values: Sequence[object] = ()) -> Generator[tuple[Any, ...], None, None]:
        """Yield the rows of a query on ``pages``, ``settings`` or ``events``, in SQL that both databases read.

        Each ? stands for one of `values`; JSON comes as text.
        """

    @property
    @abstractmethod
    def place(self) -> str:
        """Where the pages are, for people; without passwords."""

    @property
    @abstractmethod
    def frontier_elsewhere(self) -> str:
        """Where the links that wait are, when they are never with the pages; '' when they can be."""

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Read everything inside as of one moment; a reader that always does has nothing to do."""
        yield

    def settings(self) -> dict[str, Any]:
        """Return what was kept under each name.

        Raises
        ------
        StoreError
            If one is damaged.
        """
        return self._values("SELECT name, value FROM settings ORDER BY name", table="settings")

    def events(self, kind: str | None = None) -> Iterator[Event]:
        """Yield events in the order they were added, all or those of one kind."""
        where, values = (" WHERE kind = ?", (kind,)) if kind is not None else ("", ())
        with closing(self.select(f"{self._EVENTS}{where} ORDER BY id", values)) as rows:
            for at, name, data, worker in rows:
                yield Event(at, name, self.value_of(data, name, table="events", shape=dict), worker)

    def _values(self, query: str, *, table: str, shape: type = object) -> dict[str, Any]:
        # Rows that are left open when one of them is damaged would fail once more when the database closes.
        with closing(self.select(query)) as rows:
            return {name: self.value_of(text, name, table=table, shape=shape) for name, text in rows}

    def value_of(self, text: str, name: str, *, table: str, shape: type = object) -> Any:
        """Return the value that a row has as JSON.

        Parameters
        ----------
        text
            The JSON.
        name, table
            What the row is found by, and its table, for the message.
        shape
            What the value has to be.

        Raises
        ------
        StoreError
            If it is damaged.
        """
        try:
            value = json.loads(text)
        except (TypeError, ValueError, RecursionError) as error:
            raise self.damaged(name, table, "JSON") from error
        if not isinstance(value, shape):
            raise self.damaged(name, table, SHAPES[shape])
        return value

    def damaged(self, name: str, table: str, wanted: str) -> StoreError:
        """Return the error of a row that is not what it has to be."""
        return StoreError(
            f'{self.place}: damaged: "{name}" in the table {table} is no {wanted}. Put a copy of the file back, or'
            " delete the row to go on without what it tells."
        )

    def page(self, key: UrlKey) -> PageRecord | None:
        """Return the record of a page, None when it was not fetched."""
        rows = list(self.select(f"{PAGES.select} WHERE key = ?", (to_signed(key),)))
        return self._record(rows[0]) if rows else None

    def pages(self, query: PageQuery = EVERY_PAGE) -> Generator[PageRecord, None, None]:
        """Yield records; the database is read as they are taken."""
        clauses, values = query.clauses()
        with closing(self.select((PAGES.select if query.with_text else PAGES.select_brief) + clauses, values)) as rows:
            for row in rows:
                yield self._record(row)

    def _record(self, row: tuple[Any, ...]) -> PageRecord:
        try:
            return PAGES.to_record(row)
        except StoreError as error:
            raise StoreError(f"{self.place}: {error}") from error

    def edges(self) -> Iterator[tuple[UrlKey, list[UrlKey]]]:
        """Yield (page, keys of its links in order) of all fetched pages, in no particular order.

        Raises
        ------
        StoreError
            If links are not kept where the pages are, or the list of a page is damaged.
        """
        raise StoreError(f"{self.place}: the links of its pages are not here; name the run folder, which has them.")

    def other_addresses(self) -> Iterator[tuple[UrlKey, UrlKey]]:
        """Yield (key, page) of further URLs that led to a fetched page; none when the frontier is kept elsewhere."""
        yield from ()

    def entry(self, key: UrlKey) -> StoredEntry | None:  # noqa: ARG002 - a reader with a frontier has it
        """Return what the frontier has of a URL, None when it has nothing, or is kept elsewhere."""
        return None

    def queue(self, *, limit: int = 100) -> list[StoredEntry]:  # noqa: ARG002
        """Return queued entries by falling priority; none when the frontier is kept elsewhere."""
        return []

    def queued_by_host(self, *, score_upto: float = math.inf) -> dict[str, int]:  # noqa: ARG002
        """Return how many links of each host wait, those in flight among them; of those with so low a score only."""
        return {}

    def queued_by_depth(self) -> dict[tuple[int, int], int]:
        """Return how many links wait by (links from a seed, tenth of the priority, rounded down)."""
        return {}

    def linking_to(self, page: UrlKey, *, limit: int = 100) -> list[UrlKey]:  # noqa: ARG002 - as above
        """Return keys of fetched pages that link to a page; none where links are not kept."""
        return []

    def links_of(self, page: UrlKey) -> list[UrlKey]:  # noqa: ARG002
        """Return the keys of the links of a fetched page, in order; none where links are not kept."""
        return []

    def counts(self) -> dict[str, int]:
        """Return counters.

        ``queued leased done failed refused hosts groups`` are the frontier's (`FrontierStats`), as of the last
        transaction, and 0 when it is kept elsewhere: ``done`` counts links, with those that redirected. ``pages`` are
        the pages fetched, ``relevant`` the relevant ones among them.
        """
        ((pages, relevant),) = self.select(
            "SELECT count(*), count(*) FILTER (WHERE relevant) FROM pages WHERE outcome = 'done'"
        )
        return {**self._frontier_counts(), "pages": pages, "relevant": relevant}

    def _frontier_counts(self) -> dict[str, int]:
        return dict.fromkeys(FRONTIER_COUNTS, 0)
