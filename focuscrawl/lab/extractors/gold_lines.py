"""Lines of a page that stand in its gold text, and counts of those a method kept."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from focuscrawl.text.scripts import HAN_AND_KANA

RUN = 4
"""Tokens in a row that a line must share with the gold text: fewer occur anywhere by chance."""
_TOKEN = re.compile(rf"[{HAN_AND_KANA}]|[^\W{HAN_AND_KANA}]+")


class LineFigures(NamedTuple):
    """Counts of right, extracted and gold lines (formulas 9 to 11)."""

    valid: int
    result: int
    web: int

    @property
    def precision(self) -> float:
        """Valid lines / lines of results, 0 without any."""
        return self.valid / self.result if self.result else 0.0

    @property
    def recall(self) -> float:
        """Valid lines / lines of main text, 0 without any."""
        return self.valid / self.web if self.web else 0.0

    @property
    def f(self) -> float:
        """2PR / (P + R), 0 when both are."""
        both = self.precision + self.recall
        return 2.0 * self.precision * self.recall / both if both else 0.0


def line_figures(pages: Collection[tuple[Collection[int], Collection[int]]]) -> LineFigures:
    """Return the counts over (lines kept, lines of the gold text) of pages."""
    kept = [(set(result), set(gold)) for result, gold in pages]
    return LineFigures(
        sum(len(result & gold) for result, gold in kept),
        sum(len(result) for result, _ in kept),
        sum(len(gold) for _, gold in kept),
    )


def tokens(text: str) -> list[str]:
    """Return the words of a text, each Chinese or Japanese character as one; punctuation has none."""
    return _TOKEN.findall(text)


def gold_shares(lines: Sequence[str], gold: str) -> NDArray[np.float64]:
    """Return for each line the share of its tokens that stand in a run of four tokens that `gold` has too.

    Runs go on from line to line, so that short lines of a text count. A line without tokens has 0.
    """
    by_line = [tokens(line) for line in lines]
    flat = [token for line in by_line for token in line]
    wanted = tokens(gold)
    length = max(1, min(RUN, len(wanted)))
    runs = {tuple(wanted[at : at + length]) for at in range(len(wanted) - length + 1)} if wanted else set()
    met = np.zeros(len(flat))
    for at in range(len(flat) - length + 1):
        if tuple(flat[at : at + length]) in runs:
            met[at : at + length] = 1.0
    return line_shares(by_line, met)


def line_shares(by_line: Sequence[Sequence[str]], met: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the mean of `met`, one value a token of all lines, over the tokens of each line; 0 for a line of none."""
    shares, start = np.zeros(len(by_line)), 0
    for number, line in enumerate(by_line):
        if line:
            shares[number] = met[start : start + len(line)].mean()
        start += len(line)
    return shares
