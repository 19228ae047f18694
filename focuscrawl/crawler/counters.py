"""Counters of a crawl: pages, relevant, stored, failed."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Mapping
from dataclasses import dataclass

from focuscrawl.page.scripted import has_needed_javascript
from focuscrawl.records import Outcome, PageRecord
from focuscrawl.storage.link_metadata import LinkMetadata
from focuscrawl.storage.unasked import is_unasked
from focuscrawl.topic.corpus_words import CorpusWordCounts, CorpusWords, is_index

WINDOW = 100  # pages of the "harvest of the last 100"


@dataclass(frozen=True, slots=True)
class Progress:
    """A look at the counters."""

    pages: int  # fetched and judged
    relevant: int
    stored: int  # relevant, no duplicate, and allowed to be stored
    not_stored: Mapping[str, int]  # why other relevant pages are not -> how many
    words: CorpusWords  # what the results rest on
    failed: int  # tries that gave no page; a link may have several
    unasked: int  # links that were dropped without a request
    harvest: float  # relevant / pages, in [0, 1]
    harvest_recent: float  # the same over the last 100 pages
    threshold: float  # the judge's, last in force
    hosts: int  # hosts with a fetched page
    relevant_hosts: int


class CrawlCounters:
    """Counts pages as they are judged; `restore` continues after a resume."""

    def __init__(self) -> None:
        self.pages = 0
        self.relevant = 0
        self.stored = 0
        self.not_stored: Counter[str] = Counter()
        self._words = CorpusWordCounts()
        self.needs_javascript = 0  # and have no text for want of it
        self.rendered = 0
        self.failed = 0
        self.unasked = 0
        self.threshold = 0.0
        self.reasons: Counter[str] = Counter()
        self.metadata = LinkMetadata()  # of the pages of this process
        self._recent: deque[bool] = deque(maxlen=WINDOW)
        self._hosts: set[str] = set()
        self._relevant_hosts: Counter[str] = Counter()

    def judged(
        self,
        host: str,
        *,
        relevant: bool,
        threshold: float,
        not_stored: str = "",
    ) -> None:
        """Count a judged page.

        Parameters
        ----------
        not_stored
            Why a relevant page is no result; '' for results.
        """
        self.pages += 1
        self.threshold = threshold
        self._recent.append(relevant)
        self._hosts.add(host)
        if relevant:
            self.relevant += 1
            self._relevant_hosts[host] += 1
            if not_stored:
                self.not_stored[not_stored] += 1
            else:
                self.stored += 1

    def scripted(self, reason: str, *, rendered: bool) -> None:
        """Count a page whose scripts a browser has run, and one whose reason says that it needs that."""
        self.rendered += rendered
        self.needs_javascript += has_needed_javascript(reason)

    def revised(self, before: PageRecord, after: PageRecord) -> None:
        """Count a page that was judged again in the place of its first verdict."""
        for record, sign in ((before, -1), (after, 1)):
            self._count_words(record, sign)
            if not record.relevant:
                continue
            self.relevant += sign
            self._relevant_hosts[record.host] += sign
            if record.not_stored:
                self.not_stored[record.not_stored] += sign
            else:
                self.stored += sign
        self.not_stored = +self.not_stored
        self._relevant_hosts = +self._relevant_hosts

    def recorded(self, record: PageRecord) -> None:
        """Count what a row of the run says of a fetch."""
        if record.outcome != Outcome.DONE:
            self.gave_nothing(record.reason)
            return
        self.judged(
            record.host,
            relevant=record.relevant,
            not_stored=record.not_stored,
            threshold=record.threshold,
        )
        self._count_words(record)
        self.scripted(record.reason, rendered=record.rendered)

    def _count_words(self, record: PageRecord, sign: int = 1) -> None:
        self._words.add(
            record.host,
            record.evidence,
            record.own_terms,
            relevant=record.relevant,
            stored=record.relevant and not record.not_stored,
            index=is_index(record.judged),
            sign=sign,
        )

    def gave_nothing(self, reason: str) -> None:
        """Count a fetch that gave no page, or a link that was dropped without one."""
        if is_unasked(reason):
            self.unasked += 1
        else:
            self.failed += 1
        self.reasons[reason] += 1

    @property
    def full_window(self) -> bool:
        """Tell whether the recent harvest rests on a full window of pages."""
        return len(self._recent) == WINDOW

    @property
    def harvest_recent(self) -> float:
        """Share of relevant pages among the last 100, in [0, 1]; 0 without any."""
        return sum(self._recent) / len(self._recent) if self._recent else 0.0

    def progress(self) -> Progress:
        """Return a look at the counters."""
        return Progress(
            pages=self.pages,
            relevant=self.relevant,
            stored=self.stored,
            not_stored=dict(self.not_stored),
            words=self._words.look(),
            failed=self.failed,
            unasked=self.unasked,
            harvest=self.relevant / self.pages if self.pages else 0.0,
            harvest_recent=self.harvest_recent,
            threshold=self.threshold,
            hosts=len(self._hosts),
            relevant_hosts=len(self._relevant_hosts),
        )
