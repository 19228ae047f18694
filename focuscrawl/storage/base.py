"""Base class of stores of pages."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from focuscrawl.records import PageRecord

if TYPE_CHECKING:
    from focuscrawl.storage.reading import Pages


@dataclass(frozen=True, slots=True)
class Answer:
    """Answer of a server, for stores that archive it."""

    record: PageRecord
    url: str  # after redirects
    status: int
    headers: tuple[tuple[str, str], ...]  # as received
    body: bytes  # without the content and transfer encodings it was sent in
    request: tuple[tuple[str, str], ...] = ()  # headers that were sent
    redirects: tuple[Answer, ...] = ()  # answers that led to this one, first to last, without their bodies


class Store(ABC):
    """Store of pages. Synchronous: callers use a thread, in batches.

    A store has to open, to put and to close; the other methods are hooks that do nothing until it overrides them.
    """

    all_pages = False
    """Whether it is given every fetched page, not the relevant ones only."""
    required = True
    """Whether there is no crawl where it cannot be opened; otherwise it is left out, and the log says so."""
    before_settling = False
    """Whether, in a fleet, it is given records before the frontier forgets the pages.

    It must then take the same record twice without harm.
    """
    dropped = 0
    """Results it could not write and does not try again before the next start of the run; a stat tells of them."""

    @abstractmethod
    def open(self) -> None:
        """Open it.

        Raises
        ------
        StoreError
            If it cannot be written.
        """

    @abstractmethod
    def put(self, records: Sequence[PageRecord]) -> int:
        """Keep `records`, idempotent by (key, fetched_at); return how many were written."""

    @abstractmethod
    def close(self) -> None:
        """Close it; closing twice is fine."""

    def flush(self) -> None:  # noqa: B027 - a hook, as those below
        """Hand what was written on, before the crawl reports it as stored."""

    def complete(self, pages: Pages) -> int:  # noqa: ARG002
        """Add what is missing of an earlier run's pages, which `pages` reads; return how many records were written."""
        return 0

    def revise(self, records: Sequence[PageRecord]) -> int:  # noqa: ARG002
        """Take note of records put before whose verdict is another now; return how many changed here."""
        return 0

    def refreshed(self, pages: Pages) -> None:  # noqa: B027
        """Take note that pages were visited again; `pages` gives the rows as they are now. Nothing by default."""

    def wants(self, record: PageRecord) -> bool:  # noqa: ARG002
        """Tell whether the answer of a page is to be kept until `archive` is called."""
        return False

    def archive(self, answers: Sequence[Answer]) -> int:  # noqa: ARG002
        """Archive answers; return how many were written."""
        return 0

    def set_setting(self, name: str, value: object) -> None:  # noqa: B027
        """Keep a setting of the run beside its pages."""

    def set_settings(self, values: Mapping[str, object]) -> None:
        """Keep settings of the run."""
        for name, value in values.items():
            self.set_setting(name, value)

    def add_event(  # noqa: B027
        self, kind: str, data: Mapping[str, object] | None = None, *, at: float | None = None
    ) -> None:
        """Keep an event of the run beside its pages, at the present time unless told otherwise."""
