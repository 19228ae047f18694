"""Contract of a frontier that several workers share, beyond that of every frontier."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import astuple, dataclass
from typing import TYPE_CHECKING

from focuscrawl.errors import FrontierError
from focuscrawl.frontier.base import Frontier, FrontierStats
from focuscrawl.frontier.patience import Waiting
from focuscrawl.types import HostKey, UrlKey

if TYPE_CHECKING:
    from focuscrawl.frontier.redis_rounds import RedisRounds

MOST_VISITS = 100_000
"""Visits of a round: it is begun in one call, during which Redis answers no other."""
_COUNTS = 7  # of `FrontierStats`, that are counts


@dataclass(frozen=True, slots=True)
class FleetTotals:
    """Totals of all workers, at one moment."""

    stats: FrontierStats
    pages: int  # fetched, as the budget counts them
    relevant: int
    stored: int  # of the relevant ones: neither duplicates nor asking not to be indexed
    workers: int  # heard of in the last minute

    @classmethod
    def of(cls, numbers: Sequence[int]) -> FleetTotals:
        """Return the totals in an answer of ``_totals.lua``."""
        *counts, pages, relevant, stored, workers = numbers
        return cls(FrontierStats(*counts), pages, relevant, stored, workers)

    @classmethod
    def sum(cls, parts: Sequence[FleetTotals], workers: int) -> FleetTotals:
        """Return the totals of partitions together."""
        rows = [(*astuple(one.stats)[:_COUNTS], one.pages, one.relevant, one.stored) for one in parts]
        return cls.of([*map(sum, zip(*rows, strict=True)), workers])


@dataclass(frozen=True, slots=True)
class Heads:
    """What a partition has to offer at one moment."""

    ranks: Sequence[float]  # of the best entry of each of its best ready hosts, the best first; the smaller, the better
    room: int  # pages its quota allows beside those fetched and leased
    repeats: bool  # a host may be asked again at once: behind its best entry stands another


@dataclass(frozen=True, slots=True)
class Recovered:
    """Recovered work of a worker that has died."""

    returned: int  # leases of it that went back to the queue
    settled: tuple[bool, ...] | None  # the answer to its last call of `settle`; None when that call never came


class FleetFrontier(Frontier):
    """Base class of a frontier that several workers share.

    Workers of a fleet share its pages, too: `lease` never lets them fetch more than `page_limit` together.

    An entry with `Origin.earlier` whose key is done, pushed or among the links of a settlement, is a page to be visited
    again: it counts as done until its `not_before`, and is queued then. The settlement of a visit may have the next one
    among its links, so that none is lost between the two. A page that is queued, leased or not known is left as it is.
    Visits are leased as links are, and count neither as pages nor as relevant ones.
    """

    worker: str
    page_limit: int  # 0: no limit
    only_visits: bool = False  # `lease` hands out pages to be visited again, and no links
    waits_for: Waiting | None = None  # hosts of better links than those that are ready, as of the last look
    successor_of: str = ""  # the dead worker whose place it takes: `open` does not count that one as alive
    given_up: FrontierError | None = None  # by another connection: no call waits any more for the server
    remembered: bool  # `close` leaves what `recover` is asked for: an answer of the frontier is not safe yet

    @property
    def rounds(self) -> RedisRounds | None:
        """Rounds of visits of this crawl; None where there are none, as on several servers."""
        return None

    @property
    def ahead_s(self) -> float:
        """Seconds by which the clock that all workers share is ahead of this one's; for times they tell each other."""
        return 0.0

    @property
    @abstractmethod
    def epoch(self) -> str:
        """Name of this crawl: another one once it was begun anew, which knows no worker from before."""
        ...

    @abstractmethod
    async def keep_host(self, host: HostKey, *, delay_s: float | None = None, hold_until: float | None = None) -> None:
        """Set the delay or the hold of a host where they are longer than those that it has, from whichever worker."""
        ...

    @abstractmethod
    async def recover(self, worker: str, last: tuple[UrlKey, int] | None) -> Recovered:
        """End what a dead worker has begun: its leases go back to the queue, each counting an expiry.

        A call of the dead worker that arrives later than this one settles nothing; what it may lease then expires in
        its time. Made again, by whomever, the call gives the same answer until `discard`: so it may be asked before
        what depends on it is safe.

        Parameters
        ----------
        worker
            What `worker` of its frontier was. The caller has to know that it is dead: a living one loses its leases.
        last
            Key and token of the first settlement in the last call of `settle` that it began, None when it began none.
        """
        ...

    @abstractmethod
    async def discard(self, worker: str) -> None:
        """Discard what is kept of a dead worker, once what `recover` said of it is not needed any more."""
        ...

    @abstractmethod
    async def imported(self, fingerprint: bytes) -> tuple[int, bool]:
        """Return how many fingerprints of earlier crawls were imported, and whether this one, of 8 bytes, was."""
        ...

    @abstractmethod
    async def cached(
        self,
        name: str,
        fresh: Callable[[bytes], bool],
        make: Callable[[bytes | None], Awaitable[bytes]],
        *,
        keep_s: float,
    ) -> bytes:
        """Return what one worker has made for all, making it where there is nothing fresh.

        Parameters
        ----------
        fresh
            Tells whether a value can still be used.
        make
            Makes it; gets the value that is not fresh any more, None without one. It may take a minute.
        keep_s
            Seconds after which the server forgets it.
        """
        ...
