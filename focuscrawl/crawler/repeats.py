"""Spaces whose pages mostly repeat others: their links wait behind all others.

Session tokens, facets, clones and endless listings bring the same text again and again, under ever new addresses that
look as good as the first. That most pages of a space repeat is known after a few, long before its budget is spent.
"""

from __future__ import annotations

from dataclasses import dataclass

from focuscrawl.crawler.url_shapes import parameter_space, url_spaces

LEAST_REPEATS = 4
"""Pages of a space that repeat others before anything is said of it."""
SHARE = 1 / 3
"""Of the space's pages: beside a print version of each page half of them repeat."""
PER_FIND = 2
"""Repetitions for each find that a space may have: one that brings something new beside each copy pays all the same."""
_WINDOW = 200
_MAX_SPACES = 100_000


@dataclass(slots=True)
class _Space:
    fetched: int = 0
    repeats: int = 0
    finds: int = 0


class Repeats:
    """Counts of pages and repeating pages by space; halved after 200 pages, so that a site may change.

    Parameters
    ----------
    least, share
        How many pages of a space repeat others, and which share of them, before its links wait.
    per_find
        Repetitions for each find up to which they do not.
    """

    def __init__(self, *, least: int = LEAST_REPEATS, share: float = SHARE, per_find: int = PER_FIND) -> None:
        self.least = least
        self.share = share
        self.per_find = per_find
        self._spaces: dict[str, _Space] = {}
        self._sites: set[str] = set()  # with a space that may be behind; links of all others need no closer look

    def fetched(self, spaces: tuple[str, ...], *, repeats: bool, found: bool) -> None:
        """Count a fetched page in each of its spaces, one that repeats others or is a find or neither."""
        for name in spaces:
            space = self._spaces.get(name)
            if space is None:
                if len(self._spaces) >= _MAX_SPACES:
                    self._forget()
                space = self._spaces[name] = _Space()
            space.fetched += 1
            space.repeats += repeats
            space.finds += found
            if space.repeats >= self.least:
                self._sites.add(_site(name))
            if space.fetched >= _WINDOW:
                space.fetched //= 2
                space.repeats //= 2
                space.finds //= 2

    def suspects(self, url: str) -> bool:
        """Tell whether a space on the host of `url` may be behind: so few are that most URLs need no closer look."""
        return _site(url) in self._sites

    def behind(self, spaces: tuple[str, ...]) -> str:
        """Return the first of `spaces` too many of whose pages repeat others, '' for none."""
        for name in spaces:
            space = self._spaces.get(name)
            if (
                space is not None
                and space.repeats >= max(self.least, self.share * space.fetched)
                and space.repeats > self.per_find * space.finds
            ):
                return name
        return ""

    def _forget(self) -> None:
        """Forget the spaces of few pages; most addresses of the web are a shape of their own, fetched once."""
        for least in (2, 4, 8, 16):
            self._spaces = {name: space for name, space in self._spaces.items() if space.fetched >= least}
            if len(self._spaces) <= _MAX_SPACES // 2:
                break
        else:
            self._spaces.clear()
        self._sites = {_site(name) for name, space in self._spaces.items() if space.repeats >= self.least}


class SpaceRepeats:
    """Counts of pages and repeating pages by space of addresses and by whole domain.

    The parameters of a host are a space, too: under whatever path, "?replytocom=7" is the page that is there without
    it. Of these only pages without a link to anything new count as repeating, for "?page=2" leads on.
    """

    def __init__(self, spaces: Repeats, domains: Repeats) -> None:
        self._spaces = spaces
        self._domains = domains

    def fetched(self, url: str, domain: str, *, repeats: bool, closed: bool = False, found: bool = False) -> None:
        """Count a fetched page that repeats others, is a find, or neither; `closed`: it leads to nothing new."""
        if "?" in url:
            self._spaces.fetched((parameter_space(url),), repeats=repeats and closed, found=found)
        self._spaces.fetched(url_spaces(url), repeats=repeats, found=found)
        self._domains.fetched((domain,), repeats=repeats, found=found)

    def behind(self, url: str, domain: str) -> str:
        """Return the space of a URL, or else its domain, too many of whose pages repeat others; '' for none."""
        if self._spaces.suspects(url):
            spaces = (*url_spaces(url), parameter_space(url)) if "?" in url else url_spaces(url)
            if space := self._spaces.behind(spaces):
                return space
        return self._domains.behind((domain,))


def _site(url: str) -> str:
    """Return scheme and host of a URL or of a space; the whole of what is neither."""
    return "/".join(url.split("/", 3)[:3])
