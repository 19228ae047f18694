"""Orders to a running crawl: pause, ban a host, add seeds, change a limit, go on with another topic."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import TYPE_CHECKING

from focuscrawl.crawler.build import StepChoices
from focuscrawl.crawler.new_topic import change_topic
from focuscrawl.crawler.step import PageStep
from focuscrawl.topic.spec import TopicSpec
from focuscrawl.types import HostKey

if TYPE_CHECKING:
    from focuscrawl.crawler.crawl import Crawl

ORDERS_ARRIVED_S = 2.5
"""Seconds after which all workers of a fleet have had an order."""


class Orders:
    """Changes a crawl while it runs; to end it is `Crawl.stop`, as its limits end it, too."""

    def __init__(self, crawl: Crawl) -> None:
        self.paused_since: float | None = None  # Unix time
        self._crawl = crawl
        self._banned_at = -ORDERS_ARRIVED_S
        self._drained: set[HostKey] = set()

    def pause(self, paused: bool) -> None:
        """Lease nothing until told to go on."""
        self._crawl.loop.pause(paused)
        self.paused_since = self._crawl.clock() if paused else None

    def ban(self, host: str) -> None:
        """Leave a host alone from now on, and all below it."""
        self._crawl.step.scope.ban(host)
        self._banned_at = self._crawl.clock()

    def drain(self, host: HostKey) -> None:
        """Have the queued links of a banned host handed out at once, which else would end at one a second.

        Not before all workers know of the ban: until then some of them may still fetch from it.
        """
        crawl = self._crawl
        if host in self._drained or (crawl.fleet is not None and crawl.clock() < self._banned_at + ORDERS_ARRIVED_S):
            return
        self._drained.add(host)
        crawl.loop.drain(host)

    def add_seeds(self, urls: Iterable[str]) -> list[str]:
        """Queue seeds; return those that cannot be crawled."""
        entries, bad = self._crawl.step.seed_entries(urls)
        self._crawl.push(entries)
        return bad

    def set_limit(self, name: str, value: float) -> None:
        """Change a limit: pages, minutes, relevant or min_harvest; 0 is none."""
        crawl = self._crawl
        if crawl.refresh is not None and name in ("pages", "relevant"):
            return  # of the crawl before; a round has its own
        crawl.limits.change(name, value)
        if crawl.fleet is not None:
            crawl.fleet.page_limit = crawl.limits.pages
        crawl.check_limits()
        crawl.push(())  # wakes it up: there may be room now

    async def retopic(self, spec: TopicSpec) -> PageStep:
        """Go on with another topic; return its page step. What is known of the web stays, its seeds are queued.

        Raises
        ------
        FocusCrawlError
            If the topic cannot be built; the crawl goes on with the old one.
        """
        crawl, config = self._crawl, self._crawl.config
        choices = StepChoices(
            crawl.plan.strategy,
            config.extractor,
            config.seed,
            options=crawl.step.options,
            lexicon=crawl.plan.lexicon,
        )
        loop = asyncio.get_running_loop()
        step = await loop.run_in_executor(None, change_topic, crawl.step, spec, choices)
        crawl.step = step
        if crawl.feeds is not None:
            crawl.feeds.change_step(step)
        if crawl.readers is not None:
            crawl.readers.use(step, spec)
        if crawl.learning is not None:
            crawl.learning.changed_topic(step)
        self.add_seeds(spec.seed_urls())
        return step
