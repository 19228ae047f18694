"""The figures of a focused crawl: harvest, recall, area under curves, calibration.

All take the judgements of the fetched pages in the order of fetching and return plain numbers. An empty crawl has a
harvest of 0, not an error: "nothing fetched" is a result people ask about.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate, groupby

RECENT = 100  # pages of "the harvest of the last 100"


def harvest_rate(relevant: Sequence[bool]) -> float:
    """Return relevant pages / fetched pages, in [0, 1]; 0 when nothing was fetched.

    >>> harvest_rate([True, False, True, False])
    0.5
    """
    return sum(relevant) / len(relevant) if relevant else 0.0


def harvest_recent(relevant: Sequence[bool], n: int = RECENT) -> float:
    """Return the harvest rate of the last `n` pages (of all, when there are fewer), in [0, 1].

    Raises
    ------
    ValueError
        If `n` is below 1.
    """
    if n < 1:
        raise ValueError(f"n is {n}; the window needs at least one page")
    return harvest_rate(relevant[-n:])


def moving_harvest(relevant: Sequence[bool], n: int = RECENT) -> list[float]:
    """Return, for each page, the harvest rate of the `n` pages that end with it; shape (len(relevant),).

    Raises
    ------
    ValueError
        If `n` is below 1.
    """
    if n < 1:
        raise ValueError(f"n is {n}; the window needs at least one page")
    out: list[float] = []
    found = 0
    for i, hit in enumerate(relevant):
        found += hit
        if i >= n:
            found -= relevant[i - n]
        out.append(found / min(i + 1, n))
    return out


def thresholds_in_force(thresholds: Iterable[float], later: Iterable[bool]) -> list[float]:
    """Return the threshold in force when each page was fetched.

    Parameters
    ----------
    thresholds
        Of the verdict that stands for each page, in [0, 1], in the order of fetching.
    later
        Whether that verdict came later than the page: then the threshold before it is meant, or for the first pages
        the one after them. Where all came later, they are all there is. A feed has no threshold (0.0), and keeps it.

    >>> thresholds_in_force([0.5, 0.3, 0.0, 0.5, 0.4], [True, False, False, True, False])
    [0.3, 0.3, 0.0, 0.3, 0.4]
    """
    pairs = list(zip(thresholds, later, strict=True))
    last = next((threshold for threshold, again in pairs if threshold and not again), 0.0)
    out: list[float] = []
    for threshold, again in pairs:
        out.append(last if again and last and threshold else threshold)
        if threshold and not again:
            last = threshold
    return out


def last_threshold(thresholds: Sequence[float]) -> float | None:
    """Return the threshold of the last page that was judged, None without one: feeds are read, not judged, and have 0.

    >>> last_threshold([0.5, 0.3, 0.0])
    0.3
    """
    return next((threshold for threshold in reversed(thresholds) if threshold), None)


def cumulative(relevant: Sequence[bool]) -> list[int]:
    """Return the number of relevant pages among the first 1, 2, … pages: the harvest curve, shape (len(relevant),)."""
    return list(accumulate(int(hit) for hit in relevant))


def ranking_auc(scores: Sequence[float], relevant: Sequence[bool]) -> float | None:
    """Return the area under the ROC curve: the chance that a relevant page had a higher score than an irrelevant one.

    Ties count half (Mann-Whitney U). 0.5 is what a coin reaches. None when one of the two kinds is missing, since
    nothing was there to be told apart. O(n log n).

    Raises
    ------
    ValueError
        If there are not as many scores as judgements.
    """
    if len(scores) != len(relevant):
        raise ValueError(f"{len(scores)} scores for {len(relevant)} judgements")
    positives = sum(relevant)
    negatives = len(relevant) - positives
    if not positives or not negatives:
        return None
    wins = 0.0
    below = 0  # irrelevant pages with a lower score
    ordered = sorted(zip(scores, relevant, strict=True), key=lambda pair: pair[0])
    for _, group in groupby(ordered, key=lambda pair: pair[0]):
        hits = [hit for _, hit in group]
        up = sum(hits)
        down = len(hits) - up
        wins += up * (below + 0.5 * down)
        below += down
    return wins / (positives * negatives)


@dataclass(frozen=True, slots=True)
class CalibrationBin:
    """Pages whose predicted score lies in [low, high), the last bin closed above."""

    low: float
    high: float
    pages: int
    predicted: float  # mean predicted score
    observed: float  # share of them found relevant


def calibration_bins(predicted: Sequence[float], relevant: Sequence[bool], *, bins: int = 10) -> list[CalibrationBin]:
    """Return the non-empty ones of `bins` equally wide classes of the predicted score, by rising score.

    Raises
    ------
    ValueError
        If the lengths differ or a prediction is outside [0, 1].
    """
    if len(predicted) != len(relevant):
        raise ValueError(f"{len(predicted)} predictions for {len(relevant)} judgements")
    sums = [0.0] * bins
    hits = [0] * bins
    counts = [0] * bins
    for score, hit in zip(predicted, relevant, strict=True):
        if not 0.0 <= score <= 1.0:
            raise ValueError(f"predicted score {score} is outside [0, 1]")
        i = min(int(score * bins), bins - 1)
        sums[i] += score
        hits[i] += hit
        counts[i] += 1
    return [CalibrationBin(i / bins, (i + 1) / bins, n, sums[i] / n, hits[i] / n) for i, n in enumerate(counts) if n]


def calibration_error(bins: Sequence[CalibrationBin]) -> float:
    """Return the expected calibration error, in [0, 1].

    The mean of ``|predicted - observed|`` over the bins, weighted by their pages; 0 for no bins.

    References
    ----------
    .. [1] Naeini, Cooper, Hauskrecht, "Obtaining Well Calibrated Probabilities Using Bayesian Binning", AAAI 2015.
    """
    pages = sum(b.pages for b in bins)
    return sum(b.pages * abs(b.predicted - b.observed) for b in bins) / pages if pages else 0.0
