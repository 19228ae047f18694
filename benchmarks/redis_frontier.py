"""What a URL costs in Redis: the frontier of a fleet against scrapy-redis's queue with its dupefilter.

Both get the same URLs of 105 bytes, in processes that take turns, each with an empty server of its own. Measured is the
CPU time of the client and of the server together, to queue a URL and to take one out; making the URLs is left out. The
frontier is given 100 links at a time, as pages have them, and leases `--batch` at a time, which are then settled. Bytes
are those Redis says it uses, for a URL that waits and for one whose work is over.

    python benchmarks/redis_frontier.py [--urls 100000] [--hosts 1000] [--batch 16] [--rounds 3]
        [--server redis-server] [--data] [--backends focuscrawl scrapy-redis]

How that grows with the queue, for the frontier alone: one queue is filled up to each of some sizes, and of each
`--sample` URLs are leased and settled.

    python benchmarks/redis_frontier.py --grow 100000 1000000 10000000 --hosts 100000 [--sample 20000]
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

import redis

from focuscrawl.frontier.redis import RedisFrontier
from focuscrawl.records import NO_ORIGIN, Entry, Origin, Outcome, Settlement
from focuscrawl.types import digest64

LENGTH = 105
LINKS = 100  # of a page
OF_A_HOST = 20  # links of a page to one host, one after the other
BACKENDS = ("focuscrawl", "scrapy-redis")
NAMES = {"push": "queued", "lease": "leased", "waiting": "bytes waiting", "remembered": "bytes remembered"}


def url_of(number: int, hosts: int) -> str:
    """Return a URL of 105 bytes."""
    head = f"https://www.host{number // OF_A_HOST % hosts:05d}.example/section{number % 7}/2026/11/"
    tail = f"-{number:09d}.html"
    return head + "a-title-of-the-page-in-words-and-more-words"[: LENGTH - len(head) - len(tail)] + tail


def entry_of(number: int, hosts: int, *, data: bool) -> Entry:
    """Return an entry, with what explains its score or without."""
    url, draw = url_of(number, hosts), random.Random(number).random
    host = url.split("/")[2]
    origin = NO_ORIGIN
    if data:
        parts = {"uh": round(draw(), 4), "tih": 0.0, "rw": draw(), "dom": draw(), "parent": draw()}
        origin = Origin(number, anchor="围棋定式入门 joseki", parts=parts, reason="anchor names the topic")
    return Entry(url, digest64(url), host, draw(), f"{host}|{number % 2}", 3, 0, 0.0, origin)


class Meter:
    """CPU seconds of this process and of the server, and the server's memory."""

    def __init__(self, client: redis.Redis) -> None:
        self._client = client
        self._ticks = os.sysconf("SC_CLK_TCK")
        self._pid = int(client.info("server")["process_id"])

    def server(self) -> float:
        """Return the seconds the server has used so far."""
        fields = Path(f"/proc/{self._pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / self._ticks

    def cpu(self) -> float:
        """Return the seconds both have used so far."""
        return time.process_time() + self.server()

    def memory(self) -> int:
        """Return the bytes in use."""
        return int(self._client.info("memory")["used_memory"])


async def fill(frontier: RedisFrontier, meter: Meter, args: argparse.Namespace, numbers: range) -> tuple[float, float]:
    """Queue URLs; return the seconds that took in client and server, making them left out, and the server's alone."""
    client_s, server_s = 0.0, meter.server()
    for at in range(numbers.start, numbers.stop, LINKS):
        entries = [entry_of(n, args.hosts, data=args.data) for n in range(at, min(at + LINKS, numbers.stop))]
        begin = time.process_time()
        await frontier.push(entries)
        client_s += time.process_time() - begin
    server_s = meter.server() - server_s
    return client_s + server_s, server_s


async def focuscrawl(url: str, meter: Meter, args: argparse.Namespace) -> dict[str, float]:
    """Measure the frontier."""
    frontier = RedisFrontier(url)
    await frontier.open()
    empty = meter.memory()
    push_s, _ = await fill(frontier, meter, args, range(args.urls))
    full = meter.memory()
    leased_s, taken = 0.0, 0
    while True:
        begin = meter.cpu()
        leases = [
            await frontier.lease(args.batch, worker="", per_host=1 << 30, lease_s=600.0)
            for _ in range(64)  # so that the clock of the server is fine enough
        ]
        leased_s += meter.cpu() - begin
        taken += sum(map(len, leases))
        for some in leases:
            await frontier.settle([Settlement(one, Outcome.DONE) for one in some])
        if not leases[-1]:
            break
    assert taken == args.urls
    used = meter.memory()
    await frontier.close()
    return _result(args.urls, push_s, leased_s, full - empty, used - empty)


async def growing(url: str, meter: Meter, args: argparse.Namespace) -> list[dict[str, float]]:
    """Measure the frontier at some sizes of the queue."""
    frontier = RedisFrontier(url)
    await frontier.open()
    rows, made, empty = [], 0, meter.memory()
    for size in args.grow:
        queued = (await frontier.stats()).queued
        until = made + size - queued
        push_s, push_server_s = await fill(frontier, meter, args, range(made, until))
        pushed, made = until - made, until
        stats, used = await frontier.stats(), meter.memory()
        spent = dict.fromkeys(("lease", "lease_server", "settle", "settle_server"), 0.0)
        taken = 0
        while taken < args.sample:
            begin, server = meter.cpu(), meter.server()
            leases = [await frontier.lease(args.batch, worker="", per_host=1 << 30, lease_s=600.0) for _ in range(64)]
            leased, leased_server = meter.cpu(), meter.server()
            for some in leases:
                await frontier.settle([Settlement(one, Outcome.DONE) for one in some])
            spent["lease"] += leased - begin
            spent["lease_server"] += leased_server - server
            spent["settle"] += meter.cpu() - leased
            spent["settle_server"] += meter.server() - leased_server
            taken += sum(map(len, leases))
        row: dict[str, float] = {name: seconds / taken * 1e6 for name, seconds in spent.items()}
        row |= {"push": push_s / pushed * 1e6, "push_server": push_server_s / pushed * 1e6}
        rows.append(row | {"size": size, "hosts": stats.hosts, "bytes": (used - empty) / size, "used": used})
    await frontier.close()
    return rows


def scrapy_redis(url: str, meter: Meter, args: argparse.Namespace) -> dict[str, float]:
    """Measure scrapy-redis with its default queue and dupefilter."""
    from scrapy import Request, Spider
    from scrapy.crawler import Crawler
    from scrapy_redis.dupefilter import RFPDupeFilter
    from scrapy_redis.queue import PriorityQueue

    class Bench(Spider):
        name = "bench"

    crawler = Crawler(Bench, {"TWISTED_REACTOR_ENABLED": False})
    crawler._apply_settings()
    client = redis.Redis.from_url(url)
    queue = PriorityQueue(client, Bench.from_crawler(crawler), "bench:requests")
    seen = RFPDupeFilter(client, "bench:dupefilter")
    empty, client_s, server_s = meter.memory(), 0.0, meter.server()
    for at in range(0, args.urls, LINKS):
        requests = [
            Request(url_of(number, args.hosts), priority=random.Random(number).randrange(100))
            for number in range(at, min(at + LINKS, args.urls))
        ]
        begin = time.process_time()
        for request in requests:
            if not seen.request_seen(request):
                queue.push(request)
        client_s += time.process_time() - begin
    push_s = client_s + meter.server() - server_s
    pushed, full = meter.cpu(), meter.memory()
    taken = 0
    while queue.pop() is not None:
        taken += 1
    assert taken == args.urls
    return _result(args.urls, push_s, meter.cpu() - pushed, full - empty, meter.memory() - empty)


def _result(urls: int, push_s: float, lease_s: float, waiting: int, remembered: int) -> dict[str, float]:
    return {
        "push": push_s / urls * 1e6,
        "lease": lease_s / urls * 1e6,
        "waiting": waiting / urls,
        "remembered": remembered / urls,
    }


def child(args: argparse.Namespace) -> None:
    """Run one backend over an empty server, and print what was measured."""
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as folder:
        place = f"{folder}/redis.sock"
        server = subprocess.Popen(
            [args.server, "--port", "0", "--unixsocket", place, "--save", "", "--dir", folder],
            stdout=subprocess.DEVNULL,
        )
        try:
            while not Path(place).exists():
                time.sleep(0.01)
            url = f"unix://{place}"
            client = redis.Redis.from_url(url)
            while True:
                try:
                    client.ping()
                    break
                except redis.ConnectionError:
                    time.sleep(0.01)
            meter = Meter(client)
            result: object
            if args.child == "focuscrawl":
                measure = growing if args.grow else focuscrawl
                result = asyncio.run(measure(url, meter, args))
            else:
                result = scrapy_redis(url, meter, args)
            print(json.dumps(result))
        finally:
            server.terminate()
            server.wait()


def main() -> None:
    """Let the backends take turns, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--urls", type=int, default=100_000)
    parser.add_argument("--hosts", type=int, default=1_000)
    parser.add_argument("--batch", type=int, default=16, help="URLs leased at a time")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--server", default=shutil.which("redis-server") or "redis-server")
    parser.add_argument("--data", action="store_true", help="entries with what explains their score, too")
    parser.add_argument("--backends", nargs="+", choices=BACKENDS, default=BACKENDS)
    parser.add_argument("--grow", nargs="+", type=int, help="sizes of the queue, rising; of the frontier alone")
    parser.add_argument("--sample", type=int, default=20_000, help="URLs leased and settled at each size")
    parser.add_argument("--child", choices=BACKENDS, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.child:
        child(args)
        return
    print(subprocess.run([args.server, "--version"], check=True, capture_output=True, text=True).stdout.strip())
    if args.grow:
        _print_growth(json.loads(_measured("focuscrawl")))
        return
    results: dict[str, list[dict[str, float]]] = {name: [] for name in args.backends}
    for _ in range(args.rounds):
        for name in args.backends:
            results[name].append(json.loads(_measured(name)))
    print(f"{args.urls:,} URLs of {args.hosts:,} hosts, leased {args.batch} at a time; medians of {args.rounds}")
    print("| | queued, µs | leased, µs | both, µs | bytes waiting | bytes remembered |\n| --- |" + " ---: |" * 5)
    both = {}
    for name in args.backends:
        median = {what: statistics.median(one[what] for one in results[name]) for what in NAMES}
        both[name] = statistics.median(one["push"] + one["lease"] for one in results[name])
        print(
            f"| {name} | {median['push']:.1f} | {median['lease']:.1f} | {both[name]:.1f} |"
            f" {median['waiting']:.0f} | {median['remembered']:.1f} |"
        )
    if len(both) == len(BACKENDS):
        print(f"ratio of both: {both['scrapy-redis'] / both['focuscrawl']:.1f}")


def _measured(backend: str) -> str:
    command = [sys.executable, __file__, *sys.argv[1:], "--child", backend]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def _print_growth(rows: list[dict[str, float]]) -> None:
    """Print what a URL costs in client and server, and in the server alone, by the size of the queue."""
    print("CPU time of client and server, in brackets the server's")
    print("| URLs waiting | hosts | queued, µs | leased, µs | settled, µs | bytes a URL | Redis |")
    print("| ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    for row in rows:
        costs = [f"{row[name]:.1f} ({row[f'{name}_server']:.1f})" for name in ("push", "lease", "settle")]
        used = f"{row['used'] / 1e6:,.0f} MB"
        print(f"| {row['size']:,} | {row['hosts']:,} | {' | '.join(costs)} | {row['bytes']:.0f} | {used} |")


if __name__ == "__main__":
    main()
