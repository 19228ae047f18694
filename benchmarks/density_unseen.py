"""Quality of the ``density_svm`` extractor on pages of sites it has not learned from.

    python benchmarks/density_unseen.py SETS --scorer score_extraction.py [--sets a,b] [--every a=4] [--grid]

The sites are split into folds; the pages of each are extracted by a model learned from the others, at most ten pages of
a site. Without ``--grid`` C and sigma are the paper's. The packaged model has learned from all of these pages.
"""

from __future__ import annotations

import argparse
import zlib
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

from extraction_pages import Truth, every, load_scorer, read_body, read_sets, site

from focuscrawl.extraction.rendering import render
from focuscrawl.lab.extractors.density_svm import chosen_lines
from focuscrawl.lab.extractors.density_training import FOLDS, PAGES_PER_SITE, LabelledPage, label_page, train
from focuscrawl.lab.extractors.gold_lines import line_figures
from focuscrawl.page.analysis import analyse
from focuscrawl.text.tokenize import make_tokenizer

Labelled = tuple[str, Truth, LabelledPage | None]


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("folder", type=Path)
    options.add_argument("--scorer", type=Path, required=True)
    options.add_argument("--sets", default="")
    options.add_argument("--every", action="append", default=[], metavar="SET=N", help="every n-th page of a set only")
    options.add_argument("--grid", action="store_true")
    given = options.parse_args()
    tokenizer = make_tokenizer("auto")
    pages: list[Labelled] = []
    for name, truth in read_sets(given.folder, [name for name in given.sets.split(",") if name], every(given.every)):
        if isinstance(truth.get("text"), str):
            page = analyse(
                read_body(given.folder, name, truth), truth.get("url") or "http://page.example/", tokenizer=tokenizer
            )
            pages.append((name, truth, label_page(page, truth["text"], site=site(name, truth))))
    show(pages, load_scorer(given.scorer), search=given.grid)


def show(labelled_pages: list[Labelled], scorer: Any, *, search: bool) -> None:
    """Print a line a set, each page extracted by a model learned from other sites."""
    pages = [
        (name, truth, labelled, zlib.crc32(site(name, truth).encode()) % FOLDS)
        for name, truth, labelled in labelled_pages
    ]
    groups: dict[str, list[tuple[Any, tuple[list[int], tuple[int, ...]]]]] = defaultdict(list)
    for fold in range(FOLDS):
        learned: list[LabelledPage] = []
        seen: Counter[str] = Counter()
        for _, _, labelled, number in pages:
            if labelled is not None and number != fold and seen[labelled.site] < PAGES_PER_SITE:
                learned.append(labelled)
                seen[labelled.site] += 1
        model = train(learned, search=search).model
        for name, truth, labelled, number in pages:
            if number != fold:
                continue
            lines: list[int] = []
            if labelled is not None:
                values = model.block.decide(labelled.rows)
                lines = chosen_lines(labelled.found, labelled.blocks, values, model)
            text = render(labelled.found, lines) if labelled is not None else ""
            row = (
                scorer.score_page(truth, {"text": text}),
                (lines, labelled.gold if labelled is not None else ()),
            )
            groups[name].append(row)
            if truth.get("lang") == "zh" and not truth.get("feed"):
                groups["Chinese without feeds, pooled"].append(row)
    columns = ("F1", "P", "R", "bagF1", "empty", "correct", "complete")
    print(f"{'set':32s}{'pages':>6s}" + "".join(f"{name:>10s}" for name in (*columns, "line P", "line R", "line F")))
    for name, rows in sorted(groups.items()):
        figures = scorer.aggregate([scores for scores, _ in rows])
        by_line = line_figures([lines for _, lines in rows])
        values = [*(figures[c] for c in columns), by_line.precision, by_line.recall, by_line.f]
        print(f"{name:32s}{len(rows):6d}" + "".join(f"{value:10.3f}" for value in values))


if __name__ == "__main__":
    main()
