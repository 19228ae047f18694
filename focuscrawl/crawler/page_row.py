"""Row of a judged page: what is kept of it."""

from __future__ import annotations

from dataclasses import asdict, replace

from focuscrawl.crawler.fetched import Fetched
from focuscrawl.crawler.own_text import NO_OWN_TEXT
from focuscrawl.crawler.read_page import ReadPage
from focuscrawl.extraction.base import text_language
from focuscrawl.extraction.page_summary import PageSummary, summarise
from focuscrawl.records import Lease, Outcome, PageRecord, record_of
from focuscrawl.row_reasons import SAME_EVERYWHERE, not_stored_reason
from focuscrawl.topic.base import TopicModel
from focuscrawl.topic.evidence import Evidence, own_terms
from focuscrawl.types import UrlKey


def page_record(
    read: ReadPage,
    fetched: Fetched,
    lease: Lease,
    topic: TopicModel,
    *,
    digest: str,
    duplicate_of: UrlKey | None,
    evidence: Evidence,
    predicted: float,
    markdown: bool,
) -> PageRecord:
    """Return the record of a judged page.

    Parameters
    ----------
    digest
        Of its text; '' where duplicates were not looked for.
    predicted
        Probability that the page is relevant, by its link's priority.
    markdown
        Whether a result keeps its text as Markdown, too.
    """
    page, verdict, text = read.page, read.verdict, read.text
    stored = read.may_be_result and duplicate_of is None
    kept_text = text if read.why_withheld == "" and not read.set_aside else None
    reason, withheld = _reason(read)
    summary = summarise(page, text, topic.tokenizer, tokens=read.words) if stored else PageSummary()
    return replace(
        record_of(lease),
        predicted=predicted,
        final_url=page.url,
        host=page.host,
        fetched_at=fetched.fetched_at,
        status=fetched.status,
        title=(text.title if text else "") or page.title,
        text=kept_text.text if kept_text else "",
        set_aside=text.text if text and read.set_aside else "",
        language=text_language(page, text),
        published=text.published if text else None,
        author=text.author if text else None,
        category=text.category if text else None,
        keywords=summary.keywords,
        summary=summary.text,
        markdown=read.markdown if stored and markdown else "",
        licence=read.licence if stored else "",
        records=tuple(asdict(one) for one in kept_text.records) if kept_text else (),
        extractor=text.method if text else "",
        relevance=verdict.score.value,
        threshold=verdict.threshold,
        relevant=verdict.relevant,
        topic=f"{topic.name}@{topic.version}",
        content_digest=digest,
        duplicate_of=duplicate_of,
        outcome=str(Outcome.DONE),
        reason=reason,
        withheld=withheld,
        body_bytes=len(fetched.received),
        tls=fetched.tls,
        content_type=fetched.media_type,
        rendered=fetched.rendered,
        encoding=page.encoding,
        undecodable=page.undecodable,
        judged=dict(verdict.score.parts),
        evidence=evidence,
        own_terms=own_terms(evidence, topic),
    )


def _reason(read: ReadPage) -> tuple[str, str]:
    """Return the reason in a page's row, and why the page is withheld; '' for none."""
    page, text = read.page, read.text
    reason = page.empty_reason or ("" if page.tokens or not page.site_wide.blocks else NO_OWN_TEXT)
    if text is not None and not text.text:
        reason = reason or text.confidence.reason
    why = read.why_withheld
    if why and (read.verdict.relevant or (why == SAME_EVERYWHERE and not reason)):
        return not_stored_reason(why), why
    return reason, ""
