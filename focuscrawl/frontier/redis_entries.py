"""The queue of a Redis frontier as people and tests want to see it: best first, without taking anything out."""

from __future__ import annotations

from heapq import nsmallest
from struct import Struct

from focuscrawl.frontier.base import Entry
from focuscrawl.frontier.redis_calls import Calls
from focuscrawl.frontier.redis_codec import bucket_of, unpack_stored, waiting_score
from focuscrawl.types import HostKey

# As ``lua/_places.lua`` packs them.
_HOST = Struct(">dddIIBd5sB")
_BUCKET = Struct(">4sIdd5sB")


async def queued_entries(calls: Calls, *, host: HostKey | None, limit: int) -> list[Entry]:
    """Return the best `limit` queued entries of all hosts or one; several commands, so not all of one moment."""
    client, prefix = calls.client, calls.prefix
    names: dict[bytes, str] = {}
    for number, packed in (await client.hgetall(f"{prefix}host")).items():
        owner = _HOST.unpack_from(packed)[-1]
        names[number] = packed[_HOST.size + owner :].decode("utf-8", "surrogatepass")
    buckets: dict[bytes, tuple[str, str, float]] = {}
    best: list[tuple[float, bytes, bytes]] = []
    for number, packed in (await client.hgetall(f"{prefix}b")).items():
        of, _, offset, rank, seq, ready = _BUCKET.unpack_from(packed)
        if host in (None, names[of]):
            group = packed[_BUCKET.size :].decode("utf-8", "surrogatepass")
            buckets[number] = (names[of], group, offset)
            if ready:
                best.append((rank, seq, number))
    # No other bucket than those with the best heads can hold one of the best entries.
    pipe = client.pipeline(transaction=False)
    numbers = [number for _, _, number in nsmallest(limit, best)]
    for number in numbers:
        pipe.zrange(prefix.encode() + b"q:" + number, 0, limit - 1, withscores=True)
    ranked: list[tuple[float, bytes, float]] = []  # rank, seq and key, score
    for number, found in zip(numbers, await pipe.execute(), strict=True):
        ranked += [(negative - buckets[number][2], member, -negative) for member, negative in found]
    waiting = [member for member, _ in await client.zrange(f"{prefix}wait", 0, -1, withscores=True)]
    for member, packed in zip(waiting, await _stored(calls, waiting), strict=True):
        if packed is not None and bucket_of(packed) in buckets:
            score = waiting_score(packed)
            ranked.append((-score - buckets[bucket_of(packed)][2], member, score))
    chosen = nsmallest(limit, ranked)
    entries = []
    for (_, member, score), packed in zip(chosen, await _stored(calls, [m for _, m, _ in chosen]), strict=True):
        if packed is not None:
            name, group, _ = buckets[bucket_of(packed)]
            key = int.from_bytes(member[5:], "big")
            entries.append(unpack_stored(key, packed, host=name, group=group, score=score)[0])
    return entries


async def _stored(calls: Calls, members: list[bytes]) -> list[bytes | None]:
    if not members:
        return []
    found: list[bytes | None] = await calls.client.hmget(f"{calls.prefix}e", [member[5:] for member in members])
    return found
