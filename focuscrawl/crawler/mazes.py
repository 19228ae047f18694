"""Mazes: spaces each page of which links to nothing but pages that nobody has linked to yet, for ever.

Text that a program makes up as it is asked for is all different and may be all on the topic; what it does not have is
a way back. Pages of a site link to those beside and above them, which the crawl has seen. A page *leads on only* when
it has several links into its own domain beside those of its menu, and the crawl has seen none of them; it is deep in a
maze when the pages it was found through do so, too, the more of them the fewer links each has. First pages of a site,
and lists of what stands nowhere else, are not that deep. The links of a space nearly all of whose pages are wait behind
all others, whatever their pages say.
"""

from __future__ import annotations

from collections.abc import Container, Sequence

from focuscrawl.crawler.repeats import Repeats, SpaceRepeats
from focuscrawl.types import UrlKey

LEAST_LINKS = 2
"""Of a page's own, for it to say anything: a leaf of a site has none, and a page of a serial one."""
DEPTH = 3
"""Pages in a row that lead on only, the page itself the last."""
PATH_LINKS = 12
"""Of these pages together: where each has few links, they are more pages."""
LEAST_PAGES = 5
"""So deep, before anything is said of a space."""
SHARE = 0.95
_MAX_PAGES = 200_000


class Mazes:
    """Counts of pages deep in a maze and of others, by space and by domain; each process goes by its own pages."""

    def __init__(self) -> None:
        spaces, domains = (Repeats(least=LEAST_PAGES, share=SHARE, per_find=0) for _ in range(2))
        self._deep = SpaceRepeats(spaces, domains)
        # Of pages that lead on only: how many they are in a row, and the links of these pages.
        self._paths: dict[UrlKey, tuple[int, int]] = {}

    def fetched(
        self,
        key: UrlKey,
        url: str,
        domain: str,
        parent: UrlKey | None,
        links: Sequence[UrlKey],
        recent: Container[UrlKey],
    ) -> None:
        """Count a page.

        Parameters
        ----------
        key, url, domain, parent
            Of the page, and of the page it was found on.
        links
            Into its own domain, without those of its menu.
        recent
            Links seen recently before it.
        """
        if len(links) < LEAST_LINKS:
            return
        leads_on = not any(link in recent for link in links)
        if leads_on:
            above, links_above = (0, 0) if parent is None else self._paths.get(parent, (0, 0))
            depth, path_links = above + 1, links_above + len(links)
            if len(self._paths) >= _MAX_PAGES:
                self._paths.clear()
            self._paths[key] = depth, path_links
            if depth < DEPTH or path_links < PATH_LINKS:
                return
        self._deep.fetched(url, domain, repeats=leads_on)

    def behind(self, url: str, domain: str) -> str:
        """Return why a link waits behind all others, '' when it does not."""
        space = self._deep.behind(url, domain)
        return f"pages of {space} link to nothing but new pages" if space else ""
