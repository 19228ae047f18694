"""Feeds and templates of a crawl, kept in its run folder."""

from __future__ import annotations

import logging
from collections.abc import Callable
from enum import StrEnum

from focuscrawl.crawler.feed_step import FeedStep
from focuscrawl.crawler.fetched import Fetched
from focuscrawl.crawler.step import PageStep
from focuscrawl.crawler.step_result import StepResult
from focuscrawl.errors import FocusCrawlError
from focuscrawl.extraction.feed_template import NEWEST
from focuscrawl.extraction.template_store import TemplateStore
from focuscrawl.records import Lease
from focuscrawl.storage.run import RunFolder

logger = logging.getLogger(__name__)

TEMPLATES = "templates"  # folder in the run folder
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
        clock: Callable[[], float],
        *,
        train: int = NEWEST,
        collect: bool = False,
    ) -> None:
        self.store = TemplateStore(folder.path / TEMPLATES, clock=clock, train=train)
        self.store.load()
        self.step = FeedStep(step, self.store, by_topic=use is FeedUse.FOLLOW, collect=collect)
        self._process = self.step.follow if use is FeedUse.FOLLOW else self.step.process
        self._since_save = 0

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

    def save(self) -> None:
        """Write the templates that changed; a failure is logged, for the crawl itself is safe."""
        self._since_save = 0
        try:
            self.store.save()
        except FocusCrawlError as error:
            logger.error("%(error)s", {"error": error})
