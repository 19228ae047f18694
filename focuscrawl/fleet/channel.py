"""Control channel: where commands to a crawl are left and its workers report.

One is in Redis, for a fleet; the other is a file in the run folder, for a crawl of one process.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field

from pydantic import BaseModel, ConfigDict

from focuscrawl.fleet.commands import Command, Unreadable
from focuscrawl.frontier.fleet import FleetTotals
from focuscrawl.records import Entry


class WorkerStatus(BaseModel):
    """Report of a worker; unknown fields of a later version are left out."""

    model_config = ConfigDict(frozen=True)

    machine: str = ""
    pid: int | None = None
    started: float | None = None  # Unix time
    pages: int = 0
    relevant: int = 0
    failed: int = 0
    rate: float = 0.0  # pages a second
    in_flight: int = 0
    paused: bool = False
    topic: str = ""
    topic_version: str = ""  # digest of its file and samples
    spider: str = ""  # name of a project's own
    strategy: str = ""  # none in a round of visits, and no limits
    limits: dict[str, float] = {}  # as `focuscrawl.fleet.commands.LIMITS` names them
    model: int = 0  # version of the publication it has taken up or made
    run: str = ""  # its run folder


ALIVE_S = 60.0
"""A worker not heard of for so long is taken for dead (as in ``open.lua`` and ``reap.lua``)."""


@dataclass(frozen=True, slots=True)
class WorkerReport:
    """Last report of a worker."""

    name: str
    silent_s: float  # since then
    status: WorkerStatus


@dataclass(frozen=True, slots=True)
class HeartbeatReport:
    """What a worker tells the channel in a heartbeat."""

    status: WorkerStatus = field(default_factory=WorkerStatus)
    known: int = 0  # number of the last command it has read
    events: Sequence[bytes] = ()  # of pages settled since the last report: `focuscrawl.records.PageEvent` as JSON
    cursor: str = ""  # position of the last event it has read, '' for the beginning
    learns: bool = False  # from each event, which takes longer than to count it: fewer are given at once
    run: str = ""  # name of its run, which goes on when a worker is started again: its events are left out


@dataclass(frozen=True, slots=True)
class Heartbeat:
    """Answer to a worker's heartbeat."""

    commands: Sequence[Command | Unreadable] = ()  # given since the last report, oldest first
    number: int = 0  # of all commands up to now
    past: int = 0  # of the commands given before the present workers came: a `Stop` among them is over
    scored: int = 0  # number of the last `Retopic` for which the queue has been scored anew
    trainer: bool = True  # whether this worker is the one that publishes what all learn
    model: int = 0  # version of what the trainer has published
    events: Sequence[bytes] = ()  # of pages that other runs have settled since `cursor`
    cursor: str = ""  # position of the last of them, or of one's own
    more: bool = False  # there are more
    totals: FleetTotals | None = None  # of all workers; None for one process


class ControlChannel(ABC):
    """A worker's side of the channel; what a crawl of one process has no use for does nothing."""

    shared = False  # other workers may be there

    @abstractmethod
    async def open(self) -> None:
        """Connect."""
        ...

    @abstractmethod
    async def close(self) -> None:
        """Disconnect."""
        ...

    @abstractmethod
    async def heartbeat(self, report: HeartbeatReport) -> Heartbeat:
        """Report, and learn what is new."""
        ...

    @abstractmethod
    async def give(self, command: Command) -> int:
        """Give a command to all workers; return its number."""
        ...

    @abstractmethod
    async def mark_scored(self, number: int) -> None:
        """Note that the queue has been scored anew for command `number`."""
        ...

    async def others(self) -> Sequence[WorkerReport]:
        """Return the other workers that are alive, the one heard of last first."""
        return ()

    async def retire(self, events: Sequence[bytes] = (), *, run: str = "") -> None:
        """Leave for good, with the last events; see `HeartbeatReport`."""
        del events, run

    async def publish(self, model: bytes) -> int:
        """Give others what was learned, if still the trainer; return its version, 0 if not."""
        del model
        return 0

    async def model(self) -> bytes | None:
        """Return what was published last."""
        return None

    def queued(self) -> AsyncIterator[list[Entry]] | None:
        """Yield all queued entries in batches; None: the frontier's own way will do."""
        return None
