"""Feeds and templates of a crawl: made from its session, kept in its run folder."""

from __future__ import annotations

import logging

from focuscrawl.crawler.feed_step import FeedStep
from focuscrawl.crawler.step import PageStep
from focuscrawl.errors import FocusCrawlError
from focuscrawl.extraction.template_store import TemplateStore
from focuscrawl.glue.session import CrawlSession

logger = logging.getLogger(__name__)

TEMPLATES = "templates"  # folder in the run folder
_SAVE_PAGES = 50  # after a kill at most so many pages are learned from anew


class FeedReader:
    """The feed step of a session, with what an earlier run learned.

    Parameters
    ----------
    by_topic
        As in `FeedStep`.
    """

    def __init__(self, session: CrawlSession, *, by_topic: bool) -> None:
        self.store = TemplateStore(session.plan.folder.path / TEMPLATES, clock=session.clock)
        self.store.load()
        self.step = FeedStep(session.step, self.store, by_topic=by_topic)
        self._since_save = 0
        session.step_changed.append(self._changed)

    def _changed(self, step: PageStep) -> None:
        self.step.step = step

    def page_done(self) -> None:
        """Count a page; write the templates now and then."""
        self._since_save += 1
        if self._since_save >= _SAVE_PAGES:
            self.save()

    def save(self) -> None:
        """Write the templates that changed; a failure is logged, for the crawl itself is safe."""
        self._since_save = 0
        try:
            self.store.save()
        except FocusCrawlError as error:
            logger.error("%(error)s", {"error": error})
