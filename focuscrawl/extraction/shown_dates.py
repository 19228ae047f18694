"""The date that a page shows to readers: the first that is its own."""

from __future__ import annotations

from collections.abc import Set

from focuscrawl.extraction.bylines import LINE_CHARS, is_of_page
from focuscrawl.extraction.dates import (
    as_shown,
    begins_with_date,
    date_alone,
    is_in_utc,
    is_of_change,
    is_of_member,
    is_of_visit,
    iso_date,
    may_have_date,
)
from focuscrawl.extraction.list_items import ListItems
from focuscrawl.extraction.numeric_dates import UNTOLD
from focuscrawl.extraction.others_declared import DAY_CHARS, is_of_another
from focuscrawl.extraction.page_parts import is_of_footer, stands_beside
from focuscrawl.extraction.segments import BLOCK
from focuscrawl.extraction.text_start import text_start
from focuscrawl.page.tree import Element

_TIGHT = frozenset({"h2", "h3", "h4", "b", "strong", "code"})
_TIMES = frozenset({"time", "abbr", "relative-time", "time-ago"})
_LAPSE_CHARS = 40  # "almost 2 years ago", which has the moment in its tooltip
_DATE_LINE_CHARS = 150  # "Posted by Ann Lee on Friday, 26 February 2016 in Water, Locks"


class ShownDate:
    """Search for the first date of the page's own among its elements, that of a change where no other is shown.

    The day on which somebody joined or read a source, or an event begins, is never the page's, nor is a date in a
    side bar, a list of related pages, the site's footer or a post of a list.

    Parameters
    ----------
    items
        Posts of the page's list, which dates of posts are added to.
    order
        Which part of a numeric date comes first on the page (`focuscrawl.extraction.numeric_dates`).
    others
        Days of other things, ISO 8601, as of an event that the page tells of.
    """

    def __init__(self, items: ListItems, order: str = UNTOLD, others: Set[str] = frozenset()) -> None:
        self._items = items
        self._order = order
        self._others = others
        self._date = self._changed = ""
        self._beside: dict[Element, bool] = {}

    @property
    def found(self) -> bool:
        """Whether the page's date is known."""
        return bool(self._date)

    @property
    def first(self) -> str:
        """The date that is not labelled as that of a change, as ISO 8601, '' for none."""
        return self._date

    @property
    def value(self) -> str:
        """The date as ISO 8601, '' for none."""
        return self._date or self._changed

    def read(self, element: Element, text: str, tail: str | None) -> None:
        """Look at an element of the page, in order, with its own `text` and the `tail` behind it."""
        date = _date_at(element, text, tail, self._order)
        if not date:
            if not (date := _moment_behind(element, text, self._order)):
                return
            text = ""  # which tells no more than how long ago that was
        if date[:DAY_CHARS] in self._others or is_of_another(element):
            return
        label = _date_label(element, text, self._order)
        if self._items.holds(element):
            self._items.count += 1
        elif is_of_member(label) or is_of_visit(label) or stands_beside(element, self._beside):
            return
        elif is_of_change(label):
            self._changed = self._changed or date
        elif not is_of_footer(element) and (not self._changed or is_of_page(element)):
            # A page that says when it was changed needs no date of its comments.
            self._date = date


def _date_at(element: Element, text: str, tail: str | None, order: str) -> str:
    """Return the date that an element declares or that stands in its text or behind it, '' for none."""
    date = ""
    tag = element.tag
    if tag in _TIMES:
        date = _date_of_time(element, text, order)
    elif 4 < len(text) < LINE_CHARS and may_have_date(text):
        date = _date_inside(element, text, order)
    if not date and tail is not None and may_have_date(tail):
        date = _date_behind(element, tail, order)
    return date


def _moment_behind(element: Element, text: str, order: str) -> str:
    """Return the date and time in the tooltip of a short text ("2 years ago", 将近 2 年), '' for none.

    A tooltip with a day alone may tell anything else.
    """
    title = element.get("title") if 0 < len(text) <= _LAPSE_CHARS else None
    if title is None or not may_have_date(title):
        return ""
    found = date_alone(title, order)
    return found if "T" in found and is_of_page(element) else ""


def _date_of_time(element: Element, text: str, order: str) -> str:
    moment, title = element.get("datetime"), element.get("title") or ""
    stated = iso_date(moment or title)
    if not stated:
        return iso_date(text, order)
    if not is_in_utc(stated):
        return stated
    return as_shown(stated, (iso_date(title) if moment else "") or iso_date(text, order))


def _date_inside(element: Element, text: str, order: str) -> str:
    if element.tag not in _TIGHT:
        return iso_date(text, order) or date_alone(text, order)
    # What is bold or a heading is a date only by itself, and not in the middle of a sentence.
    found = date_alone(text, order)
    return found if found and not len(element) and _is_short_line(element) and is_of_page(element) else ""


def _date_label(element: Element, text: str, order: str) -> str:
    """Return the text up to a date in an element or behind it, that of the piece before where it begins with it."""
    if text and not begins_with_date(text, order):
        return text + (element.tail or "")
    before = element.getprevious()
    if before is None:
        above = element.getparent()
        label = above.text if above is not None else ""
    else:
        label = before.tail if before.tail and not before.tail.isspace() else text_start(before)
    return f"{label or ''} {text}"


def _date_behind(element: Element, tail: str, order: str) -> str:
    """Return the date in the text that follows an element, '' when that is part of a sentence or of a list of links."""
    if not (found := date_alone(tail, order)) or (element.tag == "a" and element.getparent().tag == "li"):
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
