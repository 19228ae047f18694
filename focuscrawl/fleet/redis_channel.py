"""Control channel of a fleet, in the Redis its frontier is in; people look and give commands there, too."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from focuscrawl.errors import ConfigError, FrontierError
from focuscrawl.fleet.channel import ALIVE_S, ControlChannel, Heartbeat, HeartbeatReport, WorkerReport, WorkerStatus
from focuscrawl.fleet.commands import MAX_COMMANDS, Command, Stop, Unreadable, from_json, to_json
from focuscrawl.fleet.waiting import MAX_NAMED, Waiting
from focuscrawl.frontier.fleet import FleetTotals
from focuscrawl.frontier.partition import is_partition
from focuscrawl.frontier.redis_calls import DEFAULT_PATIENCE_S, Calls, check_layout, connect
from focuscrawl.frontier.redis_queue import queued
from focuscrawl.frontier.redis_rounds import RoundState
from focuscrawl.frontier.redis_url import place_of, without_secret
from focuscrawl.records import Entry

TRAINER_SILENT_S = 10.0
"""A trainer not heard of for so long is replaced."""
_LOOK_PATIENCE_S = 2.0
_START = "0-0"  # before the first entry of a stream


class RedisChannel(ControlChannel):
    """`ControlChannel` over Redis, with a connection of its own: a command must not wait behind the frontier's calls.

    Parameters
    ----------
    location, connection, crawl
        As of `focuscrawl.frontier.redis.RedisFrontier`.
    worker
        Name of the worker; '' for somebody who only looks and gives commands.
    silent_s
        How long a trainer may be silent.

    Raises
    ------
    FrontierError
        From any call: the server stays away, or there is no such crawl.
    """

    shared = True

    def __init__(
        self,
        location: str,
        *,
        crawl: str,
        connection: Mapping[str, Any] | None = None,
        worker: str = "",
        silent_s: float = TRAINER_SILENT_S,
    ) -> None:
        self.shown = without_secret(location) or "Redis"
        self.crawl = crawl
        self.worker = worker
        self._silent_ms = int(silent_s * 1000)
        self._calls = Calls(
            connect(location, connection or {}),
            self.shown,
            f"{{fc:{crawl}}}:",
            patience_s=DEFAULT_PATIENCE_S if worker else _LOOK_PATIENCE_S,
        )
        self._epoch = b""

    async def open(self) -> None:
        """Find the crawl.

        Raises
        ------
        FrontierError
            If it is not on the server, or of another version.
        """
        client, key = self._calls.client, f"{self._calls.prefix}meta"
        epoch, version = await self._calls.patiently(lambda: client.hmget(key, "epoch", "version"))
        if epoch is None:
            names = await self.crawls()
            known = f" There: {', '.join(names)}." if names else " There is none at all."
            raise FrontierError(f'{self.shown}: there is no crawl "{self.crawl}" on this server.{known}')
        check_layout(version, crawl=self.crawl, shown=self.shown)
        self._epoch = epoch
        await self._find_partitions()

    async def _find_partitions(self) -> None:
        """Look for the partitions of the crawl: here there should be none."""
        client, prefix = self._calls.client, self._calls.prefix
        places = await self._calls.patiently(lambda: client.hvals(f"{prefix}places"))
        if places:
            servers = ",".join(sorted({place_of(place.decode()) for place in places}))
            raise ConfigError(f'{self.shown}: the crawl "{self.crawl}" is on several servers; name them all: {servers}')

    async def close(self) -> None:
        """Close the connection."""
        await self._calls.close()

    async def crawls(self) -> list[str]:
        """Return the names of the crawls on the server, up to 1,000 of them."""
        names: list[str] = []

        async def scan() -> None:
            async for key in self._calls.client.scan_iter(match="{fc:*}:meta", count=1000):
                names.append(key.decode("utf-8", "replace")[4:-6])
                if len(names) >= 1000:
                    break

        await self._calls.patiently(scan)
        return sorted({name for name in names if not is_partition(name)})

    # --------------------------------------------------------------------- workers

    async def heartbeat(self, report: HeartbeatReport) -> Heartbeat:
        """Report, and learn what is new."""
        number, past, scored, trainer, model, commands, last, more, events, totals = await self._run(
            "heartbeat",
            self.worker,
            report.status.model_dump_json(),
            report.known,
            self._silent_ms,
            report.cursor or _START,
            int(report.learns),
            report.run or self.worker,
            *report.events,
        )
        return Heartbeat(
            [from_json(line) for line in commands],
            number,
            past,
            scored,
            bool(trainer),
            model,
            events.split(b"\n") if events else (),
            last.decode(),
            bool(more),
            FleetTotals.of(totals),
        )

    async def others(self) -> list[WorkerReport]:
        """Return the other workers that are alive."""
        return [one for one in await self.workers() if one.name != self.worker and one.silent_s < ALIVE_S]

    async def publish(self, model: bytes) -> int:
        """Give others what was learned."""
        return int(await self._run("publish", self.worker, model))

    async def model(self) -> bytes | None:
        """Return what was published last."""
        client, key = self._calls.client, f"{self._calls.prefix}model"
        data: bytes | None = await self._calls.patiently(lambda: client.hget(key, "data"))
        return data

    async def mark_scored(self, number: int) -> None:
        """Note that the queue has been scored anew."""
        client, key = self._calls.client, f"{self._calls.prefix}meta"
        await self._calls.patiently(lambda: client.hset(key, "scored", number))

    async def retire(self, events: Sequence[bytes] = (), *, run: str = "") -> None:
        """Leave for good, with the last events."""
        await self._run("retire", self.worker, run or self.worker, *events)

    async def queued(self) -> AsyncIterator[list[Entry]]:
        """Yield all queued entries in batches."""
        async for batch in queued(self._calls):
            yield [one.entry for one in batch]

    # ---------------------------------------------------------------------- people

    async def give(self, command: Command) -> int:
        """Give a command to all workers; return its number, of a second `Stop` that of the first.

        Raises
        ------
        FrontierError
            If the list of commands is full.
        """
        most = 0 if isinstance(command, Stop) else MAX_COMMANDS
        number = int(await self._run("command", to_json(command), most))
        if not number:
            raise FrontierError(
                f'{self.shown}: the list of commands of "{self.crawl}" is full ({MAX_COMMANDS:,}); only `stop` is'
                " accepted. Go on under another FOCUSCRAWL_CRAWL."
            )
        return number

    async def commands(self) -> list[Command | Unreadable]:
        """Return all commands given."""
        client, key = self._calls.client, f"{self._calls.prefix}commands"
        lines = await self._calls.patiently(lambda: client.lrange(key, 0, -1))
        return [from_json(line) for line in lines]

    async def standing_stop(self) -> Stop | None:
        """Return the command to stop that stands, None while the crawl is to go on."""
        client, prefix = self._calls.client, self._calls.prefix
        number = await self._calls.patiently(lambda: client.hget(f"{prefix}meta", "stop"))
        if number is None:
            return None
        line = await self._calls.patiently(lambda: client.lindex(f"{prefix}commands", int(number) - 1))
        command = from_json(line or b"")
        return command if isinstance(command, Stop) else Stop()

    async def totals(self) -> FleetTotals:
        """Return the totals of all workers."""
        return FleetTotals.of(await self._run("totals"))

    async def waiting(self) -> Waiting:
        """Return what the hosts with queued links wait for."""
        return Waiting.of(await self._run("waits", MAX_NAMED))

    async def refusals_of_writes(self) -> list[str]:
        """Return for each server a sentence why it takes no writes now, '' when it does.

        Without the first nothing goes on: reports and commands are there.
        """
        return [await self._calls.refusal_of_writes()]

    async def round(self) -> RoundState:
        """Return where the round of visits stands."""
        return RoundState.of(await self._run("round", ""))

    async def workers(self) -> list[WorkerReport]:
        """Return the workers heard of in the last ten minutes, the one heard of last first."""
        client, prefix = self._calls.client, self._calls.prefix

        async def read() -> tuple[Any, Any, Any]:
            pipe = client.pipeline(transaction=False)
            pipe.time()
            pipe.zrevrange(f"{prefix}workers", 0, -1, withscores=True)
            pipe.hgetall(f"{prefix}status")
            time, heard, reports = await pipe.execute()
            return time, heard, reports

        (seconds, micros), heard, reports = await self._calls.patiently(read)
        now = seconds + micros / 1e6
        return [
            WorkerReport(name.decode("utf-8", "replace"), max(0.0, now - at), _status(reports.get(name)))
            for name, at in heard
        ]

    async def trainer(self) -> str:
        """Return the name of the trainer, '' when there is none."""
        client, key = self._calls.client, f"{self._calls.prefix}trainer"
        name = await self._calls.patiently(lambda: client.get(key))
        return name.decode("utf-8", "replace") if name else ""

    async def model_version(self) -> int:
        """Return how often the trainer has published."""
        client, key = self._calls.client, f"{self._calls.prefix}model"
        return int(await self._calls.patiently(lambda: client.hget(key, "version")) or 0)

    # --------------------------------------------------------------------- private

    async def _run(self, name: str, *args: Any) -> Any:
        return await self._calls.run(name, [self._epoch, "", *args])


def _status(line: bytes | None) -> WorkerStatus:
    """Return a status as it was reported; of a worker that has not reported yet nothing is known."""
    try:
        return WorkerStatus.model_validate_json(line or b"{}")
    except ValidationError:
        return WorkerStatus()
