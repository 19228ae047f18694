"""Posts of a list on a page, whose dates and authors are not the page's."""

from __future__ import annotations

import re
from itertools import chain, islice

from focuscrawl.extraction.bylines import LINE_CHARS
from focuscrawl.extraction.dates import date_alone
from focuscrawl.extraction.text_start import first_pieces, text_start
from focuscrawl.page.tree import Element

_MANY = 20  # a list of posts has no date and author of its own after so many of theirs
_ITEM_TAGS = frozenset({"article", "div", "li", "section", "tr", "dl", "dd", "td"})
_HEADINGS = ("h1", "h2", "h3", "h4", "h5")
_MAX_HEADINGS = 100  # of a block that are looked at
_LINK = frozenset({"a"})
_LINE_TAGS = frozenset({"li", "tr", "dd"})
_MIN_ALIKE, _MAX_ITEMS, _ITEM_LEVELS = 2, 3, 8  # blocks beside, in each direction, around
_MAX_LEVELS = 50  # of elements around a heading
_SHARED_CLASSES = 3
_NUMBER = re.compile(r"\d+")


class ListItems:
    """What was found out of the posts that a page lists.

    Attributes
    ----------
    count
        Dates and authors that belong to posts.
    """

    def __init__(self) -> None:
        self.count = 0
        self._known: dict[Element, bool] = {}

    @property
    def are_many(self) -> bool:
        """Whether the page is a list, so that no date or author behind these is its own."""
        return self.count >= _MANY

    def holds(self, element: Element) -> bool:
        """Tell whether an element stands in a post of the list."""
        return is_of_item(element, self._known)


def is_of_item(element: Element, known: dict[Element, bool]) -> bool:
    """Tell whether an element stands in one of several alike blocks that each have a link for a heading.

    Those are posts of a list, each with an author and a date of its own. So are lines of a link and a date.

    Parameters
    ----------
    known
        Which blocks met before are such; filled here.
    """
    for above in islice(chain((element,), element.iterancestors()), _ITEM_LEVELS):
        if above.tag not in _ITEM_TAGS:
            continue
        if above not in known:
            known[above] = _is_item(above)
        if known[above]:
            return True
    return False


def _is_item(block: Element) -> bool:
    around = (islice(block.itersiblings(block.tag, preceding=back), _MAX_ITEMS) for back in (False, True))
    alike = [beside for beside in chain(*around) if _are_alike(beside, block)]
    return len(alike) >= _MIN_ALIKE and (
        (_has_linked_heading(block) and all(map(_has_linked_heading, alike)))
        or (_is_dated_link(block) and all(map(_is_dated_link, alike)))
    )


def _has_linked_heading(block: Element) -> bool:
    """Tell whether a heading in a block is a link to another page, or stands in one.

    The headings of a thread's posts, of a manual's sections lead to themselves.
    """
    for heading in islice(block.iter(*_HEADINGS), _MAX_HEADINGS):
        around = (above for above in islice(heading.iterancestors(), _MAX_LEVELS) if above.tag == "a")
        if any("#" not in (link.get("href") or "") for link in chain(heading.iterchildren("a"), around)):
            return True
    return False


def _is_dated_link(block: Element) -> bool:
    """Tell whether a block is a line of a list with a link and, beside it, hardly more than a date."""
    if block.tag not in _LINE_TAGS or len(text_start(block)) > LINE_CHARS or block.find(".//a[@href]") is None:
        return False
    return bool(date_alone(" ".join(first_pieces(block, _LINK))))


def _are_alike(one: Element, other: Element) -> bool:
    """Tell whether two blocks have the same first class but for the number of a post, or several classes in common.

    WordPress names posts ``post-794 post type-post status-publish``, and themes put the category of each first.
    """
    names, others = (one.get("class") or "").split(), (other.get("class") or "").split()
    if not names or not others:
        return not (names or others)
    first, second = (_NUMBER.sub("", some[0]) for some in (names, others))
    return first == second or len(set(names).intersection(others)) >= _SHARED_CLASSES
