"""The one walk over a page's tree: pieces of text, raw links, headings, blocks and what the head declares.

Everything is collected raw and in document order; words, URLs and judgements come afterwards, so that the page is
segmented in one call and only what is kept costs anything.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from lxml import etree

from focuscrawl.page.blocks import BLOCK_TAGS, RawBlock, boilerplate_hint
from focuscrawl.page.tree import Element

# A page of more elements is a data dump or an attack; half a second of CPU is the most a page may take.
MAX_ELEMENTS = 200_000

# What to do at an element. Inline elements have no entry: their text simply flows on.
_BLOCK, _HEADING, _BREAK, _SKIP, _MUTE, _A, _IMG, _AREA, _MAP, _FRAME, _IFRAME = range(1, 12)
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
    "noscript": _MUTE,  # browsers do not show its text; its links and pictures are those of lazy loaders
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
_ENDED = frozenset({_BLOCK, _HEADING, _BREAK, _MUTE, _A})


@dataclass(slots=True)
class RawLink:
    """A link as the page wrote it; `start` and `end` are the chunks of its text."""

    element: Element
    tag: str
    href: str
    block: int
    start: int
    end: int
    heading: int = -1
    images: list[Element] | None = None
    map_name: str = ""


@dataclass(slots=True)
class Walked:
    """What the walk found."""

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
    has_frames: bool = False
    depth: int = 0
    truncated: bool = False


def walk(root: Element, *, follow_images: bool = False) -> Walked:
    """Return the raw content of the tree, in one pass of time linear in its size."""
    found = Walked()
    chunks, chunk_blocks, chunk_chars = found.chunks, found.chunk_blocks, found.chunk_chars
    chunk_linked, blocks, links, headings = found.chunk_linked, found.blocks, found.links, found.headings
    buffer: list[str] = []
    block = -1
    open_links: list[RawLink] = []
    heading = -1
    map_name = ""
    muted = 0
    depth = deepest = elements = 0
    actions = _ACTIONS
    events = etree.iterwalk(root, events=("start", "end"))

    def flush() -> None:
        text = buffer[0] if len(buffer) == 1 else "".join(buffer)
        buffer.clear()
        chars = len("".join(text.split()))
        if chars:
            chunks.append(text)
            chunk_blocks.append(block)
            chunk_chars.append(chars)
            linked = bool(open_links)
            chunk_linked.append(linked)
            if block >= 0:
                owner = blocks[block]
                owner.chars += chars
                if linked:
                    owner.link_chars += chars

    for event, element in events:
        action = actions.get(element.tag)
        if event == "start":
            depth += 1
            if depth > deepest:
                deepest = depth
            elements += 1
            if action is None:
                text = element.text
                if text and not muted:
                    buffer.append(text)
                continue
            if action <= _HEADING:
                if buffer:
                    flush()
                tag = element.tag
                blocks.append(RawBlock(tag, block, boilerplate_hint(element, tag, block, blocks)))
                block = len(blocks) - 1
                if action == _HEADING:
                    heading = len(headings)
                    headings.append((len(chunks), -1, tag))
            elif action == _A:
                href = element.get("href")
                if href is not None:
                    if buffer:
                        flush()
                    link = RawLink(element, "a", href, block, len(chunks), -1, heading)
                    links.append(link)
                    open_links.append(link)
            elif action == _BREAK:
                buffer.append("\n")
            elif action == _SKIP:
                events.skip_subtree()
                buffer.append(" ")
                continue
            elif action == _IMG:
                found.images += 1
                if open_links:
                    link = open_links[-1]
                    if link.images is None:
                        link.images = []
                    link.images.append(element)
                if follow_images and (src := element.get("src")):
                    at = len(chunks)
                    links.append(RawLink(element, "img", src, block, at, at, heading))
            elif action == _MUTE:
                muted += 1
            elif action == _META:
                found.metas.append(element)
            elif action == _LINK:
                found.head_links.append(element)
            elif action == _TITLE:
                if not found.title and not blocks:
                    found.title = "".join(element.itertext())
                events.skip_subtree()
                continue
            elif action == _AREA:
                href = element.get("href")
                if href is not None:
                    if buffer:
                        flush()
                    at = len(chunks)
                    links.append(RawLink(element, "area", href, block, at, at, heading, None, map_name))
            elif action == _MAP:
                map_name = element.get("name") or element.get("id") or ""
            elif action in (_FRAME, _IFRAME):
                found.has_frames |= action == _FRAME
                if src := element.get("src"):
                    if buffer:
                        flush()
                    at = len(chunks)
                    links.append(
                        RawLink(element, "frame" if action == _FRAME else "iframe", src, block, at, at, heading)
                    )
                events.skip_subtree()
                continue
            elif action == _BASE:
                if not found.base:
                    found.base = element.get("href") or ""
            elif action == _MEDIA:
                found.media += 1
            text = element.text
            if text and not muted:
                buffer.append(text)
        else:
            depth -= 1
            if action is not None and action in _ENDED:
                if action <= _HEADING:
                    if buffer:
                        flush()
                    block = blocks[block].parent
                    if action == _HEADING:
                        first, end, tag = headings[-1]
                        if end < 0:
                            headings[-1] = (first, len(chunks), tag)
                elif action == _A:
                    if open_links and open_links[-1].element is element:
                        if buffer:
                            flush()
                        open_links.pop().end = len(chunks)
                elif action == _BREAK:
                    buffer.append("\n")
                else:
                    muted -= 1
            text = element.tail
            if text and not muted:
                buffer.append(text)
            if elements > MAX_ELEMENTS:
                found.truncated = True
                break
    if buffer:
        flush()
    for link in open_links:
        link.end = len(chunks)
    found.headings = [(first, end if end >= 0 else len(chunks), tag) for first, end, tag in headings]
    found.depth = deepest
    return found
