"""Visits: fetches of a page, and what each saw of changes."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from focuscrawl.types import UrlKey

VISIT_SCORE = 1_000_000.0
"""Score from which on an entry of the frontier is a page to be visited again; those of links are near [0, 1]."""


class Saw(StrEnum):
    """What a visit saw, beside the visit before."""

    FIRST = "first"  # there was none before
    UNCHANGED = "unchanged"
    CHANGED = "changed"
    MOVED = "moved"  # the address leads elsewhere now
    GONE = "gone"  # HTTP status 404 or 410
    FAILED = "failed"  # no answer that says anything of the page


REPLACED = frozenset({Saw.CHANGED, Saw.MOVED})
"""What was seen where the row of a page was written anew."""


@dataclass(frozen=True, slots=True)
class Visit:
    """Record of a visit."""

    key: UrlKey
    at: float  # Unix time, UTC seconds
    saw: Saw
    status: int = 0  # HTTP status, 0 without an answer
    body: str = ""  # digest of the body, decompressed; '' without one
    text: str = ""  # digest of the words outside links and boilerplate
    etag: str = ""  # validators of the answer, as received (RFC 9110, 8.8)
    modified: str = ""
    reason: str = ""  # of a visit that failed


@dataclass(frozen=True, slots=True)
class Earlier:
    """What is known of a page that is visited again; it waits with the page in the frontier."""

    score: float  # of its entry, which comes back with the end of the visit
    final_url: str
    body: str = ""
    text: str = ""
    content_digest: str = ""
    etag: str = ""  # '' when no condition is to be sent
    modified: str = ""
    versions: bool = False  # the stored page is kept when a new one takes its place
    interval_s: float = 0.0  # of a feed that is watched by a fleet: time between the last visit and this one


@dataclass(frozen=True, slots=True)
class Revisit:
    """An order to visit a page again."""

    key: UrlKey
    score: float  # at least VISIT_SCORE; higher is sooner
    earlier: Earlier
