"""A page as a list of lines: one walk over the tree yields the text a reader sees, cut where a browser breaks it.

Every extractor that returns text chooses among these segments, so all of them render alike: paragraphs, list items,
table rows, code blocks without their gutters.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice, pairwise

from lxml import etree

from focuscrawl.extraction.class_names import SHOWN_FOR, class_name_bits, names_message
from focuscrawl.extraction.unread import SKIPPED, SPOKEN_TAG, UNSPACED, formula_source, is_unread
from focuscrawl.page.shown import is_shown
from focuscrawl.page.tree import Element, PageTree
from focuscrawl.text.scripts import HAN_AND_KANA

# A start and an end for each element; a page of more is a data dump or an attack.
_MAX_EVENTS = 2 * 200_000
_MAX_SEGMENTS = 20_000

_BLOCK_NAMES = (
    "address article aside blockquote body center dd details dialog dir div dl dt fieldset figcaption figure footer "
    "form h1 h2 h3 h4 h5 h6 header hgroup hr legend li main menu nav noscript ol p pre section summary table tbody td "
    "tfoot th thead tr ul caption html listing xmp"
)
BLOCK = frozenset(_BLOCK_NAMES.split())
HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
LIST_ITEMS = frozenset({"li", "dt", "dd"})
PRE = frozenset({"pre", "listing", "xmp"})
# Names that code highlighters give the column of line numbers.
_GUTTER = re.compile(
    r"(?:^|[\s_-])(?:gutter|line-?numbers?(?:-rows)?|linenos?|lineno|rouge-gutter|hljs-ln-n|pre-numbering)(?:$|\s)",
    re.I,
)
_GUTTER_TAGS = frozenset({"td", "div", "span", "pre", "ol", "ul", "a", "code"})
_NUMBERS = re.compile(r"\s*+(?:\d++\s++)++\d*+\s*+")
_NUMBER = re.compile(r"\d++")
_MAX_DIGITS = 9  # of the number of a line
_NO_NUMBERS = re.compile(r"[^\d\s.:|]")
_GUTTER_PIECES = 4  # a gutter's first pieces of text are numbers; a block that asks for one begins with its code
# What to do at an element; those without an entry are inline, and their text flows on.
_SKIP, _BLOCK, _LINK, _BREAK, _BOLD, _NAMED, _LABEL = range(1, 8)
_MAYBE_UNREAD = frozenset({_LINK, _NAMED})
_KINDS: dict[object, int] = {
    # Gutters and second forms of formulas by their names, some of them; others of these tags are blocks.
    **dict.fromkeys(("span", "code", SPOKEN_TAG), _NAMED),
    **dict.fromkeys(("b", "strong"), _BOLD),
    "br": _BREAK,
    "a": _LINK,
    "label": _LABEL,
    **dict.fromkeys(BLOCK, _BLOCK),
    **dict.fromkeys(SKIPPED, _SKIP),
}
_INVISIBLE = re.compile(r"display\s*:\s*none", re.I)

# Names of the notices that ask for consent, by the plug-ins that show them.
_CONSENT = ("cookie", "consent", "gdpr", "onetrust", "didomi", "cmplz", "truste", "usercentrics", "cybot")
_CONSENT_TAGS = frozenset({"div", "section", "aside", "dialog", "form", "footer"})
_CJK = re.compile(f"[{HAN_AND_KANA}]")

_ZERO_WIDTH = "\u200b\ufeff\u2060\xad"


@dataclass(slots=True)
class Node:
    """A block element: its position, and what its names and attributes hint at."""

    element: Element
    tag: str
    parent: int  # index of the block above, -1 for the top
    names: str  # class
    bits: int  # groups of words in its id, class and role (class_names.py)
    hidden: bool
    consent: bool  # a notice about cookies, by its names
    depth: int


@dataclass(slots=True)
class Segment:
    """A line of text: what stands between two places where a browser breaks the line."""

    text: str
    node: int  # index of the innermost block
    chars: int  # without white space
    link_chars: int
    links: int
    gap: int  # 2 when a paragraph ends before it, 1 when only a line does
    bold: bool
    boundary: bool  # begins at a block's border, not at a <br>


@dataclass(slots=True)
class Segments:
    """Lines of a page in document order, with their blocks, each after its parent."""

    nodes: list[Node] = field(default_factory=list)
    lines: list[Segment] = field(default_factory=list)
    truncated: bool = False
    labelled: set[int] = field(default_factory=set)  # numbers of the blocks with a label of a field directly in them


def tree_lines(tree: PageTree) -> Segments:
    """Return the lines of a page, for `PageTree.once`."""
    return segment(tree.root)


def segment(root: Element) -> Segments:
    """Return the lines of the tree below `root`; time is linear in its elements and text."""
    # One function, long as it is: with its state in an object, and methods for blocks and links, it took 6 % more.
    found = Segments()
    nodes, lines = found.nodes, found.lines
    buffer: list[str] = []
    block = -1
    link_depth = link_chars = links = breaks = pre_depth = code_depth = bold = 0
    gap, boundary = 2, True
    link_start = 0
    unread: Element | None = None

    def count_link() -> None:
        nonlocal link_chars
        link_chars += len("".join("".join(buffer[link_start:]).split()))

    def flush() -> None:
        nonlocal link_chars, links, gap, boundary, link_start
        if link_depth:
            count_link()
        raw = "".join(buffer)
        buffer.clear()
        link_start = 0
        text = clean_code(raw) if pre_depth else " ".join(raw.split())
        if text and block >= 0:
            text = without_zero_width(text)
            chars = len(text) - text.count(" ")
            if chars:
                lines.append(Segment(text, block, chars, min(link_chars, chars), links, gap, bold > 0, boundary))
                gap, boundary = 1, False
        link_chars = links = 0

    kinds = _KINDS
    events = etree.iterwalk(root, events=("start", "end"))
    for event, element in islice(events, _MAX_EVENTS):
        tag = element.tag
        kind = kinds.get(tag)
        if kind is None:
            text = element.text if event == "start" else element.tail
            if text and (buffer or pre_depth or not text.isspace()):
                buffer.append(text)
            continue
        if event == "start":
            if kind == _SKIP and not is_shown(element):
                events.skip_subtree()
                if tag == "script" and (source := formula_source(element)):
                    buffer.append(source)
                elif buffer and tag not in UNSPACED:
                    buffer.append(" ")
                continue
            if kind in _MAYBE_UNREAD and is_unread(element):
                events.skip_subtree()
                unread = element
                continue
            if pre_depth and tag == "div" and (code_depth or _is_line_of_code(element)):
                code_depth += 1
                if (names := element.get("class")) and _is_gutter(element, names):
                    events.skip_subtree()
                    continue
                if buffer and not buffer[-1].endswith("\n"):
                    buffer.append("\n")
            elif kind == _BLOCK:
                if buffer:
                    flush()
                else:
                    links = 0
                gap, boundary, breaks = 2, True, 0
                node = _node(element, tag, block, nodes)
                if node is None:
                    events.skip_subtree()
                    continue
                if tag in PRE:
                    pre_depth += 1
                nodes.append(node)
                block = len(nodes) - 1
                if len(lines) > _MAX_SEGMENTS:
                    break
            elif kind == _LINK:
                if element.get("href") is not None:
                    link_depth += 1
                    links += 1
                    link_start = len(buffer)
            elif kind == _BREAK:
                if pre_depth:
                    buffer.append("\n")
                else:
                    if buffer:
                        flush()
                        breaks = 0
                    breaks += 1
                    if breaks > 1:
                        gap = 2
            elif kind == _BOLD:
                bold += 1
            elif kind == _LABEL:
                if block >= 0 and nodes[block].element is element.getparent():
                    found.labelled.add(block)
            elif (names := element.get("class")) and _is_gutter(element, names):
                events.skip_subtree()
                continue
            text = element.text
            # White space never begins a line; most of a page's text nodes are the indentation of its source.
            if text and (buffer or pre_depth or not text.isspace()):
                buffer.append(text)
        else:
            if kind == _BLOCK:
                if block >= 0 and nodes[block].element is element:
                    if buffer:
                        flush()
                    else:
                        links = 0
                    gap, boundary, breaks = 2, True, 0
                    if tag in PRE:
                        pre_depth -= 1
                    block = nodes[block].parent
                elif code_depth and tag == "div":
                    code_depth -= 1
                    if buffer and not buffer[-1].endswith("\n"):
                        buffer.append("\n")
            elif kind == _LINK:
                if link_depth and element is not unread and element.get("href") is not None:
                    count_link()
                    link_start = len(buffer)
                    link_depth -= 1
            elif kind == _BOLD:
                bold -= 1
            text = element.tail
            if text and (buffer or pre_depth or not text.isspace()):
                buffer.append(text)
    flush()
    found.truncated = next(events, None) is not None
    return found


def without_zero_width(text: str) -> str:
    """Return `text` without characters that nobody sees."""
    if not text.isascii():
        for character in _ZERO_WIDTH:
            if character in text:
                text = text.replace(character, "")
    return text


def _node(element: Element, tag: str, parent: int, nodes: Sequence[Node]) -> Node | None:
    depth = nodes[parent].depth + 1 if parent >= 0 else 0
    attributes = element.items()
    if not attributes:
        return Node(element, tag, parent, "", 0, False, False, depth)
    names = identity = role = style = prop = None
    hidden = False
    for name, value in attributes:
        if name == "class":
            names = value
        elif name == "id":
            identity = value
        elif name == "role":
            role = value
        elif name == "style":
            style = value
        elif name == "itemprop" or name == "property":
            prop = value
        elif name == "hidden" or (name in SHOWN_FOR and names_message(value)):
            hidden = True
    if style is not None and not hidden:
        hidden = _INVISIBLE.search(style) is not None
    bits, consent = 0, False
    if names is not None or identity is not None:
        bits, consent, gutter = _said_by(names or "", identity or "")
        if gutter and tag in _GUTTER_TAGS and _holds_numbers(element):
            return None
        consent = consent and tag in _CONSENT_TAGS
    if role is not None or prop is not None:
        bits |= class_name_bits("", role, prop)
    if tag == "html" or tag == "body":
        bits = 0  # names of html and body are about the page
    return Node(element, tag, parent, names or "", bits, hidden, consent, depth)


@lru_cache(maxsize=8192)  # a site's names repeat on all its pages
def _said_by(names: str, identity: str) -> tuple[int, bool, bool]:
    """Return what class and id say of a block: groups of words, a notice that asks for consent, a gutter."""
    both = f"{names} {identity}"
    low = both.lower()
    consent = any(word in low for word in _CONSENT)
    gutter = ("gutter" in low or "line" in low or "hljs" in low or "numbering" in low) and _GUTTER.search(
        names
    ) is not None
    return class_name_bits(both), consent, gutter


def _is_line_of_code(element: Element) -> bool:
    """Tell whether a ``div`` in ``pre`` stands in ``code``, where it is a line: ``pre`` itself may hold any block."""
    above = element.getparent()
    return above is not None and above.tag == "code"


def _is_gutter(element: Element, names: str) -> bool:
    """Tell whether an element is a column of line numbers: by name, for highlighters name the whole block so, too."""
    return _said_by(names, "")[2] and _holds_numbers(element)


def _holds_numbers(element: Element) -> bool:
    pieces = list(islice((piece for piece in element.itertext() if not piece.isspace()), _GUTTER_PIECES))
    return not any(_NO_NUMBERS.search(piece) for piece in pieces) and _count_lines(" ".join(pieces))


def _count_lines(text: str) -> bool:
    """Tell whether the numbers in `text` rise by one as those of lines do, and those a program prints do not."""
    numbers = _NUMBER.findall(text)
    if any(len(number) > _MAX_DIGITS for number in numbers):
        return False
    return all(int(after) == int(number) + 1 for number, after in pairwise(numbers))


def clean_code(raw: str) -> str:
    """Return a code block without blank lines around it and without a column of line numbers; '' for a gutter."""
    if _NUMBERS.fullmatch(raw) and "\n" in raw.strip() and _count_lines(raw):
        return ""
    lines = [line.rstrip() for line in raw.replace("\xa0", " ").splitlines()]
    return "\n".join(lines).strip("\n")


def words(text: str) -> int:
    """Return the number of words, a Chinese or Japanese character counting as one."""
    if text.isascii():
        return text.count(" ") + 1
    cjk = len(_CJK.findall(text))
    return cjk + text.count(" ") + (0 if cjk else 1)
