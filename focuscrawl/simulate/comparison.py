"""Tables of results, and whether one strategy is better than another.

Seeds are averaged first, then topics: a topic counts once, however often it was run. Differences are paired by topic,
and their intervals come from resampling topics (paired bootstrap, Efron and Tibshirani 1993), because topics, not
single crawls, are what a claim about other webs rests on.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from focuscrawl.simulate.cases import CaseResult

METRICS = ("vs_oracle", "recall_at_2r", "harvest_at_r", "auc", "recall", "harvest")
ALL_STARTS = "all"
_RESAMPLES = 10_000
# Fewer topics prove nothing at 95 %, whatever their interval: heads six times in a row has a chance of 1/32, both
# ways, heads five times 1/16.
MIN_TOPICS = 6
TopicKey = tuple[str, str]  # web, topic


@dataclass(frozen=True, slots=True)
class Difference:
    """Mean of the paired differences of two strategies, with a 95 % interval."""

    strategy: str
    against: str
    start: str  # "all": mean over the starts of each topic
    metric: str
    topics: int
    mean: float
    low: float
    high: float
    wins: int  # topics on which `strategy` is ahead

    @property
    def certain(self) -> bool:
        """Tell whether the interval excludes zero and rests on at least `MIN_TOPICS` topics."""
        return self.topics >= MIN_TOPICS and (self.low > 0.0 or self.high < 0.0)


def per_topic(results: Iterable[CaseResult], metric: str) -> dict[tuple[str, str], dict[TopicKey, float]]:
    """Return {(strategy, start): {(web, topic): mean over seeds}}; results without the figure are left out.

    The start "all" holds the mean over starts of topics that have all the starts the strategy was run with.
    """
    runs: dict[tuple[str, str, TopicKey], list[float]] = defaultdict(list)
    starts: dict[str, set[str]] = defaultdict(set)
    for result in results:
        value = getattr(result, metric)
        if value is not None:
            runs[result.strategy, result.start, (result.web, result.topic)].append(float(value))
            starts[result.strategy].add(result.start)
    table: dict[tuple[str, str], dict[TopicKey, float]] = defaultdict(dict)
    for (strategy, start, topic), values in runs.items():
        table[strategy, start][topic] = float(np.mean(values))
    for strategy, names in starts.items():
        common = set.intersection(*(set(table[strategy, s]) for s in names))
        if common:
            table[strategy, ALL_STARTS] = {
                topic: float(np.mean([table[strategy, s][topic] for s in sorted(names)])) for topic in sorted(common)
            }
    return dict(table)


def means(results: Iterable[CaseResult], metric: str) -> dict[tuple[str, str], float]:
    """Return {(strategy, start): mean over topics}."""
    return {key: float(np.mean(list(values.values()))) for key, values in per_topic(results, metric).items()}


def differences(
    results: Sequence[CaseResult], against: str, *, metric: str = "vs_oracle", seed: int = 0
) -> list[Difference]:
    """Return the paired difference of every other strategy to `against`, by start and over all starts."""
    table = per_topic(results, metric)
    out = []
    for (strategy, start), values in table.items():
        base = table.get((against, start))
        if strategy == against or base is None:
            continue
        common = sorted(set(values) & set(base))
        if not common:
            continue
        deltas = np.array([values[t] - base[t] for t in common])
        low, high = bootstrap_interval(deltas, seed=seed)
        out.append(
            Difference(
                strategy, against, start, metric, len(common), float(deltas.mean()), low, high, int((deltas > 0).sum())
            )
        )
    return out


def bootstrap_interval(
    values: NDArray[np.float64], *, share: float = 0.95, resamples: int = _RESAMPLES, seed: int = 0
) -> tuple[float, float]:
    """Return the percentile bootstrap interval of the mean of `values`, shape (n,), n >= 1."""
    rng = np.random.default_rng(seed)
    picks = rng.integers(0, len(values), size=(resamples, len(values)))
    low, high = np.quantile(values[picks].mean(axis=1), [(1 - share) / 2, (1 + share) / 2])
    return float(low), float(high)
