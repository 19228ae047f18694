"""What is kept of a fetched page, and what a store must do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from focuscrawl.types import UrlKey


@dataclass(frozen=True, slots=True)
class PageRecord:
    """A row of ``pages`` (front door, section 4). `parts` and `judged` explain the two scores."""

    key: UrlKey
    url: str
    final_url: str
    host: str
    fetched_at: float  # Unix time, UTC seconds
    status: int  # HTTP status; 0 when there was no answer
    title: str = ""
    text: str = ""  # '' for irrelevant pages unless keep_irrelevant is on
    language: str = ""
    published: str | None = None
    author: str | None = None
    category: str | None = None
    extractor: str = ""
    relevance: float = 0.0
    threshold: float = 0.0
    relevant: bool = False
    depth: int = 0
    tunnel: int = 0
    parent: UrlKey | None = None
    anchor: str = ""
    predicted: float = 0.0  # probability of being relevant that its priority stood for when it was fetched
    score: float = 0.0  # local score the link had
    priority: float = 0.0  # group offset + local score when it was leased
    group: str = ""
    content_digest: str = ""  # of the normalised text, '' without text
    duplicate_of: UrlKey | None = None  # exact or near duplicate of an earlier page: not stored again
    outcome: str = "done"
    reason: str = ""  # why it failed, was refused or is empty
    body_bytes: int = 0
    parts: Mapping[str, float] = field(default_factory=dict)  # of the link's score when queued
    judged: Mapping[str, float] = field(default_factory=dict)  # of the relevance
    keywords: tuple[str, ...] = ()  # most telling first
    summary: str = ""
    # Posts of a thread in document order, each with text, author and published; `text` joins them.
    records: tuple[Mapping[str, str | None], ...] = ()


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
