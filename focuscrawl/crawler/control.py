"""Worker heartbeat: once a second, reports status, runs new commands and exchanges learning events."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Sequence
from contextlib import suppress

from focuscrawl.crawler.changed_settings import changed_settings, is_there
from focuscrawl.crawler.crawl import Crawl
from focuscrawl.crawler.endings import Ending
from focuscrawl.crawler.model_exchange import PUBLISH_S, ModelExchange
from focuscrawl.crawler.new_topic import has_same_words
from focuscrawl.crawler.orders import ORDERS_ARRIVED_S
from focuscrawl.crawler.other_workers import warn_of_differences
from focuscrawl.crawler.page_rate import PageRate
from focuscrawl.crawler.queue_scoring import QueueScoring
from focuscrawl.errors import PLUGIN_FAULTS, FocusCrawlError, ServerAwayError
from focuscrawl.fleet.channel import ControlChannel, Heartbeat, HeartbeatReport, WorkerStatus
from focuscrawl.fleet.commands import (
    LIMITS,
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
from focuscrawl.frontier.fleet import FleetFrontier
from focuscrawl.frontier.sqlite import SqliteFrontier
from focuscrawl.topic.packed import unpack_topic

logger = logging.getLogger(__name__)

_EVERY_S = 1.0
_CATCH_UP_S = 0.05  # between two reports while there are more events of the others
_NOT_BEGUN = -1  # no count of changes: the seeds are on their way to the queue
_RATE_S = 30.0  # the rate shown is that of so many seconds


class CrawlControl:
    """See the module's docstring.

    Parameters
    ----------
    crawl
        The open crawl.
    channel
        Where commands are left, and workers exchange what they learn.
    """

    def __init__(
        self,
        crawl: Crawl,
        channel: ControlChannel,
        *,
        every_s: float = _EVERY_S,
        publish_s: float = PUBLISH_S,
    ) -> None:
        self.crawl = crawl
        self.channel = channel
        self.trainer = False
        self.learning = crawl.learning
        self._frontier = crawl.frontier
        self._every_s = every_s
        self._exchange = (
            ModelExchange(self.learning, channel, crawl.frontier, publish_s=publish_s)
            if self.learning is not None
            else None
        )
        self._known = 0  # number of the last command read
        self._first = True
        self._retopic_number = 0  # of the last change of topic
        self._unnoted: tuple[int, Retopic] | None = None  # a change that the run's settings do not tell of yet
        self._paused = False
        self._rate = PageRate(_RATE_S)
        self._task: asyncio.Task[None] | None = None
        self._scoring = QueueScoring(crawl.frontier, channel, failed=crawl.fail, wait_s=ORDERS_ARRIVED_S)

    # ------------------------------------------------------------------- start and end

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
            # Earlier commands are carried out by now, which may have changed the topic and the limits.
            warn_of_differences(self._status(), await self.channel.others())
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
            if self.crawl.error is None:
                await self._send_stop()
                if self._unnoted is not None:  # the queue may have been scored since the last heartbeat
                    last = await self.channel.heartbeat(HeartbeatReport(self._status(), known=self._known))
                    if last.scored >= self._unnoted[0]:
                        await self._note_topic(self._unnoted[1])
                await self.channel.retire(self._events(), run=self._run_name)
        except ServerAwayError as error:
            self._fail(error)
        except FocusCrawlError as error:
            logger.debug("%(error)s", {"error": error})
        finally:
            await self.channel.close()

    # ------------------------------------------------------------------------ the loop

    async def _run(self) -> None:
        said = ""
        while True:
            behind = self._exchange is not None and self._exchange.behind
            await asyncio.sleep(_CATCH_UP_S if behind else self._every_s)
            try:
                await self._beat()
            except FocusCrawlError as error:
                if self.channel.shared:
                    # Its patience was that of the frontier. No worker may crawl on where no command reaches it.
                    self._fail(error)
                    return
                if str(error) != said:  # once, not once a second
                    logger.warning("%(error)s", {"error": error})
                said = str(error)
            except PLUGIN_FAULTS as error:
                self.crawl.step.faults.note(f"a heartbeat failed: {error}", error)

    def _fail(self, error: FocusCrawlError) -> None:
        """End the crawl for an error of the channel; its frontier does not wait once more for a server given up."""
        if isinstance(error, ServerAwayError) and isinstance(self.crawl.frontier, FleetFrontier):
            self.crawl.frontier.given_up = error
        self.crawl.fail(error)

    async def _beat(self) -> None:
        learning, changes = self.learning, self.crawl.loop.changes
        await self._send_stop()
        beat = await self._report(
            HeartbeatReport(
                self._status(),
                known=self._known,
                events=self._events(),
                cursor=learning.cursor if learning is not None else "",
                learns=learning is not None and learning.current,
                run=self._run_name,
            )
        )
        if beat.trainer and not self.trainer and learning is not None:
            logger.info("this worker is now the trainer")
        self.trainer = beat.trainer
        if learning is not None:
            learning.trainer = beat.trainer
        before, self._known = self._known, beat.number
        await self._run_commands(beat, before)
        if beat.trainer and beat.scored < self._retopic_number:
            self._scoring.start(self.crawl.step, self._retopic_number)
        if self._unnoted is not None and beat.scored >= self._unnoted[0]:
            await self._note_topic(self._unnoted[1])
        if self.crawl.refresh is not None:
            await self.crawl.refresh.poll()  # before the totals, which may say that nothing is left: it knows why
        if beat.totals is not None:
            # At the start a limit may have been reached by others; that nothing is queued yet says nothing of the end.
            self.crawl.take_totals(beat.totals, changes=_NOT_BEGUN if self._first else changes)
        self._first = False
        if self._exchange is not None:
            await self._exchange.take(beat)

    async def _report(self, report: HeartbeatReport) -> Heartbeat:
        """Return the answer to a report; events of one that fails, or is broken off by the end, go with the next."""
        try:
            return await self.channel.heartbeat(report)
        except BaseException:
            if self.learning is not None:
                self.learning.take_back(report.events)
            raise

    async def _send_stop(self) -> None:
        """Have the other workers of a fleet stop when this one has come to a limit."""
        ending = self.crawl.ending_for_all
        if ending is not None:
            await self.channel.give(Stop(reason=ending.reason, detail=ending.detail))
            self.crawl.ending_for_all = None

    def _events(self) -> list[bytes]:
        """Return the events since the last time."""
        return self.learning.take() if self.learning is not None else []

    @property
    def _run_name(self) -> str:
        return self.crawl.output.folder.worker

    def _status(self) -> WorkerStatus:
        crawl, counters = self.crawl, self.crawl.step.counters
        return WorkerStatus(
            machine=os.uname().nodename,
            pid=os.getpid(),
            started=crawl.started_at,
            pages=counters.pages,
            relevant=counters.relevant,
            failed=counters.failed,
            rate=round(self._rate.at(crawl.clock(), counters.pages), 3),
            in_flight=crawl.loop.in_flight,
            paused=self._paused,
            topic=crawl.step.topic.name,
            topic_version=crawl.step.topic.version,
            spider=crawl.plan.settings.spider,
            # A round of visits has an order and limits of its own.
            strategy=crawl.plan.strategy if crawl.refresh is None else "",
            limits={name: getattr(crawl.limits, name) for name in LIMITS} if crawl.refresh is None else {},
            model=self.model_version,
            run=str(crawl.plan.folder.path.absolute()),
        )

    @property
    def model_version(self) -> int:
        """Version of the publication this worker has taken up or made, 0 for none."""
        return self._exchange.version if self._exchange is not None else 0

    # ----------------------------------------------------------------------- commands

    async def _run_commands(self, beat: Heartbeat, before: int) -> None:
        over = _replaced(beat.commands)
        for i, command in enumerate(beat.commands):
            if isinstance(command, Unreadable):
                logger.error("command %(n)d cannot be read: %(why)s", {"n": before + i + 1, "why": command.sentence})
                continue
            if i in over:
                continue
            try:
                await self._do(command, before + i + 1, beat)
            except FocusCrawlError as error:
                logger.error("command %(name)s: %(error)s", {"name": command.command, "error": error})
            except PLUGIN_FAULTS:
                # Commands stay: one that no worker can run must not keep those from crawling that come later.
                logger.exception("command %(name)s: it cannot be run", {"name": command.command})

    async def _do(self, command: Command, number: int, beat: Heartbeat) -> None:
        crawl, past = self.crawl, number <= beat.past
        match command:
            case Pause() | Resume():
                if self.channel.shared or not past:  # a fleet stays paused until it is told to go on
                    await self._pause(isinstance(command, Pause))
            case Stop():
                if not past:
                    logger.info("told to stop: %(why)s", {"why": command.reason})
                    crawl.stop(Ending(command.reason, command.detail), told=True)
            case SetLimit(name=name, value=value):
                named = self._named_anew(name) if past else None
                if named is not None and named != value:
                    # As a command, it counts the next time, too, when it may not be named.
                    await self.channel.give(SetLimit(name=name, value=named))
                    return
                crawl.orders.set_limit(name, value)
                logger.info("%(name)s is %(value)g now", {"name": name, "value": value})
            case BanHost(host=host):
                crawl.orders.ban(host)
                logger.info("%(host)s is left alone from now on", {"host": host})
            case AddSeeds(urls=urls):
                bad = crawl.orders.add_seeds(urls)
                logger.info("%(n)d more seeds", {"n": len(urls) - len(bad)})
            case Retopic():
                await self._retopic(command, number, beat.scored)

    async def _note_topic(self, command: Retopic) -> None:
        """Have the run go on with the new topic, once no link waits that was scored by the old one."""
        self._unnoted = None
        settings = changed_settings(command, self.crawl.plan.settings)
        if self.channel.shared:
            # The name stays, for it tells which crawl the run belongs to; the title is what people read.
            await self.crawl.output.note_topic(self._frontier, {"title": settings["title"] or settings["topic"]})
        elif is_there(command.file):
            await self.crawl.output.note_topic(self._frontier, settings)

    def _named_anew(self, name: str) -> float | None:
        """Return a limit that this crawl was started with, None where none was named, or it is one of visits.

        A worker of a fleet has no say: one that is started again as before must not undo what all were told.
        """
        if self.channel.shared or self.crawl.refresh is not None:
            return None
        value = getattr(self.crawl.plan.arguments, name, None)
        return float(value) if value is not None else None

    async def _pause(self, paused: bool) -> None:
        if paused != self._paused:
            self._paused = paused
            self.crawl.orders.pause(paused)
            await self.crawl.output.note_pause(self._frontier, paused)
            if paused:
                logger.info("paused; `focuscrawl fleet resume` goes on")
            else:
                logger.info("going on")

    async def _retopic(self, command: Retopic, number: int, scored: int) -> None:
        spec = unpack_topic(command.model_dump(include={"topic", "samples", "seeds"}))
        if number <= scored and spec.digest == self.crawl.step.topic.version:
            return  # the run was opened with it
        self._unnoted = (number, command)
        taught = has_same_words(self.crawl.step, spec) and scored >= self._retopic_number
        step = await self.crawl.orders.retopic(spec)
        if taught:
            await self.channel.mark_scored(number)  # the words are the same, and so are the scores of links
            logger.info(
                "the judge of %(topic)s has learned from %(n)d examples", {"topic": spec.name, "n": len(spec.examples)}
            )
            return
        self._retopic_number = number
        if number <= scored and isinstance(self._frontier, SqliteFrontier):
            states = await self._frontier.call(lambda db: db.states())
            judge = states.get("judge") or {}
            if judge.get("topic") == step.judge.snapshot().get("topic"):
                step.restore(states, ())
        await self._scoring.cancel()
        logger.info("the topic is %(topic)s now (%(version)s)", {"topic": spec.name, "version": step.topic.version})


def _replaced(given: Sequence[Command | Unreadable]) -> set[int]:
    """Return the places of changes that later ones replace: of the topic, and of each limit, the last one counts."""
    last: dict[str, int] = {}
    over: set[int] = set()
    for i, command in enumerate(given):
        if isinstance(command, Retopic | SetLimit):
            what = command.name if isinstance(command, SetLimit) else command.command
            if what in last:
                over.add(last[what])
            last[what] = i
    return over
