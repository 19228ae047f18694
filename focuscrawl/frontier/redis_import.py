"""Import of fingerprints that an earlier crawl with scrapy-redis has left.

A dupefilter set of scrapy-redis holds SHA-1 digests as 40 hex digits, 97 bytes each in Redis; which URLs they are of
cannot be told. The first 64 bits of each are kept in the integer sets in which the frontier remembers its own URLs, at
about 16 bytes: among 10^8 of them, a URL is taken for another one with a probability of 5 in 10^12.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from focuscrawl.errors import InputError
from focuscrawl.frontier.redis import RedisFrontier
from focuscrawl.frontier.redis_calls import Calls

_FINGERPRINT = re.compile(rb"[0-9a-f]{40}")
_AT_ONCE = 1000
_NAMES_SHOWN = 10


@dataclass(frozen=True, slots=True)
class ImportCounts:
    """Counts of an import."""

    new: int
    known: int  # imported before
    bad: int  # members of the set that are no fingerprints


def short(fingerprint: str) -> bytes:
    """Return the 8 bytes that are kept of a fingerprint of 40 hex digits."""
    return bytes.fromhex(fingerprint[:16])


async def import_fingerprints(frontier: RedisFrontier, source: Calls, key: str) -> ImportCounts:
    """Take over the set `key` of `source`, a few at a time; the set stays as it is, and may be deleted afterwards.

    Raises
    ------
    ConfigError
        If there is no such key, or it is no set.
    FrontierError
        If a server stays away or refuses.
    """
    new = seen = bad = 0
    async for members in _members(source, key):
        fine = [one for one in members if _FINGERPRINT.fullmatch(one)]
        bad += len(members) - len(fine)
        seen += len(fine)
        new += await frontier.import_fingerprints([short(one.decode()) for one in fine])
    return ImportCounts(new, seen - new, bad)


async def _members(source: Calls, key: str) -> AsyncIterator[list[bytes]]:
    kind = (await source.patiently(lambda: source.client.type(key))).decode()
    if kind == "none":
        raise InputError(f'{source.shown}: there is no key "{key}"; {await _dupefilters(source)}.')
    if kind != "set":
        raise InputError(f'{source.shown}: "{key}" is a {kind}; expected the set of a dupefilter.')
    cursor: Any = 0
    while True:
        cursor, members = await source.patiently(partial(source.client.sscan, key, cursor, count=_AT_ONCE))
        yield members
        if not int(cursor):
            return


async def _dupefilters(source: Calls) -> str:
    names: set[str] = set()
    cursor: Any = 0
    while True:
        scan = partial(source.client.scan, cursor, match="*:dupefilter", count=_AT_ONCE)
        cursor, found = await source.patiently(scan)
        names.update(name.decode("utf-8", "replace") for name in found)
        if not int(cursor):
            break
    shown = sorted(names)[:_NAMES_SHOWN]
    return f"known sets: {', '.join(shown)}" if shown else "no key there ends in :dupefilter"
