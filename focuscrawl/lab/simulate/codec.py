"""Page analyses in little memory, and as bytes.

A recorded web has some two million links; kept as they come from the parser their words alone would fill a machine.
Packed and unpacked again, equal strings and equal tuples are one object. The bytes are for private caches only
(`focuscrawl.page.packed`).
"""

from __future__ import annotations

import marshal
import sys
from sys import intern
from typing import Any

from focuscrawl.page.model import PageAnalysis
from focuscrawl.page.packed import BLOCK_FIELDS, FEED_FIELDS, LINK_FIELDS, LINKS, PAGE_FIELDS, page_of, page_row

FORMAT = (2, sys.version_info[:2], marshal.version, PAGE_FIELDS, LINK_FIELDS, BLOCK_FIELDS, FEED_FIELDS)
"""Whatever changes here makes earlier bytes unreadable: part of a cache's name."""

Paths = dict[tuple[str, ...], tuple[str, ...]]
"""Paths from the root to a link, which repeat on every page of a template: one table for all pages of a web."""

_SHARED_PATHS = tuple(LINK_FIELDS.index(name) for name in ("dom_path", "dom_sig"))


def pack(page: PageAnalysis) -> bytes:
    """Return the analysis (without its tree) as bytes for `unpack` of the same program."""
    shared: dict[Any, Any] = {}

    def one(value: Any) -> Any:
        if type(value) is str:
            return intern(value) if len(value) < 64 else shared.setdefault(value, value)
        if type(value) is tuple:
            found = shared.get(value)
            if found is None:
                found = shared[value] = tuple([one(v) for v in value])
            return found
        if type(value) is frozenset:
            return shared.setdefault(value, frozenset(one(v) for v in value))
        return value

    return marshal.dumps(tuple([one(value) for value in page_row(page)]))


def unpack(data: bytes, paths: Paths | None = None) -> PageAnalysis:
    """Return the analysis that `pack` wrote; equal paths become those in `paths`, which is added to."""
    row = list(marshal.loads(data))  # noqa: S302 - our own private bytes
    share = ({} if paths is None else paths).setdefault
    links = [list(link) for link in row[LINKS]]
    for link in links:
        for place in _SHARED_PATHS:
            link[place] = share(link[place], link[place])
    row[LINKS] = links
    return page_of(row)
