"""Kind of a page, by its shape."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from focuscrawl.page.blocks import RawBlock
from focuscrawl.page.model import PageKind

# An article has at least this much running text (characters without white space); Chinese says as much in a third
# of the characters of English, and the bound is what a short news item has in Chinese.
_ARTICLE_CHARS = 200
_HUB_LINKS = 10
_HUB_LINK_SHARE = 0.5
_MEDIA_CHARS = 300
_CHARS_PER_PICTURE = 60
# Bodies of a thread: at least so many siblings of one element with so much text each, together most of the text,
# none of them most of it.
_BODIES = 3
_BODY_CHARS = 80
_BODIES_SHARE = 0.6
_LARGEST_SHARE = 0.7
_BODY_TAGS = frozenset({"div", "li", "article", "section", "table", "dd", "blockquote"})


def page_kind(
    blocks: Sequence[RawBlock],
    boilerplate: Sequence[bool],
    *,
    links: int,
    images: int,
    media: int,
) -> PageKind:
    """Return the kind of a page from its raw blocks and its counts of links, pictures and players."""
    chars = sum(block.chars for block in blocks)
    link_chars = sum(block.link_chars for block in blocks)
    content = [0 if boilerplate[at] else block.chars - block.link_chars for at, block in enumerate(blocks)]
    plain = sum(content)
    if plain < _MEDIA_CHARS and (media > 0 or images > 3) and images * _CHARS_PER_PICTURE + media * 300 > plain:
        share = link_chars / chars if chars else 0.0
        if media or share <= _HUB_LINK_SHARE or links < _HUB_LINKS:
            return PageKind.MULTIMEDIA
    if links >= _HUB_LINKS and (plain < _ARTICLE_CHARS or link_chars > 2 * plain):
        return PageKind.HUB
    if _has_bodies(blocks, content, plain):
        return PageKind.MULTI_BODY
    return PageKind.ARTICLE if plain >= _ARTICLE_CHARS else PageKind.OTHER


def _has_bodies(blocks: Sequence[RawBlock], content: list[int], plain: int) -> bool:
    if plain < _BODIES * _BODY_CHARS:
        return False
    below = content.copy()
    for at in range(len(blocks) - 1, 0, -1):
        parent = blocks[at].parent
        if parent >= 0:
            below[parent] += below[at]
    groups: dict[tuple[int, str], list[int]] = defaultdict(list)
    for at, block in enumerate(blocks):
        if block.tag in _BODY_TAGS and below[at] >= _BODY_CHARS:
            groups[block.parent, block.tag].append(below[at])
    for sizes in groups.values():
        total = sum(sizes)
        if len(sizes) >= _BODIES and total >= _BODIES_SHARE * plain and max(sizes) <= _LARGEST_SHARE * total:
            return True
    return False
