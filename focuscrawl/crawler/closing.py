"""Closing of a crawl that has finished: its frontier, its stores, the report, and why it ended."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Callable
from functools import partial

from focuscrawl.crawler.counters import CrawlCounters
from focuscrawl.crawler.crawl import Crawl
from focuscrawl.crawler.endings import ERROR, Ending, ending_of
from focuscrawl.crawler.names import LookUp
from focuscrawl.errors import FocusCrawlError, FrontierError
from focuscrawl.plugins import faults_told
from focuscrawl.storage.crawldb import CrawlDb

logger = logging.getLogger(__name__)


async def close_crawl(crawl: Crawl, reason: str) -> None:
    """Close the frontier and the stores, and write the report; after `Crawl.finish`. What fails is the crawl's error.

    Parameters
    ----------
    reason
        Why the downloader ended, in its own words (`focuscrawl.crawler.endings.ending_of`).
    """
    loop, output, frontier = asyncio.get_running_loop(), crawl.output, crawl.frontier
    try:
        await loop.run_in_executor(None, output.acknowledge)
    except FocusCrawlError as error:
        crawl.error = crawl.error or error
    if crawl.fleet is not None:
        crawl.fleet.remembered = not output.acknowledged
    told = partial(faults_told, "frontiers", crawl.config.frontier, error=FrontierError)
    try:
        if crawl.error is None:
            if crawl.refresh is not None:
                await crawl.refresh.look_back()
            with told("cannot tell how many links wait"):
                crawl.loop.queued = (await frontier.stats()).queued
    except FocusCrawlError as error:
        crawl.error = error
    try:
        with told("cannot be closed"):
            await frontier.close()
    except FocusCrawlError as error:
        crawl.error = crawl.error or error
    if crawl.feeds is not None:
        crawl.feeds.close()
    crawl.ending = ending = _ending(crawl, reason)
    # After an error pages may have been learned from that were never settled: they come again.
    learned = crawl.step.unsaved() if crawl.error is None else {}
    crawl.step.faults.tell_rest()
    metadata, note = crawl.step.counters.metadata, _visits_note(crawl)
    close = partial(output.close, ending.reason, ending.detail, metadata, note, learned=learned)
    unnoted = await loop.run_in_executor(None, close)
    if unnoted is not None and crawl.error is None:  # a run without an end looks like one that was killed
        crawl.error = unnoted
        crawl.ending = _ending(crawl, reason)
    if (crawl.error is not None or crawl.loop.overtaken) and output.has_db:
        await loop.run_in_executor(None, _count_settled, crawl)


def _count_settled(crawl: Crawl) -> None:
    """Count anew what the run holds: some pages were judged that were never settled, or by another worker."""
    try:
        with CrawlDb.open_readonly(crawl.output.folder.db) as db:
            counters, counts = CrawlCounters(), db.counts()
            for record in db.pages():
                counters.recorded(record)
    except FocusCrawlError as error:
        logger.error("%(error)s", {"error": error})
        return
    counters.metadata = crawl.step.counters.metadata
    crawl.step.counters = counters
    if crawl.fleet is None:
        crawl.loop.queued = counts["queued"]


def _ending(crawl: Crawl, reason: str) -> Ending:
    if crawl.error is not None:
        return Ending(ERROR, str(crawl.error), 1)
    if crawl.ending is not None:
        return crawl.ending
    nothing = crawl.step.counters.reasons
    if not nothing and crawl.names.is_outage:
        nothing = Counter({LookUp.OUTAGE.value: crawl.loop.queued})
    return ending_of(reason, pages=crawl.limits.fetched, queued=crawl.loop.queued, nothing=nothing)


def _visits_note(crawl: Crawl) -> Callable[[CrawlDb], None] | None:
    """Return what notes the visits of a crawl in its run; None for a crawl without any."""
    if crawl.refresh is None:
        return _nothing if crawl.revisits.seen else None
    return partial(crawl.refresh.finish, seen=crawl.revisits.seen, new_links=crawl.revisits.new_links)


def _nothing(db: CrawlDb) -> None:
    """Note nothing: a crawl that goes on has made the visits that a round has left."""
