"""Noise inside the body element of a site's pages: learned from entries, and known by name.

An entry with the full text says of every block of its page whether it belongs to the text. Blocks of the same tag, id
and class that do not on any page learned from are dropped on all pages; those that do are kept whatever their names.
Of an entry with a summary alone the names speak, and what the pages repeat at the start and end of their bodies.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from focuscrawl.extraction.class_names import GROUPS
from focuscrawl.extraction.feed_fields import folded
from focuscrawl.extraction.rendering import render
from focuscrawl.extraction.segments import HEADINGS, Node, Segment, Segments
from focuscrawl.text.base import Tokenizer

_LINK_GROUPS = ("nav", "pages", "crumb", "toc", "tags", "related", "search")
_OTHER_GROUPS = ("share", "comment", "ad", "consent", "signup", "legal", "foot", "author", "user")
_LINKS = sum(1 << GROUPS.index(group) for group in _LINK_GROUPS)
_OTHERS = sum(1 << GROUPS.index(group) for group in _OTHER_GROUPS)
# A block of code has a tool bar; that names a bar does not make it one.
_CONTENT = sum(1 << GROUPS.index(group) for group in ("code", "quote", "caption"))
# A block with more of the text than this is not dropped for its name; nor is one that is longer than any notice.
_MAX_NAMED_SHARE = 0.3
_MAX_NAMED_CHARS = 500
_LEAST_LINK_SHARE = 0.5  # of a block that is named like a list of links: tabs and panels of text have such names, too
_SHINGLE = 3
_ALIEN = 0.3  # below this share of its word runs in the entry a block is none of its text
_OWN = 0.6  # above, it is
_LEAST_VOTES = 2
_META = sum(1 << GROUPS.index(group) for group in ("meta", "author", "tags"))
_MAX_META_CHARS = 100  # of a line; what is named so and longer is an introduction
# Lines of a site's frame stand on nearly all its pages; posts of a series share lines that are their own.
_REPEATED_SHARE = 0.8
_MAX_RULES = 500
_MAX_REPEATED_CHARS = 300


@dataclass(frozen=True, slots=True)
class NoiseRules:
    """Signs (tag, id and class) of blocks to drop and to keep, and lines that pages repeat."""

    drop: frozenset[str] = frozenset()
    keep: frozenset[str] = frozenset()
    repeated: frozenset[str] = frozenset()

    def fields(self) -> dict[str, list[str]]:
        """Return the rules as JSON-safe data."""
        return {"drop": sorted(self.drop), "keep": sorted(self.keep), "repeated": sorted(self.repeated)}

    @classmethod
    def of(cls, fields: Mapping[str, Iterable[str]]) -> NoiseRules:
        """Return the rules of `fields`."""
        return cls(*(frozenset(map(str, fields.get(name, ()))) for name in ("drop", "keep", "repeated")))


@dataclass(frozen=True, slots=True)
class Sample:
    """A body as lines, and the words of its entry; None when that has not the full text."""

    segments: Segments
    words: Sequence[str] | None


def sign(node: Node) -> str:
    """Return tag, id and class of a block, '' for one without names and for headings, whose ids are their texts."""
    if node.tag in HEADINGS:
        return ""
    identity = node.element.get("id") or ""
    return f"{node.tag}#{identity}.{' '.join(node.names.split())}" if identity or node.names else ""


def learn_noise(samples: Sequence[Sample], tokenizer: Tokenizer) -> NoiseRules:
    """Return what to drop from the bodies of a site, from a few of its pages."""
    alien: Counter[str] = Counter()
    own: set[str] = set()
    lines: Counter[str] = Counter()
    for sample in samples:
        lines.update(_plain_lines(sample.segments))
        if sample.words is None:
            continue
        wanted = {run for size in range(1, _SHINGLE + 1) for run in _runs(sample.words, size)}
        votes: dict[str, bool] = {}
        for name, words in _named(sample.segments, tokenizer):
            runs = _runs(words)
            share = sum(1 for run in runs if run in wanted) / len(runs)
            if share > _OWN:
                own.add(name)
            elif share < _ALIEN:
                votes[name] = True
        alien.update(votes)
    least = max(_LEAST_VOTES, _REPEATED_SHARE * len(samples))
    repeated = {line for line, count in lines.items() if count >= least}
    for sample in samples:
        if sample.words is not None and repeated:
            text = folded(" ".join(sample.words))
            repeated = {line for line in repeated if "".join(tokenizer.tokens(line)) not in text}
    return NoiseRules(
        drop=frozenset([name for name, n in alien.most_common(_MAX_RULES) if n >= _LEAST_VOTES and name not in own]),
        keep=frozenset(sorted(own)[:_MAX_RULES]),
        repeated=frozenset(sorted(repeated)[:_MAX_RULES]),
    )


def clean_text(segments: Segments, rules: NoiseRules, *, title: str = "") -> str:
    """Return the text of a body without noise, as `render` has it; a title at its start is left out."""
    nodes, lines = segments.nodes, segments.lines
    chars, link_chars = _chars(segments)
    total = chars[0] if chars else 0
    dropped: list[bool] = []
    for at, node in enumerate(nodes):
        above = node.parent >= 0 and dropped[node.parent]
        dropped.append(above or (at > 0 and _is_noise(node, chars[at], link_chars[at], total, rules)))
    kept = [at for at, line in enumerate(lines) if not dropped[line.node]]
    first, end = 0, len(kept)
    known = folded(title)
    while first < end:
        line = lines[kept[first]]
        if known and folded(line.text) == known:
            known = ""  # once: the text may well begin with the words of its title
        elif not _is_frame(line, nodes, rules):
            break
        first += 1
    while end > first and _is_frame(lines[kept[end - 1]], nodes, rules):
        end -= 1
    return render(segments, kept[first:end])


def _is_frame(line: Segment, nodes: Sequence[Node], rules: NoiseRules) -> bool:
    """Tell whether a line at the start or the end of a body belongs to the page around it: dates, tags, notices."""
    if line.text in rules.repeated:
        return True
    at = line.node
    while at > 0 and line.chars <= _MAX_META_CHARS:
        node = nodes[at]
        if node.bits & _META and node.tag not in HEADINGS and sign(node) not in rules.keep:
            return True
        at = node.parent
    return False


def _is_noise(node: Node, chars: int, link_chars: int, total: int, rules: NoiseRules) -> bool:
    if node.hidden:
        return chars <= _MAX_NAMED_SHARE * total
    if (not node.bits and not rules.drop) or node.tag in HEADINGS:
        return False
    name = sign(node)
    if name in rules.drop:
        return True
    if node.bits & _CONTENT or name in rules.keep or chars > _MAX_NAMED_SHARE * total:
        return False
    if node.bits & _OTHERS and chars <= _MAX_NAMED_CHARS:
        return True
    return bool(node.bits & _LINKS) and link_chars >= _LEAST_LINK_SHARE * chars


def _chars(segments: Segments) -> tuple[list[int], list[int]]:
    """Return for each block the characters of the lines in it and in the blocks below, and how many are in links."""
    nodes = segments.nodes
    chars, link_chars = [0] * len(nodes), [0] * len(nodes)
    for line in segments.lines:
        chars[line.node] += line.chars
        link_chars[line.node] += line.link_chars
    for at in range(len(nodes) - 1, 0, -1):
        parent = nodes[at].parent
        if parent >= 0:
            chars[parent] += chars[at]
            link_chars[parent] += link_chars[at]
    return chars, link_chars


def _plain_lines(segments: Segments) -> set[str]:
    return {
        line.text
        for line in segments.lines
        if line.chars <= _MAX_REPEATED_CHARS and segments.nodes[line.node].tag not in HEADINGS
    }


def _named(segments: Segments, tokenizer: Tokenizer) -> list[tuple[str, list[str]]]:
    """Return for each named block below the top its sign and words."""
    nodes = segments.nodes
    words: list[list[str]] = [[] for _ in nodes]
    wanted = [at > 0 and bool(sign(node)) for at, node in enumerate(nodes)]
    for line, tokens in zip(segments.lines, tokenizer.chunks([line.text for line in segments.lines]), strict=True):
        at = line.node
        while at > 0:
            if wanted[at]:
                words[at] += tokens
            at = nodes[at].parent
    return [(sign(node), words[at]) for at, node in enumerate(nodes) if wanted[at] and words[at]]


def _runs(words: Sequence[str], size: int = _SHINGLE) -> set[tuple[str, ...]]:
    size = min(size, len(words))
    return set(zip(*(words[at:] for at in range(size)), strict=False))
