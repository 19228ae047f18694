"""Moves a partition of a crawl to another server, while workers go on with the others."""

from __future__ import annotations

from functools import partial
from typing import Any

from focuscrawl.errors import ConfigError, CrawlGoneError
from focuscrawl.frontier.redis_calls import Calls

_AT_ONCE = 500


async def move_partition(control: Calls, source: Calls, target: Calls, *, number: int, place: str) -> int:
    """Move a partition; return how many keys it has.

    Its head (``meta``) goes under another name first, and every script needs it: from then on nothing can be changed
    where it was, and workers look once a second where it is. A move that was broken off is made again: from the start,
    or, where workers go on at the new place already, from there.

    Parameters
    ----------
    control, source, target
        Connections: of the crawl, and of the partition where it is and where it is to be.
    number, place
        Of the partition; how its new server is called in ``places`` of the crawl.

    Raises
    ------
    ConfigError
        If the partition is at that place already.
    CrawlGoneError
        If the partition is not on its server.
    ServerAwayError
        If a server does not answer.
    """
    head, moving = f"{source.prefix}meta", f"{source.prefix}moving"
    places = f"{control.prefix}places"
    moved = await control.patiently(lambda: control.client.hget(places, str(number))) == place.encode()
    if await source.patiently(lambda: source.client.exists(head)):
        if moved:
            raise ConfigError(f"{place}: partition {number} is there already; name another server.")
        await source.patiently(lambda: source.client.rename(head, moving))
    elif not await source.patiently(lambda: source.client.exists(moving)):
        raise CrawlGoneError(f"{source.shown}: partition {number} is not on this server.")
    keys = [key for key in await _keys(source) if key != moving.encode()]
    if not moved:
        for key in keys:
            await _copy(source, target, key, key)
        await _copy(source, target, moving.encode(), f"{target.prefix}meta".encode())
        # From here on it is there, and what was here is a copy.
        await control.patiently(lambda: control.client.hset(places, str(number), place))
    for key in [*keys, moving.encode()]:
        await source.patiently(partial(source.client.unlink, key))
    return len(keys) + 1


async def _keys(calls: Calls) -> list[bytes]:
    keys: set[bytes] = set()
    cursor: Any = 0
    while True:
        # Brackets and the like have a meaning in a pattern: what the name has of them is compared below.
        scan = partial(calls.client.scan, cursor, match="{fc:*", count=_AT_ONCE)
        cursor, found = await calls.patiently(scan)
        keys.update(key for key in found if key.startswith(calls.prefix.encode()))
        if not int(cursor):
            return sorted(keys)


async def _copy(source: Calls, target: Calls, key: bytes, name: bytes) -> None:
    packed = await source.patiently(lambda: source.client.dump(key))
    left_ms = await source.patiently(lambda: source.client.pttl(key))
    if packed is not None:  # else it has expired
        await target.patiently(lambda: target.client.restore(name, max(0, left_ms), packed, replace=True))
