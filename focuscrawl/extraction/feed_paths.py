"""XPaths of elements: by position, by an id above, by a class of their own (docs/formulas.md G.2, G.5)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from lxml import etree

from focuscrawl.page.tree import Element

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]*\Z")
_PLAIN = re.compile(r"[^\"\s]{1,100}\Z")
_INDEX = re.compile(r"\[\d+\]")
_MAX_STEPS = 200


def indexed_path(element: Element, *, top: Element | None = None) -> str | None:
    """Return the absolute path with indices, ``/html/body/div[2]/div[1]``; below `top` the relative one.

    None for an element too deep, or under one whose name XPath cannot say.
    """
    steps: list[str] = []
    while element is not None and element is not top:
        tag = element.tag
        if not _NAME.match(tag) or len(steps) >= _MAX_STEPS:
            return None
        if tag in ("html", "body"):
            steps.append(tag)
        else:
            before = sum(1 for _ in element.itersiblings(tag, preceding=True))
            steps.append(f"{tag}[{before + 1}]")
        element = element.getparent()
    return ("/" if top is None else "") + "/".join(reversed(steps))


def anchored_path(element: Element, root: Element) -> str | None:
    """Return the path from the nearest element at or above it with an id that is unique on the page."""
    anchor = element
    while anchor is not None:
        identity = anchor.get("id")
        if identity and _PLAIN.match(identity) and anchor.tag not in ("html", "body"):
            form = f'//*[@id="{identity}"]'
            if len(find_all(root, form)) == 1:
                below = indexed_path(element, top=anchor)
                return None if below is None else f"{form}/{below}" if below else form
        anchor = anchor.getparent()
    return None


def class_path(tag: str, name: str) -> str:
    """Return the path of all elements of a tag and a class."""
    return f'//{tag}[contains(concat(" ",normalize-space(@class)," ")," {name} ")]'


def usable_class(name: str) -> bool:
    """Tell whether a class name can stand in a path."""
    return _PLAIN.match(name) is not None


def find_all(root: Element, path: str) -> list[Element]:
    """Return the elements that `path` leads to; none for a path that is no XPath."""
    try:
        found = _compiled(path)(root)
    except (etree.XPathError, ValueError):
        return []
    return [node for node in found if isinstance(node, etree._Element)] if isinstance(found, list) else []


def vote(paths: Sequence[str]) -> str:
    """Return the path that stands for several pages' (docs/formulas.md G.5).

    The one that more than half have; else the first two that differ in nothing but one index, without that index;
    else the most frequent, the first of equals.
    """
    counts = {path: paths.count(path) for path in paths}
    best = max(counts, key=lambda path: counts[path])
    if 2 * counts[best] > len(paths):
        return best
    distinct = list(counts)
    for at, one in enumerate(distinct):
        for other in distinct[at + 1 :]:
            general = generalise(one, other)
            if general is not None:
                return general
    return best


def generalise(one: str, other: str) -> str | None:
    """Return two paths in one when a single index is all they differ in, else None.

    >>> generalise("/html/body/div[2]/div[1]", "/html/body/div[3]/div[1]")
    '/html/body/div/div[1]'
    """
    left, right = one.split("/"), other.split("/")
    if len(left) != len(right):
        return None
    differing = [at for at, (a, b) in enumerate(zip(left, right, strict=True)) if a != b]
    if len(differing) != 1:
        return None
    at = differing[0]
    bare = _INDEX.sub("", left[at])
    if bare != _INDEX.sub("", right[at]):
        return None
    return "/".join([*left[:at], bare, *left[at + 1 :]])


@lru_cache(maxsize=2000)
def _compiled(path: str) -> etree.XPath:
    return etree.XPath(path)
