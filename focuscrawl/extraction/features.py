"""Features of each line of a page: its text, position, surrounding blocks and neighbours.

All features are about how pages are built in general; none knows a site, a host or a topic.
"""

from __future__ import annotations

from dataclasses import dataclass
from operator import attrgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from focuscrawl.extraction.block_sums import ABOVE, Blocks, block_sums
from focuscrawl.extraction.class_names import BITS, GROUPS, PHRASES, phrase_bits
from focuscrawl.extraction.line_counts import line_counts
from focuscrawl.extraction.line_similarity import (
    headings_above,
    in_declared,
    repetitions,
    starts_as,
    title_line,
    title_similarity,
)
from focuscrawl.extraction.page_type import PAGE_TYPES, UNKNOWN, PageType
from focuscrawl.extraction.segments import HEADINGS, Segments

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]
Numbers = NDArray[Any]  # of any type; what is added to the matrix becomes float32

_TAGS = ("p", "li", "td", "th", "pre", "blockquote", "dt", "dd", "div", "figcaption", "label", "section", "article")
_TAG_NUMBER = {tag: number for number, tag in enumerate(_TAGS)}
_LEVELS = {tag: int(tag[1]) for tag in HEADINGS}
# Groups of names whose number on a page tells its kind: a thread has many users, a shop many products.
_LINE = attrgetter("text", "node", "chars", "link_chars", "links", "gap", "bold", "boundary")
_MARKS = tuple(GROUPS.index(name) for name in ("post", "comment", "user", "product"))


@dataclass(frozen=True, slots=True)
class Features:
    """The features of a page's lines."""

    matrix: Floats  # lines by features, its columns contiguous
    weight: Floats  # words of each line
    place: Ints  # of each line a number; those of one have the same elements and first classes above them
    likeness: Floats | None  # of each line to the page's title, in [0, 1], 1 for the line that is it; None without one


class _Columns:
    """Columns of features, a number a line each; a number for all lines is repeated."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._parts: list[Floats] = []

    def add(self, *columns: Numbers) -> None:
        self._parts += [column.astype(np.float32, copy=False)[None, :] for column in columns]

    def all_lines(self, *values: float) -> None:
        self._parts.append(np.repeat(np.array(values, np.float32)[:, None], self._count, axis=1))

    def bits(self, values: Ints, number: int) -> None:
        self._parts.append(_bits(values, number))

    def block(self, columns: Floats) -> None:
        self._parts.append(columns)

    def rows(self) -> Floats:
        return np.concatenate(self._parts).T


def line_features(
    found: Segments,
    *,
    title: str,
    kind: str = "",
    page_type: PageType = UNKNOWN,
    declared: str = "",
    description: str = "",
) -> Features:
    """Return the features of every line of `found`, which has one at least.

    Parameters
    ----------
    title, description
        Of the page, '' when it has none.
    kind
        ``PageKind`` of the page.
    page_type
        Types of the page by what it says.
    declared
        Article body in its linked data, '' for none.
    """
    nodes, lines = found.nodes, found.lines
    count = len(lines)
    texts, at_nodes, *numbers = zip(*map(_LINE, lines), strict=True)
    node = np.array(at_nodes, np.int64)
    chars, link_chars, links, gap, bold, boundary = (np.array(column, np.float32) for column in numbers)
    counts = line_counts(texts)
    size, stops = counts.words, counts.stops
    phrases = np.array([phrase_bits(text) for text in texts], np.int64)
    tags = [block.tag for block in nodes]
    tag_number = np.array([_TAG_NUMBER.get(tag, -1) for tag in tags], np.int64)[node]
    level = np.array([_LEVELS.get(tag, 0) for tag in tags], np.float32)[node]
    plain = chars - link_chars
    share = link_chars / np.maximum(chars, 1.0)
    total = max(float(chars.sum()), 1.0)
    blocks = block_sums(found, node, counts, chars, link_chars, total)

    out = _Columns(count)
    out.add(
        np.log1p(chars),
        np.log1p(size),
        share,
        links,
        stops,
        stops / np.maximum(size, 1.0),
        counts.ends,
        counts.digits / np.maximum(chars, 1.0),
        counts.capitals / np.maximum(chars, 1.0),
        size / np.maximum(chars, 1.0),
        level,
        gap,
        bold,
        boundary,
    )
    out.block((tag_number == np.arange(len(_TAGS))[:, None]).astype(np.float32))
    out.bits(phrases, len(PHRASES))
    _add_blocks(out, blocks, node, total)
    _add_alike(out, blocks, node, chars, link_chars, stops, size, total)
    _add_records(out, blocks, node, total)
    similarity = title_similarity(texts, title)
    at_title = title_line(similarity, level)
    _add_place(out, blocks, node, plain, similarity, at_title)
    under, since, under_level = headings_above(phrases, level, bold, size)
    out.bits(under, len(PHRASES))
    out.add(np.log1p(since), under_level)
    out.add(in_declared(texts, declared))
    out.all_lines(float(bool(declared)))
    out.add(starts_as(texts, description), np.log1p(repetitions(texts)))
    same = blocks.signature[node]
    _add_neighbours(out, size, share, counts.ends, level, same)
    _add_windows(out, plain * (share < 0.5), chars, link_chars)
    out.all_lines(
        float(np.log1p(total)),
        float(np.log1p(count)),
        float(link_chars.sum()) / total,
        float(size.sum()) / total,
        float(kind == "multi-body"),
        float(kind == "hub"),
        float((stops * (share < 0.5) * (size > 15)).sum()),
        *(float(page_type.said >> number & 1) for number in range(len(PAGE_TYPES))),
        *(float(np.log1p((blocks.bits >> number & 1).sum())) for number in _MARKS),
        float(np.log1p((tag_number == 0).sum())),
        float(np.log1p((level > 0).sum())),
        float((chars * (tag_number == 0) * (share < 0.5)).sum()) / total,
        float(plain.max()) / total,
    )
    likeness = similarity.copy() if at_title >= 0 else None
    if likeness is not None:
        likeness[at_title] = 1.0
    return Features(out.rows(), size, same, likeness)


def _add_blocks(out: _Columns, blocks: Blocks, node: Ints, total: float) -> None:
    """Add what stands above a line: elements, words in names, and the measures of four levels of blocks."""
    out.bits(blocks.above[node], len(ABOVE))
    out.block(_bits(blocks.far[node], BITS) + _bits(blocks.near[node], BITS))
    out.add(blocks.hidden[node], blocks.depth[node] / max(float(blocks.depth.max()), 1.0))
    measures = np.stack(
        (
            blocks.chars / total,
            blocks.links / np.maximum(blocks.chars, 1.0),
            blocks.stops / np.maximum(blocks.words, 1.0),
            blocks.score,
            np.log1p(blocks.words / np.maximum(blocks.lines, 1.0)),
        )
    ).astype(np.float32)
    at = node
    for _ in range(4):
        out.block(measures[:, at])
        at = np.maximum(blocks.parent[at], 0)
    out.add(blocks.in_best[node], blocks.steps[node], blocks.top_score[node])
    out.all_lines(float(blocks.chars[blocks.best]) / total)


def _add_alike(
    out: _Columns,
    blocks: Blocks,
    node: Ints,
    chars: Floats,
    link_chars: Floats,
    stops: Floats,
    size: Floats,
    total: float,
) -> None:
    """Add what the lines are like that stand in the same place of their blocks."""
    signature = blocks.signature[node]
    held = np.bincount(signature)
    same_chars, same_links, same_stops, same_size = (
        np.bincount(signature, values) for values in (chars, link_chars, stops, size)
    )
    out.block(
        np.stack(
            (
                np.log1p(held),
                same_chars / total,
                same_links / np.maximum(same_chars, 1.0),
                np.log1p(same_size / np.maximum(held, 1)),
                same_stops / np.maximum(same_size, 1.0),
            )
        ).astype(np.float32)[:, signature]
    )


def _add_records(out: _Columns, blocks: Blocks, node: Ints, total: float) -> None:
    """Add what the repeated blocks around a line are like, the outermost and the innermost."""
    group = blocks.group
    number, chars, links = (np.bincount(group, values) for values in (np.ones(len(group)), blocks.chars, blocks.links))
    measures = np.stack(
        (
            np.log1p(number),
            chars / total,
            np.log1p(chars / np.maximum(number, 1)),
            links / np.maximum(chars, 1.0),
        )
    ).astype(np.float32)
    for record in (blocks.outer[node], blocks.inner[node]):
        out.block(measures[:, group[np.maximum(record, 0)]] * (record >= 0))


def _add_place(out: _Columns, blocks: Blocks, node: Ints, plain: Numbers, similarity: Numbers, at_title: int) -> None:
    """Add the place on the page, and that from its title and from its best block."""
    count = len(node)
    order = np.arange(count, dtype=np.float32)
    out.add(order / max(count, 1), (np.cumsum(plain) - plain) / max(float(plain.sum()), 1.0), similarity)
    out.all_lines(float(at_title >= 0))
    out.add(_steps(order, at_title) if at_title >= 0 else np.zeros(count, np.float32), order >= at_title)
    best = np.flatnonzero(blocks.in_best[node])
    start, end = (int(best[0]), int(best[-1])) if len(best) else (0, count - 1)
    out.add(_steps(order, start), _steps(order, end))


def _add_neighbours(out: _Columns, size: Numbers, share: Numbers, ends: Floats, level: Floats, signature: Ints) -> None:
    log = np.log1p(size)
    for shift in (1, 2, 3):
        for back in (True, False):
            out.add(_shifted(log, shift, back), _shifted(share, shift, back))
            if shift < 3:
                out.add(_shifted(ends, shift, back), _shifted(level, shift, back))
            if shift == 1:
                out.add(_shifted(signature.astype(np.float32), shift, back, fill=-1.0) == signature)


def _add_windows(out: _Columns, quality: Numbers, chars: Floats, link_chars: Floats) -> None:
    count = len(chars)
    at = np.arange(count)
    sums = np.zeros((3, count + 1))
    np.cumsum(np.stack((quality, chars, link_chars)), axis=1, out=sums[:, 1:])
    for width in (4, 12):
        before = sums[:, at] - sums[:, np.maximum(at - width, 0)]
        after = sums[:, np.minimum(at + 1 + width, count)] - sums[:, at + 1]
        out.add(np.log1p(before[0]), np.log1p(after[0]))
        out.add(before[2] / np.maximum(before[1], 1.0), after[2] / np.maximum(after[1], 1.0))


def _bits(values: Ints, number: int) -> Floats:
    return (values >> np.arange(number)[:, None] & 1).astype(np.float32)


def _steps(order: Floats, start: int) -> Floats:
    steps: Floats = np.clip((order - np.float32(start)) / np.float32(10.0), -5.0, 5.0)
    return steps


def _shifted(values: Numbers, by: int, back: bool, fill: float = 0.0) -> Floats:
    out = np.full(len(values), fill, np.float32)
    if by < len(values):
        if back:
            out[by:] = values[:-by]
        else:
            out[:-by] = values[by:]
    return out
