"""What is asked of a run, wherever its pages are: `CrawlDb`, or `PostgresRun`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from focuscrawl.records import PageRecord
from focuscrawl.types import UrlKey

if TYPE_CHECKING:
    from focuscrawl.storage.crawldb import Event, StoredEntry

FRONTIER_COUNTS = ("queued", "leased", "done", "failed", "refused", "hosts", "groups")
"""Names of the frontier's counters in `RunReader.counts`."""


@runtime_checkable
class Notes(Protocol):
    """Keeps settings and events of a run beside its pages."""

    def set_setting(self, name: str, value: object) -> None: ...

    def add_event(self, kind: str, data: Mapping[str, object] | None = None, *, at: float | None = None) -> None: ...


class RunReader(Protocol):
    """A run, for reading."""

    @property
    def place(self) -> str:
        """Where the pages are, for people; without passwords."""
        ...

    @property
    def frontier_elsewhere(self) -> str:
        """Where the links that wait are, when they are never with the pages; '' when they can be."""
        ...

    def snapshot(self) -> AbstractContextManager[None]:
        """Read everything inside as of one moment."""
        ...

    def select(self, query: str, values: Sequence[object] = ()) -> Iterator[tuple[Any, ...]]:
        """Yield the rows of a query on ``pages``, in SQL that both databases read, with ? for each of `values`."""
        ...

    def settings(self) -> dict[str, Any]: ...

    def events(self, kind: str | None = None) -> Iterator[Event]: ...

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
        """Yield records as `CrawlDb.pages` does."""
        ...

    def entry(self, key: UrlKey) -> StoredEntry | None:
        """Return what the frontier has of a URL, None when it has nothing, or is kept elsewhere."""
        ...

    def queue(self, *, limit: int = 100) -> list[StoredEntry]:
        """Return queued entries by falling priority; none when the frontier is kept elsewhere."""
        ...

    def queued_by_host(self) -> dict[str, int]: ...

    def counts(self) -> dict[str, int]:
        """Return counters; those of the frontier are 0 when it is kept elsewhere."""
        ...


class FrontierElsewhere(ABC):
    """What a reader answers whose pages are without their frontier, and which reads as of one moment anyway."""

    @abstractmethod
    def select(self, query: str, values: Sequence[object] = ()) -> Iterator[tuple[Any, ...]]:
        """Yield the rows of a query on ``pages``."""

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Read as of one moment, as always."""
        yield

    def entry(self, key: UrlKey) -> StoredEntry | None:  # noqa: ARG002 - a reader has it
        """Return None: the frontier is kept elsewhere."""
        return None

    def queue(self, *, limit: int = 100) -> list[StoredEntry]:  # noqa: ARG002
        """Return nothing: the frontier is kept elsewhere."""
        return []

    def queued_by_host(self) -> dict[str, int]:
        """Return nothing: the frontier is kept elsewhere."""
        return {}

    def counts(self) -> dict[str, int]:
        """Return pages and relevant ones; the counters of the frontier, which is kept elsewhere, are 0."""
        pages, relevant = next(self.select("SELECT count(*), count(*) FILTER (WHERE relevant) FROM pages"))
        return dict.fromkeys(FRONTIER_COUNTS, 0) | {"pages": pages, "relevant": relevant}
