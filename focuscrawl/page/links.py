"""Links of a page with their extended metadata (docs/formulas.md A.1, A.2), from the raw links of the walk."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from focuscrawl.page.build import builder
from focuscrawl.page.message_links import MessageLinks
from focuscrawl.page.metadata import FIELD_CHARS, Metadata, collapse, collapse_span
from focuscrawl.page.model import REFRESH, Link
from focuscrawl.page.paths import PathMemo
from focuscrawl.page.places import Places
from focuscrawl.page.texts import Texts, UrlMemory
from focuscrawl.page.tree import Element
from focuscrawl.page.urls import UrlJoiner, host_of, url_key, url_words
from focuscrawl.page.walk import RawLink, raw_link

# Links of one page to one URL beyond so many add nothing but work.
_MAX_MERGED = 8
# Links of the head (translations) that come before those of the body: one in so many of all that may be kept.
_OF_HEAD = 10
_STRING_LITERAL = re.compile(r"'([^']*)'|\"([^\"]*)\"")
Preference = Callable[[Sequence[str]], Sequence[float]]
"""Gives for texts and addresses of links a number each, higher for those to be kept of too many."""
_NO_REL: frozenset[str] = frozenset()
_link = builder(Link)


@dataclass(slots=True)
class _Fields:
    """Text fields of a raw link; numbers are those of texts to be segmented, -1 for none."""

    image_text: str = ""
    area_text: str = ""
    frame_text: str = ""
    title: str = ""
    name: str = ""
    onmouseover: str = ""
    src: str = ""
    rel: frozenset[str] = _NO_REL
    other_text: int = -1  # image, area and frame text
    title_text: int = -1
    extra_words: int = -1


_PLAIN = _Fields()


class LinkCollector:
    """Resolves and merges raw links before segmentation, and builds the links after it."""

    def __init__(
        self,
        page_url: str,
        join: UrlJoiner,
        texts: Texts,
        memo: UrlMemory,
        *,
        messages: MessageLinks,
        max_links: int,
        prefer: Preference | None = None,
    ) -> None:
        self._page_url = page_url
        self._messages = messages
        self._prefer = prefer
        self._join = join
        self._texts = texts
        self._memo = memo
        self._max_links = max_links
        self._targets: dict[str, list[tuple[RawLink, _Fields]]] = {}
        self._counts: dict[str, int] = {}  # of URLs with more than one link
        self._words: dict[str, int] = {}  # text numbers of the words of URLs not seen before
        self._refused: set[str] = set()
        self._beyond: set[str] = set()
        self.is_discussion = False
        """A link to the page itself says that it is a discussion of another page (``rel=discussion``)."""

    @property
    def dropped(self) -> int:
        """Number of distinct hrefs that gave no link."""
        return len(self._refused) + len(self._beyond)

    @property
    def count(self) -> int:
        """Number of links."""
        return len(self._targets)

    def collect(self, metadata: Metadata, raw_links: Sequence[RawLink], chars: Sequence[int]) -> None:
        """Take up the links of the head and of the body, in document order; those of a long head come last.

        `chars` has the characters of each chunk that are no white space.
        """
        path_of = PathMemo(()).of
        # A long way up from each of thousands of nested elements takes the square of their number.
        most, first = self._max_links, 1 + self._max_links // _OF_HEAD
        head = [
            (raw_link(element, href, -1, -1, -1, path_of, _depth(element)), rel)
            for element, href, rel in metadata.links[:most]
        ]
        self._beyond.update(href for _, href, _ in metadata.links[most:])
        for raw, rel in head[:first]:
            self._add(raw, rel)
        for element, target in metadata.refreshes[:most]:
            self._add(raw_link(element, target, -1, -1, -1, path_of, _depth(element)), _NO_REL)
        wanted = self._preferred(raw_links, chars)
        for raw in raw_links:
            if wanted is None or raw.href in wanted:
                self._add(raw, None)
            else:
                self._beyond.add(raw.href)
        for raw, rel in head[first:]:
            self._add(raw, rel)

    def _preferred(self, raw_links: Sequence[RawLink], chars: Sequence[int]) -> set[str] | None:
        """Return the hrefs to be kept of a page with too many links, the best first and the first of equals.

        None for all: where there are no more than may be kept, or nobody said which are better.
        """
        if self._prefer is None or len(raw_links) <= self._max_links:
            return None
        chunks = self._texts.texts
        texts = (collapse_span(chunks, raw.start, raw.end, chars) for raw in raw_links)
        values = self._prefer([f"{text} {raw.href}" for text, raw in zip(texts, raw_links, strict=True)])
        wanted: set[str] = set()
        urls = set(self._targets)
        for at in sorted(range(len(raw_links)), key=lambda at: -values[at]):
            if len(urls) >= self._max_links:
                break
            href = raw_links[at].href
            url = self._join(href) if href not in wanted else None
            if url is not None and url != self._page_url:
                urls.add(url)
                wanted.add(href)
        return wanted

    def build(
        self, tokens: Sequence[list[str]], places: Places, headings: Sequence[str], *, nofollow: bool
    ) -> tuple[Link, ...]:
        """Return the links; `tokens` are those of the texts, `headings` the text of each heading or the one above."""
        memo, words, counts = self._memo, self._words, self._counts
        count = len(self._targets)
        links = []
        for position, (url, raws) in enumerate(self._targets.items()):
            raw, fields = raws[0]
            facts = memo.get(url)
            if facts is None:
                number = words.get(url, -1)
                url_tokens = tuple(tokens[number]) if number >= 0 else ()
                facts = memo[url] = (url_key(url), host_of(url), url_tokens)
            anchor, anchor_tokens = places.anchor(raw)
            if len(raws) == 1:
                surrounding = places.surrounding(raw)
                other = tuple(tokens[fields.other_text]) if fields.other_text >= 0 else ()
                title_tokens = tuple(tokens[fields.title_text]) if fields.title_text >= 0 else ()
                extra = tuple(tokens[fields.extra_words]) if fields.extra_words >= 0 else ()
                blocked = "nofollow" in fields.rel
                multiplicity, tag = 1, raw.tag
            else:
                raw, fields, anchor, anchor_tokens, surrounding, other, title_tokens, extra, blocked = self._merge(
                    raws, tokens, places
                )
                multiplicity = counts[url]
                # "Click here if nothing happens": where the page sends its visitors, it is no choice of theirs.
                tag = REFRESH if any(one.tag == REFRESH for one, _ in raws) else raw.tag
            dom_path, dom_sig = raw.paths
            links.append(
                _link(
                    url,
                    facts[0],
                    facts[1],
                    tag,
                    anchor,
                    fields.image_text,
                    fields.area_text,
                    fields.frame_text,
                    fields.title,
                    fields.name,
                    fields.onmouseover,
                    fields.src,
                    fields.rel,
                    headings[raw.heading] if raw.heading >= 0 else "",
                    anchor_tokens,
                    anchor_tokens + other if other else anchor_tokens,
                    surrounding,
                    title_tokens,
                    extra,
                    facts[2],
                    dom_path,
                    dom_sig,
                    places.block(raw),
                    position,
                    count,
                    multiplicity,
                    nofollow or blocked,
                )
            )
        return tuple(links)

    @staticmethod
    def _merge(
        raws: Sequence[tuple[RawLink, _Fields]], tokens: Sequence[list[str]], places: Places
    ) -> tuple[RawLink, _Fields, str, Words, Words, Words, Words, Words, bool]:
        # Declared in the head as well as in the body: the body says where the link stands.
        stands = next((raw for raw, _ in raws if raw.start >= 0), raws[0][0])
        merged = _PLAIN
        anchor = ""
        anchor_tokens: Words = ()
        surrounding: Words = ()
        other: Words = ()
        title_tokens: Words = ()
        extra: Words = ()
        blocked = True
        for raw, fields in raws:
            text, words = places.anchor(raw)
            anchor, anchor_tokens = _union(anchor, text), _joined(anchor_tokens, words)
            surrounding = _joined(surrounding, places.surrounding(raw))
            if fields.other_text >= 0:
                other = _joined(other, tuple(tokens[fields.other_text]))
            if fields.title_text >= 0:
                title_tokens = _joined(title_tokens, tuple(tokens[fields.title_text]))
            if fields.extra_words >= 0:
                extra = _joined(extra, tuple(tokens[fields.extra_words]))
            if fields is not _PLAIN:
                merged = _merged(merged, fields)
            blocked &= "nofollow" in fields.rel  # one way that may be followed is enough
        return stands, merged, anchor, anchor_tokens, surrounding, other, title_tokens, extra, blocked

    def _add(self, raw: RawLink, rel: frozenset[str] | None) -> None:
        href = raw.href
        if href[:1] == "#":
            return
        full = len(self._targets) >= self._max_links
        if full and href in self._beyond:
            return
        url = self._join(href)
        if url is None:
            if href.strip():
                self._refused.add(href[:FIELD_CHARS])
            return
        if "#" in href and self._messages.take(href, url):
            return
        if url == self._page_url:
            self.is_discussion |= "discussion" in (rel or (dict(raw.attributes).get("rel") or "").lower().split())
            return
        raws = self._targets.get(url)
        if raws is not None:
            self._counts[url] = self._counts.get(url, 1) + 1
            if len(raws) < _MAX_MERGED:
                raws.append((raw, self._fields(raw, rel)))
            return
        if full:
            self._beyond.add(href)
            return
        self._targets[url] = [(raw, self._fields(raw, rel))]
        if url not in self._memo:
            self._words[url] = self._texts.add(url_words(url))

    def _fields(self, raw: RawLink, rel: frozenset[str] | None) -> _Fields:
        tag = raw.tag
        if not raw.attributes and raw.images is None:
            return _PLAIN
        get = dict(raw.attributes).get
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
            elif raw.images is not None:
                alts = [image.get("alt") or image.get("title") or "" for image in raw.images]
                image_text = collapse(" ".join(alts))
                src = _source(raw.images[0])
            if tag == "a" and not image_text and (label := get("aria-label")) and not self._shows_text(raw):
                image_text = collapse(label)
        elif tag == "frame" or tag == "iframe":
            frame_text = collapse(title or get("longdesc"))
            title = None
        elif tag == "img":
            image_text = collapse(get("alt"))
            src = collapse(" ".join(filter(None, (get("dynsrc"), get("lowsrc")))))
        elif tag == "meta":
            name = None
        title = collapse(title)
        name = collapse(name)
        other = image_text or area_text or frame_text
        add = self._texts.add
        return _Fields(
            image_text,
            area_text,
            frame_text,
            title,
            name,
            onmouseover,
            src,
            rel,
            add(other),
            add(f"{title} {name}" if title and name else title or name),
            add(f"{url_words(onmouseover)} {url_words(src)}".strip()) if onmouseover or src else -1,
        )

    def _shows_text(self, raw: RawLink) -> bool:
        return any(text.strip() for text in self._texts.texts[raw.start : raw.end])


Words = tuple[str, ...]


def _depth(element: Element) -> int:
    return 1 + sum(1 for _ in element.iterancestors())


def _source(image: Element) -> str:
    src = image.get("src") or ""
    return "" if src[:5].lower() == "data:" else collapse(src)


def _union(one: str, two: str) -> str:
    if not two or two in one:
        return one
    return collapse(f"{one} {two}") if one else two


def _joined(one: Words, two: Words) -> Words:
    if not two or one[-len(two) :] == two or one[: len(two)] == two:
        return one
    return (one + two)[:FIELD_CHARS] if one else two


def _merged(one: _Fields, two: _Fields) -> _Fields:
    return _Fields(
        _union(one.image_text, two.image_text),
        _union(one.area_text, two.area_text),
        _union(one.frame_text, two.frame_text),
        _union(one.title, two.title),
        _union(one.name, two.name),
        _union(one.onmouseover, two.onmouseover),
        _union(one.src, two.src),
        one.rel | two.rel,
    )
