"""Chance and the worst case of the default strategy: named cases, five orders, simple and older strategies beside.

    python benchmarks/ranking_table.py FOLDER --out table.jsonl --cache ~/.cache/focuscrawl-quality
    python benchmarks/ranking_table.py --read table.jsonl

FOLDER holds the recorded webs by name (`en-web`, `en-web2`, `zh1`, `en-felix`), as folders or archives. Each crawl is a
line of the file, written as it ends; a run that was broken off goes on where it was. A crawl has twice as many pages as
are relevant, at least 700: what it has not found early it has not found.

For each case stand mean, standard deviation and worst of the default strategy, each value the area under the curve of
what it found, divided by that of a crawler that knows all (`vs_oracle`), the best of four simple strategies, one order
each, and three older ones of the literature, one order each too: fish-search, forward-link and location order.
`--strategies` runs some of them only.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from focuscrawl.errors import FocusCrawlError
from focuscrawl.lab.simulate.cases import Case, CaseSettings, Laboratory
from focuscrawl.lab.simulate.tables import text_table
from focuscrawl.ranking.strategies import DEFAULT_STRATEGY

Name = tuple[str, str, str]  # web, topic, start

CASES: tuple[Name, ...] = tuple(
    (web, topic, start)
    for web, topic, start in (
        line.split()
        for line in """
        en-web astronomy portal
        en-web2 anarchism near
        zh1 running-fitness portal
        en-felix books far
        en-web quantum-physics far
        en-web2 travel portal
        zh1 embedded far
        en-felix politics near
        en-web recipes portal
        en-web2 webdev far
        zh1 medicine near
        en-web2 python portal
        en-web astronomy near
        zh1 travel portal
        en-web2 linux-admin far
        zh1 running-fitness near
        en-felix games near
        en-web recipes near
        en-web2 anarchism far
        """.strip().splitlines()
    )
)
SIMPLE = ("breadth-first", "keyword-first", "best-first", "heuristic")
OLDER = ("fish-search", "forward-link", "location")


@dataclass(slots=True)
class Found:
    """`vs_oracle` of the crawls of one case."""

    orders: dict[int, float] = field(default_factory=dict)  # of the default strategy
    simple: dict[str, float] = field(default_factory=dict)
    older: dict[str, float] = field(default_factory=dict)

    @property
    def best(self) -> tuple[str, float]:
        """The best simple strategy and its value."""
        return max(self.simple.items(), key=lambda item: item[1])


def main() -> int:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?", metavar="FOLDER")
    parser.add_argument("--orders", type=int, default=5)
    parser.add_argument("--strategies", default=",".join((DEFAULT_STRATEGY, *SIMPLE, *OLDER)), help="by commas")
    parser.add_argument("--cases", type=int, default=len(CASES), help="only so many of the cases, from the first on")
    parser.add_argument("--out", type=Path, help="JSON lines, one for each crawl")
    parser.add_argument("--cache", type=Path, help="private folder for analysed pages")
    parser.add_argument("--pin", default="", help="name of a cache that outlives changes of the analysing code")
    parser.add_argument("--read", type=Path, help="print the table of an earlier run")
    args = parser.parse_args()
    if (args.read is None) == (args.folder is None) or (args.read is None and args.out is None):
        parser.error("expected FOLDER with --out, or --read")
    known = (DEFAULT_STRATEGY, *SIMPLE, *OLDER)
    unknown = [name for name in args.strategies.split(",") if name not in known]
    if unknown:
        parser.error(f"--strategies: {', '.join(unknown)} is not in this table, which has {', '.join(known)}")
    try:
        if args.read is None:
            measure(args)
        found = read(args.read or args.out)
        print(f"{table(found)}\n\n{older_table(found)}")
    except (FocusCrawlError, OSError) as error:
        print(f"ranking_table: {error}", file=sys.stderr)
        return 1
    return 0


def measure(args: argparse.Namespace) -> None:
    """Run the crawls that the file does not have."""
    cache = str(args.cache.expanduser()) if args.cache else None
    laboratory = Laboratory(CaseSettings(budget_factor=2.0, budget_floor=700, cache=cache, pin=args.pin))
    paths = webs_in(args.folder)
    done = {(row["web"], row["topic"], row["start"], row["strategy"], row["seed"]) for row in rows(args.out)}
    crawls = [
        (name, seed)
        for name in args.strategies.split(",")
        for seed in range(args.orders if name == DEFAULT_STRATEGY else 1)
    ]
    for web, topic, start in CASES[: args.cases]:
        for strategy, seed in crawls:
            if (web, topic, start, strategy, seed) in done:
                continue
            result = laboratory.run(Case(paths[web], topic, start, strategy, seed))
            with args.out.open("a", encoding="utf-8") as file:
                file.write(json.dumps({**result.as_row(), "web": web}) + "\n")
            print(f"  {web} {topic} {start} {strategy} #{seed}: {result.vs_oracle:.3f}", file=sys.stderr, flush=True)
    laboratory.close()


def webs_in(folder: Path) -> dict[str, str]:
    """Return the paths of the webs that the cases name."""
    paths = {path.name.partition(".")[0]: str(path) for path in sorted(folder.iterdir())}
    missing = sorted({web for web, _, _ in CASES} - paths.keys())
    if missing:
        raise FocusCrawlError(f"{folder}: expected the webs {', '.join(missing)} in it, as folders or archives")
    return paths


def rows(path: Path) -> Iterator[Mapping[str, object]]:
    """Yield the crawls of a file, none when there is no file."""
    if path.exists():
        with path.open(encoding="utf-8") as file:
            yield from map(json.loads, file)


def read(path: Path) -> dict[Name, Found]:
    """Return the values of a file by case, in the order of `CASES`."""
    found: dict[Name, Found] = {name: Found() for name in CASES}
    for row in rows(path):
        case = found.get((str(row["web"]), str(row["topic"]), str(row["start"])))
        value, strategy = row["vs_oracle"], str(row["strategy"])
        if case is None or not isinstance(value, float | int):
            continue
        if strategy == DEFAULT_STRATEGY:
            case.orders[int(str(row["seed"]))] = float(value)
        elif strategy in SIMPLE:
            case.simple[strategy] = float(value)
        elif strategy in OLDER:
            case.older[strategy] = float(value)
    return {name: case for name, case in found.items() if case.orders or case.simple or case.older}


def older_table(found: Mapping[Name, Found]) -> str:
    """Return the table of the older strategies of the literature, beside what the other one has of the same cases."""
    lines, columns = [], []
    for (web, topic, start), case in found.items():
        if len(case.older) < len(OLDER):
            continue
        figures: list[float | None] = [case.older[name] for name in OLDER]
        figures.append(case.best[1] if case.simple else None)
        figures.append(statistics.fmean(case.orders.values()) if case.orders else None)
        lines.append([f"{web} {topic} {start}", *("-" if figure is None else f"{figure:.3f}" for figure in figures)])
        columns.append(figures)
    if not lines:
        return f"no case has crawls of {', '.join(OLDER)}"
    means = []
    for column in zip(*columns, strict=True):
        known = [figure for figure in column if figure is not None]
        means.append(f"{statistics.fmean(known):.3f}" if len(known) == len(column) else "-")
    lines.append(["mean", *means])
    return text_table(["case", *OLDER, "best simple strategy", DEFAULT_STRATEGY], lines)


def table(found: Mapping[Name, Found]) -> str:
    """Return the table as Markdown, with counts of the cases that fall behind."""
    lines, means, worst, spread, shares = [], [], [], [], []
    found = {name: case for name, case in found.items() if case.orders and case.simple}
    for (web, topic, start), case in found.items():
        values = [case.orders[seed] for seed in sorted(case.orders)]
        mean, low, deviation = statistics.fmean(values), min(values), statistics.pstdev(values)
        name, best = case.best
        means.append(mean)
        worst.append(low)
        spread.append(deviation)
        shares.append(mean / best if best else 1.0)
        orders = " ".join(f"{value:.2f}" for value in values)
        row = [f"{web} {topic} {start}", f"{mean:.3f}", f"{deviation:.3f}", f"{low:.3f}", orders, f"{name} {best:.3f}"]
        lines.append(row)
    if not lines:
        return "no case has crawls of the default strategy and of a simple one"
    total = f"{statistics.fmean(means):.3f}", f"{statistics.fmean(spread):.3f}", f"{statistics.fmean(worst):.3f}"
    best_mean = statistics.fmean(case.best[1] for case in found.values())
    lines.append(["mean", *total, "", f"{best_mean:.3f}"])
    head = ["case", "mean", "deviation", "worst", "orders", "best simple strategy"]
    count = len(means)
    return (
        f"{text_table(head, lines)}\n\n"
        f"below .75 of the best simple strategy: {sum(s < 0.75 for s in shares)} of {count} cases, "
        f"below .9: {sum(s < 0.9 for s in shares)}\n"
        f"deviation between orders at most .05: {sum(s <= 0.05 for s in spread)} of {count} cases"
    )


if __name__ == "__main__":
    sys.exit(main())
