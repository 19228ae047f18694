"""Pages that are fetched again: conditions of the request, and what the answer says of changes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace

from focuscrawl.crawler.counters import CrawlCounters
from focuscrawl.crawler.fetch_failure import FetchFailure
from focuscrawl.crawler.fetched import Fetched
from focuscrawl.crawler.step import PageStep
from focuscrawl.crawler.step_result import StepResult
from focuscrawl.crawler.visit_records import body_digest, visit_record
from focuscrawl.page.urls import normalize_url
from focuscrawl.records import Lease, Outcome, Settlement, record_of
from focuscrawl.visits import Earlier, Saw, Visit

NOT_MODIFIED = 304
_GONE = frozenset({404, 410})
NO_CONDITION = "HTTP 304 to a request without a condition"
MOVED_UNSEEN = "HTTP 304 from another address"


def has_moved(fetched: Fetched, earlier: Earlier) -> bool:
    """Tell whether the answer to a visit comes from another address than the one before."""
    return normalize_url(fetched.url, fetched.url) != earlier.final_url


def is_unchanged(fetched: Fetched, earlier: Earlier) -> bool:
    """Tell whether the answer to a visit is the one before, from the same address, which need not be read again."""
    return body_digest(fetched.received) == earlier.body and not has_moved(fetched, earlier)


class Revisits:
    """Turns answers to pages that are visited again into settlements; counts what they saw.

    A page is unchanged when the server says so (304), or its body, its words outside links and boilerplate, or its
    extracted text are those of the visit before. Its row stays then, but links that are new on it are queued. What
    the crawl counts are pages; visits are counted here alone.
    """

    def __init__(self) -> None:
        self.seen: Counter[Saw] = Counter()
        self.new_links = 0

    @staticmethod
    def conditions(lease: Lease) -> dict[str, bytes]:
        """Return the headers that let the server answer 304 (RFC 9110, 13.1); none for a first visit."""
        earlier = lease.entry.origin.earlier
        if earlier is None:
            return {}
        headers = {"If-None-Match": earlier.etag, "If-Modified-Since": earlier.modified}
        return {name: value.encode("latin-1", "ignore") for name, value in headers.items() if value}

    @staticmethod
    def expects(lease: Lease, status: int) -> bool:
        """Tell whether a status that is no page is the answer to a condition."""
        return status == NOT_MODIFIED and lease.entry.origin.earlier is not None

    def page(
        self, step: PageStep, process: Callable[[Fetched, Lease], StepResult], fetched: Fetched, lease: Lease
    ) -> StepResult:
        """Return what an answer yields; `process` does so for a first visit."""
        earlier = lease.entry.origin.earlier
        assert earlier is not None
        moved = has_moved(fetched, earlier)
        if fetched.status == NOT_MODIFIED:
            return self._not_modified(fetched, lease, earlier, moved=moved)
        body = body_digest(fetched.received)
        if body == earlier.body and not moved:
            same = visit_record(lease.entry.key, Saw.UNCHANGED, fetched, body=body, text=earlier.text)
            return self._told(lease, same)
        result = self._processed(step, process, fetched, lease, earlier)
        first = result.settlement.visit
        text = first.text if first is not None else ""
        same_text = text and text == earlier.text
        same_content = earlier.content_digest and result.record.content_digest == earlier.content_digest
        saw = Saw.MOVED if moved else Saw.UNCHANGED if same_text or same_content else Saw.CHANGED
        visit = visit_record(lease.entry.key, saw, fetched, body=body, text=text)
        self.seen[saw] += 1
        # Other workers of a fleet have counted the page, and learned from it, when it was fetched first.
        settlement = replace(result.settlement, lease=lease, visit=visit, event=None)
        if saw is Saw.UNCHANGED:
            return replace(result, settlement=replace(settlement, record=None), item_wanted=False)
        record = replace(result.record, visited_at=fetched.fetched_at, revisit=str(saw))
        return replace(result, settlement=replace(settlement, record=record), record=record)

    def unanswered(self, lease: Lease, failure: FetchFailure, *, at: float) -> StepResult:
        """Return the settlement of a visit without a page: gone, or failed, which says nothing of the page."""
        saw = Saw.GONE if failure.status in _GONE else Saw.FAILED
        visit = Visit(lease.entry.key, at, saw, failure.status, reason=failure.reason)
        return self._told(lease, visit)

    def _not_modified(self, fetched: Fetched, lease: Lease, earlier: Earlier, *, moved: bool) -> StepResult:
        key, at = lease.entry.key, fetched.fetched_at
        if moved or not (earlier.etag or earlier.modified):
            why = MOVED_UNSEEN if moved else NO_CONDITION
            return self._told(lease, Visit(key, at, Saw.FAILED, NOT_MODIFIED, reason=why))
        visit = visit_record(key, Saw.UNCHANGED, fetched, body=earlier.body, text=earlier.text)
        # Some servers leave validators out of the answer to a condition.
        visit = replace(visit, etag=visit.etag or earlier.etag, modified=visit.modified or earlier.modified)
        return self._told(lease, visit)

    def _told(self, lease: Lease, visit: Visit) -> StepResult:
        self.seen[visit.saw] += 1
        return StepResult(Settlement(lease, Outcome.DONE, visit=visit), record_of(lease))

    def _processed(
        self,
        step: PageStep,
        process: Callable[[Fetched, Lease], StepResult],
        fetched: Fetched,
        lease: Lease,
        earlier: Earlier,
    ) -> StepResult:
        """Return what the page yields as if it were fetched for the first time."""
        entry = lease.entry
        origin = replace(entry.origin, earlier=None)
        first = replace(lease, entry=replace(entry, score=earlier.score, origin=origin), priority=earlier.score)
        step.texts.forget(entry.key)  # or it would repeat itself
        counters, step.counters = step.counters, CrawlCounters()
        try:
            result = process(fetched, first)
        finally:
            step.counters = counters
        self.new_links += len(result.settlement.found)
        return result
