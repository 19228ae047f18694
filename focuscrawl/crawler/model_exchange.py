"""Exchange of what is learned with the other workers of a fleet, a heartbeat at a time."""

from __future__ import annotations

import asyncio
import logging

from focuscrawl.crawler.learning import FleetLearning
from focuscrawl.errors import PLUGIN_FAULTS, FocusCrawlError
from focuscrawl.fleet.channel import ControlChannel, Heartbeat
from focuscrawl.frontier.base import Frontier

logger = logging.getLogger(__name__)

PUBLISH_S = 5.0
"""The trainer publishes, and the others take up, no more often than this, and at most a twentieth of their time."""
_PUBLISH_PAGES = 20
_SHARE = 20.0
_EVENTS_AT_ONCE = 20  # events: some milliseconds


class ModelExchange:
    """Learns from the events of a heartbeat, takes up publications, and publishes as the trainer.

    Parameters
    ----------
    learning
        This worker's part in the learning.
    channel
        Where publications are.
    frontier
        Gets from the trainer what other workers' pages move: offsets, and links that looks call up.
    publish_s
        Least seconds between two publications.
    """

    def __init__(
        self, learning: FleetLearning, channel: ControlChannel, frontier: Frontier, *, publish_s: float = PUBLISH_S
    ) -> None:
        self.version = 0  # of what was taken up or published
        self.behind = False  # there are more events
        self._learning = learning
        self._channel = channel
        self._frontier = frontier
        self._publish_s = publish_s
        self._at = 0.0  # of the loop's clock, when `version` was taken up or published
        self._cost_s = 0.0  # of that

    async def take(self, beat: Heartbeat) -> None:
        """Take up what a heartbeat has brought."""
        learning, cursor = self._learning, self._learning.cursor
        if not learning.current:
            await self._catch_up(beat)
        if learning.cursor != cursor:
            self.behind = True  # events before these were counted and not learned
            return
        learned = 0
        for at in range(0, len(beat.events), _EVENTS_AT_ONCE):
            count, offsets = learning.take_events(beat.events[at : at + _EVENTS_AT_ONCE])
            learned += count
            if count and beat.trainer:
                rescores = learning.rescores()  # looks that these pages have earned
                if offsets:
                    await self._frontier.set_offsets(offsets)
                if rescores:
                    await self._frontier.rescore(rescores)
            await asyncio.sleep(0)
        learning.cursor = beat.cursor or cursor
        if beat.trainer:
            self.behind = beat.more
            await self._publish()
        else:
            self.behind = learning.keep_up(learned, more=beat.more)

    async def _catch_up(self, beat: Heartbeat) -> None:
        """Take up what was published, if there is anything new."""
        learning, loop = self._learning, asyncio.get_running_loop()
        if not beat.model:
            learning.current = True  # nothing is published: all there is can be learned
        elif beat.trainer or (beat.model > self.version and self._may_publish()):
            published = await self._channel.model()
            begun = loop.time()
            taken = published is not None and self._take_up(published)
            self.version, self._at, self._cost_s = beat.model, loop.time(), loop.time() - begun
            learning.current = taken or beat.trainer

    async def _publish(self) -> None:
        if self._learning.learned < _PUBLISH_PAGES or not self._may_publish():
            return
        loop = asyncio.get_running_loop()
        begun = loop.time()
        publication = self._learning.publication()
        self._cost_s, self._at = loop.time() - begun, loop.time()
        if publication is not None:
            self.version = await self._channel.publish(publication) or self.version

    def _may_publish(self) -> bool:
        """Tell whether the last publication was long enough ago."""
        wait_s = max(self._publish_s, _SHARE * self._cost_s)
        return asyncio.get_running_loop().time() - self._at >= wait_s

    def _take_up(self, published: bytes) -> bool:
        try:
            return self._learning.take_up(published)
        except FocusCrawlError as error:
            logger.warning("%(error)s This worker goes on with what it has learned itself.", {"error": error})
        except PLUGIN_FAULTS as error:
            self._learning.step.faults.note(f"what the trainer has published cannot be taken up: {error}", error)
        return False
