"""Links of one page as first looks and scouts take note of them: hosts it names, and whether it is a directory."""

from __future__ import annotations

from collections.abc import Sequence

from focuscrawl.page.model import Link
from focuscrawl.page.urls import is_front_page
from focuscrawl.ranking.base import Judged
from focuscrawl.ranking.first_looks import FirstLooks
from focuscrawl.ranking.scouts import Opened
from focuscrawl.ranking.series import page_series
from focuscrawl.types import GroupKey, UrlKey


class LinksOfPage:
    """See the module's docstring; `add` for each link to a page, then `end`.

    Parameters
    ----------
    links
        Those to pages.
    most
        How many links of any kind were followed.
    """

    def __init__(self, looks: FirstLooks, page: Judged, links: Sequence[Link], *, most: int) -> None:
        self._looks = looks
        self._scouts = looks.scouts
        self._page = page
        self._home = home = page.page.host
        self._series = page_series(page.page.url)[0]
        self._new_hosts = {link.host for link in links if not looks.knows(link.host)}
        # Of all its links: those of a menu were seen long ago, and a post would seem to have others only.
        self._is_directory = 2 * sum(link.host != home for link in links) > max(most, len(page.page.links))
        self._best_of_new = 0.0
        self._onward: list[tuple[UrlKey, float]] = []  # to pages like this one

    def add(self, link: Link, score: float, group: GroupKey) -> None:
        """Take note of a link with its local score in [0, 1] and its group."""
        host, home = link.host, self._home
        self._looks.add(host, score, link.key, home, front=is_front_page(link.url), group=group)
        if host in self._new_hosts:
            self._best_of_new = max(self._best_of_new, score)
        elif host == home:
            self._scouts.add(group, link.key, score)
            if self._is_directory and page_series(link.url)[0] == self._series:
                self._onward.append((link.key, score))

    def end(self) -> None:
        """Tell the scouts what a directory has led to."""
        if self._is_directory:
            page = self._page
            opened = Opened(page.key, page.group, self._home, len(self._new_hosts), self._best_of_new)
            waiting = self._scouts.opened(opened, self._onward)
            if waiting is not None and self._looks.telling is not None:
                self._looks.telling.opened(opened, waiting)
