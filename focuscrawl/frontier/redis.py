"""The frontier of a fleet: any number of workers over one Redis, 6.2 or later, without modules.

Every decision is made in one Lua script (``lua/``), so two workers never see half of it. The scripts go by the clock
of the Redis server: the clocks of the workers may differ, and politeness must not depend on them. Times that come in
and go out are those of the worker's own clock. An injected clock takes the place of both, for tests and simulation.
"""

from __future__ import annotations

import asyncio
import os
import secrets
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from heapq import nsmallest
from typing import Any

from focuscrawl.errors import ConfigError, FrontierError
from focuscrawl.frontier import redis_cache
from focuscrawl.frontier import redis_codec as codec
from focuscrawl.frontier.base import FrontierStats, Pushed
from focuscrawl.frontier.dispatch import BEST_FIRST, Dispatch
from focuscrawl.frontier.fleet import FleetFrontier, FleetTotals, Recovered
from focuscrawl.frontier.patience import Waiting, with_waiting
from focuscrawl.frontier.redis_calls import DEFAULT_PATIENCE_S, LAYOUT, Calls, check_layout, connect
from focuscrawl.frontier.redis_patience import told_to_lease, told_to_look
from focuscrawl.frontier.redis_queue import Queued, queued
from focuscrawl.frontier.redis_rounds import RedisRounds
from focuscrawl.frontier.redis_url import without_secret
from focuscrawl.frontier.redis_visits import pack_notes
from focuscrawl.frontier.rules import MAX_EXPIRIES, check_host, check_offsets, check_options
from focuscrawl.records import Entry, Lease, Settlement
from focuscrawl.types import GroupKey, HostKey, UrlKey
from focuscrawl.visits import VISIT_SCORE

_MAX_ATTEMPTS = 15  # four bits of the stored entry
# Place of "made again" among the arguments of lease.lua.
_AGAIN = 7


class RedisFrontier(FleetFrontier):
    """The frontier contract over Redis.

    Parameters
    ----------
    location
        ``redis://…``, ``rediss://…`` or ``unix://…``.
    crawl
        Name of the crawl; workers with the same one share it, others on the same server are not touched.
    clock
        Gives the time in Unix seconds, for tests; None for the clock of the Redis server.
    max_attempts
        Failed attempts after which an entry counts as failed, 15 at most.
    delay_s
        Seconds between two leases of the same host, where `set_host` said nothing else; 0 for none. While another
        worker is alive, the longer of theirs and this one holds for all.
    connection
        More options of the connection, as redis-py names them.
    dispatch, capacity, seed
        Who gets a host: see `focuscrawl.frontier.dispatch.Dispatch`.
    patience_s
        How long a call is made again while the server does not answer.
    wait_per_page_s
        Seconds a page that the fleet may wait for better links (`focuscrawl.frontier.patience`); 0 for none.

    Raises
    ------
    FrontierError
        If an option is wrong; from any call, if the server stays away, has lost the crawl or refuses.
    ConfigError
        If there is no server to connect to by `location` and `connection`.
    """

    durable = True
    _keeps_visits = True  # notes which pages may be visited again

    def __init__(
        self,
        location: str,
        *,
        crawl: str = "crawl",
        clock: Callable[[], float] | None = None,
        max_attempts: int = 3,
        delay_s: float = 0.0,
        connection: Mapping[str, Any] | None = None,
        dispatch: str = BEST_FIRST,
        capacity: float = 1.0,
        seed: int = 0,
        patience_s: float = DEFAULT_PATIENCE_S,
        wait_per_page_s: float = 0.0,
    ) -> None:
        check_options(max_attempts=max_attempts, delay_s=delay_s, wait_per_page_s=wait_per_page_s)
        self._dispatch = Dispatch(dispatch, capacity, seed)
        if max_attempts > _MAX_ATTEMPTS:
            raise FrontierError(f"max_attempts = {max_attempts}: expected at most {_MAX_ATTEMPTS} with Redis.")
        if not crawl or set(crawl) & set("{}"):
            raise ConfigError(
                f'crawl = "{crawl}": expected a name without braces, which Redis gives a meaning of its own.'
            )
        self.crawl = crawl
        self.worker = f"{os.uname().nodename}:{os.getpid()}:{secrets.token_hex(3)}"
        self._location = location
        self._connection = dict(connection or {})
        self._patience_s = patience_s
        self._injected = clock
        self._clock = clock or time.time
        self._max_attempts = max_attempts
        self._delay_s = delay_s
        self._wait_per_page_s = wait_per_page_s
        self._calls: Calls | None = None
        self._epoch = b""
        self._skew = 0.0  # server's clock minus ours
        self._number = 0  # of the calls whose answer must not be lost
        self._held: dict[int, Lease] = {}
        self.page_limit = 0
        self.remembered = False
        self.only_visits = False
        # Calls go one by one: the server remembers the answer to the last one only.
        self._turn = asyncio.Lock()

    # ------------------------------------------------------------------- open, close

    async def open(self) -> None:
        """Connect; take up the crawl of that name or make it."""
        if self._calls is not None:
            raise FrontierError(f"{self._calls.shown}: the frontier is open already.")
        shown = without_secret(self._location) or "Redis"
        calls = Calls(
            connect(self._location, self._connection), shown, f"{{fc:{self.crawl}}}:", patience_s=self._patience_s
        )
        try:
            await self._check(calls)
            epoch, version, at, _ = await calls.run(
                "open",
                [
                    secrets.token_hex(8),
                    self._given_time(),
                    LAYOUT,
                    self.worker,
                    repr(self._delay_s),
                    self._max_attempts,
                    self.successor_of,
                ],
            )
            check_layout(version, crawl=self.crawl, shown=shown)
            await calls.check_memory()
        except BaseException:
            await calls.close()
            raise
        self._epoch = epoch
        self._calls = calls
        self._see_time(float(at))

    async def close(self) -> None:
        """Give back what is leased here, and leave; a second call does nothing."""
        calls = self._calls
        if calls is None:
            return
        try:
            leases = list(self._held.values())
            await self.release(leases)
            if not self.remembered:
                await self._run("leave", self.worker)
        finally:
            self._calls = None
            self._held.clear()
            await calls.close()

    # ------------------------------------------------------------ push, lease, settle

    async def push(self, entries: Sequence[Entry]) -> Pushed:
        if not entries:
            return Pushed()
        batch = codec.Batch()
        blob, refused = batch.pack(self._to_server(entries))
        added, raised, known, more = await self._run("push", blob, *batch.places())
        return Pushed(added, raised, known, refused + more)

    async def lease(self, n: int, *, worker: str, per_host: int, lease_s: float) -> list[Lease]:
        del worker  # a frontier is one worker, and has a name nobody else has
        return await self._lease(n, self._worst, per_host=per_host, lease_s=lease_s)

    async def _lease(self, n: int, worst: str, *, per_host: int, lease_s: float) -> list[Lease]:
        """Lease nothing of a rank worse than `worst`, a number or "inf"."""
        if n <= 0:
            return []
        async with self._turn:
            owner = ""
            if self._dispatch.gives_hosts:
                owner, how = self.worker, self._dispatch
                asked = [self._epoch, self._given_time(), how.policy, owner, repr(how.capacity), how.seed]
                await self._opened().run("assign", asked)
            args = [n, per_host, repr(lease_s), self.worker, self._next(), 0, owner, self._limit, worst]
            reply = await self._numbered("lease", [*args, *told_to_lease(self._waits_s, pages=self.page_limit)])
        self.waits_for = None
        self._see_time(codec.time_of_leases(reply))
        leases = codec.unpack_leases(reply, self._skew)
        self._held.update((lease.token, lease) for lease in leases)
        return leases

    async def renew(self, leases: Sequence[Lease], lease_s: float) -> int:
        if not leases:
            return 0
        return int(await self._run("renew", repr(lease_s), self.worker, codec.pack_tokens(leases)))

    async def settle(self, settlements: Sequence[Settlement]) -> list[bool]:
        if not settlements:
            return []
        batch = codec.Batch()
        parts: list[bytes] = []
        for one in settlements:
            found, _ = batch.pack(self._to_server(one.found))
            parts += [codec.pack_settlement(one), found, pack_notes(one) if self._keeps_visits else b""]
        async with self._turn:
            args = [self.worker, self._next(), len(settlements), *parts, *batch.places()]
            answer: bytes = await self._numbered("settle", args)
        for one in settlements:
            self._held.pop(one.lease.token, None)
        return list(_settled(answer))

    async def release(self, leases: Sequence[Lease], *, delay_s: float = 0.0) -> int:
        if not leases:
            return 0
        released = int(await self._run("release", repr(delay_s), codec.pack_tokens(leases)))
        for lease in leases:
            self._held.pop(lease.token, None)
        return released

    async def reap(self) -> int:
        return int(await self._run("reap", MAX_EXPIRIES))

    # ----------------------------------------------------------- scores, hosts, times

    async def rescore(self, scores: Mapping[UrlKey, float]) -> int:
        blob = codec.pack_scores(scores.items())
        return int(await self._run("rescore", blob, repr(VISIT_SCORE))) if blob else 0

    async def set_offsets(self, offsets: Mapping[GroupKey, float]) -> int:
        check_offsets(offsets)
        if not offsets:
            return 0
        return int(await self._run("offsets", *[word for g, o in offsets.items() for word in (g, repr(float(o)))]))

    async def set_host(self, host: HostKey, *, delay_s: float | None = None, hold_until: float | None = None) -> None:
        check_host(host, delay_s=delay_s, hold_until=hold_until)
        await self._host(host, delay_s, hold_until, longer=False)

    async def next_ready_at(self) -> float | None:
        now, at, hosts = await self._run("look", self._limit, self._worst, told_to_look(self._waits_s))
        self._see_time(float(now))
        ready_at = float(at) - self._skew if at else None
        self.waits_for = Waiting(int(hosts), ready_at) if hosts and ready_at is not None else None
        return ready_at

    async def stats(self) -> FrontierStats:
        return with_waiting(FleetTotals.of(await self._run("totals")).stats, self.waits_for)

    async def entries(self, *, host: HostKey | None = None, limit: int = 100) -> AsyncIterator[Entry]:
        """Yield queued entries by falling priority; reads all of them, for people and tests."""
        for one in await self.best_queued(host=host, limit=limit):
            yield one.entry

    async def best_queued(self, *, host: HostKey | None = None, limit: int = 100) -> list[Queued]:
        """Return the best queued entries, the best first."""
        best: dict[UrlKey, Queued] = {}  # by key: one may come twice
        async for batch in queued(self._opened()):
            best.update((one.entry.key, one) for one in batch if host in (None, one.entry.host))
            if len(best) > limit:
                best = {one.entry.key: one for one in nsmallest(limit, best.values())}
        return [one._replace(entry=self._from_server(one.entry)) for one in sorted(best.values())[:limit]]

    # --------------------------------------------------------------- the fleet: see fleet.py

    @property
    def epoch(self) -> str:
        """Name of this crawl in this Redis, which is another one once it was begun anew; open frontiers only."""
        return self._epoch.decode()

    @property
    def ahead_s(self) -> float:
        """Seconds by which the server's clock is ahead of this worker's."""
        return self._skew

    async def keep_host(self, host: HostKey, *, delay_s: float | None = None, hold_until: float | None = None) -> None:
        """Set the delay or the hold of a host where they are longer than those that it has, from whichever worker."""
        check_host(host, delay_s=delay_s, hold_until=hold_until)
        await self._host(host, delay_s, hold_until, longer=True)

    async def recover(self, worker: str, last: tuple[UrlKey, int] | None) -> Recovered:
        """End what a dead worker has begun; see `focuscrawl.frontier.fleet.FleetFrontier.recover`."""
        if worker == self.worker:
            raise FrontierError(f"{worker}: this worker is alive; only a dead one can be recovered.")
        first = b"" if last is None else codec.pack_token(*last)
        returned, answer = await self._run("recover", worker, MAX_EXPIRIES, first)
        return Recovered(returned, None if answer is None else _settled(answer))

    async def discard(self, worker: str) -> None:
        """Discard what is kept of a dead worker, once what `recover` said of it is not needed any more."""
        await self._run("discard", worker)

    async def import_fingerprints(self, fingerprints: Sequence[bytes]) -> int:
        """Remember what an earlier crawl has fetched, by fingerprints of 8 bytes; return how many were new."""
        return int(await self._run("import_fingerprints", b"".join(fingerprints))) if fingerprints else 0

    async def imported(self, fingerprint: bytes) -> tuple[int, bool]:
        """Return how many fingerprints were imported, and whether this one was."""
        number, here = await self._run("imported", fingerprint)
        return int(number), bool(here)

    async def cached(
        self,
        name: str,
        fresh: Callable[[bytes], bool],
        make: Callable[[bytes | None], Awaitable[bytes]],
        *,
        keep_s: float,
    ) -> bytes:
        """Return what one worker has made for all; see `focuscrawl.frontier.fleet.FleetFrontier.cached`."""
        return await redis_cache.cached(self._opened(), name, fresh, make, keep_s=keep_s)

    @property
    def rounds(self) -> RedisRounds | None:
        """Rounds of visits; None for a part of a crawl."""
        return RedisRounds(self._run, self._opened) if self._keeps_visits else None

    # ----------------------------------------------------------------------- private

    @property
    def _limit(self) -> int:
        return 0 if self.only_visits else self.page_limit  # visits count as no pages

    @property
    def _worst(self) -> str:
        return repr(codec.level_of(VISIT_SCORE / 2.0)) if self.only_visits else "inf"

    @property
    def _waits_s(self) -> float:
        return 0.0 if self.only_visits else self._wait_per_page_s

    async def _host(self, host: HostKey, delay_s: float | None, hold_until: float | None, *, longer: bool) -> None:
        if delay_s is not None or hold_until is not None:
            delay = "" if delay_s is None else repr(float(delay_s))
            hold = "" if hold_until is None else repr(hold_until + self._skew)
            await self._run("host", host, delay, hold, int(longer))

    async def _check(self, calls: Calls) -> None:
        """Look at the server before the crawl is opened: a hook."""

    def _opened(self) -> Calls:
        if self._calls is None:
            raise FrontierError(f'{without_secret(self._location)}: the frontier of "{self.crawl}" is not open.')
        self._calls.lost = self._calls.lost or self.given_up
        return self._calls

    async def _run(self, name: str, *args: Any) -> Any:
        async with self._turn:
            return await self._opened().run(name, [self._epoch, self._given_time(), *args])

    async def _numbered(self, name: str, args: list[Any]) -> Any:
        """Run a script whose answer must not be lost; the caller has the turn."""
        call = [self._epoch, self._given_time(), *args]

        def again() -> None:
            if name == "lease":
                call[_AGAIN] = 1  # settle.lua knows by the number alone

        return await self._opened().run(name, call, again=again)

    def now(self) -> float:
        """Return the time of the worker's clock."""
        return self._clock()

    def _next(self) -> int:
        self._number += 1
        return self._number

    def _given_time(self) -> str:
        return "" if self._injected is None else repr(self._injected())

    def _see_time(self, server: float) -> None:
        if self._injected is None:
            self._skew = server - self._clock()

    def _to_server(self, entries: Sequence[Entry]) -> Sequence[Entry]:
        """Return entries with `not_before` by the server's clock."""
        if not self._skew:
            return entries
        return [replace(one, not_before=one.not_before + self._skew) if one.not_before else one for one in entries]

    def _from_server(self, entry: Entry) -> Entry:
        if not self._skew or not entry.not_before:
            return entry
        return replace(entry, not_before=entry.not_before - self._skew)


def _settled(answer: bytes) -> tuple[bool, ...]:
    return tuple([digit == ord("1") for digit in answer])
