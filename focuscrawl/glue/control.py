"""The ear of a worker: it reports about once a second, carries out orders, and takes its part in the learning."""

from __future__ import annotations

import asyncio
import logging
import os
from collections import deque
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from focuscrawl.crawler.build import StepChoices
from focuscrawl.crawler.learning import FleetLearning
from focuscrawl.crawler.new_topic import change_topic, scores_anew
from focuscrawl.crawler.step import PageStep
from focuscrawl.errors import FocusCrawlError
from focuscrawl.fleet import orders as said
from focuscrawl.fleet.board import Board, Polled
from focuscrawl.fleet.orders import Order
from focuscrawl.frontier.base import Frontier
from focuscrawl.frontier.sqlite import SqliteFrontier
from focuscrawl.records import Entry, Settlement
from focuscrawl.topic.packed import unpack_topic
from focuscrawl.types import HostKey

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from focuscrawl.glue.session import CrawlSession

logger = logging.getLogger(__name__)

_EVERY_S = 1.0
_CATCH_UP_S = 0.05  # between two reports while there are more events of the others
_HEARD_AT_ONCE = 20  # events: some milliseconds
_RATE_S = 30.0  # the rate shown is that of so many seconds
# Another topic, a banned host: until all workers know, links scored by the old one still come in, pages are fetched.
_ALL_HEARD_S = 2.5
_SLICE = 50  # links scored at once: some milliseconds
# The trainer publishes, and the others take up, no more often than this, and at most a twentieth of their time.
_PUBLISH_S = 5.0
_PUBLISH_PAGES = 20
_SHARE = 20.0


class CrawlControl:
    """See the module's docstring.

    Parameters
    ----------
    session
        The open crawl.
    frontier
        Its frontier.
    board
        Where orders are; with `shared` ones, learning is shared, too.
    worker
        Name of this worker, of a fleet.
    """

    def __init__(
        self,
        session: CrawlSession,
        frontier: Frontier,
        board: Board,
        *,
        worker: str = "",
        every_s: float = _EVERY_S,
        publish_s: float = _PUBLISH_S,
    ) -> None:
        self.session = session
        self.board = board
        self.trainer = False
        self.learning = FleetLearning(session.step, worker) if board.shared else None
        self._frontier = frontier
        self._every_s = every_s
        self._publish_s = publish_s
        self._seen = 0  # orders known
        self._first = True
        self._behind = False  # there is more to hear of
        self._topic_order = 0  # number of the last change of topic
        self._banned_at = 0.0  # of the loop's clock
        self._drained: set[HostKey] = set()
        self._model = 0  # version of what was taken up or published
        self._model_at = 0.0
        self._model_cost_s = 0.0
        self._paused = False
        self._sampled: deque[tuple[float, int]] = deque()
        self._task: asyncio.Task[None] | None = None
        self._scoring: asyncio.Task[None] | None = None

    # ------------------------------------------------------------------ the session's calls

    async def start(self) -> None:
        """Take up what was ordered before, and begin to listen.

        Raises
        ------
        FocusCrawlError
            If the board does not answer; it is closed then.
        """
        try:
            await self.board.open()
            await self._look()
        except BaseException:
            await self.board.close()
            raise
        self._task = asyncio.get_running_loop().create_task(self._run())

    async def close(self) -> None:
        """Stop listening; what is not told yet is told, and another worker may be the trainer.

        All pages are settled.
        """
        for task in (self._task, self._scoring):
            if task is not None:
                task.cancel()
                with suppress(asyncio.CancelledError):
                    await task
        self._task = self._scoring = None
        retire = getattr(self.board, "retire", None)
        try:
            if retire is not None and self.session.error is None:
                await retire(**self._told())
        except FocusCrawlError as error:
            logger.debug("%(error)s", {"error": error})
        finally:
            await self.board.close()

    def numbered(self, settlement: Settlement) -> Settlement:
        """Return the settlement of a fetch with its event numbered, for the fleet."""
        return settlement if self.learning is None else self.learning.numbered(settlement)

    def settled(self, settlements: Iterable[Settlement]) -> None:
        """Take note of pages that are in the frontier now, and in the stores; the others learn from them."""
        if self.learning is not None:
            self.learning.settled(settlements)

    def drains(self, host: HostKey) -> bool:
        """Tell, once for each banned host, that nobody fetches from it any more: its queued links need not wait."""
        late = self.board.shared and asyncio.get_running_loop().time() < self._banned_at + _ALL_HEARD_S
        if late or host in self._drained:
            return False
        self._drained.add(host)
        return True

    # ------------------------------------------------------------------------ the loop

    async def _run(self) -> None:
        said = ""
        while True:
            await asyncio.sleep(_CATCH_UP_S if self._behind else self._every_s)
            try:
                await self._look()
            except FocusCrawlError as error:
                if self.board.shared:
                    # Its patience was that of the frontier. Nobody may crawl on where no order reaches him.
                    self.session.fail(error)
                    return
                if str(error) != said:  # once, not once a second
                    logger.warning("%(error)s", {"error": error})
                said = str(error)
            except Exception:
                logger.exception("a look at the orders failed")

    async def _look(self) -> None:
        learning = self.learning
        polled = await self.board.poll(
            self._facts(),
            seen=self._seen,
            cursor=learning.cursor if learning is not None else "",
            learns=learning is not None and learning.current,
            **self._told(),
        )
        if polled.trainer and not self.trainer and learning is not None:
            logger.info("this worker is now the trainer")
        self.trainer = polled.trainer
        before, self._seen = self._seen, polled.number
        await self._carry_out(polled.orders, before, polled.done)
        self._first = False
        if polled.trainer and polled.done < self._topic_order and self._scoring is None:
            self._scoring = asyncio.get_running_loop().create_task(self._score_queue(self._topic_order))
        if learning is not None:
            await self._learn(learning, polled)

    def _told(self) -> dict[str, Any]:
        """Return the events since the last time."""
        if self.learning is None:
            return {}
        files = self.session.files
        return {"events": self.learning.take(), "run": files.folder.worker if files is not None else ""}

    def _facts(self) -> dict[str, Any]:
        session, now = self.session, self.session.clock()
        counters, task = session.step.counters, session.task
        self._sampled.append((now, counters.pages))
        while len(self._sampled) > 2 and self._sampled[0][0] < now - _RATE_S:
            self._sampled.popleft()
        (since, pages), span = self._sampled[0], now - self._sampled[0][0]
        return {
            "machine": os.uname().nodename,
            "pid": os.getpid(),
            "started": session.started_at,
            "pages": counters.pages,
            "relevant": counters.relevant,
            "failed": counters.failed,
            "rate": round((counters.pages - pages) / span, 3) if span > 0.0 and since < now else 0.0,
            "in_flight": task.in_flight,
            "paused": self._paused,
            "topic": session.step.topic.name,
            "model": self._model,
            "run": str(session.plan.folder.path),
        }

    # ---------------------------------------------------------------------- learning

    async def _learn(self, learning: FleetLearning, polled: Polled) -> None:
        loop, cursor = asyncio.get_running_loop(), learning.cursor
        wait_s = max(self._publish_s, _SHARE * self._model_cost_s)
        if not learning.current:
            new = polled.model > self._model and loop.time() - self._model_at >= wait_s
            if polled.model and (new or polled.trainer):
                published = await self.board.model()
                begun = loop.time()
                taken = published is not None and self._take_up(learning, published)
                self._model, self._model_at, self._model_cost_s = polled.model, loop.time(), loop.time() - begun
                learning.current = taken or polled.trainer
            elif not polled.model:
                learning.current = True  # nothing is published: all there is can be learned
        if learning.cursor != cursor:
            self._behind = True  # events before these were counted and not learned
            return
        learned = 0
        for at in range(0, len(polled.events), _HEARD_AT_ONCE):
            count, offsets = learning.hear(polled.events[at : at + _HEARD_AT_ONCE])
            learned += count
            if offsets and polled.trainer:
                await self._frontier.set_offsets(offsets)
            await asyncio.sleep(0)
        learning.cursor = polled.cursor or cursor
        if not polled.trainer:
            self._behind = learning.keep_up(learned, more=polled.more)
            return
        self._behind = polled.more
        if learning.learned >= _PUBLISH_PAGES and loop.time() - self._model_at >= wait_s:
            begun = loop.time()
            publication = learning.publication()
            self._model_cost_s, self._model_at = loop.time() - begun, loop.time()
            self._model = await self.board.publish(publication) or self._model

    def _take_up(self, learning: FleetLearning, published: bytes) -> bool:
        try:
            return learning.take_up(published)
        except FocusCrawlError as error:
            logger.warning("%(error)s This worker goes on with what it has learned itself.", {"error": error})
        except Exception:
            logger.exception("what the trainer has published cannot be taken up")
        return False

    @property
    def harvest(self) -> float | None:
        """Share of relevant pages in the last 100 of all workers; None while this is not the worker that knows."""
        return self.learning.harvest if self.learning is not None and self.trainer else None

    # ------------------------------------------------------------------------- orders

    async def _carry_out(self, orders: Sequence[Order], before: int, done: int) -> None:
        last = max((i for i, order in enumerate(orders) if order.kind == said.RETOPIC), default=-1)
        for i, order in enumerate(orders):
            if order.kind == said.RETOPIC and i < last:
                continue  # the last one counts
            try:
                await self._do(order, before + i + 1, done)
            except FocusCrawlError as error:
                logger.error("order %(kind)s: %(error)s", {"kind": order.kind, "error": error})
            except Exception:
                # Orders stay: one that no worker can carry out must not keep those from crawling that come later.
                logger.exception("order %(kind)s: it cannot be carried out", {"kind": order.kind})

    async def _do(self, order: Order, number: int, done: int) -> None:
        session, args = self.session, order.args
        old = self._first and not self.board.shared  # given to an earlier process of this run
        if order.kind in (said.PAUSE, said.RESUME) and not old:
            self._pause(order.kind == said.PAUSE)
        elif order.kind == said.STOP and not old:
            logger.info("told to stop")
            session.stop("stopped")
        elif order.kind == said.SET:
            checked = said.set_limit(f"{args['name']}={args['value']}").args
            session.set_limit(checked["name"], checked["value"])
            logger.info("%(name)s is %(value)s now", checked)
        elif order.kind == said.BAN:
            self._ban(said.ban_host(str(args["host"])).args["host"])
        elif order.kind == said.SEEDS:
            entries, _ = session.step.seed_entries([str(url) for url in args["urls"]])
            session.task.push(entries)
            logger.info("%(n)d more seeds", {"n": len(entries)})
        elif order.kind == said.RETOPIC:
            await self._retopic(order, number, done)

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

    async def _retopic(self, order: Order, number: int, done: int) -> None:
        session = self.session
        spec = unpack_topic(order.args)
        plan, config = session.plan, session.config
        choices = StepChoices(strategy=plan.strategy, extractor=config.extractor, seed=config.seed)
        loop = asyncio.get_running_loop()
        step = await loop.run_in_executor(None, change_topic, session.step, spec, choices)
        session.change_step(step)
        if self.learning is not None:
            self.learning.changed_topic(step)
        self._topic_order = number
        if number <= done and isinstance(self._frontier, SqliteFrontier):
            states = await self._frontier.call(lambda db: db.states())
            judge = states.get("judge") or {}
            if judge.get("topic") == step.judge.snapshot().get("topic"):
                step.restore(states, ())
        if self._scoring is not None:
            self._scoring.cancel()
            self._scoring = None
        entries, _ = step.seed_entries(spec.seed_urls())
        session.task.push(entries)
        logger.info("the topic is %(topic)s now (%(version)s)", {"topic": spec.name, "version": step.topic.version})

    async def _score_queue(self, number: int) -> None:
        """Score all queued links by the new topic, a few at a time."""
        try:
            if self.board.shared:
                await asyncio.sleep(_ALL_HEARD_S)
            count = await self._scored_anew(self.session.step)
            await self.board.mark_done(number)
        except FocusCrawlError as error:
            if self.board.shared:
                self.session.fail(error)
            else:
                logger.error("order %(kind)s: %(error)s", {"kind": said.RETOPIC, "error": error})
        except Exception:
            # Not again: it would fail as before, once a second.
            logger.exception("the queue could not be scored by the new topic; its links keep their scores")
        else:
            self._scoring = None
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
        batches = self.board.queued()
        if batches is not None:
            async for batch in batches:
                yield batch
            return
        everything = [entry async for entry in self._frontier.entries(limit=1 << 40)]
        for at in range(0, len(everything), 1000):
            yield everything[at : at + 1000]
