"""From a topic file to a ready page step: every part by its name, through the plug-ins."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from focuscrawl import plugins
from focuscrawl.crawler.scope import Budgets, Scope, ScopeRules
from focuscrawl.crawler.step import PageStep, StepOptions
from focuscrawl.ranking.strategies import DEFAULT_STRATEGY, make_ranker
from focuscrawl.scoring.base import PageScorer
from focuscrawl.topic.base import PageJudge, TopicModel
from focuscrawl.topic.judges import make_judge
from focuscrawl.topic.model import fit_topic
from focuscrawl.topic.spec import TopicSpec

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
    PluginError
        If a name in the topic file or in `choices` is not known, or its options are wrong.
    """
    choices = choices or StepChoices()
    model: TopicModel = topic if topic is not None else fit_topic(spec)
    judge = judge or make_judge(model, spec)
    name = strategy_name(spec, choices.strategy)
    # Options in the topic file belong to the topic's own strategy: another one, chosen for a comparison, has others.
    options: Mapping[str, Any] = spec.ranking.options if name == (spec.ranking.strategy or DEFAULT_STRATEGY) else {}
    weights = {s: float(c.weight) for s, c in spec.scorers.items() if c.weight is not None}
    ranker = make_ranker(name, model, seed=choices.seed, options=options, weights=weights or None)
    scorers = {}
    for scorer in ranker.needs:
        own = spec.scorers[scorer].options if scorer in spec.scorers else {}
        scorers[scorer] = plugins.build("scorers", scorer, options=own, seed=choices.seed)
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
        extractor=plugins.build("extractors", choices.extractor),
        scorer=PageScorer(scorers),
        ranker=ranker,
        scope=scope,
        budgets=Budgets(per_host=choices.pages_per_host, per_pattern=choices.pages_per_pattern),
        options=choices.options,
    )
