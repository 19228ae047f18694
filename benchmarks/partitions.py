"""A crawl over three Redis servers beside one: order of leases, commands, and how evenly URLs spread.

    python benchmarks/partitions.py --steps 400

Four workers lease 16 links at a time, over and over, and settle each with links to other hosts: 3,000 hosts with a
delay of two seconds, on a clock that goes on by 20 ms a step. At the start of each step, in which the four ask at
once, it is noted which links are the best 64 that may be fetched now; what they get beside them is a loss of order.
One server has some too, as a worker queues links before another leases. The servers are those of the wheel in the
extra `test`, and keep nothing.

``--spread`` counts 10 million made URLs of 200,000 domains by partition and server.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import sys
import time
from contextlib import ExitStack
from heapq import nlargest
from pathlib import Path

import numpy as np
import redis

from focuscrawl.frontier.partition import partition_of
from focuscrawl.frontier.partitioned import PARTITIONS, PartitionedFrontier
from focuscrawl.frontier.redis import RedisFrontier
from focuscrawl.records import Entry, Lease, Outcome, Settlement
from focuscrawl.types import digest64

sys.path.append(str(Path(__file__).resolve().parent.parent / "tests"))
from redis_kit import RedisServer, running_redis

HOSTS, DELAY_S, STEP_S, LEASES, WORKERS = 3_000, 2.0, 0.02, 16, 4


class Model:
    """What waits, and which hosts may be asked, as one frontier would have it."""

    def __init__(self) -> None:
        self.now = 1_000_000.0
        self.waiting: dict[str, dict[str, float]] = {}  # host -> URL -> score
        self.ready: dict[str, float] = {}  # host -> time
        self.known: set[str] = set()

    def best(self, n: int) -> set[str]:
        """Return the URLs that should be leased now."""
        tops = (
            max((score, url) for url, score in links.items())
            for host, links in self.waiting.items()
            if links and self.ready.get(host, 0.0) <= self.now
        )
        return {url for _, url in nlargest(n, tops)}

    def add(self, entry: Entry) -> None:
        """Queue a link."""
        if entry.url not in self.known:
            self.known.add(entry.url)
            self.waiting.setdefault(entry.host, {})[entry.url] = entry.score

    def take(self, lease: Lease) -> None:
        """Take note of a lease."""
        del self.waiting[lease.entry.host][lease.entry.url]
        self.ready[lease.entry.host] = self.now + DELAY_S


def made(draw: random.Random) -> Entry:
    """Return a link."""
    host = f"www.d{draw.randrange(HOSTS)}.org"
    url = f"http://{host}/{draw.randrange(1 << 40)}"
    return Entry(url, digest64(url), host, draw.random())


async def order(servers: list[RedisServer], steps: int, name: str) -> None:
    """Crawl, and print how many leases of the workers were not among the best for all of them."""
    draw, model = random.Random(1), Model()
    several = len(servers) > 1
    location = ",".join(server.url for server in servers)
    workers: list[RedisFrontier | PartitionedFrontier] = [
        (PartitionedFrontier if several else RedisFrontier)(
            location, crawl="order", clock=lambda: model.now, delay_s=DELAY_S
        )
        for _ in range(WORKERS)
    ]
    for worker in workers:
        await worker.open()
    first = [made(draw) for _ in range(20_000)]
    for entry in first:
        model.add(entry)
    for at in range(0, len(first), 1000):
        await workers[0].push(first[at : at + 1000])
    before = scripts(servers)
    began, cpu = time.perf_counter(), time.process_time()
    leased = lost = 0
    for _ in range(steps):
        best = model.best(LEASES * WORKERS)

        async def turn(worker: RedisFrontier | PartitionedFrontier, best: set[str]) -> None:
            nonlocal leased, lost
            leases = await worker.lease(LEASES, worker="", per_host=1, lease_s=600.0)
            leased += len(leases)
            lost += sum(lease.entry.url not in best for lease in leases)
            for lease in leases:
                model.take(lease)
            settlements = [Settlement(lease, Outcome.DONE, [made(draw) for _ in range(8)]) for lease in leases]
            for settlement in settlements:
                for entry in settlement.found:
                    model.add(entry)
            assert all(await worker.settle(settlements))

        await asyncio.gather(*(turn(worker, best) for worker in workers))
        model.now += STEP_S
    sent = scripts(servers) - before
    print(
        f"{name}: {leased:,} leases, {lost:,} not among the best {LEASES * WORKERS} ({lost / leased:.2%}),"
        f" {sent / leased:.2f} scripts a page, {time.perf_counter() - began:.1f} s,"
        f" {1000 * (time.process_time() - cpu) / leased:.2f} ms CPU of the workers a page"
    )
    for worker in workers:
        await worker.close()


def scripts(servers: list[RedisServer]) -> int:
    """Return how many scripts the servers were sent."""
    total = 0
    for server in servers:
        client = redis.Redis(unix_socket_path=str(server.folder / "redis.sock"))
        stats = client.info("commandstats")
        # What a script calls is counted as well: its own calls are left out.
        total += sum(int(stats.get(f"cmdstat_{name}", {}).get("calls", 0)) for name in ("evalsha", "eval"))
        client.close()
    return total


def spread() -> None:
    """Print how evenly URLs of domains of very different size spread."""
    sizes = np.random.default_rng(1).pareto(1.2, 200_000) + 1.0
    sizes = np.minimum(sizes / sizes.sum(), 0.001)  # a domain may cost a thousandth of the crawl: its budget
    urls = np.maximum(1, (sizes / sizes.sum() * 1e7)).astype(int)
    for partitions, servers in ((PARTITIONS, 3), (64, 3), (256, 16)):
        counts = np.zeros(partitions, dtype=int)
        for number, size in enumerate(urls):
            counts[partition_of(f"d{number}.org", partitions)] += size
        by_server = np.array([counts[at::servers].sum() for at in range(servers)])
        per = np.array([len(range(at, partitions, servers)) for at in range(servers)]) / partitions
        print(
            f"{urls.sum():,} URLs, {len(urls):,} domains (largest {urls.max():,}): {partitions} partitions,"
            f" largest {counts.max() / counts.mean():.3f} and smallest {counts.min() / counts.mean():.3f} of the mean;"
            f" {servers} servers: largest {by_server.max() * servers / counts.sum():.3f} of an equal part, which has"
            f" {per.max() * servers:.3f} of the partitions"
        )


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=400)
    parser.add_argument("--spread", action="store_true")
    args = parser.parse_args()
    if args.spread:
        spread()
        return 0
    for count in (1, 3):
        with ExitStack() as stack:
            servers = [stack.enter_context(running_redis()) for _ in range(count)]
            asyncio.run(order(servers, args.steps, f"{count} server{'s' if count > 1 else ''}"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
