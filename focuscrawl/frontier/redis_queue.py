"""The queue of a Redis frontier, a little at a time, while it is in use."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import NamedTuple

from focuscrawl.frontier.redis_calls import Calls
from focuscrawl.frontier.redis_codec import (
    StoredBucket,
    bucket_of,
    level_of,
    seq_of,
    unpack_bucket,
    unpack_host,
    unpack_stored,
)
from focuscrawl.records import Entry

_BATCH = 500


class Queued(NamedTuple):
    """A queued entry and where it stands: the smaller, the sooner."""

    rank: float
    seq: bytes  # order of discovery
    entry: Entry


async def queued(calls: Calls) -> AsyncIterator[list[Queued]]:
    """Yield queued entries in no order, about 500 at a time.

    An entry that is queued meanwhile may be left out, and one may come twice.

    Raises
    ------
    FrontierError
        If the server stays away.
    """
    client, prefix, cursor = calls.client, calls.prefix, 0
    buckets: dict[bytes, tuple[StoredBucket, str]] = {}  # id -> bucket, name of its host
    while True:

        async def scan(at: int = cursor) -> tuple[int, dict[bytes, bytes]]:
            found: tuple[int, dict[bytes, bytes]] = await client.hscan(f"{prefix}e", cursor=at, count=_BATCH)
            return found

        cursor, found = await calls.patiently(scan)
        buckets.update(await _buckets(calls, sorted({bucket_of(packed) for packed in found.values()} - buckets.keys())))
        batch = []
        for key, packed in found.items():
            if bucket_of(packed) in buckets:
                bucket, host = buckets[bucket_of(packed)]
                stored = unpack_stored(int.from_bytes(key, "big"), packed, host=host, group=bucket.group)
                if not stored.token:  # else it is leased
                    batch.append(Queued(bucket.rank_of(level_of(stored.entry.score)), seq_of(packed), stored.entry))
        if batch:
            yield batch
        if not cursor:
            return


async def _buckets(calls: Calls, ids: list[bytes]) -> dict[bytes, tuple[StoredBucket, str]]:
    if not ids:
        return {}
    client, prefix = calls.client, calls.prefix
    packed = await calls.patiently(lambda: client.hmget(f"{prefix}b", ids))
    known = {number: unpack_bucket(text) for number, text in zip(ids, packed, strict=True) if text is not None}
    if not known:
        return {}
    hosts = sorted({bucket.host for bucket in known.values()})
    texts = await calls.patiently(lambda: client.hmget(f"{prefix}host", hosts))
    names = {number: unpack_host(text) for number, text in zip(hosts, texts, strict=True) if text is not None}
    return {number: (bucket, names[bucket.host]) for number, bucket in known.items() if bucket.host in names}
