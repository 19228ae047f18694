"""What the pages of an earlier run say of counters, duplicates and budgets."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from focuscrawl.crawler.counters import CrawlCounters
from focuscrawl.crawler.redirects import SENDS_ON, SENDS_TO_FETCHED, TARGET_QUEUED
from focuscrawl.crawler.scope import Budgets
from focuscrawl.dedupe.known import KnownTexts
from focuscrawl.page.urls import host_of
from focuscrawl.records import Outcome, PageRecord
from focuscrawl.topic.base import TopicModel, lead_of
from focuscrawl.types import Explained, UrlKey


def take_up(
    records: Iterable[PageRecord],
    topic: TopicModel,
    fetched: set[UrlKey],
    gone: set[UrlKey],
    counters: CrawlCounters,
    budgets: Budgets,
    texts: KnownTexts,
    *,
    anew: bool = False,
) -> set[UrlKey]:
    """Count the pages of an earlier run, and know their URLs and texts; return which of them are feeds.

    `fetched`, `gone` (what ended without a page) and what follows them are changed.

    Parameters
    ----------
    anew
        The frontier was begun anew and knows none of the pages: links lead to them once more, and each counts for the
        budgets when it is fetched again.
    """
    urls: dict[UrlKey, str] = {}
    feeds: set[UrlKey] = set()
    for record in records:
        if record.parent is None:
            budgets.vouch([record.host])
        counters.recorded(record)
        duplicate = record.duplicate_of is not None
        if record.outcome == Outcome.DONE and record.content_digest and not duplicate:
            texts.check(record.key, record.content_digest, partial(topic.tokens, record.text))
        if anew:
            continue
        source = host_of(urls.get(record.parent or 0, ""))
        if record.outcome != Outcome.DONE:
            if record.reason not in (SENDS_ON, SENDS_TO_FETCHED):
                budgets.fetched(record.url, record.host, found=False, gave_page=False)
                if record.outcome == Outcome.REFUSED and record.reason != TARGET_QUEUED:
                    budgets.tried(record.url, host_of(record.url), source, gave_page=False)
            gone.add(record.key)
            continue
        fetched.add(record.key)
        urls[record.key] = record.final_url
        budgets.tried(record.url, host_of(record.url), source, gave_page=True)
        repeats, leads = record.repeats, lead_of(Explained(record.relevance, record.judged)) >= record.threshold
        if record.feed:  # no find, and one that another lists repeats it
            repeats, leads = record.parent in feeds, False
            feeds.add(record.key)
        budgets.fetched(
            record.final_url,
            record.host,
            found=leads and not repeats,
            repeats=repeats,
            parent_url=urls.get(record.parent or 0, ""),
        )
    return feeds
