"""Bookmarks of browsers: the Netscape HTML that all of them export, JSON of Chrome and of Firefox."""

from __future__ import annotations

from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Any

from focuscrawl.seeding.candidates import Candidate, candidate

_MAX_DEPTH = 200
"""Folders within folders; the JSON parser has refused what is deeper than the stack by then."""


def netscape_bookmarks(text: str) -> Iterator[Candidate]:
    """Yield the links of a bookmark file in Netscape's HTML; the source is the folder, and a note is the snippet."""
    reader = _Netscape()
    reader.feed(text)
    reader.close()
    for address, title, note, folder in reader.links:
        found = candidate(address, title=title, snippet=note, source=folder)
        if found is not None:
            yield found


class _Netscape(HTMLParser):
    """Reads a bookmark file tag by tag.

    Its items are never closed. To a parser that builds a tree each stands within the one before, and libxml2 leaves out
    all that is deeper than 256 levels.
    """

    def __init__(self) -> None:
        super().__init__()
        self.links: list[tuple[str, str, str, str]] = []  # address, title, note and folder
        # Lists are hardly ever closed as they should be, so the folders are those of the headings before, by depth.
        self._folders: list[str] = []
        self._depth = 0  # of lists
        self._address: str | None = None  # of the link whose title or note is read
        self._title = ""
        self._text: list[str] | None = None  # of the heading, title or note that is read

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Begin a list, a folder, a link or a note."""
        if tag == "dd":
            self._text = []
        elif tag in ("dl", "dt", "h3", "a"):
            self._end_link()
            self._depth += tag == "dl"
            if tag == "a":
                self._address, self._title = dict(attrs).get("href") or "", ""
            if tag in ("h3", "a"):
                self._text = []

    def handle_endtag(self, tag: str) -> None:
        """End a list, the name of a folder, or the title of a link."""
        if tag == "dl":
            self._end_link()
            self._depth = max(self._depth - 1, 0)
        elif tag == "h3" and self._text is not None:
            self._folders[max(self._depth - 1, 0) :] = [self._read()]
        elif tag == "a" and self._address is not None:
            self._title = self._read()

    def handle_data(self, data: str) -> None:
        """Take the text of what is read."""
        if self._text is not None:
            self._text.append(data)

    def close(self) -> None:
        """End the last link."""
        super().close()
        self._end_link()

    def _read(self) -> str:
        text, self._text = " ".join("".join(self._text or ()).split()), None
        return text

    def _end_link(self) -> None:
        text = self._read()
        if self._address is not None:
            title, note = (self._title, text) if self._title else (text, "")
            folder = " / ".join(self._folders[: max(self._depth - 1, 0)]) or "bookmarks"
            self.links.append((self._address, title, note, folder))
        self._address = None


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
