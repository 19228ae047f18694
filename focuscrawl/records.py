"""Records of a crawl: a link to fetch, its lease, how it ended, and what is kept of a page.

They lie on the ground floor because the page step makes them, the frontier hands them out and the stores keep them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from focuscrawl.types import GroupKey, HostKey, UrlKey


class Outcome(StrEnum):
    """How work on an entry ended."""

    DONE = "done"  # fetched and processed
    FAILED = "failed"  # may be tried again, up to the maximum of attempts
    REFUSED = "refused"  # never to be tried again: robots, 404 and 410, wrong content type, too long


@dataclass(frozen=True, slots=True)
class Entry:
    """A URL that waits to be fetched."""

    url: str
    key: UrlKey
    host: HostKey
    score: float  # local score in [0, 1]; the priority adds the group's offset
    group: GroupKey = ""  # '' means the host is the group
    depth: int = 0  # links from a seed
    tunnel: int = 0  # consecutive off-topic pages just before it
    not_before: float = 0.0  # Unix time, UTC seconds
    data: Mapping[str, object] = field(default_factory=dict)  # JSON-safe: parent, anchor, parts of the score, …


@dataclass(frozen=True, slots=True)
class Lease:
    """The right to fetch an entry until `expires_at`."""

    entry: Entry
    token: int
    expires_at: float
    attempt: int  # 1 for the first; failed attempts and lapsed leases count
    priority: float  # group offset + score when it was leased


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
class Settlement:
    """The end of a lease and all that becomes visible with it."""

    lease: Lease
    outcome: Outcome
    found: Sequence[Entry] = ()  # links found on the page
    also: Sequence[UrlKey] = ()  # other keys of the same page (redirect targets): known from now on
    edges: Sequence[UrlKey] = ()  # keys of all links of the page, in order
    record: PageRecord | None = None  # the page's row, kept by backends that hold the store's tables
    state: Mapping[str, object] = field(default_factory=dict)  # name -> JSON-safe snapshot (ranker, judge), sometimes
