"""What can be said of each line of a page, in numbers: its text, its place, the blocks around it, its neighbours.

All features are about how pages are built in general; none knows a site, a host or a topic.
"""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from focuscrawl.extraction.hints import GROUPS, HINTS, PHRASES, phrase_bits
from focuscrawl.extraction.segments import HEADINGS, Segment, Segments, words
from focuscrawl.extraction.signals import SIGNALS

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]
AnyFloats = NDArray[np.float32] | NDArray[np.float64]

_TAGS = ("p", "li", "td", "th", "pre", "blockquote", "dt", "dd", "div", "figcaption", "label", "section", "article")
_TAG_NUMBER = {tag: number for number, tag in enumerate(_TAGS)}
# Elements a text stands below, whatever is between.
_ABOVE = (
    "article",
    "main",
    "nav",
    "aside",
    "footer",
    "header",
    "form",
    "table",
    "ul",
    "figure",
    "noscript",
    "blockquote",
    "pre",
    "dl",
    "ol",
)
_ABOVE_BIT = {tag: 1 << number for number, tag in enumerate(_ABOVE)}
_RECORD_TAGS = frozenset(
    {"div", "li", "article", "section", "table", "tr", "tbody", "dl", "dd", "ul", "ol", "blockquote"}
)
_END = re.compile(r"[.。!！?？…;；:：\"”」』)）]\s*$")
_STOP = re.compile(r"[，。、；：？！…,.;:?!]")
_DIGITS = re.compile(r"\d")
_UPPER = re.compile(r"[A-Z]")
# A block of more of the page than this is the page: what its names say holds for nothing in particular.
_WRAPPER = 0.7
_NEAR = 3  # levels above a text whose names are about it
_RECORDS = 3
_HEADING_WORDS = 20
_LABEL_WORDS = 6
_DESCRIPTION_CHARS = 25
# Groups of names whose number on a page tells its kind: a thread has many users, a shop many products.
_MARKS = tuple(GROUPS.index(name) for name in ("post", "comment", "user", "product"))


class Features:
    """The features of a page's lines and what stage two needs to sum over the blocks again."""

    __slots__ = ("above", "best", "matrix", "node", "parent", "record", "sig", "weight")

    def __init__(
        self,
        matrix: Floats,
        *,
        node: Ints,
        parent: Ints,
        above: Ints,
        sig: Ints,
        record: Ints,
        weight: Floats,
        best: Ints,
    ):
        self.matrix = matrix
        self.node = node
        self.parent = parent
        self.above = above
        self.sig = sig
        self.record = record
        self.weight = weight
        self.best = best


def line_features(
    found: Segments,
    *,
    title: str,
    kind: str = "",
    signals: tuple[int, int, int] = (0, 0, 0),
    declared: str = "",
    description: str = "",
) -> Features:
    """Return the features of every line of `found`, an array of lines by features."""
    nodes, lines = found.nodes, found.lines
    count = len(lines)
    # blocks
    # Loops over blocks run on lists: reading an array element by element costs five times as much.
    ups = [n.parent for n in nodes]
    bits_of = [n.bits for n in nodes]
    parents = np.array(ups, np.int64)
    node_bits = np.array(bits_of, np.int64)
    depths = np.fromiter((n.depth for n in nodes), np.float32, len(nodes))
    sig_numbers: dict[tuple[int, str, str], int] = {}
    sibling_numbers: dict[tuple[int, str, str], int] = {}
    sig_list: list[int] = []
    group_list: list[int] = []
    above_list: list[int] = []
    hidden_list: list[float] = []
    is_record: list[bool] = []
    for n in nodes:
        up, tag = n.parent, n.tag
        first = n.names.split(" ", 1)[0] if n.names else ""
        up_sig, up_above, up_hidden = (sig_list[up], above_list[up], hidden_list[up]) if up >= 0 else (-1, 0, 0.0)
        sig_list.append(sig_numbers.setdefault((up_sig, tag, first), len(sig_numbers)))
        group_list.append(sibling_numbers.setdefault((up, tag, first), len(sibling_numbers)))
        above_list.append(up_above | _ABOVE_BIT.get(tag, 0))
        hidden_list.append(1.0 if n.hidden or up_hidden else 0.0)
        is_record.append(tag in _RECORD_TAGS)
    sigs, groups, above_bits = (np.array(values, np.int64) for values in (sig_list, group_list, above_list))
    hidden = np.array(hidden_list, np.float32)
    # lines
    node = np.fromiter((s.node for s in lines), np.int64, count)
    chars = np.fromiter((s.chars for s in lines), np.float32, count)
    link_chars = np.fromiter((s.link_chars for s in lines), np.float32, count)
    size = np.fromiter((words(s.text) for s in lines), np.float32, count)
    stops = np.fromiter((len(_STOP.findall(s.text)) for s in lines), np.float32, count)
    ends = np.fromiter((_END.search(s.text) is not None for s in lines), np.float32, count)
    digits = np.fromiter((len(_DIGITS.findall(s.text)) for s in lines), np.float32, count)
    upper = np.fromiter((len(_UPPER.findall(s.text)) for s in lines), np.float32, count)
    links = np.fromiter((s.links for s in lines), np.float32, count)
    phrases = np.fromiter((phrase_bits(s.text) for s in lines), np.int64, count)
    tags = [nodes[s.node].tag for s in lines]
    tag_number = np.fromiter((_TAG_NUMBER.get(tag, -1) for tag in tags), np.int64, count)
    level = np.fromiter((int(tag[1]) if tag in HEADINGS else 0 for tag in tags), np.float32, count)
    gap = np.fromiter((s.gap for s in lines), np.float32, count)
    bold = np.fromiter((s.bold for s in lines), np.float32, count)
    boundary = np.fromiter((s.boundary for s in lines), np.float32, count)
    plain = chars - link_chars
    total = max(float(chars.sum()), 1.0)
    total_plain = max(float(plain.sum()), 1.0)
    n_nodes = len(nodes)
    parts = np.stack(
        [
            np.bincount(node, size, n_nodes),
            np.bincount(node, chars, n_nodes),
            np.bincount(node, link_chars, n_nodes),
            np.bincount(node, stops * (plain > 0.5 * chars), n_nodes),
            np.bincount(node, minlength=n_nodes).astype(float),
        ]
    )
    sub_size, sub_chars, sub_links, sub_stops, sub_lines = (np.array(_summed(part, ups)) for part in parts.tolist())
    # score of running text, as readability gives it: to the parent in full, to the one above by half
    gain = np.where(
        size >= 5,
        (1.0 + stops + np.minimum(size / 25.0, 4.0)) * np.maximum(0.0, 1.0 - link_chars / np.maximum(chars, 1)),
        0.0,
    )
    scores = [0.0] * n_nodes
    for at, gained in enumerate(np.bincount(node, gain, n_nodes).tolist()):
        if gained:
            up = ups[at]
            scores[at] += 0.7 * gained
            if up >= 0:
                scores[up] += gained
                top = ups[up]
                if top >= 0:
                    scores[top] += 0.5 * gained
    score = np.array(scores)
    score *= 1.0 - sub_links / np.maximum(sub_chars, 1.0)
    best = int(score.argmax()) if n_nodes else 0
    score /= max(float(score.max()), 1e-9)
    group_count = np.bincount(groups, minlength=len(sibling_numbers))
    group_chars = np.bincount(groups, sub_chars, len(sibling_numbers))
    group_links = np.bincount(groups, sub_links, len(sibling_numbers))
    inherited_list, in_best_list, top_list = [0] * n_nodes, [0.0] * n_nodes, [0.0] * n_nodes
    outer_list, inner_list = [-1] * n_nodes, [-1] * n_nodes
    level_list = [0.0] * n_nodes  # steps from the best container, up and down
    chain = set()
    at = best
    while at >= 0 and n_nodes:
        chain.add(at)
        at = ups[at]
    wrapper = _WRAPPER * total
    scores, held = score.tolist(), sub_chars.tolist()
    counts, sizes = group_count.tolist(), group_chars.tolist()
    for at, up in enumerate(ups):
        bits = bits_of[at] if held[at] < wrapper else 0
        own_score = scores[at]
        if up >= 0:
            inherited_list[at] = bits | inherited_list[up]
            in_best_list[at] = 1.0 if at == best else in_best_list[up]
            top_list[at] = max(own_score, top_list[up])
            level_list[at] = 0.0 if at in chain else level_list[up] + 1.0
            outer_list[at], inner_list[at] = outer_list[up], inner_list[up]
        else:
            inherited_list[at], top_list[at] = bits, own_score
            in_best_list[at] = 1.0 if at == best else 0.0
        group = group_list[at]
        if is_record[at] and counts[group] >= _RECORDS:
            inner_list[at] = at
            if outer_list[at] < 0 and sizes[group] > 0.25 * total:
                outer_list[at] = at
    inherited, outer, inner = (np.array(values, np.int64) for values in (inherited_list, outer_list, inner_list))
    in_best, levels = np.array(in_best_list, np.float32), np.array(level_list, np.float32)
    top_score = np.array(top_list)
    # columns
    share = link_chars / np.maximum(chars, 1.0)
    columns: list[AnyFloats] = []
    add = columns.append
    log = np.log1p
    add(log(chars))
    add(log(size))
    add(share)
    add(links)
    add(stops)
    add(stops / np.maximum(size, 1.0))
    add(ends)
    add(digits / np.maximum(chars, 1.0))
    add(upper / np.maximum(chars, 1.0))
    add(size / np.maximum(chars, 1.0))
    add(level)
    add(gap)
    add(bold)
    add(boundary)
    for number in range(len(_TAGS)):
        add((tag_number == number).astype(np.float32))
    for number in range(len(PHRASES)):
        add(((phrases >> number) & 1).astype(np.float32))
    above_line = above_bits[node]
    for number in range(len(_ABOVE)):
        add(((above_line >> number) & 1).astype(np.float32))
    near = node_bits[node].copy()
    up_at = node
    for _ in range(_NEAR - 1):
        up_at = np.where(up_at >= 0, parents[np.maximum(up_at, 0)], -1)
        near |= np.where((up_at >= 0) & (sub_chars[np.maximum(up_at, 0)] < wrapper), node_bits[np.maximum(up_at, 0)], 0)
    far = inherited[node]
    for number in range(HINTS):
        add((((far >> number) & 1) + ((near >> number) & 1)).astype(np.float32))
    add(hidden[node])
    add(depths[node] / max(float(depths.max()), 1.0))
    # the blocks above
    p1 = np.maximum(parents[node], 0)
    p2 = np.maximum(parents[p1], 0)
    p3 = np.maximum(parents[p2], 0)
    for blocks in (node, p1, p2, p3):
        add(sub_chars[blocks] / total)
        add(sub_links[blocks] / np.maximum(sub_chars[blocks], 1.0))
        add(sub_stops[blocks] / np.maximum(sub_size[blocks], 1.0))
        add(score[blocks])
        add(log(sub_size[blocks] / np.maximum(sub_lines[blocks], 1.0)))
    add(in_best[node])
    add(levels[node])
    add(top_score[node])
    add(np.full(count, sub_chars[best] / total if n_nodes else 0.0))
    # lines that stand in the same place of their blocks
    sig = sigs[node]
    n_sigs = len(sig_numbers)
    sig_lines = np.bincount(sig, minlength=n_sigs).astype(float)
    sig_chars = np.bincount(sig, chars, n_sigs)
    sig_links = np.bincount(sig, link_chars, n_sigs)
    sig_stops = np.bincount(sig, stops, n_sigs)
    sig_size = np.bincount(sig, size, n_sigs)
    add(log(sig_lines[sig]))
    add(sig_chars[sig] / total)
    add(sig_links[sig] / np.maximum(sig_chars[sig], 1.0))
    add(log(sig_size[sig] / np.maximum(sig_lines[sig], 1.0)))
    add(sig_stops[sig] / np.maximum(sig_size[sig], 1.0))
    # records
    for record in (outer[node], inner[node]):
        at_record = np.maximum(record, 0)
        has = record >= 0
        kin = groups[at_record]
        add(np.where(has, log(group_count[kin]), 0.0))
        add(np.where(has, group_chars[kin] / total, 0.0))
        add(np.where(has, log(group_chars[kin] / np.maximum(group_count[kin], 1)), 0.0))
        add(np.where(has, group_links[kin] / np.maximum(group_chars[kin], 1.0), 0.0))
    # place on the page
    order = np.arange(count, dtype=np.float32)
    before = np.cumsum(plain) - plain
    add(order / max(count, 1))
    add(before / total_plain)
    likeness = _likeness([s.text for s in lines], title)
    add(likeness)
    at_title = _title_line(likeness, level)
    add(np.full(count, 1.0 if at_title >= 0 else 0.0))
    add(np.clip((order - at_title) / 10.0, -5.0, 5.0) if at_title >= 0 else np.zeros(count))
    add((order >= at_title).astype(np.float32))
    best_lines = np.flatnonzero(in_best[node])
    start, end = (int(best_lines[0]), int(best_lines[-1])) if len(best_lines) else (0, count - 1)
    add(np.clip((order - start) / 10.0, -5.0, 5.0))
    add(np.clip((order - end) / 10.0, -5.0, 5.0))
    # the heading a line stands under, and what the page declares to be its text
    under, since, under_level = _under(phrases, level, bold, size)
    for number in range(len(PHRASES)):
        add(((under >> number) & 1).astype(np.float32))
    add(log(since))
    add(under_level)
    add(_declared(lines, declared))
    add(np.full(count, float(bool(declared))))
    start_of = _squeezed(description)[:_DESCRIPTION_CHARS]
    add(
        np.fromiter(
            (len(start_of) == _DESCRIPTION_CHARS and _squeezed(s.text[:400]).startswith(start_of) for s in lines),
            np.float32,
            count,
        )
    )
    # same text twice: menus for large and small screens, teasers
    seen: dict[str, int] = {}
    numbers = np.fromiter((seen.setdefault(s.text, len(seen)) for s in lines), np.int64, count)
    twice = np.bincount(numbers, minlength=len(seen))[numbers]
    add(log(twice))
    # neighbours
    quality = plain * (share < 0.5)
    for shift in (1, 2, 3):
        for back in (True, False):
            add(log(_shifted(size, shift, back)))
            add(_shifted(share, shift, back))
            if shift < 3:
                add(_shifted(ends, shift, back))
                add(_shifted(level, shift, back))
            if shift == 1:
                same = _shifted(sig.astype(np.float32), shift, back, fill=-1.0) == sig
                add(same.astype(np.float32))
    for width in (4, 12):
        add(log(_window(quality, width, back=True)))
        add(log(_window(quality, width, back=False)))
        add(_window(link_chars, width, back=True) / np.maximum(_window(chars, width, back=True), 1.0))
        add(_window(link_chars, width, back=False) / np.maximum(_window(chars, width, back=False), 1.0))
    # the page
    add(np.full(count, np.log1p(total)))
    add(np.full(count, np.log1p(count)))
    add(np.full(count, float(link_chars.sum()) / total))
    add(np.full(count, float(size.sum()) / total))
    add(np.full(count, float(kind == "multi-body")))
    add(np.full(count, float(kind == "hub")))
    add(np.full(count, float((stops * (share < 0.5) * (size > 15)).sum())))
    said = signals[0] | signals[1] | signals[2]
    for number in range(len(SIGNALS)):
        add(np.full(count, (said >> number) & 1, np.float32))
    marks = np.array([((node_bits >> number) & 1).sum() for number in _MARKS], np.float32)
    for mark in marks:
        add(np.full(count, np.log1p(mark)))
    add(np.full(count, np.log1p((tag_number == 0).sum())))
    add(np.full(count, np.log1p((level > 0).sum())))
    add(np.full(count, (chars * (tag_number == 0) * (share < 0.5)).sum() / total))
    add(np.full(count, float(plain.max()) / total))
    matrix = np.empty((count, len(columns)), np.float32)
    for number, column in enumerate(columns):
        matrix[:, number] = column
    return Features(
        matrix,
        node=node,
        parent=p1,
        above=p2,
        sig=sig,
        record=np.where(inner[node] >= 0, inner[node], p2),
        weight=size,
        best=np.array([best], np.int64),
    )


def _summed(values: list[float], ups: list[int]) -> list[float]:
    """Return for each block the sum of `values` over it and all blocks below."""
    for at in range(len(values) - 1, 0, -1):
        up = ups[at]
        if up >= 0:
            values[up] += values[at]
    return values


def _under(phrases: Ints, level: Floats, bold: Floats, size: Floats) -> tuple[Ints, Floats, Floats]:
    """Return for each line the set phrases of the heading above it, the lines since, and that heading's level."""
    count = len(phrases)
    under, since, levels = np.zeros(count, np.int64), np.zeros(count, np.float32), np.zeros(count, np.float32)
    last, last_at, last_level = 0, 0, 0.0
    for at in range(count):
        under[at], since[at], levels[at] = last, at - last_at, last_level
        short = size[at] <= _HEADING_WORDS
        if level[at] > 0 and short:
            last, last_at, last_level = int(phrases[at]), at, float(level[at])
        elif short and phrases[at] and (bold[at] or size[at] <= _LABEL_WORDS):
            # "Related:", "Comments", set as a line of its own, is a heading by another name.
            last, last_at, last_level = int(phrases[at]), at, 7.0
    return under, since, levels


def _squeezed(text: str) -> str:
    return "".join(text.split())


def _declared(lines: list[Segment], declared: str) -> Floats:
    """Return 1 for each line that is in the text the page declares as its article body."""
    out = np.zeros(len(lines), np.float32)
    if declared:
        whole = _squeezed(declared)
        for at, line in enumerate(lines):
            part = _squeezed(line.text[:200])
            out[at] = len(part) >= 10 and part in whole
    return out


def stage_two(features: Features, p: Floats) -> Floats:
    """Return the features with what stage one made of a line's neighbours, blocks and like-placed lines."""
    weight = features.weight
    mass = p * weight
    count = len(p)
    columns: list[AnyFloats] = [p]
    for shift in (1, 2, 3, 4):
        for back in (True, False):
            columns += [_shifted(p, shift, back)]
    for at in (features.node, features.parent, features.above, features.sig, features.record):
        size = int(at.max()) + 1 if count else 1
        held = np.bincount(at, weight, size)
        columns.append((np.bincount(at, mass, size) / np.maximum(held, 1e-6))[at])
    total = max(float(mass.sum()), 1e-6)
    columns.append(np.cumsum(mass) / total)
    columns.append(np.full(count, total / max(float(weight.sum()), 1e-6)))
    columns.append(np.full(count, np.log1p(total)))
    for width in (5, 15):
        for back in (True, False):
            columns += [_window(mass, width, back=back) / np.maximum(_window(weight, width, back=back), 1e-6)]
    sig_size = int(features.sig.max()) + 1 if count else 1
    columns.append((np.bincount(features.sig, mass, sig_size) / total)[features.sig])
    above_size = int(features.above.max()) + 1 if count else 1
    columns.append((np.bincount(features.above, mass, above_size) / total)[features.above])
    sure = np.flatnonzero(p > 0.5)
    order = np.arange(count)
    if len(sure):
        columns.append(np.clip((order - sure[0]) / 10.0, -3.0, 3.0))
        columns.append(np.clip((order - sure[-1]) / 10.0, -3.0, 3.0))
    else:
        columns.append(np.full(count, -3.0))
        columns.append(np.full(count, 3.0))
    more = np.empty((count, len(columns)), np.float32)
    for number, column in enumerate(columns):
        more[:, number] = column
    return np.hstack((features.matrix, more))


def _shifted(values: AnyFloats, by: int, back: bool, fill: float = 0.0) -> NDArray[np.float32]:
    out = np.full(len(values), fill, np.float32)
    if by < len(values):
        if back:
            out[by:] = values[:-by]
        else:
            out[:-by] = values[by:]
    return out


def _window(values: AnyFloats, width: int, *, back: bool) -> NDArray[np.float32]:
    """Return for each line the sum of the `width` lines before (or after) it."""
    sums = np.concatenate(([0.0], np.cumsum(values, dtype=np.float64)))
    at = np.arange(len(values))
    if back:
        return (sums[at] - sums[np.maximum(at - width, 0)]).astype(np.float32)
    return (sums[np.minimum(at + 1 + width, len(values))] - sums[at + 1]).astype(np.float32)


_TOKEN = re.compile("[\u3400-\u9fff]|[^\\W\u3400-\u9fff]+")


def _likeness(texts: list[str], title: str) -> Floats:
    """Return how much each line's words are those of the page title, 0 for long lines."""
    wanted = set(_TOKEN.findall(title.lower()))
    out = np.zeros(len(texts), np.float32)
    if not wanted:
        return out
    bound = 2 * len(title) + 20
    for at, text in enumerate(texts):
        if len(text) <= bound:
            held = set(_TOKEN.findall(text.lower()))
            if held:
                out[at] = len(held & wanted) / (len(held | wanted) ** 0.5 * len(held) ** 0.5)
    return out


def _title_line(likeness: Floats, level: Floats) -> int:
    """Return the line that is the page's title, -1 when none is like it."""
    if not len(likeness):
        return -1
    rated = likeness + 0.3 * (level == 1) + 0.15 * ((level > 1) & (level <= 3))
    at = int(rated.argmax())
    return at if rated[at] >= 0.5 else -1
