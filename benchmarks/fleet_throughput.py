"""Pages per second of one worker and of several over one Redis, on one machine.

    python benchmarks/fleet_throughput.py [--pages 1000] [--rounds 5] [--workers 2]

The same made site (60 kB and 110 links a page, on many hosts, served on loopback by one process) is crawled by turns:
by one worker, and by several. Each time it is a new crawl by real ``scrapy crawl focused`` processes without delay.
Measured is from the moment every worker has fetched 25 pages to the last page of the budget, so the start (imports,
dictionaries, fitting the topic) is left out: pages by the wall clock from the web server's log, CPU time of workers,
redis-server and web server from /proc, scripts sent to Redis from its own statistics.

The web server and Redis live on the cores that the workers use. So that a machine with other work on it can be judged,
two ratios are printed: that of pages per second, which other work lowers, and that of the pages per CPU second of the
workers, times the number of workers: what the wall clock would show had every process a core of its own.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path

import redis
from crawl_cost import COMMON, make_site
from webserver import WebServer, cpu_s

from focuscrawl.lab.simulate.tables import text_table

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))
from redis_kit import RedisServer, free_port, running_redis  # noqa: E402

HOSTS = 200
WARM = 25  # pages of every worker before measuring begins
TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Reading:
    """Clocks at one moment, in seconds."""

    wall: float
    workers: float
    redis: float
    web: float
    busy: float  # all cores of the machine, whoever used them
    calls: int
    answers: int  # pages served so far


@dataclass(frozen=True, slots=True)
class Run:
    """A crawl that was measured."""

    workers: int
    pages: int
    wall_s: float
    worker_ms: float  # CPU a page, of all workers together
    redis_ms: float
    web_ms: float
    calls: float  # a page
    others: float  # cores that processes not of this benchmark used
    shares: tuple[int, ...]  # pages of each worker, from its first

    @property
    def rate(self) -> float:
        """Pages a second of wall time."""
        return self.pages / self.wall_s


def main() -> int:
    """Measure and print; 1 when an aim of the fleet was missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=1000, help="pages a crawl")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--hosts", type=int, default=HOSTS)
    parser.add_argument("--fsync", choices=("everysec", "always", "no"), default="everysec")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="Scrapy setting")
    parser.add_argument("--out", type=Path, help="JSON of all runs")
    args = parser.parse_args()
    settings = COMMON | dict(pair.split("=", 1) for pair in args.set)
    runs: list[Run] = []
    with tempfile.TemporaryDirectory(prefix="fleet-throughput-") as name:
        work = Path(name)
        www, _, topic = make_site(work, pages=2 * args.pages, hosts=args.hosts)
        for number in range(args.rounds):
            for workers in (1, args.workers) if number % 2 == 0 else (args.workers, 1):
                folder = work / f"{number}-{workers}"
                folder.mkdir()
                with (
                    WebServer(www) as web,
                    running_redis("--appendonly", "yes", "--appendfsync", args.fsync, port=free_port()) as server,
                ):
                    runs.append(crawl(workers, args.pages, folder, web, server, topic, settings))
                say(runs[-1])
                if args.out:
                    args.out.write_text(json.dumps([asdict(run) for run in runs]), encoding="utf-8")
    return report(runs, args.workers)


def crawl(
    workers: int, pages: int, folder: Path, web: WebServer, server: RedisServer, topic: Path, settings: dict[str, str]
) -> Run:
    """Crawl once."""
    environment = {k: v for k, v in os.environ.items() if not k.lower().endswith("_proxy")}
    environment |= {"http_proxy": web.proxy, "PYTHONHASHSEED": "0"}
    processes = []
    for number in range(workers):
        given = settings | {"FOCUSCRAWL_FRONTIER_URL": server.url, "USER_AGENT": f"worker{number}"}
        command = [sys.executable, "-m", "scrapy", "crawl", "focused", "-a", f"topic={topic}", "-a", f"pages={pages}"]
        command += ["-a", f"run={folder}/run{number}"]
        command += [part for setting, value in given.items() for part in ("-s", f"{setting}={value}")]
        with (folder / f"{number}.txt").open("wb") as said:
            processes.append(subprocess.Popen(command, cwd=ROOT, env=environment, stdout=said, stderr=said))
    shares = [0] * workers
    begun: Reading | None = None
    with closing(redis.Redis.from_url(server.url)) as client:

        def read() -> Reading:
            return Reading(
                time.monotonic(),
                sum(cpu_s(process.pid) for process in processes),
                cpu_s(server.process.pid),
                web.cpu_s(),
                machine_s(),
                scripts(client),
                sum(shares),
            )

        # Read before the last pages: a worker that has ended has no clock any more.
        while sum(shares) < pages - workers:
            for status, _, url, agent in web.answers_of_agents():
                if status == 200 and not url.endswith("/robots.txt"):
                    shares[int(agent.removeprefix("worker"))] += 1
            if begun is None and min(shares) >= WARM:
                begun = read()
            failed = [n for n, process in enumerate(processes) if process.poll() not in (None, 0)]
            if failed or all(process.returncode is not None for process in processes):
                said_last = (folder / f"{failed[0] if failed else 0}.txt").read_text(errors="replace")[-2000:]
                raise SystemExit(f"fleet_throughput: ended after {sum(shares)} pages:\n{said_last}")
            time.sleep(0.02)
        ended = read()
    for process in processes:
        process.wait(120)
    if begun is None:
        raise SystemExit(f"fleet_throughput: not every worker took part: {shares} pages; give more --pages")
    n = ended.answers - begun.answers
    ours = sum(getattr(ended, part) - getattr(begun, part) for part in ("workers", "redis", "web"))
    return Run(
        workers,
        n,
        ended.wall - begun.wall,
        (ended.workers - begun.workers) / n * 1e3,
        (ended.redis - begun.redis) / n * 1e3,
        (ended.web - begun.web) / n * 1e3,
        (ended.calls - begun.calls) / n,
        (ended.busy - begun.busy - ours) / (ended.wall - begun.wall),
        tuple(shares),
    )


def machine_s() -> float:
    """Return the CPU time that all cores together have spent on anything, waiting excepted."""
    user, nice, system, _, _, irq, softirq, steal = map(int, Path("/proc/stat").read_text().split()[1:9])
    return (user + nice + system + irq + softirq + steal) / TICKS


def scripts(client: redis.Redis) -> int:
    """Return how many commands workers have sent: all are scripts, each counted once, not what runs inside them."""
    stats = client.info("commandstats")
    return sum(stats.get(f"cmdstat_{name}", {}).get("calls", 0) for name in ("evalsha", "eval"))


def say(run: Run) -> None:
    """Print a line of progress."""
    print(
        f"  {run.workers} workers: {run.rate:5.1f} pages/s over {run.pages} pages; CPU a page: workers"
        f" {run.worker_ms:.1f} ms, Redis {run.redis_ms:.2f}, web server {run.web_ms:.2f}; {run.calls:.2f} commands a"
        f" page; other processes used {run.others:.2f} cores; pages of each {run.shares}",
        file=sys.stderr,
        flush=True,
    )


def report(runs: list[Run], workers: int) -> int:
    """Print the medians, and the ratios round by round."""
    body = []
    for count in (1, workers):
        mine = [run for run in runs if run.workers == count]
        figures = ("rate", "worker_ms", "redis_ms", "web_ms", "calls", "others")
        body.append([str(count), *(f"{statistics.median(getattr(r, f) for r in mine):.2f}" for f in figures)])
    head = ["workers", "pages/s", "ms of workers", "ms of Redis", "ms of web server", "commands", "cores of others"]
    print(text_table(head, body))
    one = [run for run in runs if run.workers == 1]
    several = [run for run in runs if run.workers == workers]
    by_wall = [b.rate / a.rate for a, b in zip(one, several, strict=True)]
    by_cpu = [workers * a.worker_ms / b.worker_ms for a, b in zip(one, several, strict=True)]
    share = statistics.median(run.redis_ms / run.worker_ms for run in several)
    print(f"pages a second, {workers} workers to one: {spread(by_wall)}")
    print(f"pages a CPU second of the workers, times {workers}: {spread(by_cpu)}")
    print(f"CPU of Redis: {share:.1%} of that of the workers")
    return int(statistics.median(by_wall) < 0.85 * workers or share > 0.15)


def spread(values: list[float]) -> str:
    """Return the median and the values of the rounds."""
    return f"{statistics.median(values):.2f} ({' '.join(f'{value:.2f}' for value in values)})"


if __name__ == "__main__":
    sys.exit(main())
