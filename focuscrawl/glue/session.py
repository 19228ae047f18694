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
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from focuscrawl.config import FocusConfig
from focuscrawl.engine.step import Fetched, PageStep, StepResult
from focuscrawl.errors import ConfigError, FocusCrawlError
from focuscrawl.fleet.board import Board
from focuscrawl.fleet.folder_board import FolderBoard
from focuscrawl.frontier.base import Frontier, Lease, Outcome, Settlement
from focuscrawl.frontier.fleet import FleetFrontier, FleetState, fleet_of
from focuscrawl.glue import compat, garbage
from focuscrawl.glue.arguments import CrawlArguments
from focuscrawl.glue.control import CrawlControl
from focuscrawl.glue.failures import NO_SUCH_HOST, Fate
from focuscrawl.glue.fleet import make_board, make_frontier
from focuscrawl.glue.frontier_task import FrontierTask, TaskHooks, TaskOptions
from focuscrawl.glue.plan import CrawlPlan, make_plan
from focuscrawl.glue.run_files import RunFiles
from focuscrawl.glue.takeover import begin_worker
from focuscrawl.storage.base import Answer, PageRecord

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

logger = logging.getLogger(__name__)

# Reasons a crawl stops, as they are stored and shown (front door, section 4).
BUDGET = "budget"
EXHAUSTED = "exhausted"
HARVEST = "harvest too low"
STOPPED = "stopped"
ERROR = "error"
# Reasons that end the crawl of all workers, not only of this one.
_FOR_ALL = frozenset({BUDGET, HARVEST})
# Scrapy's reasons for a spider that closes, in our words.
_REASONS = {"finished": EXHAUSTED, "shutdown": STOPPED, "cancelled": STOPPED, "start_error": ERROR}
# A URL may come back this often with "not now" before it counts as failed.
_MAX_RELEASES = 5

# A name that cannot be resolved so often in a row does not exist.
_MAX_LOOKUPS = 3

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


@dataclass(frozen=True, slots=True)
class Ending:
    """How a crawl ended."""

    reason: str
    detail: str = ""
    exit_code: int = 0


class CrawlSession:
    """Everything of one crawl; see the module's docstring."""

    def __init__(self, crawler: Crawler, *, clock: Callable[[], float] = time.time) -> None:
        self.crawler = crawler
        self.clock = clock
        self.config = FocusConfig.from_settings(crawler.settings)
        self.error: FocusCrawlError | None = None
        self.ending: Ending | None = None
        self.started_at = clock()
        self.files: RunFiles | None = None
        self._plan: CrawlPlan | None = None
        self._step: PageStep | None = None
        self._frontier: Frontier | None = None
        self.fleet: FleetFrontier | None = None  # the frontier, when other workers share it
        self._fleet_state: FleetState | None = None
        self._task: FrontierTask | None = None
        self.control: CrawlControl | None = None  # once open
        self.step_changed: list[Callable[[PageStep], None]] = []  # told of another topic
        self._answers: list[Answer] = []  # to be archived
        self._releases: dict[int, int] = {}
        self._failures: dict[str, int] = {}  # hosts whose last fetches all failed -> how many
        self._unresolved: dict[str, int] = {}  # scheme and host -> look-ups in a row that failed
        self._delays: dict[str, float] = {}  # hosts with a longer one than the crawl's
        self._delay_s = crawler.settings.getfloat("DOWNLOAD_DELAY")
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
    def task(self) -> FrontierTask:
        """The loop to the frontier."""
        assert self._task is not None
        return self._task

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
        self.files = files = RunFiles(plan, self.config)
        overrides = _overrides(self.crawler)
        try:
            files.open(step, overrides=overrides)
            frontier = make_frontier(self.config, settings, db=files.folder.db, topic=plan.spec.name)
            self._frontier = frontier
            self.fleet = fleet_of(frontier)
            if self.fleet is not None:
                self.fleet.page_limit = plan.pages
            await frontier.open()
        except BaseException:
            files.abandon()
            raise
        try:
            if self.fleet is not None:
                await begin_worker(files, self.fleet, step, overrides=overrides)
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
        self._task = FrontierTask(
            frontier,
            TaskOptions(
                concurrency=concurrency,
                buffer=self.config.buffer_size(concurrency),
                per_host=per_host,
                lease_s=self.config.lease_s,
                patience_s=self.config.patience_s,
                worker=f"{os.uname().nodename}:{os.getpid()}",
            ),
            TaskHooks(
                ready=lambda: compat.wake_engine(self.crawler),
                allowed=self._allowed,
                keep=self._keep,
                settled=self._settled,
                failed=self.fail,
                lost=lambda lease: self.give_up(lease, Outcome.FAILED, "lost: a component dropped the request"),
                active=lambda: self.waiting() or compat.engine_is_active(self.crawler),
                counted=self._counted,
            ),
            clock=self.clock,
        )
        self.task.push(entries)
        self.control = CrawlControl(
            self, frontier, self._board(), worker=self.fleet.worker if self.fleet is not None else ""
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
                stats = await self._frontier.stats()
                self.task.queued = stats.queued
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
        if not self.task.holds(lease):
            return None
        try:
            result = (process or self.step.process)(fetched, lease)
        except Exception as error:
            # A fault of a plug-in or of ours: another fetch would meet it again, and the crawl has to go on.
            logger.exception("%(url)s could not be processed", {"url": fetched.url})
            why = f"could not be processed: {type(error).__name__}"
            self.give_up(lease, Outcome.REFUSED, why, status=fetched.status, url=fetched.url)
            return None
        self.archive(fetched, result.record)
        self.settle(result)
        return result

    def archive(self, fetched: Fetched, record: PageRecord) -> None:
        """Note the answer of a page, when a store archives it, to be written before the page is settled."""
        if self.files is not None and self.files.archives(record):
            self._answers.append(Answer(record, fetched.url, fetched.status, fetched.headers, fetched.body))

    def settle(self, result: StepResult) -> None:
        """Settle what the page step made of a page."""
        lease = result.settlement.lease
        self.task.settle(result.settlement, result.offsets, result.rescores)
        if self.control is not None:
            self.control.judged(result.settlement)
        self._failures.pop(lease.entry.host, None)
        if self._unresolved:
            self._unresolved.pop(_site(result.record.final_url), None)
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
            self.back_off(host)
        else:
            self._failures.pop(host, None)
        now = self.clock()
        result = self.step.failed(lease, outcome=outcome, reason=reason, status=status, fetched_at=now, url=url)
        self.task.settle(result.settlement, result.offsets)
        self.stop_if_done()

    def not_now(self, lease: Lease, reason: str, *, wait_s: float, status: int = 0) -> None:
        """Give a URL back that its host does not want to serve now, and leave the host alone for `wait_s`."""
        if not self.task.holds(lease):
            return
        key = lease.entry.key
        self._releases[key] = self._releases.get(key, 0) + 1
        if self._releases[key] > _MAX_RELEASES:
            del self._releases[key]
            self.give_up(lease, Outcome.REFUSED, reason, status=status)
            return
        if wait_s > 0.0:
            self.task.hold(lease.entry.host, hold_until=self.clock() + min(wait_s, self.config.max_hold_s))
        self.task.release(lease, delay_s=self.config.host_backoff_s)

    def fate(self, lease: Lease, fate: Fate, *, url: str = "") -> None:
        """Settle or give back a lease as `fate` says."""
        if fate.reason == NO_SUCH_HOST:
            self._no_such_host(lease, url or lease.entry.url)
        elif fate.wait_s is not None:
            if fate.host_failed and self.task.holds(lease):
                self.back_off(lease.entry.host)
            self.not_now(lease, fate.reason, wait_s=fate.wait_s, status=fate.status)
        else:
            self.give_up(lease, fate.outcome, fate.reason, status=fate.status, url=url, host_failed=fate.host_failed)

    def refused_now(self, lease: Lease) -> bool:
        """Settle a link that is not to be fetched any more: its host does not exist, or was banned."""
        if self.is_gone(lease.entry.url):
            self.refuse_gone(lease)
        elif self.control is not None and self.control.refuses(lease.entry.host):
            self.give_up(lease, Outcome.REFUSED, "host is banned")
        else:
            return False
        return True

    def is_gone(self, url: str) -> bool:
        """Tell whether the host of `url` does not exist, as far as the last look-ups say."""
        return bool(self._unresolved) and self._unresolved.get(_site(url), 0) >= _MAX_LOOKUPS

    def refuse_gone(self, lease: Lease) -> None:
        """Settle a link to a host that does not exist."""
        self.give_up(lease, Outcome.REFUSED, NO_SUCH_HOST)

    def _no_such_host(self, lease: Lease, url: str) -> None:
        """Look a name up again later, a few times for all its links together; nobody has to be left alone."""
        if not self.task.holds(lease):
            return
        site = _site(url)
        tries = self._unresolved[site] = self._unresolved.get(site, 0) + 1
        if tries >= _MAX_LOOKUPS:
            self.refuse_gone(lease)
        else:
            self.task.release(lease, delay_s=self.config.host_backoff_s * 2.0**tries)

    def count_fetch(self, host: str, *, own: bool = False) -> None:
        """Count a fetch the frontier did not hand out (robots.txt, a redirect) towards the delay of its host.

        Scrapy's own slots keep the requests of this process apart; this keeps the frontier from sending the next one
        into the queue of the slot, where it would hold a place of the downloader while it waits.
        """
        delay_s = self.delay_of(host)
        if delay_s > 0.0:
            self.task.hold(host, hold_until=self.clock() + (2.0 if own else 1.0) * delay_s)

    def delay_of(self, host: str) -> float:
        """Return the seconds between two requests to a host."""
        return self._delays.get(host, self._delay_s)

    def raise_delay(self, host: str, delay_s: float) -> None:
        """Raise the delay of a host, as its robots.txt asks for; a lower one than the crawl's changes nothing."""
        if delay_s > self.delay_of(host):
            self._delays[host] = delay_s
            self.task.hold(host, delay_s=delay_s)
            compat.raise_slot_delay(self.crawler, host, delay_s)

    def back_off(self, host: str) -> None:
        """Leave a host alone that failed twice in a row: the base time, doubled for each failure more."""
        failures = self._failures[host] = self._failures.get(host, 0) + 1
        if failures < 2:
            return  # one bad answer among good ones is the URL's matter
        wait_s = min(self.config.host_backoff_s * 2.0 ** min(failures - 2, 20), self.config.max_hold_s)
        if wait_s > 0.0:
            self.task.hold(host, hold_until=self.clock() + wait_s)

    # ----------------------------------------------------------------- orders: control.py

    def _board(self) -> Board:
        if self.fleet is None:
            return FolderBoard(self.plan.folder.path)
        return make_board(self.config, self.crawler.settings, topic=self.plan.spec.name, worker=self.fleet.worker)

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
        why = self._limit_reached()
        if why:
            self._close_spider(*why)

    def stop(self, reason: str) -> None:
        """Close the spider for a reason of ours."""
        if not self._why:
            self._close_spider(reason, "")

    def _limit_reached(self) -> tuple[str, str] | None:
        counters, plan, fleet = self.step.counters, self.plan, self._fleet_state
        if fleet is not None and fleet.stop:
            return fleet.stop, fleet.detail
        if plan.pages and self._pages >= plan.pages:
            return BUDGET, f"{plan.pages:,} pages"
        if plan.relevant and max(counters.relevant, fleet.relevant if fleet else 0) >= plan.relevant:
            return BUDGET, f"{plan.relevant:,} relevant pages"
        if plan.minutes and self.clock() - self.started_at >= plan.minutes * 60.0:
            return BUDGET, f"{plan.minutes:,} minutes"
        floor = self.config.min_harvest
        recent = self._harvest() if floor else None
        if recent is not None and recent < floor:
            return HARVEST, f"{recent:.0%} of the last 100 pages, below {floor:.0%}"
        return None

    def _harvest(self) -> float | None:
        """Return the harvest of the last 100 pages, those of all workers; None while there are fewer."""
        if self.fleet is not None:
            return self.control.harvest if self.control is not None else None
        counters = self.step.counters
        full = counters.full_window and counters.pages > self._pages_before
        return counters.progress().harvest_recent if full else None

    def _close_spider(self, reason: str, detail: str) -> None:
        self._why = reason
        self.ending = Ending(reason, detail)
        self.task.stop_leasing()
        if reason in _FOR_ALL:
            self.task.tell_all(reason, detail)
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
        return max(self.step.counters.pages, self._fleet_state.pages if self._fleet_state else 0)

    def _counted(self, state: FleetState) -> None:
        """Take note of what all workers have done, and of an order to stop."""
        self._fleet_state = state
        self.stop_if_done()

    def _ending(self, scrapy_reason: str) -> Ending:
        if self.error is not None:
            return Ending(ERROR, str(self.error), 1)
        if self.ending is not None:
            return self.ending
        if scrapy_reason.startswith("closespider_"):
            return Ending(BUDGET, scrapy_reason.removeprefix("closespider_"))
        reason = _REASONS.get(scrapy_reason, scrapy_reason)
        if reason == EXHAUSTED and not self._pages:
            what = "no seed could be fetched"
            reasons = ", ".join(f"{n} × {why}" for why, n in self.step.counters.reasons.most_common(4))
            return Ending(EXHAUSTED, f"{what}: {reasons}" if reasons else what, 1)
        if reason == EXHAUSTED and self.task.queued:
            # Not lost: they are in the frontier, and the run can go on when the hosts answer again.
            waiting = f"{self.task.queued:,} links are left, of hosts that do not answer or want to be left alone"
            return Ending(EXHAUSTED, waiting)
        return Ending(reason, "", 1 if reason == ERROR else 0)

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
        """Close the spider: the frontier, or the board of the fleet, cannot go on."""
        logger.error("%(error)s", {"error": error})
        self.error = error
        if not self._why:
            self._close_spider(ERROR, str(error))


def _site(url: str) -> str:
    """Return scheme and host: through a proxy for http only, https names may not resolve where http ones need not."""
    return "/".join(url.split("/", 3)[:3])


def _overrides(crawler: Crawler) -> dict[str, object]:
    """Return the settings given by the project and on the command line, in what JSON can hold."""
    from scrapy.settings import overridden_settings

    return {str(name): value if _plain(value) else repr(value) for name, value in overridden_settings(crawler.settings)}


def _plain(value: object) -> bool:
    return value is None or isinstance(value, str | int | float | bool)
