"""Lines in one place of blocks that repeat, which are main content as a whole: the prices on a shop's cards.

They are judged line by line, and a list of cards comes out with holes: one has its price, the next has none.
"""

from __future__ import annotations

from collections import Counter

import numpy as np
from numpy.typing import NDArray

from focuscrawl.extraction.segments import Segments

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

_TAKEN_WORDS, _TAKEN_LINES = 2 / 3, 0.5
"""Shares of the lines in one place: with so many taken, the others are."""
_LEAST_BLOCKS = 5
"""Lines that stand in fewer blocks are no list: the paragraphs of a text are in one, and may end in a note."""


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
