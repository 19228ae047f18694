"""Text of the small pieces of HTML that feeds carry."""

from __future__ import annotations

import html
import re

from focuscrawl.page.tree import UNSEEN_TAGS, Element, parse

# A break of these is one of the text, too; all others stand inside a line.
_INLINE_NAMES = (
    "a abbr acronym b bdi bdo big cite code del dfn em font i ins kbd label mark q s samp small span strike strong sub "
    "sup time tt u var wbr"
)
_INLINE = frozenset(_INLINE_NAMES.split())
_SPACE = re.compile(r"[ \t\r\f\v\u00a0\u3000]+")
_NO_CHARACTER = re.compile(r"&#[0-9]{8}[0-9]*+;?")  # Python refuses to read a number of 4,300 digits
_BREAKS = re.compile(r" ?\n[ \n]*")


def plain_text(markup: str) -> str:
    """Return what a reader sees of a piece of HTML, a line for each block; text without markup comes back as it is."""
    if "<" not in markup:
        return _tidy(unescaped(markup))
    tree = parse(markup)
    return _tidy("".join(_pieces(tree.root))) if tree is not None else ""


def unescaped(text: str) -> str:
    """Return `text` with its character references replaced; numbers beyond all characters give U+FFFD."""
    return html.unescape(_NO_CHARACTER.sub("\ufffd", text) if "&#" in text else text)


def one_line(markup: str | None) -> str:
    """Return the text of a title or a name, white space collapsed."""
    if not markup:
        return ""
    text = plain_text(markup) if re.search(r"</?[a-zA-Z]|&#?\w+;", markup) else markup
    return " ".join(text.replace("\0", "").split())


def _pieces(root: Element) -> list[str]:
    pieces: list[str] = []
    # An explicit stack: feeds may nest deeper than Python calls.
    stack: list[tuple[Element, bool]] = [(root, False)]
    while stack:
        element, done = stack.pop()
        tag = element.tag
        if done:
            if tag not in _INLINE:
                pieces.append("\n")
            if element is not root and element.tail:
                pieces.append(element.tail)
            continue
        stack.append((element, True))
        if tag in UNSEEN_TAGS:
            continue
        if tag not in _INLINE:
            pieces.append("\n")
        if element.text:
            pieces.append(element.text)
        stack.extend((child, False) for child in reversed(element))
    return pieces


def _tidy(text: str) -> str:
    # No database takes a NUL, which a reference (&#0;) may stand for.
    return _BREAKS.sub("\n", _SPACE.sub(" ", text.replace("\0", ""))).strip()
