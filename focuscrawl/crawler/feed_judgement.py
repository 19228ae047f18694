"""Feeds as results: a feed is judged by its titles and texts as if they stood on a page."""

from __future__ import annotations

from dataclasses import replace
from html import escape

from focuscrawl.crawler.step import PageStep
from focuscrawl.feeds.entries import ParsedFeed
from focuscrawl.page.analysis import analyse
from focuscrawl.records import PageRecord
from focuscrawl.topic.plain_verdict import plain_verdict

_ENTRIES = 50  # the newest; more say the same of what a feed is about
_ENTRY_CHARS = 1000


def judged_feed(step: PageStep, feed: ParsedFeed, record: PageRecord) -> PageRecord:
    """Return the record of a feed with its verdict; the text of one on the topic lists its entries, a line each."""
    if not feed.entries:
        return record
    entries = feed.entries[:_ENTRIES]
    parts = [f"<h2>{escape(one.title)}</h2><p>{escape(one.text[:_ENTRY_CHARS])}</p>" for one in entries]
    html = f"<html><head><title>{escape(feed.title)}</title></head><body>{''.join(parts)}</body></html>"
    page = analyse(
        html.encode("utf-8", "replace"),
        record.final_url,
        content_type="text/html; charset=utf-8",
        tokenizer=step.topic.tokenizer,
    )
    verdict = plain_verdict(step.judge, step.judge.judge(page))
    return replace(
        record,
        relevance=verdict.score.value,
        threshold=verdict.threshold,
        relevant=verdict.relevant,
        topic=f"{step.topic.name}@{step.topic.version}",
        judged=dict(verdict.score.parts),
        language=page.language,
        text="\n".join(f"{one.title} {one.link}".strip() for one in entries) if verdict.relevant else "",
        extractor="feed" if verdict.relevant else "",
    )
