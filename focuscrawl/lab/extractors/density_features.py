"""Blocks of a page and their densities, paragraphs of a block and theirs (docs/formulas.md F.1, F.3).

A block's text is what stands in it outside nested blocks, so every line belongs to one block. The order of the blocks
(the paper takes the innermost first) has no bearing on their numbers; here it is that of the document.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Literal

import numpy as np
from lxml import etree
from numpy.typing import NDArray

from focuscrawl.extraction.segments import Segments
from focuscrawl.page.tree import Element
from focuscrawl.text.scripts import HAN_AND_KANA

Matrix = NDArray[np.float64]
Punctuation = Literal["all", "zh"]

_BLOCK_NAMES = "div table tr td ul ol li dl dd dt p form center article section main"
BLOCK_TAGS = frozenset(_BLOCK_NAMES.split())
"""Block elements; the paper's own list was lost with its markup. Body stands for text outside all of them."""
DECORATION_TAGS = frozenset({"strong", "b", "i", "em", "h1", "h2", "u"})
_NOISE_ZH = "首页 搜索 声明 版权 帮助 登录 注册 导航 返回 更多 广告 联系 下一页"
_NOISE_EN = "home search login help copyright about more next"
NOISE_WORDS = (*_NOISE_ZH.split(), *_NOISE_EN.split())
"""Words of menus and footers: the first five are the paper's."""
BLOCK_FEATURES, PARAGRAPH_FEATURES = 5, 3

# Not noscript, which the paper drops as well: some forums have all their posts in it. Where it only says again what
# the page says, the lines are gone already (`visible_lines.visible`).
_CLEANED = frozenset({"script", "style", "meta", "template"})
_WORD = re.compile(rf"[{HAN_AND_KANA}]|[^\W{HAN_AND_KANA}]+")
_NOISE_CJK = re.compile("|".join(sorted((w for w in NOISE_WORDS if not w.isascii()), key=len, reverse=True)))
_NOISE_LATIN = frozenset(word for word in NOISE_WORDS if word.isascii())
_MARKS = {"all": re.compile(r"[，。、；：？！…,.;:?!]"), "zh": re.compile(r"[，。、；：？！…]")}
# A start and an end for each element, as for the lines; a page of more is a data dump.
_MAX_EVENTS = 2 * 200_000


@dataclass(slots=True)
class TextBlock:
    """A block that has text: its lines, and what is counted in it. Characters are without white space."""

    element: Element = None
    lines: list[int] = field(default_factory=list)
    chars: int = 0
    link_chars: int = 0
    words: int = 0  # a Chinese character counts as a word, here and among the noise
    noise_words: int = 0
    punctuation: int = 0
    tags: int = 0  # elements below the block, outside nested blocks
    decorations: int = 0
    ordinal: int = 0  # of the block's element in document order, from 1
    nodes: int = 0  # elements of the page


def block_densities(block: TextBlock) -> tuple[float, float, float, float, float]:
    """Return the five densities of a block, each in [0, 1] and 0 where its denominator is.

    f1 hyperlink = link characters / characters; f2 noise word = noise words / words; f3 punctuation = marks /
    characters; f4 decoration tag = decorating elements / elements; f5 region = ordinal / elements of the page
    (formulas 1 to 5 of the paper).
    """
    return (
        _share(block.link_chars, block.chars),
        _share(block.noise_words, block.words),
        _share(block.punctuation, block.chars),
        _share(block.decorations, block.tags),
        _share(block.ordinal, block.nodes),
    )


def block_features(blocks: Sequence[TextBlock]) -> Matrix:
    """Return the densities of blocks, shape (blocks, 5)."""
    return np.array([block_densities(block) for block in blocks], float).reshape(len(blocks), BLOCK_FEATURES)


def line_position(first: int, last: int, paragraphs: int) -> float:
    """Return (first + last) / (2 * paragraphs), the place of lines that cover paragraphs `first` to `last` (formula 8).

    >>> line_position(2, 4, 10)
    0.3
    """
    return _share(first + last, 2 * paragraphs)


def paragraph_features(found: Segments, block: TextBlock, *, punctuation: Punctuation = "all") -> Matrix:
    """Return for each paragraph of a block its share of the block's characters, of marks, and its place.

    Shape (paragraphs, 3). A paragraph is a line of the page: what stands between two elements or breaks that end one.
    """
    marks, count = _MARKS[punctuation], len(block.lines)
    rows = [
        (
            _share(found.lines[at].chars, block.chars),
            _share(len(marks.findall(found.lines[at].text)), found.lines[at].chars),
            line_position(number, number, count),
        )
        for number, at in enumerate(block.lines, 1)
    ]
    return np.array(rows, float).reshape(count, PARAGRAPH_FEATURES)


def text_blocks(
    found: Segments, root: Element, *, tags: Collection[str] = BLOCK_TAGS, punctuation: Punctuation = "all"
) -> list[TextBlock]:
    """Return the blocks of a page that have text, in document order.

    Parameters
    ----------
    found
        Lines of the page.
    root
        Its tree.
    tags
        Elements that are blocks.
    punctuation
        ``all`` counts Chinese and Latin marks, ``zh`` Chinese ones only, as the paper does.
    """
    home: list[TextBlock | None] = []  # of each node
    blocks: list[TextBlock] = []
    for node in found.nodes:
        if node.tag in _CLEANED:
            home.append(None)
        elif node.parent < 0 or node.tag == "body" or (node.tag in tags and home[node.parent] is not None):
            blocks.append(TextBlock(element=node.element))
            home.append(blocks[-1])
        else:
            home.append(home[node.parent])
    marks = _MARKS[punctuation]
    for at, line in enumerate(found.lines):
        block = home[line.node]
        if block is None:
            continue
        block.lines.append(at)
        block.chars += line.chars
        block.link_chars += line.link_chars
        words, noise = count_words(line.text)
        block.words += words
        block.noise_words += noise
        block.punctuation += len(marks.findall(line.text))
    _count_tags(root, blocks)
    return [block for block in blocks if block.lines]


def count_words(text: str) -> tuple[int, int]:
    """Return the words of a text and how many of them are noise; Chinese is counted in characters both times.

    >>> count_words("首页 Search the canals 运河")
    (7, 3)
    """
    words = _WORD.findall(text)
    noise = sum(len(match) for match in _NOISE_CJK.findall(text)) if not text.isascii() else 0
    return len(words), noise + sum(word.lower() in _NOISE_LATIN for word in words)


def _count_tags(root: Element, blocks: Sequence[TextBlock]) -> None:
    by_element = {block.element: block for block in blocks}
    inside: list[TextBlock] = []
    ordinal = 0
    events = etree.iterwalk(root, events=("start", "end"))
    for event, element in islice(events, _MAX_EVENTS):
        tag = element.tag
        if event == "end":
            if inside and inside[-1].element is element:
                inside.pop()
            continue
        if tag in _CLEANED:
            events.skip_subtree()
            continue
        ordinal += 1
        block = by_element.get(element)
        if block is not None:
            block.ordinal = ordinal
            inside.append(block)
        elif inside:
            inside[-1].tags += 1
            inside[-1].decorations += tag in DECORATION_TAGS
    for block in blocks:
        block.nodes = ordinal


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0
