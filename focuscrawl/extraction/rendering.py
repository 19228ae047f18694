"""Chosen lines of a page as clean text: paragraphs apart, lists and tables a line an item, code as it stands."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from focuscrawl.extraction.segments import Segment, Segments
from focuscrawl.text.normalize import nfc

_CELL = " | "
CELL_CHARS = 300
"""A longer cell of a table is no datum but a column of the page's layout."""
_LIST_TAGS = frozenset({"li", "dt", "dd"})


def render(found: Segments, chosen: Sequence[int]) -> str:
    """Return the text of the lines numbered `chosen`, in document order, NFC.

    Paragraphs are separated by a blank line; items of one list, rows of one table and lines of one paragraph by a
    line end; cells of one row by " | ". A cell of much text, or all there is of its row, is a column of the page's
    layout, and its paragraphs are paragraphs.
    """
    nodes, lines = found.nodes, found.lines
    cells = [cell_of(found, lines[at].node) for at in chosen]
    chars: Counter[int] = Counter()
    for at, cell in zip(chosen, cells, strict=True):
        chars[cell] += len(lines[at].text)
    in_row = Counter(nodes[cell].parent for cell in chars if cell >= 0)
    parts: list[str] = []
    last = last_cell = -1
    for at, cell in zip(chosen, cells, strict=True):
        line = lines[at]
        if last >= 0:
            before = lines[last]
            one, other = nodes[before.node], nodes[line.node]
            row, last_row = (nodes[one].parent if one >= 0 else -1 for one in (cell, last_cell))
            if cell >= 0 and cell == last_cell and (chars[cell] >= CELL_CHARS or in_row[row] == 1):
                parts.append(_gap(line, adjacent=last == at - 1))
            elif row >= 0 and row == last_row and before.node != line.node:
                small = chars[cell] < CELL_CHARS and chars[last_cell] < CELL_CHARS
                parts.append(_CELL if small and "\n" not in before.text else "\n\n")
            elif (row >= 0 and last_row >= 0 and nodes[row].parent == nodes[last_row].parent) or (
                other.tag in _LIST_TAGS and one.tag in _LIST_TAGS and one.parent == other.parent
            ):
                parts.append("\n")
            else:
                parts.append(_gap(line, adjacent=last == at - 1))
        parts.append(line.text)
        last, last_cell = at, cell
    return nfc("".join(parts))


def _gap(line: Segment, *, adjacent: bool) -> str:
    return "\n" if line.gap == 1 and adjacent else "\n\n"


def cell_of(found: Segments, node: int) -> int:
    """Return the cell of a table that holds a line directly or as its paragraph, -1 for none."""
    nodes = found.nodes
    for _ in range(2):
        if nodes[node].tag in ("td", "th"):
            return node
        node = nodes[node].parent
        if node < 0:
            return -1
    return -1
