"""When is a page relevant: a fixed threshold, or one that follows the scores the crawl has seen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Protocol

from focuscrawl.errors import ConfigError
from focuscrawl.types import clip01

START = 0.5
"""Judges map their scores so that 0.5 is where a page is as likely on topic as not, for all the topic file tells."""
LOW, HIGH = 0.4, 0.7
_BINS = 50
_EVERY = 50
_MIN_PAGES = 100
_STEP = 0.25


class Threshold(Protocol):
    """A value in [0, 1] that may move with the scores observed."""

    value: float

    def observe(self, score: float) -> None:
        """Take note of a judged page's score in [0, 1]."""
        ...

    def snapshot(self) -> dict[str, object]:
        """Return what was learned, JSON-safe."""
        ...

    def restore(self, state: Mapping[str, object]) -> None:
        """Take up what `snapshot` returned."""
        ...


class FixedThreshold:
    """The number the user gave, or the last one set."""

    def __init__(self, value: float) -> None:
        self.value = value

    def observe(self, score: float) -> None:
        """Do nothing."""

    def snapshot(self) -> dict[str, object]:
        """Return the value."""
        return {"value": self.value}

    def restore(self, state: Mapping[str, object]) -> None:
        """Keep the value: a number in the topic file is meant, whatever an older run had."""


class AdaptiveThreshold:
    """Looks for the gap between the scores of pages on and off topic, and never goes far from where it began.

    Every 50 pages, from the 100th on, the scores seen so far are split where the variance between the two sides is
    largest (Otsu), and the threshold moves a quarter of the way there, inside [low, high]. No label is needed. The
    bounds are what keeps a crawl that has seen no relevant page yet from calling the best of the others relevant, and
    one that sees nothing else from refusing half of it.

    References
    ----------
    .. [1] Nobuyuki Otsu, A threshold selection method from gray-level histograms, IEEE Transactions on Systems, Man,
       and Cybernetics 9(1), 1979.
    """

    def __init__(self, *, start: float = START, low: float = LOW, high: float = HIGH) -> None:
        if not 0.0 <= low <= start <= high <= 1.0:
            raise ConfigError(
                f"threshold: {low} <= {start} <= {high} (low, start, high): must be in order and in [0, 1]"
            )
        self.value = start
        self.low, self.high = low, high
        self._counts = [0] * _BINS
        self._seen = 0

    def observe(self, score: float) -> None:
        """Take note of a judged page's score in [0, 1]."""
        self._counts[min(_BINS - 1, int(clip01(score) * _BINS))] += 1
        self._seen += 1
        if self._seen >= _MIN_PAGES and self._seen % _EVERY == 0:
            target = min(self.high, max(self.low, otsu(self._counts)))
            self.value += _STEP * (target - self.value)

    def snapshot(self) -> dict[str, object]:
        """Return the value and the histogram of scores."""
        return {"value": self.value, "counts": list(self._counts)}

    def restore(self, state: Mapping[str, object]) -> None:
        """Take up what `snapshot` returned; damaged data is left alone."""
        value, counts = state.get("value"), state.get("counts")
        if not isinstance(value, int | float) or not isfinite(value):
            return
        if not isinstance(counts, Sequence) or len(counts) != _BINS or not all(isinstance(c, int) for c in counts):
            return
        self.value = min(self.high, max(self.low, float(value)))
        self._counts = list(counts)
        self._seen = sum(self._counts)


def otsu(counts: Sequence[int]) -> float:
    """Return the border in [0, 1] that splits a histogram of scores with the largest variance between the sides.

    Borders that split equally well (empty bins between two groups) give their middle; an empty histogram gives 0.5.
    """
    bins = len(counts)
    total = sum(counts)
    if not total:
        return START
    whole = sum(count * (at + 0.5) for at, count in enumerate(counts))
    best, borders = -1.0, [bins // 2]
    below, below_sum = 0, 0.0
    for at in range(bins - 1):
        below += counts[at]
        below_sum += counts[at] * (at + 0.5)
        above = total - below
        if not below or not above:
            continue
        distance = below_sum / below - (whole - below_sum) / above
        between = below * above * distance * distance
        if between > best * (1.0 + 1e-12):
            best, borders = between, [at + 1]
        elif between >= best * (1.0 - 1e-12):
            borders.append(at + 1)
    return sum(borders) / len(borders) / bins


def make_threshold(threshold: float | str) -> Threshold:
    """Return the threshold meant by a topic file's value.

    Raises
    ------
    ConfigError
        If it is neither "adaptive" nor a number in [0, 1].
    """
    if threshold == "adaptive":
        return AdaptiveThreshold()
    number = isinstance(threshold, int | float) and not isinstance(threshold, bool)
    if not number or not 0.0 <= float(threshold) <= 1.0:
        raise ConfigError(f'threshold {threshold!r}: must be "adaptive" or a number in [0, 1]')
    return FixedThreshold(float(threshold))
