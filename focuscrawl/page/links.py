"""Links of a page with their extended metadata (algorithms A.1, A.2), from the raw links of the walk."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from focuscrawl.page.metadata import FIELD_CHARS, Metadata, collapse
from focuscrawl.page.model import Link
from focuscrawl.page.tree import Element
from focuscrawl.page.urls import UrlJoiner, host_of, url_key, url_words
from focuscrawl.page.walk import RawLink, Walked

SURROUNDING_TOKENS = 20  # W of algorithms A.2, on each side
# Links of one page to one URL beyond so many add nothing but work.
_MAX_MERGED = 8
_STRING_LITERAL = re.compile(r"'([^']*)'|\"([^\"]*)\"")
_NO_REL: frozenset[str] = frozenset()

Path = tuple[str, ...]


@dataclass(slots=True)
class _Target:
    """A URL that the page links to, with all its raw links."""

    url: str
    words: int  # text number of the URL's words
    count: int = 0
    raws: list[_Fields] = field(default_factory=list)


@dataclass(slots=True)
class _Fields:
    """One raw link with its text fields; numbers are those of texts to be segmented, -1 for none."""

    raw: RawLink
    image_text: str
    area_text: str
    frame_text: str
    title: str
    name: str
    onmouseover: str
    src: str
    rel: frozenset[str]
    other_text: int  # image, area and frame text
    title_text: int
    extra_words: int


class Texts:
    """Texts to be segmented in one call; equal texts are segmented once."""

    __slots__ = ("_numbers", "texts")

    def __init__(self, chunks: list[str]) -> None:
        self.texts = chunks.copy()
        self._numbers: dict[str, int] = {}

    def add(self, text: str) -> int:
        """Return the number of `text`, -1 for an empty one."""
        if not text:
            return -1
        number = self._numbers.get(text)
        if number is None:
            number = self._numbers[text] = len(self.texts)
            self.texts.append(text)
        return number


class LinkCollector:
    """Resolves and merges raw links before segmentation, and builds the links after it."""

    def __init__(self, page_url: str, join: UrlJoiner, texts: Texts, *, max_links: int, hashbang: bool) -> None:
        self._page_url = page_url
        self._join = join
        self._texts = texts
        self._max_links = max_links
        self._hashbang = hashbang
        self._targets: dict[str, _Target] = {}
        self._refused: set[str] = set()
        self._beyond: set[str] = set()

    @property
    def dropped(self) -> int:
        """Number of distinct hrefs that gave no link."""
        return len(self._refused) + len(self._beyond)

    @property
    def count(self) -> int:
        """Number of links."""
        return len(self._targets)

    def collect(self, metadata: Metadata, raw_links: Sequence[RawLink]) -> None:
        """Take up the links of the head and of the body, in document order."""
        for element, href, rel in metadata.links:
            self._add(RawLink(element, "link", href, -1, -1, -1), rel)
        for element, target in metadata.refreshes:
            self._add(RawLink(element, "meta", target, -1, -1, -1), _NO_REL)
        for raw in raw_links:
            self._add(raw, None)

    def build(
        self,
        walked: Walked,
        tokens: Sequence[list[str]],
        places: Places,
        headings: Sequence[str],
        *,
        nofollow: bool,
    ) -> tuple[Link, ...]:
        """Return the links; `tokens` are those of the texts, `headings` the text of each heading or the one above."""
        paths = _Paths()
        count = len(self._targets)
        links = []
        for position, target in enumerate(self._targets.values()):
            first = target.raws[0]
            raw = first.raw
            if raw.start < 0 and len(target.raws) > 1:  # declared in the head; the body says where it stands
                raw = next((other.raw for other in target.raws if other.raw.start >= 0), raw)
            element = raw.element
            dom_path, dom_sig = paths.of(element)
            heading = headings[raw.heading] if raw.heading >= 0 else ""
            anchor, anchor_tokens = _anchor(first.raw, walked, tokens)
            surrounding = places.surrounding(first.raw, tokens)
            other = tokens[first.other_text] if first.other_text >= 0 else []
            title_tokens = tokens[first.title_text] if first.title_text >= 0 else []
            extra = tokens[first.extra_words] if first.extra_words >= 0 else []
            fields = first
            blocked = "nofollow" in first.rel
            if len(target.raws) > 1:
                for fields_2 in target.raws[1:]:
                    anchor_2, anchor_tokens_2 = _anchor(fields_2.raw, walked, tokens)
                    anchor, anchor_tokens = _union(anchor, anchor_2), _joined(anchor_tokens, anchor_tokens_2)
                    surrounding = _joined(surrounding, places.surrounding(fields_2.raw, tokens))
                    other = _joined(other, tokens[fields_2.other_text] if fields_2.other_text >= 0 else [])
                    title_tokens = _joined(
                        title_tokens, tokens[fields_2.title_text] if fields_2.title_text >= 0 else []
                    )
                    extra = _joined(extra, tokens[fields_2.extra_words] if fields_2.extra_words >= 0 else [])
                    fields = _merged(fields, fields_2)
                    blocked &= "nofollow" in fields_2.rel  # one way that may be followed is enough
            own = tuple(anchor_tokens)
            url = target.url
            links.append(
                Link(
                    url,
                    url_key(url),
                    host_of(url),
                    raw.tag,
                    anchor,
                    fields.image_text,
                    fields.area_text,
                    fields.frame_text,
                    fields.title,
                    fields.name,
                    fields.onmouseover,
                    fields.src,
                    fields.rel,
                    heading,
                    own,
                    (*own, *other) if other else own,
                    tuple(surrounding),
                    tuple(title_tokens),
                    tuple(extra),
                    tuple(tokens[target.words]) if target.words >= 0 else (),
                    dom_path,
                    dom_sig,
                    places.block(raw),
                    position,
                    count,
                    target.count,
                    nofollow or blocked,
                )
            )
        return tuple(links)

    def _add(self, raw: RawLink, rel: frozenset[str] | None) -> None:
        href = raw.href
        if href.startswith("#") and not (self._hashbang and href.startswith("#!")):
            return
        if len(self._targets) >= self._max_links and href in self._beyond:
            return
        url = self._join(href)
        if url is None:
            if href.strip():
                self._refused.add(href[:FIELD_CHARS])
            return
        if url == self._page_url:
            return
        target = self._targets.get(url)
        if target is None:
            if len(self._targets) >= self._max_links:
                self._beyond.add(href)
                return
            target = self._targets[url] = _Target(url, self._texts.add(url_words(url)))
        target.count += 1
        if target.count <= _MAX_MERGED:
            target.raws.append(self._fields(raw, rel))

    def _fields(self, raw: RawLink, rel: frozenset[str] | None) -> _Fields:
        get = raw.element.get
        tag = raw.tag
        title = get("title")
        name = get("name")
        image_text = area_text = frame_text = onmouseover = src = ""
        if rel is None:
            rel_text = get("rel")
            rel = frozenset(rel_text.lower().split()) if rel_text else _NO_REL
        if tag == "a" or tag == "area":
            if handler := get("onmouseover"):
                onmouseover = collapse(" ".join(one or two for one, two in _STRING_LITERAL.findall(handler)))
            if tag == "area":
                area_text = collapse(get("alt") or raw.map_name)
            elif raw.images:
                alts = [image.get("alt") or image.get("title") or "" for image in raw.images]
                image_text = collapse(" ".join(alts))
                src = _source(raw.images[0])
        elif tag == "frame" or tag == "iframe":
            frame_text = collapse(title or get("longdesc"))
            title = None
        elif tag == "img":
            image_text = collapse(get("alt"))
            src = collapse(" ".join(filter(None, (get("dynsrc"), get("lowsrc")))))
        elif tag == "meta":
            name = None
        title_field = collapse(title)
        name_field = collapse(name)
        other = image_text or area_text or frame_text
        add = self._texts.add
        return _Fields(
            raw,
            image_text,
            area_text,
            frame_text,
            title_field,
            name_field,
            onmouseover,
            src,
            rel,
            add(other) if other else -1,
            add(f"{title_field} {name_field}".strip()) if title_field or name_field else -1,
            add(f"{url_words(onmouseover)} {url_words(src)}".strip()) if onmouseover or src else -1,
        )


class Places:
    """Where chunks stand in the token lists of their blocks, so that surroundings are slices of these."""

    __slots__ = ("_all", "_block_tokens", "_chunk_blocks", "_index", "_starts")

    def __init__(
        self,
        all_tokens: Sequence[str],
        block_tokens: Sequence[Sequence[str]],
        index: Sequence[int],
        chunk_blocks: Sequence[int],
        starts: Sequence[tuple[int, int]],
    ) -> None:
        self._all = all_tokens
        self._block_tokens = block_tokens
        self._index = index
        self._chunk_blocks = chunk_blocks
        self._starts = starts

    def block(self, raw: RawLink) -> int:
        """Return the innermost block of a link, -1 for none."""
        return self._index[raw.block] if raw.block >= 0 else -1

    def surrounding(self, raw: RawLink, tokens: Sequence[list[str]]) -> list[str]:
        """Return up to 20 tokens before and after the link in its block, in the body for a link outside all."""
        start, end = raw.start, raw.end
        if start < 0:
            return []
        block = self._index[raw.block] if raw.block >= 0 else -1
        first = after = 0
        text: Sequence[str]
        if block >= 0:
            text = self._block_tokens[block]
            if not text:
                return []
            # The place of a link without own text in this block is that of the next chunk of the block.
            first = self._starts[start][1] if self._is_in(start, block) else self._place(start, block)
            after = first + sum(len(tokens[at]) for at in range(start, end) if self._is_in(at, block))
        else:
            text = self._all
            first = self._starts[start][0] if start < len(self._starts) else len(text)
            after = first + sum(len(tokens[at]) for at in range(start, end))
        if first == 0 and after >= len(text):
            return []
        return [*text[max(0, first - SURROUNDING_TOKENS) : first], *text[after : after + SURROUNDING_TOKENS]]

    def _is_in(self, chunk: int, block: int) -> bool:
        blocks = self._chunk_blocks
        return chunk < len(blocks) and blocks[chunk] >= 0 and self._index[blocks[chunk]] == block

    def _place(self, chunk: int, block: int) -> int:
        # Chunks of one block stand close together, so the search is short; its limit bounds the odd page.
        for at in range(chunk, min(len(self._starts), chunk + 50)):
            if self._is_in(at, block):
                return self._starts[at][1]
        return len(self._block_tokens[block])


class _Paths:
    """Tag paths of elements; what siblings share is made once."""

    __slots__ = ("_known",)

    def __init__(self) -> None:
        self._known: dict[Element, tuple[Path, Path]] = {}

    def of(self, element: Element) -> tuple[Path, Path]:
        """Return the tag names from the root to `element`, plain and with ids and classes."""
        known = self._known
        missing = []
        up = element
        paths = None
        while up is not None and (paths := known.get(up)) is None:
            missing.append(up)
            up = up.getparent()
        path, signature = paths if paths is not None else ((), ())
        for step in reversed(missing):
            tag = step.tag
            sign = tag
            if identity := step.get("id"):
                sign = f"{sign}#{identity.strip()[:64]}"
            if names := step.get("class"):
                sign = ".".join([sign, *names.split()[:8]])[:200]
            path, signature = (*path, tag), (*signature, sign)
            known[step] = path, signature
        return path, signature


def _anchor(raw: RawLink, walked: Walked, tokens: Sequence[list[str]]) -> tuple[str, list[str]]:
    start, end = raw.start, raw.end
    count = end - start
    if count == 1:
        return collapse(walked.chunks[start]), tokens[start]
    if count <= 0:
        return "", []
    text, words = "", []
    for at in range(start, end):
        if len(text) > FIELD_CHARS:
            break
        text += walked.chunks[at] + " "
        words += tokens[at]
    return collapse(text), words


def _source(image: Element) -> str:
    src = image.get("src") or ""
    return "" if src[:5].lower() == "data:" else collapse(src)


def _union(one: str, two: str) -> str:
    if not two or two in one:
        return one
    return collapse(f"{one} {two}") if one else two


def _joined(one: list[str], two: list[str]) -> list[str]:
    if not two or one == two or one[-len(two) :] == two:
        return one
    return (one + two)[:FIELD_CHARS] if one else two


def _merged(one: _Fields, two: _Fields) -> _Fields:
    return _Fields(
        one.raw,
        _union(one.image_text, two.image_text),
        _union(one.area_text, two.area_text),
        _union(one.frame_text, two.frame_text),
        _union(one.title, two.title),
        _union(one.name, two.name),
        _union(one.onmouseover, two.onmouseover),
        _union(one.src, two.src),
        one.rel | two.rel,
        one.other_text,
        one.title_text,
        one.extra_words,
    )
