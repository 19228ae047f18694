"""The one walk over a page's tree: pieces of text, raw links, headings, blocks and what the head declares.

Everything is collected raw and in document order; words, URLs and judgements come afterwards, so that the page is
segmented in one call and only what is kept costs anything.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import islice

import numpy as np
from lxml import etree

from focuscrawl.page.blocks import BLOCK_TAGS, RawBlock, role_hint
from focuscrawl.page.paths import Path, PathMemo, PathNode
from focuscrawl.page.shown import is_shown
from focuscrawl.page.tree import Element

# A start and an end for each element. A page of more elements is a data dump or an attack; half a second of CPU is
# the most a page may take.
_MAX_EVENTS = 2 * 200_000

# What to do at an element. Inline elements have no entry: their text simply flows on.
_BLOCK, _HEADING, _BREAK, _SKIP, _A, _IMG, _AREA, _MAP, _FRAME, _IFRAME, _READING = range(1, 12)
_META, _LINK, _BASE, _TITLE, _MEDIA = range(12, 17)
_BREAK_TAGS = (
    "address br caption center details dir fieldset figcaption hgroup hr legend menu summary tbody tfoot thead tr"
)
_ACTIONS: dict[object, int] = {
    **dict.fromkeys(BLOCK_TAGS, _BLOCK),
    **dict.fromkeys(("h1", "h2", "h3", "h4", "h5", "h6"), _HEADING),
    **dict.fromkeys(_BREAK_TAGS.split(), _BREAK),
    **dict.fromkeys(
        ("button", "canvas", "datalist", "math", "script", "select", "style", "svg", "template", "textarea"), _SKIP
    ),
    **dict.fromkeys(("rp", "rt"), _READING),  # how a word is read stands above it, and parts no characters
    "a": _A,
    "img": _IMG,
    "area": _AREA,
    "map": _MAP,
    "frame": _FRAME,
    "iframe": _IFRAME,
    "meta": _META,
    "link": _LINK,
    "base": _BASE,
    "title": _TITLE,
    **dict.fromkeys(("audio", "embed", "video"), _MEDIA),
}
# An <a> with these attributes only has no metadata but its text (docs/formulas.md A.2).
_PLAIN_ATTRIBUTES = frozenset({"target", "style", "onclick", "data-id", "itemprop", "role", "tabindex"})
# Whether a character is no white space, for all up to the last that is; beyond stands one that is none.
_IS_SEEN = np.array([not chr(code).isspace() for code in range(0x3002)])
_NOTHING: tuple[tuple[str, str], ...] = ()
_EMBEDDED = frozenset({_AREA, _FRAME, _IFRAME})
_DECLARATIONS = frozenset({_META, _LINK, _BASE, _TITLE})
_ENDED = frozenset({_BLOCK, _HEADING, _BREAK, _A})


Attributes = Sequence[tuple[str, str]]


@dataclass(slots=True)
class RawLink:
    """A link as the page wrote it; `start` and `end` are the chunks of its text, -1 for none."""

    tag: str
    href: str
    attributes: Attributes  # none when there is no metadata among them
    block: int
    start: int
    end: int
    heading: int
    paths: tuple[Path, Path]
    images: list[Element] | None = None
    map_name: str = ""


def raw_link(
    element: Element, target: str, block: int, at: int, heading: int, path_of: Callable[..., PathNode], depth: int
) -> RawLink:
    """Return the raw link of an element without text of its own."""
    node = path_of(element, element.tag, element.get("id"), element.get("class"), block=block, depth=depth)
    return RawLink(element.tag, target, element.items(), block, at, at, heading, node.paths)


@dataclass(slots=True)
class Walked:
    """Result of the walk."""

    chunks: list[str] = field(default_factory=list)  # raw text between borders of blocks and links, none blank
    chunk_blocks: list[int] = field(default_factory=list)  # index of the raw block, -1 outside
    chunk_chars: list[int] = field(default_factory=list)  # without white space
    chunk_linked: list[bool] = field(default_factory=list)
    blocks: list[RawBlock] = field(default_factory=list)
    links: list[RawLink] = field(default_factory=list)
    headings: list[tuple[int, int, str]] = field(default_factory=list)  # first chunk, end, tag
    title: str = ""
    base: str = ""
    metas: list[Element] = field(default_factory=list)
    head_links: list[Element] = field(default_factory=list)
    images: int = 0
    media: int = 0
    truncated: bool = False


def walk(root: Element, *, follow_images: bool = False) -> Walked:
    """Return the raw content of the tree, in one pass of time linear in its size."""
    # One function, long as it is: with its state in an object, and methods for blocks and links, it took 6 to 9 % more.
    found = Walked()
    chunks, chunk_blocks, chunk_linked = found.chunks, found.chunk_blocks, found.chunk_linked
    blocks, links, headings = found.blocks, found.links, found.headings
    buffer: list[str] = []
    block = -1
    open_links: list[RawLink] = []
    open_elements: list[Element] = []
    heading = -1
    map_name = ""
    memo = PathMemo(blocks)
    path_of = memo.of
    # Path and depth of the innermost block, in which most blocks and links stand without an element between.
    node, node_depth = memo.top, 0
    depth = 0
    actions = _ACTIONS
    events = etree.iterwalk(root, events=("start", "end"))

    def flush() -> None:
        text = buffer[0] if len(buffer) == 1 else "".join(buffer)
        buffer.clear()
        if not text.isspace():
            chunks.append(text)
            chunk_blocks.append(block)
            chunk_linked.append(bool(open_links))

    for event, element in islice(events, _MAX_EVENTS):
        action = actions.get(element.tag)
        if event == "start":
            depth += 1
            if action is None:
                text = element.text
                if text:
                    buffer.append(text)
            elif action <= _HEADING:
                if buffer:
                    flush()
                tag = element.tag
                identity = names = role = None
                for name, value in element.items():
                    if name == "class":
                        names = value
                    elif name == "id":
                        identity = value
                    elif name == "role":
                        role = value
                if depth == node_depth + 1:
                    node = node.step(tag, identity, names)
                else:
                    node = path_of(element, tag, identity, names, block=block, depth=depth)
                node_depth = depth
                hint = node.hint or (role is not None and role_hint(tag, role))
                blocks.append(RawBlock(tag, block, hint, depth, node))
                block = len(blocks) - 1
                if action == _HEADING:
                    heading = len(headings)
                    headings.append((len(chunks), -1, tag))
                text = element.text
                if text and not text.isspace():
                    buffer.append(text)
            elif action == _A:
                # One call for all attributes costs less than two look-ups by name.
                items = element.items()
                href = identity = names = None
                is_plain = True
                for name, value in items:
                    if name == "href":
                        href = value
                    elif name == "class":
                        names = value
                    elif name == "id":
                        identity = value
                    elif name not in _PLAIN_ATTRIBUTES:
                        is_plain = False
                if href is not None:
                    if buffer:
                        flush()
                    if depth == node_depth + 1:
                        where = node.step("a", identity, names)
                    else:
                        where = path_of(element, "a", identity, names, block=block, depth=depth)
                    at = len(chunks)
                    link = RawLink("a", href, _NOTHING if is_plain else items, block, at, -1, heading, where.paths)
                    links.append(link)
                    open_links.append(link)
                    open_elements.append(element)
                text = element.text
                if text:
                    buffer.append(text)
            elif action == _BREAK:
                buffer.append("\n")
                text = element.text
                if text:
                    buffer.append(text)
            elif action == _SKIP:
                if is_shown(element):
                    text = element.text
                    if text:
                        buffer.append(text)
                    continue
                events.skip_subtree()
                if buffer:
                    buffer.append(" ")
            elif action == _READING:
                events.skip_subtree()
            elif action == _IMG:
                found.images += 1
                if open_links:
                    link = open_links[-1]
                    if link.images is None:
                        link.images = []
                    link.images.append(element)
                if follow_images and (src := element.get("src")):
                    at = len(chunks)
                    links.append(raw_link(element, src, block, at, heading, path_of, depth))
            elif action in _DECLARATIONS:
                _declare(found, element, action)
                if action == _TITLE:
                    events.skip_subtree()
            elif action in _EMBEDDED:
                if buffer:
                    flush()
                if target := element.get("href" if action == _AREA else "src"):
                    links.append(raw_link(element, target, block, len(chunks), heading, path_of, depth))
                    links[-1].map_name = map_name
                events.skip_subtree()
            elif action == _MAP:
                map_name = element.get("name") or element.get("id") or ""
            else:
                found.media += 1
        else:
            depth -= 1
            if action is not None and action in _ENDED:
                if action <= _HEADING:
                    if buffer:
                        flush()
                    block = blocks[block].parent
                    if block >= 0:
                        above = blocks[block]
                        node, node_depth = above.node, above.depth
                    else:
                        node, node_depth = memo.top, 0
                    if action == _HEADING:
                        first, end, tag = headings[-1]
                        if end < 0:
                            headings[-1] = (first, len(chunks), tag)
                    text = element.tail
                    if text and not text.isspace():
                        buffer.append(text)
                    continue
                if action == _A:
                    if open_elements and open_elements[-1] is element:
                        open_elements.pop()
                        if buffer:
                            flush()
                        open_links.pop().end = len(chunks)
                else:
                    buffer.append("\n")
            text = element.tail
            if text:
                buffer.append(text)
    if buffer:
        flush()
    _complete(found, open_links)
    found.truncated = next(events, None) is not None
    return found


def _declare(found: Walked, element: Element, action: int) -> None:
    """Note what the head of a page declares; of titles and bases the first counts, as in browsers."""
    if action == _META:
        found.metas.append(element)
    elif action == _LINK:
        found.head_links.append(element)
    elif action == _TITLE:
        # Text before the head makes the parser begin the body there.
        found.title = found.title or "".join(element.itertext())
    else:
        found.base = found.base or element.get("href") or ""


def _complete(found: Walked, open_links: Sequence[RawLink]) -> None:
    """End the links and headings that the page leaves open, and count the characters of chunks and blocks."""
    chunks, blocks = found.chunks, found.blocks
    for link in open_links:
        link.end = len(chunks)
    found.headings = [(first, end if end >= 0 else len(chunks), tag) for first, end, tag in found.headings]
    found.chunk_chars = _visible_chars(chunks)
    for chars, owner, linked in zip(found.chunk_chars, found.chunk_blocks, found.chunk_linked, strict=True):
        if owner >= 0:
            own = blocks[owner]
            own.chars += chars
            if linked:
                own.link_chars += chars


def _visible_chars(chunks: Sequence[str]) -> list[int]:
    """Return the number of characters of each chunk that are no white space; no chunk is empty."""
    if not chunks:
        return []
    codes = np.frombuffer("".join(chunks).encode("utf-32-le", "surrogatepass"), np.uint32)
    lengths = np.fromiter(map(len, chunks), np.int64, len(chunks))
    starts = np.cumsum(lengths) - lengths
    counts: list[int] = np.add.reduceat(_IS_SEEN.take(codes, mode="clip"), starts, dtype=np.int64).tolist()
    return counts
