"""Date and author that a page shows to readers, and its microdata, read in one pass over the elements."""

from __future__ import annotations

from itertools import islice
from typing import NamedTuple

from lxml import etree

from focuscrawl.extraction.bylines import is_of_page
from focuscrawl.extraction.list_items import ListItems
from focuscrawl.extraction.mail_messages import plain_sender
from focuscrawl.extraction.numeric_dates import order_of
from focuscrawl.extraction.others_declared import OthersDeclared
from focuscrawl.extraction.page_parts import stands_beside
from focuscrawl.extraction.shown_authors import ShownAuthor
from focuscrawl.extraction.shown_dates import ShownDate
from focuscrawl.extraction.text_start import text_start
from focuscrawl.page.tree import Element

HAS_PROPS = etree.XPath("boolean(//@itemprop)")
# Dates in RDFa, as Drupal writes them for posts and their comments.
_RDFA_DATES = frozenset({"dc:date dc:created", "schema:dateCreated", "schema:datePublished"})
_MAX_ELEMENTS = 4000  # looked at; what is shown stands near the title
_PLACES = (
    "time", "span", "p", "div", "td", "a", "em", "i", "small", "font", "li", "address", "b", "strong", "abbr", "br",
    "h2", "h3", "h4", "footer", "code", "dfn", "relative-time", "time-ago",
)  # fmt: skip
_MAX_PARTS = 20  # elements of a person, whose name stands near the start


class ShownFields(NamedTuple):
    """What stands on a page, '' for none; dates as ISO 8601."""

    micro: dict[str, str]  # properties in lower case with their values
    first_date: str  # that is not labelled as that of a change
    date: str  # the first, else that of a change
    author: str


def shown_fields(root: Element, *, dated: bool, signed: bool, others: OthersDeclared = OthersDeclared()) -> ShownFields:
    """Return microdata, the date and the author that stand on the page.

    Parameters
    ----------
    dated, signed
        A date, an author is known, and none is looked for.
    others
        Days and people that are not the page's own.
    """
    micro: dict[str, str] = {}
    beside: dict[Element, bool] = {}
    items = ListItems()
    order = order_of(root.get("lang") or root.get("xml:lang") or "")
    date, author = ShownDate(items, order, others.days), ShownAuthor(items, others.people)
    has_props: bool | None = None  # not looked for: that takes a pass over the tree, and most pages are read in one
    for element in islice(root.iter(*_PLACES), _MAX_ELEMENTS):
        prop = element.get("itemprop")
        if prop is None and element.get("property") in _RDFA_DATES and is_of_page(element):
            prop = "datepublished"
        if prop is not None:
            prop = prop.strip().lower()
            # The newest posts in a side bar have properties of their own.
            if prop not in micro and not stands_beside(element, beside):
                micro[prop] = _prop_value(element)[:300]
        text, tail = element.text or "", element.tail
        # Most of these are the indentation of the page's source.
        text = "" if text.isspace() else text
        tail = None if tail is None or tail.isspace() else tail
        if not dated:
            date.read(element, text, tail)
            dated = date.found
        if not signed:
            author.read(element, text, tail)
            signed = author.found
        dated, signed = dated or items.are_many, signed or items.are_many
        if dated and signed:
            if has_props is None:
                has_props = bool(HAS_PROPS(root))
            if not has_props:
                break
    name = author.value or ("" if signed else plain_sender(root))
    return ShownFields(micro, date.first, date.value, name)


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
