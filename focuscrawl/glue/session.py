"""One crawl: topic, page step, run folder, frontier and stores, from its start to its summary.

Built by the spider's arguments or the project's settings when Scrapy opens the scheduler, found by every component
with `session_of`. The scheduler opens and closes it; callbacks and middlewares hand it answers and failures.
"""

from __future__ import annotations

import asyncio
import logging
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from focuscrawl.config import FocusConfig
from focuscrawl.crawler import garbage
from focuscrawl.crawler.arguments import CrawlArguments
from focuscrawl.crawler.backends import make_channel, make_frontier
from focuscrawl.crawler.control import CrawlControl
from focuscrawl.crawler.endings import ERROR, FOR_ALL, Ending, Standing, ending_of, limit_reached
from focuscrawl.crawler.frontier_loop import FrontierLoop, LoopHooks, LoopOptions
from focuscrawl.crawler.host_backoff import HostBackoff
from focuscrawl.crawler.plan import CrawlPlan, make_plan
from focuscrawl.crawler.recovery import recover
from focuscrawl.crawler.run_output import RunOutput
from focuscrawl.crawler.step import Fetched, PageStep, StepResult
from focuscrawl.errors import ConfigError, FocusCrawlError
from focuscrawl.fleet.channel import ControlChannel
from focuscrawl.fleet.folder_channel import FolderChannel
from focuscrawl.frontier.base import Frontier
from focuscrawl.frontier.fleet import FleetFrontier, FleetTotals
from focuscrawl.glue import compat
from focuscrawl.glue.given_settings import given_settings
from focuscrawl.records import Lease, Outcome, PageRecord, Settlement
from focuscrawl.storage.base import Answer

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

logger = logging.getLogger(__name__)

_sessions: WeakKeyDictionary[Crawler, CrawlSession] = WeakKeyDictionary()


def session_of(crawler: Crawler) -> CrawlSession:
    """Return the session of a crawler, made on first use.

    Raises
    ------
    ConfigError
        If a ``FOCUSCRAWL_…`` setting is wrong.
    """
    session = _sessions.get(crawler)
    if session is None:
        session = _sessions[crawler] = CrawlSession(crawler)
    return session


class CrawlSession:
    """Everything of one crawl; see the module's docstring."""

    def __init__(self, crawler: Crawler, *, clock: Callable[[], float] = time.time) -> None:
        self.crawler = crawler
        self.clock = clock
        self.config = FocusConfig.from_settings(crawler.settings)
        self.error: FocusCrawlError | None = None
        self.ending: Ending | None = None
        self.started_at = clock()
        self.files: RunOutput | None = None
        self._plan: CrawlPlan | None = None
        self._step: PageStep | None = None
        self._frontier: Frontier | None = None
        self.fleet: FleetFrontier | None = None  # the frontier, when other workers share it
        self._totals: FleetTotals | None = None  # of all workers
        self._task: FrontierLoop | None = None
        self._hosts: HostBackoff | None = None
        self.control: CrawlControl | None = None  # once open
        self.step_changed: list[Callable[[PageStep], None]] = []  # told of another topic
        self._answers: list[Answer] = []  # to be archived
        self._closing: asyncio.Task[None] | None = None
        self.waiting: Callable[[], bool] = bool  # whether requests with a lease wait in the scheduler
        self._why = ""  # set before the spider is asked to close
        self._pages_before = 0

    # --------------------------------------------------------------- parts, once open

    @property
    def plan(self) -> CrawlPlan:
        """What is to be crawled."""
        assert self._plan is not None
        return self._plan

    @property
    def step(self) -> PageStep:
        """The page step."""
        assert self._step is not None
        return self._step

    @property
    def task(self) -> FrontierLoop:
        """The loop to the frontier."""
        assert self._task is not None
        return self._task

    @property
    def hosts(self) -> HostBackoff:
        """When which host is asked again."""
        assert self._hosts is not None
        return self._hosts

    @property
    def is_open(self) -> bool:
        """Tell whether the crawl has begun."""
        return self._task is not None

    # ------------------------------------------------------------------- open, close

    async def open(self, arguments: CrawlArguments, *, own_spider: bool = False) -> None:
        """Read the topic, take up or make the run folder, open the frontier, queue the seeds.

        Parameters
        ----------
        own_spider
            The spider is the project's own: it brings its start requests, and the topic's seeds are left alone.

        Raises
        ------
        FocusCrawlError
            With a sentence for people, when the crawl cannot start; nothing is left open or locked then.
        """
        settings = self.crawler.settings
        concurrency = settings.getint("CONCURRENT_REQUESTS") or 16
        self._plan = plan = make_plan(arguments, self.config, own_spider=own_spider)
        self._step = step = plan.step
        self.files = files = RunOutput(plan, self.config)
        overrides = given_settings(settings)
        try:
            files.open(step, overrides=overrides)
            frontier = make_frontier(self.config, settings, db=files.folder.db, topic=plan.spec.name)
            self._frontier = frontier
            self.fleet = frontier if isinstance(frontier, FleetFrontier) else None
            if self.fleet is not None:
                self.fleet.page_limit = plan.pages
            await frontier.open()
        except BaseException:
            files.abandon()
            raise
        try:
            if self.fleet is not None:
                await recover(files, self.fleet, step, overrides=overrides)
            self._pages_before = step.counters.pages
            await self._begin(frontier, concurrency, own_spider=own_spider)
        except BaseException:
            await frontier.close()
            files.abandon()
            raise
        garbage.relax()
        self.started_at = self.clock()

    async def _begin(self, frontier: Frontier, concurrency: int, *, own_spider: bool) -> None:
        settings, plan = self.crawler.settings, self.plan
        entries, bad = self.step.seed_entries(plan.seeds)
        for url in bad:
            logger.warning("seed %(url)s cannot be crawled: it is no http or https URL", {"url": url})
        if plan.seeds and not entries and not plan.folder.resumed and not own_spider:
            raise ConfigError(f"{plan.source}: none of its seeds can be crawled: expected http or https URLs.")
        per_host = settings.getint("CONCURRENT_REQUESTS_PER_DOMAIN") or concurrency
        self._task = FrontierLoop(
            frontier,
            LoopOptions(
                concurrency=concurrency,
                buffer=self.config.buffer_size(concurrency),
                per_host=per_host,
                lease_s=self.config.lease_s,
                patience_s=self.config.patience_s,
                worker=f"{os.uname().nodename}:{os.getpid()}",
            ),
            LoopHooks(
                ready=lambda: compat.wake_engine(self.crawler),
                allowed=self._allowed,
                keep=self._keep,
                settled=self._settled,
                failed=self.fail,
                lost=lambda lease: self.give_up(lease, Outcome.FAILED, "lost: a component dropped the request"),
                active=lambda: self.waiting() or compat.engine_is_active(self.crawler),
            ),
            clock=self.clock,
        )
        self._hosts = HostBackoff(
            self.task,
            self.config,
            self.give_up,
            delay_s=settings.getfloat("DOWNLOAD_DELAY"),
            raise_slot=lambda host, delay_s: compat.raise_slot_delay(self.crawler, host, delay_s),
            clock=self.clock,
        )
        self.task.push(entries)
        self.control = CrawlControl(
            self, frontier, self._channel(), worker=self.fleet.worker if self.fleet is not None else ""
        )
        await self.control.start()
        self.task.start()

    async def close(self, reason: str) -> None:
        """Settle what has gathered, give back the leases, write the report; `reason` is Scrapy's."""
        if self._task is None or self.files is None:
            return
        garbage.restore()
        try:
            await self._task.close()
        except FocusCrawlError as error:
            self.error = self.error or error
        if self.control is not None:
            await self.control.close()
        files = self.files
        loop = asyncio.get_running_loop()
        try:
            await loop.run_in_executor(None, files.acknowledge)
        except FocusCrawlError as error:
            self.error = self.error or error
        if self.fleet is not None:
            self.fleet.remembered = not files.acknowledged
        assert self._frontier is not None
        try:
            if self.error is None:
                self.task.queued = (await self._frontier.stats()).queued
        except FocusCrawlError as error:
            self.error = error
        try:
            await self._frontier.close()
        except FocusCrawlError as error:
            self.error = self.error or error
        self.ending = self._ending(reason)
        await loop.run_in_executor(
            None,
            lambda: files.close(self.ending.reason, self.ending.detail),  # type: ignore[union-attr]
        )

    # ------------------------------------------------------------------------- pages

    def page(
        self, fetched: Fetched, lease: Lease, *, process: Callable[[Fetched, Lease], StepResult] | None = None
    ) -> StepResult | None:
        """Process a fetched page, with the page step or with `process`, and settle it.

        None when its lease has been ended already, or when processing failed: the URL is then refused.
        """
        result = self.processed(fetched, lease, process=process)
        if result is not None:
            self.archive(fetched, result.record)
            self.settle(result)
        return result

    def processed(
        self, fetched: Fetched, lease: Lease, *, process: Callable[[Fetched, Lease], StepResult] | None = None
    ) -> StepResult | None:
        """Process a fetched page as `page` does, and leave it to the caller to settle it."""
        if not self.task.holds(lease):
            return None
        try:
            return (process or self.step.process)(fetched, lease)
        except Exception as error:
            # A fault of a plug-in or of ours: another fetch would meet it again, and the crawl has to go on.
            logger.exception("%(url)s could not be processed", {"url": fetched.url})
            why = f"could not be processed: {type(error).__name__}"
            self.give_up(lease, Outcome.REFUSED, why, status=fetched.status, url=fetched.url)
            return None

    def archive(self, fetched: Fetched, record: PageRecord) -> None:
        """Note the answer of a page, when a store archives it, to be written before the page is settled."""
        if self.files is not None and self.files.archives(record):
            self._answers.append(Answer(record, fetched.url, fetched.status, fetched.headers, fetched.body))

    def settle(self, result: StepResult) -> None:
        """Settle what the page step made of a page."""
        lease = result.settlement.lease
        settlement = self.control.numbered(result.settlement) if self.control is not None else result.settlement
        self.task.settle(settlement, result.offsets, result.rescores)
        self.hosts.answered(lease.entry.host, result.record.final_url)
        self.stop_if_done()

    def give_up(
        self, lease: Lease, outcome: Outcome, reason: str, *, status: int = 0, url: str = "", host_failed: bool = False
    ) -> None:
        """Settle a fetch that gave no page.

        Parameters
        ----------
        host_failed
            The host did not answer, or failed: it is left alone for a while, longer each time.
        """
        if not self.task.holds(lease):
            return
        host = lease.entry.host
        if host_failed:
            self.hosts.back_off(host)
        else:
            self.hosts.answered(host)
        now = self.clock()
        result = self.step.failed(lease, outcome=outcome, reason=reason, status=status, fetched_at=now, url=url)
        settlement = self.control.numbered(result.settlement) if self.control is not None else result.settlement
        self.task.settle(settlement, result.offsets)
        self.stop_if_done()

    def refused_now(self, lease: Lease) -> bool:
        """Settle a link that is not to be fetched any more: its host does not exist, or was banned."""
        if self.hosts.refuses(lease):
            return True
        host = lease.entry.host
        if not self.step.scope.is_banned(host):
            return False
        self.give_up(lease, Outcome.REFUSED, "host is banned")
        if self.control is not None and self.control.drains(host):
            self.task.drain(host)  # else thousands of queued links would end at one a second
        return True

    # --------------------------------------------------------------- commands: control.py

    def _channel(self) -> ControlChannel:
        if self.fleet is None:
            return FolderChannel(self.plan.folder.path)
        return make_channel(self.config, self.crawler.settings, topic=self.plan.spec.name, worker=self.fleet.worker)

    def change_step(self, step: PageStep) -> None:
        """Go on with another page step: that of another topic."""
        self._step = step
        self._plan = replace(self.plan, step=step)
        for tell in self.step_changed:
            tell(step)

    def set_limit(self, name: str, value: float) -> None:
        """Change a limit: pages, minutes, relevant or min_harvest; the first three are none with 0."""
        if name == "min_harvest":
            self.config = self.config.model_copy(update={name: value})
        elif name == "pages":
            self._plan = replace(self.plan, pages=int(value))
        elif name == "relevant":
            self._plan = replace(self.plan, relevant=int(value))
        elif name == "minutes":
            self._plan = replace(self.plan, minutes=value)
        if self.fleet is not None:
            self.fleet.page_limit = self.plan.pages
        self.stop_if_done()
        self.task.push(())  # wakes it up: there may be room now

    # ---------------------------------------------------------------------- stopping

    def stop_if_done(self) -> None:
        """Close the spider when a limit is reached."""
        if self._why:
            return
        ending = self._limit_reached()
        if ending is not None:
            self._close_spider(ending)

    def stop(self, reason: str, detail: str = "") -> None:
        """Close the spider for a reason of ours."""
        if not self._why:
            self._close_spider(Ending(reason, detail), told=True)

    def _limit_reached(self) -> Ending | None:
        totals, floor = self._totals, self.config.min_harvest
        standing = Standing(
            self._pages,
            max(self.step.counters.stored, totals.relevant if totals else 0),
            self.clock() - self.started_at,
            self._harvest() if floor else None,
        )
        return limit_reached(self.plan, standing, min_harvest=floor)

    def _harvest(self) -> float | None:
        """Return the harvest of the last 100 pages, those of all workers; None while there are fewer."""
        if self.fleet is not None:
            return self.control.harvest if self.control is not None else None
        counters = self.step.counters
        full = counters.full_window and counters.pages > self._pages_before
        return counters.progress().harvest_recent if full else None

    def _close_spider(self, ending: Ending, *, told: bool = False) -> None:
        self._why = reason = ending.reason
        self.ending = ending
        self.task.stop_leasing()
        if reason in FOR_ALL and not told and self.control is not None:
            self.control.stop_all(reason, ending.detail)
        engine = compat.running_engine(self.crawler)
        if engine is not None and engine.spider is not None:
            self._closing = asyncio.get_running_loop().create_task(engine.close_spider_async(reason=reason))

    def _allowed(self, under_way: int) -> int:
        """Never more under way than the budget has left."""
        if self._why:
            return 0
        if self.plan.minutes:
            self.stop_if_done()  # time passes without pages, too
        pages = self.plan.pages
        return pages - self._pages - under_way if pages else 1 << 30

    @property
    def _pages(self) -> int:
        """Pages fetched: by this worker, or by all of them as far as is known."""
        return max(self.step.counters.pages, self._totals.pages if self._totals else 0)

    def take_totals(self, totals: FleetTotals, *, changes: int) -> None:
        """Take note of what all workers have done, `changes` as of when it was asked for."""
        self._totals = totals
        self.task.take_totals(totals, changes=changes)
        self.stop_if_done()

    def _ending(self, scrapy_reason: str) -> Ending:
        if self.error is not None:
            return Ending(ERROR, str(self.error), 1)
        if self.ending is not None:
            return self.ending
        nothing = self.step.counters.reasons
        return ending_of(scrapy_reason, pages=self._pages, queued=self.task.queued, nothing=nothing)

    # ------------------------------------------------------------------- the frontier

    async def _keep(self, settlements: Sequence[Settlement]) -> None:
        if self.files is None:
            return
        loop = asyncio.get_running_loop()
        if self._answers:
            answers, self._answers = self._answers, []
            await loop.run_in_executor(None, self.files.archive, answers)
        if self.fleet is not None:
            await loop.run_in_executor(None, self.files.keep, settlements)

    async def _settled(self, settlements: Sequence[Settlement], valid: Sequence[bool]) -> None:
        if self.control is not None:
            self.control.settled([one for one, is_valid in zip(settlements, valid, strict=True) if is_valid])
        if self.files is not None and self.files.wants(settlements):
            await asyncio.get_running_loop().run_in_executor(None, self.files.settled, settlements, valid)

    def fail(self, error: FocusCrawlError) -> None:
        """Close the spider: the frontier, or the control channel of the fleet, cannot go on."""
        logger.error("%(error)s", {"error": error})
        self.error = error
        if not self._why:
            self._close_spider(Ending(ERROR, str(error)))
