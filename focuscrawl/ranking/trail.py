"""Trail of a crawl: the fetched pages by which others were found, so that a find is credited to what led to it."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from typing import NamedTuple

from focuscrawl.ranking.link_model import LinkExample
from focuscrawl.types import GroupKey, UrlKey

HOPS = 3
"""Pages above a find that are credited with it."""
_PAGES = 50_000


class Passed(NamedTuple):
    """A fetched page, as far as those below it need it."""

    key: UrlKey
    group: GroupKey  # of the link it was fetched by
    parent: UrlKey | None  # the page that had the link; None for a seed
    example: LinkExample  # of the link
    series: str  # of the page's URL (`focuscrawl.ranking.series`)
    weight: float = 1.0  # with which it counted for the page that had the link


class Trail:
    """The last pages that were fetched, and how many pages each has led to."""

    def __init__(self, *, pages: int = _PAGES) -> None:
        self._most = pages
        self._pages: OrderedDict[UrlKey, Passed] = OrderedDict()
        self._led_to: dict[UrlKey, int] = {}

    def add(self, page: Passed) -> None:
        """Remember a page; the one that was fetched first is forgotten when there are too many."""
        self._pages[page.key] = page
        if len(self._pages) > self._most:
            self._led_to.pop(self._pages.popitem(last=False)[0], None)

    def above(self, parent: UrlKey | None) -> Iterator[Passed]:
        """Yield the page `parent`, the one that led there, and so on, `HOPS` at most, as far as they are remembered."""
        for _ in range(HOPS):
            page = self._pages.get(parent) if parent is not None else None
            if page is None:
                return
            yield page
            parent = page.parent

    def weight(self, key: UrlKey) -> float:
        """Return the weight with which a page counted for the one that had the link, 0 when it is not remembered."""
        page = self._pages.get(key)
        return 0.0 if page is None else page.weight

    def count(self, page: Passed) -> int:
        """Count another page that a remembered one has led to; return how many there were before it."""
        before = self._led_to.get(page.key, 0)
        self._led_to[page.key] = before + 1
        return before
