"""The text that an element begins with, as far as a name, a label or a date reaches."""

from __future__ import annotations

from itertools import islice

from lxml import etree

from focuscrawl.page.tree import Element

_MAX_CHARS = 400  # that are looked at of a block, white space included
_MAX_TAGS = 400  # start and end tags: a block may have thousands of elements without text, each looked at alike


def text_start(element: Element) -> str:
    """Return the text of an element, cut where it is longer than any name, label or date, or after many tags."""
    return "".join(first_pieces(element)) if len(element) else element.text or ""


def first_pieces(element: Element, *, without: str = "") -> list[str]:
    """Return the pieces of text an element begins with, those in elements `without` left out."""
    pieces: list[str] = []
    chars = 0
    walk = etree.iterwalk(element, events=("start", "end"))
    for event, inner in islice(walk, _MAX_TAGS):
        if event == "start" and inner.tag == without:
            walk.skip_subtree()
            continue
        piece = inner.text if event == "start" else inner.tail if inner is not element else None
        if piece:
            pieces.append(piece)
            chars += len(piece)
        if chars > _MAX_CHARS:
            break
    return pieces
