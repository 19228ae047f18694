"""Entries and leases as the Lua scripts of the Redis frontier take and give them.

The layout stands at the head of ``lua/_queue.lua`` and ``lua/_push.lua``. What the scripts do not look into, the
payload, is made and read here only: the URL without its scheme and host, depth and tunnel, and the entry's origin as
JSON. Nothing is ever unpickled: whoever can write to the server can change a crawl, but run no code.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from struct import Struct

from focuscrawl.errors import FrontierError
from focuscrawl.frontier.redis_visits import SAW
from focuscrawl.frontier.rules import MAX_KEY, acceptable
from focuscrawl.records import Entry, Lease, Origin, Settlement
from focuscrawl.types import UrlKey

_ENTRY = Struct(">QddHI")  # key, score, not_before, place, length of the payload
_VISIT = 1 << 31  # in that length: a page to be visited again
_STORED = Struct(">5s4sBd")  # seq, bucket, bits, score
_TIME = Struct(">d")  # not_before, when the bits say so
_HELD = Struct(">dB")  # token, length of the holder, when the bits say so
_EXPIRED, _WAITS, _LEASED, _LATER = 16, 32, 64, 128
# As ``lua/_places.lua`` packs them.
_HOST = Struct(">dddIIId5s4sd5s4sBd5sB")
_BUCKET = Struct(">4sIIdd5sBII")
_STEPS_OF_ONE = float(1 << 52)  # of which levels and ranks are whole numbers, see ``lua/_bands.lua``
_LEASE = Struct(">QdddHHI")  # key, token, expiry, offset, lengths of host, group and entry
_TOKEN = Struct(">Qd")  # key, token; or key, score
_SETTLEMENT = Struct(">QdBBhhB")  # key, token, outcome, fetched, what is added to relevant and stored, saw
_KEY = Struct(">Q")
_LENGTH = Struct(">H")
_URL = Struct(">HB")  # length of the kept URL, its first byte
_STEPS = Struct(">BB")  # depth without pagination steps, tunnel
_FAR = Struct(">BBII")  # 255, 255, both: where one of them is 255 or more
_OUTCOMES = {"done": 1, "failed": 2, "refused": 3}
# First byte of a kept URL -> what stands before it.
_SCHEMES = {1: "http://", 2: "https://"}
_WHOLE = 0
_MAX_URL = 65_000  # what its length field can hold, with room; no server takes such a URL


class Batch:
    """Entries of one call, and the places (host and group) they belong to, each named once."""

    def __init__(self) -> None:
        self._places: dict[tuple[str, str], int] = {}

    def pack(self, entries: Iterable[Entry]) -> tuple[bytes, int]:
        """Return entries as ``_push.lua`` reads them, and how many cannot be written at all: refused."""
        places, parts, refused = self._places, [], 0
        for entry in entries:
            if not 0 <= entry.key <= MAX_KEY or len(entry.url) > _MAX_URL // 4:
                refused += 1
                continue
            place = places.setdefault((entry.host, entry.group), len(places) + 1)
            payload = pack_payload(entry)
            score = entry.score if acceptable(entry) else math.nan
            not_before = entry.not_before if math.isfinite(entry.not_before) else 0.0
            length = len(payload) | (_VISIT if entry.origin.earlier is not None else 0)
            parts.append(_ENTRY.pack(entry.key, score, not_before, place, length))
            parts.append(payload)
        return b"".join(parts), refused

    def places(self) -> list[bytes]:
        """Return host, group, host, group, … in the order of their numbers."""
        return [_to_bytes(name) for place in self._places for name in place]


def pack_payload(entry: Entry) -> bytes:
    """Return what is kept of an entry beside its key, place, score and times."""
    url = _pack_url(entry.url, entry.host)
    depth, tunnel = entry.scope_depth, entry.tunnel
    far = depth >= 255 or tunnel >= 255
    steps = _FAR.pack(255, 255, depth, tunnel) if far else _STEPS.pack(depth, tunnel)
    return b"".join((_LENGTH.pack(len(url)), url, steps, entry.origin.to_json()))


@dataclass(frozen=True, slots=True)
class Stored:
    """An entry as it lies in Redis."""

    entry: Entry
    attempts: int  # that have failed
    expiries: int  # leases that ran out
    token: int  # of its lease; 0 when it is queued
    waits: bool  # for its `not_before`


def unpack_stored(key: UrlKey, stored: bytes, *, host: str, group: str) -> Stored:
    """Return an entry as it was pushed, and how far it has come."""
    return Stored(*_unpack(key, stored, 0, len(stored), host, group))


def _unpack(key: UrlKey, kept: bytes, at: int, end: int, host: str, group: str) -> tuple[Entry, int, int, int, bool]:
    """Return the fields of `Stored`, of what lies in `kept` from `at` to `end`."""
    _, _, bits, score = _STORED.unpack_from(kept, at)
    at += _STORED.size
    not_before, expiries, token = 0.0, 0, 0.0
    if bits & _LATER:
        (not_before,) = _TIME.unpack_from(kept, at)
        at += _TIME.size
    if bits & _EXPIRED:
        expiries = kept[at]
        at += 1
    if bits & _LEASED:
        token, size = _HELD.unpack_from(kept, at)
        at += _HELD.size + size
    length, scheme = _URL.unpack_from(kept, at)
    at += _LENGTH.size
    url = _unpack_url(scheme, kept[at + 1 : at + length], host)
    at += length
    depth, tunnel = _STEPS.unpack_from(kept, at)
    at += _STEPS.size
    if depth == tunnel == 255:
        _, _, depth, tunnel = _FAR.unpack_from(kept, at - _STEPS.size)
        at += _FAR.size - _STEPS.size
    origin = Origin.from_json(kept[at:end])
    depth += origin.pagination_steps
    entry = Entry(url, key, host, score, group, depth, tunnel, not_before, origin)
    return entry, bits % _EXPIRED, expiries, int(token), bool(bits & _WAITS)


@dataclass(frozen=True, slots=True)
class StoredBucket:
    """A group on a host as it lies in Redis."""

    host: bytes  # its id
    group: str
    offset: float
    rank: float  # of its best entry, the smaller the better
    seq: bytes
    ready: bool  # has an entry that may be leased

    def rank_of(self, level: float) -> float:
        """Return the rank of an entry of this bucket, as far as it depends on the score."""
        return level - _whole(self.offset * _STEPS_OF_ONE + 0.5)


def unpack_bucket(packed: bytes) -> StoredBucket:
    """Return a bucket."""
    host, _, _, offset, rank, seq, ready, _, _ = _BUCKET.unpack_from(packed)
    return StoredBucket(host, _to_text(packed[_BUCKET.size :]), offset, rank, seq, bool(ready))


def unpack_host(packed: bytes) -> str:
    """Return the name of a host."""
    owner = _HOST.unpack_from(packed)[-1]
    return _to_text(packed[_HOST.size + owner :])


def level_of(score: float) -> float:
    """Return what ``lua/_bands.lua`` ranks a score by."""
    return _whole(0.5 - score * _STEPS_OF_ONE)


def _whole(number: float) -> float:
    # Of the largest of scores the step is beyond what a double holds.
    return float(math.floor(number)) if math.isfinite(number) else number


def seq_of(stored: bytes) -> bytes:
    """Return the place of a stored entry in the order of discovery."""
    return stored[:5]


def bucket_of(stored: bytes) -> bytes:
    """Return the id of the bucket of a stored entry."""
    return stored[5:9]


def time_of_leases(reply: bytes) -> float:
    """Return the server's time in an answer of ``lease.lua``."""
    return float(_TIME.unpack_from(reply)[0])


def unpack_leases(reply: bytes, skew: float) -> list[Lease]:
    """Return the leases in an answer of ``lease.lua``; the server's clock is `skew` seconds ahead of ours."""
    leases, at, end = [], _TIME.size, len(reply)
    while at < end:
        key, token, expires_at, offset, host_length, group_length, length = _LEASE.unpack_from(reply, at)
        at += _LEASE.size
        middle = at + host_length
        host, group = _to_text(reply[at:middle]), _to_text(reply[middle : middle + group_length])
        at = middle + group_length
        entry, attempts, expiries, _, _ = _unpack(key, reply, at, at + length, host, group)
        if entry.not_before:
            entry = replace(entry, not_before=entry.not_before - skew)
        leases.append(Lease(entry, int(token), expires_at - skew, attempts + expiries + 1, offset + entry.score))
        at += length
    return leases


def pack_token(key: UrlKey, token: int) -> bytes:
    """Return what names a lease."""
    return _TOKEN.pack(key, float(token))


def pack_tokens(leases: Sequence[Lease]) -> bytes:
    """Return keys and tokens, for ``release.lua`` and ``renew.lua``."""
    return b"".join([pack_token(lease.entry.key, lease.token) for lease in leases])


def pack_scores(scores: Iterable[tuple[UrlKey, float]]) -> bytes:
    """Return keys and scores, for ``rescore.lua``."""
    return b"".join([_TOKEN.pack(key, score) for key, score in scores if 0 <= key <= MAX_KEY and math.isfinite(score)])


def pack_settlement(settlement: Settlement) -> bytes:
    """Return the head of a settlement, for ``settle.lua``; pages that are visited again were counted before."""
    record, lease = settlement.record, settlement.lease
    fetched = record is not None and settlement.outcome == "done" and lease.entry.origin.earlier is None
    relevant = settlement.more_relevant + (record is not None and fetched and record.relevant)
    stored = settlement.more_stored + (record is not None and fetched and record.is_result)
    outcome = _OUTCOMES[settlement.outcome]
    saw = 0 if settlement.visit is None else SAW.index(settlement.visit.saw) + 1
    head = _SETTLEMENT.pack(lease.entry.key, float(lease.token), outcome, int(fetched), relevant, stored, saw)
    return head + b"".join([_KEY.pack(key) for key in settlement.also])


def _pack_url(url: str, host: str) -> bytes:
    for code, scheme in _SCHEMES.items():
        if url.startswith(scheme) and url.startswith(host, len(scheme)):
            return bytes((code,)) + _to_bytes(url[len(scheme) + len(host) :])
    return bytes((_WHOLE,)) + _to_bytes(url)


def _unpack_url(code: int, kept: bytes, host: str) -> str:
    rest = _to_text(kept)
    if code == _WHOLE:
        return rest
    scheme = _SCHEMES.get(code)
    if scheme is None:
        raise FrontierError(f"An entry of {host} in Redis was written by another version of focuscrawl.")
    return f"{scheme}{host}{rest}"


def _to_bytes(text: str) -> bytes:
    # Lone surrogates come from broken pages; they must come back as they were.
    return text.encode("utf-8", "surrogatepass")


def _to_text(kept: bytes) -> str:
    return kept.decode("utf-8", "surrogatepass")
