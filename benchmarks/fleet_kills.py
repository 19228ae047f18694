"""What a fleet loses when its parts are killed: nothing, and at most the pages in flight are fetched twice.

A closed site on loopback is crawled to its end by several workers over one Redis with an append-only file. On the way,
each time so many pages more have been fetched, something is killed with ``kill -9``: a worker (every third time the one
that holds the trainer's lease), which is started anew at once, or redis-server, which comes back after half a second.
Once, Redis answers nobody for a while, as when the network is cut. At the end every page of the site has to have been
fetched, and stored once; only what was in flight at a kill may have been fetched twice.

    python benchmarks/fleet_kills.py [--pages 1500] [--workers 3] [--worker-kills 20] [--server-kills 10] [--cut 30] \\
        [--fsync always|everysec] [--lease 300]

Every page that was fetched again needs a cause that was seen in Redis itself: the worker that fetched it before was
killed while it held its lease; or, with ``--fsync everysec``, redis-server was killed in between and came back without
that lease, or without the end of it (with ``everysec`` Redis answers before it writes when the disk is slow); or the
lease ran out while Redis did not answer, which takes a ``--lease`` shorter than the cut. Any other one is a fault.

Prints the table of kills; exits with 1 when there was a fault. Then the server is restarted empty under a worker, which
has to end with a clear error, and the commands an idle worker sends are counted.
"""

from __future__ import annotations

import argparse
import random
import re
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise
from pathlib import Path

import redis

from focuscrawl.page.urls import url_key

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))
from redis_kit import RedisServer, free_port, running_redis

ROOT = Path(__file__).resolve().parent.parent
CRAWL = "kills"
CONCURRENCY = 4
TOPIC = """
name = "lighthouses"
language = "en"
seeds = ["http://{host}/0"]

[terms]
"lighthouse" = 1.0
"lamp" = 0.6
"keeper" = 0.5

[judge]
name = "vsm"
threshold = 0.15
"""


@dataclass(frozen=True, slots=True)
class Fetch:
    """A page that was asked for and answered."""

    asked: float  # Unix time
    answered: float
    number: int
    agent: str  # name of the worker and how often it had been started


class Site:
    """Pages 0 … n-1, each with links to three others, all reachable from page 0; it notes who asked for what."""

    def __init__(self, pages: int, delay_s: float) -> None:
        self.pages = pages
        self.fetches: list[Fetch] = []
        site = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *args: object) -> None:
                """Write nothing."""

            def do_GET(self) -> None:
                number = self.path.strip("/")
                if not number.isdigit():
                    self.answer(404, b"")
                    return
                asked = time.time()
                time.sleep(delay_s)
                self.answer(200, site.html(int(number)))
                site.fetches.append(Fetch(asked, time.time(), int(number), self.headers.get("User-Agent", "")))

            def answer(self, status: int, body: bytes) -> None:
                with suppress(OSError):
                    self.send_response(status)
                    self.send_header("Content-Type", "text/html")
                    self.send_header("Content-Length", str(len(body)))
                    self.end_headers()
                    self.wfile.write(body)

        class Server(ThreadingHTTPServer):
            request_queue_size = 128
            daemon_threads = True

            def handle_error(self, *args: object) -> None:
                """A client that was killed is no error here."""

        self.server = Server(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.host = f"127.0.0.1:{self.server.server_address[1]}"
        self.numbers = {url_key(f"http://{self.host}/{n}"): n for n in range(pages)}

    def html(self, number: int) -> bytes:
        """Return a page; its words are its own, or it would be a duplicate."""
        targets = {(2 * number + 1) % self.pages, (2 * number + 2) % self.pages, (7 * number + 3) % self.pages}
        links = "".join(f'<p><a href="/{n}">lighthouse {n}</a></p>' for n in sorted(targets))
        own = " ".join(f"w{number}x{k}" for k in range(60))
        text = f"<title>Lighthouse {number}</title><p>The keeper of the lighthouse trims the lamp. {own}</p>{links}"
        return text.encode()


@dataclass
class Kill:
    """One line of the table."""

    what: str
    at: float  # Unix time
    agent: str  # of the worker; '' for the server
    leased: set[int]  # pages whose lease the killed worker held; of the server, that were leased when it was back
    queued: set[int] = field(default_factory=set)  # of the server: pages that waited when it was back
    fetched_again: int = 0


@dataclass
class Fleet:
    """The workers, as processes."""

    folder: Path
    url: str
    site: Site
    lease_s: float = 300.0
    processes: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)
    started: Counter[str] = field(default_factory=Counter)

    def start(self, name: str) -> None:
        """Start a worker, or start it again in its run folder."""
        self.started[name] += 1
        settings = {
            "FOCUSCRAWL_FRONTIER_URL": self.url,
            "FOCUSCRAWL_CRAWL": CRAWL,
            "FOCUSCRAWL_ALLOW_PRIVATE": "127.0.0.1",
            "FOCUSCRAWL_LEASE_S": self.lease_s,
            "FOCUSCRAWL_REPORT": False,
            "FOCUSCRAWL_EXTRACTOR": "blocks",
            "CONCURRENT_REQUESTS": CONCURRENCY,
            "CONCURRENT_REQUESTS_PER_DOMAIN": 64,
            "DOWNLOAD_DELAY": 0,
            "ROBOTSTXT_OBEY": False,
            "USER_AGENT": f"{name}.{self.started[name]}",
        }
        command = [sys.executable, "-m", "scrapy", "crawl", "focused", "-a", f"topic={self.folder / 'topic.toml'}"]
        command += ["-a", f"run={self.folder / name}", "-a", "pages=0"]
        for setting, value in settings.items():
            command += ["-s", f"{setting}={value}"]
        with (self.folder / f"{name}.txt").open("ab") as said:
            self.processes[name] = subprocess.Popen(command, cwd=ROOT, stdout=said, stderr=said)

    def name_of(self, pid: int) -> str | None:
        """Return the worker of a process id."""
        return next((name for name, process in self.processes.items() if process.pid == pid), None)

    def kill(self, name: str) -> None:
        """Kill a worker."""
        self.processes[name].kill()
        self.processes[name].wait()

    def said(self, name: str) -> str:
        """Return what a worker wrote."""
        return (self.folder / f"{name}.txt").read_text(encoding="utf-8", errors="replace")


def trainer(server: RedisServer) -> int:
    """Return the process id of the worker that holds the trainer's lease, 0 for none."""
    with suppress(redis.RedisError), closing(redis.Redis.from_url(server.url)) as client:
        name = client.get(f"{{fc:{CRAWL}}}:trainer")
        return int(name.split(b":")[1]) if name else 0
    return 0


def pages_of(server: RedisServer, site: Site, pid: int = 0) -> tuple[set[int], set[int]]:
    """Return the pages that are leased, to a worker or to any, and those that wait."""
    with closing(redis.Redis.from_url(server.url)) as client:
        prefix = f"{{fc:{CRAWL}}}:"
        pipe = client.pipeline()  # one transaction: leases and entries of the same moment
        pipe.zrange(f"{prefix}leases", 0, -1)
        pipe.hgetall(f"{prefix}e")
        keys, entries = pipe.execute()
    # The holder, machine:pid:number, is in the head of an entry.
    mine = {key for key in keys if not pid or f":{pid}:".encode() in entries[key][:100]}
    return numbers(site, mine), numbers(site, entries.keys() - set(keys))


def numbers(site: Site, keys: Iterable[bytes]) -> set[int]:
    """Return the pages whose keys these are."""
    return {site.numbers[int.from_bytes(key, "big")] for key in keys}


def plan(args: argparse.Namespace, draw: random.Random) -> list[str]:
    """Return what is done at each step, in an order drawn by chance."""
    trainers = args.worker_kills // 3
    steps = ["worker"] * (args.worker_kills - trainers) + ["trainer"] * trainers + ["redis-server"] * args.server_kills
    draw.shuffle(steps)
    if args.cut:
        steps.insert(len(steps) // 2, "cut")
    return steps


def crawl(args: argparse.Namespace, folder: Path, server: RedisServer) -> int:
    """Crawl with kills; print the table; return how many faults there were."""
    draw = random.Random(args.seed)
    site = Site(args.pages, args.page_delay)
    (folder / "topic.toml").write_text(TOPIC.format(host=site.host), encoding="utf-8")
    fleet = Fleet(folder, server.url, site, args.lease)
    for n in range(args.workers):
        fleet.start(f"worker{n}")
    begun, kills = time.time(), []
    steps = plan(args, draw)
    each = 0.9 * args.pages / (len(steps) + 1)
    for at, what in enumerate(steps, start=1):
        while len(site.fetches) < at * each:
            time.sleep(0.02)
            assert any(p.poll() is None for p in fleet.processes.values()), "all workers have ended"
        if what == "redis-server":
            server.stop(kill=True)
            kills.append(Kill(what, time.time(), "", set()))
            time.sleep(0.5)
            server.start()
            kills[-1].leased, kills[-1].queued = pages_of(server, site)
        elif what == "cut":
            leased, _ = pages_of(server, site)
            server.process.send_signal(signal.SIGSTOP)
            kills.append(Kill(f"no answer for {args.cut:.0f} s", time.time(), "", leased))
            time.sleep(args.cut)
            server.process.send_signal(signal.SIGCONT)
        else:
            # A worker that takes part: one that is still starting has nothing to lose.
            recent = [fetch.agent.split(".") for fetch in site.fetches[-30:]]
            busy = sorted({name for name, number in recent if fleet.started[name] == int(number)})
            name = draw.choice(busy or sorted(fleet.processes))
            if what == "trainer":
                name = fleet.name_of(trainer(server)) or name
            agent, pid = f"{name}.{fleet.started[name]}", fleet.processes[name].pid
            fleet.kill(name)
            leased, _ = pages_of(server, site, pid)
            kills.append(Kill(f"{what} ({name})", time.time(), agent, leased))
            fleet.start(name)
        print(
            f"{time.time() - begun:6.1f} s  {kills[-1].what} at {len(site.fetches)} pages", file=sys.stderr, flush=True
        )
    for process in fleet.processes.values():
        process.wait(600)
    took = time.time() - begun
    return report(args, fleet, site, kills, took)


def cause_of(args: argparse.Namespace, kills: Sequence[Kill], first: Fetch, second: Fetch) -> Kill | None:
    """Return the kill for which a page had to be fetched a second time, None when there is none."""
    page = first.number
    for kill in kills:
        if kill.agent == first.agent and page in kill.leased:
            return kill
    between = [kill for kill in kills if not kill.agent and first.asked < kill.at < second.asked]
    for kill in between:
        if kill.what == "redis-server":
            # Forgotten: that it was leased (it waits again), or that it was settled (it is leased still).
            if args.fsync == "everysec" and (page in kill.queued or page in kill.leased):
                return kill
        elif page in kill.leased and args.lease < args.cut:
            return kill
    return None


def report(args: argparse.Namespace, fleet: Fleet, site: Site, kills: list[Kill], took: float) -> int:
    """Print the table and the sums; return how many faults there were."""
    by: defaultdict[int, list[Fetch]] = defaultdict(list)
    for fetch in sorted(site.fetches, key=lambda fetch: fetch.asked):
        by[fetch.number].append(fetch)
    unexplained = 0
    for first, second in (pair for fetches in by.values() for pair in pairwise(fetches)):
        cause = cause_of(args, kills, first, second)
        if cause is not None:
            cause.fetched_again += 1
        else:
            unexplained += 1
            begun = kills[0].at
            seen = [(kill.what, round(kill.at - begun, 2)) for kill in kills if first.asked < kill.at < second.asked]
            print(
                f"page {first.number}: by {first.agent} at {first.answered - begun:.2f} s, by {second.agent} at"
                f" {second.answered - begun:.2f} s; in between {seen}",
                file=sys.stderr,
            )
    stored: Counter[str] = Counter()
    for name in fleet.processes:
        with closing(sqlite3.connect(fleet.folder / name / "crawl.db")) as db:
            stored.update(url for (url,) in db.execute("SELECT url FROM pages WHERE outcome = 'done'"))
    twice = sum(count - 1 for count in stored.values())
    endings = Counter(
        "".join(re.findall(r"no links are left[^\n]*", fleet.said(name))[-1:]) or "nothing" for name in fleet.processes
    )
    print("| killed | times | pages in flight | of these fetched again | most after one kill |")
    print("| --- | ---: | ---: | ---: | ---: |")
    kinds = {
        "worker": "worker",
        "trainer": "trainer",
        "redis-server": "redis-server",
        "no answer": "Redis without answer",
    }
    for kind, shown in kinds.items():
        of = [kill for kill in kills if kill.what.startswith(kind)]
        if of:
            most, total = max(k.fetched_again for k in of), sum(k.fetched_again for k in of)
            print(f"| {shown} | {len(of)} | {sum(len(k.leased) for k in of)} | {total} | {most} |")
    missing = args.pages - len(by)
    lost = args.pages - len(stored)
    codes = [process.returncode for process in fleet.processes.values()]
    print(f"\npages of the site {args.pages}, fetched {len(by)}, stored {len(stored)}, rows too many {twice}")
    print(f"fetched again without a cause {unexplained}, more than twice {sum(len(f) > 2 for f in by.values())}")
    print(f"workers ended with {codes}, {took:.0f} s")
    print(f"said at the end: {dict(endings)}")
    return missing + lost + twice + unexplained + sum(map(bool, codes))


def restarted_empty(folder: Path) -> int:
    """Restart a server that keeps nothing under a worker; return 0 when it ends and says why."""
    with running_redis() as server:
        site = Site(500, 0.05)
        (folder / "topic.toml").write_text(TOPIC.format(host=site.host), encoding="utf-8")
        fleet = Fleet(folder, server.url, site)
        fleet.start("empty")
        while len(site.fetches) < 20:
            time.sleep(0.02)
        at = time.time()
        server.stop(kill=True)
        server.start()
        code = fleet.processes["empty"].wait(120)
        lost = re.search(r"Redis has lost this crawl[^\n]*", fleet.said("empty"))
        why = lost[0] if lost else "no word of it"
        print(f"\nRedis restarted empty: exit code {code} after {time.time() - at:.1f} s: {why}")
        return int(code != 1 or lost is None)


def idle(folder: Path) -> int:
    """Count what a worker sends that waits for another one; return 0 for fewer than 5 commands a second."""
    with running_redis(port=free_port()) as server, closing(redis.Redis.from_url(server.url)) as client:
        site = Site(1, 60.0)  # its only page keeps the first worker busy
        (folder / "topic.toml").write_text(TOPIC.format(host=site.host), encoding="utf-8")
        fleet = Fleet(folder, server.url, site)
        fleet.start("busy")
        while not client.zcard(f"{{fc:{CRAWL}}}:leases"):
            time.sleep(0.05)
        others = connections(client)
        fleet.start("idle")
        while client.zcard(f"{{fc:{CRAWL}}}:workers") < 2:
            time.sleep(0.05)
        time.sleep(2.0)  # what it does once is over
        count, mine = 0, connections(client) - others
        with client.monitor() as monitor:
            begun = time.monotonic()
            for command in monitor.listen():
                seconds = time.monotonic() - begun
                if seconds > 10.0:
                    break
                # What a script does inside is listed, too, as of the type "lua".
                count += f"{command['client_address']}:{command['client_port']}" in mine
        for process in fleet.processes.values():
            process.kill()
            process.wait()
        print(f"an idle worker sends {count / seconds:.1f} commands a second")
        return int(count / seconds >= 5.0)


def connections(client: redis.Redis) -> set[str]:
    """Return the addresses that are connected."""
    return {one["addr"] for one in client.client_list()}


def sent(client: redis.Redis) -> int:
    """Return how many commands workers have sent: all are scripts, each counted once, not what runs inside them."""
    stats = client.info("commandstats")
    return sum(stats.get(f"cmdstat_{name}", {}).get("calls", 0) for name in ("evalsha", "eval"))


def main() -> int:
    """Run what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=1500)
    parser.add_argument("--workers", type=int, default=3)
    parser.add_argument("--worker-kills", type=int, default=20)
    parser.add_argument("--server-kills", type=int, default=10)
    parser.add_argument("--cut", type=float, default=30.0, help="seconds without an answer; 0: none")
    parser.add_argument("--fsync", choices=("always", "everysec"), default="always", help="of the append-only file")
    parser.add_argument("--lease", type=float, default=300.0, help="seconds a URL is leased for")
    parser.add_argument("--page-delay", type=float, default=0.05, help="seconds a page takes")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=Path, help="folder for the run folders, kept")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="fleet-kills-") as name:
        folder = args.keep or Path(name)
        (folder / "rest").mkdir(parents=True, exist_ok=True)
        faults = 0
        with running_redis("--appendonly", "yes", "--appendfsync", args.fsync) as server:
            faults = crawl(args, folder, server)
            if not args.server_kills:  # the server counts from its own start
                with closing(redis.Redis.from_url(server.url)) as client:
                    cpu = client.info("cpu")
                    used = cpu["used_cpu_user"] + cpu["used_cpu_sys"]
                    print(f"commands a page {sent(client) / args.pages:.2f}")
                    print(f"ms of Redis a page {used / args.pages * 1e3:.2f}")
        faults += restarted_empty(folder / "rest")
        faults += idle(folder / "rest")
    print(f"faults: {faults}")
    return int(faults > 0)


if __name__ == "__main__":
    sys.exit(main())
