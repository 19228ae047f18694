"""A crawl without a downloader: it hands out leases and takes what became of them.

Whoever downloads asks for the next lease, and gives back a page or a failure; a running crawl takes `orders`. What
happens meanwhile is told by `news`, to be waited for, and by the crawl's state: nothing is called back. One task of its
own runs the loop to the frontier. Knows asyncio, no Scrapy.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

from focuscrawl.config import FocusConfig
from focuscrawl.crawler import garbage
from focuscrawl.crawler.endings import ERROR, FOR_ALL, Ending
from focuscrawl.crawler.feed_reader import FeedReader
from focuscrawl.crawler.feed_watch import FeedSchedule
from focuscrawl.crawler.fetch_failure import LOST, NO_SUCH_HOST, NO_TUNNEL, FetchFailure
from focuscrawl.crawler.fetched import Fetched
from focuscrawl.crawler.frontier_loop import FrontierLoop
from focuscrawl.crawler.host_backoff import HostBackoff
from focuscrawl.crawler.learning import FleetLearning
from focuscrawl.crawler.limits import Limits
from focuscrawl.crawler.links_beside import LinksBeside
from focuscrawl.crawler.loop_options import LoopOptions
from focuscrawl.crawler.names import UnresolvedNames
from focuscrawl.crawler.orders import Orders
from focuscrawl.crawler.plan import CrawlPlan
from focuscrawl.crawler.readers import PageReaders, ReaderError, ReadersClosedError, takes
from focuscrawl.crawler.refresh_round import RefreshRound
from focuscrawl.crawler.revisits import Revisits
from focuscrawl.crawler.run_output import RunOutput
from focuscrawl.crawler.setbacks import Setbacks
from focuscrawl.crawler.step import PageStep
from focuscrawl.crawler.step_result import StepResult
from focuscrawl.crawler.tunnels import Tunnels
from focuscrawl.crawler.watchdog import TooSlowError, Watchdog
from focuscrawl.errors import PLUGIN_FAULTS, ConfigError, FocusCrawlError, FrontierError
from focuscrawl.frontier.base import Frontier
from focuscrawl.frontier.fleet import FleetFrontier, FleetTotals
from focuscrawl.plugins import faults_told
from focuscrawl.records import Entry, Lease, Outcome, Settlement
from focuscrawl.storage.unasked import BANNED
from focuscrawl.types import UrlKey

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Network:
    """Numbers of downloads at once, in all and a host."""

    concurrency: int = 16  # requests in all
    per_host: int = 16  # of one host
    delay_s: float = 0.0  # between two requests to a host


class Crawl:
    """See the module's docstring; made by `focuscrawl.crawler.opening.open_crawl`.

    Parameters
    ----------
    plan, config
        What is to be crawled, and how.
    network
        How much is downloaded at once.
    frontier, fleet
        Where links wait, open; the second is the same when other workers share it.
    output
        The run folder and the stores, open.
    clock
        Gives the time in Unix seconds.
    """

    def __init__(
        self,
        plan: CrawlPlan,
        config: FocusConfig,
        network: Network,
        *,
        frontier: Frontier,
        fleet: FleetFrontier | None,
        output: RunOutput,
        worker: str,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.plan = plan
        self.config = config
        self.clock = clock
        self.step: PageStep = plan.step
        self.frontier = frontier
        self.fleet = fleet
        self.output = output
        self.limits = Limits(
            plan.step.counters,
            pages=plan.pages,
            relevant=plan.relevant,
            minutes=plan.minutes,
            min_harvest=config.min_harvest,
        )
        self.loop = FrontierLoop(
            frontier,
            LoopOptions(
                concurrency=network.concurrency,
                buffer=config.buffer_size(network.concurrency),
                per_host=network.per_host,
                lease_s=config.lease_s,
                patience_s=config.patience_s,
                worker=worker,
            ),
            self.limits,
            output,
            clock=clock,
        )
        self.watchdog = Watchdog(config.max_page_cpu_s)
        self.hosts = HostBackoff(config, delay_s=network.delay_s)
        self.tunnels = Tunnels()
        self.names = UnresolvedNames(config.host_backoff_s)
        self.setbacks = Setbacks(self)
        self.learning = FleetLearning(plan.step, fleet.worker) if fleet is not None else None
        self.revisits = Revisits()
        self.refresh: RefreshRound | None = None  # of a crawl that visits pages again
        self.readers: PageReaders | None = None
        if config.extract_processes:
            self.readers = PageReaders(config.extract_processes, config.extractor, cpu_s=config.max_page_cpu_s)
            self.readers.use(plan.step, plan.spec)
        self.feeds: FeedReader | None = None
        if plan.feeds:
            self.feeds = FeedReader(plan.step, plan.feeds, plan.folder, config, clock)
        self.watch: FeedSchedule | None = None  # of feeds that are asked again
        self.ending: Ending | None = None  # once it is to end
        self.ending_for_all: Ending | None = None  # that the other workers of a fleet have to be told
        self.error: FocusCrawlError | None = None  # that ended it
        self.started_at = clock()
        self.orders = Orders(self)
        self._beside = LinksBeside(config.patience_s)
        self._news = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    # ------------------------------------------------------------- what a downloader calls

    def next(self) -> Lease | None:
        """Return the best lease at hand, None when there is none now; it never waits."""
        while (lease := self.loop.take()) is not None:
            host = lease.entry.host
            asked_anyway = lease.entry.origin.has_errback  # of failures that are known beforehand: it takes their error
            now = self.clock()
            if self.names.is_unknown(lease.entry.url, now=now) and not asked_anyway:
                self.setbacks.give_up(lease, FetchFailure(Outcome.REFUSED, NO_SUCH_HOST))
            elif (wait_s := self.names.wait_s(lease.entry.url, now=now)) > 0.0:
                self.loop.release(lease, delay_s=wait_s)
            elif self.step.scope.is_banned(host):
                self.setbacks.give_up(lease, FetchFailure(Outcome.REFUSED, BANNED))
                self.orders.drain(host)
            elif lease.entry.origin.earlier is not None:
                return self.setbacks.asking(lease)
            elif self.tunnels.is_closed(lease.entry.url) and not asked_anyway:
                self.setbacks.give_up(lease, FetchFailure(Outcome.REFUSED, NO_TUNNEL))
            elif spent := self._is_spent(lease.entry):
                self.setbacks.give_up(lease, FetchFailure(Outcome.REFUSED, spent))
            elif (score := self.step.deferred(lease.entry, self._others_than(lease))) is not None:
                self.loop.defer(lease, score)
            else:
                return self.setbacks.asking(lease)
        return None

    def _others_than(self, lease: Lease) -> list[Lease]:
        return [other for other in self.loop.leases if other is not lease]

    def page(self, fetched: Fetched, lease: Lease, *, settle: bool = True) -> StepResult | None:
        """Process a fetched page, and settle its lease.

        None when the lease has been ended already, or when processing failed or took too long: the URL is then refused.

        Parameters
        ----------
        settle
            Whether to settle at once; otherwise the caller does so, with `settle`.
        """
        if not self.loop.holds(lease):
            return None
        try:
            result = self.watchdog.run(self._process, fetched, lease)
        except (*PLUGIN_FAULTS, TooSlowError, KeyboardInterrupt) as error:  # of code: Ctrl-C comes as a signal
            self._unreadable(lease, fetched, error)
            return None
        if self.plan.keeps_pages:
            self.output.note_answer(fetched, result.record)
        else:
            result = result.without_texts()
        if settle:
            self.settle(result)
        return result

    async def read(self, fetched: Fetched, lease: Lease, *, settle: bool = True) -> StepResult | None:
        """Process a fetched page as `page` does, its reading in another process where the crawl has some for it.

        A feed is parsed beside the event loop.
        """
        if self.loop.holds(lease):
            try:
                if self.readers is not None and takes(fetched, lease):
                    fetched = replace(fetched, read=await self.readers.read(self.step, fetched))
                elif self.feeds is not None:
                    fetched = await self.feeds.read(fetched, lease)
            except ReadersClosedError:
                return None  # its lease goes back
            except ConfigError as error:
                self.fail(error)
                return None
            except (*PLUGIN_FAULTS, TooSlowError, KeyboardInterrupt) as error:  # the judge is in this process
                self._unreadable(lease, fetched, error)
                return None
        return self.page(fetched, lease, settle=settle)

    def _process(self, fetched: Fetched, lease: Lease) -> StepResult:
        process = (self.feeds or self.step).process
        if lease.entry.origin.earlier is None:
            return process(fetched, lease)
        return self.revisits.page(self.step, process, fetched, lease)

    def _unreadable(self, lease: Lease, fetched: Fetched, error: BaseException) -> None:
        """Refuse a page for a fault of its own, of a plug-in or of ours: another fetch would meet it again."""
        url, why = fetched.url, str(error)
        if isinstance(error, TooSlowError):
            logger.error("%(url)s: %(error)s", {"url": url, "error": error})
        elif isinstance(error, ReaderError):
            self.step.faults.note(f"{url}: {error}", error, trace=error.trace)
        else:
            self.step.faults.note(f"{url} could not be processed: {error}", error)
            why = f"could not be processed: {type(error).__name__}"
        self.step.texts.forget(lease.entry.key)  # else later pages of this text would repeat one that is not there
        self.setbacks.failed(lease, FetchFailure(Outcome.REFUSED, why, fetched.status), url=fetched.url)

    def settle(self, result: StepResult) -> None:
        """Settle what `page` has made of a page."""
        self.hosts.answered(result.settlement.lease.entry.host)
        self.hosts.answered(result.record.host)
        self.names.resolved(result.record.final_url)
        self.tunnels.opened(result.record.final_url)
        self.end_lease(result)

    def end_lease(self, result: StepResult) -> None:
        """Settle the end of a lease, with a page or without."""
        settlement = result.settlement
        if self.setbacks.is_last(settlement.lease, settlement.outcome):
            self.hosts.ended(settlement.lease.entry.key)
        if self.learning is not None:
            settlement = self.learning.numbered(settlement)
        if self.watch is not None:
            settlement = self.watch.settled(settlement)
        self.loop.settle(settlement, result.offsets, result.rescores)
        self.check_limits()

    def has_fetched(self, key: UrlKey) -> bool:
        """Tell whether this run has a page of the URL."""
        return self.step.has_fetched(key)

    def push(self, entries: Iterable[Entry]) -> None:
        """Queue links."""
        self.loop.push(entries)

    async def news(self) -> None:
        """Wait until there are leases to take, nothing is left to do, or the crawl is to end."""
        await self._news.wait()
        self._news.clear()

    @property
    def has_work(self) -> bool:
        """Tell whether a lease may still come."""
        return self.loop.has_work or (self.ending is None and self._beside.may_come)

    @contextmanager
    def bringing_links(self) -> Iterator[None]:
        """Keep the crawl from running out of links while a block looks for more beside it, as in sitemaps."""
        try:
            with self._beside.search():
                yield
        finally:
            self._news.set()

    # --------------------------------------------------------------------------- ending

    def stop(self, ending: Ending, *, told: bool = False) -> None:
        """End the crawl; what is under way goes on.

        Parameters
        ----------
        told
            A command says so, which all workers of a fleet have.
        """
        if self.ending is not None:
            return
        self.ending = ending
        self.limits.ended = True
        self.loop.stop_leasing()
        if self.fleet is not None and ending.reason in FOR_ALL and not told:
            self.ending_for_all = ending
        self._news.set()

    def fail(self, error: FocusCrawlError) -> None:
        """End the crawl for an error: the frontier, the output or the control channel cannot go on."""
        if str(error) != str(self.error):  # of a Redis the queue and the heartbeat tell the same
            logger.error("%(error)s", {"error": error})
        self.error = error
        self.stop(Ending(ERROR, str(error)))
        self._news.set()

    def take_totals(self, totals: FleetTotals, *, changes: int) -> None:
        """Take note of what all workers have done.

        Parameters
        ----------
        changes
            What `FrontierLoop.changes` was when they were asked for.
        """
        self.limits.totals = totals
        self.loop.take_totals(totals, changes=changes)
        self.check_limits()
        if self.loop.is_ready:
            self._news.set()

    def check_limits(self) -> None:
        """End the crawl when a limit is reached."""
        if self.ending is not None:
            return
        if self.refresh is not None and self.refresh.is_over(self.revisits.seen.total()):
            self.refresh.go_on(self)
        ending = self.limits.reached(self._harvest() if self.limits.min_harvest else None)
        if ending is not None:
            # The end of a round is seen by all who take part in it, and is no command to those who crawl.
            self.stop(ending, told=self.refresh is not None)

    # -------------------------------------------------------------------- start and end

    def start(self) -> None:
        """Start the loop to the frontier."""
        garbage.relax()
        self.started_at = self.clock()
        self.limits.start()
        self._task = asyncio.get_running_loop().create_task(self._run())

    async def finish(self) -> None:
        """End the loop: settle what has gathered and give back the leases; what fails is the crawl's error."""
        garbage.restore()
        self.loop.close()
        if self._task is not None:
            await self._task
        try:
            with faults_told("frontiers", self.config.frontier, "cannot settle the last pages", error=FrontierError):
                self._settled(await self.loop.finish())
        except FocusCrawlError as error:
            self.error = self.error or error
        if self.readers is not None:
            self.readers.close()

    # ------------------------------------------------------------------------- private

    async def _run(self) -> None:
        try:
            while not self.loop.is_closing:
                if self.watch is not None and self.ending is None:
                    polls = await self.watch.poll()
                    if self.refresh is not None:
                        self.refresh.wanted += polls
                turn = await self.loop.turn()
                self._settled(turn.settled)
                self._beside.note(idle=not self.loop.has_work)
                if self.refresh is not None and turn.settled and not self.loop.in_flight:
                    await self.refresh.poll()  # its last visit may have ended
                for lease in turn.lost:
                    self.setbacks.failed(lease, LOST)
                self.check_limits()  # time passes without pages, too
                if self.loop.is_ready:
                    self._news.set()
                await self.loop.wait()
        except FocusCrawlError as error:
            self.fail(error)
        except PLUGIN_FAULTS as error:
            logger.exception("the frontier failed")
            self.fail(FrontierError(f"The frontier failed: {type(error).__name__}: {error}"))

    def _harvest(self) -> float | None:
        """Return the harvest of the last 100 pages, those of all workers; None where it is not known."""
        if self.learning is None:
            return self.limits.harvest()
        return self.learning.harvest if self.learning.trainer else None

    def _settled(self, settlements: Sequence[Settlement]) -> None:
        if self.learning is not None:
            self.learning.settled(settlements)

    def _is_spent(self, entry: Entry) -> str:
        """Return why a link is dropped that was queued before its budget was spent several times, '' when it is not."""
        return self.step.budgets.refusal(entry.url, entry.host) if entry.origin.parent is not None else ""
