"""``focuscrawl evaluate``: strategies beside each other on recorded webs, without a network."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from focuscrawl.cli import console
from focuscrawl.errors import ConfigError, InputError
from focuscrawl.lab.simulate.cases import ORACLE, CaseResult, CaseSettings, Laboratory, check_strategies
from focuscrawl.lab.simulate.comparison import METRICS, MIN_TOPICS, Difference, differences
from focuscrawl.lab.simulate.experiment import Experiment, run_experiment, save_results
from focuscrawl.lab.simulate.generator import generate_webs
from focuscrawl.lab.simulate.lessons import LessonResult, hold_lessons, lesson_rows
from focuscrawl.lab.simulate.picture import check_picture, draw_curves
from focuscrawl.lab.simulate.replay import AS_CRAWLED, LIMITS, is_run
from focuscrawl.lab.simulate.tables import difference_rows, figure_rows, start_rows, topic_rows
from focuscrawl.ranking.strategies import DEFAULT_STRATEGY

DEFAULT_STRATEGIES = "apprentice,heuristic,best-first,keyword-first,breadth-first"


def evaluate(
    webs: Annotated[
        list[Path] | None,
        typer.Argument(
            readable=False,
            help="Recorded webs (folders or .tar.xz with www/, topics/, qrels/), or finished runs (run folders,"
            " names).",
        ),
    ] = None,
    strategies: Annotated[
        str, typer.Option(help="Strategies to compare, by commas; options as name:option=value.")
    ] = DEFAULT_STRATEGIES,
    starts: Annotated[
        str, typer.Option(help="Seeds to start from: near, far, portal; a run has its own.")
    ] = "near,far,portal",
    generate: Annotated[
        list[str] | None,
        typer.Option(
            help="Make a web too: knob=value,… of language, hosts, articles, topical_share, purity, anchor_quality, "
            "url_quality, tunnel, boilerplate, traps and others; '' for the usual ones. May be given again."
        ),
    ] = None,
    topics: Annotated[str, typer.Option(help="Topics, by commas; web/topic where names repeat.")] = "all",
    seeds: Annotated[int, typer.Option(min=1, help="Random seeds a strategy is run with.")] = 1,
    against: Annotated[
        str, typer.Option(help="Strategy that paired differences are taken from; default: the first.")
    ] = "",
    judge: Annotated[str, typer.Option(help="topic: the topic's own judge; labels: the labels themselves.")] = "topic",
    budget_factor: Annotated[float, typer.Option(min=0.1, help="Page budget as a multiple of the relevant pages.")] = 5,
    budget_floor: Annotated[int, typer.Option(min=1, help="Least page budget.")] = 1500,
    jobs: Annotated[int, typer.Option(min=1, help="Processes.")] = 1,
    cache: Annotated[
        Path | None,
        typer.Option(help="Private folder to keep analysed pages in for the next time; what it holds is trusted."),
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Write every crawl's figures and curve as JSON.")] = None,
    picture: Annotated[Path | None, typer.Option(help="Draw the curves (.png, .svg, .pdf; needs matplotlib).")] = None,
    teach: Annotated[
        int, typer.Option(min=0, help="Do not compare: answer so many questions from the labels, as topic teach asks.")
    ] = 0,
    teach_wrong: Annotated[float, typer.Option(min=0.0, max=1.0, help="Share of wrong answers among these.")] = 0.1,
    by_topic: Annotated[bool, typer.Option("--by-topic", help="Print a table of single topics too.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")] = False,
) -> None:
    """Crawl the topics of recorded webs with several strategies, and compare what they find, page for page.

    A finished run is replayed: its verdicts are the labels and only the pages it fetched can be fetched again.
    """
    if not webs and not generate:
        raise typer.BadParameter("name a recorded web or a run, or make one with --generate")
    made = TemporaryDirectory(prefix="focuscrawl-evaluate-")
    try:
        _check_targets(out, picture)
        experiment = Experiment(
            webs=[*(str(path) for path in webs or ()), *generate_webs(generate or (), Path(made.name))],
            strategies=[ORACLE, *[s for s in _parts(strategies) if s != ORACLE]],
            starts=_parts(starts),
            topics=[] if topics == "all" else _parts(topics),
            seeds=seeds,
            settings=CaseSettings(
                judge=judge,
                budget_factor=budget_factor,
                budget_floor=budget_floor,
                cache=str(cache) if cache is not None else None,
            ),
        )
        replayed = {AS_CRAWLED} if _runs(webs) else set()
        names = {s for s in experiment.strategies if s != ORACLE} | replayed
        check_strategies(sorted(names - replayed))  # now, not after the crawls of those before it
        if against and against not in names:
            raise ConfigError(f"--against {against}: is not among the strategies compared: {', '.join(sorted(names))}")
        if teach:
            _teach(experiment, teach, teach_wrong, given=strategies != DEFAULT_STRATEGIES, out=out, as_json=as_json)
            return
        results = run_experiment(experiment, jobs=jobs, on_result=None if as_json else _say)
        if out is not None:
            save_results(out, experiment, results)
        if picture is not None:
            draw_curves(results, picture)
    finally:
        made.cleanup()
    base = against or next(s for s in experiment.strategies if s != ORACLE)
    compared = {m: [d for d in differences(results, base, metric=m) if d.strategy != ORACLE] for m in METRICS[:2]}
    if as_json:
        _print_json(results, compared)
        return
    _print_tables(results, compared, by_topic=by_topic)
    if _runs(webs):
        console.print_line(LIMITS)


def _print_json(results: Sequence[CaseResult], compared: Mapping[str, Sequence[Difference]]) -> None:
    rows = [asdict(one) | {"certain": one.certain} for several in compared.values() for one in several]
    console.print_json({"results": [result.as_row() for result in results], "differences": rows})


def _print_tables(
    results: Sequence[CaseResult], compared: Mapping[str, Sequence[Difference]], *, by_topic: bool
) -> None:
    if by_topic:
        _print(topic_rows(results), "vs_oracle by topic")
    _print(start_rows(results), "means over topics")
    _print(figure_rows(results), "means over all crawls")
    for metric, found in compared.items():
        if found:
            title = f"{metric}, paired by topic; * = without zero, on {MIN_TOPICS} topics or more"
            _print(difference_rows(found), title)


def _check_targets(out: Path | None, picture: Path | None) -> None:
    """Refuse what cannot be written before the crawls, which may take hours, and not after them."""
    for path in (out, picture):
        if path is not None and not path.parent.is_dir():
            raise InputError(f"{path}: cannot be written: there is no folder {path.parent}")
    if picture is not None:
        check_picture(picture)


def _teach(
    experiment: Experiment, questions: int, wrong: float, *, given: bool, out: Path | None, as_json: bool
) -> None:
    """Crawl with the first strategy that was given, or the default, and print what answers are worth."""
    laboratory = Laboratory(experiment.settings)
    strategy = next(s for s in experiment.strategies if s != ORACLE) if given else DEFAULT_STRATEGY
    cases = [
        replace(case, strategy=strategy)
        for batch in experiment.batches(laboratory)
        for case in batch
        if case.strategy == ORACLE
    ]
    try:
        results = hold_lessons(
            laboratory, cases, questions=questions, wrong=wrong, on_result=None if as_json else _say_lesson
        )
    finally:
        laboratory.close()
    rows = [result.as_row() for result in results]
    if out is not None:
        out.write_text(json.dumps(rows, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    if as_json:
        console.print_json({"lessons": rows})
    else:
        _print(
            lesson_rows(results), f"{questions} answers, {wrong:.0%} of them wrong: precision and recall of verdicts"
        )


def _say_lesson(r: LessonResult) -> None:
    typer.echo(f"  {r.web} {r.topic} {r.start}: {r.pages} pages, {r.yes} yes, {r.no} no", err=True)


def _print(table: tuple[Sequence[str], Sequence[Sequence[str]]], title: str) -> None:
    head, rows = table
    console.print_table([head[0], *(f">{name}" for name in head[1:])], rows, title=title)


def _runs(webs: Sequence[Path] | None) -> bool:
    return any(is_run(path) for path in webs or ())


def _parts(text: str) -> list[str]:
    return list(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))


def _say(r: CaseResult) -> None:
    if r.strategy != ORACLE:
        typer.echo(
            f"  {r.web} {r.topic} {r.start} {r.strategy} seed {r.seed}: vs_oracle {r.vs_oracle:.3f}, "
            f"recall@2R {r.recall_at_2r:.3f}, {r.fetched} pages, {r.cpu_ms_per_page:.2f} ms each",
            err=True,
        )
