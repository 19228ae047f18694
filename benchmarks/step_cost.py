"""CPU time of the page step by part, for relevant and other pages of a recorded web, without a network.

    python benchmarks/step_cost.py WEB TOPIC [--start portal] [--pages 600] [--order FILE]

Fetches the best links first, from the files of the web, and runs the page step that crawls run: analysis, site memory,
judge, extraction, duplicates, keywords and summary, evidence, ranking. Each part's time is its own: what it calls of
other parts is taken off. ``--order FILE`` keeps the order of fetching in FILE and follows it the next time, so that
two states of the code do the same pages. Files and frontier are not measured.

``--profile FILE`` writes what cProfile counted instead of printing parts.
"""

from __future__ import annotations

import argparse
import cProfile
import heapq
import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from focuscrawl.crawler import garbage, page_row
from focuscrawl.crawler import step as step_module
from focuscrawl.crawler.build import StepChoices, build_step
from focuscrawl.crawler.fetched import Fetched
from focuscrawl.crawler.step import PageStep
from focuscrawl.crawler.step_result import StepResult
from focuscrawl.lab.simulate.recorded import STARTS, RecordedWeb
from focuscrawl.page import analysis
from focuscrawl.records import Lease

_NOW = 1_700_000_000.0


class Stopwatch:
    """Own CPU time of named parts: a part that calls another stops meanwhile."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._running: list[str] = []
        self._since = 0.0

    def wrap(self, owner: Any, method: str, part: str) -> None:
        """Count calls of ``owner.method`` as `part`."""
        called: Callable[..., Any] = getattr(owner, method)

        def counted(*args: Any, **named: Any) -> Any:
            with self.of(part):
                return called(*args, **named)

        setattr(owner, method, counted)

    @contextmanager
    def of(self, part: str) -> Iterator[None]:
        """Count what runs inside as `part`."""
        self._turn()
        self._running.append(part)
        try:
            yield
        finally:
            self._turn()
            self._running.pop()

    def take(self) -> dict[str, float]:
        """Return the seconds of each part since the last call."""
        seconds, self.seconds = self.seconds, {}
        return seconds

    def _turn(self) -> None:
        now = time.process_time()
        if self._running:
            part = self._running[-1]
            self.seconds[part] = self.seconds.get(part, 0.0) + now - self._since
        self._since = now


class Replay:
    """A crawl of a recorded web's files, the best link first."""

    def __init__(self, web: RecordedWeb, topic: str, start: str) -> None:
        self.files = web.files
        with_spec = web.spec(topic, start)
        self.step: PageStep = build_step(with_spec, choices=StepChoices())
        entries, _ = self.step.seed_entries(with_spec.seeds)
        self.known = {entry.key for entry in entries}
        self.queue = [(-entry.score, number, entry) for number, entry in enumerate(entries)]
        heapq.heapify(self.queue)

    def pages(self, count: int, order: list[str]) -> Iterator[tuple[Fetched, Lease]]:
        """Yield what is fetched, in `order` as far as that goes; the caller hands each result to `settle`."""
        given = iter(order)
        while count and self.queue:
            url = next(given, "")
            if url:
                found = next((item for item in self.queue if item[2].url == url), None)
                entry = found[2] if found else replace(self.queue[0][2], url=url)
                if found:
                    self.queue.remove(found)
                    heapq.heapify(self.queue)
            else:
                entry = heapq.heappop(self.queue)[2]
            answer = self.files.answer(entry.url)
            if not answer.is_html:
                continue
            body = (self.files.www / answer.file).read_bytes()
            count -= 1
            yield (
                Fetched(answer.url, 200, body, _NOW, content_type=answer.content_type, redirects=answer.redirects),
                Lease(entry, 0, 0.0, 1, entry.score),
            )

    def settle(self, result: StepResult) -> None:
        """Queue the links of a page."""
        for entry in result.settlement.found:
            if entry.key not in self.known:
                self.known.add(entry.key)
                heapq.heappush(self.queue, (-entry.score, len(self.known), entry))


def replay_parser(description: str | None) -> argparse.ArgumentParser:
    """Return a parser of what is replayed: web, topic, start and pages."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("web", type=Path)
    parser.add_argument("topic")
    parser.add_argument("--start", default="portal", choices=STARTS)
    parser.add_argument("--pages", type=int, default=600)
    return parser


def main() -> None:
    """Measure and print."""
    parser = replay_parser(__doc__)
    parser.add_argument("--order", type=Path, help="file that keeps the order of fetching")
    parser.add_argument("--profile", type=Path)
    args = parser.parse_args()
    replay = Replay(RecordedWeb(args.web), args.topic, args.start)
    order = json.loads(args.order.read_text()) if args.order and args.order.is_file() else []
    watch = Stopwatch()
    profile = cProfile.Profile()
    if not args.profile:
        _watch(watch, replay.step)
    sums: dict[bool, dict[str, float]] = {True: {}, False: {}}
    counts = {True: 0, False: 0}
    fetched_urls = []
    links = size = 0
    garbage.relax()  # as a crawl does
    for fetched, lease in replay.pages(args.pages, order):
        fetched_urls.append(lease.entry.url)
        if args.profile:
            profile.enable()
        with watch.of("rest of the step"):
            result = replay.step.process(fetched, lease)
        profile.disable()
        relevant = result.record.relevant
        counts[relevant] += 1
        links += len(result.settlement.edges)
        size += len(fetched.body)
        for part, seconds in watch.take().items():
            sums[relevant][part] = sums[relevant].get(part, 0.0) + seconds
        replay.settle(result)
    if args.order and not order:
        args.order.write_text(json.dumps(fetched_urls))
    if args.profile:
        profile.dump_stats(args.profile)
        return
    pages = sum(counts.values())
    print(f"{pages} pages, {size / pages / 1000:.0f} kB and {links / pages:.0f} links each; ms of CPU a page")
    print(f"{'':<22}{'relevant':>10}{'other':>10}{'all':>10}")
    parts = sorted({*sums[True], *sums[False]}, key=lambda part: -sums[True].get(part, 0) - sums[False].get(part, 0))
    total = {kind: sum(sums[kind].values()) for kind in sums}
    for name, in_kind in [
        *((part, {kind: sums[kind].get(part, 0.0) for kind in sums}) for part in parts),
        ("whole step", total),
    ]:
        shares = [1000 * in_kind[kind] / max(counts[kind], 1) for kind in (True, False)]
        shares.append(1000 * sum(in_kind.values()) / pages)
        print(f"{name:<22}" + "".join(f"{share:>10.2f}" for share in shares))
    print(f"{'pages':<22}{counts[True]:>10}{counts[False]:>10}{pages:>10}")


def _watch(watch: Stopwatch, step: PageStep) -> None:
    watch.wrap(analysis, "decode", "decode")
    watch.wrap(analysis, "parse", "parse")
    watch.wrap(analysis, "walk", "walk")
    watch.wrap(type(step.topic.tokenizer), "chunks", "tokenize")
    watch.wrap(step, "analysed", "assemble")
    watch.wrap(step.sites, "own", "site memory")
    watch.wrap(step.sites, "own_text", "site memory, text")
    watch.wrap(step.judge, "judge", "judge")
    watch.wrap(step.extractor, "extract", "extract")
    watch.wrap(step.texts, "check", "duplicates")
    watch.wrap(step.scorer, "score", "score links")
    watch.wrap(step.ranker, "rank", "rank links")
    watch.wrap(step.ranker, "observe", "learn")
    watch.wrap(step, "snapshot", "state to save")
    watch.wrap(step_module, "link_entries", "entries of links")
    watch.wrap(page_row, "summarise", "keywords, summary")
    watch.wrap(step_module, "evidence_of", "evidence")


if __name__ == "__main__":
    main()
