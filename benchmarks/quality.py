"""Crawl quality without a network: every strategy on every topic of recorded webs, by start and order of answers.

    python benchmarks/quality.py WEB... --strategies heuristic,keyword-first --starts near,far,portal \
        --topics all --orders 5 --jobs 2 --cache ~/.cache/focuscrawl-quality --out results.json --picture curves.png

WEB is a folder or archive in the layout of `focuscrawl.lab.simulate.recorded`. Same command as
``focuscrawl evaluate``; ``--budget-floor 1`` gives a page budget of exactly 5 x relevant. ``--generate knob=value,…``
(repeatable) makes a web (`focuscrawl.lab.simulate.generator`); without WEB and ``--generate``, sixteen families are
made, each with a difficulty of its own (`focuscrawl.lab.simulate.generator_knobs`).
``--read results.json`` prints the tables of an earlier run, several files beside each other.

Beside the means stand the standard deviation between the orders of a case, the worst of them, and the time a polite
crawl takes. Every strategy is compared with one of them (``--against``; default: apprentice, else the first), the
topics on which that one falls below half of the best are named, and ``--variants "apprentice,apprentice:words=false"``
chooses among settings on one web and reports the choice on the others, for each web.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from focuscrawl.errors import FocusCrawlError
from focuscrawl.lab.simulate.cases import JUDGES, ORACLE, CaseResult, CaseSettings
from focuscrawl.lab.simulate.comparison import METRICS, differences, leave_one_web_out, shortfalls
from focuscrawl.lab.simulate.crawl import PER_HOST, PIPELINE
from focuscrawl.lab.simulate.experiment import Experiment, load_results, run_experiment, save_results
from focuscrawl.lab.simulate.generator import generate_webs
from focuscrawl.lab.simulate.generator_knobs import FAMILIES
from focuscrawl.lab.simulate.picture import draw_curves
from focuscrawl.lab.simulate.tables import difference_table, summary_table, text_table, topic_table
from focuscrawl.ranking.strategies import DEFAULT_STRATEGY

STRATEGIES = (
    "breadth-first,random,keyword-first,best-first,best-first-256,naive-soft-focus,shark,uh,teh,tih,amh,rw,rwb,dom,"
    "context-graph,locality,infospiders,tagpath,backlink,pagerank,hits,ipagerank,heuristic,apprentice"
)


def main() -> int:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("webs", nargs="*", type=Path, metavar="WEB")
    parser.add_argument("--generate", action="append", default=[], metavar="KNOB=VALUE,…", help="make a web")
    parser.add_argument("--strategies", default=STRATEGIES, help="by commas; options as name:option=value")
    parser.add_argument("--starts", default="near,far,portal")
    parser.add_argument("--topics", default="all", help="by commas; web/topic where names repeat")
    parser.add_argument(
        "--orders", type=int, default=5, help="random orders of the answers a case, as from a busy server"
    )
    parser.add_argument(
        "--against", default="", help="strategy compared with all others; default: apprentice, else the first"
    )
    parser.add_argument("--floor", type=float, default=0.5, help="share of the best value no topic should fall below")
    parser.add_argument("--variants", default="", help="strategies to choose among, web by web; run them too")
    parser.add_argument("--judge", choices=JUDGES, default="topic", help="labels: a judge that knows the labels")
    parser.add_argument("--grade", type=int, default=2, help="from which grade on a page counts")
    parser.add_argument(
        "--budget-factor", type=float, default=5.0, help="page budget as a multiple of the relevant pages"
    )
    parser.add_argument("--budget-floor", type=int, default=1500, help="least page budget; 1 for none")
    parser.add_argument("--pipeline", type=int, default=PIPELINE, help="pages in flight")
    parser.add_argument("--per-host", type=int, default=PER_HOST, help="of one host")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--cache", type=Path, help="private folder for analysed pages")
    parser.add_argument("--pin", default="", help="name of a cache that outlives changes of the analysing code")
    parser.add_argument("--memory-pages", type=int, default=30_000, help="analyses kept in memory, a process")
    parser.add_argument("--out", type=Path, help="JSON of every crawl")
    parser.add_argument("--picture", type=Path)
    parser.add_argument("--by-topic", action="store_true", help="print single topics too")
    parser.add_argument(
        "--read", type=Path, nargs="+", help="print results of earlier runs instead; a label may precede: new=FILE"
    )
    parser.add_argument("--quiet", action="store_true", help="no line for each crawl")
    args = parser.parse_args()
    try:
        if args.read:
            results = read_earlier(args.read)
        else:
            with tempfile.TemporaryDirectory(prefix="focuscrawl-quality-") as folder:
                results = measure(args, Path(folder))
        if args.picture:
            draw_curves(results, args.picture)
    except (FocusCrawlError, OSError) as error:
        print(f"quality: {error}", file=sys.stderr)
        return 1
    show(results, args.against, by_topic=args.by_topic, floor=args.floor, variants=parts(args.variants))
    return 0


def measure(args: argparse.Namespace, folder: Path) -> list[CaseResult]:
    """Run the crawls that the arguments ask for; made webs go into `folder`."""
    knobs = args.generate or ([] if args.webs else list(FAMILIES.values()))
    experiment = Experiment(
        webs=[*(str(path) for path in args.webs), *generate_webs(knobs, folder)],
        strategies=list(dict.fromkeys([ORACLE, *parts(args.strategies), *parts(args.variants)])),
        starts=parts(args.starts),
        topics=[] if args.topics == "all" else parts(args.topics),
        seeds=args.orders,
        settings=CaseSettings(
            judge=args.judge,
            grade=args.grade,
            budget_factor=args.budget_factor,
            budget_floor=args.budget_floor,
            pipeline=args.pipeline,
            per_host=args.per_host,
            cache=str(args.cache.expanduser()) if args.cache else None,
            memory_pages=args.memory_pages,
            pin=args.pin,
        ),
    )
    began = time.monotonic()
    results = run_experiment(experiment, jobs=args.jobs, on_result=None if args.quiet else say)
    pages = sum(r.fetched for r in results if r.strategy != ORACLE)
    wall = time.monotonic() - began
    print(f"{len(results)} crawls, {pages} pages, {wall:.0f} s, {pages / max(wall, 1e-9):.0f} pages/s", file=sys.stderr)
    if args.out:
        save_results(args.out, experiment, results)
    return results


def read_earlier(files: list[Path]) -> list[CaseResult]:
    """Read results of earlier runs; the strategies of labelled files carry the label."""
    results: list[CaseResult] = []
    for file in files:
        label, equals, path = str(file).rpartition("=")
        for result in load_results(Path(path)):
            rename = equals and result.strategy != ORACLE
            results.append(replace(result, strategy=f"{label}/{result.strategy}") if rename else result)
    return results


def show(results: list[CaseResult], against: str, *, by_topic: bool, floor: float, variants: list[str]) -> None:
    """Print the tables."""
    if by_topic:
        for metric in METRICS[:2]:
            print(f"{metric} by topic\n{topic_table(results, metric)}\n")
    print(f"means over topics\n{summary_table(results)}\n")
    names = list(dict.fromkeys(r.strategy for r in results if r.strategy != ORACLE))
    base = against or (DEFAULT_STRATEGY if DEFAULT_STRATEGY in names else names[0] if names else "")
    for metric in METRICS[:2]:
        found = [d for d in differences(results, base, metric=metric) if d.strategy != ORACLE]
        if found:
            print(f"{metric}: paired by topic, 95 % bootstrap interval, * = without zero, on six topics or more")
            print(f"{difference_table(found)}\n")
    if len(names) > 1:
        print(f"{floor_report(results, base, floor)}\n")
    if variants:
        print(f"{variant_report(results, variants)}\n")


def floor_report(results: list[CaseResult], strategy: str, floor: float) -> str:
    """Return where a strategy falls below a share of the best strategy's vs_oracle."""
    low = shortfalls(results, strategy, share=floor)
    cases = len({(r.web, r.topic, r.start) for r in results if r.strategy == strategy})
    text = f"{strategy}: below {floor:g} of the best strategy's vs_oracle on {len(low)} of {cases} topics and starts"
    if not low:
        return text
    rows = [[f"{s.web} {s.topic} {s.start}", f"{s.value:.3f}", s.best, f"{s.best_value:.3f}"] for s in low]
    return f"{text}\n{text_table(['web topic start', strategy, 'best', 'its value'], rows)}"


def variant_report(results: list[CaseResult], variants: list[str]) -> str:
    """Return what settings chosen on one web are worth on the others."""
    found = leave_one_web_out(results, variants)
    if not found:
        return "leave one web out: needs the variants' results on two webs or more"
    rows = [
        [f"{h.chosen_on}: {h.strategy}", h.start, *(f"{v:.3f}" for v in (h.there, h.elsewhere, h.best_elsewhere))]
        for h in found
    ]
    head = ["chosen on: variant", "start", "vs_oracle there", "on the others", "best on the others"]
    return f"settings chosen on one web, reported on the others\n{text_table(head, rows)}"


def say(r: CaseResult) -> None:
    """Print a line of progress."""
    if r.strategy != ORACLE:
        print(
            f"  {r.web} {r.topic} {r.start} {r.strategy} #{r.seed}: vs_oracle {r.vs_oracle:.3f} "
            f"recall@2R {r.recall_at_2r:.3f} ({r.fetched} pages, {r.cpu_ms_per_page:.2f} ms each, {r.stopped})",
            file=sys.stderr,
            flush=True,
        )


def parts(text: str) -> list[str]:
    """Split at commas."""
    return list(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))


if __name__ == "__main__":
    sys.exit(main())
