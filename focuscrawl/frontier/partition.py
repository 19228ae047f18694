"""Partition of a crawl that lies on several Redis servers, with what `focuscrawl.frontier.partitioned` asks of it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Any

from focuscrawl.errors import CrawlGoneError, ServerAwayError
from focuscrawl.frontier import redis_codec as codec
from focuscrawl.frontier.fleet import FleetTotals, Heads
from focuscrawl.frontier.redis import RedisFrontier
from focuscrawl.frontier.redis_calls import Calls
from focuscrawl.frontier.redis_connect import Lock, faults
from focuscrawl.frontier.redis_patience import told_to_lease
from focuscrawl.frontier.redis_url import without_secret
from focuscrawl.records import Entry, Lease, Origin, Settlement
from focuscrawl.types import UrlKey, digest64

QUOTA = -1
"""`page_limit` of a partition: the quota that stands in it."""
PROMISE_S = 60.0
"""Seconds after which a promise of pages that no quota has is that of a worker that died before it had used it."""
TOKENS = 1000
"""Tokens of leases are made of the partition's own token and, by this remainder, its number: so they are unique."""
_PARTITION = re.compile("~[0-9]{3}$")


_AT_ONCE = 500


def partition_of(domain: str, partitions: int) -> int:
    """Return the number of the partition of a registered domain, from 0 on.

    >>> partition_of("example.org", 16)
    5
    """
    return digest64(domain) % partitions


def crawl_of(crawl: str, number: int) -> str:
    """Return the name under which a partition lies on its server.

    >>> crawl_of("chess", 7)
    'chess~007'
    """
    return f"{crawl}~{number:03}"


def is_partition(crawl: str) -> bool:
    """Tell whether a name is that of a partition.

    >>> is_partition("chess~007"), is_partition("chess")
    (True, False)
    """
    return _PARTITION.search(crawl) is not None


def unique(lease: Lease, number: int) -> Lease:
    """Return a lease of a partition with a token that no other partition gives."""
    return replace(lease, token=lease.token * TOKENS + number)


def plain(lease: Lease) -> Lease:
    """Return a lease as its partition gave it: undoes `unique`."""
    return replace(lease, token=lease.token // TOKENS)


class NotAskedError(ServerAwayError):
    """A call that was not made: another one has found the server away while this one waited for its turn."""


class Partition(RedisFrontier):
    """One partition: a frontier of one server, which is asked once and does not wait for a server that is away.

    Parameters
    ----------
    location, crawl, worker
        Its server and its name there; the name of the worker in all partitions, '' for a new one.
    epoch
        What `epoch` of the crawl has to be, '' for anything: then a crawl that is not there is made.
    options
        As of `RedisFrontier`.

    Raises
    ------
    ServerAwayError
        From any call, if the server does not answer.
    CrawlGoneError
        From any call, if the partition is not there.
    """

    _keeps_visits = False

    def __init__(self, location: str, *, crawl: str, worker: str, epoch: str, options: Mapping[str, Any]) -> None:
        super().__init__(location, crawl=crawl, **options)
        self.worker = worker or self.worker
        self._expected = epoch.encode()
        # Numbers of calls whose answers never came, with what they were to settle; () for one that leases.
        self._unanswered: list[tuple[int, Sequence[Settlement]]] = []

    async def _check(self, calls: Calls) -> None:
        if self._expected:
            found = await calls.patiently(lambda: calls.client.hget(f"{calls.prefix}meta", "epoch"))
            if found != self._expected:
                raise self.gone()

    def _opened(self) -> Calls:
        if self._calls is None:
            raise NotAskedError(f"{without_secret(self._location)}: no answer from Redis.")
        return self._calls

    def gone(self) -> CrawlGoneError:
        """Return the error of a partition that is not on its server, which answers."""
        return CrawlGoneError(
            f'{without_secret(self._location)}: "{self.crawl}" is not on this server (any more): it is being moved, or'
            " the server was restarted empty, or flushed."
        )

    async def disconnect(self) -> None:
        """Leave without a word to the server, which does not answer; leases made here run out."""
        calls, self._calls = self._calls, None
        if calls is not None:
            await calls.close()

    def follow(self, other: Partition) -> None:
        """Go on as the same worker as `other`, which was disconnected: with its leases and the numbers of its calls."""
        self.worker, self._number = other.worker, other._number
        self._held, self._unanswered = other._held, other._unanswered

    async def lease_until(self, n: int, worst: float, *, per_host: int, lease_s: float) -> list[Lease]:
        """Lease as `lease`, but nothing of a rank worse than `worst` (see `Heads`)."""
        with self._noted_unanswered():
            return await self._lease(n, repr(worst), per_host=per_host, lease_s=lease_s)

    async def settle(self, settlements: Sequence[Settlement]) -> list[bool]:
        with self._noted_unanswered(settlements):
            return await super().settle(settlements)

    @contextmanager
    def _noted_unanswered(self, settlements: Sequence[Settlement] = ()) -> Iterator[None]:
        """Note a call whose answer does not come, with what it was to settle, for `undo_unanswered`."""
        try:
            yield
        except NotAskedError:
            raise
        except (ServerAwayError, CrawlGoneError):
            self._unanswered.append((self._number, settlements))
            raise

    async def undo_unanswered(self) -> None:
        """Undo what the server did in calls whose answers never came: this worker took them for not made."""
        while self._unanswered:
            number, settlements = self._unanswered[0]
            if settlements:
                batch = codec.Batch()
                blob, _ = batch.pack(self._to_server([one.lease.entry for one in settlements]))
                heads = [codec.pack_settlement(one) for one in settlements]
                await self._run("unsettle", self.worker, number, len(heads), *heads, blob, *batch.places())
            else:
                what_it_leased = [0, 1, 0, self.worker, number, 1, "", 0, "inf", *told_to_lease(0.0, pages=0)]
                await self.release(codec.unpack_leases(await self._run("lease", *what_it_leased), self._skew))
            del self._unanswered[0]

    async def totals(self) -> FleetTotals:
        """Return the totals of all workers."""
        return FleetTotals.of(await self._run("totals"))

    async def heads(self, n: int, *, per_host: int) -> Heads:
        """Return what the best `n` ready hosts have to offer, for `focuscrawl.frontier.partitioned`."""
        room, repeats, *ranks = await self._run("heads", n, per_host)
        return Heads([float(rank) for rank in ranks], room, bool(repeats))

    async def level_quota(self) -> int:
        """Take back what is not used of the quota of this partition; return how much, below 0 if it was too small."""
        return int(await self._run("quota", ""))

    async def add_quota(self, pages: int) -> None:
        """Allow more pages to be fetched."""
        await self._run("quota", pages)

    async def quota(self) -> int:
        """Return how many pages this partition may fetch in all."""
        calls = self._opened()
        return int(await calls.patiently(lambda: calls.client.hget(f"{calls.prefix}meta", "quota")) or 0)

    async def grant(self, pages: int, limit: int | None, *, quotas: int | None = None) -> tuple[int, int, bool]:
        """Promise pages to partitions of this crawl.

        Parameters
        ----------
        pages, limit
            Pages that are asked for, and those of the whole crawl; None for pages that are given back.
        quotas
            Sum of the quotas of all partitions, where somebody has added them up: what was promised beside them is
            promised no more, if that was a minute ago.

        Returns
        -------
        granted, total
            Pages promised now, and in all.
        is_old
            The last promise was made a minute ago: the quotas should be added up.
        """
        arguments = pages, "" if limit is None else limit, "" if quotas is None else quotas, PROMISE_S
        granted, total, is_old = await self._run("grant", *arguments)
        return int(granted), int(total), bool(is_old)

    async def notes(self, name: str) -> dict[bytes, bytes]:
        """Return the hash `name` of the crawl."""
        calls = self._opened()
        found: dict[bytes, bytes] = await calls.patiently(lambda: calls.client.hgetall(f"{calls.prefix}{name}"))
        return found

    async def note(self, name: str, field: str, value: str, *, once: bool = False) -> None:
        """Write a field of the hash `name` of the crawl, with `once` only where there is none yet."""
        calls = self._opened()
        write = calls.client.hsetnx if once else calls.client.hset
        await calls.patiently(lambda: write(f"{calls.prefix}{name}", field, value))

    async def forget_note(self, name: str, field: str) -> None:
        """Delete a field of the hash `name` of the crawl."""
        calls = self._opened()
        await calls.patiently(lambda: calls.client.hdel(f"{calls.prefix}{name}", field))

    async def learn_aliases(self, keys: Sequence[UrlKey]) -> None:
        """Make other addresses of fetched pages known, whose own pages are in other partitions."""
        await self._run("aliases", b"".join(key.to_bytes(8, "big") for key in keys))

    async def leave(self, number: int, entries: Sequence[Entry]) -> None:
        """Keep entries for a partition whose server is away."""
        calls = self._opened()
        lines = [_to_line(entry) for entry in entries]
        await calls.patiently(lambda: calls.client.rpush(f"{calls.prefix}outbox:{number}", *lines))

    async def hand_over(self, number: int, partition: Partition) -> int:
        """Queue in a partition what was kept for it; return how many entries were."""
        calls = self._opened()
        key = f"{calls.prefix}outbox:{number}"
        count = 0
        while await calls.patiently(lambda: calls.client.llen(key)):
            # One worker at a time: entries are deleted once they are queued, so none is lost when this one dies.
            lock = Lock(calls.client, f"{key}:lock", timeout=60.0, blocking=False)
            if not await calls.patiently(lock.acquire):
                break
            try:
                lines: list[bytes] = await calls.patiently(lambda: calls.client.lrange(key, 0, _AT_ONCE - 1))
                await partition.push([_from_line(line) for line in lines])
                taken = len(lines)
                await calls.patiently(lambda: calls.client.ltrim(key, taken, -1))  # noqa: B023 - awaited at once
                count += taken
            finally:
                with suppress(faults.LockError):  # it took longer than the lock lasts
                    await calls.patiently(lock.release)
        return count


def _to_line(entry: Entry) -> str:
    fields = [entry.url, entry.key, entry.host, entry.score, entry.group, entry.depth, entry.tunnel, entry.not_before]
    return json.dumps([*fields, entry.origin.to_json().decode()])


def _from_line(line: bytes) -> Entry:
    url, key, host, score, group, depth, tunnel, not_before, origin = json.loads(line)
    return Entry(url, key, host, score, group, depth, tunnel, not_before, Origin.from_json(origin))
