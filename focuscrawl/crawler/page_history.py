"""Pages of a run as their visits have left them: what was seen, which validators may be sent, how fresh they are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass, field
from typing import Protocol

from focuscrawl.records import Outcome
from focuscrawl.recrawl.freshness import age_now, fresh_now
from focuscrawl.recrawl.rates import Interval, change_rates
from focuscrawl.recrawl.schedule import PageHistory
from focuscrawl.storage.reading import PageQuery, RunReader
from focuscrawl.storage.visits import read_visits
from focuscrawl.types import HostKey, UrlKey
from focuscrawl.visits import Earlier, Saw, Visit

# After so many answers "not modified" in a row the page itself is asked for: a server may say so whatever there is.
_TRUSTED_ANSWERS = 4
_NOT_MODIFIED = 304
_CHANGES = frozenset({Saw.CHANGED, Saw.MOVED})


@dataclass(slots=True)
class _Seen:
    """Visits of a page."""

    at: float = 0.0
    intervals: list[Interval] = field(default_factory=list)
    last: Visit | None = None  # that had an answer
    unmodified: int = 0  # answers 304 in a row
    broken: bool = False  # the last condition was answered wrongly

    def add(self, visit: Visit) -> None:
        if visit.saw is Saw.FAILED:
            self.broken = self.broken or visit.status == _NOT_MODIFIED
            return
        if visit.saw is not Saw.FIRST and self.last is not None:
            self.intervals.append(Interval(visit.at - self.at, visit.saw in _CHANGES))
        unmodified = visit.status == _NOT_MODIFIED
        self.unmodified = self.unmodified + 1 if unmodified else 0
        self.broken = self.broken and unmodified
        self.at, self.last = visit.at, visit


class PageFacts(Protocol):
    """What is to be known of a page that is visited again; the names are those of `PageRecord`."""

    @property
    def key(self) -> UrlKey: ...

    @property
    def host(self) -> HostKey: ...

    @property
    def final_url(self) -> str: ...

    @property
    def score(self) -> float: ...

    @property
    def relevance(self) -> float: ...

    @property
    def fetched_at(self) -> float: ...

    @property
    def content_digest(self) -> str: ...

    @property
    def revisit(self) -> str: ...


@dataclass(frozen=True, slots=True)
class StoredPage:
    """A stored page with what its visits have seen."""

    facts: PageFacts
    history: PageHistory
    earlier: Earlier

    @property
    def is_gone(self) -> bool:
        """Whether the last visit that had an answer found nothing there any more."""
        return self.facts.revisit == Saw.GONE


@dataclass(frozen=True, slots=True)
class RunFreshness:
    """How far stored pages are what their addresses give, as is to be expected."""

    pages: int = 0
    freshness: float = 1.0  # share that is unchanged, in [0, 1]
    age_s: float = 0.0  # mean time since the first change that a copy lacks

    @classmethod
    def of(cls, pages: Sequence[StoredPage], *, now: float) -> RunFreshness:
        """Return the freshness of pages that are not gone, by their change rates."""
        there = [page for page in pages if not page.is_gone]
        if not there:
            return cls()
        rates = change_rates({page.history.key: (page.history.host, page.history.intervals) for page in there})
        rate = [rates[page.history.key] for page in there]
        elapsed = [now - page.history.visited_at for page in there]
        return cls(len(there), float(fresh_now(rate, elapsed).mean()), float(age_now(rate, elapsed).mean()))


def stored_pages(run: RunReader, *, off_topic: bool = False, versions: bool = False) -> list[StoredPage]:
    """Return the pages that may be visited again, in the order of settling; feeds are not among them.

    Parameters
    ----------
    off_topic
        Pages that are not relevant as well, whose freshness is worth as much as a hundredth of a relevant one's.
    versions
        Whether a stored page is to be kept when another takes its place.
    """
    pages = [
        record
        for record in run.pages(PageQuery(outcome=Outcome.DONE, with_text=False, relevant=None if off_topic else True))
        if not record.feed
    ]
    return visited_pages(pages, list(read_visits(run)), versions=versions)


def visited_pages(pages: Sequence[PageFacts], visits: Sequence[Visit], *, versions: bool = False) -> list[StoredPage]:
    """Return pages with what their visits have seen.

    Parameters
    ----------
    visits
        Of these pages, and perhaps of others; those of a page in the order in which they were made.
    versions
        As of `stored_pages`.
    """
    seen: dict[UrlKey, _Seen] = {}
    for visit in visits:
        seen.setdefault(visit.key, _Seen()).add(visit)
    hosts = {page.key: page.host for page in pages}
    etags = _without_meaning(hosts, ((v.key, v.etag, v.body) for v in visits))
    times = _changing_in_place(hosts, visits)
    return [_stored(page, seen.get(page.key, _Seen()), etags, times, versions=versions) for page in pages]


def _stored(page: PageFacts, seen: _Seen, etags: Set[HostKey], times: Set[HostKey], *, versions: bool) -> StoredPage:
    last = seen.last
    trusted = last is not None and seen.unmodified < _TRUSTED_ANSWERS and not seen.broken
    earlier = Earlier(
        page.score,
        page.final_url,
        last.body if last is not None else "",
        last.text if last is not None else "",
        page.content_digest,
        last.etag if last is not None and trusted and page.host not in etags else "",
        last.modified if last is not None and trusted and page.host not in times else "",
        versions,
    )
    weight = max(page.relevance, 0.01)
    history = PageHistory(page.key, page.host, seen.at or page.fetched_at, tuple(seen.intervals), weight)
    return StoredPage(page, history, earlier)


def _without_meaning(hosts: dict[UrlKey, HostKey], answers: Iterable[tuple[UrlKey, str, str]]) -> set[HostKey]:
    """Return the hosts that have sent one ETag with different bodies: it says nothing of a page."""
    bodies: dict[tuple[HostKey, str], str] = {}
    found: set[HostKey] = set()
    for key, etag, body in answers:
        host = hosts.get(key)
        if host is not None and etag and body and bodies.setdefault((host, etag), body) != body:
            found.add(host)
    return found


def _changing_in_place(hosts: dict[UrlKey, HostKey], visits: Sequence[Visit]) -> set[HostKey]:
    """Return the hosts of which a page has changed and its Last-Modified has not."""
    before: dict[UrlKey, Visit] = {}
    found: set[HostKey] = set()
    for visit in visits:
        if not visit.body:
            continue  # a failure in between says nothing of the two
        old = before.get(visit.key)
        if old is not None and visit.modified and visit.modified == old.modified and visit.body != old.body:
            found.update({hosts[visit.key]} if visit.key in hosts else ())
        before[visit.key] = visit
    return found
