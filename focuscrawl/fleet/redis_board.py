"""The board of a fleet, in the Redis its frontier is in; people and programs look at it and give orders there, too."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from focuscrawl.errors import FrontierError
from focuscrawl.fleet.board import Polled
from focuscrawl.fleet.orders import MAX_ORDERS, Order
from focuscrawl.frontier.redis_calls import DEFAULT_PATIENCE_S, Calls, connect
from focuscrawl.frontier.redis_queue import queued
from focuscrawl.frontier.redis_url import without_secret
from focuscrawl.records import Entry

TRAINER_SILENT_S = 10.0
"""A trainer not heard of for so long is replaced."""
ALIVE_S = 60.0
"""A worker not heard of for so long is taken for dead (as in ``open.lua``)."""
_LOOK_PATIENCE_S = 2.0
_START = "0-0"  # before the first entry of a stream


@dataclass(frozen=True, slots=True)
class WorkerFacts:
    """What a worker said last of itself."""

    name: str
    silent_s: float  # since then
    facts: Mapping[str, Any]


class RedisBoard:
    """`Board` over Redis, with a connection of its own: an order must not wait behind the frontier's calls.

    Parameters
    ----------
    location, connection, crawl
        As of `focuscrawl.frontier.redis.RedisFrontier`.
    worker
        Name of the worker; '' for somebody who only looks and gives orders.
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
        """Find the crawl."""
        client, key = self._calls.client, f"{self._calls.prefix}meta"
        epoch = await self._calls.patiently(lambda: client.hget(key, "epoch"))
        if epoch is None:
            names = await self.crawls()
            known = f" There: {', '.join(names)}." if names else " There is none at all."
            raise FrontierError(f'{self.shown}: there is no crawl "{self.crawl}" on this server.{known}')
        self._epoch = epoch

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
        return sorted(set(names))

    # --------------------------------------------------------------------- workers

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
        """Report, and learn what is new."""
        said = json.dumps(facts, ensure_ascii=False)
        number, done, trainer, version, orders, last, more, heard = await self._run(
            "control",
            self.worker,
            said,
            seen,
            self._silent_ms,
            cursor or _START,
            int(learns),
            run or self.worker,
            *events,
        )
        read = [Order.from_json(line) for line in orders]
        return Polled(
            [order if order is not None else Order("unknown") for order in read],
            number,
            done,
            bool(trainer),
            version,
            heard.split(b"\n") if heard else (),
            last.decode(),
            bool(more),
        )

    async def publish(self, model: bytes) -> int:
        """Give others what was learned."""
        return int(await self._run("publish", self.worker, model))

    async def model(self) -> bytes | None:
        """Return what was published last."""
        client, key = self._calls.client, f"{self._calls.prefix}model"
        data: bytes | None = await self._calls.patiently(lambda: client.hget(key, "data"))
        return data

    async def mark_done(self, number: int) -> None:
        """Note that the queue has been scored anew."""
        client, key = self._calls.client, f"{self._calls.prefix}meta"
        await self._calls.patiently(lambda: client.hset(key, "retopic", number))

    async def retire(self, events: Sequence[bytes] = (), *, run: str = "") -> None:
        """Leave, with the last events; see `poll`."""
        await self._run("retire", self.worker, run or self.worker, *events)

    async def queued(self) -> AsyncIterator[list[Entry]]:
        """Yield all queued entries in batches."""
        async for batch in queued(self._calls):
            yield [one.entry for one in batch]

    # ---------------------------------------------------------------------- people

    async def give(self, order: Order) -> int:
        """Give an order; return its number."""
        number = int(await self._run("order", order.to_json(), MAX_ORDERS))
        if not number:
            raise FrontierError(
                f'{self.shown}: "{self.crawl}" has {MAX_ORDERS:,} orders; no more are taken but stop. Go on under'
                " another FOCUSCRAWL_CRAWL."
            )
        return number

    async def stop(self, reason: str, detail: str) -> None:
        """Tell all workers to stop."""
        await self._run("stop", reason, detail)

    async def orders(self) -> list[Order]:
        """Return all orders given."""
        client, key = self._calls.client, f"{self._calls.prefix}orders"
        lines = await self._calls.patiently(lambda: client.lrange(key, 0, -1))
        return [order for order in map(Order.from_json, lines) if order is not None]

    async def counts(self) -> list[Any]:
        """Return what ``state.lua`` tells."""
        found: list[Any] = await self._run("state")
        return found

    async def workers(self) -> list[WorkerFacts]:
        """Return the workers heard of in the last ten minutes, the one heard of last first."""
        client, prefix = self._calls.client, self._calls.prefix

        async def read() -> tuple[Any, Any, Any]:
            pipe = client.pipeline(transaction=False)
            pipe.time()
            pipe.zrevrange(f"{prefix}workers", 0, -1, withscores=True)
            pipe.hgetall(f"{prefix}facts")
            time, heard, facts = await pipe.execute()
            return time, heard, facts

        (seconds, micros), heard, facts = await self._calls.patiently(read)
        now = seconds + micros / 1e6
        return [
            WorkerFacts(name.decode("utf-8", "replace"), max(0.0, now - at), json.loads(facts.get(name) or b"{}"))
            for name, at in heard
        ]

    async def trainer(self) -> str:
        """Return the name of the worker that learns for all, '' when there is none."""
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
