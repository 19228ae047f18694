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
  author's word wherever it stands.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from focuscrawl.page.model import Block, Link, PageAnalysis

FEW_LINKS = 3
"""A list of so many links may be the categories of a post; those of a menu are more."""
TAG_LINKS = 8
"""A longer list with ``rel=tag`` is the cloud of all tags."""
WHOLE = 0.75
"""Share of a list's links that are repeated when the list is: a menu that has grown is still the menu."""

_LINK_TOKENS = 4
"""Tokens of a link in a line of links, at most, when it is not known how many links it has."""
_SIZES = 64
_TAG_RELS = frozenset({"tag", "category"})
_TAG_PAGE = re.compile(
    r"/(?:tags?|categor(?:y|ies)|labels?|topics?|%e6%a0%87%e7%ad%be|%e5%88%86%e7%b1%bb)(?:/|$)|[?&](?:cat|tag)=", re.I
)
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
        self._blocks = blocks
        self._links = page.links
        self._sizes, self._lists = _lists(blocks, page.links)
        places = _places(blocks)
        numbers: dict[tuple[int, int], int] = {}
        self.slot_of = [
            numbers.setdefault((place, min(size, _SIZES).bit_length()), len(numbers))
            for place, size in zip(places, self._sizes, strict=True)
        ]
        self.slots = [_slot_item(place, size) for place, size in numbers]
        self.texts = [
            _block_item(self.slots[slot], block.tag in _HEADINGS, block.tokens) if block.tokens else 0
            for slot, block in zip(self.slot_of, blocks, strict=True)
        ]
        self.few: NDArray[np.bool_] = np.array([0 < size <= FEW_LINKS for size in self._sizes], dtype=np.bool_)

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
        if short:
            marked = [link for link in self._links if link.anchor_tokens and not _TAG_RELS.isdisjoint(link.rel)]
            # All tags of the site are marked so in its cloud of tags.
            tags = _words(marked) if len(marked) <= 2 * TAG_LINKS else []
            sections = _words([link for link in self._links if link.anchor_tokens and _leads_to_tag(link.url)])
            for at in short:
                words = set(self._blocks[at].tokens)
                evidence = [*tags, *sections] if self._sizes[at] <= FEW_LINKS else tags
                if any(name <= words for name in evidence):
                    wide.discard(at)
        return frozenset(wide)


def fingerprint(kind: str, text: str, *, masked: bool = True) -> int:
    """Return a fingerprint of a text, never 0; numbers of short texts do not count when it is `masked`."""
    if masked and len(text) <= _MASKED_CHARS:
        text = _DIGITS.sub("0", text)
    data = f"{kind} {text}".encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(data, digest_size=8).digest(), "big") or 1


def _lists(blocks: Sequence[Block], links: Sequence[Link]) -> tuple[list[int], list[list[int]]]:
    """Return for each block how many links its list has, 0 outside lists, and the blocks of each list of several."""
    siblings: dict[tuple[int, str], list[int]] = {}
    for block in blocks:
        if block.link_chars and block.tokens:
            siblings.setdefault((block.parent, block.tag), []).append(block.index)
    counts: dict[int, int] = {}
    for link in links:
        counts[link.block] = counts.get(link.block, 0) + 1
    sizes = [0] * len(blocks)
    lists: list[list[int]] = []
    for members in siblings.values():
        if len(members) == 1:
            block = blocks[members[0]]
            # A link that stood on the page before is not counted here, so its words are.
            by_words = -(-(len(block.tokens) - len(block.plain)) // _LINK_TOKENS)
            sizes[block.index] = max(1, counts.get(block.index, 0), by_words)
        else:
            lists.append(members)
            for at in members:
                sizes[at] = len(members)
    largest: list[int] = []
    for block in blocks:
        # An entry of a menu has a menu of its own below it, which is no shorter than the whole.
        above = largest[block.parent] if block.parent >= 0 else 0
        largest.append(max(above, sizes[block.index]))
        if sizes[block.index]:
            sizes[block.index] = largest[-1]
    return sizes, lists


def _places(blocks: Sequence[Block]) -> list[int]:
    """Return for each block a number that stands for its path of block elements, the same on all pages."""
    of: list[int] = []
    for block in blocks:
        of.append(_place_item(of[block.parent] if block.parent >= 0 else 0, block.tag))
    return of


def _words(links: Sequence[Link]) -> list[frozenset[str]]:
    return [frozenset(link.anchor_tokens) for link in links]


@lru_cache(maxsize=20_000)
def _leads_to_tag(url: str) -> bool:
    return _TAG_PAGE.search(url) is not None


@lru_cache(maxsize=20_000)
def _place_item(above: int, tag: str) -> int:
    return fingerprint("place", f"{above:x} {tag}", masked=False)


@lru_cache(maxsize=20_000)
def _slot_item(place: int, size: int) -> int:
    return fingerprint("slot", f"{place:x} {size}", masked=False)


@lru_cache(maxsize=20_000)
def _block_item(slot: int, is_heading: bool, tokens: tuple[str, ...]) -> int:
    # The number in a heading is what tells a page of a series from the others, as in a title.
    return fingerprint(f"block {slot:x}", " ".join(tokens), masked=not is_heading)
