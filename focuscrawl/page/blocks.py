"""Text blocks of a page (docs/formulas.md D) and which of them are boilerplate.

Boilerplate is what a site repeats around its content: navigation, side bars, footers, lists of related pages. It is
told by element and role, by class names and ids, and by the share of text inside links. None of these is sure: a
region that holds most of the page's text is never taken for boilerplate, whatever it is called.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from focuscrawl.page.paths import PathNode

_BLOCK_TAGS = (
    "p div td th li dt dd h1 h2 h3 h4 h5 h6 blockquote pre section article main aside header footer table ul ol dl "
    # nav belongs with aside and header, figure is among the surroundings of links (docs/formulas.md A.2); without them
    # a link inside would have the wrong block
    "form body nav figure "
    # a whole page for readers without scripts stands in some, a plea to turn them on in most
    "noscript"
)
BLOCK_TAGS = frozenset(_BLOCK_TAGS.split())

_NAVIGATION_TAGS = frozenset({"nav", "aside", "header", "footer", "noscript"})
_NAVIGATION_ROLES = frozenset({"navigation", "banner", "contentinfo", "complementary", "search", "menu", "menubar"})
_BODY_TAGS = frozenset({"article", "main"})
_SURE_HINTS = (
    "nav navbar navigation navi menu submenu topmenu topbar toolbar sidebar sidenav aside footer foot copyright "
    "breadcrumb breadcrumbs crumb crumbs pager pagination paginator paging related relate recommend recommended "
    "recommendation recommendations share sharing social sns advert adverts advertisement sponsor cookie cookies "
    "consent subscribe newsletter masthead tagcloud friendlink friendlinks siteinfo beian icp sitenav rightbar leftbar"
)
# Said of content too ("rich-text contains-links"): these count only where no word says content.
_WEAK_HINTS = (
    "side bottom ad ads banner promo popup modal login signin signup register search widget widgets toc tags metadata "
    "postmeta rss links linklist hot archives categories skip"
)
_SURE_WORDS = frozenset(_SURE_HINTS.split())
_WEAK_WORDS = frozenset(_WEAK_HINTS.split())
_CONTENT_WORDS = frozenset({"article", "body", "content", "copy", "entry", "main", "story", "text"})
_WORD = re.compile("[A-Z]?[a-z]+|[A-Z]+")
_HINT_TAGS = frozenset({"div", "section", "ul", "ol", "dl", "table", "td", "p", "form", "li"}) | _NAVIGATION_TAGS
_MAX_HINTS = 16_384

# More than half of the characters inside links: a list of links (the bound of most boilerplate detectors).
MAX_LINK_SHARE = 0.5
# Nobody writes a paragraph this long into a navigation list.
_PARAGRAPH_CHARS = 120
# A region with this share of the page's plain text is its content.
_MAIN_SHARE = 0.5
_FORM_CHARS = 300
_NOSCRIPT_CHARS = 200
_COPYRIGHT = re.compile(
    r"^\W*(©|\(c\) ?\d|copyright\b|版权所有|.{0,20}ICP[备证])|all rights reserved|版权所有|公网安备", re.I
)
_COPYRIGHT_CHARS = 300
_COPYRIGHT_BLOCKS = 15


@dataclass(slots=True)
class RawBlock:
    """A block element while the page is walked."""

    tag: str
    parent: int
    hint: bool  # its element, role, class or id says boilerplate
    depth: int  # elements from the root, itself included
    node: PathNode  # its tag path
    chars: int = 0  # own text, white space left out
    link_chars: int = 0


def role_hint(tag: str, role: str) -> bool:
    """Tell whether the role of a block says that this is not content."""
    return role in _NAVIGATION_ROLES and tag in _HINT_TAGS


def boilerplate_hint(tag: str, identity: str | None, names: str | None, above: Sequence[str]) -> bool:
    """Tell whether element name, id or class say that a block is not content; `above` are the tags it stands in."""
    if tag not in _HINT_TAGS:
        return False
    # An article has a header of its own with its title, and asides are notes there.
    if tag in _NAVIGATION_TAGS and (tag in ("nav", "footer", "noscript") or _BODY_TAGS.isdisjoint(above)):
        return True
    if identity is None and names is None:
        return False
    return _names_hint(f"{identity or ''} {names or ''}")


@lru_cache(_MAX_HINTS)
def _names_hint(names: str) -> bool:
    # Blog software lists a post's tags and categories among its classes, after those that say what it is.
    first = [name for name in names.split()[:5] if not name.startswith(("tag-", "category-"))]
    words = {word.lower() for word in _WORD.findall(" ".join(first))}
    if not _SURE_WORDS.isdisjoint(words):
        return True
    return not _WEAK_WORDS.isdisjoint(words) and _CONTENT_WORDS.isdisjoint(words)


@dataclass(slots=True)
class Kept:
    """Choice of blocks among raw ones, and of boilerplate among blocks."""

    index: list[int]  # raw index -> index of the innermost kept block, -1 for none
    raw: list[int]  # kept index -> raw index
    parent: list[int]  # kept index -> kept index
    boilerplate: list[bool]  # of the raw blocks


def keep_blocks(blocks: Sequence[RawBlock], last_texts: dict[int, str]) -> Kept:
    """Choose the blocks: own text, or at least two blocks below; and flag those that are boilerplate.

    `last_texts` has the own text of the page's last short blocks, by raw index, where copyright lines stand.
    """
    count = len(blocks)
    children = [0] * count
    chars, link_chars = [b.chars for b in blocks], [b.link_chars for b in blocks]
    longest = [b.chars - b.link_chars for b in blocks]
    kept = [False] * count
    for at in range(count - 1, -1, -1):
        block = blocks[at]
        kept[at] = block.chars > 0 or children[at] >= 2
        parent = block.parent
        if parent >= 0:
            children[parent] += 1 if kept[at] else children[at]
            chars[parent] += chars[at]
            link_chars[parent] += link_chars[at]
            if longest[at] > longest[parent]:
                longest[parent] = longest[at]
    total = sum(b.chars - b.link_chars for b in blocks)
    flags = [False] * count
    index = [-1] * count
    raw: list[int] = []
    parents: list[int] = []
    for at, block in enumerate(blocks):
        parent = block.parent
        up = index[parent] if parent >= 0 else -1
        if parent >= 0 and flags[parent]:
            flags[at] = True
        elif chars[at]:
            plain = chars[at] - link_chars[at]
            if block.hint:
                flags[at] = plain <= _MAIN_SHARE * total or (block.tag == "noscript" and plain < _NOSCRIPT_CHARS)
            if not flags[at]:
                dense = link_chars[at] > MAX_LINK_SHARE * chars[at]
                flags[at] = (
                    (dense and longest[at] < _PARAGRAPH_CHARS)
                    or (block.tag == "form" and plain < _FORM_CHARS and plain <= _MAIN_SHARE * total)
                    or (at in last_texts and _COPYRIGHT.search(last_texts[at]) is not None)
                )
        if kept[at]:
            index[at] = len(raw)
            raw.append(at)
            parents.append(up)
        else:
            index[at] = up
    return Kept(index, raw, parents, flags)


def last_short_texts(blocks: Sequence[RawBlock], chunks: Sequence[str], chunk_blocks: Sequence[int]) -> dict[int, str]:
    """Return the own text of the last short blocks of the page."""
    texts: dict[int, str] = {}
    for at in range(len(chunks) - 1, -1, -1):
        block = chunk_blocks[at]
        if block < 0 or blocks[block].chars > _COPYRIGHT_CHARS:
            continue
        if block not in texts and len(texts) >= _COPYRIGHT_BLOCKS:
            break
        texts[block] = chunks[at] + texts.get(block, "")
    return texts
