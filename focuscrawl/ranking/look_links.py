"""Links that looks at hosts may go to, and what the workers of a fleet tell each other of them."""

from __future__ import annotations

from collections.abc import Sequence
from heapq import nlargest
from typing import NamedTuple

from focuscrawl.ranking.scouts import Opened
from focuscrawl.records import LookLink, LookNews
from focuscrawl.types import GroupKey, HostKey, UrlKey

_OF_GROUP = 3  # links of one group of a host that had pages
_TOLD = 500  # links of a page, the best: 40 kB
_DIGITS = 4  # of a score that is told


class Lead(NamedTuple):
    """A link to a host."""

    score: float
    key: UrlKey
    referrer: HostKey = ""  # whose page has it
    group: GroupKey = ""


NO_LEAD = Lead(0.0, -1)


class Look(NamedTuple):
    """A look that has begun."""

    host: HostKey
    referrer: HostKey  # of the link that was called up
    paid: bool = True  # no more where its page went to the next look


class Telling:
    """What the page ranked last shows that the other workers have to know."""

    def __init__(self) -> None:
        self._forget()

    def _forget(self) -> None:
        self._links: list[LookLink] = []
        self._hosts, self._best = 0, 0.0
        self._onward: tuple[tuple[UrlKey, float], ...] = ()

    def link(self, host: HostKey, lead: Lead, *, front: bool) -> None:
        """Tell of a link that looks at `host` may go to from now on."""
        self._links.append(LookLink(host, round(lead.score, _DIGITS), lead.key, front, lead.group))

    def opened(self, page: Opened, onward: Sequence[tuple[UrlKey, float]]) -> None:
        """Tell of a page of a directory, and of the links to pages like it, with their scores."""
        self._hosts, self._best = page.hosts, round(page.best, _DIGITS)
        self._onward = tuple((key, round(score, _DIGITS)) for key, score in onward[:_TOLD])

    def take(self) -> LookNews | None:
        """Return what there is to tell, and forget it; None for nothing."""
        links = self._links
        if not links and not self._hosts:
            return None
        if len(links) > _TOLD:
            links = nlargest(_TOLD, links, key=lambda link: link.score)
        news = LookNews(links=tuple(links), hosts=self._hosts, best=self._best, onward=self._onward)
        self._forget()
        return news


def of_many_groups(links: Sequence[Lead]) -> list[Lead]:
    """Return links, given the best first, without those that come after enough of their group."""
    counts: dict[GroupKey, int] = {}
    kept = []
    for link in links:
        counts[link.group] = counts.get(link.group, 0) + 1
        if counts[link.group] <= _OF_GROUP:
            kept.append(link)
    return kept
