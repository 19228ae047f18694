"""Signals of the literature as features of the default strategy's learned part: what each is worth, nested over webs.

    python benchmarks/link_signals.py FOLDER --out signals.jsonl --cache ~/.cache/focuscrawl-quality
    python benchmarks/link_signals.py --read signals.jsonl

FOLDER holds the recorded webs by name, as for benchmarks/ranking_table.py. A signal adds features to the links that the
logistic model of `apprentice` learns from; they have no weight before it has learned one, and everything else is as it
is. `none` adds nothing. Each crawl is a line of the file, written as it ends; a run that was broken off goes on.

The gain of a signal is the mean difference of `vs_oracle` from `none`, case by case and order by order. The nested line
chooses on all webs but one the signal (or none) that is best there, and reports its gain on the one left out.
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from link_features import SIGNALS, SignalApprentice

from focuscrawl import plugins
from focuscrawl.crawler.step import PageStep
from focuscrawl.errors import FocusCrawlError
from focuscrawl.lab.simulate.cases import Case, CaseSettings, Laboratory
from focuscrawl.lab.simulate.tables import text_table
from focuscrawl.ranking.apprentice import Apprentice
from focuscrawl.scoring.base import PageScorer

CASES = (
    ("en-web", "recipes", "near"),
    ("zh1", "medicine", "near"),
    ("en-web2", "python", "portal"),
    ("en-felix", "politics", "far"),
)
PLAIN = "none"


def main() -> int:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?", metavar="FOLDER")
    parser.add_argument("--orders", type=int, default=5)
    parser.add_argument("--pages", type=int, default=500, help="of a crawl")
    parser.add_argument("--out", type=Path, help="JSON lines, one for each crawl")
    parser.add_argument("--cache", type=Path, help="private folder for analysed pages")
    parser.add_argument("--read", type=Path, help="print the table of an earlier run")
    args = parser.parse_args()
    if (args.read is None) == (args.folder is None) or (args.read is None and args.out is None):
        parser.error("expected FOLDER with --out, or --read")
    try:
        if args.read is None:
            measure(args)
        print(table(list(rows(args.read or args.out))))
    except (FocusCrawlError, OSError) as error:
        print(f"link_signals: {error}", file=sys.stderr)
        return 1
    return 0


def measure(args: argparse.Namespace) -> None:
    """Run the crawls that the file does not have, order by order, so that a part of them is a table too."""
    under_test = PLAIN

    def prepare(step: PageStep) -> None:
        if under_test == PLAIN:
            return
        ranker = SignalApprentice(step.topic, SIGNALS[under_test](step.topic))
        known = step.scorer.scorers
        more = {name: plugins.build("scorers", name, seed=0) for name in ranker.needs if name not in known}
        step.ranker, step.scorer = ranker, PageScorer({**known, **more})

    cache = str(args.cache.expanduser()) if args.cache else None
    # A floor of the wanted budget and next to no factor: every crawl has the same number of pages.
    settings = CaseSettings(budget_factor=1e-9, budget_floor=args.pages, cache=cache)
    laboratory = Laboratory(settings, prepare=prepare)
    paths = {path.name.partition(".")[0]: str(path) for path in sorted(args.folder.iterdir())}
    missing = sorted({web for web, _, _ in CASES} - paths.keys())
    if missing:
        raise FocusCrawlError(f"{args.folder}: expected the webs {', '.join(missing)} in it, as folders or archives")
    done = {(row["web"], row["topic"], row["start"], row["signal"], row["seed"]) for row in rows(args.out)}
    for seed in range(args.orders):
        for web, topic, start in CASES:
            for under_test in (PLAIN, *SIGNALS):
                if (web, topic, start, under_test, seed) in done:
                    continue
                result = laboratory.run(Case(paths[web], topic, start, Apprentice.name, seed))
                row = {**result.as_row(), "web": web, "signal": under_test}
                with args.out.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(row) + "\n")
                print(
                    f"  {web} {topic} {start} {under_test} #{seed}: {result.vs_oracle:.3f}", file=sys.stderr, flush=True
                )
    laboratory.close()


def rows(path: Path) -> Iterator[Mapping[str, object]]:
    """Yield the crawls of a file, none when there is no file."""
    if path.exists():
        with path.open(encoding="utf-8") as file:
            yield from map(json.loads, file)


def table(crawls: Sequence[Mapping[str, object]]) -> str:
    """Return the table: gains by web, and what a nested choice is worth."""
    values = {
        (str(row["web"]), str(row["topic"]), str(row["start"]), str(row["seed"]), str(row["signal"])): float(
            str(row["vs_oracle"])
        )
        for row in crawls
    }
    webs = list(dict.fromkeys(key[0] for key in values))
    gains: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for (web, topic, start, seed, signal), value in values.items():
        plain = values.get((web, topic, start, seed, PLAIN))
        if plain is not None and signal != PLAIN:
            gains[signal][web].append(value - plain)
    if not gains:
        return "no signal has crawls beside those without one"
    of_plain = {web: [v for key, v in values.items() if key[0] == web and key[4] == PLAIN] for web in webs}
    lines = [[PLAIN, *(f"{statistics.fmean(of_plain[web]):.3f}" for web in webs), "", ""]]
    for signal, by_web in gains.items():
        means = {web: statistics.fmean(found) for web, found in by_web.items()}
        every = [gain for found in by_web.values() for gain in found]
        error = statistics.stdev(every) / math.sqrt(len(every)) if len(every) > 1 else math.nan
        cells = [f"{means[web]:+.3f}" if web in means else "-" for web in webs]
        lines.append([signal, *cells, f"{statistics.fmean(means.values()):+.3f}", f"{error:.3f}"])
    nested = ["chosen on the others", *(_nested(gains, webs, web) for web in webs), "", ""]
    return text_table(["signal", *webs, "mean gain", "standard error"], [*lines, nested])


def _nested(gains: Mapping[str, Mapping[str, Sequence[float]]], webs: Sequence[str], left_out: str) -> str:
    """Return the signal that is best on the other webs, and its gain on the one left out."""
    others = [web for web in webs if web != left_out]
    means = {
        signal: statistics.fmean(statistics.fmean(by_web[web]) for web in others)
        for signal, by_web in gains.items()
        if others and all(by_web.get(web) for web in webs)
    }
    best = max(means, key=lambda signal: means[signal], default=PLAIN)
    if best == PLAIN or means[best] <= 0.0:
        return f"{PLAIN} +0.000"
    return f"{best} {statistics.fmean(gains[best][left_out]):+.3f}"


if __name__ == "__main__":
    sys.exit(main())
