"""Is this page a way to others: an index of them, or a stub that sends its visitors on? It is not itself wanted."""

from __future__ import annotations

import re
from collections import Counter
from urllib.parse import unquote

from focuscrawl.page.model import REFRESH, Link, PageAnalysis, PageKind
from focuscrawl.page.tags import CATEGORY_PREFIX
from focuscrawl.topic.entry_links import lists_entries

# What blog and news software calls its indexes, as a step of the path: paginations, tags, authors …
# An archive is that of a year, down to its days: /archives/7 and /archives/some-title are how some blogs name posts.
_INDEX_STEP = re.compile(
    r"/(?:tags?|labels?|categor(?:y|ies)|authors?|标签|分类|作者)(?:[/.]|$)"
    r"|/(?:archives?|归档)(?:\.\w+|(?:/(?:19|20)\d\d(?:/\d{1,2}){0,2})?(?:/index\.\w+)?/?)$"
    r"|^(?:/\d{4})(?:/\d{1,2}){0,2}/?$|^/(?:timeline|时间轴|时间线)/?$"
    rf"|/browse/?$|/{CATEGORY_PREFIX}",
    re.IGNORECASE,
)
_INDEX_QUERY = re.compile(rf"(?:^|&)(?:(?:cat|m)=\d+|tag=|author=|title={CATEGORY_PREFIX})", re.IGNORECASE)
_FURTHER_STEP = re.compile(r"/page/?\d+(?:[/.]|$)", re.IGNORECASE)
_FURTHER_QUERY = re.compile(r"(?:^|&)(?:paged?=\d+|(?:sort|order)(?:[_-]?by)?=)", re.IGNORECASE)
"""Of an index, or one in another order; or of a thread, where links lead to messages of the page."""
_MESSAGES = 3
"""Links to so many messages of other pages, and to none of its own: what a member wrote, the last posts of a board.
Beside one article they are in a side bar."""
_FRONT = re.compile(r"/(?:(?:index|default|home)\.\w{2,5})?", re.IGNORECASE)
_FRONT_OF_LANGUAGE = re.compile(r"/([a-z]{2,3})([-_][a-z]{2,4})?(?:/(?:index\.\w{2,5})?)?", re.IGNORECASE)
_FRONT_LINKS = 10
"""A front page with fewer links is a page of its own (a business card, a one-page site)."""
_STUB_WORDS = 30
"""Outside links: "You are being redirected; if nothing happens, click here". A page with more has something to read."""
_HEADINGS = frozenset({"h1", "h2", "h3", "h4"})
_LINKED_HEADINGS = 2
_LINKED_SHARE = 0.5
"""On a listing the headings are links to the entries; on an article at most some below it ("read also") are."""
_TEXT_ABOVE = 150
"""Words outside links: so many above the headings that lead elsewhere are an article, and the headings related ones."""
_SAID_SHARE = 0.5
"""Of a heading: a link that says less is something beside the title."""


def listing_sign(page: PageAnalysis) -> str:
    """Return why `page` is taken for a listing: "front page", "URL", "headings", …; "" when it is not."""
    rest = page.url.partition("://")[2]
    path, _, query = rest.partition("?")
    slash = path.find("/")
    path = path[slash:] if slash >= 0 else "/"
    if not query and _is_front(path, page.language):
        return "front page" if len(page.links) >= _FRONT_LINKS else ""
    steps = unquote(path) if "%" in path else path
    if _INDEX_STEP.search(steps) or (query and _INDEX_QUERY.search(query)):
        return "URL"
    if not page.own_messages and (_FURTHER_STEP.search(steps) or (query and _FURTHER_QUERY.search(query))):
        return "URL"
    if page.messages_elsewhere >= _MESSAGES and not page.own_messages and page.kind is not PageKind.ARTICLE:
        return "links to messages"
    if not page.own_messages and lists_entries(page):
        return "list of links"
    if len(page.headings) < _LINKED_HEADINGS:
        return ""
    linked = [link for link in page.links if in_heading(link) and link.key != page.key and link.host == page.host]
    if len(linked) < _LINKED_HEADINGS:
        return ""
    # What several headings offer is done to them: each section of a wiki's article has "edit" in its heading. A card
    # that has its title twice leads to one page by both.
    said = Counter(anchor for anchor, _ in {(link.anchor, link.key) for link in linked if link.anchor})
    entries = sum(said[link.anchor] < _LINKED_HEADINGS for link in linked)
    if entries < _LINKED_HEADINGS or entries < _LINKED_SHARE * len(page.headings):
        return ""
    return "headings" if _words_above(page, min(link.block for link in linked)) < _TEXT_ABOVE else ""


def _is_front(path: str, language: str) -> bool:
    """Tell whether a path is that of a site's front page, or of the one in the page's `language`: /en/, /zh-cn/.

    A page that is half in another language has none that is known: then a region tells it from /faq/.
    """
    if _FRONT.fullmatch(path) is not None:
        return True
    local = _FRONT_OF_LANGUAGE.fullmatch(path)
    return local is not None and (language == local[1].lower() or (not language and local[2] is not None))


def _words_above(page: PageAnalysis, block: int) -> int:
    """Return the words of a page's text that stand before a block, links and boilerplate left out."""
    return sum(len(above.plain) for above in page.blocks[: max(block, 0)] if not above.boilerplate)


def in_heading(link: Link) -> bool:
    """Tell whether a link is a heading, as the titles of entries are: h2 > a, or h2 > span > a.

    One that says less than half of the heading it stands in, such as "edit source", is none.
    """
    if _HEADINGS.isdisjoint(link.dom_path[-3:-1]):
        return False
    return not link.anchor or len(link.anchor) >= _SAID_SHARE * len(link.heading)


def stub_sign(page: PageAnalysis) -> str:
    """Return why `page` has nothing to keep: "a page without text", "a page that sends its visitors on", or ""."""
    if not page.tokens:
        return "a page without text"
    return "a page that sends its visitors on" if sends_on(page) else ""


def sends_on(page: PageAnalysis) -> bool:
    """Tell whether a page has a refresh, and hardly a word beside it: a redirect in other words."""
    return len(page.content_tokens) <= _STUB_WORDS and any(link.tag == REFRESH for link in page.links)
