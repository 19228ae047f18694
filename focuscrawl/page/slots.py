"""Slots: where the template of a site puts its texts and its lists of links.

A slot is a path of block elements and the size of the list of links that stands there. What is counted for a host are
texts in their slots (`focuscrawl.page.site`), so that a tag of a post is not taken for an entry of the menu, nor a
heading for a link to it. A menu is told from the tags of a post by what else stands in the slot, which does not depend
on which pages of the host a crawl has chosen:

- A list is the site's as a whole or not at all. Tags vary from post to post, so that a list of tags has some that few
  posts have, however common one of them is.
- A list of up to three links stands in its slot on nearly all pages, or it is one of several fillings of the slot. Of a
  hundred posts on food that a crawl has fetched, five with another category show that the slot holds a category.
- A short list that names what ``rel=tag`` marks, or up to three links to pages of tags and categories, is the
  author's word wherever it stands. A cloud, which names other tags beside those that are marked, is not,
  nor is a list with the number of pages behind each.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from focuscrawl.page.model import Block, Link, PageAnalysis
from focuscrawl.page.tags import TAG_LINKS, is_marked, leads_to_tag, lists_of_all, tag_links

FEW_LINKS = 3
"""A list of so many links may be the categories of a post; those of a menu are more."""
WHOLE = 0.75
"""Share of a list's links that are repeated when the list is: a menu that has grown is still the menu."""

_SHORT_TOKENS = 12
_LINK_TOKENS = 4
"""Tokens of a link in a line of links, at most, when it is not known how many links it has."""
_MOST_LINKS = 64
_GOLDEN, _WORD = 0x9E3779B97F4A7C15, (1 << 64) - 1
"""Multiplicative hashing (Knuth, The art of computer programming 3, 6.4)."""
_HEADINGS = frozenset({"h1", "h2", "h3"})
_DIGITS = re.compile(r"\d+")
_MASKED_CHARS = 500
"""Dated boilerplate is short; longer texts that differ in numbers only are different texts."""


class Slots:
    """Texts of a page's blocks and the slots they stand in, as fingerprints.

    Attributes
    ----------
    texts
        A fingerprint for each block, 0 for blocks without text.
    slots
        A fingerprint for each slot of the page.
    slot_of
        Number of the slot of each block.
    few
        Whether a block belongs to a list of up to `FEW_LINKS` links, shape (blocks,).
    """

    def __init__(self, page: PageAnalysis) -> None:
        blocks = page.blocks
        self._page = page
        self._sizes, self._lists = _lists(blocks, page.links)
        items = [place ^ _SIZE_ITEMS[size] for place, size in zip(_place_items(blocks), self._sizes, strict=True)]
        numbers = {item: number for number, item in enumerate(dict.fromkeys(items))}
        self.slots = list(numbers)
        self.slot_of = [numbers[item] for item in items]
        self.texts = [
            item ^ _block_item(block.tag, block.tokens) if block.tokens else 0
            for item, block in zip(items, blocks, strict=True)
        ]
        sizes = np.array(self._sizes, dtype=np.int64)
        self.few: NDArray[np.bool_] = (sizes > 0) & (sizes <= FEW_LINKS)

    def site_wide(self, repeated: NDArray[np.bool_]) -> frozenset[int]:
        """Return the blocks that are the site's, of those whose text fills its slot on most pages.

        Parameters
        ----------
        repeated
            Whether a block's text does, shape (blocks,).
        """
        wide = set(np.flatnonzero(repeated).tolist())
        for members in self._lists:
            common = wide.intersection(members)
            if common and len(common) < WHOLE * len(members):
                wide -= common
        short = [at for at in wide if 0 < self._sizes[at] <= TAG_LINKS]
        of_tags = tag_links(self._page) if short else []
        if of_tags:
            tags, sections = _evidence(of_tags)
            words = frozenset(chain.from_iterable([*tags, *sections]))
            lists = lists_of_all(self._page, of_tags)
            for at in short:
                if at in lists:
                    continue
                own = words.intersection(self._page.blocks[at].tokens)
                if own and any(name <= own for name in ([*tags, *sections] if self._sizes[at] <= FEW_LINKS else tags)):
                    wide.discard(at)
        return frozenset(wide)


def _evidence(of_tags: Sequence[Link]) -> tuple[list[frozenset[str]], list[frozenset[str]]]:
    """Return the words of the links that are marked as tags, and of those to pages of tags and categories."""
    marked = [link for link in of_tags if is_marked(link)]
    if len(marked) > 2 * TAG_LINKS:  # the site's cloud of all tags is marked, too
        marked = []
    leading = [link for link in of_tags if leads_to_tag(link.url)]
    tags, sections = [[frozenset(link.anchor_tokens) for link in links] for links in (marked, leading)]
    return [name for name in tags if name], [name for name in sections if name]


def fingerprint(kind: str, text: str, *, masked: bool = True) -> int:
    """Return a fingerprint of a text, never 0; numbers of short texts do not count when it is `masked`."""
    if masked and len(text) <= _MASKED_CHARS:
        text = _DIGITS.sub("0", text)
    data = f"{kind} {text}".encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(data, digest_size=8).digest(), "big") or 1


_SIZE_ITEMS = [fingerprint("size", str(size.bit_length())) for size in range(_MOST_LINKS + 1)]
"""Of a list by its links: 0, 1, 2–3, 4–7, …; all from 64 on are one."""


def _lists(blocks: Sequence[Block], links: Sequence[Link]) -> tuple[list[int], list[list[int]]]:
    """Return for each block how many links its list has, 0 outside lists, and the blocks of each list of several."""
    sizes = [0] * len(blocks)
    lists: list[list[int]] = []
    siblings: dict[tuple[int, str], list[int]] = {}
    for block in blocks:
        if block.link_chars and block.tokens:
            siblings.setdefault((block.parent, block.tag), []).append(block.index)
    counts = Counter([link.block for link in links])
    for members in siblings.values():
        if len(members) == 1:
            block = blocks[members[0]]
            # A link that stood on the page before is not counted here, so its words are.
            by_words = -(-(len(block.tokens) - len(block.plain)) // _LINK_TOKENS)
            sizes[block.index] = min(max(1, counts[block.index], by_words), _MOST_LINKS)
        else:
            lists.append(members)
            for at in members:
                sizes[at] = min(len(members), _MOST_LINKS)
    largest: list[int] = []
    for at, block in enumerate(blocks):
        # An entry of a menu has a menu of its own below it, which is no shorter than the whole.
        above = largest[block.parent] if block.parent >= 0 else 0
        size = sizes[at]
        if size > above:
            above = size
        elif size:
            sizes[at] = above
        largest.append(above)
    return sizes, lists


def _place_items(blocks: Sequence[Block]) -> list[int]:
    """Return a fingerprint of each block's path of block elements."""
    items: list[int] = []
    for block in blocks:
        items.append(_place_item(items[block.parent] if block.parent >= 0 else 0, block.tag))
    return items


@lru_cache(maxsize=8_192)
def _place_item(above: int, tag: str) -> int:
    mixed = (above ^ _tag_item(tag)) * _GOLDEN & _WORD
    return mixed ^ mixed >> 32


@lru_cache(maxsize=256)
def _tag_item(tag: str) -> int:
    return fingerprint("tag", tag)


def _block_item(tag: str, tokens: tuple[str, ...]) -> int:
    # The number in a heading is what tells a page of a series from the others, as in a title.
    if tag in _HEADINGS:
        return _heading_item(tokens)
    # A paragraph hardly ever comes again: to look it up costs what it saves, and to keep it takes memory.
    return _text_item(tokens) if len(tokens) <= _SHORT_TOKENS else fingerprint("block", " ".join(tokens))


@lru_cache(maxsize=8_192)
def _text_item(tokens: tuple[str, ...]) -> int:
    return fingerprint("block", " ".join(tokens))


@lru_cache(maxsize=2_000)
def _heading_item(tokens: tuple[str, ...]) -> int:
    return fingerprint("heading", " ".join(tokens), masked=False)
