"""Posts of a list on a page, whose dates and authors are not the page's."""

from __future__ import annotations

from focuscrawl.extraction.bylines import is_of_item
from focuscrawl.page.tree import Element

_MAX_ITEMS = 20  # a list of posts has no date and author of its own after so many of theirs


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
        return self.count >= _MAX_ITEMS

    def holds(self, element: Element) -> bool:
        """Tell whether an element stands in a post of the list."""
        return is_of_item(element, self._known)
