"""One simulated crawl: a web, a topic, a start, a strategy, a random seed; and what is measured of it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from focuscrawl import plugins
from focuscrawl.crawler.build import StepChoices, build_step
from focuscrawl.crawler.step import PageStep
from focuscrawl.crawler.step_options import StepOptions
from focuscrawl.errors import ConfigError, MissingPackageError, PluginError
from focuscrawl.lab.simulate.crawl import BATCH, PER_HOST, PIPELINE, CrawlOptions, CrawlTrace, Pages, simulate
from focuscrawl.lab.simulate.judging import LabelJudge
from focuscrawl.lab.simulate.links import LinkGraph, load_graph
from focuscrawl.lab.simulate.metrics import (
    BUDGET_FACTOR,
    BUDGET_FLOOR,
    RELEVANT_GRADE,
    Yardstick,
    calibration_error,
    curve,
    yardstick,
)
from focuscrawl.lab.simulate.pages import MEMORY_PAGES, AnalysedPages, analysing_mark
from focuscrawl.lab.simulate.recorded import RecordedWeb, open_web
from focuscrawl.lab.simulate.remembered import RememberingScorer, TopicMemory, remembering_judge
from focuscrawl.lab.simulate.replay import AS_CRAWLED, FinishedRun, RecordedVerdicts, ReplayedPages, is_run
from focuscrawl.lab.simulate.robots import RobotsFiles
from focuscrawl.lab.simulate.texts import extracting_mark
from focuscrawl.ranking.strategies import make_ranker
from focuscrawl.topic.base import PageJudge, TopicModel
from focuscrawl.topic.model import fit_topic
from focuscrawl.topic.spec import TopicSpec

ORACLE = "oracle"
CURVE_POINTS = 100
JUDGES = ("topic", "labels")
Web = RecordedWeb | FinishedRun


@dataclass(frozen=True, slots=True)
class Case:
    """One crawl to simulate. `strategy` may carry options: ``name:option=value:option=value`` (values as JSON)."""

    web: str  # path of the recorded web
    topic: str
    start: str
    strategy: str
    seed: int = 0


@dataclass(frozen=True, slots=True)
class CaseSettings:
    """Settings that all cases of an experiment share."""

    judge: str = "topic"  # "topic": the topic's own judge; "labels": one that knows the labels
    grade: int = RELEVANT_GRADE
    budget_factor: float = BUDGET_FACTOR
    budget_floor: int = BUDGET_FLOOR
    pipeline: int = PIPELINE
    per_host: int = PER_HOST
    batch: int = BATCH
    obey_robots: bool = True
    cache: str | None = None  # private folder for analyses, link graphs and unpacked archives
    memory_pages: int = MEMORY_PAGES
    pin: str = ""  # see `AnalysedPages`

    def __post_init__(self) -> None:
        if self.judge not in JUDGES:
            raise ConfigError(f"judge {self.judge!r} is unknown; known: {', '.join(JUDGES)}")


@dataclass(frozen=True, slots=True)
class CaseResult:
    """Figures of one crawl. Rates are in [0, 1]; see `metrics.Scores` for the first six."""

    web: str
    topic: str
    start: str
    strategy: str
    seed: int
    relevant: int  # pages that can be found
    budget: int
    fetched: int
    harvest_at_r: float
    recall_at_2r: float
    recall_at_5r: float
    auc: float
    vs_oracle: float
    harvest: float  # relevant share of the pages fetched
    recall: float  # share of the relevant pages found within the budget
    hosts: int  # hosts that a relevant page was found on
    hosts_relevant: int  # hosts that have one
    ece: float | None = None  # predicted score against the judge's verdicts
    judge_precision: float | None = None  # of the judge, by the labels, on the pages fetched
    judge_recall: float | None = None
    requests: int = 0
    gone: int = 0  # requests that met no page
    cpu_ms_per_page: float = 0.0  # without reading and analysing pages
    stopped: str = ""
    seconds: float = 0.0  # virtual duration, delays of hosts included
    curve: tuple[float, ...] = field(default=(), repr=False)  # recall after 0 %, 1 %, … 100 % of the budget

    def as_row(self) -> dict[str, Any]:
        """Return the figures as JSON-safe data, rounded to what they are worth."""
        row = {k: round(v, 4) if isinstance(v, float) else v for k, v in asdict(self).items()}
        row["curve"] = [round(v, 4) for v in self.curve]
        return row


def parse_strategy(text: str) -> tuple[str, dict[str, Any]]:
    """Split ``name:option=value`` into the name and its options.

    >>> parse_strategy("apprentice:optimism=0.5:words=false")
    ('apprentice', {'optimism': 0.5, 'words': False})
    """
    name, *pairs = text.split(":")
    options: dict[str, Any] = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals or not key:
            raise ConfigError(f"strategy {text!r}: expected name:option=value, found {pair!r}")
        try:
            options[key] = json.loads(value)
        except ValueError:
            options[key] = value
    return name, options


def check_strategies(strategies: Iterable[str]) -> None:
    """Build strategies as `parse_strategy` takes them, with a topic that stands in for those to come.

    Raises
    ------
    PluginError
        If there is no such strategy.
    ConfigError
        If options are none of its own, or wrong.
    """
    topic = fit_topic(TopicSpec(name="stand-in", terms={"word": 1.0}))
    for strategy in strategies:
        name, options = parse_strategy(strategy)
        plugins.load("rankers", name)
        try:
            make_ranker(name, topic, options=options)
        except MissingPackageError:
            raise
        except (PluginError, ConfigError) as error:
            raise ConfigError(f"--strategies {strategy}: {error}") from error


class Laboratory:
    """Runs cases; what cases share (webs, graphs, analysed pages, fitted topics, yardsticks) is made once.

    Parameters
    ----------
    settings
        Settings of all cases.
    prepare
        Called with the page step of each crawl before it begins, to put parts into it that are no plug-ins.
    """

    def __init__(
        self, settings: CaseSettings | None = None, *, prepare: Callable[[PageStep], None] | None = None
    ) -> None:
        self.settings = settings or CaseSettings()
        self._prepare = prepare
        self._webs: dict[str, Web] = {}
        self._graphs: dict[str, LinkGraph] = {}
        self._robots: dict[str, RobotsFiles] = {}
        self._pages: dict[tuple[str, str], Pages] = {}
        self._models: dict[tuple[str, str], TopicModel] = {}
        self._memories: dict[tuple[str, str], TopicMemory] = {}
        self._yardsticks: dict[tuple[str, str, str], Yardstick] = {}
        if self.settings.cache:
            analysing_mark()  # now, while the files are most likely those this process runs
            extracting_mark()

    # ---------------------------------------------------------------- shared

    def web(self, path: str) -> Web:
        """Return the web at `path`, or the finished run."""
        if path not in self._webs:
            cache = self._cache()
            if is_run(Path(path)):
                self._webs[path] = FinishedRun(Path(path))
            else:
                self._webs[path] = open_web(Path(path), unpack_to=cache / "webs" if cache else None)
        return self._webs[path]

    def graph(self, path: str) -> LinkGraph:
        """Return the link graph of the web at `path`."""
        if path not in self._graphs:
            web = self.web(path)
            if isinstance(web, FinishedRun):
                self._graphs[path] = web.graph()
                return self._graphs[path]
            cache = self._cache()
            self._graphs[path] = load_graph(web.root, web.files, cache=cache / "graphs" / web.name if cache else None)
        return self._graphs[path]

    def pages(self, path: str, model: TopicModel) -> Pages:
        """Return the analysed pages of the web at `path`, words cut as `model` wants them."""
        key = (path, model.tokenizer.name)
        if key not in self._pages:
            # Pages of another web, or cut for another topic, would only fill the memory: cases come one by one.
            for other in list(self._pages):
                _close(self._pages.pop(other))
            web = self.web(path)
            if isinstance(web, FinishedRun):
                self._pages[key] = ReplayedPages(web, model.tokenizer)
                return self._pages[key]
            cache = self._cache()
            self._pages[key] = AnalysedPages(
                web.files,
                model.tokenizer,
                cache=cache / "pages" if cache else None,
                max_links=StepOptions().max_links,
                memory_pages=self.settings.memory_pages,
                pin=self.settings.pin,
            )
        return self._pages[key]

    def yardstick(self, path: str, topic: str, start: str) -> Yardstick:
        """Return what crawls of a topic from a start are measured by."""
        key = (path, topic, start)
        if key not in self._yardsticks:
            web, settings = self.web(path), self.settings
            data = web.topic(topic)
            identity = web.identity if isinstance(web, FinishedRun) else web.files.identity
            seeds = [page for url in data.starts[start] if (page := identity(url)) is not None]
            try:
                self._yardsticks[key] = yardstick(
                    self.graph(path),
                    seeds,
                    data.grades,
                    grade=settings.grade,
                    budget_factor=settings.budget_factor,
                    budget_floor=settings.budget_floor,
                    most=len(web.order) if isinstance(web, FinishedRun) else None,
                )
            except ConfigError as error:
                raise type(error)(f"{path}, topic {topic}, start {start}: {error}") from error
        return self._yardsticks[key]

    def close(self) -> None:
        """Write what was analysed to the cache."""
        for pages in self._pages.values():
            _close(pages)
        self._pages.clear()

    # ----------------------------------------------------------------- cases

    def run(self, case: Case) -> CaseResult:
        """Simulate a case; the strategy "oracle" is the greedy crawler that knows all."""
        measure = self.yardstick(case.web, case.topic, case.start)
        if case.strategy == ORACLE:
            return self._result(case, measure, measure.oracle, None)
        web = self.web(case.web)
        if case.strategy == AS_CRAWLED and isinstance(web, FinishedRun):
            return self._result(case, measure, web.order, None)
        trace = self.crawl(case)
        return self._result(case, measure, trace.order, trace)

    def crawl(self, case: Case, *, watch: Callable[[PageJudge], PageJudge] | None = None) -> CrawlTrace:
        """Simulate a case and return what happened page by page; `watch` may put a judge before the case's own."""
        settings = self.settings
        measure = self.yardstick(case.web, case.topic, case.start)
        web = self.web(case.web)
        name, options = parse_strategy(case.strategy)
        spec = web.spec(case.topic, case.start, strategy=name, options=options)
        model = self._model(case)
        judge: PageJudge | None = None
        if isinstance(web, FinishedRun):
            judge = RecordedVerdicts(model, web)  # most texts were not kept: nobody else can judge them
        elif settings.judge == "labels":
            judge = LabelJudge(model, web.files, web.topic(case.topic).grades, grade=settings.grade)
        step = build_step(spec, model, choices=StepChoices(strategy=name, seed=case.seed), judge=judge)
        if self._prepare is not None:
            self._prepare(step)
        memory = self._memory(case)
        step.judge = remembering_judge(step.judge, memory)
        if watch is not None:
            step.judge = watch(step.judge)
        step.scorer = RememberingScorer(step.scorer, memory)
        pages = self.pages(case.web, model)
        trace = simulate(
            step,
            spec.seeds,
            pages,
            options=CrawlOptions(
                measure.budget,
                pipeline=settings.pipeline,
                per_host=settings.per_host,
                batch=settings.batch,
                seed=case.seed,
                obey_robots=settings.obey_robots,
            ),
            robots=self._robots_of(case.web),
        )
        if isinstance(pages, AnalysedPages):
            pages.flush()
        return trace

    def _robots_of(self, path: str) -> RobotsFiles | None:
        web = self.web(path)
        if isinstance(web, FinishedRun):
            return None  # what robots.txt refused was not fetched
        return self._robots.setdefault(path, RobotsFiles(web.files))

    def _model(self, case: Case) -> TopicModel:
        """Return the fitted topic: the same from all starts, as seeds have no part in it."""
        key = (case.web, case.topic)
        if key not in self._models:
            web = self.web(case.web)
            self._models[key] = fit_topic(web.spec(case.topic, web.starts[0]))
        return self._models[key]

    def _memory(self, case: Case) -> TopicMemory:
        key = (case.web, case.topic)
        if key not in self._memories:
            # Cases come topic by topic, and each topic's memory can be as large as the web's pages.
            self._memories.clear()
            self._memories[key] = TopicMemory()
        return self._memories[key]

    def _cache(self) -> Path | None:
        return Path(self.settings.cache) if self.settings.cache else None

    def _result(self, case: Case, measure: Yardstick, order: Sequence[str], trace: CrawlTrace | None) -> CaseResult:
        scores = measure.scores(order)
        inside = order[: measure.budget]
        found = [page for page in inside if page in measure.relevant]
        line = curve(inside, measure.relevant, measure.budget)
        total = len(measure.relevant)
        ticks = [round(i * measure.budget / CURVE_POINTS) for i in range(CURVE_POINTS + 1)]
        precision = recall = ece = None
        if trace is not None:
            precision, recall = _judge_quality(trace, measure.relevant)
            ece = calibration_error(trace.predicted, trace.relevant)
        return CaseResult(
            web=self.web(case.web).name,
            topic=case.topic,
            start=case.start,
            strategy=case.strategy,
            seed=case.seed,
            relevant=total,
            budget=measure.budget,
            **asdict(scores),
            harvest=len(found) / len(inside) if inside else 0.0,
            recall=len(found) / total,
            hosts=len(_hosts(found)),
            hosts_relevant=len(_hosts(measure.relevant)),
            ece=ece,
            judge_precision=precision,
            judge_recall=recall,
            requests=trace.requests if trace else 0,
            gone=trace.gone if trace else 0,
            cpu_ms_per_page=1000 * trace.cpu_s / max(1, len(trace.judged)) if trace else 0.0,
            stopped=trace.stopped if trace else "",
            seconds=trace.seconds if trace else 0.0,
            curve=tuple(line[t - 1] / total if t else 0.0 for t in ticks),
        )


def _close(pages: Pages) -> None:
    if isinstance(pages, AnalysedPages):
        pages.close()


def _hosts(pages: Iterable[str]) -> set[str]:
    return {page.partition("/")[0] for page in pages}


def _judge_quality(trace: CrawlTrace, labelled: frozenset[str]) -> tuple[float | None, float | None]:
    """Return precision and recall of the verdicts by the labels, None where there is nothing to divide by."""
    said = {page for page, relevant in zip(trace.judged, trace.relevant, strict=True) if relevant}
    met = labelled.intersection(trace.judged)
    right = len(said & labelled)
    return (right / len(said) if said else None), (right / len(met) if met else None)
