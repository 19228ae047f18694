"""Pages a second and CPU time of the page step with pages read by other processes, on a recorded web.

    python benchmarks/reader_processes.py WEB TOPIC [--start portal] [--pages 600] [--processes 0,1,2] [--rounds 3]

The pages are those that a crawl of the best links first fetches. Each round takes all numbers of processes in turn, on
the same pages in the same order, eight at once, as the downloads of a crawl bring them. Starting the processes counts.
"""

from __future__ import annotations

import asyncio
import resource
import statistics
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from step_cost import Replay, replay_parser

from focuscrawl.crawler import garbage
from focuscrawl.crawler.build import DEFAULT_EXTRACTOR, build_step
from focuscrawl.crawler.fetched import Fetched
from focuscrawl.crawler.readers import PageReaders
from focuscrawl.lab.simulate.recorded import RecordedWeb
from focuscrawl.records import Lease
from focuscrawl.topic.spec import TopicSpec

_AT_ONCE = 8
Costs = tuple[float, float, float]
"""Milliseconds a page: real time, CPU of the process, CPU of the others."""


async def run(spec: TopicSpec, pages: Sequence[tuple[Fetched, Lease]], processes: int) -> None:
    """Put pages through a new step."""
    step = build_step(spec)
    if not processes:
        for fetched, lease in pages:
            step.process(fetched, lease)
        return
    readers = PageReaders(processes, DEFAULT_EXTRACTOR, cpu_s=10.0)
    readers.use(step, spec)
    left = iter(pages)

    async def work() -> None:
        for fetched, lease in left:
            step.process(replace(fetched, read=await readers.read(step, fetched)), lease)

    await asyncio.gather(*[work() for _ in range(_AT_ONCE)])
    readers.close()


def cost(spec: TopicSpec, pages: Sequence[tuple[Fetched, Lease]], processes: int) -> Costs:
    """Return what pages cost."""
    before = time.perf_counter(), time.process_time(), _others()
    asyncio.run(run(spec, pages, processes))
    after = time.perf_counter(), time.process_time(), _others()
    real, own, others = (1000 * (b - a) / len(pages) for a, b in zip(before, after, strict=True))
    return real, own, others


def _others() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> None:
    """Measure and print."""
    parser = replay_parser(__doc__)
    parser.add_argument("--processes", default="0,1,2")
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    web = RecordedWeb(args.web)
    replay = Replay(web, args.topic, args.start)
    pages = []
    relevant = 0
    for fetched, lease in replay.pages(args.pages, []):
        pages.append((fetched, lease))
        result = replay.step.process(fetched, lease)
        relevant += result.record.relevant
        replay.settle(result)
    garbage.relax()
    spec = web.spec(args.topic, args.start)
    costs: dict[int, list[Costs]] = defaultdict(list)
    for _ in range(args.rounds):
        for processes in map(int, args.processes.split(",")):
            costs[processes].append(cost(spec, pages, processes))
    print(f"{len(pages)} pages, {relevant} relevant; ms a page, median of {args.rounds} rounds")
    print(f"{'processes':>9}{'real time':>12}{'pages/s':>10}{'own CPU':>10}{'others':>10}{'all CPU':>10}")
    for processes, found in costs.items():
        real, own, others = (statistics.median(values) for values in zip(*found, strict=True))
        print(f"{processes:>9}{real:>12.1f}{1000 / real:>10.1f}{own:>10.1f}{others:>10.1f}{own + others:>10.1f}")


if __name__ == "__main__":
    main()
