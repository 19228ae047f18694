"""Learn the numbers of the ``main-content`` extractor from labelled pages, and say how good they are on unseen sites.

    python benchmarks/train_main_content.py SETS --scorer score_extraction.py --out main_content.json.gz

The pages are split into folds by site; the lines of each fold are judged by trees fitted on the others. The table is of
these pages, whose sites the trees have not seen. The model written before that is fitted on all pages. Run with
``OMP_NUM_THREADS=1`` on a busy machine: the threads wait for each other.
"""

from __future__ import annotations

import argparse
import gzip
import json
import time
import zlib
from collections import defaultdict
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
from extraction_pages import Truth, load_scorer, read_body, read_sets, site
from gold_alignment import gold_shares
from sklearn.ensemble import HistGradientBoostingClassifier

from focuscrawl.extraction.features import Features
from focuscrawl.extraction.forest import Forest
from focuscrawl.extraction.main_content import page_features, settled
from focuscrawl.extraction.page_type import PageType, page_type
from focuscrawl.extraction.rendering import render
from focuscrawl.extraction.segments import Segments, segment
from focuscrawl.extraction.visible_lines import visible
from focuscrawl.page.analysis import analyse
from focuscrawl.text.tokenize import make_tokenizer

FOLDS = 4
# Small sets count more, so that no kind of page is drowned by another; a blog's pages are much alike.
# ``--weight NAME=W`` says otherwise for a set; 0 leaves it out of the training.
SET_WEIGHTS: dict[str, float] = {}
OTHER_WEIGHT = 3.0
# Of a page of which only snippets are known; a line that must not be taken counts as much as a short paragraph.
SNIPPET_WEIGHT = 1.0
_UNWANTED = 0.05
TREES = 120
LEAVES = 16
LEARNING_RATE = 0.1
# Lines of little weight are drawn, and weigh more for it.
DRAWN, LEAST_DRAWN = 1.0, 0.1
# Boilerplate of six times the gold weighs as much as any more: one huge page must not teach all.
MAX_NOISE = 6.0


@dataclass(slots=True)
class Example:
    """A labelled page: its lines, features, and for each line its tokens and the share of them in the gold text.

    The share is NaN where it is not known, on pages of which there are only snippets.
    """

    name: str
    truth: Truth
    lines: Segments
    features: Features
    share: Any
    tokens: Any
    page_type: PageType
    fold: int


def read_example(task: tuple[str, Truth], *, folder: Path, scorer: Path) -> Example | None:
    """Return the example of a page, None when it has no line."""
    name, truth = task
    score = load_scorer(scorer)
    url = truth.get("url") or "http://page.example/"
    page = analyse(read_body(folder, name, truth), url, tokenizer=make_tokenizer("auto"))
    if page.tree is None:
        return None
    found = visible(segment(page.tree.root))
    if not found.lines:
        return None
    said = page_type(page.tree, page.url)
    features = page_features(page, found, said)
    lang = truth.get("lang") or ""
    by_line = [score.tokens(line.text, lang) for line in found.lines]
    if isinstance(truth.get("text"), str):
        share = gold_shares(by_line, score.shingles(score.tokens(truth["text"], lang)))
    else:
        share = snippet_shares([line.text for line in found.lines], truth.get("with") or [], truth.get("without") or [])
    for node in found.nodes:
        node.element = dict(node.element.items())  # trees do not travel between processes, their attributes do
    tokens = np.array([len(line) for line in by_line], float)
    fold = zlib.crc32(site(name, truth).encode()) % FOLDS
    return Example(name, truth, found, features, share, tokens, said, fold)


def snippet_shares(lines: list[str], wanted: list[str], unwanted: list[str]) -> Any:
    """Return 1 for each line with a snippet that the text must have, 0 for one that it must not have, else NaN."""
    shares = np.full(len(lines), np.nan)
    for at, line in enumerate(lines):
        flat = " ".join(line.split())
        if any(" ".join(snippet.split()) in flat for snippet in wanted):
            shares[at] = 1.0
        elif any(" ".join(snippet.split()) in flat for snippet in unwanted):
            shares[at] = 0.0
    return shares


def row_weights(example: Example) -> Any:
    """Return the weight of each line: its share of the gold, so that every page counts alike; 0 where none is known."""
    if np.isnan(example.share).any():
        known = ~np.isnan(example.share)
        gold = float(example.tokens[known & (example.share == 1.0)].sum()) + 50.0
        by_line = np.maximum((example.tokens + 1.0) / gold, np.where(example.share == 0.0, _UNWANTED, 0.0))
        return np.where(known, by_line, 0.0) * SNIPPET_WEIGHT
    gold = max(float((example.tokens * example.share).sum()), 50.0)
    noise = max(1.0, float(example.tokens.sum()) / gold / MAX_NOISE)
    return (example.tokens + 1.0) / gold / noise * SET_WEIGHTS.get(example.name, OTHER_WEIGHT)


def fit(rows: Any, share: Any, weights: Any) -> HistGradientBoostingClassifier:
    """Return trees fitted to whether a line is more than half gold; lines that are half gold count little."""
    weights = weights / weights.mean()
    drawn = np.clip(DRAWN * weights, LEAST_DRAWN, 1.0)
    keep = np.random.default_rng(0).random(len(share)) < drawn
    scaled = weights / drawn * (0.15 + 1.7 * np.abs(share - 0.5))
    model = HistGradientBoostingClassifier(
        max_iter=TREES,
        max_leaf_nodes=LEAVES,
        learning_rate=LEARNING_RATE,
        min_samples_leaf=40,
        l2_regularization=2.0,
        max_bins=63,
        max_features=0.25,
        early_stopping=False,
        random_state=0,
    )
    return model.fit(rows[keep], (share[keep] > 0.5).astype(int), scaled[keep])


def numbers(model: HistGradientBoostingClassifier) -> dict[str, Any]:
    """Return a fitted model as plain numbers, in the form that `Forest` reads."""
    trees = []
    for (predictor,) in model._predictors:
        nodes = predictor.nodes
        tree: dict[str, list[Any]] = {"feature": [], "threshold": [], "value": [], "path": []}
        waiting: list[tuple[int, list[int]]] = [(0, [])]
        while waiting:
            at, path = waiting.pop()
            node = nodes[at]
            if node["is_leaf"]:
                tree["value"].append(round(float(node["value"]), 5))
                tree["path"].append(path)
                continue
            number = len(tree["feature"])
            tree["feature"].append(int(node["feature_idx"]))
            tree["threshold"].append(float(np.float32(node["num_threshold"])))
            waiting += [(int(node["right"]), [*path, ~number]), (int(node["left"]), [*path, number])]
        trees.append(tree)
    return {"base": float(model._baseline_prediction[0, 0]), "features": int(model.n_features_in_), "trees": trees}


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("folder", type=Path)
    options.add_argument("--scorer", type=Path, required=True)
    options.add_argument("--out", type=Path, required=True)
    options.add_argument("--jobs", type=int, default=2)
    options.add_argument(
        "--weight", action="append", default=[], metavar="SET=WEIGHT", help=f"of a set; others weigh {OTHER_WEIGHT}"
    )
    options.add_argument("--unmeasured", action="store_true", help="only fit on all pages")
    given = options.parse_args()
    for word in given.weight:
        set_name, _, value = word.partition("=")
        SET_WEIGHTS[set_name] = float(value)
    tasks = read_sets(given.folder, [], {"rss": 3})
    work = partial(read_example, folder=given.folder, scorer=given.scorer)
    with get_context("spawn").Pool(given.jobs) as pool:
        examples = [example for example in pool.imap(work, tasks, chunksize=16) if example is not None]
    weights = np.concatenate([row_weights(example) for example in examples])
    known = weights > 0.0
    weights = weights[known]
    share = np.concatenate([example.share for example in examples])[known]
    fold = np.concatenate([np.full(len(example.share), example.fold) for example in examples])[known]
    rows = np.vstack([example.features.matrix for example in examples])[known]
    print(f"{len(examples)} labelled pages, {len(share)} lines", flush=True)
    note = "learned from labelled pages; holds numbers only, no text"
    data = json.dumps({"note": note, "stages": [numbers(fit(rows, share, weights))]}, separators=(",", ":")).encode()
    given.out.write_bytes(gzip.compress(data, mtime=0))
    print(f"{given.out}: {given.out.stat().st_size / 1000:.0f} kB", flush=True)
    judged: dict[int, Any] = {}
    for number in range(0 if given.unmeasured else FOLDS):
        begin = time.monotonic()
        model = Forest(numbers(fit(rows[fold != number], share[fold != number], weights[fold != number])))
        for example in examples:
            if example.fold == number:
                judged[id(example)] = model.probabilities(example.features.matrix)
        print(f"fold {number + 1} of {FOLDS}: {time.monotonic() - begin:.0f} s", flush=True)
    scorer = load_scorer(given.scorer)
    groups: dict[str, list[Any]] = defaultdict(list)
    for example in examples if judged else ():
        p = judged[id(example)]
        judged_page = settled(example.lines, p, example.features, example.page_type)
        scored = scorer.score_page(example.truth, {"text": render(example.lines, judged_page.chosen)})
        groups[example.name].append(scored)
        if example.truth.get("lang") == "zh" and not example.truth.get("feed"):
            groups["Chinese without feeds, pooled"].append(scored)
        if example.truth.get("type"):
            groups[f"{example.name} {example.truth['type']}"].append(scored)
    for name, scored in sorted(groups.items()):
        figures = scorer.aggregate(scored)
        shown = "  ".join(
            f"{c} {figures[c]:.3f}" for c in ("F1", "P", "R", "bagF1", "sF") if figures.get(c) is not None
        )
        print(f"unseen sites, {name:32s}{len(scored):5d}  {shown}")


if __name__ == "__main__":
    main()
