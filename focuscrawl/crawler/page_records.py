"""Records of the page step: origin of a link, event and judgement of a page, row of a page."""

from __future__ import annotations

from dataclasses import asdict, replace

from focuscrawl.extraction.base import Extraction, text_language
from focuscrawl.extraction.page_summary import PageSummary
from focuscrawl.page.model import PageAnalysis
from focuscrawl.ranking.base import Judged, Ranked
from focuscrawl.records import Entry, Judgement, Lease, Origin, Outcome, PageEvent, PageRecord, record_of
from focuscrawl.row_reasons import SAME_EVERYWHERE, not_stored_reason
from focuscrawl.topic.base import Verdict
from focuscrawl.topic.evidence import Evidence
from focuscrawl.types import UrlKey

NO_OWN_TEXT = "no text of its own: all of it stands on many pages of the host"


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
    page: PageAnalysis, verdict: Verdict, entry: Entry, *, repeats: bool, digest: str, signature: bytes | None
) -> PageEvent:
    """Return what a judged page is to those who learn from pages, still without the judgement.

    Parameters
    ----------
    repeats
        Its text was had before.
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


def page_record(
    page: PageAnalysis,
    lease: Lease,
    verdict: Verdict,
    text: Extraction | None,
    digest: str,
    duplicate_of: UrlKey | None,
    *,
    topic: str,
    evidence: Evidence,
    own_terms: int | None,
    summary: PageSummary,
    markdown: str = "",
    licence: str = "",
    predicted: float,
    not_stored: str,
    set_aside: bool,
    fetched_at: float,
    status: int,
    body_bytes: int,
    tls: str = "",
    content_type: str = "",
    rendered: bool = False,
) -> PageRecord:
    """Return the record of a judged page.

    Parameters
    ----------
    not_stored
        Why the page must not be stored, duplicates aside; '' for one that may be.
    set_aside
        The page is a near miss: its text is kept beside the results' texts.
    """
    reason = page.empty_reason or ("" if page.tokens or not page.site_wide.blocks else NO_OWN_TEXT)
    if text is not None and not text.text:
        reason = reason or text.confidence.reason
    may_store, withheld = not not_stored, ""
    if not_stored and (verdict.relevant or (not_stored == SAME_EVERYWHERE and not reason)):
        reason, withheld = not_stored_reason(not_stored), not_stored
    return replace(
        record_of(lease),
        predicted=predicted,
        final_url=page.url,
        host=page.host,
        fetched_at=fetched_at,
        status=status,
        title=(text.title if text else "") or page.title,
        text=text.text if text and may_store and not set_aside else "",
        set_aside=text.text if text and set_aside else "",
        language=text_language(page, text),
        published=text.published if text else None,
        author=text.author if text else None,
        category=text.category if text else None,
        keywords=summary.keywords,
        summary=summary.text,
        markdown=markdown,
        licence=licence,
        records=tuple(asdict(one) for one in text.records) if text and may_store and not set_aside else (),
        extractor=text.method if text else "",
        relevance=verdict.score.value,
        threshold=verdict.threshold,
        relevant=verdict.relevant,
        topic=topic,
        content_digest=digest,
        duplicate_of=duplicate_of,
        outcome=str(Outcome.DONE),
        reason=reason,
        withheld=withheld,
        body_bytes=body_bytes,
        tls=tls,
        content_type=content_type,
        rendered=rendered,
        encoding=page.encoding,
        undecodable=page.undecodable,
        judged=dict(verdict.score.parts),
        evidence=evidence,
        own_terms=own_terms,
    )
