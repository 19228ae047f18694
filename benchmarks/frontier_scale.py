"""What a page costs the frontier, with few and with many URLs queued.

Each case (backend, URLs queued, hosts) runs in a process of its own; the processes take turns, so that all are measured
under the same load of the machine. A page is one lease, 110 links pushed with its settlement (33 of them new, most on
its own host; 60 that repeat on every page of the host, 17 known from anywhere), its row and its edges; pages are leased
and settled four at a time. CPU time of the process, links made beforehand; memory is the resident set of the process.

    python benchmarks/frontier_scale.py [--pages 400] [--rounds 5] [--backends sqlite,memory] [--cases 10000/10,…]
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from focuscrawl.frontier.base import Frontier
from focuscrawl.frontier.memory import MemoryFrontier
from focuscrawl.frontier.sqlite import SqliteFrontier
from focuscrawl.records import Entry, Origin, Outcome, PageRecord, Settlement
from focuscrawl.types import digest64

LINKS, NEW, MENU = 110, 33, 60
BATCH = 4


class Web:
    """Makes links by number: the n-th URL found is on a host that its number decides."""

    def __init__(self, hosts: int, seed: int = 1) -> None:
        self.hosts = hosts
        self.rng = random.Random(seed)
        self.made = 0

    def entry(self, number: int, host: int) -> Entry:
        name = f"www.host{host}.example"
        url = f"http://{name}/section{number % 7}/page-{number}.html"
        draw = random.Random(number).random
        parts = {"uh": round(draw(), 4), "tih": 0.0, "rw": draw(), "dom": draw(), "parent": draw()}
        origin = Origin(
            parent=digest64(name),
            parent_url=f"http://{name}/section{number % 7}/",
            anchor="围棋定式入门 joseki",
            parts=parts,
            reason="anchor names the topic",
        )
        group = f"{name}|{number // self.hosts % 2}"
        return Entry(url, digest64(url), name, draw(), group, number % 9, 0, 0.0, origin)

    def new(self, host: int | None = None) -> Entry:
        number = self.made
        self.made += 1
        return self.entry(number, number % self.hosts if host is None else host)

    def links(self, entry: Entry) -> list[Entry]:
        """Return the links of a page."""
        host = int(entry.host.removeprefix("www.host").split(".")[0])
        rng = self.rng
        menu = [self.entry(host + self.hosts * i, host) for i in range(MENU)]
        others = [self.entry(n, n % self.hosts) for n in (rng.randrange(self.first) for _ in range(LINKS - NEW - MENU))]
        new = [self.new(host if i < NEW - 5 else rng.randrange(self.hosts)) for i in range(NEW)]
        links = menu + others + new
        rng.shuffle(links)
        return links

    @property
    def first(self) -> int:
        return self.filled

    async def fill(self, frontier: Frontier, urls: int) -> None:
        self.filled = urls
        for start in range(0, urls, 5000):
            await frontier.push([self.new() for _ in range(min(5000, urls - start))])


def resident_mb() -> float:
    """Return the resident set of this process."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) / 1024
    return 0.0


async def case(backend: str, urls: int, hosts: int, folder: Path) -> None:
    """Fill a frontier, then answer each line of standard input with a measured round."""
    frontier: Frontier = MemoryFrontier() if backend == "memory" else SqliteFrontier(folder / "crawl.db")
    bare_mb = resident_mb()
    await frontier.open()
    web = Web(hosts)
    started = time.process_time()
    await web.fill(frontier, urls)
    say = {"fill_s": time.process_time() - started, "bare_mb": bare_mb, "rss_mb": resident_mb()}
    print(json.dumps(say), flush=True)
    for line in sys.stdin:
        spent, slowest = 0.0, 0.0
        pages = int(line) // BATCH * BATCH
        for _ in range(pages // BATCH):
            cpu, wall = time.process_time(), time.perf_counter()
            leases = await frontier.lease(BATCH, worker="w", per_host=8, lease_s=300.0)
            spent += time.process_time() - cpu
            settlements = []
            for lease in leases:
                entry, found = lease.entry, web.links(lease.entry)
                text = "围棋的定式" * 200 if entry.key % 3 == 0 else ""
                record = PageRecord(entry.key, entry.url, entry.url, entry.host, time.time(), 200, "title", text)
                settlements.append(
                    Settlement(lease, Outcome.DONE, found, edges=[one.key for one in found], record=record)
                )
            cpu, wall = time.process_time(), time.perf_counter()
            assert all(await frontier.settle(settlements))
            spent += time.process_time() - cpu
            slowest = max(slowest, time.perf_counter() - wall)
        queued = (await frontier.stats()).queued
        print(
            json.dumps(
                {"ms": spent / pages * 1e3, "slowest_ms": slowest * 1e3, "rss_mb": resident_mb(), "queued": queued}
            ),
            flush=True,
        )
    await frontier.close()
    if backend == "sqlite":
        started, cpu = time.perf_counter(), time.process_time()
        await frontier.open()
        opened_s = time.perf_counter() - started
        await frontier.close()
        size_mb = (folder / "crawl.db").stat().st_size / 2**20
        print(json.dumps({"open_s": opened_s, "open_cpu_s": time.process_time() - cpu, "file_mb": size_mb}), flush=True)
    else:
        print("{}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--pages", type=int, default=400, help="pages a round")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--backends", default="memory,sqlite")
    parser.add_argument("--cases", default="10000/10,1000000/10000", help="URLs/hosts, by commas")
    parser.add_argument("--child", nargs=3, metavar=("BACKEND", "CASE", "FOLDER"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        backend, sizes, folder = options.child
        urls, hosts = map(int, sizes.split("/"))
        asyncio.run(case(backend, urls, hosts, Path(folder)))
        return
    with tempfile.TemporaryDirectory() as folder:
        children: dict[tuple[str, str], subprocess.Popen[str]] = {}
        filled: dict[tuple[str, str], dict[str, float]] = {}
        for backend in options.backends.split(","):
            for sizes in options.cases.split(","):
                place = Path(folder, f"{backend}-{sizes.replace('/', '-')}")
                place.mkdir()
                child = subprocess.Popen(
                    [sys.executable, __file__, "--child", backend, sizes, str(place)],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    text=True,
                )
                children[backend, sizes] = child
                filled[backend, sizes] = json.loads(child.stdout.readline())  # type: ignore[union-attr]
        rounds: dict[tuple[str, str], list[dict[str, float]]] = {name: [] for name in children}
        for _ in range(options.rounds):
            for name, child in children.items():
                assert child.stdin is not None
                assert child.stdout is not None
                child.stdin.write(f"{options.pages}\n")
                child.stdin.flush()
                rounds[name].append(json.loads(child.stdout.readline()))
        print(
            "backend  URLs/hosts       CPU ms/page (min median)  worst settle ms"
            "     queued   RSS MB (bare)  reopen s  file MB"
        )
        for name, child in children.items():
            child.stdin.close()  # type: ignore[union-attr]
            last = json.loads(child.stdout.readline())  # type: ignore[union-attr]
            child.wait()
            ms = [one["ms"] for one in rounds[name]]
            end = rounds[name][-1]
            print(
                f"{name[0]:8} {name[1]:16} {min(ms):8.3f} {statistics.median(ms):8.3f}"
                f" {max(one['slowest_ms'] for one in rounds[name]):20.0f} {end['queued']:10.0f}"
                f" {end['rss_mb']:8.0f} ({filled[name]['bare_mb']:.0f})"
                f" {last.get('open_s', 0):10.2f} {last.get('file_mb', 0):8.0f}"
            )


if __name__ == "__main__":
    main()
