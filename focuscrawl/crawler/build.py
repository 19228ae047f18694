"""From a topic file to a ready page step: every part by its name, through the plug-ins."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

from focuscrawl import plugins
from focuscrawl.crawler.scope import Budgets, Scope, ScopeRules
from focuscrawl.crawler.step import PageStep
from focuscrawl.crawler.step_options import StepOptions
from focuscrawl.errors import ConfigError, FocusCrawlError, PluginError, TopicError
from focuscrawl.ranking.base import Ranker
from focuscrawl.ranking.strategies import DEFAULT_STRATEGY, make_ranker
from focuscrawl.scoring.base import PageScorer
from focuscrawl.scoring.quality import QUALITY
from focuscrawl.topic.base import PageJudge, TopicModel
from focuscrawl.topic.choices import STRATEGY, placed
from focuscrawl.topic.judges import make_judge
from focuscrawl.topic.lexicon import Lexicon
from focuscrawl.topic.model import fit_topic
from focuscrawl.topic.spec import TopicSpec

PartT = TypeVar("PartT")
DEFAULT_EXTRACTOR = "router"
# A shape or a host may cost this many fetches without a find. Twice the pages of the largest listing a small site has;
# a calendar of two links a page takes weeks of crawling to reach it.
DEFAULT_PAGES_PER_PATTERN = 500
DEFAULT_PAGES_PER_HOST = 20_000


@dataclass(frozen=True, slots=True)
class StepChoices:
    """Choices beside the topic file; None leaves the topic's choice, or the default."""

    strategy: str | None = None
    extractor: str = DEFAULT_EXTRACTOR
    seed: int = 0
    pages_per_host: int = DEFAULT_PAGES_PER_HOST
    pages_per_pattern: int = DEFAULT_PAGES_PER_PATTERN
    options: StepOptions = field(default_factory=StepOptions)
    lexicon: Lexicon | None = None  # for topics that name none


def strategy_name(spec: TopicSpec, chosen: str | None) -> str:
    """Return the strategy in force: the argument's, else the topic's, else the default."""
    return chosen or spec.ranking.strategy or DEFAULT_STRATEGY


def build_step(
    spec: TopicSpec,
    topic: TopicModel | None = None,
    *,
    choices: StepChoices | None = None,
    judge: PageJudge | None = None,
) -> PageStep:
    """Return the page step of a topic.

    Parameters
    ----------
    spec
        The topic file.
    topic, judge
        Ready ones, when the caller has them; else they are built from `spec`.

    Raises
    ------
    TopicError
        If names in the topic file are not known, or their options are wrong; a line for each.
    PluginError
        If names in `choices` are not known, with the faults of the topic file where it has some.
    """
    choices = choices or StepChoices()
    model: TopicModel = topic if topic is not None else fit_topic(spec, lexicon=choices.lexicon)
    faults: list[FocusCrawlError] = []
    judge = judge or _attempt(faults, lambda: make_judge(model, spec))
    ranking = _ranking(faults, spec, model, choices)
    extractor = _attempt(faults, lambda: plugins.build("extractors", choices.extractor))
    if judge is None or ranking is None or extractor is None:
        raise _all_at_once(faults)
    ranker, scorers = ranking
    scope = Scope(
        ScopeRules(
            spec.scope.allow_hosts,
            spec.scope.deny_hosts,
            spec.scope.include,
            spec.scope.exclude,
            spec.scope.max_depth,
        )
    )
    return PageStep(
        model,
        judge=judge,
        extractor=extractor,
        scorer=PageScorer(scorers),
        ranker=ranker,
        scope=scope,
        budgets=Budgets(per_host=choices.pages_per_host, per_pattern=choices.pages_per_pattern),
        options=choices.options,
    )


def _attempt(faults: list[FocusCrawlError], make: Callable[[], PartT]) -> PartT | None:
    """Return a part, or None and one more fault: all wrong names are told at once."""
    try:
        return make()
    except (PluginError, ConfigError, TopicError) as error:
        faults.append(error)
        return None


def _all_at_once(faults: Sequence[FocusCrawlError]) -> FocusCrawlError:
    """Return one error for all: of the topic file, unless what was chosen beside it is wrong usage."""
    if len(faults) == 1:
        return faults[0]
    lines = [line for fault in faults for line in str(fault).splitlines()]
    at_topic = all(one.exit_code == TopicError.exit_code for one in faults)
    return TopicError(lines) if at_topic else PluginError("\n".join(lines))


def _ranking(
    faults: list[FocusCrawlError], spec: TopicSpec, model: TopicModel, choices: StepChoices
) -> tuple[Ranker, dict[str, Any]] | None:
    """Return the ranker of the strategy in force and the link scorers it needs, or None and what is wrong with them."""
    name = strategy_name(spec, choices.strategy)
    # Options in the topic file belong to the topic's own strategy: another one, chosen for a comparison, has others.
    own = name == (spec.ranking.strategy or DEFAULT_STRATEGY)
    options: Mapping[str, Any] = spec.ranking.options if own else {}
    weights = {s: float(c.weight) for s, c in spec.scorers.items() if c.weight is not None}

    def make() -> Ranker:
        with placed(spec, STRATEGY) if own else nullcontext():
            return make_ranker(name, model, seed=choices.seed, options=options, weights=weights or None)

    ranker = _attempt(faults, make)
    if ranker is None:
        return None
    made = {name: _attempt(faults, partial(_scorer, spec, name, choices)) for name in ranker.needs}
    scorers = {name: scorer for name, scorer in made.items() if scorer is not None}
    return (ranker, scorers) if len(scorers) == len(made) else None


def _scorer(spec: TopicSpec, name: str, choices: StepChoices) -> Any:
    own = dict(spec.scorers[name].options) if name in spec.scorers else {}
    if name == QUALITY and choices.options.pdf:
        own.setdefault("pdf", True)
    with placed(spec, f"[scorers.{name}]") if name in spec.scorers else nullcontext():
        return plugins.build("scorers", name, options=own, seed=choices.seed)
