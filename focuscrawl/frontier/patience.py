"""Patience: whether a crawl waits for a better link whose host may not be asked yet.

Without it a crawl spends its pages on whatever is ready: a host that asks for ten seconds between requests gets three
fetches while a thousand go to links that never pay. With it, a ready link is left while a clearly better one waits and
there are seconds to spend: so many for each page that the crawl may fetch. Half of them are there from the start, for
what is found late is worth least; each page earns its half of the rest, so that a host that disappoints cannot take
them all. A crawl takes at most that many seconds a page longer, and one whose best links are ready takes no longer at
all.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

from focuscrawl.frontier.base import FrontierStats

MARGIN = 0.1
"""A link must be so much better to be waited for: about one in log-odds, or half of a topic word."""
EARNING_PAGES = 1_800
"""Pages that count: with a second each, a crawl waits half an hour in all, however long it is."""
_AT_ONCE = 0.5  # share of the seconds that is there from the start
LONGEST_WAIT_S = 30.0
"""Hosts that are free later than this are not waited for: they failed, or want to be left alone."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """Hosts that a crawl waits for."""

    hosts: int
    until: float  # Unix time at which the first of them may be asked


def with_waiting(stats: FrontierStats, waiting: Waiting | None) -> FrontierStats:
    """Return counters that also say what is waited for."""
    return stats if waiting is None else replace(stats, waits_for=waiting.hosts, waits_until=waiting.until)


class Allowance(NamedTuple):
    """Seconds of waiting that a crawl has, and earns."""

    at_once_s: float  # from the start
    a_page_s: float  # more for each page fetched
    pages: int  # that earn some


def allowance(seconds_a_page: float, *, pages: int) -> Allowance:
    """Return what `Patience` with the same arguments has, of a crawl that begins."""
    earning = min(pages or EARNING_PAGES, EARNING_PAGES)
    return Allowance(_AT_ONCE * seconds_a_page * earning, (1.0 - _AT_ONCE) * seconds_a_page, earning)


class Patience:
    """Seconds of waiting, half of them earned by fetches, spent while better links wait.

    Parameters
    ----------
    seconds_a_page
        For each page the crawl may fetch, `EARNING_PAGES` at most; 0: the crawl never waits while a link is ready.
    pages
        The crawl may fetch; 0 for no limit.
    fetched
        Pages of it that were fetched before.
    """

    __slots__ = ("_credit_s", "_earned_s", "_pages_left", "_since", "_until")

    def __init__(self, seconds_a_page: float = 0.0, *, pages: int = 0, fetched: int = 0) -> None:
        whole = allowance(seconds_a_page, pages=pages)
        self._pages_left = max(0, whole.pages - fetched)
        self._credit_s = _AT_ONCE * seconds_a_page * self._pages_left
        self._earned_s = whole.a_page_s
        self._since: float | None = None  # since when it waits
        self._until = 0.0  # when it looks again

    def earned(self) -> None:
        """Count a page that was fetched."""
        if self._pages_left:
            self._pages_left -= 1
            self._credit_s += self._earned_s

    def look(self, now: float) -> bool:
        """Count the time waited since the last look; tell whether there are seconds left to spend."""
        if self._since is not None:
            self._credit_s -= max(0.0, now - self._since)
            self._since = None
        return self._credit_s > 0.0

    def waits(self, now: float, *, ready: float, better: float, at: float) -> bool:
        """Tell whether to leave a link that is ready; the time counts from now on.

        Parameters
        ----------
        now
            Unix time.
        ready
            Priority of the best link that is ready.
        better
            Priority of the best link that waits for its host.
        at
            Unix time from which that host may be asked.
        """
        if better <= ready + MARGIN:
            return False
        self._since = now
        self._until = min(at, now + self._credit_s)
        return True

    @property
    def until(self) -> float | None:
        """Unix time at which the crawl looks again, None while it does not wait."""
        return self._until if self._since is not None else None
