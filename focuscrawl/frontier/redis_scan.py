"""The whole queue of a Redis frontier, a little at a time, while it is in use."""

from __future__ import annotations

from collections.abc import AsyncIterator
from struct import Struct

from focuscrawl.frontier.base import Entry
from focuscrawl.frontier.redis_calls import Calls
from focuscrawl.frontier.redis_codec import bucket_of, unpack_stored

# As ``lua/_places.lua`` packs them.
_HOST = Struct(">dddIIId5s4sBd5sB")
_BUCKET = Struct(">4sIIdd5sBII")
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
    known = {number: text for number, text in zip(buckets, packed, strict=True) if text is not None}
    if not known:
        return {}
    of = {number: _BUCKET.unpack_from(text)[0] for number, text in known.items()}
    ids = sorted(set(of.values()))
    hosts = {}
    for number, text in zip(ids, await calls.patiently(lambda: client.hmget(f"{prefix}host", ids)), strict=True):
        if text is not None:
            owner = _HOST.unpack_from(text)[-1]
            hosts[number] = text[_HOST.size + owner :].decode("utf-8", "surrogatepass")
    return {
        number: (hosts[of[number]], text[_BUCKET.size :].decode("utf-8", "surrogatepass"))
        for number, text in known.items()
        if of[number] in hosts
    }
