"""What a store of pages must do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from focuscrawl.records import PageRecord


@dataclass(frozen=True, slots=True)
class Answer:
    """What a server sent for a page, for stores that archive it."""

    record: PageRecord
    url: str  # after redirects
    status: int
    headers: tuple[tuple[str, str], ...]  # as received
    body: bytes  # without the content and transfer encodings it was sent in


@runtime_checkable
class Archiving(Protocol):
    """A store that keeps answers, too."""

    def wants(self, record: PageRecord) -> bool:
        """Tell whether the answer of a page is to be kept until `archive` is called."""
        ...

    def archive(self, answers: Sequence[Answer]) -> int:
        """Archive answers; return how many were written."""
        ...


class Store(Protocol):
    """Keeps records. Synchronous: callers use a thread, in batches.

    A store may say more of itself by attributes that are False where they are missing: ``all_pages`` (give it every
    fetched page, not the relevant ones only), ``required`` (no crawl without it), ``before_settling`` (in a fleet, give
    it records before the frontier forgets the pages; it must then take the same record twice without harm).
    """

    def open(self) -> None: ...

    def put(self, records: Sequence[PageRecord]) -> int:
        """Keep `records`, idempotent by (key, fetched_at); return how many were written."""
        ...

    def flush(self) -> None: ...

    def close(self) -> None: ...
