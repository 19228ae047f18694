"""Chosen lines of a page as clean text: paragraphs apart, lists and tables a line an item, code as it stands."""

from __future__ import annotations

from collections.abc import Sequence

from focuscrawl.extraction.segments import Segments
from focuscrawl.text.normalize import nfc

_CELL = " | "
_CELL_CHARS = 300  # a longer cell is no datum but a column of the page's layout
_LIST_TAGS = frozenset({"li", "dt", "dd"})


def render(found: Segments, chosen: Sequence[int]) -> str:
    """Return the text of the lines numbered `chosen`, in document order, NFC.

    Paragraphs are separated by a blank line; items of one list, rows of one table and lines of one paragraph by a
    line end; cells of one row by " | ".
    """
    nodes, lines = found.nodes, found.lines
    parts: list[str] = []
    last = -1
    for at in chosen:
        line = lines[at]
        if last >= 0:
            before = lines[last]
            one, other = nodes[before.node], nodes[line.node]
            row, last_row = _row(found, line.node), _row(found, before.node)
            if row >= 0 and row == last_row and before.node != line.node:
                small = len(line.text) < _CELL_CHARS and len(before.text) < _CELL_CHARS
                parts.append(_CELL if small and "\n" not in before.text else "\n\n")
            elif (row >= 0 and last_row >= 0 and nodes[row].parent == nodes[last_row].parent) or (
                other.tag in _LIST_TAGS and one.tag in _LIST_TAGS and one.parent == other.parent
            ):
                parts.append("\n")
            else:
                parts.append("\n" if line.gap == 1 and last == at - 1 else "\n\n")
        parts.append(line.text)
        last = at
    return nfc("".join(parts))


def _row(found: Segments, node: int) -> int:
    """Return the table row whose cell holds a line directly or as its paragraph, -1 for none."""
    nodes = found.nodes
    for _ in range(2):
        if nodes[node].tag in ("td", "th"):
            return nodes[node].parent
        node = nodes[node].parent
        if node < 0:
            return -1
    return -1
