"""Does a fleet find what one worker finds? Recorded webs, real workers, scored from the server's log.

    python benchmarks/fleet_quality.py --server PATH/TO/SERVER WEB... --topics a,b,c --starts near,far \
        --fleets 1x16,4x4,4x16 --repeats 2 --budget 800 --out results.json

Every case (web, topic, start) is crawled through the server's HTTP proxy by each fleet, by turns, over a Redis of its
own: ``4x16`` is four workers that hold 16 requests each, ``4x4`` four that together hold what ``1x16`` holds. All of
them fetch the same budget of pages, without delay. Scored is the server's log (see benchmarks/real_crawl_quality.py);
nothing the crawler says of itself counts.

Printed are the means of the fleets, and what each has more or less than the first one: paired by case and repeat, with
a 95 % bootstrap interval over the cases. ``--read`` prints results that ``--out`` has written.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from real_crawl_quality import ROOT, SETTINGS, SPARE, name_of, proxy_of, tool, topics_of

from focuscrawl.lab.simulate.tables import text_table

sys.path.insert(0, str(ROOT / "tests"))
from redis_kit import RedisServer, running_redis

FIGURES = ("vs_oracle", "recall@2R")
READY = 0.25  # leases held ready beside each request, so that fleets of as many requests hold as many leases


def main() -> int:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("webs", nargs="*", type=Path, metavar="WEB")
    parser.add_argument("--server", type=Path, help="the script that serves and scores recorded webs")
    parser.add_argument("--topics", default="all", help="by commas; web/topic where names repeat")
    parser.add_argument("--starts", default="near,far")
    parser.add_argument("--fleets", default="1x16,4x4,4x16", help="workers x requests; the first is compared to")
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--budget", type=int, default=800, help="pages scored")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="Scrapy setting")
    parser.add_argument("--timeout", type=float, default=900.0, help="seconds a crawl may take")
    parser.add_argument("--keep", type=Path, help="folder for run folders and logs; default: thrown away")
    parser.add_argument("--out", type=Path)
    parser.add_argument("--read", type=Path, nargs="+", help="print these results and crawl nothing")
    args = parser.parse_args()
    if args.read:
        show([row for path in args.read for row in json.loads(path.read_text(encoding="utf-8"))])
        return 0
    if not args.webs or not args.server:
        parser.error("WEB and --server are needed, or --read")
    args.proxy, rows = "", []
    with tempfile.TemporaryDirectory(prefix="fleet-quality-") as temporary:
        work = (args.keep or Path(temporary)).resolve()
        for repeat in range(args.repeats):  # outermost: a run that is broken off still has every case
            for web in args.webs:
                for topic in topics_of(args, web):
                    for start in args.starts.split(","):
                        fleets = args.fleets.split(",")
                        for fleet in fleets if repeat % 2 == 0 else fleets[::-1]:
                            rows.append(run_case(args, web, topic, start, fleet, repeat, work))
                            say(rows[-1])
                            if args.out:
                                args.out.write_text(json.dumps(rows, ensure_ascii=False, indent=1), encoding="utf-8")
    show(rows)
    return 0


def run_case(
    args: argparse.Namespace, web: Path, topic: str, start: str, fleet: str, repeat: int, work: Path
) -> dict[str, Any]:
    """Crawl one case with one fleet and return its scores."""
    case = work / f"{name_of(web)}-{topic}-{start}-{fleet}-{repeat}".replace(":", "_")
    case.mkdir(parents=True, exist_ok=True)
    asked = ["--topic", topic, "--start", start]
    pages = round(args.budget * SPARE) + 20
    tool(args, "topic", str(web), *asked, "--pages", str(pages), "--out", f"{case}/topic.toml")
    with running_redis() as server, proxy_of(args, web, case) as (proxy, log):
        began = time.monotonic()
        crawl(args, case, fleet, repeat, pages, proxy, server)
        wall_s = time.monotonic() - began
    asked += ["--json", "--budget", str(args.budget), "--log", str(log)]
    scored = json.loads(tool(args, "score", str(web), *asked))
    return {
        "web": name_of(web),
        "topic": topic,
        "start": start,
        "fleet": fleet,
        "repeat": repeat,
        "relevant": scored["relevant"],
        "budget": args.budget,
        **scored["rows"][str(log)],
        "facts": scored["facts"][str(log)],
        "wall_s": round(wall_s, 1),
    }


def crawl(
    args: argparse.Namespace, case: Path, fleet: str, seed: int, pages: int, proxy: str, server: RedisServer
) -> None:
    """Run the workers of a fleet to their end."""
    workers, requests = map(int, fleet.split("x"))
    environment = {k: v for k, v in os.environ.items() if not k.lower().endswith("_proxy")} | {"http_proxy": proxy}
    settings = [
        *SETTINGS,
        f"FOCUSCRAWL_SEED={seed}",
        f"FOCUSCRAWL_FRONTIER_URL={server.url}",
        f"CONCURRENT_REQUESTS={requests}",
        f"FOCUSCRAWL_FRONTIER_BUFFER={max(1, round(READY * requests))}",
        "FOCUSCRAWL_REPORT=False",
        *args.set,
    ]
    processes, outputs = [], []
    for number in range(workers):
        command = [sys.executable, "-m", "scrapy", "crawl", "focused", "-a", f"topic={case}/topic.toml"]
        command += ["-a", f"pages={pages}", "-a", f"run={case}/run{number}"]
        command += [part for setting in settings for part in ("-s", setting)]
        outputs.append(case / f"output{number}.txt")
        with outputs[-1].open("wb") as output:
            process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=output, stderr=subprocess.STDOUT)
        processes.append(process)
    deadline = time.monotonic() + args.timeout
    try:
        for process, output in zip(processes, outputs, strict=True):
            if process.wait(max(1.0, deadline - time.monotonic())):
                said = output.read_text(errors="replace")[-2000:]
                raise SystemExit(f"fleet_quality: a worker ended with {process.returncode} in {case.name}:\n{said}")
    finally:
        for process in processes:
            process.kill()
            process.wait()


def say(row: dict[str, Any]) -> None:
    """Print a line of progress."""
    case = f"{row['web']} {row['topic']} {row['start']} {row['fleet']} #{row['repeat']}"
    scores = " ".join(f"{figure} {row[figure]:.3f}" for figure in FIGURES)
    again = row["facts"].get("fetched again", 0)
    print(f"  {case}: {scores} ({row['fetched']} pages, {again} again, {row['wall_s']:.0f} s)", file=sys.stderr)


def show(rows: list[dict[str, Any]]) -> None:
    """Print the means, and the differences to the first fleet."""
    fleets = list(dict.fromkeys(row["fleet"] for row in rows))
    starts = list(dict.fromkeys(row["start"] for row in rows))
    body = []
    for fleet in fleets:
        mine = [row for row in rows if row["fleet"] == fleet]
        cells = [f"{statistics.mean(r[f] for r in mine if r['start'] == s):.3f}" for f in FIGURES for s in starts]
        body.append([fleet, str(len(mine)), *cells])
    print(text_table(["workers x requests", "crawls", *[f"{f} {s}" for f in FIGURES for s in starts]], body))
    first, body = fleets[0], []
    for fleet in fleets[1:]:
        for start in [*starts, "all"]:
            cells = [interval(differences(rows, first, fleet, start, figure)) for figure in FIGURES]
            body.append([fleet, start, *cells, f"{relative(rows, first, fleet, start):+.1%}"])
    if body:
        print(f"\nless {first}, with 95 % intervals")
        print(text_table(["workers x requests", "start", *FIGURES, "of vs_oracle"], body))
    print(f"\nstandard deviation of vs_oracle between crawls of the same case by the same fleet: {spread(rows):.3f}")


def differences(rows: list[dict[str, Any]], first: str, fleet: str, start: str, figure: str) -> list[list[float]]:
    """Return what a fleet has more than the first, a list for every case (web, topic, start)."""
    found: dict[tuple[str, str, str], list[float]] = {}
    base = {(r["web"], r["topic"], r["start"], r["repeat"]): r[figure] for r in rows if r["fleet"] == first}
    for row in rows:
        case = row["web"], row["topic"], row["start"]
        if row["fleet"] == fleet and start in (row["start"], "all") and (*case, row["repeat"]) in base:
            found.setdefault(case, []).append(row[figure] - base[*case, row["repeat"]])
    return list(found.values())


def relative(rows: list[dict[str, Any]], first: str, fleet: str, start: str) -> float:
    """Return the difference of the means of vs_oracle as a share of the first fleet's mean."""
    paired = [one for case in differences(rows, first, fleet, start, "vs_oracle") for one in case]
    mean = statistics.mean(r["vs_oracle"] for r in rows if r["fleet"] == first and start in (r["start"], "all"))
    return statistics.mean(paired) / mean


def interval(cases: list[list[float]], draws: int = 4000) -> str:
    """Return the mean with its 95 % bootstrap interval, cases drawn anew and repeats within them."""
    rng = random.Random(0)
    means = []
    for _ in range(draws):
        drawn = [rng.choices(case, k=len(case)) for case in rng.choices(cases, k=len(cases))]
        means.append(statistics.mean(one for case in drawn for one in case))
    means.sort()
    mean = statistics.mean(one for case in cases for one in case)
    return f"{mean:+.3f} [{means[round(0.025 * draws)]:+.3f}, {means[round(0.975 * draws) - 1]:+.3f}]"


def spread(rows: list[dict[str, Any]]) -> float:
    """Return the standard deviation of one crawl about the mean of its case and fleet."""
    groups: dict[tuple[str, ...], list[float]] = {}
    for row in rows:
        groups.setdefault((row["web"], row["topic"], row["start"], row["fleet"]), []).append(row["vs_oracle"])
    several = [group for group in groups.values() if len(group) > 1]
    freedom = sum(len(group) - 1 for group in several)
    squares = sum(statistics.variance(group) * (len(group) - 1) for group in several)
    return (squares / freedom) ** 0.5 if freedom else 0.0


if __name__ == "__main__":
    sys.exit(main())
