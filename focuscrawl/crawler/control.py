"""Worker heartbeat: once a second, reports status, runs new commands and exchanges learning events."""

from __future__ import annotations

import asyncio
import logging
import os
from collections import deque
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import TYPE_CHECKING, Protocol

from focuscrawl.crawler.build import StepChoices
from focuscrawl.crawler.learning import FleetLearning
from focuscrawl.crawler.model_exchange import PUBLISH_S, ModelExchange
from focuscrawl.crawler.new_topic import change_topic
from focuscrawl.crawler.queue_scoring import QueueScoring
from focuscrawl.errors import FocusCrawlError
from focuscrawl.fleet.channel import ControlChannel, Heartbeat, WorkerStatus
from focuscrawl.fleet.commands import (
    AddSeeds,
    BanHost,
    Command,
    Pause,
    Resume,
    Retopic,
    SetLimit,
    Stop,
    Unreadable,
)
from focuscrawl.frontier.base import Frontier
from focuscrawl.frontier.sqlite import SqliteFrontier
from focuscrawl.records import Settlement
from focuscrawl.topic.packed import unpack_topic
from focuscrawl.types import HostKey

if TYPE_CHECKING:
    from focuscrawl.config import FocusConfig
    from focuscrawl.crawler.frontier_loop import FrontierLoop
    from focuscrawl.crawler.plan import CrawlPlan
    from focuscrawl.crawler.run_output import RunOutput
    from focuscrawl.crawler.step import PageStep
    from focuscrawl.frontier.fleet import FleetTotals

logger = logging.getLogger(__name__)

_EVERY_S = 1.0
_CATCH_UP_S = 0.05  # between two reports while there are more events of the others
_RATE_S = 30.0  # the rate shown is that of so many seconds
# Another topic, a banned host: until all workers know, links scored by the old one still come in, pages are fetched.
_ALL_HEARD_S = 2.5


class ControlledCrawl(Protocol):
    """An open crawl, as far as commands and the heartbeat concern it."""

    config: FocusConfig
    error: FocusCrawlError | None
    files: RunOutput | None
    started_at: float

    @property
    def clock(self) -> Callable[[], float]: ...

    @property
    def plan(self) -> CrawlPlan: ...

    @property
    def step(self) -> PageStep: ...

    @property
    def task(self) -> FrontierLoop: ...

    def change_step(self, step: PageStep) -> None:
        """Go on with the page step of another topic."""
        ...

    def set_limit(self, name: str, value: float) -> None: ...

    def stop(self, reason: str, detail: str = "") -> None: ...

    def fail(self, error: FocusCrawlError) -> None:
        """End the crawl: it cannot go on."""
        ...

    def take_totals(self, totals: FleetTotals, *, changes: int) -> None:
        """Take note of what all workers have done, `changes` of the queue as of when it was asked for."""
        ...


class CrawlControl:
    """See the module's docstring.

    Parameters
    ----------
    session
        The open crawl.
    frontier
        Its frontier.
    channel
        Where commands are left; with a `shared` one, learning is shared, too.
    worker
        Name of this worker, of a fleet.
    """

    def __init__(
        self,
        session: ControlledCrawl,
        frontier: Frontier,
        channel: ControlChannel,
        *,
        worker: str = "",
        every_s: float = _EVERY_S,
        publish_s: float = PUBLISH_S,
    ) -> None:
        self.session = session
        self.channel = channel
        self.trainer = False
        self.learning = FleetLearning(session.step, worker) if channel.shared else None
        self._frontier = frontier
        self._every_s = every_s
        self._exchange = (
            ModelExchange(self.learning, channel, frontier, publish_s=publish_s) if self.learning is not None else None
        )
        self._known = 0  # number of the last command read
        self._first = True
        self._ordered: Stop | None = None  # by this worker, for all of them; not sent yet
        self._stop: Stop | None = None  # read before the crawl had begun
        self._retopic_number = 0  # of the last change of topic
        self._banned_at = 0.0  # of the loop's clock
        self._drained: set[HostKey] = set()
        self._paused = False
        self._sampled: deque[tuple[float, int]] = deque()
        self._task: asyncio.Task[None] | None = None
        self._woken = asyncio.Event()
        self._scoring = QueueScoring(frontier, channel, failed=session.fail, wait_s=_ALL_HEARD_S)

    # ------------------------------------------------------------------ the session's calls

    async def start(self) -> None:
        """Run the commands given before, and begin to report.

        Raises
        ------
        FocusCrawlError
            If the channel does not answer; it is closed then.
        """
        try:
            await self.channel.open()
            await self._beat()
        except BaseException:
            await self.channel.close()
            raise
        self._task = asyncio.get_running_loop().create_task(self._run())

    async def close(self) -> None:
        """Report for the last time; another worker may be the trainer then. All pages are settled."""
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task
            self._task = None
        await self._scoring.cancel()
        try:
            if self.session.error is None:
                await self._send_stop()
                await self.channel.retire(self._events(), run=self._run_name)
        except FocusCrawlError as error:
            logger.debug("%(error)s", {"error": error})
        finally:
            await self.channel.close()

    def stop_all(self, reason: str, detail: str) -> None:
        """Tell the other workers of a fleet to stop."""
        if self.channel.shared:
            self._ordered = Stop(reason=reason, detail=detail)
            self._woken.set()

    def numbered(self, settlement: Settlement) -> Settlement:
        """Return the settlement of a fetch with its event numbered, for the fleet."""
        return settlement if self.learning is None else self.learning.numbered(settlement)

    def settled(self, settlements: Iterable[Settlement]) -> None:
        """Take note of pages that are in the frontier now, and in the stores; the others learn from them."""
        if self.learning is not None:
            self.learning.settled(settlements)

    def drains(self, host: HostKey) -> bool:
        """Tell, once for each banned host, that nobody fetches from it any more: its queued links need not wait."""
        late = self.channel.shared and asyncio.get_running_loop().time() < self._banned_at + _ALL_HEARD_S
        if late or host in self._drained:
            return False
        self._drained.add(host)
        return True

    # ------------------------------------------------------------------------ the loop

    async def _run(self) -> None:
        said = ""
        while True:
            behind = self._exchange is not None and self._exchange.behind
            with suppress(TimeoutError):
                async with asyncio.timeout(_CATCH_UP_S if behind else self._every_s):
                    await self._woken.wait()
            self._woken.clear()
            try:
                await self._beat()
            except FocusCrawlError as error:
                if self.channel.shared:
                    # Its patience was that of the frontier. No worker may crawl on where no command reaches it.
                    self.session.fail(error)
                    return
                if str(error) != said:  # once, not once a second
                    logger.warning("%(error)s", {"error": error})
                said = str(error)
            except Exception:
                logger.exception("a heartbeat failed")

    async def _beat(self) -> None:
        learning, changes = self.learning, self.session.task.changes
        await self._send_stop()
        beat = await self.channel.heartbeat(
            self._status(),
            known=self._known,
            events=self._events(),
            cursor=learning.cursor if learning is not None else "",
            learns=learning is not None and learning.current,
            run=self._run_name,
        )
        if beat.trainer and not self.trainer and learning is not None:
            logger.info("this worker is now the trainer")
        self.trainer = beat.trainer
        before, self._known = self._known, beat.number
        await self._run_commands(beat, before)
        if beat.trainer and beat.scored < self._retopic_number:
            self._scoring.start(self.session.step, self._retopic_number)
        if not self._first:
            self._take_totals(beat, changes)
        self._first = False
        if self._exchange is not None:
            await self._exchange.take(beat)

    def _take_totals(self, beat: Heartbeat, changes: int) -> None:
        if self._stop is not None:
            self.session.stop(self._stop.reason, self._stop.detail)
            self._stop = None
        if beat.totals is not None:
            self.session.take_totals(beat.totals, changes=changes)

    async def _send_stop(self) -> None:
        if self._ordered is not None:
            await self.channel.give(self._ordered)
            self._ordered = None

    def _events(self) -> list[bytes]:
        """Return the events since the last time."""
        return self.learning.take() if self.learning is not None else []

    @property
    def _run_name(self) -> str:
        files = self.session.files
        return files.folder.worker if files is not None else ""

    def _status(self) -> WorkerStatus:
        session, now = self.session, self.session.clock()
        counters, task = session.step.counters, session.task
        self._sampled.append((now, counters.pages))
        while len(self._sampled) > 2 and self._sampled[0][0] < now - _RATE_S:
            self._sampled.popleft()
        (since, pages), span = self._sampled[0], now - self._sampled[0][0]
        return WorkerStatus(
            machine=os.uname().nodename,
            pid=os.getpid(),
            started=session.started_at,
            pages=counters.pages,
            relevant=counters.relevant,
            failed=counters.failed,
            rate=round((counters.pages - pages) / span, 3) if span > 0.0 and since < now else 0.0,
            in_flight=task.in_flight,
            paused=self._paused,
            topic=session.step.topic.name,
            model=self.model_version,
            run=str(session.plan.folder.path),
        )

    @property
    def model_version(self) -> int:
        """Version of the publication this worker has taken up or made, 0 for none."""
        return self._exchange.version if self._exchange is not None else 0

    @property
    def harvest(self) -> float | None:
        """Share of relevant pages in the last 100 of all workers; None while this is not the worker that knows."""
        return self.learning.harvest if self.learning is not None and self.trainer else None

    # ----------------------------------------------------------------------- commands

    async def _run_commands(self, beat: Heartbeat, before: int) -> None:
        last = max((i for i, command in enumerate(beat.commands) if isinstance(command, Retopic)), default=-1)
        for i, command in enumerate(beat.commands):
            if isinstance(command, Unreadable):
                logger.error("command %(n)d cannot be read: %(why)s", {"n": before + i + 1, "why": command.sentence})
                continue
            if isinstance(command, Retopic) and i < last:
                continue  # the last one counts
            try:
                await self._do(command, before + i + 1, beat)
            except FocusCrawlError as error:
                logger.error("command %(name)s: %(error)s", {"name": command.command, "error": error})
            except Exception:
                # Commands stay: one that no worker can run must not keep those from crawling that come later.
                logger.exception("command %(name)s: it cannot be run", {"name": command.command})

    async def _do(self, command: Command, number: int, beat: Heartbeat) -> None:
        session, past = self.session, number <= beat.past
        match command:
            case Pause() | Resume():
                if self.channel.shared or not past:  # a fleet stays paused until it is told to go on
                    self._pause(isinstance(command, Pause))
            case Stop():
                if not past:
                    self._told_to_stop(command)
            case SetLimit(name=name, value=value):
                session.set_limit(name, value)
                logger.info("%(name)s is %(value)g now", {"name": name, "value": value})
            case BanHost(host=host):
                self._ban(host)
            case AddSeeds(urls=urls):
                entries, _ = session.step.seed_entries(urls)
                session.task.push(entries)
                logger.info("%(n)d more seeds", {"n": len(entries)})
            case Retopic():
                await self._retopic(command, number, beat.scored)

    def _told_to_stop(self, command: Stop) -> None:
        logger.info("told to stop: %(why)s", {"why": command.reason})
        if self._first:
            self._stop = command  # the crawl is only just opening, and can be closed when it is open
        else:
            self.session.stop(command.reason, command.detail)

    def _pause(self, paused: bool) -> None:
        if paused != self._paused:
            self._paused = paused
            self.session.task.pause(paused)
            if paused:
                logger.info("paused; `focuscrawl fleet resume` goes on")
            else:
                logger.info("going on")

    def _ban(self, host: str) -> None:
        self.session.step.scope.ban(host)
        self._banned_at = asyncio.get_running_loop().time()
        logger.info("%(host)s is left alone from now on", {"host": host})

    async def _retopic(self, command: Retopic, number: int, scored: int) -> None:
        session = self.session
        spec = unpack_topic(command.model_dump(include={"topic", "samples", "seeds"}))
        plan, config = session.plan, session.config
        choices = StepChoices(strategy=plan.strategy, extractor=config.extractor, seed=config.seed)
        loop = asyncio.get_running_loop()
        step = await loop.run_in_executor(None, change_topic, session.step, spec, choices)
        session.change_step(step)
        if self.learning is not None:
            self.learning.changed_topic(step)
        self._retopic_number = number
        if number <= scored and isinstance(self._frontier, SqliteFrontier):
            states = await self._frontier.call(lambda db: db.states())
            judge = states.get("judge") or {}
            if judge.get("topic") == step.judge.snapshot().get("topic"):
                step.restore(states, ())
        await self._scoring.cancel()
        entries, _ = step.seed_entries(spec.seed_urls())
        session.task.push(entries)
        logger.info("the topic is %(topic)s now (%(version)s)", {"topic": spec.name, "version": step.topic.version})
