"""What a fleet finds beside one worker, by replay: the same crawl cut into workers that learn apart.

    python benchmarks/fleet_replay.py WEB... --topics a,b,c --starts near,far --seeds 5 --budget 1000 --cache FOLDER \
        --fleets 1x20,4x5,4x20,4x5@200 --out results.json

Real crawls of the same case differ by more than what is looked for here (benchmarks/fleet_quality.py tells by how
much); replays are cheap enough for many seeds. ``4x5@200`` is four workers with five pages in flight each, that fetch
200 pages a second together (20 without ``@``). They share one frontier, and each has a page step of its own, which
learns from its own pages at once and from those of the others once a second, as in a real fleet
(`focuscrawl.crawler.learning`). The rate matters for nothing else: at 200 pages a second, what another worker has
judged is up to 200 pages old. ``4x5-`` is a fleet whose workers cannot keep up with what all judge: the trainer does,
and what it has learned comes to the others every five seconds.

Prints the same tables as benchmarks/fleet_quality.py. The order of fetching depends on the arguments only.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import sys
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import process_time
from typing import Any

from fleet_quality import show

from focuscrawl.crawler.build import StepChoices, build_step
from focuscrawl.crawler.learning import FleetLearning
from focuscrawl.crawler.step import PageStep
from focuscrawl.frontier.base import Frontier
from focuscrawl.frontier.memory import MemoryFrontier
from focuscrawl.lab.simulate.cases import Case, CaseSettings, Laboratory, parse_strategy
from focuscrawl.lab.simulate.crawl import CrawlOptions, CrawlTrace, _Simulation
from focuscrawl.lab.simulate.files import Answer
from focuscrawl.lab.simulate.recorded import open_web
from focuscrawl.lab.simulate.remembered import RememberingScorer
from focuscrawl.records import Lease

RATE = 20.0  # pages a second of all workers together
# As in focuscrawl/crawler/model_exchange.py.
POLL_S = 1.0
PUBLISH_S = 5.0
PUBLISH_PAGES = 20


@dataclass(slots=True)
class Worker:
    """One of them."""

    simulation: _Simulation
    sharing: FleetLearning
    flying: deque[tuple[Lease, Answer]] = field(default_factory=deque)
    poll_at: float = 0.0
    model: int = 0  # version of what it took up last, or published
    model_at: float = 0.0


class FleetLaboratory(Laboratory):
    """Runs cases with several workers."""

    workers = 1
    held = 20  # pages in flight of each
    rate = RATE
    all_learn = True  # each worker from the pages of all

    def crawl(self, case: Case) -> CrawlTrace:
        """Simulate a case."""
        name, options = parse_strategy(case.strategy)
        spec = self.web(case.web).spec(case.topic, case.start, strategy=name, options=options)
        model, memory = self._model(case), self._memory(case)
        pages = self.pages(case.web, model)
        crawl_options = CrawlOptions(self.yardstick(case.web, case.topic, case.start).budget, seed=case.seed)
        workers = []
        for number in range(self.workers):
            step: PageStep = build_step(spec, model, choices=StepChoices(strategy=name, seed=case.seed))
            step.scorer = RememberingScorer(step.scorer, memory)
            simulation = _Simulation(step, pages, crawl_options, self._robots_of(case.web))
            workers.append(Worker(simulation, FleetLearning(step, str(number))))
        workers[0].sharing.trainer = True
        trace = asyncio.run(
            FleetReplay(workers, self.held, self.rate, crawl_options, all_learn=self.all_learn).run(spec.seeds)
        )
        pages.flush()  # type: ignore[attr-defined]
        return trace


class FleetReplay:
    """Workers over one frontier, in virtual time."""

    def __init__(
        self, workers: list[Worker], held: int, rate: float, options: CrawlOptions, *, all_learn: bool = True
    ) -> None:
        self.workers = workers
        self.all_learn = all_learn
        self.held = held
        self.second_a_page = 1.0 / rate
        self.options = options
        self.timing = random.Random(options.seed)
        self.events: list[bytes] = []
        self.published = b""
        self.version = 0
        first = workers[0].simulation
        self.clock, self.order = first.clock, first.order
        for worker in workers[1:]:  # one time and one order of fetching for all
            worker.simulation.clock, worker.simulation.order = self.clock, self.order

    async def run(self, seeds: Sequence[str]) -> CrawlTrace:
        """Crawl; the first worker is the trainer."""
        began = process_time()
        frontier: Frontier = MemoryFrontier(clock=self.clock)
        await frontier.open()
        entries, _ = self.workers[0].simulation.step.seed_entries(seeds)
        await frontier.push(entries)
        stopped = ""
        while not stopped:
            stopped = await self._turn(self.timing.choice(self.workers), frontier)
        await frontier.close()
        parts = [worker.simulation for worker in self.workers]
        return CrawlTrace(
            tuple(self.order),
            tuple(page for part in parts for page in part.judged),
            tuple(verdict for part in parts for verdict in part.relevant),
            tuple(chance for part in parts for chance in part.predicted),
            sum(part.requests for part in parts),
            sum(part.gone for part in parts),
            process_time() - began,
            stopped,
        )

    async def _turn(self, worker: Worker, frontier: Frontier) -> str:
        """Let a worker lease, process a few pages, settle them, and take its part in the learning."""
        options, simulation, flying = self.options, worker.simulation, worker.flying
        leases = await frontier.lease(
            self.held - len(flying), worker=worker.sharing.worker, per_host=options.per_host, lease_s=1e9
        )
        for lease in leases:
            flying.append((lease, simulation._fetch(lease.entry.url)))
            if len(self.order) >= options.pages:
                return "budget"
        if not any(one.flying for one in self.workers) and await frontier.next_ready_at() is None:
            return "exhausted"
        results = []
        for _ in range(min(self.timing.randint(1, 2 * options.batch - 1), len(flying))):
            self.clock.now += self.second_a_page
            results.append(simulation._process(*flying.popleft()))
        settlements = [worker.sharing.numbered(result.settlement) for result in results]
        await frontier.settle(settlements)
        worker.sharing.settled(settlements)
        for result in results:
            if result.offsets:
                await frontier.set_offsets(result.offsets)
            if result.rescores:
                await frontier.rescore(result.rescores)
        if len(self.workers) > 1 and self.clock.now >= worker.poll_at:
            worker.poll_at = self.clock.now + POLL_S
            await self._share(worker, frontier)
        return ""

    async def _share(self, worker: Worker, frontier: Frontier) -> None:
        sharing, now = worker.sharing, self.clock.now
        self.events += sharing.take()
        if worker is not self.workers[0] and not self.all_learn:
            if self.version > worker.model and now - worker.model_at >= PUBLISH_S:
                sharing.take_up(self.published)
                worker.model, worker.model_at = self.version, now
            return
        sharing.current = True
        _, offsets = sharing.take_events(self.events[int(sharing.cursor or 0) :])
        sharing.cursor = str(len(self.events))
        if worker is self.workers[0]:
            await frontier.set_offsets(offsets)
            await frontier.rescore(worker.simulation.step.ranker.rescored())
        if not self.all_learn and sharing.learned >= PUBLISH_PAGES and now - worker.model_at >= PUBLISH_S:
            self.published = sharing.publication()
            self.version += 1
            worker.model, worker.model_at = self.version, now


def main() -> int:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("webs", nargs="+", type=Path, metavar="WEB")
    parser.add_argument("--topics", default="all", help="by commas")
    parser.add_argument("--starts", default="near,far")
    parser.add_argument("--strategy", default="apprentice")
    parser.add_argument("--fleets", default="1x20,4x5,4x20,4x5@200", help="the first is compared to")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--budget", type=int, default=1000, help="pages")
    parser.add_argument("--cache", type=Path, help="private folder for the analysed pages")
    parser.add_argument("--out", type=Path)
    args = parser.parse_args()
    settings = CaseSettings(budget_factor=1e-9, budget_floor=args.budget, cache=str(args.cache) if args.cache else None)
    laboratory = FleetLaboratory(settings)
    rows: list[dict[str, Any]] = []
    for web in args.webs:
        known = open_web(web).topic_names()
        for topic in known if args.topics == "all" else [name for name in args.topics.split(",") if name in known]:
            for start in args.starts.split(","):
                for seed in range(args.seeds):
                    for fleet in args.fleets.split(","):
                        shape, _, rate = fleet.replace("-", "").partition("@")
                        laboratory.all_learn = "-" not in fleet
                        laboratory.workers, laboratory.held = map(int, shape.split("x"))
                        laboratory.rate = float(rate or RATE)
                        result = laboratory.run(Case(str(web), topic, start, args.strategy, seed))
                        rows.append(
                            {"fleet": fleet, "repeat": seed, "recall@2R": result.recall_at_2r, **result.as_row()}
                        )
                        case = f"{result.web} {topic} {start} {fleet} #{seed}"
                        print(f"  {case}: vs_oracle {result.vs_oracle:.3f}", file=sys.stderr, flush=True)
                        if args.out:
                            args.out.write_text(json.dumps(rows, ensure_ascii=False), encoding="utf-8")
    laboratory.close()
    show(rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
