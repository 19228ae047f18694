"""Quality and speed of the extractors on labelled pages.

    python benchmarks/extraction.py SETS --scorer score_extraction.py [--methods blocks,wiehf,main-content]
                                    [--sets a,b] [--by kind] [--jobs 2] [--worst 10]

SETS is a folder of sets (``extraction_pages.py`` says of what form); the scorer gives the definitions of precision,
recall and F1. Prints a row a method and set; then the CPU time of a page, which is parsed already, and with
``--worst`` the pages each method does worst on. The packaged model of ``main-content`` may have learned from the same
pages: for the figure on sites it has not seen, see ``train_main_content.py``.
"""

from __future__ import annotations

import argparse
import time
from collections import defaultdict
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from extraction_pages import Truth, load_scorer, read_body, read_sets

from focuscrawl import plugins
from focuscrawl.page.analysis import analyse
from focuscrawl.text.tokenize import make_tokenizer

Row = tuple[str, str, dict[str, Any], float, Truth]
_given: dict[str, Any] = {}


def start(folder: Path, methods: list[str], scorer: Path) -> None:
    """Set up a process."""
    _given.update(folder=folder, scorer=load_scorer(scorer), tokenizer=make_tokenizer("auto"))
    _given["methods"] = {name: plugins.build("extractors", name) for name in methods}


@cache
def _score(_name: str) -> Any:
    return _given["scorer"].score_page


def measure(task: tuple[str, Truth]) -> list[Row]:
    """Return a row a method for a page: set, method, scores, milliseconds, truth."""
    name, truth = task
    body = read_body(_given["folder"], name, truth)
    page = analyse(body, truth.get("url") or "http://page.example/", tokenizer=_given["tokenizer"])
    rows = []
    for method, extractor in _given["methods"].items():
        begin = time.process_time()
        found = extractor.extract(page)
        spent = 1000.0 * (time.process_time() - begin)
        answer = {"text": found.text if found else "", "title": found.title if found else page.title}
        rows.append((name, method, _score(name)(truth, answer), spent, truth))
    return rows


def show(rows: list[Row], aggregate: Any, by: str) -> None:
    """Print a line a set (or set and kind) and method."""
    groups: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in rows:
        groups[row[0], row[1]].append(row)
        if by and row[4].get(by):
            groups[f"{row[0]} {by}={row[4][by]}", row[1]].append(row)
        if row[4].get("lang") == "zh" and not row[4].get("feed"):
            groups["Chinese without feeds, pooled", row[1]].append(row)
    columns = ("F1", "P", "R", "bagF1", "sF", "empty", "title_exact", "title_near")
    print(f"{'set':36s}{'method':16s}{'pages':>6s}" + "".join(f"{name:>12s}" for name in columns) + "   ms/page")
    for (name, method), members in sorted(groups.items()):
        figures = aggregate([row[2] for row in members])
        shown = "".join(f"{figures[c]:12.3f}" if figures.get(c) is not None else f"{'-':>12s}" for c in columns)
        spent = sum(row[3] for row in members) / len(members)
        print(f"{name:36s}{method:16s}{len(members):6d}{shown}{spent:10.2f}")


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("folder", type=Path)
    options.add_argument("--scorer", type=Path, required=True)
    options.add_argument("--methods", default="blocks,wiehf,main-content")
    options.add_argument("--sets", default="")
    options.add_argument("--by", default="")
    options.add_argument("--jobs", type=int, default=2)
    options.add_argument("--worst", type=int, default=0)
    given = options.parse_args()
    methods = given.methods.split(",")
    tasks = read_sets(given.folder, [name for name in given.sets.split(",") if name], {"rss": 4})
    if not tasks:
        options.error(f"{given.folder} has no set with a truth.jsonl")
    with get_context("spawn").Pool(given.jobs, start, (given.folder, methods, given.scorer)) as pool:
        rows = [row for part in pool.imap(measure, tasks, chunksize=16) for row in part]
    scorer = load_scorer(given.scorer)
    show(rows, scorer.aggregate, given.by)
    for method in methods if given.worst else ():
        for name in sorted({row[0] for row in rows}):
            scored = [row for row in rows if row[0] == name and row[1] == method and "f" in row[2]]
            for row in sorted(scored, key=lambda row: row[2]["f"])[: given.worst]:
                figures = row[2]
                print(
                    f"{method} {name} {row[4]['id']} f={figures['f']:.3f} p={figures['p']:.3f} r={figures['r']:.3f} "
                    f"gold={figures['gold_n']} found={figures['pred_n']} {row[4].get('url') or ''}"
                )


if __name__ == "__main__":
    main()
