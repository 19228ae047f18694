"""Parts of a page that its server sends late, as React does for what it waits for, put where a browser shows them.

Until a part is there, its place holds a stand-in ("Loading …") between two comments, behind ``<template id="B:0">``.
The part comes at the end of the page, behind its footer, in a hidden element, with a script: ``$RC("B:0","S:0")``.
Where nothing stands in its place yet, the template alone marks it, and the script is ``$RS("S:0","P:0")``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice
from typing import Any, NamedTuple

from lxml import etree

_CALL = "$R"
_MOVED = re.compile(r'\$R([CRS])\("([\w:-]{1,60}+)","([\w:-]{1,60}+)"')
_BEGIN = re.compile(r"<!--\$[?!~]?-->")
_END = "<!--/$-->"
_BEGIN_TAG, _END_TAG = "streamed-begin", "streamed-end"
_BODY = "<body"
_MAX_PARTS = 200
_MAX_EDGES = 2_000
_MAX_DEPTH = 500  # of a place: a part within a part within another would make a tree of any depth


class Part(NamedTuple):
    """A part that came late."""

    place: str  # id of the template that stands there
    holder: str  # id of the element that it came in
    replaces: bool  # whether what stands there until then goes


def streamed_parts(text: str) -> list[Part]:
    """Return the parts of a page that came late, in order, the first 200."""
    if _CALL not in text:
        return []
    calls = (found.groups() for found in islice(_MOVED.finditer(text), _MAX_PARTS))
    return [Part(second, first, False) if kind == "S" else Part(first, second, True) for kind, first, second in calls]


def with_edges(text: str) -> str:
    """Return `text` with elements in the place of the comments around stand-ins, for comments are not in the tree."""
    body = max(text.find(_BODY), 0)
    shown = _BEGIN.sub(f"<{_BEGIN_TAG}></{_BEGIN_TAG}>", text[body:], count=_MAX_EDGES)
    return text[:body] + shown.replace(_END, f"<{_END_TAG}></{_END_TAG}>", _MAX_EDGES)


def place_parts(root: Any, parts: Sequence[Part]) -> None:
    """Move parts to their places in the tree of a text `with_edges`; one without a place stays where it is."""
    wanted = {name for part in parts for name in part[:2]}
    by_id: dict[str, Any] = {}
    for element in root.iter("*"):
        name = element.get("id")
        if name in wanted:
            by_id.setdefault(name, element)
    for part in parts:
        place, holder = by_id.get(part.place), by_id.get(part.holder)
        if place is None or holder is None or place.tag != "template" or not _may_move(place, holder):
            continue
        end = _without_stand_in(place) if part.replaces else place
        if end is None:
            break  # made by another program, or broken
        _move(holder, end)
    etree.strip_elements(root, _BEGIN_TAG, _END_TAG, with_tail=False)


def _may_move(place: Any, holder: Any) -> bool:
    above = list(islice(place.iterancestors(), _MAX_DEPTH))
    return len(above) < _MAX_DEPTH and holder not in above and place.getparent() is not None


def _without_stand_in(place: Any) -> Any | None:
    """Remove what follows a template up to the end of its stand-in, and return that end, None where there is none."""
    level = 0
    passed = []
    after = place.getnext()
    while after is not None:
        if after.tag == _END_TAG:
            if level == 0:
                break
            level -= 1
        elif after.tag == _BEGIN_TAG:
            level += 1
        passed.append(after)
        after = after.getnext()
    if after is None:
        return None
    place.tail = None
    for element in passed:
        place.getparent().remove(element)
    return after


def _move(holder: Any, end: Any) -> None:
    """Put what is in `holder` before `end`, and take the empty `holder` away."""
    if holder.text:
        before = etree.Element("span")
        before.text = holder.text
        end.addprevious(before)
        holder.text = None
    for child in list(holder):
        end.addprevious(child)
    holder.tag = _END_TAG
