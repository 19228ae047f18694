"""Patience: whether a crawl waits for a better link whose host may not be asked yet.

Without it a crawl spends its pages on whatever is ready: a host that asks for ten seconds between requests gets three
fetches while a thousand go to links that never pay. With it, each page fetched earns some seconds of waiting, and a
ready link is left while a clearly better one waits and there are seconds to spend. So a crawl takes at most that many
seconds a page longer, and one whose best links are ready takes no longer at all.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from focuscrawl.frontier.base import FrontierStats

# A link must be so much better to be waited for: about one in log-odds, or half of a topic word.
_MARGIN = 0.1
# Pages that earn time: with a second each, a crawl waits half an hour in all, however long it is.
EARNING_PAGES = 1_800
# Hosts that are free later than this are not waited for: they failed, or want to be left alone.
LONGEST_WAIT_S = 30.0


@dataclass(frozen=True, slots=True)
class Waiting:
    """Hosts that a crawl waits for."""

    hosts: int
    until: float  # Unix time at which the first of them may be asked


def with_waiting(stats: FrontierStats, waiting: Waiting | None) -> FrontierStats:
    """Return counters that also say what is waited for."""
    return stats if waiting is None else replace(stats, waits_for=waiting.hosts, waits_until=waiting.until)


class Patience:
    """Seconds of waiting, earned by fetches and spent while better links wait.

    Parameters
    ----------
    seconds_a_page
        Earned by each of the first `EARNING_PAGES` pages; 0: the crawl never waits while a link is ready.
    """

    __slots__ = ("_credit_s", "_pages", "_since", "_until", "seconds_a_page")

    def __init__(self, seconds_a_page: float = 0.0) -> None:
        self.seconds_a_page = seconds_a_page
        self._credit_s = 0.0
        self._pages = 0
        self._since: float | None = None  # since when it waits
        self._until = 0.0  # when it looks again

    def earned(self) -> None:
        """Count a page that was fetched."""
        if self._pages < EARNING_PAGES:
            self._pages += 1
            self._credit_s += self.seconds_a_page

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
        if better <= ready + _MARGIN:
            return False
        self._since = now
        self._until = min(at, now + self._credit_s)
        return True

    @property
    def until(self) -> float | None:
        """Unix time at which the crawl looks again, None while it does not wait."""
        return self._until if self._since is not None else None
