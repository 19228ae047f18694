"""Date and author that a page shows to readers, and its microdata, read in one pass over the elements."""

from __future__ import annotations

import re
from itertools import islice

from lxml import etree

from focuscrawl.extraction.bylines import (
    OPENER_ENDS,
    byline,
    classed_author,
    is_of_page,
    is_opener,
    related_author,
    text_start,
    whole_name,
)
from focuscrawl.extraction.dates import iso_date
from focuscrawl.page.tree import Element

HAS_PROPS = etree.XPath("boolean(//@itemprop)")
_MAX_ELEMENTS = 4000  # looked at; what is shown stands near the title
_PLACES = (
    "time", "span", "p", "div", "td", "a", "em", "i", "small", "font", "li", "address", "b", "strong", "abbr", "br",
)  # fmt: skip
_LINE_CHARS = 200
_EMPTY_SIBLINGS = 3  # icons and spaces between a byline and its name
_DATE_MARK = re.compile("[-/.年 ]")


def shown_fields(root: Element, *, dated: bool, signed: bool) -> tuple[dict[str, str], str, str]:
    """Return microdata, the first date and the author that stand on the page, '' for none.

    The author is that of the first byline, else the only one named by blocks that are classed so.

    Parameters
    ----------
    dated, signed
        A date, an author is known, and none is looked for.
    """
    micro: dict[str, str] = {}
    date = author = ""
    classed: set[str] = set()
    has_props: bool | None = None  # not looked for: that takes a pass over the tree, and most pages are read in one
    for element in islice(root.iter(*_PLACES), _MAX_ELEMENTS):
        prop = element.get("itemprop")
        text = element.text or ""
        if prop is not None:
            value = element.get("datetime") or element.get("content") or " ".join(text_start(element).split())
            micro.setdefault(prop.strip().lower(), value[:300])
        if element.tag == "time":
            if not dated and (found := iso_date(element.get("datetime") or "") or iso_date(text)):
                date, dated = found, True
        elif not dated and 4 < len(text) < _LINE_CHARS and ("20" in text or "19" in text):
            date = iso_date(text) if _DATE_MARK.search(text) else ""
            dated = bool(date)
        if not signed:
            names, relations = element.get("class"), element.get("rel")
            found = related_author(relations, element) if relations is not None else ""
            if not found and 1 < len(text) < _LINE_CHARS:
                found = _after(element, text) if text.rstrip()[-1:] in OPENER_ENDS else byline(text)
            if not found and (tail := element.tail) is not None and tail.rstrip()[-1:] in OPENER_ENDS:
                found = _after_line(element, tail)
            if found and is_of_page(element):
                author, signed = found, True
            elif names is not None and (found := classed_author(names, element)):
                classed.update((found,) if is_of_page(element) else ())
        if dated and signed:
            if has_props is None:
                has_props = bool(HAS_PROPS(root))
            if not has_props:
                break
    return micro, date, author or (classed.pop() if len(classed) == 1 else "")


def _after(element: Element, text: str) -> str:
    """Return the name after the `text` an element begins with, when that leads up to one, '' otherwise."""
    return whole_name(_text_inside(element) or _text_after(element)) if is_opener(text) else ""


def _after_line(element: Element, tail: str) -> str:
    """Return the name after the line that ends with the `tail` of an element, when it leads up to one, '' otherwise."""
    after = element.getnext()
    if after is None or len(tail) > _LINE_CHARS or not is_opener(_line_before(element) + tail):
        return ""
    return whole_name(_text(after) or _text_after(after))


def _text(element: Element) -> str:
    text = text_start(element)
    return "" if text.isspace() else text


def _text_inside(element: Element) -> str:
    """Return the text of the first child that has any, '' when text of the element's own stands before it."""
    if not len(element):
        return ""
    return _text(element[0]) or _text_after(element[0])


def _text_after(element: Element) -> str:
    """Return the text that follows an element among its siblings, that of one piece."""
    for _ in range(_EMPTY_SIBLINGS):
        tail = element.tail
        if tail is not None and not tail.isspace():
            return str(tail)
        element = element.getnext()
        if element is None:
            return ""
        if text := _text(element):
            return text
    return ""


def _line_before(element: Element) -> str:
    """Return the text in an element's parent up to its end, the last of it, of about a line's length at most."""
    pieces = [text_start(element)]
    chars = len(pieces[0])
    before = element.getprevious()
    while before is not None and chars < _LINE_CHARS:
        pieces.append(text_start(before) + (before.tail or ""))
        chars += len(pieces[-1]) or 1
        before = before.getprevious()
    pieces.append((element.getparent().text or "") if before is None else "")
    return "".join(reversed(pieces))
