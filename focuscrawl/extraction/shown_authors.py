"""The author whom a page shows to readers: of the first byline, else the only one that is marked so."""

from __future__ import annotations

from collections.abc import Set

from focuscrawl.extraction.bylines import (
    BARE_SIGN,
    LINE_CHARS,
    OPENER_ENDS,
    POSTER_SIGN,
    byline,
    classed_author,
    dateline_author,
    follows_poster,
    iconed_author,
    is_of_page,
    is_of_several,
    is_opener,
    joined,
    linked_author,
    linked_member,
    may_be_person,
    named_author,
    parts_names,
    poster,
    related_author,
    stands_by_date,
    whole_name,
)
from focuscrawl.extraction.dates import date_alone
from focuscrawl.extraction.list_items import ListItems
from focuscrawl.extraction.mail_messages import sender
from focuscrawl.extraction.text_start import text_start
from focuscrawl.page.tree import Element

_TEASER_CHARS = 40  # a longer link with a byline begins as the page it leads to does
_MAX_NAMES = 5
_LABEL_LEVELS = 3  # of elements around a label
_INLINE = frozenset({"span", "b", "strong", "em", "i", "small", "font"})
_BREAKS = frozenset({"br", "div", "p", "h2", "h3", "h4"})
_BYLINE_CHARS = 60
_ICONS = frozenset({"i", "span"})
_EMPTY_SIBLINGS = 3  # icons and spaces between a byline and its name


class ShownAuthor:
    """Search for the page's author among its elements.

    Posts of a list have theirs each, and so have poems of a book, and the page none.

    Parameters
    ----------
    items
        Posts of the page's list, which bylines of posts are added to.
    others
        Names of people who wrote other things on the page, as reviews.
    """

    def __init__(self, items: ListItems, others: Set[str] = frozenset()) -> None:
        self._others = others
        self.found = False  # whether it is known who the author is, or that there is none
        self._items = items
        self._author = ""
        self._classed: set[str] = set()
        self._members: set[str] = set()

    @property
    def value(self) -> str:
        """The author's name, '' for none."""
        names = self._classed or self._members
        return self._author or (next(iter(names)) if len(names) == 1 else "")

    def read(self, element: Element, text: str, tail: str | None) -> None:
        """Look at an element of the page, in order, with its own `text` and the `tail` behind it."""
        name = _signed_by(element, text, tail)
        if name in self._others:
            return
        if name and is_of_page(element):
            if self._items.holds(element):
                self._items.count += 1
            else:
                self._author, self.found = "" if is_of_several(element, name) else name, True
            return
        names = element.get("class")
        if names is not None and (name := classed_author(names, element)) and is_of_page(element):
            self._classed |= {name} - self._others
        elif element.tag == "a":
            address = element.get("href")
            if address is not None and "/author" in address:
                self._mark(element, linked_author(address, element), self._classed)
            elif address is not None:
                self._mark(element, linked_member(address, element), self._members)
        elif names is not None and "author" in names and (name := named_author(names, element)):
            self._mark(element, name, self._classed)
        elif names is not None and element.tag in _ICONS:
            self._mark(element, iconed_author(names, element, tail), self._classed)

    def _mark(self, element: Element, name: str, names: set[str]) -> None:
        """Add a name that is marked as a person's to `names` when it stands in the line of the page's date."""
        if name and stands_by_date(element) and is_of_page(element) and not self._items.holds(element):
            names.add(name)


def _signed_by(element: Element, text: str, tail: str | None) -> str:
    """Return whom an element, its text or what stands behind it names as an author, '' for nobody."""
    relations = element.get("rel")
    found = related_author(relations, element) if relations is not None else ""
    found = found or _signed_in(element, text) or (_signed_behind(element, text, tail) if tail is not None else "")
    return found or sender(element, text, tail or "")


def _signed_in(element: Element, text: str) -> str:
    if not text:
        return ""
    if len(text) < LINE_CHARS:
        found = (_after(element, text) if text.rstrip()[-1:] in OPENER_ENDS else "") or byline(text)
        return "" if element.tag == "a" and len(text) > _TEASER_CHARS else found
    return dateline_author(text) if not text.isascii() and element.tag != "a" else ""


def _signed_behind(element: Element, text: str, tail: str) -> str:
    found = _after_line(element, tail) if tail.rstrip()[-1:] in OPENER_ENDS else ""
    if not found and not tail.isascii():
        found = poster(text, tail)
    if not found and element.tag in _BREAKS and 1 < len(tail) < LINE_CHARS:
        # After a block the whole of it, for a sentence may begin there.
        found = byline(tail) if element.tag == "br" or len(tail.strip()) <= _BYLINE_CHARS else ""
    return found


def _after(element: Element, text: str) -> str:
    """Return the names after the `text` an element begins with, when that leads up to one, '' otherwise."""
    if not is_opener(text):
        return ""
    found = _names("", element[0], text) if len(element) else ""
    for _ in range(_LABEL_LEVELS):
        if found or (found := _names(element.tail, element.getnext(), text)):
            break
        # A label in bold, with an icon, has an element of its own, or two.
        around = element.getparent()
        if around is None or around.tag not in _INLINE or element.getnext() is not None or (element.tail or "").strip():
            break
        element = around
    return found


def _after_line(element: Element, tail: str) -> str:
    """Return the names after the line that ends with the `tail` of an element, when it leads up to one, '' else."""
    after = element.getnext()
    if after is None or len(tail) > LINE_CHARS or not is_opener(_line_before(element) + tail):
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
    while before is not None and chars < LINE_CHARS:
        pieces.append(text_start(before) + (before.tail or ""))
        chars += len(pieces[-1]) or 1
        before = before.getprevious()
    pieces.append((element.getparent().text or "") if before is None else "")
    return "".join(reversed(pieces))
