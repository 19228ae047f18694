"""Which lines of a page are its gold text: runs of four tokens, each counted as often as the gold text has it."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Any

import numpy as np

from focuscrawl.lab.extractors.gold_lines import line_shares

RUN = 4
_AROUND = 60  # tokens on each side that tell the text itself from its repetition in a teaser
_DOUBTFUL = 0.25  # what a repeated run counts among those


def gold_shares(by_line: list[list[str]], gold: Counter[tuple[str, ...]]) -> Any:
    """Return for each line the share of its tokens that are the gold text.

    Parameters
    ----------
    by_line
        Tokens of each line.
    gold
        Runs of `RUN` tokens of the gold text, with their number (``shingles`` of the scorer).

    A run that the page has more often than the gold text, as headlines and teasers repeat, is taken where most of the
    tokens around it are gold.
    """
    flat = [token for line in by_line for token in line]
    runs = [tuple(flat[at : at + RUN]) for at in range(len(flat) - RUN + 1)]
    times = Counter(run for run in runs if run in gold)
    met = np.array([run in times for run in runs], bool)
    sure = np.array([met[at] and times[run] <= gold[run] for at, run in enumerate(runs)], bool)
    if sure.sum() < met.sum():
        sums = np.concatenate(([0.0], np.cumsum(sure + _DOUBTFUL * met)))
        places: dict[tuple[str, ...], list[int]] = defaultdict(list)
        for at in np.flatnonzero(met & ~sure):
            places[runs[at]].append(int(at))
        last = len(runs)
        for run, ats in places.items():
            ats.sort(key=lambda at: float(sums[max(at - _AROUND, 0)] - sums[min(at + _AROUND, last)]))
            met[ats[gold[run] :]] = False
    covered = np.zeros(len(flat))
    for at in np.flatnonzero(met):
        covered[at : at + RUN] = 1.0
    return line_shares(by_line, covered)
