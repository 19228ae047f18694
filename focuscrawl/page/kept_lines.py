"""Lines of a text that stay although many texts of its host have them: what stands around them stays."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

_SHORT_LINE = 4
"""Shorter lines are headings of a template ("Ingredients") as often as boilerplate: they go at the ends only."""
_CELL_BORDER = " | "
"""Between the cells of a row of an extracted text."""


def keep_inside(gone: list[bool], lines: Sequence[str], words: Sequence[Sequence[str]]) -> None:
    """Take back of the lines that are `gone` those that belong to lines which stay.

    These are short lines between others, lines inside a list, a piece of code or a stanza, and the rows of a table.

    Parameters
    ----------
    lines, words
        Of the text, and the words of each line.
    """
    _keep_short_inside(gone, words)
    _keep_inside_lists(gone, lines)
    _keep_tables(gone, lines)


def _keep_short_inside(gone: list[bool], words: Sequence[Sequence[str]]) -> None:
    """Keep short lines that stand between lines which stay."""
    kept = [at for at, tokens in enumerate(words) if tokens and not (gone[at] and len(tokens) >= _SHORT_LINE)]
    long_kept = [at for at in kept if not gone[at]]
    if not long_kept:
        return
    for at in range(long_kept[0], long_kept[-1]):
        if len(words[at]) < _SHORT_LINE:
            gone[at] = False


def _keep_inside_lists(gone: list[bool], lines: Sequence[str]) -> None:
    """Keep lines between two that stay in one list, piece of code or stanza: those without a blank line between."""
    last = -1  # of this block that stays
    for at, line in enumerate(lines):
        if not line:
            last = -1
        elif not gone[at]:
            if 0 <= last < at - 1:
                gone[last + 1 : at] = [False] * (at - last - 1)
            last = at


def _keep_tables(gone: list[bool], lines: Sequence[str]) -> None:
    """Keep the rows of tables of which a row stays: the head of a daily table stands on all its pages."""
    rows: list[int] = []
    for at, line in enumerate(chain(lines, ("end",))):
        if _CELL_BORDER in line:
            rows.append(at)
        elif line and rows:
            if not all(gone[row] for row in rows):
                gone[rows[0] : rows[-1] + 1] = [False] * (rows[-1] + 1 - rows[0])
            rows = []
