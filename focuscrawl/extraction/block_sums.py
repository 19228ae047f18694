"""Sums over the blocks of a page: text, links and punctuation of each with all below it.

Blocks stand in document order, so a block and all below it are a range, and sums over it are differences of running
sums. What comes down from the blocks above is handed on a level of the tree at a time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from operator import attrgetter

import numpy as np
from numpy.typing import NDArray

from focuscrawl.extraction.line_counts import LineCounts
from focuscrawl.extraction.segments import Segments

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]
Ints = NDArray[np.int64]

# Elements a text stands below, whatever is between.
_ABOVE_NAMES = "article main nav aside footer header form table ul figure noscript blockquote pre dl ol"
ABOVE = tuple(_ABOVE_NAMES.split())
_ABOVE_BIT = {tag: 1 << number for number, tag in enumerate(ABOVE)}
_RECORD_NAMES = "div li article section table tr tbody dl dd ul ol blockquote"
_BLOCK = attrgetter("parent", "tag", "names", "bits", "hidden", "depth")
_RECORD_TAGS = frozenset(_RECORD_NAMES.split())
# A block of more of the page than this is the page: what its names say holds for nothing in particular.
_WRAPPER = 0.7
_NEAR = 3  # levels above a text whose names are about it
_RECORDS = 3
_RECORD_SHARE = 0.25


@dataclass(slots=True)
class Blocks:
    """Arrays with a number for each block; sums are over the block and all below it."""

    parent: Ints  # -1 for the top
    bits: Ints  # groups of words in its names (class_names.py)
    near: Ints  # the same of it and the levels just above, without blocks that are the page
    far: Ints  # the same of it and all levels above
    above: Ints  # elements of `ABOVE` it stands in, a bit each
    hidden: Floats
    depth: Floats
    signature: Ints  # blocks of one number have the same tags and first classes on their path
    group: Ints  # the same, and the same block above
    words: Doubles
    chars: Doubles
    links: Doubles  # characters in links
    stops: Doubles  # punctuation of lines that are not mostly links
    lines: Doubles
    score: Doubles  # as running text, in [0, 1]
    top_score: Doubles  # the greatest of the blocks above
    best: int  # block of the greatest score
    in_best: Floats
    steps: Floats  # down from the blocks that hold the best one
    outer: Ints  # outermost and innermost of the repeated blocks around it, -1 for none
    inner: Ints


def block_sums(
    found: Segments, node: Ints, counts: LineCounts, chars: Floats, link_chars: Floats, total: float
) -> Blocks:
    """Return what the blocks of `found` hold; time is linear in blocks and lines.

    Parameters
    ----------
    node, chars, link_chars
        Of each line its block, characters, and characters in links.
    total
        Characters of the page, at least 1.
    """
    nodes = found.nodes
    count = len(nodes)
    ups, tags, names, own_bits, own_hidden, depths = zip(*map(_BLOCK, nodes), strict=True)
    parent = np.array(ups, np.int64)
    signature, group = _signatures(ups, tags, names)
    own_above = np.array([_ABOVE_BIT.get(tag, 0) for tag in tags], np.int64)
    is_record = np.array([tag in _RECORD_TAGS for tag in tags], bool)
    ends = np.array(ends_of(ups), np.int64)
    words, sub_chars, links, stops, lines = (
        below(np.bincount(node, values, count).astype(np.float64), ends)
        for values in (
            counts.words,
            chars,
            link_chars,
            counts.stops * (link_chars < 0.5 * chars),
            np.ones(len(node)),
        )
    )
    score = _running_text(node, parent, counts, chars, link_chars)
    score = np.asarray(score * (1.0 - links / np.maximum(sub_chars, 1.0)), np.float64)
    best = int(score.argmax())
    score /= max(float(score.max()), 1e-9)
    chain = set()
    at = best
    while at >= 0:
        chain.add(at)
        at = ups[at]
    in_best = np.zeros(count, np.float32)
    in_best[best : ends[best]] = 1.0
    # What is handed down from block to block.
    bits = np.array(own_bits, np.int64)
    local = np.where(sub_chars < _WRAPPER * total, bits, 0)
    far, above, top_score = local.copy(), own_above, score.copy()
    hidden = np.array(own_hidden, np.float32)
    depth = np.array(depths, np.int64)
    steps = np.ones(count, np.float32)
    steps[list(chain)] = 0.0
    sizes = np.bincount(group)[group]
    held = np.bincount(group, sub_chars)[group]
    order = np.arange(count)
    repeats = is_record & (sizes >= _RECORDS)
    inner = np.where(repeats, order, -1)
    outer = np.where(repeats & (held > _RECORD_SHARE * total), order, -1)
    by_depth = np.argsort(depth, kind="stable")
    for level in np.split(by_depth, np.flatnonzero(np.diff(depth[by_depth])) + 1):
        if depth[level[0]] == 0:
            continue
        up = parent[level]
        far[level] |= far[up]
        above[level] |= above[up]
        hidden[level] = np.maximum(hidden[level], hidden[up])
        top_score[level] = np.maximum(top_score[level], top_score[up])
        steps[level] *= steps[up] + 1.0
        inner[level] = np.where(inner[level] >= 0, inner[level], inner[up])
        outer[level] = np.where(outer[up] >= 0, outer[up], outer[level])
    near, over = bits.copy(), order
    for _ in range(_NEAR - 1):
        over = np.where(over >= 0, parent[np.maximum(over, 0)], -1)
        near |= np.where(over >= 0, local[np.maximum(over, 0)], 0)
    return Blocks(
        parent=parent,
        bits=bits,
        near=near,
        far=far,
        above=above,
        hidden=hidden,
        depth=depth.astype(np.float32),
        signature=signature,
        group=group,
        words=words,
        chars=sub_chars,
        links=links,
        stops=stops,
        lines=lines,
        score=score,
        top_score=top_score,
        best=best,
        in_best=in_best,
        steps=steps,
        outer=outer,
        inner=inner,
    )


def _signatures(ups: Sequence[int], tags: Sequence[str], names: Sequence[str]) -> tuple[Ints, Ints]:
    """Return `Blocks.signature` and `Blocks.group`."""
    signatures: dict[tuple[int, str, str], int] = {}
    groups: dict[tuple[int, str, str], int] = {}
    signature: list[int] = []
    group: list[int] = []
    for up, tag, name in zip(ups, tags, names, strict=True):
        first = name.split(" ", 1)[0] if name else ""
        above = signature[up] if up >= 0 else -1
        signature.append(signatures.setdefault((above, tag, first), len(signatures)))
        group.append(groups.setdefault((up, tag, first), len(groups)))
    return np.array(signature, np.int64), np.array(group, np.int64)


def _running_text(node: Ints, parent: Ints, counts: LineCounts, chars: Floats, link_chars: Floats) -> Doubles:
    """Return a score of running text for each block, as readability gives it.

    A line counts for the block above its own in full, for the next one by half.
    """
    count = len(parent)
    plain = np.maximum(0.0, 1.0 - link_chars / np.maximum(chars, 1.0))
    gain = np.where(counts.words >= 5, (1.0 + counts.stops + np.minimum(counts.words / 25.0, 4.0)) * plain, 0.0)
    own_gain = np.bincount(node, gain, count)
    score: Doubles = np.asarray(0.7 * own_gain, np.float64)
    has_up = parent >= 0
    safe = np.maximum(parent, 0)
    score += np.bincount(safe, own_gain * has_up, count)
    score += np.bincount(safe[safe], 0.5 * own_gain * (has_up & (parent[safe] >= 0)), count)
    return score


def ends_of(ups: Sequence[int]) -> list[int]:
    """Return for each block the number after its last one below; `ups` has the block above each, -1 for none.

    Blocks stand in document order, so a block and all below it are a range.

    >>> ends_of([-1, 0, 1, 0])
    [4, 3, 3, 4]
    """
    ends = list(range(1, len(ups) + 1))
    for at in range(len(ups) - 1, 0, -1):
        up = ups[at]
        if up >= 0 and ends[at] > ends[up]:
            ends[up] = ends[at]
    return ends


def below(values: Doubles, ends: Ints) -> Doubles:
    """Return for each block the sum of `values` over it and all blocks below it."""
    sums = np.concatenate(([0.0], np.cumsum(values)))
    held: Doubles = np.maximum(sums[ends] - sums[:-1], 0.0)
    return held
