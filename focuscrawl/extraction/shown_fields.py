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
from focuscrawl.extraction.dates import date_alone, iso_date, may_have_date
from focuscrawl.extraction.segments import BLOCK
from focuscrawl.page.tree import Element

HAS_PROPS = etree.XPath("boolean(//@itemprop)")
_MAX_ELEMENTS = 4000  # looked at; what is shown stands near the title
_PLACES = (
    "time", "span", "p", "div", "td", "a", "em", "i", "small", "font", "li", "address", "b", "strong", "abbr", "br",
    "h2", "h3", "h4", "footer", "code",
)  # fmt: skip
_TIGHT = frozenset({"h2", "h3", "h4", "b", "strong", "code"})
_LINE_CHARS = 200
_DATE_LINE_CHARS = 150  # "Posted by Ann Lee on Friday, 26 February 2016 in Water, Locks"
_EMPTY_SIBLINGS = 3  # icons and spaces between a byline and its name
# What a date that is no page's first may be labelled as: that of a member, of a later version.
_OTHER_EVENT = re.compile(
    r"\b(?:joined|registered|since|updated?|modified|edited|revised)\b|注册|加入|更新|修改", re.IGNORECASE
)


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
        if not dated:
            tag, tail = element.tag, element.tail
            if tag == "time" or tag == "abbr":
                date = iso_date(element.get("datetime") or element.get("title") or "") or iso_date(text)
            elif 4 < len(text) < _LINE_CHARS and may_have_date(text):
                date = _date_inside(element, text)
            if not date and tail is not None and may_have_date(tail):
                date = _date_behind(element, tail)
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


def _date_inside(element: Element, text: str) -> str:
    if element.tag not in _TIGHT:
        return iso_date(text) or date_alone(text)
    # What is bold or a heading is a date only by itself, and not in the middle of a sentence.
    found = date_alone(text)
    return found if found and not len(element) and _is_short_line(element) and is_of_page(element) else ""


def _date_behind(element: Element, tail: str) -> str:
    """Return the date in the text that follows an element, '' when that is part of a sentence or of a list of links."""
    if not (found := date_alone(tail)) or (element.tag == "a" and element.getparent().tag == "li"):
        return ""
    if _OTHER_EVENT.search(text_start(element) + tail):
        return ""
    return found if _is_short_line(element) and is_of_page(element) else ""


def _is_short_line(element: Element) -> bool:
    """Tell whether the text from the break before an element to the break after it is short."""
    chars = 0
    before = element if element.tag not in BLOCK else None
    while before is not None and chars <= _DATE_LINE_CHARS:
        chars += len(text_start(before).strip())
        before = before.getprevious()
        if before is None:
            chars += len((element.getparent().text or "").strip())
        elif before.tag == "br" or before.tag in BLOCK:
            chars += len((before.tail or "").strip())
            break
        else:
            chars += len((before.tail or "").strip())
    at = element
    while at is not None and chars <= _DATE_LINE_CHARS:
        chars += len((at.tail or "").strip())
        at = at.getnext()
        if at is None or at.tag == "br" or at.tag in BLOCK:
            break
        chars += len(text_start(at).strip())
    return chars <= _DATE_LINE_CHARS


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
