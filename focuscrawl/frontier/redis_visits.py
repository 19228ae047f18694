"""Pages of a fleet that may be visited again, as Redis keeps them: how a settlement notes them, how they are read.

A page is a line of JSON, and so is each of its last visits (``lua/_visits.lua``). Only relevant pages are kept.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import astuple, dataclass, replace
from struct import Struct
from typing import Annotated

from pydantic import Field, TypeAdapter, ValidationError

from focuscrawl.frontier.rules import MAX_KEY
from focuscrawl.page.urls import host_of
from focuscrawl.records import NO_ORIGIN, Entry, Origin, Outcome, PageRecord, Settlement, compact_json
from focuscrawl.types import HostKey, UrlKey
from focuscrawl.visits import Saw, Visit

_NOTE = Struct(">QBII")  # key, kind, lengths of page and visit
_VISIT, _PAGE, _FORGET, _NEW = range(4)
SAW = (Saw.FIRST, Saw.UNCHANGED, Saw.CHANGED, Saw.MOVED, Saw.GONE, Saw.FAILED)
"""What visits saw, by its number there, from 1."""
_LONGEST = 65_000  # of a page; one with a longer address or origin is not visited again

_Finite = Annotated[float, Field(allow_inf_nan=False)]


@dataclass(frozen=True, slots=True)
class _Page:
    """Form of a page in Redis."""

    url: str
    host: str
    score: _Finite
    relevance: _Finite
    fetched_at: _Finite
    final_url: str = ""  # where it is not the URL
    final_host: str = ""  # where it is not the host
    group: str = ""
    depth: Annotated[int, Field(ge=0)] = 0
    tunnel: Annotated[int, Field(ge=0)] = 0
    digest: str = ""
    origin: Origin = NO_ORIGIN


_pages = TypeAdapter(_Page)
_visits = TypeAdapter(tuple[_Finite, Saw, int, str, str, str, str, str])
"""A visit without its key, in the order of its fields."""


@dataclass(frozen=True, slots=True)
class VisitedPage:
    """A page of a fleet with its last visits, oldest first."""

    entry: Entry  # as it was queued
    final_url: str
    host: HostKey  # of `final_url`
    relevance: float
    fetched_at: float
    content_digest: str
    visits: tuple[Visit, ...] = ()

    @property
    def key(self) -> UrlKey:
        """Key of the URL that was queued."""
        return self.entry.key

    @property
    def score(self) -> float:
        """Score of the link when it was queued."""
        return self.entry.score

    @property
    def revisit(self) -> str:
        """What the last visit that had an answer saw, '' for the first of all."""
        answers = [visit.saw for visit in self.visits if visit.saw is not Saw.FAILED]
        return "" if not answers or answers[-1] is Saw.FIRST else str(answers[-1])


def pack_notes(settlement: Settlement) -> bytes:
    """Return what a settlement says of pages that may be visited again, as ``lua/_visits.lua`` reads it."""
    return b"".join(_notes(settlement))


def _notes(settlement: Settlement) -> Iterator[bytes]:
    record, visit, entry = settlement.record, settlement.visit, settlement.lease.entry
    seen = b"" if visit is None else compact_json(_visits, astuple(visit)[1:])
    if record is None or settlement.outcome is not Outcome.DONE:
        if visit is not None:
            yield _note(entry.key, _VISIT, visit=seen)
    elif _may_be_visited(record):
        yield _note(entry.key, _PAGE, _packed(entry, record), seen)
    elif entry.origin.earlier is not None:
        yield _note(entry.key, _FORGET)
    for row in settlement.revised:
        if _may_be_visited(row):
            origin = Origin(parent=row.parent, anchor=row.anchor, parts=row.parts)
            again = Entry(row.url, row.key, host_of(row.url), row.score, row.group, row.depth, row.tunnel, 0.0, origin)
            yield _note(row.key, _NEW, _packed(again, row))
        else:
            yield _note(row.key, _FORGET)


def _may_be_visited(record: PageRecord) -> bool:
    return record.relevant and not record.feed


def _note(key: UrlKey, kind: int, page: bytes = b"", visit: bytes = b"") -> bytes:
    if not 0 <= key <= MAX_KEY or len(page) > _LONGEST:
        return b""
    return _NOTE.pack(key, kind, len(page), len(visit)) + page + visit


def _packed(entry: Entry, record: PageRecord) -> bytes:
    earlier = entry.origin.earlier
    page = _Page(
        entry.url,
        entry.host,
        entry.score if earlier is None else earlier.score,
        record.relevance,
        record.fetched_at,
        "" if record.final_url == entry.url else record.final_url,
        "" if record.host == entry.host else record.host,
        entry.group,
        entry.depth,
        entry.tunnel,
        record.content_digest,
        replace(entry.origin, earlier=None),
    )
    return compact_json(_pages, page, exclude_defaults=True)


def unpack_page(key: bytes, text: bytes) -> VisitedPage | None:
    """Return a page; None for one that another program has written."""
    first, _, lines = text.partition(b"\n")
    number = int.from_bytes(key, "big")
    try:
        page = _pages.validate_json(first)
        visits = tuple(Visit(number, *_visits.validate_json(line)) for line in lines.splitlines())
    except ValidationError:
        return None
    entry = Entry(page.url, number, page.host, page.score, page.group, page.depth, page.tunnel, 0.0, page.origin)
    final_url, host = page.final_url or page.url, page.final_host or page.host
    return VisitedPage(entry, final_url, host, page.relevance, page.fetched_at, page.digest, visits)
