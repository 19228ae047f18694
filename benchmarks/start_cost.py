"""CPU time and memory of a crawl until its first request, beside plain Scrapy.

    python benchmarks/start_cost.py --web FOLDER --topic recipes --repeats 5

Each crawl is a process of its own that ends itself when a request reaches the downloader (that for robots.txt is the
first), so nothing is fetched and no server is needed. What counts is everything before: the interpreter, imports,
Scrapy, reading and fitting the topic, opening the run folder, queueing the seed. One run of each kind comes first and
is not counted: it compiles modules and makes word lists, as the first crawl of a user does.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
from pathlib import Path

from crawl_cost import COMMON, PLAIN_SPIDER, ROOT, make_site, write_topic
from scrapy_process import run_scrapy

from focuscrawl.lab.simulate.recorded import RecordedWeb

PLAIN = "plain"
REPORTER = """
import os
import time

from scrapy import signals


class FirstRequest:
    @classmethod
    def from_crawler(cls, crawler):
        made = cls()
        crawler.signals.connect(made.seen, signal=signals.request_reached_downloader)
        return made

    def seen(self):
        seconds = time.process_time()
        with open("/proc/self/status") as file:
            peak = next(line.split()[1] for line in file if line.startswith("VmHWM"))
        with open(os.environ["FIRST_REQUEST"], "w") as file:
            file.write(f"{seconds} {peak}")
        os._exit(0)
"""


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--web", type=Path, help="recorded web of the topic; a made topic without it")
    parser.add_argument("--topic", help="with --web: the name of a topic")
    parser.add_argument("--strategies", default="breadth-first,apprentice", help="by commas")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--root", type=Path, action="append", help="checkout to measure; more of them take turns")
    args = parser.parse_args()
    if bool(args.web) != bool(args.topic):
        parser.error("--web and --topic belong together")
    roots = [root.resolve() for root in args.root or [ROOT]]
    with tempfile.TemporaryDirectory(prefix="focuscrawl-start-") as folder:
        work = Path(folder)
        (work / "plain.py").write_text(PLAIN_SPIDER)
        (work / "first_request.py").write_text(REPORTER)
        if args.web:
            web = RecordedWeb(args.web)
            topic = write_topic(web, args.topic, "portal", work / "topic.toml")
            seed = web.topic(args.topic).starts["portal"][0]
        else:
            _, seed, topic = make_site(work, pages=1)
        kinds = [(PLAIN, ROOT), *((strategy, root) for strategy in args.strategies.split(",") for root in roots)]
        runs: dict[tuple[str, Path], list[tuple[float, float]]] = {kind: [] for kind in kinds}
        for number in range(args.repeats + 1):
            for kind, root in kinds:
                cost = start(kind, root, work, seed, topic)
                if number:
                    runs[kind, root].append(cost)
    print(f"{'crawl':<16} {'CPU s':>6} {'RSS MB':>7}  CPU of each run")
    for (kind, root), costs in runs.items():
        seconds = [cpu for cpu, _ in costs]
        where = f"  {root}" if len(roots) > 1 and kind != PLAIN else ""
        print(
            f"{kind:<16} {statistics.median(seconds):>6.2f} {statistics.median(peak for _, peak in costs):>7.0f}  "
            + " ".join(f"{cpu:.2f}" for cpu in seconds)
            + where
        )


def start(kind: str, root: Path, work: Path, seed: str, topic: Path) -> tuple[float, float]:
    """Run one crawl up to its first request; return its CPU seconds and its peak of memory in MB."""
    told = work / "told.txt"
    told.unlink(missing_ok=True)
    if kind == PLAIN:
        spider = ["runspider", str(work / "plain.py"), "-a", f"urls={seed}"]
    else:
        run = f"{tempfile.mkdtemp(dir=work)}/run"
        spider = ["crawl", "focused", "-a", f"topic={topic}", "-a", f"seeds={seed}", "-a", f"strategy={kind}"]
        spider += ["-a", "pages=1", "-a", f"run={run}"]
    settings = COMMON | {"EXTENSIONS": '{"first_request.FirstRequest": 1}'}
    path = str(work) if kind == PLAIN else f"{root}{os.pathsep}{work}"
    # A port that nothing listens on, should a request get further than it may.
    environment = {"http_proxy": "http://127.0.0.1:9", "PYTHONPATH": path, "FIRST_REQUEST": str(told)}
    used = run_scrapy(spider, folder=work if kind == PLAIN else root, settings=settings, environment=environment)
    if not told.is_file():
        raise SystemExit(f"start_cost: the {kind} crawl made no request:\n{used.said[-2000:]}")
    seconds, peak = told.read_text().split()
    return float(seconds), int(peak) / 1024


if __name__ == "__main__":
    main()
