"""Numbers of a run's pages, read as they come: what is known already is not read again."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from focuscrawl.report.metrics import RECENT, last_threshold
from focuscrawl.report.read import evidence_in, told_index
from focuscrawl.row_reasons import DUPLICATE
from focuscrawl.storage.reading import RunReader
from focuscrawl.storage.unasked import is_unasked
from focuscrawl.topic.corpus_words import CorpusWordCounts
from focuscrawl.visits import REPLACED

POINTS = 300
"""Points of a curve: a chart is about as many pixels wide on a phone."""
_ROWS = (
    "SELECT number, host, fetched_at, threshold, relevant, depth, priority, outcome, reason,"
    " duplicate_of IS NOT NULL, withheld, judged_again, revisit, own_terms, judged, url,"
    " CASE WHEN own_terms > 0 THEN evidence END FROM pages WHERE number > ? ORDER BY number"
)


@dataclass(slots=True)
class HostFigures:
    """Counts of one host."""

    fetched: int = 0
    relevant: int = 0
    failed: int = 0


@dataclass(slots=True)
class Figures:
    """Judgements of all pages in the order of fetching, and counts."""

    upto: dict[str, int] = field(default_factory=dict)  # number of the last row read, by reader
    at: array[float] = field(default_factory=lambda: array("d"))
    threshold: array[float] = field(default_factory=lambda: array("d"))
    priority: array[float] = field(default_factory=lambda: array("d"))
    depth: array[int] = field(default_factory=lambda: array("l"))
    found: array[int] = field(default_factory=lambda: array("l"))  # relevant ones up to each page
    relevant: list[bool] = field(default_factory=list)
    threshold_known: float = 0.0  # of the last page that was judged when it was fetched, 0.0 before there was one
    not_stored: Counter[str] = field(default_factory=Counter)
    errors: Counter[tuple[str, str]] = field(default_factory=Counter)  # (outcome, reason) -> how many
    words: CorpusWordCounts = field(default_factory=CorpusWordCounts)
    hosts: dict[str, HostFigures] = field(default_factory=dict)

    @property
    def pages(self) -> int:
        """Pages fetched and judged."""
        return len(self.relevant)

    @property
    def total(self) -> int:
        """Relevant pages."""
        return self.found[-1] if self.found else 0

    @property
    def stored(self) -> int:
        """Relevant pages that are results."""
        return self.total - sum(self.not_stored.values())

    @property
    def no_page(self) -> int:
        """How many fetches gave no page; links that were dropped without a request are none."""
        return self.errors.total() - self.unasked

    @property
    def unasked(self) -> int:
        """How many links were dropped without a request."""
        return sum(count for (_, reason), count in self.errors.items() if is_unasked(reason))

    def read(self, readers: Sequence[RunReader]) -> bool:
        """Read the rows that are new; tell whether there were any."""
        rows: list[tuple[Any, ...]] = []
        upto = dict(self.upto)
        for reader in readers:
            with closing(reader.select(_ROWS, (upto.get(reader.place, 0),))) as new:
                for *kept, url, evidence in new:
                    rows.append((*kept, evidence_in(reader, url, evidence) if evidence else {}))
                    upto[reader.place] = kept[0]
        self.upto = upto
        if len(readers) > 1:
            rows.sort(key=lambda row: row[2])
        for row in rows:
            self._add(row)
        return bool(rows)

    def _add(self, row: tuple[Any, ...]) -> None:
        _, host, at, threshold, relevant, depth, priority, outcome, reason, twin, withheld, again, *rest = row
        revisit, terms, judged, evidence = rest
        line = self.hosts.setdefault(host, HostFigures())
        if outcome != "done":
            self.errors[outcome, reason] += 1
            line.failed += 1
            return
        line.fetched += 1
        line.relevant += bool(relevant)
        self.found.append(self.total + bool(relevant))
        self.at.append(at)
        self._add_threshold(threshold, later=bool(again) or revisit in REPLACED)
        self.priority.append(priority)
        self.depth.append(depth)
        self.relevant.append(bool(relevant))
        why = DUPLICATE if twin else withheld
        if relevant and why:
            self.not_stored[why] += 1
        stored, index = bool(relevant) and not why, told_index(judged)
        self.words.add(host, evidence, terms, relevant=bool(relevant), stored=stored, index=index)

    def _add_threshold(self, threshold: float, *, later: bool) -> None:
        """Add the threshold in force when a page was fetched, as `thresholds_in_force` does for all pages at once."""
        if threshold and not later:
            if not self.threshold_known:
                self.threshold = array("d", (threshold if one else one for one in self.threshold))
            self.threshold_known = threshold
        self.threshold.append(self.threshold_known if later and self.threshold_known and threshold else threshold)

    @property
    def last_threshold(self) -> float | None:
        """Threshold when the last page was judged, None without one."""
        return last_threshold(self.threshold)

    def recent(self, upto: int | None = None) -> float:
        """Return the harvest rate of the last 100 pages, or of those up to a page."""
        end = self.pages if upto is None else upto
        begin = max(0, end - RECENT)
        if end <= begin:
            return 0.0
        return (self.found[end - 1] - (self.found[begin - 1] if begin else 0)) / (end - begin)

    def rate(self, now: float, *, seconds: float = 60.0) -> float:
        """Return pages a second over the last `seconds`, fewer where the crawl is younger."""
        if not self.at:
            return 0.0
        # Times are not quite in order: a page that was slow to come is settled after later ones
        first = bisect_left(self.at, now - seconds, lo=max(0, self.pages - 100_000))
        span = min(seconds, max(1.0, now - self.at[0]))
        return max(0, self.pages - first) / span

    def curve(self) -> dict[str, list[float]]:
        """Return the harvest curve and what goes with it, at no more than `POINTS` pages."""
        count = min(self.pages, POINTS)
        ends = sorted({max(1, round(self.pages * (i + 1) / count)) for i in range(count)})
        thresholds, in_force = [], 0.0
        for before, end in pairwise((0, *ends)):
            in_force = last_threshold(self.threshold[before:end]) or in_force
            thresholds.append(round(in_force, 4))
        return {
            "pages": [0, *ends],
            "found": [0, *(self.found[end - 1] for end in ends)],
            "recent": [round(self.recent(end), 4) for end in ends],
            "threshold": thresholds,
        }
