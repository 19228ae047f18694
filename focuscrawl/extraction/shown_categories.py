"""Categories and tags that a page shows: links to their pages that stand near its text (docs/formulas.md H.6)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain, islice
from typing import NamedTuple

from focuscrawl.extraction.bylines import is_of_page
from focuscrawl.extraction.class_names import GROUPS, LANDMARK, class_name_bits
from focuscrawl.extraction.list_items import is_of_item
from focuscrawl.extraction.page_parts import is_apart, is_of_footer, stands_beside
from focuscrawl.extraction.text_start import text_start
from focuscrawl.page.tags import CATEGORY_FOLDER, CATEGORY_PREFIX, TAG_FOLDER, TAG_LINKS
from focuscrawl.page.tree import Element, PageTree

_MAX_LINKS = 3000  # looked at; a page with more has a menu of its site
_MAX_CANDIDATES = 200
_MOST = 2 * TAG_LINKS  # of one page; a longer list is that of the site
_MAX_NAME_CHARS = 40
_LEVELS = 3  # of blocks above a link that hold the others beside it, and that are named after it
_MAX_LEVELS = 50
# The address of a link as the page wrote it; a name follows, for a folder alone is the list of all.
_CATEGORY_PAGE = re.compile(
    rf"(?:(?:^|/)(?:{CATEGORY_FOLDER})/+|[?&]cat(?:egory)?=|(?:^|/|[?&]title=){CATEGORY_PREFIX})(?=[^/?&#])", re.I
)
_TAG_PAGE = re.compile(rf"(?:(?:^|/)(?:{TAG_FOLDER})/+|[?&]tag=)(?=[^/?&#])", re.I)
_CATEGORY_NAME = re.compile(r"(?<![a-z])cats?(?![a-z])|categor", re.I)
_TAG_NAME = re.compile(r"(?<![a-z])tags?(?![a-z])", re.I)
_CATEGORY_LABEL = re.compile(
    # "Hidden categories" are those of a wiki's own upkeep.
    r"(?:(?<![隐隱]藏)分[类類](?:[于於]|至|目[录錄])?|[归歸][类類][于於]|[栏欄]目|(?<!hidden\s)\bcategor(?:y|ies)"
    r"|\bfiled\s(?:under|in)|\bposted\s(?:in|under)|(?<![^\W\d_])in)$",
    re.I,
)
_TAG_LABEL = re.compile(r"(?:[标標][签籤]|关键[词字]|關鍵[詞字]|\btag(?:s|ged)?(?:\s(?:as|with))?)$", re.I)
_COUNT = re.compile(r"\s*[(（\[]?(?:\d{1,5}|rss|feed)[)）\]]?\s*", re.I)
_WIDGET = re.compile(r"(?<![a-z])widgets?(?![a-z])", re.I)
_AFTER_LABEL = " :：\u200b\u200e\u200f\u2060\ufeff"  # with spaces of no width, and marks of direction
_AROUND_NAMES = " \n\t\r#,，、;；|/·•»>"
_NAV, _CRUMB, _META = (1 << GROUPS.index(name) for name in ("nav", "crumb", "meta"))
_KEYWORDS = "keywords"  # microdata of a post, within the menu that leads to the next one too
_BODIES = frozenset({"article", "main", "body"})
# What software puts where a category belongs: the kind of page, or that it has none.
_NO_CATEGORIES = frozenset(
    {
        *("a", "all", "article", "articles", "blog", "forum", "forums", "home", "page", "pages", "post", "posts"),
        *("uncategorized", "首页", "首頁", "未分类", "未分類"),
    }
)


class Shown(NamedTuple):
    """Categories and tags of a page, each once, in the order in which they stand there."""

    categories: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()


class _Kind(NamedTuple):
    """How links to categories, or to tags, are told."""

    name: re.Pattern[str]  # words in names of the blocks around
    label: re.Pattern[str]  # what leads up to them


_CATEGORIES = _Kind(_CATEGORY_NAME, _CATEGORY_LABEL)
_TAGS = _Kind(_TAG_NAME, _TAG_LABEL)


def is_category(text: str) -> bool:
    """Tell whether a text names a category, and not the kind of page or that there is none."""
    return bool(text) and text.lower() not in _NO_CATEGORIES


def _is_keyword(link: Element) -> bool:
    """Tell whether a link is marked as a keyword, or stands in a list marked as that of the keywords."""
    return any(block.get("itemprop") == _KEYWORDS for block in islice(chain((link,), link.iterancestors()), _LEVELS))


class _Place(NamedTuple):
    """What the blocks around an element say of where it stands."""

    in_menu: bool = False  # of the site, and in no trail of crumbs inside it
    in_crumbs: bool = False
    in_header: bool | None = None  # of the site; None where there is neither a header nor a body of text


class _Seen(NamedTuple):
    """What is known of the blocks of a page met before, and whether only its crumbs name what is its own."""

    places: dict[Element, _Place]
    apart: dict[Element, bool]
    items: dict[Element, bool]
    only_crumbs: bool


def crumb_categories(tree: PageTree) -> Shown:
    """Return the categories and tags in the trail of crumbs of a page that lists posts, for `PageTree.once`.

    Others are those of a post.
    """
    return shown_categories(tree, only_crumbs=True)


def shown_categories(tree: PageTree, *, only_crumbs: bool = False) -> Shown:
    """Return the categories and tags that a page shows as its own, for `PageTree.once`.

    They are links marked as such (``rel="category tag"``), or links to pages of categories and tags that stand in a
    block named so, in a line with date and author, or behind a label (分类于, "Filed under"). Those in menus, side
    bars and footers, of posts in a list, with a number of posts behind them, and of long lists are the site's.
    """
    marked: list[Element] = []
    categories: list[Element] = []
    tags: list[Element] = []
    has_keywords = tree.may_have("itemprop")
    for link in islice(tree.declarations.links, _MAX_LINKS):
        href, rel = link.get("href"), link.get("rel")
        if href is None or link.tag != "a":
            continue
        relations = rel.lower().split() if rel is not None else ()
        address = href.lower()
        # Most addresses have none of these, which is told faster than by the patterns.
        may_lead = "cat" in address or "tag" in address or "%e" in address or not address.isascii()
        if "category" in relations:
            marked.append(link)
        elif has_keywords and _is_keyword(link):
            tags.append(link)
        elif may_lead and _CATEGORY_PAGE.search(address) is not None:
            categories.append(link)
        elif "tag" in relations or (may_lead and _TAG_PAGE.search(address) is not None):
            tags.append(link)
    seen = _Seen({}, {}, {}, only_crumbs)
    return Shown(
        _first_group(marked, _CATEGORIES, seen) or _first_group(categories, _CATEGORIES, seen),
        _first_group(tags, _TAGS, seen),
    )


def _first_group(links: list[Element], kind: _Kind, seen: _Seen) -> tuple[str, ...]:
    """Return the names in the first links of a kind that are the page's own, () for none."""
    taken: set[Element] = set()
    links = links[:_MAX_CANDIDATES]
    for link in links:
        if link in taken or not _is_own(link, kind, seen):
            continue
        group = [link, *_beside(link, links)]
        taken.update(group)
        if len(group) > _MOST or any(_is_counted(one) for one in group):
            continue
        names = dict.fromkeys(name for one in group if is_category(name := _name(one)))
        if names:
            return tuple(names)
    return ()


def _beside(link: Element, links: list[Element]) -> Iterator[Element]:
    """Yield the other links that stand in the blocks around a link."""
    blocks: list[Element] = []
    for above in islice(link.iterancestors(), _LEVELS):
        if above.tag in _BODIES:
            break
        blocks.append(above)
    for other in links:
        if other is not link and any(above in blocks for above in islice(other.iterancestors(), _LEVELS)):
            yield other


def _is_own(link: Element, kind: _Kind, seen: _Seen) -> bool:
    """Tell whether a link to a category or tag is shown as that of the page."""
    place = _place(link, seen)
    if place.in_menu or ((place.in_header or seen.only_crumbs) and not place.in_crumbs):
        return False
    if not _is_told(link, kind) and kind.label.search(_before(link)) is None:
        return False
    if stands_beside(link, seen.apart) or is_of_footer(link):
        return False
    return is_of_page(link) and not is_of_item(link, seen.items)


def _is_told(link: Element, kind: _Kind) -> bool:
    """Tell whether a link, or a block near around it, says that it is one of a kind."""
    if "tag" in (link.get("rel") or "").lower() or _is_keyword(link):
        return True
    for block in islice(chain((link,), link.iterancestors()), _LEVELS + 1):
        if block.tag == "body":
            break
        said, bits = _names(block)
        if bits and (bits & (_CRUMB | _META) or kind.name.search(said) is not None):
            return True
    return False


def _place(link: Element, seen: _Seen) -> _Place:
    """Return where a link stands, told from the page's outermost block inwards, each block once."""
    place, inner = _Place(), []
    for block in islice(chain((link,), link.iterancestors()), _MAX_LEVELS):
        if block.tag == "body":
            break
        if (known := seen.places.get(block)) is not None:
            place = known
            break
        inner.append(block)
    for block in reversed(inner):
        said, bits = _names(block)
        in_menu, in_crumbs, in_header = place
        if bits & _CRUMB:
            in_menu, in_crumbs = False, True
        elif block.get("itemprop") == _KEYWORDS:
            in_menu = False
        elif block.tag == "nav" or bits & (_NAV | LANDMARK) or (bits and _WIDGET.search(said) is not None):
            in_menu = in_menu or is_apart(block, seen.apart)
        if in_header is None and block.tag == "header" and is_apart(block, seen.apart):
            in_header = True
        elif in_header is None and block.tag in _BODIES:
            in_header = False  # headers inside are those of posts
        place = seen.places[block] = _Place(in_menu, in_crumbs, in_header)
    return place


def _names(block: Element) -> tuple[str, int]:
    """Return the class names and the id of a block, and the groups of their words and of its role."""
    names, identity, role = block.get("class"), block.get("id"), block.get("role")
    if names is None and identity is None and role is None:
        return "", 0
    said = f"{names or ''} {identity or ''}"
    return said, class_name_bits(said, role)


def _before(link: Element) -> str:
    """Return the text that leads up to a link, of the blocks around where it begins them, without a colon."""
    element = link
    for _ in range(_LEVELS):
        before = element.getprevious()
        above = element.getparent()
        if before is not None:
            text = text_start(before) + (before.tail or "")
        else:
            text = (above.text or "") if above is not None else ""
        if text.strip():
            return " ".join(text.split()).rstrip(_AFTER_LABEL)[-_MAX_NAME_CHARS:]
        if above is None or above.tag in _BODIES:
            break
        element = above if before is None else before
    return ""


def _is_counted(link: Element) -> bool:
    """Tell whether the number of its posts, or its feed, stands behind a link, as in a list of all categories.

    Or at its end, in an element of its own.
    """
    last = text_start(link[-1]) if len(link) and not (link[-1].tail or "").strip() else ""
    if last.strip() and _COUNT.fullmatch(last) is not None and text_start(link).strip() != last.strip():
        return True
    after = link.getnext()
    behind = link.tail or ""
    if not behind.strip() and after is not None:
        behind = text_start(after)
    return bool(behind.strip()) and _COUNT.fullmatch(behind) is not None


def _name(link: Element) -> str:
    name = " ".join(text_start(link).split()).strip(_AROUND_NAMES)
    return name if 0 < len(name) <= _MAX_NAME_CHARS else ""
