"""Strategies by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from focuscrawl.plugins import build
from focuscrawl.ranking.base import Ranker
from focuscrawl.topic.base import TopicModel

DEFAULT_STRATEGY = "apprentice"


def make_ranker(
    name: str,
    topic: TopicModel,
    *,
    seed: int = 0,
    options: Mapping[str, object] | None = None,
    weights: Mapping[str, float] | None = None,
) -> Ranker:
    """Return the strategy `name` for `topic`.

    Parameters
    ----------
    name
        A name registered in the entry-point group ``focuscrawl.rankers``.
    seed
        The crawl's seed; draws are bound to it and the URL key.
    options
        Options of the strategy (``[ranking.options]`` of a topic file).
    weights
        Weights of parts by name (``[scorers.<name>] weight``); strategies that mix nothing leave them alone.

    Raises
    ------
    PluginError
        If the strategy is unknown, or has no such option, or an option has a wrong value.
    ConfigError
        If options do not go together.
    """
    return cast("Ranker", build("rankers", name, topic, options=options, seed=seed, weights=weights))
