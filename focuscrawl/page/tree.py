"""The one parse of a page."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, TypeVar

import numpy as np
from lxml import etree
from numpy.typing import NDArray

from focuscrawl.page.streamed import place_parts, streamed_parts, with_edges
from focuscrawl.text.normalize import nfkc

# libxml2 loses or misplaces what follows the first </html> or </body>; browsers ignore both. An XML declaration in
# an HTML page says nothing of use.
_DROPPED = re.compile(r"</[hHbB][tToO][mMdD][lLyY]\s*+>|<\?[xX][mM][lL][^>]*+(?:>|\Z)")
# The text inside <noframes> is no markup to the parser; on a page of frames it often holds the only plain links.
_FRAMESET = re.compile(r"<[fF][rR][aA][mM][eE][sS][eE][tT]\b")
_NOFRAMES = re.compile(r"</?(?:noframes|body)\b[^>]*+(?:>|\Z)", re.IGNORECASE)
_FRAMESET_CHARS = 20_000
# libxml2 compares each attribute of a tag with all before it: 100,000 of them take minutes. No author writes so many.
_LONG_PIECE = re.compile(r"<[A-Za-z][^<]{8000}")
_FLOODED_TAG = re.compile(r"<([A-Za-z][\w:-]*+)\s((?:[^<>\"']|\"[^\"]*\"|'[^']*'){2000,}+)")
_QUOTED = re.compile(r"\"[^\"]*\"|'[^']*'")
_MAX_ATTRIBUTES = 500
# A page of more text or more elements is a data dump or an attack; two seconds of CPU for it would be taken from a
# hundred pages. An element costs some 25 µs from the parse to the ranking of links, four times that in a thread, a word
# 3 µs. Of 93,827 pages of four recorded webs none has 20,000 elements, and eleven have 15,000.
MAX_CHARS = 1_000_000
MAX_ELEMENTS = 15_000
# Of the links behind: a body of 16 MB has a million, at 8 µs each.
MAX_LINKS_LOOKED_AT = 100_000
# NFKC writes some signs with several characters, up to 18: a page of a million would be compared as one of many. No
# text grows by a quarter. To count all signs takes time, and a text of so few characters costs little whatever they
# are, but for those with 18 and 8.
_FEW_CHARS = 100_000
_LONGEST_FORMS = "\ufdfa\ufdfb"
_LEAST_GROWTH = 1_000
_ASCII_SIGNS = 128
_GROWTH = np.full(sys.maxunicode + 1, -1, np.int8)  # of each sign met by NFKC, in characters
_TAG_CHARS = 10_000  # of a tag that is not cut in two
_START_TAG = re.compile("<[a-zA-Z]")
# What no reader sees and nobody here reads, of which a page may have more than of all else: programs and their data,
# and styles. Linked data and formulas are read.
_UNSEEN_START = re.compile(r"<(script|style)\b([^<>]{0,2000}+)>", re.IGNORECASE | re.ASCII)
_UNSEEN_ENDS = {tag: re.compile(rf"</{tag}\b", re.IGNORECASE | re.ASCII) for tag in ("script", "style")}
_READ_TYPE = re.compile(r"ld\+json|math/", re.IGNORECASE)
# Links behind the end, with a text of up to so many characters: cheap to find, so that the best are not lost.
_LINK_BEYOND = re.compile(r"<a\s[^<>]{1,4000}+>(?:[^<]|<(?!/?a\b)){0,300}+", re.IGNORECASE)
# libxml2 stops at 2,048 levels even with huge_tree, and says nothing.
_MAX_PARSED_DEPTH = 2040

_HEADINGS = ("h1", "h2", "h3")
_LINKS = ("link", "a", "area")

# Parsing UTF-8 bytes with the encoding given is as fast as parsing text, and takes every character. One parser does
# for all pages (lxml locks it), and saves making one each time.
_PARSER = etree.HTMLParser(encoding="utf-8", huge_tree=True, remove_comments=True, remove_pis=True)

Element = Any
"""An lxml element; lxml has no types of its own."""
Reading = TypeVar("Reading")


@dataclass(slots=True)
class Declarations:
    """Elements of a page that say what it is, in document order."""

    metas: list[Element] = field(default_factory=list)
    scripts: list[Element] = field(default_factory=list)
    headings: list[Element] = field(default_factory=list)  # of the first three levels
    links: list[Element] = field(default_factory=list)  # with an address or not: ``link``, ``a`` and ``area``


class PageTree:
    """The tree of a page, for extractors. Read-only: who has to change it copies it first.

    Text lengths and depths are those of whole subtrees and are computed for all elements when first asked for.
    Characters are counted without white space; scripts, styles and templates have none.
    """

    __slots__ = (
        "_declarations",
        "_depths",
        "_link_chars",
        "_named",
        "_paragraphs",
        "_readings",
        "_source",
        "_text_chars",
        "root",
        "truncated",
    )

    def __init__(self, root: Element, source: bytes, *, truncated: bool = False) -> None:
        self.root = root
        self.truncated = truncated
        self._source = source
        self._named: dict[str, bool] = {}
        self._text_chars: dict[Element, int] | None = None
        self._link_chars: dict[Element, int] = {}
        self._depths: dict[Element, int] = {}
        self._paragraphs: tuple[Sequence[str], Sequence[int], Sequence[bool]] = ((), (), ())
        self._readings: dict[Callable[[PageTree], Any], Any] = {}
        self._declarations: Declarations | None = None

    @property
    def declarations(self) -> Declarations:
        """Elements that say what the page is, looked for in one pass when first asked for; nobody changes them."""
        if self._declarations is None:
            found = self._declarations = Declarations()
            lists = {"meta": found.metas, "script": found.scripts, **dict.fromkeys(_HEADINGS, found.headings)}
            lists |= dict.fromkeys(_LINKS, found.links)
            for element in self.root.iter(*lists):
                lists[element.tag].append(element)
        return self._declarations

    def may_have(self, attribute: str) -> bool:
        """Tell whether the source has the name of an attribute: a look at all elements takes six times as long."""
        if attribute not in self._named:
            self._named[attribute] = attribute.encode() in self._source.lower()
        return self._named[attribute]

    def once(self, reading: Callable[[PageTree], Reading]) -> Reading:
        """Return what `reading` makes of the tree, computed once for all extractors that ask; nobody changes it."""
        if reading not in self._readings:
            self._readings[reading] = reading(self)
        found: Reading = self._readings[reading]
        return found

    def text_chars(self, element: Element) -> int:
        """Return the characters of the visible text in `element`, its own tail left out."""
        return self._measured()[element]

    def link_chars(self, element: Element) -> int:
        """Return how many of these stand inside links."""
        self._measured()
        return self._link_chars[element]

    def depth(self, element: Element) -> int:
        """Return the number of elements above `element`, 0 for the root."""
        self._measured()
        return self._depths[element]

    def content_paragraphs(self) -> list[str]:
        """Return the text of each block that is not boilerplate, in document order, white space collapsed."""
        texts: dict[int, str] = {}
        chunks, blocks, chosen = self._paragraphs
        for at, block in enumerate(blocks):
            if chosen[at]:
                texts[block] = texts.get(block, "") + chunks[at]
        return [" ".join(text.split()) for text in texts.values()]

    def set_paragraphs(self, chunks: Sequence[str], blocks: Sequence[int], chosen: Sequence[bool]) -> None:
        """Take over from the walk the pieces of text, the number of each one's block, and which are content."""
        self._paragraphs = (chunks, blocks, chosen)

    def _measured(self) -> dict[Element, int]:
        if self._text_chars is None:
            self._text_chars = {}
            self._measure(self._text_chars)
        return self._text_chars

    def _measure(self, text_chars: dict[Element, int]) -> None:
        link_chars, depths = self._link_chars, self._depths
        order = list(self.root.iter())
        depths[self.root] = 0
        text_chars[self.root] = link_chars[self.root] = 0
        for element in order[1:]:
            depths[element] = depths[element.getparent()] + 1
            text_chars[element] = link_chars[element] = 0
        for element in reversed(order):  # children before their parents
            tag = element.tag
            own = 0 if tag in UNSEEN_TAGS else _chars(element.text)
            total = text_chars[element] + own
            if tag in UNSEEN_TAGS:
                total = 0
            text_chars[element] = total
            in_links = total if tag == "a" and element.get("href") is not None else min(link_chars[element], total)
            link_chars[element] = in_links
            parent = element.getparent()
            if parent is not None and element is not self.root:
                text_chars[parent] += total + _chars(element.tail)
                link_chars[parent] += in_links


UNSEEN_TAGS = frozenset({"script", "style", "template", "svg", "head", "iframe", "object", "canvas"})
"""Elements whose text a reader of the page does not see."""


def _without_floods(text: str) -> str:
    """Return `text` with the tags that have too many attributes bare of them."""
    kept: list[str] = []
    end = 0
    for piece in _LONG_PIECE.finditer(text):
        tag = _FLOODED_TAG.match(text, piece.start())
        if tag is not None and len(_QUOTED.sub("", tag[2]).split()) > _MAX_ATTRIBUTES:
            kept += text[end : tag.start()], f"<{tag[1]} "
            end = tag.end()
    return "".join((*kept, text[end:])) if kept else text


def parse(
    text: str, *, prefer: Callable[[Sequence[str]], Sequence[float]] | None = None, max_links: int = 0
) -> PageTree | None:
    """Return the tree of an HTML page, None when there is no element in it. Time is linear in the text.

    Every ``</html>`` and ``</body>`` is dropped first, and scripts and styles of a page that would be cut for its
    length. Comments and processing instructions are not in the tree.
    Parts that the server sent late are in their places.
    Of a page that is cut, the best `max_links` links behind the end are in it when `prefer` gives any a value.
    """
    parts = streamed_parts(text)
    if len(text) > MAX_CHARS:
        text = _without_unseen(text)
    end = _bound(text)
    cut = end < len(text)
    if cut:
        beyond = _best_links(text, end, prefer, max_links) if prefer is not None else []
        text = "".join((text[:end], *(f"<p>{link}</a></p>" for link in beyond)))
    text = _DROPPED.sub("", text)
    text = _without_floods(_without_long_forms(text))
    if _FRAMESET.search(text, 0, _FRAMESET_CHARS):
        text = _NOFRAMES.sub("", text)
    if parts:
        text = with_edges(text)
    try:
        source = text.encode("utf-8", "replace")
        root = etree.fromstring(source, _PARSER)
    except (etree.XMLSyntaxError, ValueError):  # no element at all
        return None
    if root is None:
        return None
    truncated = cut or _is_cut(root)
    if parts:
        place_parts(root, parts)
    return PageTree(root, source, truncated=truncated)


def _without_unseen(text: str) -> str:
    """Return `text` with its scripts and styles empty, but for those that are read and one that does not end."""
    kept: list[str] = []
    at = end = 0
    while (start := _UNSEEN_START.search(text, at)) is not None:
        close = _UNSEEN_ENDS[start[1].lower()].search(text, start.end())
        if close is None:
            break
        at = close.start()
        if _READ_TYPE.search(start[2]) is None:
            kept.append(text[end : start.end()])
            end = at
    return "".join((*kept, text[end:])) if kept else text


def _without_long_forms(text: str) -> str:
    """Return `text` with a space for each sign that NFKC writes out, where they would make it a quarter longer."""
    if text.isascii() or (len(text) <= _FEW_CHARS and not any(sign in text for sign in _LONGEST_FORMS)):
        return text
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    codes = codes[codes >= _ASCII_SIGNS]  # the others do not grow
    counts = np.bincount(codes)
    signs = np.flatnonzero(counts)
    growth = _growth_of(signs)
    if int(counts[signs] @ growth) <= max(len(text) // 4, _LEAST_GROWTH):
        return text
    return text.translate(dict.fromkeys(signs[growth > 0].tolist(), " "))


def _growth_of(signs: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return by how many characters NFKC makes each sign longer."""
    for sign in signs[_GROWTH[signs] < 0].tolist():
        _GROWTH[sign] = len(nfkc(chr(sign))) - 1
    return _GROWTH[signs].astype(np.int64)


def _bound(text: str) -> int:
    """Return where a page is cut that has more characters or more start tags than are read."""
    if text.count("<", 0, MAX_CHARS) > MAX_ELEMENTS:
        beyond = next(islice(_START_TAG.finditer(text, 0, MAX_CHARS), MAX_ELEMENTS, None), None)
        if beyond is not None:
            return beyond.start()
    if len(text) <= MAX_CHARS:
        return len(text)
    unfinished = text.rfind("<", MAX_CHARS - _TAG_CHARS, MAX_CHARS)
    return unfinished if unfinished > text.rfind(">", 0, MAX_CHARS) else MAX_CHARS


def _best_links(text: str, end: int, prefer: Callable[[Sequence[str]], Sequence[float]], max_links: int) -> list[str]:
    """Return the links behind `end` that are worth something, the best `max_links`, in document order."""
    links = [found[0] for found in islice(_LINK_BEYOND.finditer(text, end), MAX_LINKS_LOOKED_AT)]
    values = prefer(links)
    best = sorted((at for at, value in enumerate(values) if value > 0.0), key=lambda at: -values[at])[:max_links]
    return [links[at] for at in sorted(best)]


def _is_cut(root: Element) -> bool:
    """Tell whether the parser stopped at its depth limit: then the last branch of the tree is that deep."""
    depth = 0
    while len(root):
        root = root[-1]
        depth += 1
    return depth >= _MAX_PARSED_DEPTH


def _chars(text: str | None) -> int:
    return len("".join(text.split())) if text else 0
