"""How well do the judges tell pages on a topic from others, when they know the topic file only?

    python benchmarks/judge.py FOLDER [FOLDER ...] [--judges focus,vsm] [--others 3000] [--seed 7] [--no-sites]

FOLDER is an unpacked recorded web: www/<host>/<path>, topics/<id>.json with keywords and sample_texts,
qrels/<id>.tsv with "url TAB grade" (2 on topic, 1 related, all others off topic).

Pages come in random order, and what their hosts repeat is told as in a crawl (`focuscrawl.page.site`), unless
`--no-sites` is given; with `--workers N` they are shared among so many workers, each with a memory of its own. All
graded pages are judged (`--graded N`: so many of them), and `--others` random ones, which stand for all ungraded pages
(each counts as many as it stands for). Three figures a judge and topic:

AP      average precision of the ranking by score, grade 2 against all else
P R     precision and recall at the judge's starting threshold, 0.5, over the whole web
Pc Rc   the same for the verdicts of the adaptive threshold in a crawl-like sequence: at most 400 pages on the topic,
        half as many related ones, `--ratio` times as many others, in random order
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import quote

import numpy as np

from focuscrawl import plugins
from focuscrawl.lab.simulate.recorded import RecordedWeb, open_web
from focuscrawl.page.analysis import analyse
from focuscrawl.page.site import SiteMemory
from focuscrawl.topic.model import fit_topic
from focuscrawl.topic.threshold import AdaptiveThreshold

MOST_RELEVANT = 400


def average_precision(scores: np.ndarray, relevant: np.ndarray, weight: np.ndarray) -> float:
    """Return the mean precision at each relevant page, in [0, 1]; pages of one score count as found together.

    In the order they came in, of pages without a word the relevant ones would stand first, as they are listed first.

    >>> average_precision(np.zeros(4), np.array([True, False, False, False]), np.ones(4))
    0.25
    """
    order = np.argsort(-scores, kind="stable")
    ends = np.flatnonzero(np.append(np.diff(scores[order]) != 0.0, True))
    hits = np.cumsum(np.where(relevant[order], weight[order], 0.0))[ends]
    found = np.cumsum(weight[order])[ends]
    return float((np.diff(hits, prepend=0.0) * hits / found).sum() / hits[-1])


def precision_recall(accepted: np.ndarray, relevant: np.ndarray, weight: np.ndarray) -> tuple[float, float]:
    hits = float(weight[accepted & relevant].sum())
    return hits / max(float(weight[accepted].sum()), 1e-9), hits / max(float(weight[relevant].sum()), 1e-9)


def crawl_sequence(grades: np.ndarray, ratio: float, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    on, related, others = (np.flatnonzero(grades == g) for g in (2, 1, 0))
    n = min(len(on), MOST_RELEVANT)
    picked = [
        rng.choice(on, n, replace=False),
        rng.choice(related, min(len(related), n // 2), replace=False),
        rng.choice(others, min(len(others), int(n * ratio)), replace=False),
    ]
    sequence = np.concatenate(picked)
    rng.shuffle(sequence)
    return sequence


def adaptive_verdicts(scores: np.ndarray) -> np.ndarray:
    threshold = AdaptiveThreshold()
    accepted = np.zeros(len(scores), dtype=bool)
    for at, score in enumerate(scores):
        accepted[at] = score >= threshold.value
        threshold.observe(float(score))
    return accepted


def url_of(file: str) -> str:
    host, _, path = file.partition("/")
    return f"http://{host}/" + quote(re.sub(r"(^|/)(index|default)\.html?$", r"\1", path), safe="/~!$&'()*+,;=:@-._")


def measure(web: RecordedWeb, judges: Sequence[str], args: argparse.Namespace) -> list[dict[str, object]]:
    names = web.topic_names()
    www = web.root / "www"
    suffixes = {".html", ".htm", ".xhtml", ".shtml", ""}
    files = sorted(
        p.relative_to(www).as_posix() for p in www.rglob("*") if p.suffix.lower() in suffixes and p.is_file()
    )
    graded = {page for name in names for page in web.topic(name).grades}
    rest = [file for file in files if file not in graded]
    draw = random.Random(args.seed)
    others = draw.sample(rest, min(args.others, len(rest)))
    picked = sorted(graded) if args.graded is None else draw.sample(sorted(graded), min(args.graded, len(graded)))
    stands_for = dict.fromkeys(picked, len(graded) / max(len(picked), 1))
    stands_for |= dict.fromkeys(others, len(rest) / max(len(others), 1))
    pages = list(stands_for)
    draw.shuffle(pages)
    weight = np.array([stands_for[page] for page in pages])
    topics = {name: fit_topic(web.spec(name, "near")) for name in names}
    built = {(name, j): plugins.build("judges", j, topics[name], threshold=0.5) for name in names for j in judges}
    scores = {key: np.zeros(len(pages)) for key in built}
    spent = dict.fromkeys(judges, 0.0)
    tokenizer = next(iter(topics.values())).tokenizer
    workers = [SiteMemory(tokenizer) for _ in range(args.workers)]
    for at, file in enumerate(pages):
        page = analyse((www / file).read_bytes(), url_of(file), tokenizer=tokenizer)
        if not args.no_sites:
            page = draw.choice(workers).own(page)
        for (name, j), judge in built.items():
            began = time.process_time()
            scores[name, j][at] = judge.judge(page).score.value
            spent[j] += time.process_time() - began
    rows: list[dict[str, object]] = []
    for (name, j), values in scores.items():
        grades = np.array([web.topic(name).grades.get(page, 0) for page in pages])
        relevant = grades == 2
        precision, recall = precision_recall(values >= 0.5, relevant, weight)
        sequence = crawl_sequence(grades, args.ratio, args.seed)
        accepted = adaptive_verdicts(values[sequence])
        crawl = precision_recall(accepted, relevant[sequence], np.ones(len(sequence)))
        rows.append(
            {
                "web": web.name,
                "topic": name,
                "judge": j,
                "AP": average_precision(values, relevant, weight),
                "P": precision,
                "R": recall,
                "Pc": crawl[0],
                "Rc": crawl[1],
                "ms": spent[j] / len(pages) / len(names) * 1000,
            }
        )
    return rows


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="+")
    parser.add_argument("--judges", default="focus,vsm,bm25,pnorm,boolean")
    parser.add_argument("--others", type=int, default=3000)
    parser.add_argument("--ratio", type=float, default=2.0)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--graded", type=int, help="judge so many graded pages; default: all")
    parser.add_argument("--workers", type=int, default=1, help="workers that share the pages")
    parser.add_argument("--no-sites", action="store_true", help="let pages keep what their hosts repeat")
    parser.add_argument("--json", type=Path, help="write the rows here too")
    args = parser.parse_args()
    judges = args.judges.split(",")
    rows: list[dict[str, object]] = []
    for folder in args.folder:
        rows += measure(open_web(folder), judges, args)
    figures = ("AP", "P", "R", "Pc", "Rc", "ms")

    def line(label: str, selected: list[dict[str, object]]) -> None:
        means = " ".join(f"{np.mean([float(str(r[f])) for r in selected]):7.3f}" for f in figures)
        print(f"{label:44s} {means}")

    print(f"{'':44s} " + " ".join(f"{f:>7s}" for f in figures))
    for judge in judges:
        mine = [row for row in rows if row["judge"] == judge]
        for row in mine:
            line(f"{judge:8s} {row['web']}/{row['topic']}", [row])
        for web in dict.fromkeys(row["web"] for row in mine):
            line(f"{judge:8s} mean of {web}", [row for row in mine if row["web"] == web])
        line(f"{judge:8s} MEAN of {len(mine)} topics", mine)
    if args.json:
        args.json.write_text(json.dumps(rows, indent=1), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
