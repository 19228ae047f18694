"""Many cases at once: the product of webs, topics, starts, strategies and random seeds, over several processes."""

from __future__ import annotations

import gc
import json
import multiprocessing
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from focuscrawl.errors import ConfigError, InputError
from focuscrawl.lab.simulate.cases import ORACLE, Case, CaseResult, CaseSettings, Laboratory, Web
from focuscrawl.lab.simulate.recorded import STARTS, RecordedWeb
from focuscrawl.lab.simulate.replay import AS_CRAWLED, FinishedRun

# Analyses are millions of long-lived objects; collections that walk all of them would double the run time.
_GC_THRESHOLDS = (50_000, 50, 1000)


@dataclass(frozen=True, slots=True)
class Experiment:
    """Strategies, topics and starts of an experiment."""

    webs: Sequence[str]
    strategies: Sequence[str]
    starts: Sequence[str] = STARTS
    topics: Sequence[str] = ()  # none: all; "topic" or "web/topic"
    seeds: int = 1
    settings: CaseSettings = field(default_factory=CaseSettings)

    def batches(self, laboratory: Laboratory) -> list[list[Case]]:
        """Return the cases in batches of one web, topic and start each, web by web."""
        for start in self.starts:
            if start not in STARTS:
                raise ConfigError(f"start {start!r} is unknown; known: {', '.join(STARTS)}")
        found: set[str] = set()
        batches = []
        for path in self.webs:
            web = laboratory.web(path)
            for topic in web.topic_names():
                names = {topic, f"{web.name}/{topic}"}
                if self.topics and not names.intersection(self.topics):
                    continue
                found |= names
                starts = self.starts if isinstance(web, RecordedWeb) else web.starts
                batches += [list(self._cases(web, path, topic, start)) for start in starts]
        unknown = [t for t in self.topics if t not in found]
        if unknown:
            raise ConfigError(f"no web given has the topic {', '.join(unknown)}")
        if not batches:
            raise InputError("the webs given have no topics with labels")
        return batches

    def _cases(self, web: Web, path: str, topic: str, start: str) -> Iterator[Case]:
        own = [AS_CRAWLED] if isinstance(web, FinishedRun) else []
        for strategy in [*self.strategies, *own]:
            for seed in range(1 if strategy in (ORACLE, AS_CRAWLED) else self.seeds):
                yield Case(path, topic, start, strategy, seed)


def run_experiment(
    experiment: Experiment, *, jobs: int = 1, on_result: Callable[[CaseResult], None] | None = None
) -> list[CaseResult]:
    """Run all cases and return their results in the order of the cases, whatever the number of processes.

    Raises
    ------
    ConfigError
        If a web, topic or start is unknown.
    """
    laboratory = Laboratory(experiment.settings)
    batches = experiment.batches(laboratory)
    results: list[list[CaseResult]] = [[] for _ in batches]
    if jobs <= 1:
        before = gc.get_threshold()
        gc.set_threshold(*_GC_THRESHOLDS)
        try:
            for place, batch in enumerate(batches):
                results[place] = [_told(laboratory.run(case), on_result) for case in batch]
        finally:
            gc.set_threshold(*before)
            laboratory.close()
    else:
        context = multiprocessing.get_context("fork")
        with ProcessPoolExecutor(
            jobs, mp_context=context, initializer=_begin_worker, initargs=(experiment.settings,)
        ) as pool:
            waiting = {pool.submit(_run_batch, batch): place for place, batch in enumerate(batches)}
            for future in as_completed(waiting):
                results[waiting[future]] = [_told(result, on_result) for result in future.result()]
    return [result for batch_results in results for result in batch_results]


_worker: Laboratory | None = None


def _begin_worker(settings: CaseSettings) -> None:
    global _worker
    gc.set_threshold(*_GC_THRESHOLDS)
    _worker = Laboratory(settings)


def _run_batch(batch: list[Case]) -> list[CaseResult]:
    assert _worker is not None
    return [_worker.run(case) for case in batch]


def _told(result: CaseResult, on_result: Callable[[CaseResult], None] | None) -> CaseResult:
    if on_result is not None:
        on_result(result)
    return result


def save_results(path: Path, experiment: Experiment, results: Sequence[CaseResult]) -> None:
    """Write the results as JSON: ``settings``, and one object a crawl under ``results``."""
    document = {
        "settings": asdict(experiment.settings) | {"seeds": experiment.seeds},
        "results": [result.as_row() for result in results],
    }
    path.write_text(json.dumps(document, ensure_ascii=False, indent=1), encoding="utf-8")


def load_results(path: Path) -> list[CaseResult]:
    """Read results that `save_results` wrote.

    Raises
    ------
    ConfigError
        If the file is none of those.
    """
    known = {f.name for f in fields(CaseResult)}
    results = []
    try:
        for row in json.loads(path.read_text(encoding="utf-8"))["results"]:
            figures: dict[str, Any] = {k: tuple(v) if k == "curve" else v for k, v in row.items() if k in known}
            results.append(CaseResult(**figures))
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(f"{path}: holds no results of an evaluation ({error})") from error
    return results
