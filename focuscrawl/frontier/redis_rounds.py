"""Rounds of visits of a fleet, in Redis: its pages with what their visits saw, and the round that runs.

A round is begun by one worker in one step, and its pages are leased as links are. It is over for all workers when the
visit of its last page has ended.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from focuscrawl.frontier import redis_codec as codec
from focuscrawl.frontier.redis_calls import Calls
from focuscrawl.frontier.redis_visits import VisitedPage, unpack_page
from focuscrawl.records import Entry
from focuscrawl.types import UrlKey

_AT_ONCE = 500  # pages read in one call
_LATER = 1e11  # Unix time: the year 5138
_SAW = "saw:"


@dataclass(frozen=True, slots=True)
class RoundState:
    """Where the round of visits of a fleet stands; times are those of the server."""

    number: int = 0  # from 1; 0: there was none yet
    now: float = 0.0
    begun: float = 0.0
    ended: float = 0.0  # 0.0 while it runs
    wanted: int = 0  # visits
    left: int = 0  # of them, that have not ended
    links: int = 0  # new links to be followed afterwards
    limit: int = 0  # pages of all workers up to which they are, once the visits have ended
    workers: int = 0  # that took part in the last minute
    pages: int = 0  # of the fleet that may be visited again
    seen: Mapping[str, int] = field(default_factory=dict)  # what visits saw -> how many
    facts: Mapping[str, Any] = field(default_factory=dict)  # what its planner noted
    after: Mapping[str, Any] = field(default_factory=dict)  # what was noted once it was over

    @property
    def runs(self) -> bool:
        """Whether there is a round with visits that have not ended."""
        return self.number > 0 and not self.ended

    @classmethod
    def of(cls, answer: Sequence[Any]) -> RoundState:
        """Return the answer of ``round.lua``."""
        now, workers, left, pages, *rest = answer
        values = {name.decode(): value for name, value in zip(rest[::2], rest[1::2], strict=True)}
        number, after = int(values.get("number", 0)), json.loads(values.get("after", b"{}"))
        return cls(
            number=number,
            now=float(now),
            begun=float(values.get("begun", 0)),
            ended=float(values.get("ended", 0)),
            wanted=int(values.get("wanted", 0)),
            left=int(left),
            links=int(values.get("links", 0)),
            limit=int(values.get("limit", 0)),
            workers=int(workers),
            pages=int(pages),
            seen={name.removeprefix(_SAW): int(n) for name, n in values.items() if name.startswith(_SAW)},
            facts=json.loads(values.get("facts", b"{}")),
            after=after if after.get("round") == number else {},
        )


class RedisRounds:
    """See the module's docstring; `focuscrawl.frontier.redis.RedisFrontier.rounds` gives it.

    Parameters
    ----------
    run, calls
        Run a script of the crawl, and give its connection.

    Raises
    ------
    FrontierError
        From any call, if the server stays away, has lost the crawl or refuses.
    """

    def __init__(self, run: Callable[..., Awaitable[Any]], calls: Callable[[], Calls]) -> None:
        self._run = run
        self._calls = calls

    async def state(self, *, worker: str = "") -> RoundState:
        """Return where the round stands.

        Parameters
        ----------
        worker
            Name of a worker that takes part, '' for somebody who only looks.
        """
        return RoundState.of(await self._run("round", worker))

    async def leave(self, worker: str) -> None:
        """Take part no more."""
        calls = self._calls()
        await calls.patiently(lambda: calls.client.zrem(f"{calls.prefix}visitors", worker))

    async def begin(
        self, number: int, visits: Sequence[Entry], *, worker: str, links: int, facts: Mapping[str, Any]
    ) -> bool:
        """Begin the next round, unless another worker has; what the last one has left is part of it.

        Parameters
        ----------
        number
            Of the last round, as it was when this one was planned.
        visits
            Pages to be visited, best first, each with its score and `Origin.earlier`.
        worker
            Name of this worker, which takes part.
        links
            New links to be followed afterwards.
        facts
            What is to be known of the round; JSON-safe.
        """
        for at in range(0, len(visits), _AT_ONCE):
            # Noted for a time that does not come before the round is begun: in one call Redis would answer no other.
            batch = codec.Batch()
            blob, _ = batch.pack(replace(entry, not_before=_LATER) for entry in visits[at : at + _AT_ONCE])
            await self._run("push", blob, *batch.places())
        keys = b"".join(entry.key.to_bytes(8, "big") for entry in visits)
        return bool(await self._run("begin_round", number, links, json.dumps(facts), worker, keys))

    async def left(self) -> set[UrlKey]:
        """Return the pages whose visits have not ended."""
        calls = self._calls()
        keys = await calls.patiently(lambda: calls.client.smembers(f"{calls.prefix}visiting"))
        return {int.from_bytes(key, "big") for key in keys}

    async def pages(self) -> AsyncIterator[VisitedPage]:
        """Yield the pages that may be visited again; one may come twice."""
        calls, cursor = self._calls(), 0
        while True:
            at = cursor
            cursor, found = await calls.patiently(
                lambda: calls.client.hscan(f"{calls.prefix}visited", at, count=_AT_ONCE)  # noqa: B023 - awaited at once
            )
            for key, text in found.items():
                page = unpack_page(key, text)
                if page is not None:
                    yield page
            if not cursor:
                return

    async def conclude(self, number: int, after: Mapping[str, Any]) -> None:
        """Note what a round has come to; of one that is not the last any more nothing is kept."""
        calls, line = self._calls(), json.dumps({"round": number, **after})
        await calls.patiently(lambda: calls.client.hset(f"{calls.prefix}round", "after", line))
