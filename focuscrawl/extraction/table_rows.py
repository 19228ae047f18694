"""Rows of tables of data, which are main content as a whole or not at all.

The cells of a table are judged line by line, and a number, a name or a unit by itself says little: a table comes out
with holes, which is worse for who reads it than no table.
"""

from __future__ import annotations

from collections import Counter, defaultdict

import numpy as np
from numpy.typing import NDArray

from focuscrawl.extraction.rendering import CELL_CHARS, cell_of
from focuscrawl.extraction.segments import Segments

Floats = NDArray[np.float32]
Bools = NDArray[np.bool_]

_PARTS = frozenset({"thead", "tbody", "tfoot"})
_LEAST_CELLS, _LEAST_ROWS = 2, 2
_TAKEN_SHARE = 0.5
"""Of the rows of a table: with so many taken, the others belong to it."""


def with_whole_rows(found: Segments, taken: Bools, p: Floats) -> Bools:
    """Return `taken` with the other cells of the rows that have a cell taken, and with the other rows of most such.

    A row of data has two cells at least, each of one short line, and another row beside it. Lines whose probability is
    0 are known for controls and notices.

    Parameters
    ----------
    taken, p
        Whether each line of `found` is taken, and its probability.
    """
    nodes = found.nodes
    rows: defaultdict[int, list[int]] = defaultdict(list)  # lines of each
    cells: Counter[int] = Counter()
    layout: set[int] = set()  # rows with a cell of more than a short line
    if not any(node.tag == "tr" for node in nodes):
        return taken
    for at, line in enumerate(found.lines):
        cell = cell_of(found, line.node)
        if cell < 0:
            continue
        row = nodes[cell].parent
        cells[cell] += 1
        rows[row].append(at)
        if cells[cell] > 1 or len(line.text) >= CELL_CHARS:
            layout.add(row)
    tables: defaultdict[int, list[int]] = defaultdict(list)
    for row, lines in rows.items():
        if row >= 0 and row not in layout and len(lines) >= _LEAST_CELLS:
            above = nodes[row].parent
            tables[nodes[above].parent if nodes[above].tag in _PARTS else above].append(row)
    completed = taken.copy()
    for members in tables.values():
        if len(members) < _LEAST_ROWS:
            continue
        begun = [row for row in members if taken[rows[row]].any()]
        for row in members if len(begun) > _TAKEN_SHARE * len(members) else begun:
            completed[rows[row]] = p[rows[row]] > 0.0
    return completed
