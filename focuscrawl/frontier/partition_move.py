"""Moves a partition of a crawl to another server, while workers go on with the others."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import Any

from focuscrawl.errors import ConfigError, CrawlGoneError, FrontierError, InputError
from focuscrawl.frontier.redis_calls import Calls
from focuscrawl.frontier.redis_connect import Lock, faults
from focuscrawl.frontier.redis_url import place_of

_AT_ONCE = 500
# A move that was killed lets the next one begin after so many seconds; the largest key is copied within them.
_LOCK_S = 60.0


async def move_partition(control: Calls, servers: Mapping[str, Calls], *, number: int, place: str) -> int:
    """Move a partition; return how many keys it has.

    Its head (``meta``) goes under another name first, and every script needs it: from then on nothing can be changed
    where it was, and workers look once a second where it is. ``places`` of the crawl alone says where that is, so a
    move that was broken off has left the partition on one server. The next move makes it again from the start, or puts
    the head back when the partition is to stay, and deletes what the broken one has left elsewhere.

    Parameters
    ----------
    control
        Connection of the crawl.
    servers
        Connections of the partition, on all servers of the crawl, by how they are called in ``places``.
    number, place
        Of the partition; where it is to be.

    Raises
    ------
    ConfigError
        If a server is not in `servers`, or has another crawl of this name.
    CrawlGoneError
        If the partition is not on its server.
    FrontierError
        If another move is under way.
    ServerAwayError
        If a server does not answer.
    """
    async with _alone(control) as lock:
        noted = await control.patiently(lambda: control.client.hget(f"{control.prefix}places", str(number)))
        if noted is None:
            raise CrawlGoneError(f"{control.shown}: the crawl has no partition {number}.")
        here = place_of(noted.decode())
        for name in (here, place):
            if name not in servers:
                raise ConfigError(f"{name}: no server of this crawl; they are {', '.join(servers)}.")
        epoch = await control.patiently(lambda: control.client.hget(f"{control.prefix}epochs", str(number)))
        for calls in servers.values():
            await _check_own(calls, epoch)
        source, target = servers[here], servers[place]
        await _put_aside(source, number)
        await _delete_elsewhere(servers, here, control, lock)
        keys = await _keys(source)
        if here == place:
            await source.patiently(lambda: source.client.rename(f"{source.prefix}moving", f"{source.prefix}meta"))
            return len(keys)
        head = f"{source.prefix}moving".encode()
        for key in keys:
            await _copy(source, target, key, f"{target.prefix}meta".encode() if key == head else key)
            await control.patiently(lock.reacquire)
        # From here on it is there, and what was here is a copy.
        await control.patiently(lambda: control.client.hset(f"{control.prefix}places", str(number), place))
        await _delete_elsewhere(servers, place, control, lock)
        return len(keys)


@asynccontextmanager
async def _alone(control: Calls) -> AsyncIterator[Lock]:
    """Keep other moves of the crawl out."""
    lock = Lock(control.client, f"{control.prefix}move:lock", timeout=_LOCK_S, blocking=False)
    if not await control.patiently(lock.acquire):
        raise FrontierError(
            f"{control.shown}: another move of this crawl is under way. Try again when it is done; one that was killed"
            f" counts for {_LOCK_S:.0f} seconds."
        )
    try:
        yield lock
    except faults.LockError as error:
        raise FrontierError(
            f"{control.shown}: this move was held up for more than {_LOCK_S:.0f} seconds, so that another one may have"
            " begun. The same command again ends it."
        ) from error
    finally:
        with suppress(faults.RedisError, OSError):  # it runs out by itself
            await lock.release()


async def _check_own(calls: Calls, epoch: bytes | None) -> None:
    for head in ("meta", "moving"):
        found = await calls.patiently(partial(calls.client.hget, f"{calls.prefix}{head}", "epoch"))
        if found is not None and found != epoch:
            raise InputError(
                f"{calls.shown}: has keys {calls.prefix}* of another crawl. Delete them there, or take another server."
            )


async def _put_aside(source: Calls, number: int) -> None:
    head, moving = f"{source.prefix}meta", f"{source.prefix}moving"
    if await source.patiently(lambda: source.client.exists(head)):
        await source.patiently(lambda: source.client.rename(head, moving))
    elif not await source.patiently(lambda: source.client.exists(moving)):
        raise CrawlGoneError(f"{source.shown}: partition {number} is not on this server.")


async def _delete_elsewhere(servers: Mapping[str, Calls], here: str, control: Calls, lock: Lock) -> None:
    for name, calls in servers.items():
        if name == here:
            continue
        keys = await _keys(calls)
        for at in range(0, len(keys), _AT_ONCE):
            # Another move may want what stands there, once this one has lost its turn.
            await control.patiently(lock.reacquire)
            await calls.patiently(partial(calls.client.unlink, *keys[at : at + _AT_ONCE]))


async def _keys(calls: Calls) -> list[bytes]:
    """Return the keys of a partition, its head last."""
    keys: set[bytes] = set()
    cursor: Any = 0
    while True:
        # Brackets and the like have a meaning in a pattern: what the name has of them is compared below.
        scan = partial(calls.client.scan, cursor, match="{fc:*", count=_AT_ONCE)
        cursor, found = await calls.patiently(scan)
        keys.update(key for key in found if key.startswith(calls.prefix.encode()))
        if not int(cursor):
            heads = [f"{calls.prefix}{name}".encode() for name in ("moving", "meta")]
            return sorted(keys, key=lambda key: (key in heads, key))


async def _copy(source: Calls, target: Calls, key: bytes, name: bytes) -> None:
    packed = await source.patiently(lambda: source.client.dump(key))
    left_ms = await source.patiently(lambda: source.client.pttl(key))
    if packed is not None:  # else it has expired
        await target.patiently(lambda: target.client.restore(name, max(0, left_ms), packed, replace=True))
