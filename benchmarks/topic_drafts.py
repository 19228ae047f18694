"""How well do topic files that `focuscrawl topic new` makes of a sentence and of examples tell pages on a topic?

    python benchmarks/topic_drafts.py WEB [WEB ...] [--relevant 60] [--others 250] [--seed 1] [--out results.json]

WEB is a recorded web with labels. Of each topic five files are made, without a person's answers:

title               of its title
sentence            of its title and description
sentence, examples  the same with its first three pages of the near start
title, examples     of its title and these three pages
title, one example  of its title and the first of them

Beside them stands the topic as the web has it, with keywords and sample texts that a person chose. Each judges the same
pages, `--relevant` with a label of grade 2 and `--others` random ones without a label, all by themselves, so what a
site repeats counts as any word. Three figures: average precision of the ranking by score, precision and recall at the
judge's starting threshold, with their mean F1.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from judge import average_precision

from focuscrawl.cli.topic_maker import Target, make_topic
from focuscrawl.cli.topic_sources import Sources
from focuscrawl.lab.simulate.recorded import RecordedWeb, open_web
from focuscrawl.page.analysis import analyse
from focuscrawl.page.model import PageAnalysis
from focuscrawl.topic.judges import make_judge
from focuscrawl.topic.model import fit_topic
from focuscrawl.topic.spec import TopicSpec
from focuscrawl.wording.base import speaker

GIVEN = "given"
EXAMPLES = 3
TAKEN = 12  # as the command takes


def drafts(web: RecordedWeb, name: str, folder: Path) -> Mapping[str, TopicSpec]:
    """Return the topic as the web has it, and as files made of what a person may start with."""
    topic = web.topic(name)
    sign = "。" if web.language == "zh" else ". "
    sentence = f"{topic.title}{sign}{topic.description}"
    answers = [web.files.answer(url) for url in topic.starts["near"]]
    examples = [str(web.files.www / answer.file) for answer in answers if answer.is_html][:EXAMPLES]
    ways: dict[str, tuple[str, list[str]]] = {
        "title": (topic.title, []),
        "sentence": (sentence, []),
        "sentence, examples": (sentence, examples),
        "title, examples": (topic.title, examples),
        "title, one example": (topic.title, examples[:1]),
    }
    found = {GIVEN: web.spec(name, "near")}
    for way, (about, files) in ways.items():
        target = Target(name=name, out=folder / f"{name}.toml", force=True)
        made = make_topic(
            Sources(about=about, examples=files),
            target,
            dialogue=None,
            take=TAKEN,
            say=speaker("en"),
            tell=lambda _text: None,
        )
        assert made is not None  # nobody declined
        found[way] = made.spec
    return found


def pages_of(web: RecordedWeb, name: str, args: argparse.Namespace) -> dict[str, bool]:
    """Return drawn pages of the web, and whether each is labelled as on the topic."""
    draw = random.Random(args.seed)
    grades = web.topic(name).grades
    relevant = sorted(page for page, grade in grades.items() if grade == 2)
    others = sorted(page for page in web.files.files if page.endswith((".html", ".htm")) and page not in grades)
    drawn = draw.sample(relevant, min(args.relevant, len(relevant)))
    return dict.fromkeys(drawn, True) | dict.fromkeys(draw.sample(others, min(args.others, len(others))), False)


def measure(
    web: RecordedWeb, spec: TopicSpec, drawn: Mapping[str, bool], analysed: dict[tuple[str, str], PageAnalysis]
) -> list[float]:
    """Return average precision, precision, recall and F1 of a topic file on drawn pages."""
    model = fit_topic(spec)
    judge = make_judge(model, spec)
    cut = model.tokenizer.name  # topics with words of their own cut pages otherwise
    for page in drawn:
        if (page, cut) not in analysed:
            kind = web.files.answer(f"http://{page}").content_type or "text/html"
            body = web.files.read(page)
            analysed[page, cut] = analyse(body, f"http://{page}", content_type=kind, tokenizer=model.tokenizer)
    pages = [analysed[page, cut] for page in drawn]
    verdicts = [judge.judge(page) for page in pages]
    labels = np.array(list(drawn.values()))
    accepted = np.array([verdict.relevant for verdict in verdicts])
    scores = np.array([verdict.score.value for verdict in verdicts])
    hits = float((accepted & labels).sum())
    precision, recall = hits / max(1.0, float(accepted.sum())), hits / float(labels.sum())
    f1 = 2.0 * precision * recall / (precision + recall) if hits else 0.0
    return [average_precision(scores, labels, np.ones(len(labels))), precision, recall, f1]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("web", type=Path, nargs="+")
    parser.add_argument("--relevant", type=int, default=60)
    parser.add_argument("--others", type=int, default=250)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, help="write the rows here too")
    args = parser.parse_args()
    rows: list[dict[str, object]] = []
    for path in args.web:
        web = open_web(path)
        figures: dict[str, list[Sequence[float]]] = {}
        analysed: dict[tuple[str, str], PageAnalysis] = {}
        with tempfile.TemporaryDirectory() as folder:
            for name in web.topic_names():
                drawn = pages_of(web, name, args)
                for way, spec in drafts(web, name, Path(folder)).items():
                    found = measure(web, spec, drawn, analysed)
                    figures.setdefault(way, []).append(found)
                    rows.append({"web": web.name, "topic": name, "made of": way, "figures": found})
                    print(f"{web.name:10s} {name:24s} {way:20s}", *(f"{value:.3f}" for value in found), flush=True)
        for way, values in figures.items():
            means = (statistics.fmean(column) for column in zip(*values, strict=True))
            print(f"{web.name:10s} {'mean of ' + str(len(values)):24s} {way:20s}", *(f"{mean:.3f}" for mean in means))
    if args.out is not None:
        args.out.write_text(json.dumps(rows, indent=1), encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
