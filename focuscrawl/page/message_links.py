"""Links to single messages by addresses of their own: ``topic.php?p=12#p12`` leads to ``id="p12"`` of a thread."""

from __future__ import annotations

import re

from focuscrawl.page.tree import Element

_LAST_NUMBER = re.compile(r"(?<!\d)(\d{1,18})$")
_PARAMETER = re.compile(r"[?&;]([^=&;]*)=([^&;]*)")
_NUMBER = re.compile(r"\d+")
_PLACE_CHARS = 80
# "?page=2#page2" leads to a place of another page, wherever links to pages have ids.
_PAGE_NAMES = frozenset({"page", "paged", "cpage", "pg", "pn", "pagenum", "page_num", "currentpage", "start", "offset"})


class MessageLinks:
    """Tells of links whether they lead to a message of the page itself.

    A forum has an address for each message, and answers it with the page of the thread that has it. Such an address
    names the message by a number in its query, and leads to the element with that number behind the ``#``. Where the
    page has its path and the element, it is what the server would send. So it is where the path alone is the page's
    address, and an element has the number in another id: a script may give it the name.
    """

    __slots__ = ("_ids", "_is_whole", "_numbers", "_page_url", "_path", "_root", "_site", "elsewhere", "own", "places")

    def __init__(self, root: Element, page_url: str) -> None:
        self._root = root
        self._page_url = page_url
        self._path = page_url.partition("?")[0]
        self._site = "/".join(page_url.split("/", 3)[:3]) + "/"
        self._is_whole = "?" not in page_url
        self._ids: frozenset[str] | None = None
        self._numbers: frozenset[str] = frozenset()
        self.own: dict[str, None] = {}
        """URLs of messages of the page."""
        self.elsewhere: set[str] = set()
        """URLs of messages of other pages of the site."""
        self.places: set[str] = set()
        """Ids with a number that links with an address and a ``#`` lead to; tabs and slides have the ``#`` alone."""

    def take(self, href: str, url: str) -> bool:
        """Tell whether an ``href`` with a ``#``, in normal form `url`, leads to a message of the page, and note it."""
        place = href.rpartition("#")[2].strip()
        number = _LAST_NUMBER.search(place) if len(place) <= _PLACE_CHARS else None
        if number is None or not (url == self._page_url or _names_number(url, number[1])):
            return False
        if not url.startswith(self._site):
            return False
        if self._ids is None:
            self._ids = frozenset(str(name) for name in self._root.xpath("//@id | //a/@name"))
            self._numbers = frozenset(
                found[1] for name in self._ids if (found := _LAST_NUMBER.search(name[-_PLACE_CHARS:]))
            )
        if url.partition("?")[0] != self._path:
            # A thread at "topic-3.html" may have the messages "viewtopic.php?p=7#p7": it is not known to be all of it.
            if place in self._ids:
                self.places.add(place)
            else:
                self.elsewhere.add(url)
            return False
        if place not in self._ids and not (self._is_whole and number[1] in self._numbers):
            return False
        self.places.add(place)
        if url != self._page_url:
            self.own[url] = None
        return True


def _names_number(url: str, number: str) -> bool:
    return any(
        number in _NUMBER.findall(value) and name.lower() not in _PAGE_NAMES for name, value in _PARAMETER.findall(url)
    )
