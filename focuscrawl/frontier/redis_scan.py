"""The whole queue of a Redis frontier, a little at a time, while it is in use."""

from __future__ import annotations

from collections.abc import AsyncIterator

from focuscrawl.frontier.redis_calls import Calls
from focuscrawl.frontier.redis_codec import bucket_of, unpack_bucket, unpack_host, unpack_stored
from focuscrawl.records import Entry

_BATCH = 500


async def queued_batches(calls: Calls) -> AsyncIterator[list[Entry]]:
    """Yield queued entries in no order, about 500 at a time; what is queued meanwhile may be left out.

    Raises
    ------
    FrontierError
        If the server stays away.
    """
    client, prefix, cursor = calls.client, calls.prefix, 0
    names: dict[bytes, tuple[str, str]] = {}  # bucket -> host, group
    while True:

        async def scan(at: int = cursor) -> tuple[int, dict[bytes, bytes]]:
            found: tuple[int, dict[bytes, bytes]] = await client.hscan(f"{prefix}e", cursor=at, count=_BATCH)
            return found

        cursor, found = await calls.patiently(scan)
        unknown = sorted({bucket_of(packed) for packed in found.values()} - names.keys())
        if unknown:
            names.update(await _names(calls, unknown))
        entries = []
        for key, packed in found.items():
            place = names.get(bucket_of(packed))
            if place is not None:
                stored = unpack_stored(int.from_bytes(key, "big"), packed, host=place[0], group=place[1])
                if not stored.token:
                    entries.append(stored.entry)
        if entries:
            yield entries
        if not cursor:
            return


async def _names(calls: Calls, buckets: list[bytes]) -> dict[bytes, tuple[str, str]]:
    client, prefix = calls.client, calls.prefix
    packed = await calls.patiently(lambda: client.hmget(f"{prefix}b", buckets))
    known = {number: unpack_bucket(text) for number, text in zip(buckets, packed, strict=True) if text is not None}
    if not known:
        return {}
    ids = sorted({bucket.host for bucket in known.values()})
    texts = await calls.patiently(lambda: client.hmget(f"{prefix}host", ids))
    hosts = {number: unpack_host(text) for number, text in zip(ids, texts, strict=True) if text is not None}
    return {number: (hosts[bucket.host], bucket.group) for number, bucket in known.items() if bucket.host in hosts}
