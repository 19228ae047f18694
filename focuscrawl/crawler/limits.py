"""Limits of a crawl: how many fetches may be under way, and when one of them ends it."""

from __future__ import annotations

import time
from collections.abc import Callable

from focuscrawl.crawler.counters import CrawlCounters
from focuscrawl.crawler.endings import BUDGET, HARVEST, Ending
from focuscrawl.frontier.fleet import FleetTotals
from focuscrawl.wording.base import Say
from focuscrawl.wording.endings import OF_HARVEST, OF_MINUTES, OF_PAGES, OF_STORED

_SAY = Say("en")  # what is stored is English, and shown in another language by the same texts


class Limits:
    """Pages, stored relevant pages, minutes and harvest at which a crawl ends, and where it stands.

    Parameters
    ----------
    counters
        Of this process.
    pages, relevant, minutes
        Limits; 0 for none.
    min_harvest
        The crawl ends when fewer of the last 100 pages are relevant, in [0, 1]; 0 for never.
    clock
        Gives seconds that go on whatever the machine's clock is set to; minutes count from now on, or from `start`.
    """

    def __init__(
        self,
        counters: CrawlCounters,
        *,
        pages: int = 0,
        relevant: int = 0,
        minutes: float = 0.0,
        min_harvest: float = 0.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.counters = counters
        self.pages = pages
        self.relevant = relevant
        self.minutes = minutes
        self.min_harvest = min_harvest
        self.totals: FleetTotals | None = None  # of all workers, as of the last heartbeat
        self.ended = False  # no fetch may start any more
        self._clock = clock
        self._started = clock()
        self._pages_before = counters.pages  # of an earlier process of the run

    def start(self) -> None:
        """Count the minutes from now on."""
        self._started = self._clock()

    def change(self, name: str, value: float) -> None:
        """Set one of the limits.

        Raises
        ------
        ValueError
            If there is none of that name.
        """
        match name:
            case "pages":
                self.pages = int(value)
            case "relevant":
                self.relevant = int(value)
            case "minutes":
                self.minutes = value
            case "min_harvest":
                self.min_harvest = value
            case _:
                raise ValueError(f'"{name}": there is no such limit')

    @property
    def fetched(self) -> int:
        """Pages fetched: by this process, or by all workers as far as is known."""
        return max(self.counters.pages, self.totals.pages if self.totals is not None else 0)

    def allowed(self, under_way: int) -> int:
        """Return how many more fetches may start: never more under way than the limit of pages has left."""
        if self.ended:
            return 0
        return self.pages - self.fetched - under_way if self.pages else 1 << 30

    def harvest(self) -> float | None:
        """Return the harvest of the last 100 pages of this process; None while there are fewer since it began."""
        counters = self.counters
        full = counters.full_window and counters.pages > self._pages_before
        return counters.harvest_recent if full else None

    def reached(self, harvest: float | None) -> Ending | None:
        """Return how a crawl ends that has reached a limit, None when it goes on.

        Parameters
        ----------
        harvest
            Of the last 100 pages of all workers, in [0, 1]; None while there are fewer.
        """
        totals = self.totals
        if self.pages and self.fetched >= self.pages:
            return Ending(BUDGET, _SAY(OF_PAGES, n=f"{self.pages:,}"))
        if self.relevant and max(self.counters.stored, totals.stored if totals else 0) >= self.relevant:
            return Ending(BUDGET, _SAY(OF_STORED, n=f"{self.relevant:,}"))
        if self.minutes and self._clock() - self._started >= self.minutes * 60.0:
            return Ending(BUDGET, _SAY(OF_MINUTES, n=f"{self.minutes:,}"))
        if self.min_harvest and harvest is not None and harvest < self.min_harvest:
            return Ending(HARVEST, _SAY(OF_HARVEST, harvest=f"{harvest:.0%}", least=f"{self.min_harvest:.0%}"))
        return None
