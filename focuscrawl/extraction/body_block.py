"""Block that surely holds a page's body, and the bar it sets for lines inside and outside.

Lines are judged one by one; that teasers and comments below an article are as well written as the article itself is
seen only from the blocks. Where one block holds text that is probable nearly throughout, a line outside has to be surer
than a line elsewhere, and the cells of a table or a code block inside need less.
"""

from __future__ import annotations

from itertools import islice
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from focuscrawl.extraction.block_sums import below, ends_of
from focuscrawl.extraction.class_names import PHRASES, phrase_bits
from focuscrawl.extraction.rendering import CELL_CHARS, cell_of
from focuscrawl.extraction.segments import HEADINGS, LIST_ITEMS, Segment, Segments
from focuscrawl.page.tree import Element

Floats = NDArray[np.float32]
Bools = NDArray[np.bool_]

PURITY, SHARE = 0.85, 0.3
"""From such a mean probability of its words, and such a share of the page's probable words, a block is the body."""
OUTSIDE = 0.9
"""How probable a line outside the body of an article has to be."""
CELL = 0.2
"""How probable a cell of a table or a code block in the body has to be."""
WITH_DATA = 0.15
"""How probable cells of data between two lines taken have to be, and the headings of sections beside them."""
NEIGHBOUR = 0.3
"""How probable a paragraph or list item has to be that stands directly beside a line taken, in the same block."""
_INSIDE = frozenset({"blockquote", "ul", "ol", "dl"})
_BETWEEN = LIST_ITEMS | HEADINGS
_SECTIONS = HEADINGS - {"h1"}
_LIKE_TITLE = 0.25
_BOLD, _BOLD_LEVELS = frozenset({"b", "strong"}), 3  # elements within a block
_FIGURE_PARTS = 4  # a table and its caption
_FOLD_LEVELS = 6  # of blocks around a line of a folded part
_MOMENT = 1 << PHRASES.index("moment")
_CELLS = frozenset({"td", "th", "pre"})


class Body(NamedTuple):
    """A block: whether each line stands in it, and how good it is."""

    inside: Bools
    purity: float  # mean probability of its words, in [0, 1]
    share: float  # of the probable words of the page, in [0, 1]


def body_block(found: Segments, p: Floats, weights: Floats) -> Body:
    """Return the block whose lines, all taken, promise the greatest F1: 2 * m / (w + M).

    m and w are the probable words and the words of the block, M the probable words of the page.

    Parameters
    ----------
    p, weights
        Probability and words of each line of `found`, which has one at least.
    """
    node = np.array([line.node for line in found.lines], np.int64)
    ends = np.array(ends_of([block.parent for block in found.nodes]), np.int64)
    count = len(ends)
    words = below(np.bincount(node, weights, count).astype(np.float64), ends)
    mass = below(np.bincount(node, weights * p, count).astype(np.float64), ends)
    whole = max(float((weights * p).sum()), 1e-9)
    best = int((mass / (words + whole)).argmax())
    inside = (node >= best) & (node < ends[best])
    return Body(inside, float(mass[best] / max(words[best], 1e-9)), float(mass[best]) / whole)


def settle(found: Segments, p: Floats, weights: Floats, threshold: float, *, article: bool) -> Bools:
    """Return for each line whether it is taken.

    Parameters
    ----------
    p, weights, threshold
        Probability and words of each line, and the page's cut.
    article
        The page says that it is an article, and nothing says that it is a thread.
    """
    taken = p > threshold
    body = body_block(found, p, weights)
    if body.purity < PURITY or body.share < SHARE:
        return taken
    if article and (taken & body.inside).any():
        taken &= body.inside | (p >= OUTSIDE)
    cells = np.array([found.nodes[line.node].tag in _CELLS for line in found.lines], np.bool_)
    taken |= cells & body.inside & (p >= CELL)
    return taken


def with_neighbours(found: Segments, taken: Bools, p: Floats) -> Bools:
    """Return `taken` with the doubtful paragraphs and list items that go on from a line taken, in the same block.

    A page of sure comments is cut high, and would lose the first paragraph of the post above them, an article its lists
    of a word or two an item. Quotations and lists belong to the block they stand in; items that are mostly link are no
    text. Cf. the two thresholds of Canny, "A computational approach to edge detection", IEEE PAMI 8(6), 1986.
    """
    taken = taken.copy()
    blocks_of_nodes = _blocks(found)
    blocks = [blocks_of_nodes[line.node] for line in found.lines]
    doubtful = [int(at) for at in np.flatnonzero(~taken & (p >= NEIGHBOUR))]
    paragraphs = [at for at in doubtful if found.nodes[found.lines[at].node].tag == "p"]
    # What stands above a list goes on in it; what stands above a paragraph may be its date.
    below = [at for at in doubtful if _goes_on(found, found.lines[at])]
    for order, step in ((reversed(paragraphs), 1), (iter(below), -1)):
        for at in order:
            beside = at + step
            if 0 <= beside < len(blocks) and taken[beside] and blocks[at] == blocks[beside]:
                taken[at] = True
    return taken


def with_enclosed(found: Segments, taken: Bools, p: Floats, least: float, *, likeness: Floats | None = None) -> Bools:
    """Return `taken` with headings, list items, cells, captions of tables and folded lines between two lines taken.

    These are items of lists within lists, headings of one word, cells of tables of data, and questions with their
    answers, which a script shows. Numbers and units say so little that a table of them is doubtful throughout, and so
    are the headings of its section and of the next one: with cells of data between the lines they need be no more
    probable than `WITH_DATA`.

    Parameters
    ----------
    least
        How probable these have to be: less than the cut of the page.
    likeness
        Of each line to the page's title, in [0, 1]; where it is not known any ``h1`` may be that.
    """
    taken = taken.copy()
    start = -1  # of the run below the last line taken, -1 where another line parts it from that
    has_data = has_doubtful = False  # of the run: cells of data, headings less probable than `least`
    for at in range(len(taken)):
        if taken[at]:
            if 0 <= start < at and (has_data or not has_doubtful):
                taken[start:at] = True
            start = at + 1
            has_data = has_doubtful = False
        elif p[at] < min(least, WITH_DATA) or not (
            _may_stand_between(found, at, 1.0 if likeness is None else likeness[at]) or _is_folded(found, at)
        ):
            start = -1
        elif _is_datum(found, found.lines[at]):
            has_data = True
        elif p[at] < least and found.nodes[found.lines[at].node].tag not in _SECTIONS:
            start = -1
        else:
            has_doubtful |= bool(p[at] < least)
    return taken


def with_heading_above(found: Segments, taken: Bools, p: Floats, least: float, likeness: Floats) -> Bools:
    """Return `taken` with the heading of a section directly above the first line taken.

    Parameters
    ----------
    least
        How probable it has to be.
    likeness
        Of each line to the page's title, in [0, 1]: that is no heading of a section.
    """
    at = int(taken.argmax()) - 1
    if at >= 0 and p[at] >= least and likeness[at] < _LIKE_TITLE and found.nodes[found.lines[at].node].tag in _SECTIONS:
        taken = taken.copy()
        taken[at] = _may_stand_between(found, at, float(likeness[at]))
    return taken


def _may_stand_between(found: Segments, at: int, likeness: float) -> bool:
    line = found.lines[at]
    tag = found.nodes[line.node].tag
    if (
        (
            tag not in _BETWEEN
            and not _is_bold(found, at)
            and not _is_datum(found, line)
            and not _is_caption(found, line)
        )
        or (tag == "h1" and likeness >= _LIKE_TITLE)
        or (2 * line.link_chars >= line.chars and not _leads_to_itself(found.nodes[line.node].element))
    ):
        return False
    return not phrase_bits(line.text) & _MOMENT


def _is_caption(found: Segments, line: Segment) -> bool:
    """Tell whether a line is the caption of a table, in the figure of both."""
    element = found.nodes[line.node].element
    figure = element.getparent()
    if element.tag != "figcaption" or figure is None:
        return False
    return any(part.tag == "table" for part in islice(figure, _FIGURE_PARTS))


def _leads_to_itself(element: Element) -> bool:
    """Tell whether an element with an id leads to its own place, as generators wrap the words of their headings."""
    name, inside = element.get("id"), next(iter(element), None)
    return name is not None and inside is not None and inside.get("href") == f"#{name}"


def _is_datum(found: Segments, line: Segment) -> bool:
    """Tell whether a line is in a short cell of a row with others, as those of a table of data."""
    cell = cell_of(found, line.node)
    if cell < 0 or len(line.text) >= CELL_CHARS:
        return False
    element = found.nodes[cell].element
    return element.getprevious() is not None or element.getnext() is not None


def _is_bold(found: Segments, at: int) -> bool:
    """Tell whether a line is all of its block and bold, as headings are in the editors of blogs and WeChat."""
    element = found.nodes[found.lines[at].node].element
    for _ in range(_BOLD_LEVELS):
        if len(element) != 1 or (element.text or "").strip() or (element[0].tail or "").strip():
            return False
        element = element[0]
        if element.tag in _BOLD:
            return True
    return False


def _is_folded(found: Segments, at: int) -> bool:
    """Tell whether a line stands in a part of the text that is folded, or heads one."""
    node = found.lines[at].node
    heads = False
    for _ in range(_FOLD_LEVELS):
        if node < 0:
            return False
        block = found.nodes[node]
        heads = block.tag == "summary" or block.element.get("aria-expanded") is not None
        if heads or block.hidden or block.tag == "details":
            break
        node = block.parent
    else:
        return False
    return heads or 2 * found.lines[at].link_chars < found.lines[at].chars


def _goes_on(found: Segments, line: Segment) -> bool:
    tag = found.nodes[line.node].tag
    return tag == "p" or (tag in LIST_ITEMS and 2 * line.link_chars < line.chars)


def _blocks(found: Segments) -> list[int]:
    """Return for each node the block it stands in, -1 for none; lists and quotations are none."""
    blocks: list[int] = []
    for node in found.nodes:
        above = node.parent
        blocks.append(blocks[above] if above >= 0 and found.nodes[above].tag in _INSIDE else above)
    return blocks
