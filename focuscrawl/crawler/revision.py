"""Revision of the verdicts on a host's first pages, once, when enough of its pages are known.

On the first pages of a host nobody can tell a menu from a text. When the host is known they are judged again as they
were read; nothing is fetched again. The row changes with a note, and so do the counters and what the strategy learned.
A page that becomes relevant needs a text that was kept; without one its verdict stands.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, replace

from focuscrawl.page.model import PageAnalysis
from focuscrawl.ranking.base import Judged
from focuscrawl.records import PageRecord
from focuscrawl.topic.base import Verdict
from focuscrawl.topic.evidence import Evidence, own_terms
from focuscrawl.types import HostKey

MOST_PAGES = 100
"""Pages that wait, some 15 MB; of hosts beyond that the verdicts stand."""


@dataclass(frozen=True, slots=True)
class FirstPage:
    """A page of a host that was not known yet, as it was read."""

    page: PageAnalysis  # with all that its host may repeat, without the tree
    judged: Judged
    record: PageRecord


class FirstPages:
    """Pages that wait for their host to be known; the host met least recently is given up first."""

    def __init__(self, *, most: int = MOST_PAGES) -> None:
        self._most = most
        self._count = 0
        self._hosts: OrderedDict[HostKey, list[FirstPage]] = OrderedDict()

    def add(self, page: PageAnalysis, judged: Judged, record: PageRecord) -> None:
        """Keep a page; `judged` and `page` lose their tree."""
        bare = replace(page, tree=None)
        self._hosts.setdefault(page.host, []).append(FirstPage(bare, replace(judged, page=bare), record))
        self._hosts.move_to_end(page.host)
        self._count += 1
        while self._count > self._most:
            self._count -= len(self._hosts.popitem(last=False)[1])

    def take(self, host: HostKey) -> list[FirstPage]:
        """Return the pages of a host, which wait no longer."""
        pages = self._hosts.pop(host, [])
        self._count -= len(pages)
        return pages


def revised_record(before: PageRecord, verdict: Verdict, evidence: Evidence) -> PageRecord | None:
    """Return the row of a page with another verdict; None when it is the same, or has no text to be a result with."""
    if verdict.score.value == before.relevance:
        return None
    text = before.text or before.set_aside
    relevant = verdict.score.value >= verdict.threshold
    if relevant and not before.relevant and not text:
        return None
    was_result = before.relevant and not relevant
    note = f"judged again when its host was known: relevance was {before.relevance:.2f}"
    return replace(
        before,
        relevance=verdict.score.value,
        threshold=verdict.threshold,
        relevant=relevant,
        judged=dict(verdict.score.parts),
        evidence=evidence,
        own_terms=own_terms(evidence),
        reason=before.reason if before.not_stored and relevant else note,
        text=text if relevant else before.text,
        set_aside="" if relevant else before.set_aside,
        duplicate_of=None if was_result else before.duplicate_of,
    )
