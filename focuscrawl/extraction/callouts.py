"""Callouts: notes, hints and warnings that a text sets off in blocks of their own."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from focuscrawl.extraction.block_sums import ends_of
from focuscrawl.extraction.segments import Node, Segments

Floats = NDArray[np.float32]
Bools = NDArray[np.bool_]

LEAST = 0.15
"""How probable the words of a callout have to be on the average."""
_MOST_CHARS = 2000  # of a callout: a longer block of such a name is a column of the page
_NAMES = frozenset(
    {
        "admonition",  # docutils, Sphinx, MkDocs, themes of Hugo
        "admonitionblock",  # Asciidoctor, Antora
        "book-hint",  # a theme of Hugo
        "callout",  # Quarto, Obsidian
        "custom-block",  # VitePress, VuePress
        "markdown-alert",  # GitHub
        "starlight-aside",
        "theme-admonition",  # Docusaurus
    }
)


def with_callouts(found: Segments, taken: Bools, p: Floats, weights: Floats) -> Bools:
    """Return `taken` with the lines of callouts of which some are taken, or that stand beside or between lines taken.

    These are lines of the block around the callout. One directly in the body of the page has to stand between them: it
    may be a box of the site. A callout has few words, and one in many pages, so that it looks like a box beside the
    text. One of mostly links is a menu. Lines whose probability is 0 are known for controls and notices.

    Parameters
    ----------
    taken, p, weights
        Whether each line of `found` is taken, its probability and its words.
    """
    nodes, lines = found.nodes, found.lines
    callouts: list[int] = []  # outermost callout around each block, -1 for none
    for at, node in enumerate(nodes):
        above = callouts[node.parent] if node.parent >= 0 else -1
        callouts.append(above if above >= 0 else at if _is_callout(node) else -1)
    if max(callouts, default=-1) < 0:
        return taken
    ends = ends_of([node.parent for node in nodes])
    kept = np.flatnonzero(taken)
    completed = taken.copy()
    start = 0
    while start < len(lines):
        callout = callouts[lines[start].node]
        end = start + 1
        while end < len(lines) and callouts[lines[end].node] == callout:
            end += 1
        if callout >= 0 and _is_text(found, range(start, end), p, weights):
            around = nodes[callout].parent
            before, after = (
                int(kept[at]) if 0 <= at < len(kept) and around <= lines[kept[at]].node < ends[around] else -1
                for at in (int(np.searchsorted(kept, start)) - 1, int(np.searchsorted(kept, end)))
            )
            beside = nodes[around].tag != "body" and (before == start - 1 >= 0 or after == end)
            if beside or (before >= 0 and after >= 0) or taken[start:end].any():
                completed[start:end] = p[start:end] > 0.0
        start = end
    return completed


def _is_callout(node: Node) -> bool:
    """Tell whether a block is a callout by its classes."""
    return bool(node.names) and not _NAMES.isdisjoint(node.names.split())


def _is_text(found: Segments, run: range, p: Floats, weights: Floats) -> bool:
    some = slice(run.start, run.stop)
    chars = links = 0
    for at in run:
        chars += found.lines[at].chars
        links += found.lines[at].link_chars
    return 2 * links < chars <= _MOST_CHARS and float((p[some] * weights[some]).sum()) >= LEAST * float(
        weights[some].sum()
    )
