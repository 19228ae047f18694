"""Where orders to a crawl are left and its workers report: in Redis for a fleet, in the run folder for one process."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from focuscrawl.fleet.orders import Order
from focuscrawl.records import Entry


@dataclass(frozen=True, slots=True)
class Polled:
    """What a worker learns when it reports."""

    orders: Sequence[Order] = ()  # given since the last look, oldest first
    number: int = 0  # of all orders up to now
    done: int = 0  # number of the last change of the topic for which the queue has been scored anew
    trainer: bool = True  # whether this worker is the one that learns for all
    model: int = 0  # version of what the trainer has published
    events: Sequence[bytes] = ()  # of pages that other runs have settled since `cursor`
    cursor: str = ""  # position of the last of them, or of one's own
    more: bool = False  # there are more


class Board(Protocol):
    """What a worker does with it, about once a second."""

    shared: bool  # other workers may be there

    async def open(self) -> None: ...

    async def close(self) -> None: ...

    async def poll(
        self,
        facts: Mapping[str, Any],
        *,
        seen: int,
        events: Sequence[bytes] = (),
        cursor: str = "",
        learns: bool = False,
        run: str = "",
    ) -> Polled:
        """Report, and learn what is new.

        Parameters
        ----------
        facts
            How the worker does, JSON-safe.
        seen
            Number of the last order it knows.
        events
            Of pages it has settled since the last time (`focuscrawl.records.PageEvent` as JSON).
        cursor
            Position of the last event it has read, '' for the beginning.
        learns
            It learns from each event, which takes longer than to count it: fewer are given at once.
        run
            Name of its run, which goes on when a worker is started again: events of this run are left out.
        """
        ...

    async def publish(self, model: bytes) -> int:
        """Give others what was learned, if still the trainer; return its version, 0 if not."""
        ...

    async def model(self) -> bytes | None:
        """Return what was published last."""
        ...

    async def mark_done(self, number: int) -> None:
        """Note that the queue has been scored anew for order `number`."""
        ...

    def queued(self) -> AsyncIterator[list[Entry]] | None:
        """Yield all queued entries in batches; None: the frontier's own way will do."""
        ...
