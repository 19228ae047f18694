"""Feeds of a crawl that are asked again while it runs, at intervals that follow how often they change."""

from __future__ import annotations

import heapq
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Protocol

from focuscrawl.frontier.sqlite import SqliteFrontier
from focuscrawl.records import Settlement
from focuscrawl.storage.crawldb import CrawlDb
from focuscrawl.storage.keys import to_unsigned
from focuscrawl.storage.visits import read_visits
from focuscrawl.types import UrlKey
from focuscrawl.visits import VISIT_SCORE, Earlier, Revisit, Saw, Visit

FIRST_S = 3600.0
SHORTEST_S = 600.0
LONGEST_S = 60 * 86_400.0
_FASTER, _SLOWER = 0.5, 1.5
_NOT_MODIFIED = 304


@dataclass(slots=True)
class _Watched:
    """A feed with the time until it is asked again."""

    final_url: str
    interval_s: float = FIRST_S
    due_at: float = 0.0
    last: Visit | None = None  # that had an answer

    def add(self, visit: Visit) -> None:
        """Take up a visit: a change halves the interval, none or a failure makes it half as long again."""
        if visit.saw is not Saw.FIRST:
            factor = _FASTER if visit.saw in (Saw.CHANGED, Saw.MOVED) else _SLOWER
            self.interval_s = min(max(self.interval_s * factor, SHORTEST_S), LONGEST_S)
        if visit.saw is not Saw.FAILED:
            self.last = visit
        elif visit.status == _NOT_MODIFIED:
            self.last = None  # conditions do no good here
        self.due_at = visit.at + self.interval_s

    @property
    def earlier(self) -> Earlier:
        last = self.last
        if last is None:
            return Earlier(0.0, self.final_url)
        return Earlier(0.0, self.final_url, last.body, last.text, "", last.etag, last.modified)


class FeedSchedule(Protocol):
    """Schedule of the feeds that a crawl has read; a poll is a visit of the feed, before all links."""

    def settled(self, settlement: Settlement) -> Settlement:
        """Take note of the end of a fetch; return it with what is to be settled beside it.

        A feed that was read is watched from now on, until it is gone or is no feed any more.
        """
        ...

    async def poll(self) -> int:
        """Queue the feeds that are due; return how many.

        Raises
        ------
        FocusCrawlError
            If the frontier fails.
        """
        ...


class FleetFeedWatch:
    """Schedule of the feeds of a fleet, which the frontier keeps: a feed waits there until it is due.

    The end of a visit and the time of the next are settled in one step, so whoever is killed takes no feed along, and
    the lease of a visit is what lets one worker alone ask a feed. Beside the address a feed that waits has all that the
    next worker has to know: validators, digests, interval.
    """

    def settled(self, settlement: Settlement) -> Settlement:
        """Return the settlement with the next visit of a feed among its links; see `FeedSchedule.settled`."""
        visit, record, entry = settlement.visit, settlement.record, settlement.lease.entry
        earlier = entry.origin.earlier
        if visit is None or visit.saw is Saw.GONE:
            return settlement
        if record is not None and record.feed:
            final_url = record.final_url
        elif record is None and earlier is not None and earlier.interval_s:
            final_url = earlier.final_url
        else:
            return settlement
        feed = _Watched(final_url)
        score = entry.score
        if earlier is not None:
            score, feed.interval_s = earlier.score, earlier.interval_s or FIRST_S
            feed.last = Visit(
                entry.key, 0.0, Saw.UNCHANGED, 0, earlier.body, earlier.text, earlier.etag, earlier.modified
            )
        feed.add(visit)
        earlier = replace(feed.earlier, score=score, interval_s=feed.interval_s)
        origin = replace(entry.origin, earlier=earlier)
        again = replace(entry, score=VISIT_SCORE, not_before=feed.due_at, origin=origin)
        return replace(settlement, found=[*settlement.found, again])

    async def poll(self) -> int:
        """Queue nothing: the frontier does so itself."""
        return 0


@dataclass(slots=True)
class FeedWatch:
    """Schedule of the feeds of a crawl of one process, read from its run; see `FeedSchedule`."""

    frontier: SqliteFrontier
    clock: Callable[[], float]
    _feeds: dict[UrlKey, _Watched] = field(default_factory=dict)
    _due: list[tuple[float, UrlKey]] = field(default_factory=list)  # a heap; what is no longer so is skipped

    @classmethod
    async def begin(cls, frontier: SqliteFrontier, *, clock: Callable[[], float], at_once: bool) -> FeedWatch:
        """Return the schedule of a run, with the feeds that earlier processes have read.

        Parameters
        ----------
        at_once
            Feeds that have become due meanwhile are asked at once, else after their interval.
        """
        watch = cls(frontier, clock)
        now = clock()
        for key, feed in (await frontier.call(_read)).items():
            # A visit later than now is that of a clock that has gone back.
            feed.due_at = min(feed.due_at, now + feed.interval_s) if at_once else now + feed.interval_s
            watch._put(key, feed)
        return watch

    def settled(self, settlement: Settlement) -> Settlement:
        """Return the settlement as it is; see `FeedSchedule.settled`."""
        visit, record = settlement.visit, settlement.record
        if visit is None:
            return settlement
        feed = self._feeds.get(visit.key)
        if record is not None:
            if not record.feed:
                self._feeds.pop(visit.key, None)
                return settlement
            feed = feed or _Watched(record.final_url)
            feed.final_url = record.final_url
        if feed is None:
            return settlement
        if visit.saw is Saw.GONE:
            del self._feeds[visit.key]
            return settlement
        feed.add(visit)
        self._put(visit.key, feed)
        return settlement

    async def poll(self) -> int:
        """Queue the feeds that are due; see `FeedSchedule.poll`."""
        now = self.clock()
        visits = []
        while self._due and self._due[0][0] <= now:
            at, key = heapq.heappop(self._due)
            feed = self._feeds.get(key)
            if feed is not None and feed.due_at == at:
                visits.append(Revisit(key, VISIT_SCORE, feed.earlier))
        return await self.frontier.visit_again(visits) if visits else 0

    def _put(self, key: UrlKey, feed: _Watched) -> None:
        self._feeds[key] = feed
        heapq.heappush(self._due, (feed.due_at, key))


def _read(db: CrawlDb) -> dict[UrlKey, _Watched]:
    """Return the feeds that a run has read, and when they are due."""
    query = "SELECT key, final_url, fetched_at FROM pages WHERE outcome = 'done' AND feed AND revisit <> 'gone'"
    feeds = {
        to_unsigned(key): _Watched(final_url, due_at=fetched_at + FIRST_S)
        for key, final_url, fetched_at in db.select(query)
    }
    if feeds:
        for visit in read_visits(db):
            if visit.key in feeds:
                feeds[visit.key].add(visit)
    return feeds
