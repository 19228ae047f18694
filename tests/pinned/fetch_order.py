"""Pinned crawls: the order in which six strategies fetch the pages of two generated webs.

Every crawl is deterministic, so its order is recorded beside this file and compared by `test_fetch_order`. A change
that is meant to alter ranking or judging records the orders anew, in a commit of its own that gives the reason::

    python tests/pinned/fetch_order.py             # all crawls
    python tests/pinned/fetch_order.py shark       # one of them
"""

from __future__ import annotations

import hashlib
import json
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from focuscrawl.crawler.build import StepChoices, build_step
from focuscrawl.lab.simulate.crawl import CrawlOptions, simulate
from focuscrawl.lab.simulate.generator import generate_web
from focuscrawl.lab.simulate.generator_knobs import parse_knobs
from focuscrawl.lab.simulate.pages import AnalysedPages
from focuscrawl.lab.simulate.recorded import RecordedWeb

RECORDED = Path(__file__).with_name("recorded")
READABLE = 30  # URLs written out
STRIDE = 10  # pages between two check marks, which tell about where two longer orders part
WEBS = {
    "en": "hosts=9,articles=40,topics=2,topical_share=0.2,tunnel=1,boilerplate=6,trap_pages=40,words=50",
    "zh": "language=zh,hosts=9,articles=40,topics=2,topical_share=0.2,tunnel=2,boilerplate=6,trap_pages=40,words=50",
}


@dataclass(frozen=True, slots=True)
class PinnedCrawl:
    """One crawl: a strategy, a web, the number of the topic in it, a start and a number of pages."""

    strategy: str
    web: str
    topic: int
    start: str
    pages: int = 250
    seed: int = 1


CRAWLS = (
    PinnedCrawl("apprentice", "en", 0, "far"),
    PinnedCrawl("heuristic", "zh", 0, "portal"),
    PinnedCrawl("best-first", "en", 1, "near"),
    PinnedCrawl("keyword-first", "zh", 1, "far"),
    PinnedCrawl("shark", "en", 0, "portal"),
    PinnedCrawl("breadth-first", "zh", 1, "near"),
)


@dataclass(frozen=True, slots=True)
class FetchOrder:
    """The order of a crawl: a digest of all of it, check marks along the way, and the first pages by URL."""

    fetched: int
    digest: str
    first: tuple[str, ...]
    marks: tuple[str, ...]  # after each STRIDE pages

    @classmethod
    def of(cls, pages: Sequence[str]) -> FetchOrder:
        """Return the digest of an order."""
        running = hashlib.sha256()
        marks = []
        for number, page in enumerate(pages, 1):
            running.update(page.encode() + b"\n")
            if number % STRIDE == 0:
                marks.append(running.hexdigest()[:8])
        return cls(len(pages), running.hexdigest(), tuple(pages[:READABLE]), tuple(marks))


def make_webs(folder: Path) -> dict[str, RecordedWeb]:
    """Generate the webs into `folder`."""
    return {name: RecordedWeb(generate_web(folder / name, parse_knobs(knobs))) for name, knobs in WEBS.items()}


def crawl(pinned: PinnedCrawl, webs: dict[str, RecordedWeb]) -> tuple[str, ...]:
    """Return the pages of a crawl in order of fetching."""
    web = webs[pinned.web]
    spec = web.spec(web.topic_names()[pinned.topic], pinned.start)
    step = build_step(spec, choices=StepChoices(strategy=pinned.strategy, seed=pinned.seed))
    pages = AnalysedPages(web.files, step.topic.tokenizer)
    return simulate(step, spec.seeds, pages, options=CrawlOptions(pinned.pages, seed=pinned.seed)).order


def difference(recorded: FetchOrder, pages: Sequence[str]) -> str:
    """Return a sentence about where an order parts from the recorded one, "" when it does not."""
    found = FetchOrder.of(pages)
    if found.digest == recorded.digest:
        return ""
    for number, (was, is_) in enumerate(zip(recorded.first, found.first, strict=False), 1):
        if was != is_:
            return f"fetch {number} of {recorded.fetched} was {was} and is now {is_}"
    for number, (was, is_) in enumerate(zip(recorded.marks, found.marks, strict=False)):
        if was != is_:
            low, high = number * STRIDE, (number + 1) * STRIDE
            return f"fetches 1 to {low} are as recorded; {low + 1} to {high} are now {', '.join(pages[low:high])}"
    return f"{recorded.fetched} pages were fetched and {found.fetched} are now; the last of these is {pages[-1]}"


def path_of(pinned: PinnedCrawl) -> Path:
    """Return the file that holds the recorded order."""
    return RECORDED / f"{pinned.strategy}.json"


def load(pinned: PinnedCrawl) -> FetchOrder:
    """Read the recorded order."""
    order = json.loads(path_of(pinned).read_text(encoding="utf-8"))["order"]
    return FetchOrder(order["fetched"], order["digest"], tuple(order["first"]), tuple(order["marks"]))


def record(pinned: PinnedCrawl, webs: dict[str, RecordedWeb]) -> None:
    """Write the order of a crawl as it is now."""
    order = asdict(FetchOrder.of(crawl(pinned, webs)))
    text = json.dumps({"crawl": asdict(pinned), "order": order}, indent=1)
    path_of(pinned).write_text(text + "\n", encoding="utf-8")


def main(strategies: Sequence[str]) -> None:
    """Record the orders of the strategies given, or of all."""
    RECORDED.mkdir(exist_ok=True)
    unknown = set(strategies) - {pinned.strategy for pinned in CRAWLS}
    if unknown:
        sys.exit(f"not pinned: {', '.join(sorted(unknown))}")
    with tempfile.TemporaryDirectory() as folder:
        webs = make_webs(Path(folder))
        for pinned in CRAWLS:
            if not strategies or pinned.strategy in strategies:
                record(pinned, webs)
                print(f"recorded {path_of(pinned).name}")


if __name__ == "__main__":
    main(sys.argv[1:])
