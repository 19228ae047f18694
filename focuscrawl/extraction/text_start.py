"""The text that an element begins with, as far as a name, a label or a date reaches."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from itertools import islice

from lxml import etree

from focuscrawl.page.tree import Element

_MAX_CHARS = 400  # that are looked at of a block, white space included
_MAX_TAGS = 400  # start and end tags: a block may have thousands of elements without text, each looked at alike


def text_start(element: Element) -> str:
    """Return the text of an element, cut where it is longer than any name, label or date, or after many tags."""
    return "".join(first_pieces(element)) if len(element) else element.text or ""


def first_pieces(element: Element, without: Collection[str] = ()) -> list[str]:
    """Return the pieces of text an element begins with, those in elements `without` left out."""
    pieces: list[str] = []
    chars = 0
    for piece in islice(pieces_of(element, without), _MAX_TAGS):
        if piece:
            pieces.append(piece)
            chars += len(piece)
        if chars > _MAX_CHARS:
            break
    return pieces


def pieces_of(
    element: Element, without: Collection[str] = (), is_left_out: Callable[[Element], bool] | None = None
) -> Iterator[str]:
    """Yield the text behind each start and end tag of an element, '' for none, in time linear in its elements.

    Parameters
    ----------
    without
        Tags of elements whose text is left out.
    is_left_out
        Tells of other elements inside whose text is.
    """
    walk = etree.iterwalk(element, events=("start", "end"))
    for event, inner in walk:
        if event == "end":
            yield (inner.tail or "") if inner is not element else ""
        elif inner.tag in without or (is_left_out is not None and inner is not element and is_left_out(inner)):
            walk.skip_subtree()
            yield ""
        else:
            yield inner.text or ""
