"""Figures of a crawl in Scrapy's stats, for monitors and exporters: docs/scrapy.md lists them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from focuscrawl.crawler.recent_links import RecentLinks
from focuscrawl.storage.unasked import is_unasked, unasked
from focuscrawl.types import UrlKey

if TYPE_CHECKING:
    from scrapy.statscollectors import StatsCollector

    from focuscrawl.crawler.counters import CrawlCounters
    from focuscrawl.crawler.crawl import Crawl

PREFIX = "focuscrawl/"
FETCHED_AGAIN = f"{PREFIX}fetched_again"
"""Requests with `dont_filter` for a URL that is known: the frontier and its limits know nothing of them."""
SCORED = f"{PREFIX}scored"
"""Requests that were given the score of their link, in mode score."""
# Reasons told apart; sites could make up any number of them.
_MAX_REASONS = 50


def write_page_stats(stats: StatsCollector, counters: CrawlCounters) -> None:
    """Set the figures of the pages judged so far, which all modes have."""
    progress = counters.progress()
    for name, value in {
        "fetched": progress.pages,
        "relevant": progress.relevant,
        "needs_javascript": counters.needs_javascript,
        "harvest": progress.harvest,
        "harvest_recent": progress.harvest_recent,
        "threshold": progress.threshold,
        "hosts": progress.hosts,
        "relevant_hosts": progress.relevant_hosts,
    }.items():
        stats.set_value(PREFIX + name, value)


def write_stats(stats: StatsCollector, crawl: Crawl) -> None:
    """Set the figures of a crawl as they are now; they count an earlier part of a run that goes on, too."""
    write_page_stats(stats, crawl.step.counters)
    progress, loop, totals = crawl.step.counters.progress(), crawl.loop, crawl.limits.totals
    reasons = crawl.step.counters.reasons
    figures: dict[str, Any] = {
        "stored": progress.stored,
        "no_page": progress.failed,
        "unasked": progress.unasked,
        "rendered": crawl.step.counters.rendered,
        "queued": loop.queued,
        "in_flight": loop.in_flight,
        **_named("no_page", asked(reasons)),
        **_named("unasked", unasked(reasons)),
        **_named("not_stored", progress.not_stored),
    }
    if totals is not None:
        figures["fleet/workers"] = totals.workers
        figures["fleet/fetched"] = totals.pages
        figures["fleet/relevant"] = totals.relevant
    if crawl.output.stores is not None:
        figures |= {
            f"dropped/{name}": store.dropped for name, store in crawl.output.stores.stores.items() if store.dropped
        }
    for name, value in figures.items():
        stats.set_value(PREFIX + name, value)


def asked(reasons: Mapping[str, int]) -> dict[str, int]:
    """Return those of some counted reasons that are of fetches, not of links dropped without a request."""
    return {reason: count for reason, count in reasons.items() if not is_unasked(reason)}


def by_reason(reasons: Mapping[str, int]) -> dict[str, int]:
    """Return counts by reason without what is particular to one page (after a colon), the rarest together.

    >>> by_reason({"HTTP 404": 2, "redirected out of scope: depth": 1, "redirected out of scope: host": 1})
    {'HTTP 404': 2, 'redirected out of scope': 2}
    """
    counts: dict[str, int] = {}
    for reason, count in reasons.items():
        known = reason.partition(":")[0]
        if known not in counts and len(counts) >= _MAX_REASONS:
            known = "other"
        counts[known] = counts.get(known, 0) + count
    return counts


def _named(name: str, reasons: Mapping[str, int]) -> dict[str, int]:
    """Return the stats of counted reasons; a slash parts the names of stats."""
    return {f"{name}/{reason.replace('/', ' ')}": count for reason, count in by_reason(reasons).items()}


class RequestStats:
    """Counts requests under the names of Scrapy's scheduler and filter of duplicates.

    Parameters
    ----------
    durable
        Whether the frontier outlives the process, as Scrapy's queues on disk do.
    """

    def __init__(self, stats: StatsCollector, *, durable: bool) -> None:
        self._stats = stats
        self._frontier = "disk" if durable else "memory"
        self._recent = RecentLinks()

    def queued(self, keys: Sequence[UrlKey]) -> None:
        """Count requests that go to the frontier: enqueued, or filtered when seen among the last 100,000 links."""
        new = self._recent.count_new(keys)
        if new:
            self._count("enqueued", self._frontier, new)
        if new < len(keys):
            self._stats.inc_value("dupefilter/filtered", len(keys) - new)

    def filtered(self) -> None:
        """Count a request that is dropped, for it was made before."""
        self._stats.inc_value("dupefilter/filtered")

    def kept(self) -> None:
        """Count a request that stays in this process."""
        self._count("enqueued", "memory")

    def leased(self, key: UrlKey) -> None:
        """Count a request that comes from the frontier, maybe one that an earlier process has queued."""
        self._recent.count_new([key])
        self._count("dequeued", self._frontier)

    def has_seen(self, key: UrlKey) -> bool:
        """Tell whether a URL was queued or leased, among the last 100,000 links at least."""
        return key in self._recent

    def taken(self) -> None:
        """Count a request that had stayed in this process."""
        self._count("dequeued", "memory")

    def _count(self, what: str, where: str, count: int = 1) -> None:
        self._stats.inc_value(f"scheduler/{what}/{where}", count)
        self._stats.inc_value(f"scheduler/{what}", count)
