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
_LEAST_COUNTED = 3  # "Python 3" and "Vue 3" are names
_LEAST_ITEMS = 2
_LEAST_UNMARKED = 3  # some themes mark the first of a post's tags, or its category only
_YEAR_DIGITS = 4
_TAG_RELS = frozenset({"tag", "category"})
CATEGORY_FOLDER = "categor(?:y|ies)|%e5%88%86%e7%b1%bb|分类"
TAG_FOLDER = "tags?|%e6%a0%87%e7%ad%be|标签"
"""Patterns of the folders of an address below which sites have the pages of their categories and tags."""
CATEGORY_PREFIX = "(?:category|%e5%88%86%e7%b1%bb|%e5%88%86%e9%a1%9e|分类|分類)(?::|%3a)"
"""Pattern of what begins the names of a wiki's categories: /wiki/Category:Locks."""
_TAG_PAGE = re.compile(
    rf"/(?:{TAG_FOLDER}|{CATEGORY_FOLDER}|labels?|topics?)(?:/|$)|[?&](?:cat|tag)=|(?:/|[?&]title=){CATEGORY_PREFIX}",
    re.I,
)


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
    Tags with the number of their pages ("Travel 10") are a list of all tags of the site, and so is a tag cloud.
    """
    of_tags = tag_links(page)
    lists = lists_of_all(page, of_tags)
    of_tags = [link for link in of_tags if link.block not in lists]
    if not of_tags or (len(of_tags) > 2 * TAG_LINKS and not page.site_wide.known):
        return ()
    names = frozenset(chain.from_iterable([link.anchor_tokens for link in of_tags]))
    others = {link.block for link in page.links if not is_tag(link)} | page.site_wide.blocks | lists
    found: list[str] = []
    for block in page.blocks:
        if len(block.tokens) > len(block.plain) and block.index not in others:
            linked = _linked_words(block)
            if len(linked) <= _MOST_WORDS and names.issuperset(linked):
                found += linked
    return tuple(found)


def tag_links(page: PageAnalysis) -> list[Link]:
    """Return the links of a page that are tags, its own and those of its site."""
    return [link for link in page.links if is_tag(link)]


def lists_of_all(page: PageAnalysis, of_tags: list[Link]) -> set[int]:
    """Return the blocks that list the tags or categories of the site, given the page's links to tags."""
    if not of_tags:
        return set()
    return _blocks_with_counts(of_tags) | _items_with_counts(page, of_tags) | _clouds(page, of_tags)


def _clouds(page: PageAnalysis, links: list[Link]) -> set[int]:
    """Return the blocks that name a tag which the page marks as its own, and three or more that it does not mark.

    The cloud in the side bar of a small site has hardly more tags than a post.
    """
    unmarked = Counter([link.block for link in links if not is_marked(link)])
    lists = [at for at, count in unmarked.items() if at >= 0 and count >= _LEAST_UNMARKED]
    marked = [frozenset(link.anchor_tokens) for link in links if is_marked(link)] if lists else []
    if not marked or len(marked) > 2 * TAG_LINKS:
        return set()
    words = {at: frozenset(_linked_words(page.blocks[at])) for at in lists}
    return {at for at in lists if any(name and name <= words[at] for name in marked)}


def _blocks_with_counts(links: list[Link]) -> set[int]:
    """Return the blocks of links to tags that have the number of their pages behind them, none of fewer than three."""
    counted = [link for link in links if len(link.anchor_tokens) > 1 and _is_count(link.anchor_tokens[-1])]
    return {link.block for link in counted} if len(counted) >= _LEAST_COUNTED else set()


def _items_with_counts(page: PageAnalysis, links: list[Link]) -> set[int]:
    """Return the blocks that name a tag and, outside its link, the number of its pages, none of fewer than two.

    A small site has two or three categories, as many as a post may have.
    """
    names = frozenset(chain.from_iterable([link.anchor_tokens for link in links]))
    counted = [
        block for block in page.blocks if len(block.plain) == 1 < len(block.tokens) and _is_count(block.plain[0])
    ]
    found = [block.index for block in counted if names.issuperset(_linked_words(block))]
    return set(found) if len(found) >= _LEAST_ITEMS else set()


def _is_count(token: str) -> bool:
    """Tell whether a word is a number and no year, which ends the names of tags as well."""
    return token.isdigit() and not (len(token) == _YEAR_DIGITS and token.startswith(("19", "20")))


def _linked_words(block: Block) -> list[str]:
    linked = list(block.tokens)
    if len(block.plain) <= 1:  # most blocks of links; counting words takes four times as long
        for word in block.plain:
            linked.remove(word)
        return linked
    plain = Counter(block.plain)
    linked.clear()
    for word in block.tokens:
        if plain[word] > 0:
            plain[word] -= 1
        else:
            linked.append(word)
    return linked
