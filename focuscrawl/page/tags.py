"""Tags and categories of a page: its author's own word on it, told from links to other pages."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from itertools import chain

from focuscrawl.page.model import Block, Link, PageAnalysis

TAG_LINKS = 8
"""A longer list with ``rel=tag`` is the cloud of all tags."""
_MOST_WORDS = 64
"""Of the tags in one block, eight of eight words."""
_TAG_RELS = frozenset({"tag", "category"})
CATEGORY_FOLDER = "categor(?:y|ies)|%e5%88%86%e7%b1%bb|分类"
TAG_FOLDER = "tags?|%e6%a0%87%e7%ad%be|标签"
"""Patterns of the folders of an address below which sites have the pages of their categories and tags."""
_TAG_PAGE = re.compile(rf"/(?:{TAG_FOLDER}|{CATEGORY_FOLDER}|labels?|topics?)(?:/|$)|[?&](?:cat|tag)=", re.I)


def is_marked(link: Link) -> bool:
    """Tell whether a link is marked as a tag."""
    return bool(link.rel) and not _TAG_RELS.isdisjoint(link.rel)


def is_tag(link: Link) -> bool:
    """Tell whether a link is marked as a tag or leads to the page of one."""
    return is_marked(link) or leads_to_tag(link.url)


@lru_cache(maxsize=8_192)
def leads_to_tag(url: str) -> bool:
    """Tell whether an address is that of a tag or a category."""
    return _TAG_PAGE.search(url) is not None


def tag_words(page: PageAnalysis) -> tuple[str, ...]:
    """Return the words of a page's own tags and categories, in order.

    They stand in blocks of the page's own (`focuscrawl.page.site`) whose links are nothing but tags. On the first pages
    of a host, where nothing else tells the cloud of all tags, there are none when there are more than an author gives.
    """
    of_tags = [link for link in page.links if is_tag(link)]
    if not of_tags or (len(of_tags) > 2 * TAG_LINKS and not page.site_wide.known):
        return ()
    names = frozenset(chain.from_iterable([link.anchor_tokens for link in of_tags]))
    others = {link.block for link in page.links if not is_tag(link)} | page.site_wide.blocks
    found: list[str] = []
    for block in page.blocks:
        if len(block.tokens) > len(block.plain) and block.index not in others:
            linked = _linked_words(block)
            if len(linked) <= _MOST_WORDS and names.issuperset(linked):
                found += linked
    return tuple(found)


def _linked_words(block: Block) -> list[str]:
    plain = Counter(block.plain)
    linked = []
    for word in block.tokens:
        if plain[word] > 0:
            plain[word] -= 1
        else:
            linked.append(word)
    return linked
