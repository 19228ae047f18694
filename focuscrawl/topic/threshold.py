"""Thresholds of relevance: fixed, or following the scores a crawl has seen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite, sqrt
from typing import Protocol

from focuscrawl.errors import ConfigError
from focuscrawl.types import clip01

START = 0.5
"""Judges map their scores so that 0.5 is where a page is as likely on topic as not, for all the topic file tells."""
LOW, HIGH = 0.35, 0.7
"""How far the threshold may go: to half and to twice the evidence it began with (value = s / (s + half))."""
_EVERY = 50
_MIN_PAGES = 100
_STEP = 0.25
_CAP = 4.0
_BINS = 80
"""The histogram is over sqrt(evidence), sqrt(value / (1 - value)), which spreads low and high scores about evenly; 0.05
a bin, all above 4 (value 0.94) in the last."""


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
    """Threshold that moves to the gap between scores of pages on and off topic, within bounds.

    Every 50 pages, from the 100th on, the square roots of the evidence of all pages so far are split where the variance
    between the two sides is largest [1]_, and the threshold moves a quarter of the way there, inside [low, high]. It
    goes below its start only while the mean of the upper side is above the start: a crawl that has not found the topic
    yet must not call the best of the rest relevant. No label is needed.

    References
    ----------
    .. [1] Nobuyuki Otsu, A threshold selection method from gray-level histograms, IEEE Transactions on Systems, Man,
       and Cybernetics 9(1), 1979.
    """

    def __init__(self, *, start: float = START, low: float = LOW, high: float = HIGH) -> None:
        if not 0.0 <= low <= start <= high < 1.0:
            raise ConfigError(f"threshold: {low} <= {start} <= {high} must be in order, in [0, 1)")
        self.value = start
        self.start, self.low, self.high = start, low, high
        self._counts = [0] * _BINS
        self._seen = 0

    def observe(self, score: float) -> None:
        """Take note of a judged page's score in [0, 1]."""
        self._counts[min(_BINS - 1, int(_evidence(clip01(score)) / _CAP * _BINS))] += 1
        self._seen += 1
        if self._seen >= _MIN_PAGES and self._seen % _EVERY == 0:
            self._move()

    def snapshot(self) -> dict[str, object]:
        """Return the value and the histogram of scores."""
        return {"value": self.value, "counts": list(self._counts)}

    def restore(self, state: Mapping[str, object]) -> None:
        """Take up what `snapshot` returned; damaged data is left alone."""
        value, counts = state.get("value"), state.get("counts")
        if not isinstance(value, int | float) or not isfinite(value):
            return
        if not isinstance(counts, Sequence) or len(counts) != _BINS:
            return
        if not all(isinstance(count, int) and count >= 0 for count in counts):
            return
        self.value = min(self.high, max(self.low, float(value)))
        self._counts = list(counts)
        self._seen = sum(self._counts)

    def _move(self) -> None:
        split = otsu(self._counts)
        if split is None:
            return
        border, upper_mean = split.border * _CAP, split.upper_mean * _CAP
        target = border * border / (1.0 + border * border)
        if upper_mean < _evidence(self.start):
            target = max(target, self.start)
        self.value += _STEP * (min(self.high, max(self.low, target)) - self.value)


def _evidence(value: float) -> float:
    """Return sqrt(s / half) for value = s / (s + half), at most 4."""
    return min(_CAP, sqrt(value / (1.0 - value))) if value < 1.0 else _CAP


def _with_less_evidence(value: float, share: float) -> float:
    """Return what `value` = s / (s + half) becomes when s is `share` of what it was."""
    return value if share == 1.0 else share * value / (share * value + 1.0 - value)


@dataclass(frozen=True, slots=True)
class Split:
    """Two sides of a histogram over [0, 1]: the border, and the mean of what lies above it."""

    border: float
    upper_mean: float


def otsu(counts: Sequence[int]) -> Split | None:
    """Return the border that splits a histogram over [0, 1] with the largest variance between the two sides.

    Borders that split equally well (empty bins between two groups) give their middle. None when all is in one bin.
    """
    bins = len(counts)
    total = sum(counts)
    whole = sum(count * (at + 0.5) for at, count in enumerate(counts))
    best, borders, upper_mean = 0.0, [0], 0.0
    below, below_sum = 0, 0.0
    for at in range(bins - 1):
        below += counts[at]
        below_sum += counts[at] * (at + 0.5)
        above = total - below
        if not below or not above:
            continue
        mean_above = (whole - below_sum) / above
        distance = below_sum / below - mean_above
        between = below * above * distance * distance
        if between > best * (1.0 + 1e-12):
            best, borders, upper_mean = between, [at + 1], mean_above / bins
        elif between >= best * (1.0 - 1e-12):
            borders.append(at + 1)
    return Split(sum(borders) / len(borders) / bins, upper_mean) if best > 0.0 else None


def make_threshold(threshold: float | str, *, breadth: float = 0.0) -> Threshold:
    """Return the threshold meant by a topic file's value; a number is taken as it is.

    A page on a broad topic speaks of a part of it, so the adaptive one starts, and has its bounds, where the evidence
    s / half is ``2 ** -breadth`` of what a narrow topic asks for: at breadth 1 the start is 1/3 in the place of 1/2.

    Raises
    ------
    ConfigError
        If it is neither "adaptive" nor a number in [0, 1].
    """
    if threshold == "adaptive":
        start, low, high = (_with_less_evidence(value, 2.0**-breadth) for value in (START, LOW, HIGH))
        return AdaptiveThreshold(start=start, low=low, high=high)
    number = isinstance(threshold, int | float) and not isinstance(threshold, bool)
    if not number or not 0.0 <= float(threshold) <= 1.0:
        raise ConfigError(f'threshold {threshold!r}: must be "adaptive" or a number in [0, 1]')
    return FixedThreshold(float(threshold))
