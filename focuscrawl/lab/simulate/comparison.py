"""Tables of results, and whether one strategy is better than another.

Seeds are averaged first, then topics: a topic counts once, however often it was run. Differences are paired by topic,
and their intervals come from resampling topics (paired bootstrap, Efron and Tibshirani 1993), because topics, not
single crawls, are what a claim about other webs rests on.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from focuscrawl.lab.simulate.cases import ORACLE, CaseResult

METRICS = ("vs_oracle", "recall_at_2r", "harvest_at_r", "auc", "recall", "harvest")
ALL_STARTS = "all"
_SHARE, _RESAMPLES = 0.95, 10_000  # of the bootstrap intervals
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


def differences(results: Sequence[CaseResult], against: str, *, metric: str = "vs_oracle") -> list[Difference]:
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
        low, high = bootstrap_interval(deltas)
        out.append(
            Difference(
                strategy, against, start, metric, len(common), float(deltas.mean()), low, high, int((deltas > 0).sum())
            )
        )
    return out


@dataclass(frozen=True, slots=True)
class Shortfall:
    """A topic on which a strategy falls below a share of the best strategy's value."""

    strategy: str
    start: str
    web: str
    topic: str
    value: float
    best: str  # the strategy that is best there
    best_value: float


def shortfalls(
    results: Sequence[CaseResult],
    strategy: str,
    *,
    share: float = 0.5,
    metric: str = "vs_oracle",
    rivals: Iterable[str] = (),
) -> list[Shortfall]:
    """Return the topics and starts on which `strategy` has less than `share` of the best value, the worst first.

    Parameters
    ----------
    results
        Of `strategy` and others; those named `rivals` compete, all but the oracle by default.
    """
    table = per_topic(results, metric)
    names = set(rivals) or {r.strategy for r in results if r.strategy != ORACLE}
    out = []
    for (name, start), values in table.items():
        if name != strategy or start == ALL_STARTS:
            continue
        for topic, value in values.items():
            best_value, best = max(
                (table[other, start][topic], other)
                for other in names | {strategy}
                if topic in table.get((other, start), {})
            )
            if value < share * best_value:
                out.append(Shortfall(strategy, start, *topic, value, best, best_value))
    return sorted(out, key=lambda s: s.value / s.best_value)


@dataclass(frozen=True, slots=True)
class HeldOut:
    """Settings chosen on one web, and what they are worth on the others."""

    chosen_on: str  # web
    strategy: str  # the variant that is best there, by the mean over its starts
    start: str
    there: float  # its mean on that web
    elsewhere: float  # its mean over the topics of the other webs
    best_elsewhere: float  # that of the variant that is best on them: what choosing blindly costs is the difference


def leave_one_web_out(
    results: Sequence[CaseResult], variants: Sequence[str], *, metric: str = "vs_oracle"
) -> list[HeldOut]:
    """Choose the best of `variants` on each web, and report it by start on all other webs.

    Variants are strategies with different settings. With fewer than two webs there is nothing to report.
    """
    table = per_topic([r for r in results if r.strategy in set(variants)], metric)
    webs = list(dict.fromkeys(r.web for r in results))
    out: list[HeldOut] = []
    for web in webs if len(webs) > 1 else []:
        here = {v: m for v in variants if (m := _mean_on(table.get((v, ALL_STARTS), {}), web)) is not None}
        if not here:
            continue
        best = max(here, key=lambda v: here[v])
        for start in sorted({start for _, start in table}, key=lambda s: (s == ALL_STARTS, s)):
            others = {
                v: m for v in variants if (m := _mean_on(table.get((v, start), {}), web, others=True)) is not None
            }
            there = _mean_on(table.get((best, start), {}), web)
            if best in others and there is not None:
                out.append(HeldOut(web, best, start, there, others[best], max(others.values())))
    return out


def _mean_on(values: Mapping[TopicKey, float], web: str, *, others: bool = False) -> float | None:
    """Return the mean over the topics of a web, or of all others; None without any."""
    found = [value for (its_web, _), value in values.items() if (its_web == web) != others]
    return float(np.mean(found)) if found else None


def bootstrap_interval(values: NDArray[np.float64]) -> tuple[float, float]:
    """Return the 95 % percentile bootstrap interval of the mean of `values`, shape (n,), n >= 1."""
    rng = np.random.default_rng(0)
    picks = rng.integers(0, len(values), size=(_RESAMPLES, len(values)))
    low, high = np.quantile(values[picks].mean(axis=1), [(1 - _SHARE) / 2, (1 + _SHARE) / 2])
    return float(low), float(high)
