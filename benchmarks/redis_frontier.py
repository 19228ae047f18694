"""What a URL costs in Redis: the frontier of a fleet against scrapy-redis's queue with its dupefilter.

Both get the same URLs of 105 bytes, made beforehand, in processes that take turns, each with an empty server of its
own. Measured is the CPU time of the client and of the server together: to queue a URL, and to take one out. The
frontier is given 100 links at a time, as pages have them, and leases `--batch` at a time, which are then settled. Bytes
are those Redis says it uses, for a URL that waits and for one whose work is over.

    python benchmarks/redis_frontier.py [--urls 100000] [--hosts 1000] [--batch 16] [--rounds 3]
        [--server redis-server] [--data]
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

from focuscrawl.frontier.base import Entry, Outcome, Settlement
from focuscrawl.frontier.redis import RedisFrontier
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
    more: dict[str, object] = {}
    if data:
        parts = {"uh": round(draw(), 4), "tih": 0.0, "rw": draw(), "dom": draw(), "parent": draw()}
        more = {"anchor": "围棋定式入门 joseki", "parts": parts, "reason": "anchor names the topic", "parent": number}
    return Entry(url, digest64(url), host, draw(), f"{host}|{number % 2}", 3, 0, 0.0, more)


class Meter:
    """CPU seconds of this process and of the server, and the server's memory."""

    def __init__(self, client: redis.Redis) -> None:
        self._client = client
        self._ticks = os.sysconf("SC_CLK_TCK")
        self._pid = int(client.info("server")["process_id"])

    def cpu(self) -> float:
        """Return the seconds used so far."""
        fields = Path(f"/proc/{self._pid}/stat").read_text().rpartition(")")[2].split()
        return time.process_time() + (int(fields[11]) + int(fields[12])) / self._ticks

    def memory(self) -> int:
        """Return the bytes in use."""
        return int(self._client.info("memory")["used_memory"])


async def focuscrawl(url: str, meter: Meter, args: argparse.Namespace) -> dict[str, float]:
    """Measure the frontier."""
    frontier = RedisFrontier(url)
    await frontier.open()
    entries = [entry_of(number, args.hosts, data=args.data) for number in range(args.urls)]
    empty, start = meter.memory(), meter.cpu()
    for at in range(0, args.urls, LINKS):
        await frontier.push(entries[at : at + LINKS])
    pushed, full = meter.cpu(), meter.memory()
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
    return _result(args.urls, pushed - start, leased_s, full - empty, used - empty)


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
    requests = [
        Request(url_of(number, args.hosts), priority=random.Random(number).randrange(100))
        for number in range(args.urls)
    ]
    empty, start = meter.memory(), meter.cpu()
    for request in requests:
        if not seen.request_seen(request):
            queue.push(request)
    pushed, full = meter.cpu(), meter.memory()
    taken = 0
    while queue.pop() is not None:
        taken += 1
    assert taken == args.urls
    return _result(args.urls, pushed - start, meter.cpu() - pushed, full - empty, meter.memory() - empty)


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
            if args.child == "focuscrawl":
                result = asyncio.run(focuscrawl(url, meter, args))
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
    parser.add_argument("--child", choices=BACKENDS, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.child:
        child(args)
        return
    results: dict[str, list[dict[str, float]]] = {name: [] for name in BACKENDS}
    for _ in range(args.rounds):
        for name in BACKENDS:
            done = subprocess.run(
                [sys.executable, __file__, *sys.argv[1:], "--child", name], check=True, capture_output=True, text=True
            )
            results[name].append(json.loads(done.stdout))
    print(subprocess.run([args.server, "--version"], check=True, capture_output=True, text=True).stdout.strip())
    print(f"{args.urls:,} URLs of {args.hosts:,} hosts, leased {args.batch} at a time; medians of {args.rounds}")
    print("| | queued, µs | leased, µs | both, µs | bytes waiting | bytes remembered |\n| --- |" + " ---: |" * 5)
    both = {}
    for name in BACKENDS:
        median = {what: statistics.median(one[what] for one in results[name]) for what in NAMES}
        both[name] = statistics.median(one["push"] + one["lease"] for one in results[name])
        print(
            f"| {name} | {median['push']:.1f} | {median['lease']:.1f} | {both[name]:.1f} |"
            f" {median['waiting']:.0f} | {median['remembered']:.1f} |"
        )
    print(f"ratio of both: {both['scrapy-redis'] / both['focuscrawl']:.1f}")


if __name__ == "__main__":
    main()
