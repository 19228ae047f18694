"""Shared cache of a fleet: a value that one worker makes and all use, such as the robots.txt of a site."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress

from focuscrawl.frontier.redis_calls import Calls
from focuscrawl.frontier.redis_connect import Lock, faults

# The maker's lock ends with it: one who dies is replaced. Longer than a download with its redirects.
_LOCK_S = 90.0
# How often the others look whether it is there: rarely enough for a Redis of many waiting workers.
_FIRST_LOOK_S = 0.1
_LATER_LOOK_S = 0.5


async def cached(
    calls: Calls,
    name: str,
    fresh: Callable[[bytes], bool],
    make: Callable[[bytes | None], Awaitable[bytes]],
    *,
    keep_s: float,
) -> bytes:
    """Return the value of `name`; see `focuscrawl.frontier.fleet.FleetFrontier.cached`.

    Keys: ``once:<name>`` (string, the value) and ``making:<name>`` (the lock of the worker that makes it), both of
    which expire.
    """
    client, key = calls.client, f"{calls.prefix}once:{name}"
    lock = Lock(client, f"{calls.prefix}making:{name}", timeout=_LOCK_S, blocking=False)
    wait_s = _FIRST_LOOK_S
    while True:
        old: bytes | None = await calls.patiently(lambda: client.get(key))
        if old is not None and fresh(old):
            return old
        if await calls.patiently(lock.acquire):
            break
        await asyncio.sleep(wait_s)
        wait_s = _LATER_LOOK_S
    try:
        # Between our look and our lock, another worker may have come to its end.
        old = await calls.patiently(lambda: client.get(key))
        if old is not None and fresh(old):
            return old
        made = await make(old)
        await calls.patiently(lambda: client.set(key, made, px=int(keep_s * 1000)))
        return made
    finally:
        with suppress(faults.LockError):  # it took longer than the lock lasts, and another worker makes it, too
            await calls.patiently(lock.release)
