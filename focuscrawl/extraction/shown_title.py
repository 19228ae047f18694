"""The title that a page shows above its text, by how it is set (docs/formulas.md H.6)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from focuscrawl.extraction.segments import Segments
from focuscrawl.page.tree import Element

BODY_CHARS = 40
"""Least length of the first paragraph of the text."""
LOOK_BACK = 15
"""Paragraphs before it among which the title is."""
_LEAST, _MOST = 2, 80  # characters of a title
_SHORT = 4  # a shorter one is the first line of a title in two
_LINKED = 0.5
_BEFORE_BREAK = "、，,:："
_HEADING = {"h1": 3.0, "h2": 2.0, "h3": 1.5, "h4": 1.5, "h5": 1.5, "h6": 1.5}
_BOLD, _CENTRED, _COLOURED, _DISTANCE, _LINKS = 1.0, 0.5, 0.5, 0.1, 2.0
_BIG = re.compile(r"font-size\s*:\s*(?:x?x?-?larger?|(?:1[89]|[2-9]\d)(?:\.\d+)?p[xt]|(?:1\.[2-9]|[2-9])\d*r?em)", re.I)
_CENTRE = re.compile(r"text-align\s*:\s*center", re.I)
_COLOUR = re.compile(r"(?<![\w-])color\s*:", re.I)
_LEVELS_UP = 3
_SETTING_TAGS = frozenset({"div", "p", "td", "span", "font", "big", "b", "strong"})
_MAX_INSIDE = 60  # elements looked at in a block


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph as a reader sees it."""

    text: str
    heading: int = 0  # 1 to 6, 0 for none
    bold: bool = False  # bold, or larger than the text
    centred: bool = False
    coloured: bool = False
    link_share: float = 0.0  # characters in links, in [0, 1]


def shown_title(found: Segments) -> str:
    """Return the title that a page shows, '' when it shows none."""
    return best_title(paragraphs_of(found))


def best_title(paragraphs: Sequence[Paragraph]) -> str:
    """Return the best of the paragraphs before the text for a title, '' when none will do.

    The text begins with the first paragraph of at least 40 characters that is no list of links. Up to 15 paragraphs
    before it, those of 2 to 80 characters are rated: 3 for h1, 2 for h2, 1.5 for h3 to h6, 1 for bold or large type,
    0.5 each when centred and when coloured, less 0.1 for each step from the text, less 2 when most of it is link. One
    shorter than 4 characters, or that ends with a comma or colon, is joined with the next paragraph.

    References
    ----------
    .. [1] Li Shengtao, thesis, 2002, section 8.4; the weights are this project's reading (docs/formulas.md H.6).
    """
    start = next(
        (at for at, one in enumerate(paragraphs) if len(one.text) >= BODY_CHARS and one.link_share < _LINKED), -1
    )
    begin = max(0, start - LOOK_BACK)
    candidates = [at for at in range(begin, start) if _LEAST <= len(paragraphs[at].text) <= _MOST]
    if not candidates:
        return ""
    best = max(candidates, key=lambda at: (rating(paragraphs[at], start - at), -at))
    text = paragraphs[best].text
    if (len(text) < _SHORT or text[-1] in _BEFORE_BREAK) and best + 1 < start:
        then = paragraphs[best + 1].text
        text = f"{text} {then}" if text[-1].isascii() and then[0].isascii() else text + then
    return text[:_MOST] if len(text) > 2 * _MOST else text


def rating(one: Paragraph, distance: int) -> float:
    """Return how well a paragraph does for a title, `distance` paragraphs before the text."""
    return (
        _HEADING.get(f"h{one.heading}", 0.0)
        + _BOLD * one.bold
        + _CENTRED * one.centred
        + _COLOURED * one.coloured
        - _DISTANCE * distance
        - _LINKS * (one.link_share > _LINKED)
    )


def paragraphs_of(found: Segments) -> list[Paragraph]:
    """Return the lines of a page with how they are set."""
    paragraphs = []
    settings: dict[Element, tuple[bool, bool, bool]] = {}  # a block between breaks has many lines
    for line in found.lines:
        node = found.nodes[line.node]
        level = int(node.tag[1]) if node.tag in _HEADING else 0
        bold, centred, coloured = line.bold, False, False
        if len(line.text) <= _MOST and node.element is not None:
            setting = settings.get(node.element)
            if setting is None:
                setting = settings[node.element] = _set(node.element)
            large, centred, coloured = setting
            bold = bold or large
        share = line.link_chars / max(line.chars, 1)
        paragraphs.append(Paragraph(line.text, level, bold, centred, coloured, share))
        if len(line.text) >= BODY_CHARS and share < _LINKED:
            break  # what stands after the start of the text is no title
    return paragraphs


def _set(block: Element) -> tuple[bool, bool, bool]:
    """Return whether a block is set large, centred and in colour, by old attributes and by style."""
    large = centred = coloured = False
    element: Element | None = block
    for _ in range(_LEVELS_UP):
        if element is None:
            break
        align = (element.get("align") or "").lower()
        centred = centred or element.tag == "center" or align == "center" or _has(_CENTRE, element)
        element = element.getparent()
    for inside in islice(block.iter(), _MAX_INSIDE):
        if inside.tag not in _SETTING_TAGS:
            continue
        size = (inside.get("size") or "").strip()
        large = large or inside.tag == "big" or size.startswith("+") or size in ("4", "5", "6", "7")
        large = large or _has(_BIG, inside)
        coloured = coloured or bool(inside.get("color")) or _has(_COLOUR, inside)
    return large, centred, coloured


def _has(pattern: re.Pattern[str], element: Element) -> bool:
    style = element.get("style")
    return style is not None and pattern.search(style) is not None
