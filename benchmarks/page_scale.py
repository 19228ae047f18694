"""What a page costs the page step and the frontier together, with few and with many URLs queued.

As `frontier_scale.py`, with the real step in between: each page is HTML of about 40 kB with 110 links, a third of them
new, made beforehand; it is parsed, judged, extracted where relevant, its links scored and ranked, and settled with the
new offsets. Fetching is the only part of a crawl that is left out. Each case runs in a process of its own; they take
turns, so that both are measured under the same load, and the ratio is that of rounds side by side. Numbers are CPU time
of the process, all threads; memory is its resident set.

    python benchmarks/page_scale.py [--pages 200] [--rounds 5] [--cases 10000/10,1000000/10000] [--strategy apprentice]
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

from frontier_scale import BATCH, Web, resident_mb

from focuscrawl.crawler.allocator import give_back_freed_memory
from focuscrawl.crawler.build import StepChoices, build_step
from focuscrawl.crawler.fetched import Fetched
from focuscrawl.frontier.sqlite import SqliteFrontier
from focuscrawl.records import Lease
from focuscrawl.topic.spec import load_topic

_TOPIC = Path(__file__).resolve().parent.parent / "topics" / "bicycle-repair.toml"
_OTHER = (
    "river stone bridge lock keeper boat canal water level winter repair wall valley mill wheel barge rope horse path "
    "field hedge village market coal timber grain cargo season flood gate tunnel hill cutting aqueduct"
)
_SUBJECT = "bicycle chain derailleur brake tyre spoke repair hub gear wheel"
_WORDS, _ON_TOPIC = _OTHER.split(), _SUBJECT.split()


def html_of(lease: Lease, web: Web) -> bytes:
    """Return a page that links as `Web` says; one in five is on the topic."""
    rng = random.Random(lease.entry.key)
    words = _ON_TOPIC + _WORDS[:10] if rng.random() < 0.2 else _WORDS

    def some(least: int, most: int) -> str:
        return " ".join(rng.choices(words, k=rng.randint(least, most)))

    links = web.links(lease.entry)
    menu = "".join(f'<li class="item"><a href="{one.url}">{some(1, 3)}</a></li>\n' for one in links[:60])
    body = "".join(
        f'<p>{some(30, 60)} <a href="{one.url}" title="{some(1, 2)}">{some(2, 4)}</a> {some(20, 40)}.</p>\n'
        for one in links[60:]
    )
    head = f"<!DOCTYPE html><html lang=en><head><meta charset=utf-8><title>{some(3, 8)}</title></head>"
    return f"{head}<body><nav><ul>{menu}</ul></nav><main><h1>{some(3, 6)}</h1>{body}</main></body></html>".encode()


async def case(strategy: str, urls: int, hosts: int, folder: Path) -> None:
    """Fill a frontier, then answer each line of standard input with a measured round."""
    give_back_freed_memory()  # as a crawl does
    step = build_step(load_topic(_TOPIC), choices=StepChoices(strategy=strategy))
    frontier = SqliteFrontier(folder / "crawl.db")
    bare_mb = resident_mb()
    await frontier.open()
    web = Web(hosts)
    await web.fill(frontier, urls)
    print(json.dumps({"bare_mb": bare_mb, "filled_mb": resident_mb()}), flush=True)
    for line in sys.stdin:
        spent = relevant = links = 0.0
        pages = int(line) // BATCH * BATCH
        for _ in range(pages // BATCH):
            started = time.process_time()
            leases = await frontier.lease(BATCH, worker="w", per_host=8, lease_s=3600.0)
            spent += time.process_time() - started
            bodies = [html_of(lease, web) for lease in leases]
            started = time.process_time()
            results = [
                step.process(Fetched(lease.entry.url, 200, body, time.time(), content_type="text/html"), lease)
                for lease, body in zip(leases, bodies, strict=True)
            ]
            assert all(await frontier.settle([result.settlement for result in results]))
            for result in results:
                await frontier.set_offsets(result.offsets)
                if result.rescores:
                    await frontier.rescore(result.rescores)
            spent += time.process_time() - started
            relevant += sum(result.record.relevant for result in results)
            links += sum(len(result.settlement.edges) for result in results)
        queued = (await frontier.stats()).queued
        print(
            json.dumps(
                {
                    "ms": spent / pages * 1e3,
                    "rss_mb": resident_mb(),
                    "queued": queued,
                    "relevant": relevant / pages,
                    "links": links / pages,
                }
            ),
            flush=True,
        )
    await frontier.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--pages", type=int, default=200, help="pages a round")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--cases", default="10000/10,1000000/10000", help="URLs/hosts, by commas; the first is 1.00")
    parser.add_argument("--strategy", default="apprentice")
    parser.add_argument("--child", nargs=3, metavar=("STRATEGY", "CASE", "FOLDER"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        strategy, sizes, folder = options.child
        urls, hosts = map(int, sizes.split("/"))
        asyncio.run(case(strategy, urls, hosts, Path(folder)))
        return
    with tempfile.TemporaryDirectory() as folder:
        children: dict[str, subprocess.Popen[str]] = {}
        filled: dict[str, dict[str, float]] = {}
        for sizes in options.cases.split(","):
            place = Path(folder, sizes.replace("/", "-"))
            place.mkdir()
            children[sizes] = subprocess.Popen(
                [sys.executable, __file__, "--child", options.strategy, sizes, str(place)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
            filled[sizes] = json.loads(children[sizes].stdout.readline())  # type: ignore[union-attr]
        rounds: dict[str, list[dict[str, float]]] = {sizes: [] for sizes in children}
        # The first round fills caches and is not counted.
        for turn in range(options.rounds + 1):
            for sizes, child in children.items():
                assert child.stdin is not None
                assert child.stdout is not None
                child.stdin.write(f"{options.pages}\n")
                child.stdin.flush()
                found = json.loads(child.stdout.readline())
                if turn:
                    rounds[sizes].append(found)
        for child in children.values():
            child.stdin.close()  # type: ignore[union-attr]
            child.wait()
        first = [one["ms"] for one in next(iter(rounds.values()))]
        print("URLs/hosts       CPU ms/page (least median most)   ratio   RSS MB (full, bare)   relevant  links/page")
        for sizes, found in rounds.items():
            ms = [one["ms"] for one in found]
            ratio = statistics.median(mine / other for mine, other in zip(ms, first, strict=True))
            print(
                f"{sizes:16} {min(ms):9.2f} {statistics.median(ms):9.2f} {max(ms):9.2f} {ratio:11.2f}"
                f" {found[-1]['rss_mb']:8.0f} ({filled[sizes]['filled_mb']:.0f}, {filled[sizes]['bare_mb']:.0f})"
                f" {found[-1]['relevant']:12.2f} {found[-1]['links']:9.0f}"
            )


if __name__ == "__main__":
    main()
