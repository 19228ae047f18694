"""Bookmarks of browsers: the Netscape HTML that all of them export, JSON of Chrome and of Firefox."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from lxml import etree, html

from focuscrawl.seeding.candidates import Candidate, candidate

_MAX_DEPTH = 200
"""Folders within folders; the JSON parser has refused what is deeper than the stack by then."""


def netscape_bookmarks(text: str) -> Iterator[Candidate]:
    """Yield the links of a bookmark file in Netscape's HTML; the source is the folder, and a note is the snippet."""
    parser = html.HTMLParser(no_network=True, huge_tree=False)
    try:
        tree = html.document_fromstring(text, parser=parser)
    except (etree.ParserError, ValueError):  # nothing in it
        return
    folders: list[str] = []
    # Lists are hardly ever closed as they should be, so the folders are those of the headings before, by depth of DL.
    for element in tree.iter("a", "h3"):
        depth = sum(1 for _ in element.iterancestors("dl"))
        name = " ".join(element.text_content().split())
        if element.tag == "h3":
            folders[max(depth - 1, 0) :] = [name]
            continue
        found = candidate(
            element.get("href", ""),
            title=name,
            snippet=_note(element),
            source=" / ".join(folders[: max(depth - 1, 0)]) or "bookmarks",
        )
        if found is not None:
            yield found


def _note(link: Any) -> str:
    """Return the note below a bookmark, in a DD beside or behind its DT."""
    holder = link.getparent()
    note = holder.getnext() if holder is not None and holder.tag == "dt" else link.getnext()
    if note is None or note.tag != "dd":
        return ""
    return str(note.text or "")


def chrome_bookmarks(data: dict[str, Any]) -> Iterator[Candidate]:
    """Yield the links of Chrome's file ``Bookmarks``: roots with children of type url or folder."""
    roots = data.get("roots")
    for root in roots.values() if isinstance(roots, dict) else ():
        if isinstance(root, dict):
            yield from _walk(root, [], title="name", url="url", depth=0)


def firefox_bookmarks(data: dict[str, Any]) -> Iterator[Candidate]:
    """Yield the links of a Firefox backup: nodes of type text/x-moz-place with a uri, below containers."""
    yield from _walk(data, [], title="title", url="uri", depth=0)


def _walk(node: dict[str, Any], folders: list[str], *, title: str, url: str, depth: int) -> Iterator[Candidate]:
    name = str(node.get(title) or "")
    address = node.get(url)
    if isinstance(address, str):
        found = candidate(address, title=name, source=" / ".join(folders) or "bookmarks")
        if found is not None:
            yield found
    children = node.get("children")
    if isinstance(children, list) and depth < _MAX_DEPTH:
        inner = [*folders, name] if name else folders
        for child in children:
            if isinstance(child, dict):
                yield from _walk(child, inner, title=title, url=url, depth=depth + 1)
