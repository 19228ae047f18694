"""Analyses of pages as plain values, for `marshal`: from one process to another, or into a cache.

`marshal` is the interpreter's own: it knows plain data only (no code runs on reading, unlike pickle), keeps shared
objects shared, and is fast. It is not proof against crafted bytes and its format belongs to one Python version, so it
serves programs that are parts of one another, and private caches.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from operator import attrgetter
from typing import Any

from focuscrawl.page.build import builder
from focuscrawl.page.model import Block, Feed, Link, PageAnalysis, PageKind

PAGE_FIELDS = tuple(f.name for f in fields(PageAnalysis) if f.name not in ("tree", "site_wide"))
LINK_FIELDS = tuple(f.name for f in fields(Link))
BLOCK_FIELDS = tuple(f.name for f in fields(Block))
FEED_FIELDS = tuple(f.name for f in fields(Feed))
LINKS = PAGE_FIELDS.index("links")
"""Place of the links in a row."""

_KIND, _BLOCKS, _FEEDS = (PAGE_FIELDS.index(name) for name in ("kind", "blocks", "feeds"))
_page_values, _link_values, _block_values, _feed_values = (
    attrgetter(*names) for names in (PAGE_FIELDS, LINK_FIELDS, BLOCK_FIELDS, FEED_FIELDS)
)
_link = builder(Link)
_block = builder(Block)


def page_row(page: PageAnalysis) -> tuple[Any, ...]:
    """Return an analysis, without its tree and what is known of its site, as plain values."""
    row = list(_page_values(page))
    row[_KIND] = str(page.kind)
    row[LINKS] = tuple(map(_link_values, page.links))
    row[_BLOCKS] = tuple(map(_block_values, page.blocks))
    row[_FEEDS] = tuple(map(_feed_values, page.feeds))
    return tuple(row)


def page_of(row: Sequence[Any]) -> PageAnalysis:
    """Return the analysis of a `page_row`.

    >>> from focuscrawl.page.blank import blank_page
    >>> page = blank_page("http://a.org/", encoding="utf-8", reason="empty body")
    >>> page_of(page_row(page)) == page
    True
    """
    values = dict(zip(PAGE_FIELDS, row, strict=True))
    values["kind"] = PageKind(values["kind"])
    values["links"] = tuple([_link(*link) for link in values["links"]])
    values["blocks"] = tuple([_block(*block) for block in values["blocks"]])
    values["feeds"] = tuple([Feed(*feed) for feed in values["feeds"]])
    return PageAnalysis(**values)
