"""The queue of a Redis frontier as people and tests want to see it: best first, without taking anything out."""

from __future__ import annotations

from heapq import nsmallest

from focuscrawl.frontier.redis_calls import Calls
from focuscrawl.frontier.redis_codec import StoredBucket, bucket_of, level_of, unpack_bucket, unpack_host, unpack_stored
from focuscrawl.records import Entry
from focuscrawl.types import HostKey


async def queued_entries(calls: Calls, *, host: HostKey | None, limit: int) -> list[Entry]:
    """Return the best `limit` queued entries of all hosts or one; several commands, so not all of one moment."""
    client, prefix = calls.client, calls.prefix
    names = {number: unpack_host(packed) for number, packed in (await client.hgetall(f"{prefix}host")).items()}
    buckets: dict[bytes, StoredBucket] = {}
    best: list[tuple[float, bytes, bytes]] = []
    for number, packed in (await client.hgetall(f"{prefix}b")).items():
        bucket = unpack_bucket(packed)
        if host in (None, names[bucket.host]):
            buckets[number] = bucket
            if bucket.ready:
                best.append((bucket.rank, bucket.seq, number))
    # No other bucket than those with the best heads can hold one of the best entries.
    numbers = [number for _, _, number in nsmallest(limit, best)]
    pipe = client.pipeline(transaction=False)
    for number in numbers:
        pipe.zrange(prefix.encode() + b"d:" + number, 0, -1)
    bands = [
        (number, prefix.encode() + b"q:" + number + band)
        for number, found in zip(numbers, await pipe.execute(), strict=True)
        for band in found or [b"\0\0\0\1"]
    ]
    for _, name in bands:
        pipe.zrange(name, 0, limit - 1, withscores=True)
    ranked: list[tuple[float, bytes, bytes]] = []  # rank, seq, key
    for (number, _), found in zip(bands, await pipe.execute(), strict=True):
        ranked += [(buckets[number].rank_of(level), member[:5], member[5:]) for member, level in found]
    waiting = await client.zrange(f"{prefix}wait", 0, -1)
    for key, packed in zip(waiting, await _packed(calls, waiting), strict=True):
        if packed is not None and bucket_of(packed) in buckets:
            score = unpack_stored(0, packed, host="", group="").entry.score
            ranked.append((buckets[bucket_of(packed)].rank_of(level_of(score)), packed[:5], key))
    keys = [key for _, _, key in nsmallest(limit, ranked)]
    entries = []
    for key, packed in zip(keys, await _packed(calls, keys), strict=True):
        if packed is not None:
            bucket = buckets[bucket_of(packed)]
            stored = unpack_stored(int.from_bytes(key, "big"), packed, host=names[bucket.host], group=bucket.group)
            entries.append(stored.entry)
    return entries


async def _packed(calls: Calls, keys: list[bytes]) -> list[bytes | None]:
    found: list[bytes | None] = await calls.client.hmget(f"{calls.prefix}e", keys) if keys else []
    return found
