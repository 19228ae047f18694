"""Lines in one place of blocks that repeat, and items of one list, which are main content as a whole.

They are judged line by line, and come out with holes: one card of a shop has its price, the next has none, and a list
of sources loses those whose titles are short.
"""

from __future__ import annotations

from collections import Counter

import numpy as np
from numpy.typing import NDArray

from focuscrawl.extraction.segments import LIST_ITEMS, Segments

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

_TAKEN_WORDS, _TAKEN_LINES = 2 / 3, 0.5
"""Shares of the lines in one place: with so many taken, the others are."""
_LEAST_BLOCKS = 5
"""Lines that stand in fewer blocks are no list: the paragraphs of a text are in one, and may end in a note."""
_LIST_SHARE = 0.2
"""Of the lines of a list, and of their words: with so many taken, it belongs to the text."""
_LEAST_ITEMS = 3  # one of two says little of the other: links between paragraphs, one judged by the topic it shares
_ITEM = 0.2
"""How probable the other items of such a list have to be."""


def with_alike(found: Segments, taken: Bools, p: Floats, weights: Floats, places: Ints) -> Bools:
    """Return `taken` with the other lines of those places of which most are taken.

    Lines whose probability is 0 are known for controls and notices. Time is linear in the lines.

    Parameters
    ----------
    taken, p, weights
        Whether each line of `found` is taken, its probability, and its words.
    places
        A number for each line; those of one number have the same elements and first class names above them.
    """
    lines, words = np.bincount(places), np.bincount(places, weights)
    taken_lines, taken_words = np.bincount(places, taken), np.bincount(places, weights * taken)
    most = (taken_words >= _TAKEN_WORDS * words) & (taken_lines >= _TAKEN_LINES * lines)
    held = np.flatnonzero((most & (taken_lines < lines) & (lines >= _LEAST_BLOCKS))[places]).tolist()
    if not held:
        return taken
    blocks = Counter(place for place, _ in {(int(places[at]), found.nodes[found.lines[at].node].parent) for at in held})
    completed = taken.copy()
    for at in held:
        if blocks[int(places[at])] >= _LEAST_BLOCKS and p[at] > 0.0:
            completed[at] = True
    return completed


def with_rest_of_lists(found: Segments, taken: Bools, p: Floats, weights: Floats) -> Bools:
    """Return `taken` with the doubtful items of lists that belong to the text. Time is linear in the lines.

    Parameters
    ----------
    taken, p, weights
        Whether each line of `found` is taken, its probability, and its words.
    """
    nodes, lines = found.nodes, found.lines
    doubtful = [int(at) for at in np.flatnonzero(~taken & (p >= _ITEM)) if nodes[lines[at].node].tag in LIST_ITEMS]
    if not doubtful:
        return taken
    lists: dict[int, list[int]] = {nodes[lines[at].node].parent: [] for at in doubtful}
    for at, line in enumerate(lines):
        block = nodes[line.node]
        if block.parent in lists and block.tag in LIST_ITEMS:
            lists[block.parent].append(at)
    completed = taken.copy()
    for items in lists.values():
        if len(items) < _LEAST_ITEMS:
            continue
        held = taken[items]
        if held.sum() >= _LIST_SHARE * len(items) and weights[items][held].sum() >= _LIST_SHARE * weights[items].sum():
            completed[items] |= p[items] >= _ITEM
    return completed
