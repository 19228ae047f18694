"""Scoring of the whole queue by a new topic, a few links at a time, beside the crawl."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import suppress

from focuscrawl.crawler.new_topic import scores_anew
from focuscrawl.crawler.step import PageStep
from focuscrawl.errors import PLUGIN_FAULTS, FocusCrawlError
from focuscrawl.fleet.channel import ControlChannel
from focuscrawl.frontier.base import Frontier
from focuscrawl.records import Entry

logger = logging.getLogger(__name__)

_ALL = 1 << 40
_BATCH = 1_000
_SLICE = 50  # links scored at once: some milliseconds


class QueueScoring:
    """See the module's docstring; one worker of a fleet, its trainer, does it for all.

    Parameters
    ----------
    frontier
        Its queue is scored.
    channel
        Is told when a queue has been scored, so that it is not done again.
    failed
        Called with an error after which a worker of a fleet cannot go on.
    wait_s
        Seconds until all workers of a fleet know of the new topic; links scored by the old one come in until then.
    """

    def __init__(
        self,
        frontier: Frontier,
        channel: ControlChannel,
        *,
        failed: Callable[[FocusCrawlError], None],
        wait_s: float,
    ) -> None:
        self._frontier = frontier
        self._channel = channel
        self._failed = failed
        self._wait_s = wait_s
        self._task: asyncio.Task[None] | None = None

    def start(self, step: PageStep, number: int) -> None:
        """Score the queue by the topic of `step`, that of command `number`, unless it is being done."""
        if self._task is None:
            self._task = asyncio.get_running_loop().create_task(self._run(step, number))

    async def cancel(self) -> None:
        """Leave off: the crawl ends, or another topic has come."""
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task
            self._task = None

    async def _run(self, step: PageStep, number: int) -> None:
        try:
            if self._channel.shared:
                await asyncio.sleep(self._wait_s)
            count = await self._scored_anew(step)
            await self._channel.mark_scored(number)
        except FocusCrawlError as error:
            if self._channel.shared:
                self._failed(error)
            else:
                logger.error("the queue could not be scored by the new topic: %(error)s", {"error": error})
        except PLUGIN_FAULTS:
            # Not again: it would fail as before, once a second.
            logger.exception("the queue could not be scored by the new topic; its links keep their scores")
        else:
            self._task = None
            logger.info("the queue is scored by the new topic: %(n)d links have another score", {"n": count})

    async def _scored_anew(self, step: PageStep) -> int:
        count = 0
        async for batch in self._queued():
            offsets = dict.fromkeys((entry.group or entry.host for entry in batch), 0.0)
            await self._frontier.set_offsets(offsets)  # what was learned of groups was about the old topic
            for at in range(0, len(batch), _SLICE):
                count += await self._frontier.rescore(scores_anew(step, batch[at : at + _SLICE]))
                await asyncio.sleep(0)
        return count

    async def _queued(self) -> AsyncIterator[list[Entry]]:
        batches = self._channel.queued()
        if batches is not None:
            async for batch in batches:
                yield batch
            return
        some: list[Entry] = []
        async for entry in self._frontier.entries(limit=_ALL):
            some.append(entry)
            if len(some) == _BATCH:
                yield some
                some = []
        if some:
            yield some
