"""Revision of the verdicts on a host's first pages, once, when enough of its pages are known.

On the first pages of a host nobody can tell a menu from a text. When the host is known they are judged again as they
were read; nothing is fetched again. The row changes with a note, and so do the counters and what the strategy learned.
A page that becomes relevant needs a text that was kept; without one its verdict stands.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, replace

from focuscrawl.crawler.counters import CrawlCounters
from focuscrawl.page.model import PageAnalysis
from focuscrawl.page.site import SURE_PAGES, SiteMemory
from focuscrawl.ranking.base import Judged
from focuscrawl.records import PageRecord, Settlement
from focuscrawl.row_reasons import judged_again_reason
from focuscrawl.topic.base import PageJudge, TopicModel, Verdict
from focuscrawl.topic.evidence import Evidence, evidence_of, own_terms
from focuscrawl.topic.plain_verdict import plain_verdict
from focuscrawl.types import HostKey

MOST_PAGES = 100
"""Pages that wait, some 15 MB; of hosts beyond that the verdicts stand."""
MOST_WORDS = 1_200_000
"""Of these pages together, links counted as words: some 120 MB. A hundred pages made to be long took 1.5 GB."""
# What a link weighs beside its address: it has some forty words around it.
_LINK_WORDS, _WORD_CHARS = 40, 8
NEAR_MISS = 0.5
"""Share of the threshold from which on a page is a near miss: one page in five; lower ones are seldom on the topic."""


@dataclass(frozen=True, slots=True)
class FirstPage:
    """A page of a host that was not known yet, as it was read."""

    page: PageAnalysis  # with all that its host may repeat, without the tree
    judged: Judged
    record: PageRecord


@dataclass(frozen=True, slots=True)
class Revision:
    """Another verdict on a first page, and its row by that verdict."""

    before: FirstPage
    judged: Judged
    record: PageRecord


class FirstPages:
    """Pages that wait for their host to be known; the host seen least recently is given up first."""

    def __init__(self, *, most: int = MOST_PAGES, most_words: int = MOST_WORDS) -> None:
        self._most = most
        self._most_words = most_words
        self._count = self._words = 0
        self._hosts: OrderedDict[HostKey, list[FirstPage]] = OrderedDict()

    def judged(self, page: PageAnalysis, judged: Judged, record: PageRecord) -> None:
        """Take up a page just judged, if its host is not known yet.

        Parameters
        ----------
        page
            As it was read, with all that its host may repeat.
        judged, record
            Its verdict and row, by the page's own view.
        """
        if judged.page.site_wide.pages < SURE_PAGES and judged.verdict.score.value > 0.0:
            self.add(page, judged, record)

    def revised(self, judged: Judged, *, judge: PageJudge, sites: SiteMemory, topic: TopicModel) -> list[Revision]:
        """Return what changes of a host's first pages when the page just judged makes the host known.

        Parameters
        ----------
        judged
            The page, by its own view.
        judge, sites, topic
            By which the first pages are judged again; the judge's threshold does not move.
        """
        if judged.page.site_wide.pages != SURE_PAGES:
            return []
        revisions = []
        for first in self.take(judged.page.host):
            own = sites.own_again(first.page)
            verdict = plain_verdict(judge, judge.judge_again(own))
            if verdict.score.value == first.record.relevance:
                continue  # its row would be the same, and its evidence is looked for in all its text
            evidence = evidence_of(own, topic)
            after = revised_record(first.record, verdict, evidence, own_terms(evidence, topic))
            if after is not None:
                revisions.append(Revision(first, replace(first.judged, page=own, verdict=verdict), after))
        return revisions

    def add(self, page: PageAnalysis, judged: Judged, record: PageRecord) -> None:
        """Keep a page; `judged` and `page` lose their tree."""
        bare = replace(page, tree=None)
        self._hosts.setdefault(page.host, []).append(FirstPage(bare, replace(judged, page=bare), record))
        self._hosts.move_to_end(page.host)
        self._count += 1
        self._words += _words(page)
        while self._count > self._most or self._words > self._most_words:
            self._forget(self._hosts.popitem(last=False)[1])

    def take(self, host: HostKey) -> list[FirstPage]:
        """Return the pages of a host, which wait no longer."""
        pages = self._hosts.pop(host, [])
        self._forget(pages)
        return pages

    def _forget(self, pages: Sequence[FirstPage]) -> None:
        self._count -= len(pages)
        self._words -= sum(_words(first.page) for first in pages)


def _words(page: PageAnalysis) -> int:
    """Return about how much memory a page takes, in words."""
    return len(page.tokens) + sum(_LINK_WORDS + len(link.url) // _WORD_CHARS for link in page.links)


def revised_record(
    before: PageRecord, verdict: Verdict, evidence: Evidence, own_terms: int | None
) -> PageRecord | None:
    """Return the row of a page with another verdict; None when it is the same, or has no text to be a result with."""
    if verdict.score.value == before.relevance:
        return None
    text = before.text or before.set_aside
    relevant = verdict.score.value >= verdict.threshold
    if relevant and not before.relevant and not text:
        return None
    was_result = before.relevant and not relevant
    still_none = bool(before.not_stored) and relevant
    return replace(
        before,
        relevance=verdict.score.value,
        threshold=verdict.threshold,
        relevant=relevant,
        judged=dict(verdict.score.parts),
        evidence=evidence,
        own_terms=own_terms,
        reason=judged_again_reason(before.reason if still_none else "", before.relevance),
        withheld=before.withheld if still_none else "",
        judged_again=True,
        text=text if relevant else before.text,
        set_aside="" if relevant else before.set_aside,
        duplicate_of=None if was_result else before.duplicate_of,
    )


def with_revisions(settlement: Settlement, revisions: Sequence[Revision], *, counters: CrawlCounters) -> Settlement:
    """Return the settlement with the rows that changed; the counters take up the new verdicts."""
    if not revisions:
        return settlement
    relevant, stored = counters.relevant, counters.stored
    for revision in revisions:
        counters.revised(revision.before.record, revision.record)
    return replace(
        settlement,
        revised=[revision.record for revision in revisions],
        more_relevant=counters.relevant - relevant,
        more_stored=counters.stored - stored,
    )


def is_near_miss(verdict: Verdict) -> bool:
    """Tell whether an irrelevant page is so near the threshold that an answer of the user may turn its verdict."""
    return not verdict.relevant and verdict.score.value >= NEAR_MISS * verdict.threshold > 0.0
