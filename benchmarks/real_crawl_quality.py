"""Crawl quality through the real crawler: every page over HTTP, scored from the server's log.

    python benchmarks/real_crawl_quality.py --server PATH/TO/SERVER WEB... \
        --strategies heuristic,breadth-first --starts near,far,portal --topics all --seeds 1 --out results.json

For each case: the recorded web is served (``SERVER serve``, a forward proxy on nginx), its topic is written as a
topic file (``SERVER topic``), ``scrapy crawl focused`` crawls through the proxy without delay, and the access log is
scored (``SERVER score --json``). Nothing the crawler says of itself counts.

``--simulate N`` crawls every case by replay too, with N random seeds and the same budget, and prints both beside each
other: how far the real crawl lies from the mean of the replays, in standard deviations of one replay.
``--compare simulated.json`` takes the replays from results of benchmarks/quality.py instead. ``--proxy URL`` crawls
through a server that runs already, with the log that ``--log`` names.
"""

from __future__ import annotations

import argparse
import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from focuscrawl.lab.simulate.cases import Case, CaseResult, CaseSettings, Laboratory
from focuscrawl.lab.simulate.experiment import load_results
from focuscrawl.lab.simulate.recorded import STARTS
from focuscrawl.lab.simulate.tables import text_table

ROOT = Path(__file__).resolve().parent.parent
# The crawl is stopped by the pages it is scored by; pages of other kinds and pages fetched twice need some room.
SPARE = 1.1
SETTINGS = ["DOWNLOAD_DELAY=0", "AUTOTHROTTLE_ENABLED=False", "LOG_LEVEL=WARNING"]


def main() -> int:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("webs", nargs="+", type=Path, metavar="WEB")
    parser.add_argument("--server", type=Path, required=True, help="the script that serves and scores recorded webs")
    parser.add_argument("--strategies", default="heuristic,breadth-first")
    parser.add_argument("--starts", default="near,far,portal")
    parser.add_argument("--topics", default="all", help="by commas; web/topic where names repeat")
    parser.add_argument("--cases", default="", metavar="WEB/TOPIC/START,…", help="instead of topics and starts")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--budget", type=int, help="pages scored; default: as the scorer does")
    parser.add_argument("--budget-factor", type=float, help="pages scored, as a multiple of the relevant pages")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="Scrapy setting")
    parser.add_argument("--timeout", type=float, default=1800.0, help="seconds a crawl may take")
    parser.add_argument("--keep", type=Path, help="folder for run folders and logs; default: thrown away")
    parser.add_argument("--out", type=Path)
    parser.add_argument("--compare", type=Path, help="results of benchmarks/quality.py")
    parser.add_argument("--simulate", type=int, default=0, metavar="SEEDS", help="replay every case so often")
    parser.add_argument("--cache", type=Path, help="private folder for the analysed pages of replays")
    parser.add_argument("--proxy", default="", help="http://127.0.0.1:PORT of a running server; with --log")
    parser.add_argument("--log", type=Path, help="the running server's log; emptied before each crawl")
    args = parser.parse_args()
    if bool(args.proxy) != bool(args.log):
        parser.error("--proxy and --log go together")
    if args.proxy and not args.proxy.startswith("http://127.0.0.1:"):
        parser.error(f"--proxy {args.proxy}: only http://127.0.0.1:PORT is crawled through")
    rows: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory(prefix="focuscrawl-web-") as temporary:
        work = (args.keep or Path(temporary)).resolve()
        for web, topic, start in cases_of(args):
            for strategy in args.strategies.split(","):
                for seed in range(args.seeds):
                    rows.append(run_case(args, web, topic, start, strategy, seed, work))
                    say(rows[-1])
                    if args.out:
                        args.out.write_text(json.dumps(rows, ensure_ascii=False, indent=1), encoding="utf-8")
    show(rows)
    if args.compare:
        compare(rows, load_results(args.compare))
    if args.simulate:
        compare(rows, replays(args, rows))
    return 0


def cases_of(args: argparse.Namespace) -> list[tuple[Path, str, str]]:
    """Return the cases to crawl, each a web, a topic and a start: those named, else topics by starts."""
    if not args.cases:
        starts = args.starts.split(",")
        return [(web, topic, start) for web in args.webs for topic in topics_of(args, web) for start in starts]
    webs = {name_of(web): web for web in args.webs}
    cases = []
    for text in args.cases.split(","):
        web, _, rest = text.partition("/")
        topic, _, start = rest.partition("/")
        if web not in webs or start not in STARTS:
            known = f"{', '.join(webs)} and {', '.join(STARTS)}"
            raise SystemExit(f"real_crawl_quality: --cases {text}: expected WEB/TOPIC/START, of {known}")
        cases.append((webs[web], topic, start))
    return cases


def topics_of(args: argparse.Namespace, web: Path) -> list[str]:
    """Return the topics to crawl on a web."""
    names = [line.split("\t")[0] for line in tool(args, "topics", str(web)).splitlines()]
    if args.topics == "all":
        return names
    wanted = args.topics.split(",")
    return [n for n in names if n in wanted or f"{name_of(web)}/{n}" in wanted]


def name_of(web: Path) -> str:
    """Return the name of a web, as its own description has it."""
    facts = web / "world.json"
    if facts.is_file():
        return str(json.loads(facts.read_text(encoding="utf-8")).get("name", web.name))
    return web.name.partition(".tar")[0]


def run_case(
    args: argparse.Namespace, web: Path, topic: str, start: str, strategy: str, seed: int, work: Path
) -> dict[str, Any]:
    """Crawl one case and return its scores."""
    case = work / f"{name_of(web)}-{topic}-{start}-{strategy}-{seed}".replace(":", "_")
    case.mkdir(parents=True, exist_ok=True)
    asked = ["score", str(web), "--topic", topic, "--start", start, "--json"]
    budget = args.budget
    if budget is None:
        facts = json.loads(tool(args, *asked))
        budget = round(args.budget_factor * facts["relevant"]) if args.budget_factor else facts["budget"]
    pages = round(budget * SPARE) + 20
    tool(
        args,
        "topic",
        str(web),
        "--topic",
        topic,
        "--start",
        start,
        "--pages",
        str(pages),
        "--out",
        f"{case}/topic.toml",
    )
    with proxy_of(args, web, case) as (proxy, log):
        began = time.monotonic()
        cpu_s, said = crawl(args, case, strategy, seed, pages, proxy)
        wall_s = time.monotonic() - began
    scored = json.loads(tool(args, *asked, "--budget", str(budget), "--log", str(log)))
    fetched = scored["facts"][str(log)].get("html fetched", 0)
    return {
        "web": name_of(web),
        "topic": topic,
        "start": start,
        "strategy": strategy,
        "seed": seed,
        "relevant": scored["relevant"],
        "budget": budget,
        "breadth_first": scored["rows"]["breadth-first"],
        **scored["rows"][str(log)],
        "facts": scored["facts"][str(log)],
        "wall_s": round(wall_s, 1),
        "cpu_ms_per_page": round(1000 * cpu_s / max(1, fetched), 2),
        "said": said,
    }


@contextmanager
def proxy_of(args: argparse.Namespace, web: Path, case: Path) -> Iterator[tuple[str, Path]]:
    """Serve the web, or use the server that runs already; yield the proxy's URL and its log, which starts empty."""
    if args.proxy:
        os.truncate(args.log, 0)
        yield args.proxy, args.log
        return
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port = s.getsockname()[1]
    log = case / "access.tsv"
    server = subprocess.Popen(
        [str(args.server), "serve", str(web), "--port", str(port), "--log", str(log)], stdout=subprocess.DEVNULL
    )
    try:
        wait_for(port, server)
        yield f"http://127.0.0.1:{port}", log
    finally:
        server.terminate()
        server.wait()


def replays(args: argparse.Namespace, rows: list[dict[str, Any]]) -> list[CaseResult]:
    """Replay the cases of the real crawls with the budgets these had."""
    paths = {name_of(web): str(web) for web in args.webs}
    laboratories: dict[int, Laboratory] = {}
    results: list[CaseResult] = []
    for row in {(r["web"], r["topic"], r["start"], r["strategy"]): r for r in rows}.values():
        # A floor of the wanted budget and next to no factor: the budget is exactly the real crawl's.
        settings = CaseSettings(
            budget_factor=1e-9, budget_floor=row["budget"], cache=str(args.cache) if args.cache else None
        )
        laboratory = laboratories.setdefault(row["budget"], Laboratory(settings))
        for seed in range(args.simulate):
            case = Case(paths[row["web"]], row["topic"], row["start"], row["strategy"], seed)
            results.append(laboratory.run(case))
    for laboratory in laboratories.values():
        laboratory.close()
    return results


def crawl(args: argparse.Namespace, case: Path, strategy: str, seed: int, pages: int, proxy: str) -> tuple[float, str]:
    """Run the crawler; return its CPU time and the last lines it printed."""
    settings = [part for pair in [*SETTINGS, f"FOCUSCRAWL_SEED={seed}", *args.set] for part in ("-s", pair)]
    command = [sys.executable, "-m", "scrapy", "crawl", "focused", "-a", f"topic={case}/topic.toml"]
    command += ["-a", f"strategy={strategy}", "-a", f"pages={pages}", "-a", f"run={case}/run", *settings]
    environment = {k: v for k, v in os.environ.items() if not k.lower().endswith("_proxy")}
    before = os.times()
    with (case / "output.txt").open("wb") as output:
        process = subprocess.run(
            command,
            cwd=ROOT,
            # Without the second one, https links are looked up by name and hold places for seconds.
            env=environment | {"http_proxy": proxy, "https_proxy": proxy},
            stdout=output,
            stderr=subprocess.STDOUT,
            timeout=args.timeout,
            check=False,
        )
    after = os.times()
    said = (case / "output.txt").read_text(errors="replace")[-2000:]
    if process.returncode:
        raise SystemExit(f"real_crawl_quality: the crawl failed ({' '.join(command)}):\n{said}")
    cpu_s = after.children_user - before.children_user + after.children_system - before.children_system
    return cpu_s, said


def wait_for(port: int, server: subprocess.Popen[bytes]) -> None:
    """Wait until the server answers."""
    deadline = time.monotonic() + 120  # an archive is unpacked first
    while time.monotonic() < deadline and server.poll() is None:
        with socket.socket() as s:
            s.settimeout(0.5)
            if s.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    raise SystemExit("real_crawl_quality: the server did not start")


def tool(args: argparse.Namespace, *arguments: str) -> str:
    """Run the script that serves and scores recorded webs."""
    done = subprocess.run([sys.executable, str(args.server), *arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"real_crawl_quality: {args.server} {arguments[0]} failed: {done.stderr.strip()[-500:]}")
    return done.stdout


def say(row: dict[str, Any]) -> None:
    """Print a line of progress."""
    case = f"{row['web']} {row['topic']} {row['start']} {row['strategy']} #{row['seed']}"
    facts = f"{row['fetched']} pages, {row['cpu_ms_per_page']:.1f} ms CPU each, {row['wall_s']:.0f} s"
    scores = f"vs_oracle {row['vs_oracle']:.3f} recall@2R {row['recall@2R']:.3f}"
    print(f"  {case}: {scores} ({facts})", file=sys.stderr, flush=True)


def show(rows: list[dict[str, Any]]) -> None:
    """Print the means."""
    starts = list(dict.fromkeys(r["start"] for r in rows))
    body = []
    for strategy in dict.fromkeys(r["strategy"] for r in rows):
        mine = [r for r in rows if r["strategy"] == strategy]
        figures = [(f, s) for f in ("vs_oracle", "recall@2R") for s in starts]
        cells = [strategy, *(mean([r[f] for r in mine if r["start"] == s]) for f, s in figures)]
        cells.append(mean([r["cpu_ms_per_page"] for r in mine], 1))
        body.append(cells)
    head = ["strategy", *[f"{f} {s}" for f in ("vs_oracle", "recall@2R") for s in starts], "ms/page"]
    print(text_table(head, body))


def compare(rows: list[dict[str, Any]], simulated: list[CaseResult]) -> None:
    """Print the real crawls beside the simulated ones of the same case."""
    by_case: dict[tuple[str, ...], list[float]] = {}
    for result in simulated:
        case = (result.web, result.topic, result.start, result.strategy)
        by_case.setdefault(case, []).append(result.vs_oracle)
    body, gaps = [], []
    for r in rows:
        known = by_case.get((r["web"], r["topic"], r["start"], r["strategy"]))
        if known:
            gap = r["vs_oracle"] - statistics.mean(known)
            gaps.append(gap)
            name = f"{r['web']} {r['topic']} {r['start']} {r['strategy']} #{r['seed']}"
            spread = statistics.stdev(known) if len(known) > 1 else None
            body.append(
                [
                    name,
                    f"{r['vs_oracle']:.3f}",
                    f"{statistics.mean(known):.3f}",
                    "-" if spread is None else f"{spread:.3f}",
                    f"{gap:+.3f}",
                    f"{gap / spread:+.1f}" if spread else "-",
                ]
            )
    if body:
        print("\n" + text_table(["case", "real", "replays", "spread", "gap", "in spreads"], body))
        print(f"mean gap {statistics.mean(gaps):+.3f}, mean distance {statistics.mean(abs(g) for g in gaps):.3f}")


def mean(values: list[float], digits: int = 3) -> str:
    """Return the mean as text."""
    return f"{statistics.mean(values):.{digits}f}" if values else "-"


if __name__ == "__main__":
    sys.exit(main())
