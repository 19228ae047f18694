"""Records of the page step: origin of a link, event and judgement of a page."""

from __future__ import annotations

from focuscrawl.page.model import PageAnalysis
from focuscrawl.ranking.base import Judged, Ranked
from focuscrawl.records import Entry, Judgement, Lease, Origin, PageEvent
from focuscrawl.topic.base import Verdict
from focuscrawl.types import UrlKey


def origin_of(
    page: PageAnalysis | None,
    parent: UrlKey | None,
    anchor: str,
    ranked: Ranked,
    *,
    pagination_steps: int = 0,
    hops: int = 0,
) -> Origin:
    """Return the origin of a link by what the strategy says of it; `page` and `parent` are None for a seed."""
    without = ranked.without_anchor
    return Origin(
        parent=parent,
        parent_url=page.url if page is not None else "",
        anchor=anchor,
        parts=ranked.score.parts,
        reason=ranked.score.reason,
        carried=ranked.inherit,
        without_anchor=without if without != ranked.score.value else None,
        pagination_steps=pagination_steps,
        hops=hops,
    )


def event_of(
    page: PageAnalysis,
    verdict: Verdict,
    entry: Entry,
    *,
    repeats: bool,
    closed: bool,
    digest: str,
    signature: bytes | None,
) -> PageEvent:
    """Return what a judged page is to those who learn from pages, still without the judgement.

    Parameters
    ----------
    repeats
        Its text was had before, or it gives neither text nor links.
    closed
        It has parameters, and all its links had been seen.
    digest, signature
        Of a text that is stored and new, '' and None otherwise.
    """
    return PageEvent(
        url=page.url,
        host=page.host,
        key=entry.key,
        relevant=verdict.relevant,
        leads=verdict.leads,
        repeats=repeats,
        closed=closed,
        parent_url=entry.origin.parent_url,
        digest=digest,
        signature=signature,
    )


def judged_of(page: PageAnalysis, verdict: Verdict, entry: Entry, *, new_links: int, repeats: bool) -> Judged:
    """Return a page as the strategy sees it, with what is known of the link it was fetched by."""
    origin = entry.origin
    return Judged(
        page,
        verdict,
        depth=entry.depth,
        tunnel=entry.tunnel,
        priority=entry.score,
        group=entry.group,
        inherited=origin.carried,
        key=entry.key,
        parent=origin.parent,
        anchor=origin.anchor,
        new_links=new_links,
        repeats=repeats,
    )


def judgement_of(judged: Judged, lease: Lease, *, topic: str) -> Judgement:
    """Return the verdict on a page beside what its link was queued with, by the topic of version `topic`."""
    verdict = judged.verdict
    return Judgement(
        topic=topic,
        relevance=verdict.score.value,
        threshold=verdict.threshold,
        judged=verdict.score.parts,
        parent=judged.parent,
        anchor=judged.anchor,
        group=judged.group,
        depth=judged.depth,
        tunnel=judged.tunnel,
        score=judged.priority,
        priority=lease.priority,
        carried=judged.inherited,
        new_links=judged.new_links,
    )
