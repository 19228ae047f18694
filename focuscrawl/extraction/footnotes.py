"""Footnotes that the text refers to: they go with it, however little they look like running text.

Some generators set them in an ``aside``, others in a list of one or two, and a judge of single lines takes them for
what stands beside or below an article.
"""

from __future__ import annotations

from collections.abc import Set
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from focuscrawl.extraction.segments import Segments
from focuscrawl.page.tree import Element

Floats = NDArray[np.float32]
Bools = NDArray[np.bool_]

_ROLES = frozenset({"doc-footnote", "doc-endnote", "doc-endnotes"})
_NAME = "footnote"  # in the class of a note, or of the block of all of them
_LEVELS = 4  # of blocks from a paragraph of a note to the block of all notes
_MAX_PIECES, _MAX_MARK_CHARS = 9, 8  # of the number or sign in the text


def with_notes(found: Segments, taken: Bools, p: Floats) -> Bools:
    """Return `taken` with the lines of footnotes to which a line taken leads.

    A footnote has an id, and it or a block around is named so, by its class or its role. The number before it, alone in
    a line, is left out as that in the text is; so is what is known for a control, of probability 0.

    Parameters
    ----------
    taken, p
        Whether each line of `found` is taken, and its probability.
    """
    notes = _notes(found)
    if not notes:
        return taken
    blocks = {found.nodes[found.lines[int(at)].node].element for at in np.flatnonzero(taken)}
    targets = _targets(found.nodes[0].element, set(notes.values()), blocks)
    wanted = {at for at, identity in notes.items() if identity in targets}
    if not wanted:
        return taken
    taken = taken.copy()
    for at in wanted:
        line = found.lines[at]
        taken[at] = bool(taken[at]) or (p[at] > 0.0 and any(sign.isalpha() for sign in line.text))
    return taken


def _notes(found: Segments) -> dict[int, str]:
    """Return the lines of footnotes with the id of theirs."""
    named = {at for at, node in enumerate(found.nodes) if _NAME in node.names or node.element.get("role") in _ROLES}
    if not named:
        return {}
    known: dict[int, str] = {}  # of nodes
    notes: dict[int, str] = {}
    for at, line in enumerate(found.lines):
        if line.node not in known:
            known[line.node] = _note(found, line.node, named)
        if known[line.node]:
            notes[at] = known[line.node]
    return notes


def _note(found: Segments, node: int, named: Set[int]) -> str:
    """Return the id of the footnote that a block is part of, '' for none; `named` are blocks named after footnotes."""
    identity = ""
    for _ in range(_LEVELS):
        if node < 0:
            break
        identity = identity or found.nodes[node].element.get("id") or ""
        if node in named:
            return identity
        node = found.nodes[node].parent
    return ""


def _targets(top: Element, identities: set[str], blocks: set[Element]) -> set[str]:
    """Return which of the ids of footnotes a number or sign in one of `blocks` leads to."""
    targets: set[str] = set()
    for link in top.getroottree().getroot().iter("a"):
        href = link.get("href") or ""
        if href[:1] != "#" or href[1:] not in identities or href[1:] in targets:
            continue
        if len("".join(islice(link.itertext(), _MAX_PIECES)).strip()) <= _MAX_MARK_CHARS and not blocks.isdisjoint(
            islice(link.iterancestors(), _LEVELS)
        ):
            targets.add(href[1:])
    return targets
