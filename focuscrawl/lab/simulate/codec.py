"""Page analyses in little memory, and as bytes.

A recorded web has some two million links; kept as they come from the parser their words alone would fill a machine.
Packed and unpacked again, equal strings and equal tuples are one object. `pack` and `unpack` use the interpreter's own
`marshal`: it knows plain data only (no code runs on reading, unlike pickle), keeps shared objects shared, and is fast;
it is not proof against crafted bytes and its format belongs to one Python version, so it serves private caches and
nothing else.
"""

from __future__ import annotations

import marshal
import sys
from dataclasses import fields
from sys import intern
from typing import Any

from focuscrawl.page.build import builder
from focuscrawl.page.model import Block, Feed, Link, PageAnalysis, PageKind

# No strategy reads how well the bytes could be decoded.
_PAGE_FIELDS = tuple(f.name for f in fields(PageAnalysis) if f.name not in ("tree", "site_wide", "undecodable"))
_LINK_FIELDS = tuple(f.name for f in fields(Link))
_BLOCK_FIELDS = tuple(f.name for f in fields(Block))
_FEED_FIELDS = tuple(f.name for f in fields(Feed))
FORMAT = (1, sys.version_info[:2], marshal.version, _PAGE_FIELDS, _LINK_FIELDS, _BLOCK_FIELDS, _FEED_FIELDS)
"""Whatever changes here makes earlier bytes unreadable: part of a cache's name."""

Paths = dict[tuple[str, ...], tuple[str, ...]]
"""Paths from the root to a link, which repeat on every page of a template: one table for all pages of a web."""

_SHARED_PATHS = frozenset({"dom_path", "dom_sig"})
_link = builder(Link)
_block = builder(Block)


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

    row = []
    for name in _PAGE_FIELDS:
        value = getattr(page, name)
        if name == "links":
            value = tuple([tuple([one(getattr(link, f)) for f in _LINK_FIELDS]) for link in value])
        elif name == "blocks":
            value = tuple([tuple([one(getattr(block, f)) for f in _BLOCK_FIELDS]) for block in value])
        elif name == "feeds":
            value = tuple([tuple([one(getattr(feed, f)) for f in _FEED_FIELDS]) for feed in value])
        elif name == "kind":
            value = str(value)
        else:
            value = one(value)
        row.append(value)
    return marshal.dumps(tuple(row))


def unpack(data: bytes, paths: Paths | None = None) -> PageAnalysis:
    """Return the analysis that `pack` wrote; equal paths become those in `paths`, which is added to."""
    values = dict(zip(_PAGE_FIELDS, marshal.loads(data), strict=True))  # noqa: S302 - our own private bytes
    share = ({} if paths is None else paths).setdefault
    places = [i for i, name in enumerate(_LINK_FIELDS) if name in _SHARED_PATHS]
    links = []
    for row in values["links"]:
        fields_ = list(row)
        for place in places:
            fields_[place] = share(row[place], row[place])
        links.append(_link(*fields_))
    values["links"] = tuple(links)
    values["blocks"] = tuple([_block(*row) for row in values["blocks"]])
    values["feeds"] = tuple([Feed(*row) for row in values["feeds"]])
    values["kind"] = PageKind(values["kind"])
    return PageAnalysis(**values)
