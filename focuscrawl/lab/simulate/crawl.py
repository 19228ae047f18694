"""A crawl without a network: the real frontier, judge, scorers and ranker over a recorded web.

The pages come analysed and time is virtual. A real crawl's disorder remains: `pipeline` pages are in flight, each
answer takes a random time, and answers are processed one after the other in the order they arrive, as from a busy
server. A host that asks for a delay in its robots.txt gets it, so a trace also says how long a polite crawl takes.
The order of fetching, and with it every figure, depends on the arguments only. Crawls are chaotic (one page earlier or
later can open another host), so the timing is drawn anew for each seed: only means over seeds and topics are to be
believed, also for strategies that draw nothing themselves.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from time import process_time
from typing import Protocol

from focuscrawl.crawler.fetched import Fetched
from focuscrawl.crawler.step import PageStep
from focuscrawl.crawler.step_result import StepResult
from focuscrawl.extraction.base import Extractor
from focuscrawl.frontier.base import Frontier
from focuscrawl.frontier.memory import MemoryFrontier
from focuscrawl.lab.simulate.files import Answer, WebFiles
from focuscrawl.lab.simulate.robots import RobotsFiles
from focuscrawl.page.model import PageAnalysis
from focuscrawl.records import Lease, Outcome
from focuscrawl.types import HostKey

PIPELINE = 20  # the real crawler's CONCURRENT_REQUESTS (16) and the leases it holds ready beside them (4)
PER_HOST = 16  # CONCURRENT_REQUESTS_PER_DOMAIN of the project's settings
BATCH = 7  # pages settled at once at most: what gathers while the frontier is busy
# 2025-01-01 in Unix time. Any fixed moment serves; a real one keeps dates in records readable.
_STARTED_AT = 1_735_689_600.0
_SERVICE_S = 0.1  # mean time until an answer arrives
_PAGE_S = 0.02  # processing a page, on one core
_LEAST_WAIT_S = 0.05
_LEASE_S = 1e9  # nobody dies in a simulation


@dataclass(frozen=True, slots=True)
class CrawlOptions:
    """Options of a simulated crawl."""

    pages: int  # distinct pages to fetch
    pipeline: int = PIPELINE  # pages in flight
    per_host: int = PER_HOST  # of one host
    batch: int = BATCH  # most pages processed before they are settled together and new ones are leased
    seed: int = 0  # of the timing: how long each answer takes
    obey_robots: bool = True
    wait_per_page_s: float = 1.0  # as the crawl's setting of that name


@dataclass(frozen=True, slots=True)
class CrawlTrace:
    """Result of a simulated crawl."""

    order: tuple[str, ...]  # page identities in order of fetching, each once
    judged: tuple[str, ...]  # page identity of each judgement, in order of processing
    relevant: tuple[bool, ...]  # the judge's verdicts
    predicted: tuple[float, ...]  # probability of being relevant, from before it was judged
    requests: int  # leases worked off, pages and others
    gone: int  # of these, links that leave the web, pages that are missing or no HTML, robots
    cpu_s: float  # of frontier, judging, scoring, ranking; reading, analysing and extracting left out
    stopped: str  # "budget" or "exhausted"
    seconds: float = 0.0  # virtual duration


class Answers(Protocol):
    """Answer to a URL, and the page it is."""

    def answer(self, url: str) -> Answer:
        """Return the answer to a URL, redirects followed."""
        ...

    def identity(self, url: str) -> str | None:
        """Return the page a URL stands for, None when there is none."""
        ...


class Pages(Protocol):
    """The pages of a web, analysed."""

    @property
    def reading_s(self) -> float:
        """CPU time spent on reading, analysing and extracting so far."""
        ...

    @property
    def files(self) -> Answers:
        """The web itself."""
        ...

    @property
    def texts(self) -> Extractor:
        """Extractor of the main content of these pages."""
        ...

    def get(self, answer: Answer) -> PageAnalysis:
        """Return the analysis of a page as it was answered."""
        ...


class _VirtualClock:
    def __init__(self) -> None:
        self.now = _STARTED_AT

    def __call__(self) -> float:
        return self.now


def simulate(
    step: PageStep,
    seeds: Sequence[str],
    pages: Pages,
    *,
    options: CrawlOptions,
    robots: RobotsFiles | None = None,
) -> CrawlTrace:
    """Crawl the web behind `pages` with a fresh `step` (its extractor is the pages' own: their trees are gone)."""
    return asyncio.run(_Simulation(step, pages, options, robots).run(seeds))


class _Simulation:
    def __init__(self, step: PageStep, pages: Pages, options: CrawlOptions, robots: RobotsFiles | None) -> None:
        self.step = step
        self.pages = pages
        self.options = options
        if robots is None and isinstance(pages.files, WebFiles):
            robots = RobotsFiles(pages.files)
        self.robots = robots if options.obey_robots else None
        step.extractor = pages.texts
        step.snapshot_pages = 0  # nobody resumes a simulation
        self.clock = _VirtualClock()
        self.timing = random.Random(options.seed)  # noqa: S311 - reproducible, not secret
        self.order: dict[str, None] = {}
        self.judged: list[str] = []
        self.relevant: list[bool] = []
        self.predicted: list[float] = []
        self.requests = 0
        self.gone = 0
        self.asked: dict[HostKey, float] = {}  # hosts with a delay -> when they were asked last

    async def run(self, seeds: Sequence[str]) -> CrawlTrace:
        began = process_time() - self.pages.reading_s
        options = self.options
        frontier: Frontier = MemoryFrontier(
            clock=self.clock, wait_per_page_s=options.wait_per_page_s, wait_pages=options.pages
        )
        await frontier.open()
        entries, _ = self.step.seed_entries(seeds)
        await frontier.push(entries)
        stopped = await self._loop(frontier)
        await frontier.close()
        return CrawlTrace(
            tuple(self.order),
            tuple(self.judged),
            tuple(self.relevant),
            tuple(self.predicted),
            self.requests,
            self.gone,
            process_time() - self.pages.reading_s - began,
            stopped,
            self.clock.now - _STARTED_AT,
        )

    async def _loop(self, frontier: Frontier) -> str:
        options, clock = self.options, self.clock
        flying: list[tuple[float, int, Lease, Answer]] = []  # by time of arrival
        while True:
            if len(flying) < options.pipeline:
                leases = await frontier.lease(
                    options.pipeline - len(flying), worker="simulation", per_host=options.per_host, lease_s=_LEASE_S
                )
                for lease in leases:
                    if not await self._polite(frontier, lease) or await self._deferred(
                        frontier, lease, [flight[2] for flight in flying]
                    ):
                        continue
                    arrives = clock.now + self.timing.expovariate(1.0 / _SERVICE_S)
                    heappush(flying, (arrives, self.requests, lease, self._fetch(lease.entry.url)))
                    if len(self.order) >= options.pages:
                        return "budget"
            if not flying:
                ready_at = await frontier.next_ready_at()
                if ready_at is None:
                    return "exhausted"
                clock.now = max(ready_at, clock.now + _LEAST_WAIT_S)
                continue
            clock.now = max(clock.now, flying[0][0])
            results: list[StepResult] = []
            while flying and flying[0][0] <= clock.now and len(results) < options.batch:
                _, _, lease, answer = heappop(flying)
                results.append(self._process(lease, answer))
                clock.now += _PAGE_S
            await frontier.settle([result.settlement for result in results])
            for result in results:
                if result.offsets:
                    await frontier.set_offsets(result.offsets)
                if result.rescores:
                    await frontier.rescore(result.rescores)

    async def _polite(self, frontier: Frontier, lease: Lease) -> bool:
        """Read a host's robots.txt with its first lease; where it asks for a delay, give the next ones back."""
        host = lease.entry.host
        delay_s = self.robots.delay_s(host) if self.robots is not None else 0.0
        if not delay_s:
            return True
        if host not in self.asked:
            self.asked[host] = self.clock.now
            await frontier.set_host(host, delay_s=delay_s, hold_until=self.clock.now + 2.0 * delay_s)
            return True
        if self.clock.now < self.asked[host] + delay_s:
            await frontier.release([lease])
            return False
        self.asked[host] = self.clock.now
        return True

    async def _deferred(self, frontier: Frontier, lease: Lease, under_way: Sequence[Lease]) -> bool:
        """Give back a lease whose link waits behind all others by now."""
        score = self.step.deferred(lease.entry, under_way)
        if score is None:
            return False
        await frontier.release([lease])
        await frontier.rescore({lease.entry.key: score})
        return True

    def _fetch(self, url: str) -> Answer:
        self.requests += 1
        if self.robots is not None and not self.robots.allows(url):
            self.gone += 1
            return Answer(0, url)
        answer = self.pages.files.answer(url)
        if answer.is_html:
            page = self.pages.files.identity(answer.url)
            if page is not None:
                self.order.setdefault(page)
        else:
            self.gone += 1
        return answer

    def _process(self, lease: Lease, answer: Answer) -> StepResult:
        if not answer.is_html:
            reason = f"HTTP status {answer.status}" if answer.status not in (0, 200) else "refused"
            return self.step.failed(
                lease, outcome=Outcome.REFUSED, reason=reason, status=answer.status, fetched_at=self.clock.now
            )
        page = self.pages.get(answer)
        fetched = Fetched(
            answer.url,
            answer.status,
            b"",
            self.clock.now,
            content_type=answer.content_type,
            redirects=answer.redirects,
        )
        result = self.step.process_analysed(page, fetched, lease)
        self.judged.append(self.pages.files.identity(answer.url) or answer.url)
        self.relevant.append(result.record.relevant)
        self.predicted.append(result.record.predicted)
        return result
