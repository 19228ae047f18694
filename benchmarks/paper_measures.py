"""The measures the three papers report of themselves, on labelled pages.

    python benchmarks/paper_measures.py SETS --scorer score_extraction.py [--methods wiehf,density_svm,main-content]
                                        [--sets a,b] [--every a=4] [--jobs 1] [--sites]

- WIEHF: accuracy P, the share of pages whose text is right (the scorer's "correct": 90 % of the gold text, and half of
  what was extracted is gold), and completeness R, that of pages that lost nothing (98 % of the gold text).
- SVM on densities: precision, recall and F of lines. The lines are those of the page; one is in a text when more than
  half of its tokens stand in a run of four that the text has too. So texts of any method are measured alike.
- Feed templates: recall, the share of a site's pages that something was extracted of, and precision, the share of
  these whose text is right; with ``--sites`` a row a site, else the mean over sites and the least.

Sets with a folder ``feeds`` get ``feed_template`` as one more method: templates alone, no extractor behind them.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from extraction_pages import Truth, every, load_scorer, read_body, read_sets, site

from focuscrawl import plugins
from focuscrawl.cli.extract_feed import FeedMethod, learn_from_list, read_feed
from focuscrawl.extraction.feed_template import METHOD as FEED_TEMPLATE
from focuscrawl.extraction.segments import segment
from focuscrawl.extraction.visible_lines import visible
from focuscrawl.lab.extractors.gold_lines import LineFigures, gold_shares, line_figures
from focuscrawl.page.analysis import analyse
from focuscrawl.page.model import PageAnalysis
from focuscrawl.text.tokenize import make_tokenizer

_IN_TEXT = 0.5  # share of a line's tokens
_given: dict[str, Any] = {}


@dataclass(frozen=True, slots=True)
class Measured:
    """What a method made of a page."""

    name: str
    site: str
    method: str
    extracted: bool
    correct: bool
    complete: bool
    lines: LineFigures


def start(folder: Path, methods: list[str], scorer: Path) -> None:
    """Set up a process."""
    _given.update(folder=folder, scorer=load_scorer(scorer), tokenizer=make_tokenizer("auto"))
    _given["methods"] = {name: plugins.build("extractors", name) for name in methods}


@cache
def _templates(name: str, feed: str) -> FeedMethod | None:
    """Return the templates learned from a feed of a set and those of its pages that the feed has."""
    file = _given["folder"] / name / "feeds" / f"{feed}.xml"
    if not file.exists():
        return None
    lines = []
    for _, truth in read_sets(_given["folder"], [name]):
        if truth.get("feed") == feed and truth.get("url"):
            lines.append(json.dumps({"file": f"{truth['id']}.html.gz", "url": truth["url"]}).encode())
    return learn_from_list(read_feed(file), lines, resolve=lambda page: _given["folder"] / name / "html" / page)[0]


def texts(name: str, truth: Truth, body: bytes, page: PageAnalysis) -> dict[str, str]:
    """Return what each method extracts of a page."""
    found = {method: extractor.extract(page) for method, extractor in _given["methods"].items()}
    made = {method: result.text if result else "" for method, result in found.items()}
    templates = _templates(name, truth["feed"]) if truth.get("feed") else None
    if templates is not None:
        result = templates.extract(body, page.url, method="blocks")
        made[FEED_TEMPLATE] = result.found.text if result.method == FEED_TEMPLATE and result.found else ""
    return made


def measure(task: tuple[str, Truth]) -> list[Measured]:
    """Return what each method made of a page."""
    name, truth = task
    body = read_body(_given["folder"], name, truth)
    page = analyse(body, truth.get("url") or "http://page.example/", tokenizer=_given["tokenizer"])
    lines = [line.text for line in visible(segment(page.tree.root)).lines] if page.tree is not None else []
    gold = _lines_in(lines, truth["text"])
    rows = []
    for method, text in texts(name, truth, body, page).items():
        scores = _given["scorer"].score_page(truth, {"text": text})
        figures = _given["scorer"].aggregate([scores])
        rows.append(
            Measured(
                name,
                site(name, truth),
                method,
                not scores["empty"],
                figures["correct"] > 0.0,
                figures["complete"] > 0.0,
                line_figures([(_lines_in(lines, text), gold)]),
            )
        )
    return rows


def _lines_in(lines: Sequence[str], text: str) -> list[int]:
    return [at for at, share in enumerate(gold_shares(lines, text)) if share > _IN_TEXT]


def _share(values: Sequence[bool]) -> float:
    return sum(values) / len(values) if values else 0.0


def show(rows: list[Measured], *, sites: bool) -> None:
    """Print a line a set and method."""
    groups: dict[tuple[str, str], list[Measured]] = defaultdict(list)
    for row in rows:
        groups[row.name, row.method].append(row)
    print(
        f"{'set':28s}{'method':16s}{'pages':>6s}  WIEHF {'P':>6s}{'R':>7s}   lines {'P':>6s}{'R':>7s}{'F':>7s}"
        f"   sites {'':>4s}{'recall':>8s}{'least':>7s}{'precision':>11s}{'least':>7s}"
    )
    for (name, method), members in sorted(groups.items()):
        total = LineFigures(*(sum(part) for part in zip(*(row.lines for row in members), strict=True)))
        by_site: dict[str, list[Measured]] = defaultdict(list)
        for row in members:
            by_site[row.site].append(row)
        recall = {key: _share([row.extracted for row in own]) for key, own in by_site.items()}
        # A site that nothing was extracted of has no precision.
        precision = {
            key: _share([row.correct for row in own if row.extracted]) for key, own in by_site.items() if recall[key]
        }
        mean = [sum(part.values()) / len(part) if part else 0.0 for part in (recall, precision)]
        least = [min(part.values(), default=0.0) for part in (recall, precision)]
        print(
            f"{name:28s}{method:16s}{len(members):6d}        {_share([row.correct for row in members]):6.3f}"
            f"{_share([row.complete for row in members]):7.3f}         {total.precision:6.3f}{total.recall:7.3f}"
            f"{total.f:7.3f}         {len(by_site):4d}{mean[0]:8.3f}{least[0]:7.3f}{mean[1]:11.3f}{least[1]:7.3f}"
        )
        for key in sorted(by_site) if sites else ():
            print(
                f"    {key:40s}{len(by_site[key]):6d} pages  recall {recall[key]:.3f}"
                f"  precision {precision.get(key, 0.0):.3f}"
            )


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("folder", type=Path)
    options.add_argument("--scorer", type=Path, required=True)
    options.add_argument("--methods", default="wiehf,density_svm,main-content")
    options.add_argument("--sets", default="")
    options.add_argument("--every", action="append", default=[], metavar="SET=N", help="every n-th page of a set only")
    options.add_argument("--jobs", type=int, default=1)
    options.add_argument("--sites", action="store_true")
    given = options.parse_args()
    names = [name for name in given.sets.split(",") if name]
    tasks = [
        task for task in read_sets(given.folder, names, every(given.every)) if isinstance(task[1].get("text"), str)
    ]
    if not tasks:
        options.error(f"{given.folder} has no set with a truth.jsonl that has texts")
    with get_context("spawn").Pool(given.jobs, start, (given.folder, given.methods.split(","), given.scorer)) as pool:
        rows = [row for part in pool.imap(measure, tasks, chunksize=16) for row in part]
    show(rows, sites=given.sites)


if __name__ == "__main__":
    main()
