"""``focuscrawl evaluate``: strategies beside each other on recorded webs, without a network."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from focuscrawl.errors import FocusCrawlError
from focuscrawl.simulate.cases import ORACLE, CaseResult, CaseSettings
from focuscrawl.simulate.comparison import METRICS, differences
from focuscrawl.simulate.experiment import Experiment, run_experiment, save_results
from focuscrawl.simulate.picture import draw_curves
from focuscrawl.simulate.tables import difference_table, summary_table, topic_table

DEFAULT_STRATEGIES = "breadth-first,random,keyword-first,best-first,heuristic"


def evaluate(
    webs: Annotated[
        list[Path], typer.Argument(help="Recorded webs: folders or .tar.xz with world.json, www/, topics/, qrels/.")
    ],
    strategies: Annotated[
        str, typer.Option(help="Strategies to compare, by commas; options as name:option=value.")
    ] = DEFAULT_STRATEGIES,
    starts: Annotated[str, typer.Option(help="Seeds to start from: near, far, portal.")] = "near,far,portal",
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
    by_topic: Annotated[bool, typer.Option("--by-topic", help="Print a table of single topics too.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")] = False,
) -> None:
    """Crawl the topics of recorded webs with several strategies, and compare what they find, page for page."""
    try:
        experiment = Experiment(
            webs=[str(path) for path in webs],
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
        results = run_experiment(experiment, jobs=jobs, on_result=None if as_json else _say)
        if out is not None:
            save_results(out, experiment, results)
        if picture is not None:
            draw_curves(results, picture)
    except (FocusCrawlError, OSError) as error:
        typer.echo(f"focuscrawl evaluate: {error}", err=True)
        raise typer.Exit(1) from error
    if as_json:
        typer.echo(json.dumps([result.as_row() for result in results], ensure_ascii=False))
        return
    if by_topic:
        typer.echo(topic_table(results) + "\n")
    typer.echo(summary_table(results) + "\n")
    base = against or next(s for s in experiment.strategies if s != ORACLE)
    for metric in METRICS[:2]:
        found = [d for d in differences(results, base, metric=metric) if d.strategy != ORACLE]
        if found:
            typer.echo(f"{metric}, paired by topic, * = without zero, on six topics or more")
            typer.echo(difference_table(found) + "\n")


def _parts(text: str) -> list[str]:
    return list(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))


def _say(r: CaseResult) -> None:
    if r.strategy != ORACLE:
        typer.echo(
            f"  {r.web} {r.topic} {r.start} {r.strategy} seed {r.seed}: vs_oracle {r.vs_oracle:.3f}, "
            f"recall@2R {r.recall_at_2r:.3f}, {r.fetched} pages, {r.cpu_ms_per_page:.2f} ms each",
            err=True,
        )
