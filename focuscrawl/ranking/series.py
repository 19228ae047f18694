"""Position of a URL in its site: its series of numbered pages, and its directory.

Listings are the only way to many pages, and one page of a listing says what the next will be like: all pages of a
series share what is learned. The page number is what may differ inside a series, other digits (years, ids) are folded.
"""

from __future__ import annotations

import re
from functools import lru_cache

from focuscrawl.page.model import PageAnalysis, PageKind
from focuscrawl.page.readable_url import readable_url
from focuscrawl.page.urls import INDEX_FILE

# The ways sites number the pages of a listing: /page/3, /p3/, -3.html, _3.html, ?page=3, ?start=20 …
_PAGE_STEP = re.compile(r"/(?:page|pages|p|pg|list|index)[-_/]?\d{1,5}(?=/|$)/?", re.IGNORECASE)
_PAGE_FILE = re.compile(r"/(?:index|list|page|p)[-_]?\d{1,4}\.(?:html?|shtml|php|aspx?|jsp)$", re.IGNORECASE)
_PAGE_SUFFIX = re.compile(r"[-_]\d{1,3}(\.(?:html?|shtml|php|aspx?|jsp))$", re.IGNORECASE)
_PAGE_QUERY = re.compile(
    r"(?:^|&)(?:page|p|pg|paged|start|offset|pn|pagenum|page_num|currentpage)=\d{1,7}", re.IGNORECASE
)
_DIGITS = re.compile(r"(%[0-9A-Fa-f]{2})|\d+")  # an escape of another charset than UTF-8 stays as it is
_MAX_CHARS = 80  # of a path in a name: what is longer differs later than anything a series shares


@lru_cache(maxsize=4_096)
def page_series(url: str) -> tuple[str, bool]:
    """Return host and path of `url` without its page number, and whether it had one.

    >>> page_series("http://e.org/categories/science/page/11/")
    ('e.org/categories/science/', True)
    >>> page_series("http://e.org/news/list_4.html")
    ('e.org/news/', True)
    >>> page_series("http://e.org/2024/06/09/a-walk/index.html")
    ('e.org/2024/06/09/a-walk/', False)
    """
    rest = url.partition("://")[2]
    path, mark, query = rest.partition("?")
    lower = path.lower()
    if "/index." in lower or "/default." in lower:
        path = INDEX_FILE.sub("/", path)
    bare = path
    if "/p" in lower or "/list" in lower or "/index" in lower or not path.isascii():
        bare = _PAGE_STEP.sub("/", path)
        if bare == path:
            bare = _PAGE_FILE.sub("/", path)
    if bare == path and "." in path[-6:]:
        bare = _PAGE_SUFFIX.sub(r"\1", path)
    shorter = _PAGE_QUERY.sub("", query) if query else ""
    numbered = bare != path or shorter != query
    if shorter:
        bare += mark + shorter.lstrip("&")
    return bare, numbered


def continues(url: str, other: str) -> bool:
    """Tell whether `other` is a numbered page of the listing that `url` is a page of.

    >>> continues("http://e.org/tags/tea/", "http://e.org/tags/tea/page/2/")
    True
    >>> continues("http://e.org/tags/tea/page/2/", "http://e.org/tags/rum/page/2/")
    False
    """
    series, numbered = page_series(other)
    return numbered and series == page_series(url)[0]


@lru_cache(maxsize=4_096)
def target_section(url: str) -> str:
    """Return where a link leads inside its site: the series of a numbered page, else the directory, digits folded.

    >>> target_section("http://e.org/2024/06/09/a-walk/")
    'e.org/0/0/0/'
    >>> target_section("http://e.org/tags/tea/page/2/")
    'e.org/tags/tea/'
    >>> target_section("http://e.org/%E8%8C%B6/2024/a.html")
    'e.org/茶/0/'
    """
    bare, numbered = page_series(url)
    # The digits of an escape are no number, and three quarters of a Chinese name's characters.
    bare = readable_url(bare)
    if numbered:
        return bare[:_MAX_CHARS]
    path = bare.partition("?")[0]
    directory = path.rstrip("/").rpartition("/")[0] + "/"
    host, _, rest = directory.partition("/")
    if not rest and "/" not in path.rstrip("/"):
        return path.rstrip("/") + "/"
    return f"{host}/{_DIGITS.sub(lambda found: found[1] or '0', rest)}"[:_MAX_CHARS]


def source_series(page: PageAnalysis) -> str:
    """Return what the links of a page have in common with those of other pages.

    For a listing that is its own series, for any other page where a link to it leads.
    """
    if page.kind is PageKind.HUB:
        return readable_url(page_series(page.url)[0])[:_MAX_CHARS]
    return target_section(page.url)
