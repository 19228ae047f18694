"""Feeds and templates of a crawl, kept in its run folder.

A feed of a thousand entries takes the parser a second, so a thread of its own parses it while the event loop goes on:
one feed at a time, for threads that compute take the interpreter from the loop.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from enum import StrEnum
from functools import partial

from focuscrawl.config import FocusConfig
from focuscrawl.crawler.feed_step import FeedStep, ReadFeed
from focuscrawl.crawler.fetched import Fetched
from focuscrawl.crawler.revisits import is_unchanged
from focuscrawl.crawler.step import PageStep
from focuscrawl.crawler.step_result import StepResult
from focuscrawl.crawler.watchdog import Watchdog
from focuscrawl.errors import FocusCrawlError
from focuscrawl.extraction.template_store import TemplateStore
from focuscrawl.feeds.discover import is_feed
from focuscrawl.feeds.entries import parse_feed
from focuscrawl.records import Lease
from focuscrawl.storage.run import RunFolder

logger = logging.getLogger(__name__)

TEMPLATES = "templates"  # folder in the run folder
_SLICE = 50  # entries compared with the topic at once: some milliseconds in English, 25 in Chinese
_SAVE_PAGES = 50  # after a kill at most so many pages are learned from anew


class FeedUse(StrEnum):
    """Treatment of feeds in a crawl."""

    NONE = ""  # a project's own spider follows what it likes
    FOLLOW = "follow"  # their entries are queued by topic, beside the links of pages
    READ = "read"  # their entries are queued, newest first, and no links of pages


class FeedReader:
    """Feed step of a crawl, with what an earlier run has learned of templates."""

    def __init__(
        self,
        step: PageStep,
        use: FeedUse,
        folder: RunFolder,
        config: FocusConfig,
        clock: Callable[[], float],
    ) -> None:
        self.store = TemplateStore(folder.path / TEMPLATES, clock=clock, train=config.feed_entries)
        self.store.load()
        self.step = FeedStep(step, self.store, by_topic=use is FeedUse.FOLLOW, collect=config.collect_feeds)
        self._process = self.step.follow if use is FeedUse.FOLLOW else self.step.process
        self._since_save = 0
        self._watchdog = Watchdog(config.max_page_cpu_s)
        self._thread = ThreadPoolExecutor(1, "focuscrawl-feed")

    async def read(self, fetched: Fetched, lease: Lease | None) -> Fetched:
        """Return an answer, a feed with what it says; one that is as it was at the visit before is not parsed.

        Raises
        ------
        TooSlowError
            If a few of its entries took too long to be compared with the topic.
        """
        earlier = lease.entry.origin.earlier if lease is not None else None
        if earlier is not None and is_unchanged(fetched, earlier):
            return fetched
        if not is_feed(fetched.body, content_type=fetched.content_type):
            return fetched
        parse = partial(parse_feed, fetched.body, fetched.url, content_type=fetched.content_type)
        feed = await asyncio.get_running_loop().run_in_executor(self._thread, parse)
        step, similarities = self.step.step, list[float]()
        for at in range(0, len(feed.entries) if self.step.by_topic else 0, _SLICE):
            if step is self.step.step:  # else the topic has changed meanwhile, and they are compared with the new one
                some = feed.entries[at : at + _SLICE]
                similarities += self._watchdog.run(self.step.similarities, some)
                await asyncio.sleep(0)
        return replace(fetched, feed=ReadFeed(feed, step, similarities))

    def process(self, fetched: Fetched, lease: Lease) -> StepResult:
        """Return what an answer yields: the entries of a feed, or what a page does."""
        result = self._process(fetched, lease)
        self._since_save += 1
        if self._since_save >= _SAVE_PAGES:
            self.save()
        return result

    def change_step(self, step: PageStep) -> None:
        """Go on with the page step of another topic."""
        self.step.step = step

    def close(self) -> None:
        """End the thread, and save."""
        self._thread.shutdown(wait=False, cancel_futures=True)
        self.save()

    def save(self) -> None:
        """Write the templates that changed; a failure is logged, for the crawl itself is safe."""
        self._since_save = 0
        try:
            self.store.save()
        except FocusCrawlError as error:
            logger.error("%(error)s", {"error": error})
