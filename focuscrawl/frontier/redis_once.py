"""A value that one worker makes and all use: the robots.txt of a site, above all."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from focuscrawl.frontier.redis_calls import Calls

# The maker's claim ends with it: one who dies is replaced. Longer than a download with its redirects.
_CLAIM_MS = 90_000
# How often the others look whether it is there: rarely enough for a Redis of many waiting workers.
_FIRST_LOOK_S = 0.1
_LATER_LOOK_S = 0.5
# Frees a claim that is still the caller's.
_FREE = "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0"


class RedisOnce:
    """See the module's docstring.

    Keys: ``once:<name>`` (string, the value) and ``making:<name>`` (string, the worker that makes it), both of which
    expire.
    """

    def __init__(self, calls: Calls, worker: str) -> None:
        self._calls = calls
        self._worker = worker

    async def get(
        self,
        name: str,
        fresh: Callable[[bytes], bool],
        make: Callable[[bytes | None], Awaitable[bytes]],
        *,
        keep_s: float,
    ) -> bytes:
        """Return the value of `name`; see `focuscrawl.frontier.fleet.FleetFrontier.once`."""
        client, value_key = self._calls.client, f"{self._calls.prefix}once:{name}"
        claim_key = f"{self._calls.prefix}making:{name}"
        wait_s = _FIRST_LOOK_S
        while True:
            old: bytes | None = await self._calls.patiently(lambda: client.get(value_key))
            if old is not None and fresh(old):
                return old
            if await self._calls.patiently(lambda: client.set(claim_key, self._worker, nx=True, px=_CLAIM_MS)):
                break
            await asyncio.sleep(wait_s)
            wait_s = _LATER_LOOK_S
        try:
            # Between our look and our claim, another worker may have come to its end.
            old = await self._calls.patiently(lambda: client.get(value_key))
            if old is not None and fresh(old):
                return old
            made = await make(old)
            await self._calls.patiently(lambda: client.set(value_key, made, px=int(keep_s * 1000)))
            return made
        finally:
            await self._calls.patiently(lambda: client.eval(_FREE, 1, claim_key, self._worker))
