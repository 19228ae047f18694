"""What a class of the taxonomy finds as a narrow and as a broad topic: replayed crawls of a recorded web.

    python benchmarks/breadth.py WEB --subject medicine --classes R5,R --breadths 0,1 --pages 800

WEB is a folder or archive in the layout of `focuscrawl.lab.simulate.recorded`. Each crawl starts from the subject's
near seeds, and its verdicts are compared with the web's labels of that subject. A class is wider than the subject, so
precision counts pages on other parts of the class as wrong.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from focuscrawl.crawler.build import StepChoices, build_step
from focuscrawl.crawler.step_options import StepOptions
from focuscrawl.lab.simulate.crawl import CrawlOptions, simulate
from focuscrawl.lab.simulate.metrics import RELEVANT_GRADE
from focuscrawl.lab.simulate.pages import AnalysedPages
from focuscrawl.lab.simulate.recorded import open_web
from focuscrawl.lab.simulate.robots import RobotsFiles
from focuscrawl.topic.judge_focus import FocusJudge
from focuscrawl.topic.model import fit_topic
from focuscrawl.topic.spec import TopicSpec

HEAD = "| class | breadth | words | samples | threshold | on the subject | kept | of these on it | precision | recall |"


def main() -> None:
    """Run the crawls and print a row for each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("web", type=Path, metavar="WEB")
    parser.add_argument("--subject", required=True, help="name of a labelled topic of the web")
    parser.add_argument("--classes", required=True, help="codes by commas")
    parser.add_argument("--breadths", default="0,1", help="numbers in [0, 1] by commas")
    parser.add_argument("--pages", type=int, default=800)
    parser.add_argument("--cache", type=Path, help="folder for analysed pages")
    args = parser.parse_args()
    web = open_web(args.web, unpack_to=args.cache)
    subject = web.topic(args.subject)
    wanted = {page for page, grade in subject.grades.items() if grade >= RELEVANT_GRADE}
    print(HEAD)
    print("| --- " * HEAD.count(" | ") + "| --- |")
    for code in args.classes.split(","):
        for breadth in args.breadths.split(","):
            spec = TopicSpec.model_validate(
                {
                    "name": "class",
                    "classification": f"clc:{code}",
                    "breadth": float(breadth),
                    "seeds": list(subject.starts["near"]),
                }
            )
            model = fit_topic(spec)
            judge = FocusJudge(model)
            began = judge.threshold.value
            step = build_step(spec, model, choices=StepChoices(seed=0), judge=judge)
            pages = AnalysedPages(web.files, model.tokenizer, cache=args.cache, max_links=StepOptions().max_links)
            options = CrawlOptions(args.pages, seed=0)
            trace = simulate(step, spec.seeds, pages, options=options, robots=RobotsFiles(web.files))
            pages.close()
            kept = [page for page, relevant in zip(trace.judged, trace.relevant, strict=True) if relevant]
            right = sum(page in wanted for page in kept)
            met = sum(page in wanted for page in trace.judged)
            print(
                f"| {code} | {breadth} | {len(spec.terms)} | {len(spec.samples_loaded())} |"
                f" {began:.2f} → {judge.threshold.value:.2f} | {met} | {len(kept)} | {right} |"
                f" {right / max(1, len(kept)):.2f} | {right / max(1, met):.2f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
