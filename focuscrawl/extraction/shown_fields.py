"""Date and author that a page shows to readers, and its microdata, read in one pass over the elements."""

from __future__ import annotations

from itertools import islice

from lxml import etree

from focuscrawl.extraction.bylines import (
    BARE_SIGN,
    OPENER_ENDS,
    POSTER_SIGN,
    byline,
    classed_author,
    dateline_author,
    follows_poster,
    is_of_item,
    is_of_page,
    is_of_several,
    is_opener,
    joined,
    may_be_person,
    parts_names,
    poster,
    related_author,
    text_start,
    whole_name,
)
from focuscrawl.extraction.dates import (
    begins_with_date,
    date_alone,
    is_of_change,
    is_of_member,
    is_of_visit,
    iso_date,
    may_have_date,
)
from focuscrawl.extraction.page_parts import is_of_footer, stands_beside
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
_TEASER_CHARS = 40  # a longer link with a byline begins as the page it leads to does
_MAX_NAMES = 5
_MAX_ITEMS = 20  # a list of posts has no date and author of its own after so many of theirs
_MAX_PARTS = 20  # elements of a person, whose name stands near the start
_EMPTY_SIBLINGS = 3  # icons and spaces between a byline and its name


def shown_fields(root: Element, *, dated: bool, signed: bool) -> tuple[dict[str, str], str, str]:
    """Return microdata, the first date and the author that stand on the page, '' for none.

    The date of a change is the page's where no other is shown, that on which somebody joined or read a source never,
    nor is one in a side bar, a list of related pages or the site's footer.

    The author is that of the first byline, else the only one named by blocks that are classed so. Posts of a list have
    theirs each, and so have poems of a book, and the page none.

    Parameters
    ----------
    dated, signed
        A date, an author is known, and none is looked for.
    """
    micro: dict[str, str] = {}
    date = changed = author = ""
    items = 0  # dates and authors of posts in a list
    classed: set[str] = set()
    beside: dict[Element, bool] = {}
    known_items: dict[Element, bool] = {}
    has_props: bool | None = None  # not looked for: that takes a pass over the tree, and most pages are read in one
    for element in islice(root.iter(*_PLACES), _MAX_ELEMENTS):
        prop = element.get("itemprop")
        text, tail = element.text or "", element.tail
        # Most of these are the indentation of the page's source.
        text = "" if text.isspace() else text
        tail = None if tail is None or tail.isspace() else tail
        if prop is not None:
            micro.setdefault(prop.strip().lower(), _prop_value(element)[:300])
        if not dated:
            tag = element.tag
            if tag == "time" or tag == "abbr":
                date = iso_date(element.get("datetime") or element.get("title") or "") or iso_date(text)
            elif 4 < len(text) < _LINE_CHARS and may_have_date(text):
                date = _date_inside(element, text)
            if not date and tail is not None and may_have_date(tail):
                date = _date_behind(element, tail)
            label = _date_label(element, text) if date else ""
            if date and is_of_item(element, known_items):
                date, items = "", items + 1
            elif date and (is_of_member(label) or is_of_visit(label) or stands_beside(element, beside)):
                date = ""
            elif date and is_of_change(label):
                date, changed = "", changed or date
            elif date and is_of_footer(element):
                date = ""
            dated = bool(date)
        if not signed:
            names, relations = element.get("class"), element.get("rel")
            found = related_author(relations, element) if relations is not None else ""
            if not found and text and len(text) < _LINE_CHARS:
                found = (_after(element, text) if text.rstrip()[-1:] in OPENER_ENDS else "") or byline(text)
                if found and element.tag == "a" and len(text) > _TEASER_CHARS:
                    found = ""
            elif not found and len(text) >= _LINE_CHARS and not text.isascii() and element.tag != "a":
                found = dateline_author(text)
            if not found and tail is not None:
                if tail.rstrip()[-1:] in OPENER_ENDS:
                    found = _after_line(element, tail)
                if not found and not tail.isascii():
                    found = poster(text, tail)
                if not found and element.tag == "br" and 1 < len(tail) < _LINE_CHARS:
                    found = byline(tail)
            if found and is_of_page(element):
                if is_of_item(element, known_items):
                    items += 1
                else:
                    author, signed = "" if is_of_several(element, found) else found, True
            elif names is not None and (found := classed_author(names, element)):
                classed.update((found,) if is_of_page(element) else ())
        if (dated and signed) or items >= _MAX_ITEMS:
            if items >= _MAX_ITEMS:
                dated = signed = True
            if has_props is None:
                has_props = bool(HAS_PROPS(root))
            if not has_props:
                break
    return micro, date or changed, author or (classed.pop() if len(classed) == 1 else "")


def _prop_value(element: Element) -> str:
    """Return the value of a property, of a thing with properties of its own the name, '' where none of them is that."""
    if element.get("itemscope") is not None:
        parts = [inner for inner in islice(element.iterdescendants(), _MAX_PARTS) if inner.get("itemprop") is not None]
        if parts:
            named = next((part for part in parts if part.get("itemprop") == "name"), None)
            if named is None:
                return ""
            element = named
    return element.get("datetime") or element.get("content") or " ".join(text_start(element).split())


def _date_inside(element: Element, text: str) -> str:
    if element.tag not in _TIGHT:
        return iso_date(text) or date_alone(text)
    # What is bold or a heading is a date only by itself, and not in the middle of a sentence.
    found = date_alone(text)
    return found if found and not len(element) and _is_short_line(element) and is_of_page(element) else ""


def _date_label(element: Element, text: str) -> str:
    """Return the text up to a date in an element or behind it, that of the piece before where it begins with it."""
    if text and not begins_with_date(text):
        return text + (element.tail or "")
    before = element.getprevious()
    if before is None:
        above = element.getparent()
        label = above.text if above is not None else ""
    else:
        label = before.tail if before.tail and not before.tail.isspace() else text_start(before)
    return f"{label or ''} {text}"


def _date_behind(element: Element, tail: str) -> str:
    """Return the date in the text that follows an element, '' when that is part of a sentence or of a list of links."""
    if not (found := date_alone(tail)) or (element.tag == "a" and element.getparent().tag == "li"):
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
    """Return the names after the `text` an element begins with, when that leads up to one, '' otherwise."""
    if not is_opener(text):
        return ""
    if not len(element):
        return _names(element.tail, element.getnext(), text)
    return _names("", element[0], text) or _names(element.tail, element.getnext(), text)


def _after_line(element: Element, tail: str) -> str:
    """Return the names after the line that ends with the `tail` of an element, when it leads up to one, '' else."""
    after = element.getnext()
    if after is None or len(tail) > _LINE_CHARS or not is_opener(_line_before(element) + tail):
        return ""
    return _names("", after, tail)


def _names(text: str | None, element: Element | None, opener: str) -> str:
    """Return the names that begin with a `text`, else with an element after it, '' where neither has any.

    Parameters
    ----------
    opener
        Text before, that leads up to a name.
    """
    for _ in range(_EMPTY_SIBLINGS):
        if text is not None and text and not text.isspace():
            # "Ann Lee in News": the name alone, where its form tells it.
            found = byline(f"{opener.strip()} {text}")
            return found or (whole_name(text) if not opener.rstrip().endswith(BARE_SIGN) else "")
        if element is None:
            return ""
        inside = text_start(element)
        if inside and not inside.isspace():
            return _listed(element, inside, opener)
        text, element = element.tail, element.getnext()
    return ""


def _listed(element: Element, text: str, opener: str) -> str:
    """Return the name in an element of that `text`, with those of the elements after it that are named beside it."""
    first = whole_name(text)
    names = [first]
    tail = element.tail or ""
    while first and len(names) < _MAX_NAMES and (element := element.getnext()) is not None:
        name = whole_name(text_start(element))
        beside = parts_names(tail) or (tail.isspace() and may_be_person(names[-1]) and may_be_person(name))
        if not name or not beside or date_alone(name):
            break
        names.append(name)
        tail = element.tail or ""
    if opener.rstrip().endswith(POSTER_SIGN) and not follows_poster(tail):
        return ""  # a site is "provided by" others
    if opener.rstrip().endswith(BARE_SIGN) and not may_be_person(first):
        return ""
    return joined(names)


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
