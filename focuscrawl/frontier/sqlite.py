"""The default frontier: one machine, one file, survives ``kill -9``."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Concatenate, ParamSpec, TypeVar

from focuscrawl.errors import FrontierError
from focuscrawl.frontier.base import FrontierStats, Pushed
from focuscrawl.frontier.rules import check_host, check_offsets, check_options
from focuscrawl.frontier.sqlite_core import SqliteCore
from focuscrawl.records import Entry, Lease, Settlement
from focuscrawl.storage.crawldb import CrawlDb
from focuscrawl.types import GroupKey, HostKey, UrlKey
from focuscrawl.visits import VISIT_SCORE, Revisit

P = ParamSpec("P")
T = TypeVar("T")

_CRAWL = "crawl"
_ENTRIES_AT_ONCE = 1_000  # 2 MB


class SqliteFrontier:
    """The frontier contract over ``crawl.db``.

    One thread owns the file and all of the frontier's state; each call is one hop to it and at most one transaction.
    Memory grows with the groups that hold queued links, not with the links.

    Parameters
    ----------
    path
        The file, made with its folder when there is none.
    clock
        Gives the time in Unix seconds.
    max_attempts
        Failed attempts after which an entry counts as failed.
    delay_s
        Seconds between two leases of the same host, where `set_host` said nothing else; 0 for none.
    wait_per_page_s
        Seconds a page, in the mean, that better links of hosts that may not be asked yet are waited for; 0: none.
    wait_pages
        Pages that give such seconds, those the crawl may fetch; 0 for no limit.
    crawl
        Name of the crawl; a file of another crawl is refused. '' takes any.

    Raises
    ------
    FrontierError
        If an option is wrong; from `open`, if the file cannot be used (damaged, newer, not writable, another process
        crawls in its folder); from any call, if the file fails or the frontier is not open. After a failure (a full
        disk) the frontier is what it was before the call, and can be used again.
    """

    durable = True

    def __init__(
        self,
        path: Path,
        *,
        clock: Callable[[], float] = time.time,
        max_attempts: int = 3,
        delay_s: float = 0.0,
        wait_per_page_s: float = 0.0,
        wait_pages: int = 0,
        crawl: str = "",
    ) -> None:
        check_options(
            max_attempts=max_attempts, delay_s=delay_s, wait_per_page_s=wait_per_page_s, wait_pages=wait_pages
        )
        self.path = path
        self._clock = clock
        self._max_attempts = max_attempts
        self._delay_s = delay_s
        self._wait_per_page_s = wait_per_page_s
        self._wait_pages = wait_pages
        self._crawl = crawl
        self.only_visits = False  # `lease` hands out pages to be visited again, and no links
        self._core: SqliteCore | None = None
        self._thread: ThreadPoolExecutor | None = None
        self._stale = False  # a call failed half-way: memory is built anew before the next

    async def open(self) -> None:
        """Open the file; leases of an earlier process are back in the queue, without losing an attempt."""
        if self._core is not None:
            raise FrontierError(f"{self.path}: the frontier is open already.")
        thread = ThreadPoolExecutor(1, thread_name_prefix="frontier")
        try:
            self._core = await asyncio.get_running_loop().run_in_executor(thread, self._open)
        except BaseException:
            thread.shutdown(wait=False)
            raise
        self._thread = thread

    async def close(self) -> None:
        """Close the file; a second call does nothing."""
        core, thread = self._core, self._thread
        if core is None or thread is None:
            return
        self._core = self._thread = None
        try:
            await asyncio.get_running_loop().run_in_executor(thread, core.close)
        finally:
            thread.shutdown(wait=True)

    async def push(self, entries: Sequence[Entry]) -> Pushed:
        return await self._do(SqliteCore.push, entries)

    async def lease(self, n: int, *, worker: str, per_host: int, lease_s: float) -> list[Lease]:
        del worker  # one process: whose lease it is matters to nobody
        return await self._do(SqliteCore.lease, n, per_host, lease_s, self._floor)

    async def renew(self, leases: Sequence[Lease], lease_s: float) -> int:
        return await self._do(SqliteCore.renew, leases, lease_s)

    async def settle(self, settlements: Sequence[Settlement]) -> list[bool]:
        return await self._do(SqliteCore.settle, settlements)

    async def release(self, leases: Sequence[Lease], *, delay_s: float = 0.0) -> int:
        return await self._do(SqliteCore.release, leases, delay_s)

    async def reap(self) -> int:
        return await self._do(SqliteCore.reap)

    async def rescore(self, scores: Mapping[UrlKey, float]) -> int:
        return await self._do(SqliteCore.rescore, scores)

    async def set_offsets(self, offsets: Mapping[GroupKey, float]) -> int:
        check_offsets(offsets)
        return await self._do(SqliteCore.set_offsets, offsets)

    async def set_host(self, host: HostKey, *, delay_s: float | None = None, hold_until: float | None = None) -> None:
        check_host(host, delay_s=delay_s, hold_until=hold_until)
        await self._do(SqliteCore.set_host, host, delay_s, hold_until)

    async def keep_host(self, host: HostKey, *, delay_s: float | None = None, hold_until: float | None = None) -> None:
        check_host(host, delay_s=delay_s, hold_until=hold_until)
        await self._do(SqliteCore.keep_host, host, delay_s, hold_until)

    async def next_ready_at(self) -> float | None:
        return await self._do(SqliteCore.next_ready_at, self._floor)

    async def visit_again(self, visits: Sequence[Revisit]) -> int:
        """Queue pages that are done to be fetched again, before all links; return how many there are.

        Such an entry has `Origin.earlier`. It is done again when it is settled, with the score it had.
        """
        return await self._do(SqliteCore.visit_again, visits)

    async def stats(self) -> FrontierStats:
        return await self._do(SqliteCore.stats)

    async def entries(self, *, host: HostKey | None = None, limit: int = 100) -> AsyncIterator[Entry]:
        """Yield queued entries by falling priority, as it is now, but for those that are leased or gone meanwhile.

        Entries are read a thousand at a time, so that others have their turn, and memory holds no more of them.
        """
        order = await self._do(SqliteCore.queue_order, host, limit)
        for at in range(0, len(order), _ENTRIES_AT_ONCE):
            for entry in await self._do(SqliteCore.entries, order[at : at + _ENTRIES_AT_ONCE]):
                yield entry

    async def call(self, work: Callable[[CrawlDb], T]) -> T:
        """Run `work` with the open file in the frontier's thread: settings, events, state, pages of this crawl.

        What it returns must not read from the file any more: make a list of an iterator.
        """
        return await self._do(lambda core: work(core.db))

    # ----------------------------------------------------------------- private

    @property
    def _floor(self) -> float:
        return VISIT_SCORE if self.only_visits else -math.inf

    def _open(self) -> SqliteCore:
        db = CrawlDb.open(self.path)
        try:
            crawl = db.settings().get(_CRAWL)
            if self._crawl and crawl is None:
                db.set_setting(_CRAWL, self._crawl)
            elif self._crawl and crawl != self._crawl:
                raise FrontierError(
                    f'{self.path}: it belongs to the crawl "{crawl}", not to "{self._crawl}"; name another run folder.'
                )
            return SqliteCore(
                db,
                clock=self._clock,
                max_attempts=self._max_attempts,
                delay_s=self._delay_s,
                wait_per_page_s=self._wait_per_page_s,
                wait_pages=self._wait_pages,
            )
        except BaseException:
            db.close()
            raise

    async def _do(self, work: Callable[Concatenate[SqliteCore, P], T], *args: P.args, **options: P.kwargs) -> T:
        core, thread = self._core, self._thread
        if core is None or thread is None:
            raise FrontierError(f"{self.path}: the frontier is not open.")

        def run() -> T:
            if self._stale:
                core.load()
                self._stale = False
            try:
                return work(core, *args, **options)
            except BaseException:
                self._stale = True
                raise

        return await asyncio.get_running_loop().run_in_executor(thread, run)


def factory(
    *,
    location: str,
    clock: Callable[[], float] = time.time,
    max_attempts: int = 3,
    delay_s: float = 0.0,
    wait_per_page_s: float = 0.0,
    wait_pages: int = 0,
) -> SqliteFrontier:
    """Build the frontier ``sqlite``; `location` is the path of its file."""
    return SqliteFrontier(
        Path(location),
        clock=clock,
        max_attempts=max_attempts,
        delay_s=delay_s,
        wait_per_page_s=wait_per_page_s,
        wait_pages=wait_pages,
    )
