"""Loop between the scheduler, whose calls must not wait, and the frontier, whose calls are awaited.

The crawl notes what it wants of the frontier by plain calls (`settle`, `push`, `hold`, …). A turn of the loop settles
what has gathered, in one transaction, and then refills the small buffer of leases. So pages that finish while a
transaction runs share the next one, and the links of a page are queued before the next lease is chosen. The loop needs
asyncio, not Scrapy.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence

from focuscrawl.crawler.leases_out import LeasesOut
from focuscrawl.crawler.limits import Limits
from focuscrawl.crawler.loop_options import LoopOptions
from focuscrawl.crawler.loop_turn import Turn, is_due
from focuscrawl.crawler.noted_work import NotedWork
from focuscrawl.crawler.run_output import RunOutput
from focuscrawl.crawler.standstill import Standstill
from focuscrawl.crawler.wakeup import Wakeup
from focuscrawl.frontier.base import Frontier
from focuscrawl.frontier.fleet import FleetFrontier, FleetTotals
from focuscrawl.records import Entry, Lease, Settlement
from focuscrawl.types import GroupKey, HostKey, UrlKey

# The loop wakes at least this often, to renew leases and to find those whose requests some component lost.
_HEARTBEAT_S = 5.0
# How often waiting entries are counted, and expired leases of other workers collected.
_COUNT_S, _REAP_S = 1.0, 10.0
# After a clock jump or a rounding error the loop must not spin.
_MIN_SLEEP_S = 0.002


class FrontierLoop:
    """Buffer of leases, and the work noted for the frontier; see the module's docstring.

    Its owner runs `turn` and `wait` by turns. Every lease handed out by `take` is ended exactly once: by `settle`, by
    `release`, or at `finish`.

    Parameters
    ----------
    limits
        How many fetches may be under way.
    output
        Where pages are written beside the frontier; None for none.
    clock
        Gives the time in Unix seconds.
    """

    def __init__(
        self,
        frontier: Frontier,
        options: LoopOptions,
        limits: Limits,
        output: RunOutput | None = None,
        *,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.frontier = frontier
        self.limits = limits
        self._fleet = frontier if isinstance(frontier, FleetFrontier) else None
        self._totals: FleetTotals | None = None  # of all workers; None: not known since this worker changed the queue
        self.changes = 0  # of the queue, made by this worker
        self.options = options
        self._clock = clock
        self._buffer: deque[Lease] = deque()
        self._out = LeasesOut(options.concurrency)
        self._noted = NotedWork(frontier, output, self._changed)
        self._standstill = Standstill(options.patience_s)
        self._ended = 0  # links of a fleet, by its totals
        self._wakeup = Wakeup()
        self._busy = False
        self._closing = False
        self._broken = False
        self._stop_leasing = False
        self._paused = False
        self._ready_at: float | None = 0.0  # when the next entry is ready; None when nothing is queued
        self._renew_at = clock() + options.lease_s / 2
        self._count_at = self._reap_at = 0.0
        self.queued = 0  # entries waiting, as of the last look
        self.waits_for = 0  # hosts with better links than those that are ready, as of the last look
        self.waits_until = 0.0  # Unix time at which the first of them may be asked

    # ------------------------------------------------------- what the crawl calls

    def take(self) -> Lease | None:
        """Return the best lease at hand, or None."""
        if not self._buffer or self._closing or self._stop_leasing or self._paused:
            return None
        lease = self._buffer.popleft()
        self._out.add(lease)
        if self._runs_dry:
            self._wakeup.now()
        return lease

    def holds(self, lease: Lease) -> bool:
        """Tell whether `lease` was handed out and not ended yet."""
        return lease in self._out

    def settle(
        self,
        settlement: Settlement,
        offsets: Mapping[GroupKey, float] | None = None,
        rescores: Mapping[UrlKey, float] | None = None,
    ) -> bool:
        """End a lease, with new offsets of groups and scores of queued URLs.

        False, and nothing happens, when it has been ended already.
        """
        if not self._out.end(settlement.lease):
            return False
        self._standstill.ended()
        self._noted.settle(settlement, offsets or {}, rescores or {})
        if self._runs_dry:
            self._wakeup.now()
        else:
            self._wakeup.soon()
        return True

    def park(self, lease: Lease) -> bool:
        """Let another fetch take the place of a lease that waits for something else; False when too many do."""
        if not self._out.park(lease):
            return False
        self._wakeup.now()
        return True

    def unpark(self, lease: Lease) -> None:
        """Count a parked lease among the fetches again."""
        self._out.unpark(lease)

    def release(self, lease: Lease, *, delay_s: float = 0.0) -> bool:
        """Give a lease back without counting an attempt; the URL waits at least `delay_s`."""
        if not self._out.end(lease):
            return False
        self._noted.release(lease, delay_s=delay_s)
        self._wakeup.now()
        return True

    def defer(self, lease: Lease, score: float) -> bool:
        """Give a lease back, and its URL another score: what was learned since has moved it."""
        if not self.release(lease):
            return False
        self._noted.rescore(lease.entry.key, score)
        return True

    def push(self, entries: Iterable[Entry]) -> None:
        """Queue entries."""
        self._noted.push(entries)
        self._wakeup.now()

    def hold(self, host: HostKey, *, delay_s: float | None = None, hold_until: float | None = None) -> None:
        """Set the delay of a host, or leave it alone until a time; of two holds the longer one counts.

        Leases of a host on hold that wait here go back: they were chosen when nothing was known of it.
        """
        self._noted.hold(host, delay_s=delay_s, hold_until=hold_until)
        self._give_back_held()
        self._wakeup.now()

    def drain(self, host: HostKey) -> None:
        """Hand out the queued links of a host as fast as they are taken: nothing is fetched from it any more."""
        self._noted.drain(host)
        self._wakeup.now()

    def take_totals(self, totals: FleetTotals, *, changes: int) -> None:
        """Take note of the totals of a fleet, which say whether links may still come of what other workers hold.

        Parameters
        ----------
        changes
            What `changes` was when they were asked for: older than the last change, they say nothing of the end.
        """
        self.queued = totals.stats.queued
        self._standstill.counted(totals.stats.ended)
        if changes != self.changes:
            return
        self._totals = totals
        now, is_moving = self._clock(), totals.stats.ended != self._ended
        self._ended = totals.stats.ended
        if self._ready_at is None and self.queued:
            self._ready_at = now  # others have brought some since
            self._wakeup.now()
        elif is_moving and not self._is_worth_waiting:
            self._totals, self._ready_at = None, now  # the wait may have been for the end of a lease that is over
            self._wakeup.now()

    def stop_leasing(self) -> None:
        """Hand out nothing more; what is under way goes on."""
        self._stop_leasing = True
        self._wakeup.now()

    def pause(self, paused: bool) -> None:
        """Lease nothing until told to go on; what waits here goes back, what is under way goes on."""
        self._paused = paused
        if paused:
            self._noted.give_back(self._buffer)
            self._buffer.clear()
        self._ready_at = 0.0  # not known any more
        self._wakeup.now()

    @property
    def has_work(self) -> bool:
        """Tell whether a request may still come of what is known: the crawl is not at its end."""
        if self._broken:
            return False
        if self._busy or self._noted.may_bring_links:
            return True
        if self._stop_leasing:
            return False
        if self._buffer or self._paused:
            return True
        if self._ready_at is not None and self._is_worth_waiting:
            return True
        return self._fleet is not None and self._others_may_bring_links()

    @property
    def is_closing(self) -> bool:
        """Tell whether `close` was called."""
        return self._closing

    @property
    def in_flight(self) -> int:
        """Leases handed out and not ended."""
        return len(self._out)

    @property
    def overtaken(self) -> int:
        """Settlements that came too late: their leases had run out, and others have their links."""
        return self._noted.overtaken

    @property
    def leases(self) -> list[Lease]:
        """Leases handed out and not ended."""
        return self._out.leases

    @property
    def is_ready(self) -> bool:
        """Tell whether there is a lease to take, or nothing is left to do."""
        return bool(self._buffer) or not self.has_work

    # --------------------------------------------------------------- what its owner runs

    async def turn(self) -> Turn:
        """Carry out what was noted, look after leases, and refill the buffer.

        Raises
        ------
        FocusCrawlError
            If the frontier or the output fails; the loop has no work from then on.
        """
        self._busy = True
        try:
            settled = await self._noted.carry_out()
            lost = await self._look_after_leases()
            await self._refill()
        except BaseException:
            self._broken = True
            raise
        finally:
            self._busy = False
        return Turn(settled, lost)

    async def wait(self) -> None:
        """Wait until there is something to do."""
        # Links of other workers come unasked: `take_totals` tells of those that come to an empty queue.
        nothing_left = self._ready_at is None and not self._visits_only
        timeout = _HEARTBEAT_S if self._fleet is None or nothing_left else _COUNT_S
        room = len(self._buffer) < self.options.buffer and not (self._stop_leasing or self._paused)
        if room and self._ready_at:
            timeout = min(timeout, max(self._ready_at - self._clock(), _MIN_SLEEP_S))
        await self._wakeup.wait(timeout)

    def close(self) -> None:
        """Hand out nothing more and end the wait."""
        self._closing = True
        self._wakeup.now()

    async def finish(self) -> Sequence[Settlement]:
        """Settle what has gathered and release all leases, after the last turn; return what the frontier has taken.

        The frontier stays open. After a turn that failed nothing is done.

        Raises
        ------
        FocusCrawlError
            If the frontier or the output fails.
        """
        if self._broken:
            return ()
        self._noted.give_back((*self._buffer, *self._out.leases))
        self._buffer.clear()
        self._out.clear()
        return await self._noted.carry_out()

    # ------------------------------------------------------------------- private

    @property
    def _runs_dry(self) -> bool:
        """Tell whether the downloader may soon want more leases than are at hand."""
        return len(self._buffer) <= self.options.buffer // 2

    def _give_back_held(self) -> None:
        held = [lease for lease in self._buffer if self._noted.is_held(lease.entry.host)]
        if held:
            self._noted.give_back(held)
            self._buffer = deque(lease for lease in self._buffer if lease not in held)

    async def _refill(self) -> None:
        options = self.options
        under_way = len(self._out) + len(self._buffer)
        want = min(options.concurrency + options.buffer + self._out.parked - under_way, self.limits.allowed(under_way))
        if want <= 0 or self._closing or self._stop_leasing or self._paused:
            return
        leases = await self.frontier.lease(
            want, worker=options.worker, per_host=options.per_host, lease_s=options.lease_s
        )
        now = self._clock()
        if leases:
            self._standstill.goes_on(now)
            self._changed()
            # A later lease can be better than one that waits: links found in between.
            self._buffer = deque(sorted([*self._buffer, *leases], key=lambda lease: -lease.priority))
            self._give_back_held()
            if self._paused:  # since these were asked for
                self.pause(True)
        was_worth = self._is_worth_waiting
        self._ready_at = 0.0 if len(leases) == want else await self.frontier.next_ready_at()
        if was_worth and not self._is_worth_waiting:
            self._changed()  # the wait may be for the end of another's lease, which totals of before have not seen
        if self._ready_at and not (self._out or self._buffer):
            self._standstill.waits(now, until=self._ready_at)

    async def _look_after_leases(self) -> list[Lease]:
        now, lost = self._clock(), list[Lease]()
        renew_s = self.options.lease_s / 2
        if is_due(self._renew_at, now, renew_s):
            self._renew_at = now + renew_s
            lost = await self._renew()
        if is_due(self._reap_at, now, _REAP_S):
            self._reap_at = now + _REAP_S
            await self.frontier.reap()
        if self._fleet is None and is_due(self._count_at, now, _COUNT_S):
            self._count_at = now + _COUNT_S
            stats = await self.frontier.stats()
            self.queued = stats.queued
            self.waits_for, self.waits_until = stats.waits_for, stats.waits_until
        return lost

    @property
    def _is_worth_waiting(self) -> bool:
        """Tell whether the next entry is to be waited for; so it is while none is known of."""
        return self._ready_at is None or self._standstill.is_worth(self._clock(), until=self._ready_at)

    def _others_may_bring_links(self) -> bool:
        totals = self._totals
        if totals is None or totals.stats.leased:
            return True
        # A round knows itself when its visits are over: the last may have been leased since the totals were asked for.
        return self._ready_at is None and (totals.stats.queued > 0 or self._visits_only)

    @property
    def _visits_only(self) -> bool:
        return self._fleet is not None and self._fleet.only_visits

    def _changed(self) -> None:
        """Note that this worker has changed the queue: totals asked for before are old."""
        self.changes += 1
        self._totals = None

    async def _renew(self) -> list[Lease]:
        lost = self._out.renewed()
        if leases := [*self._out.leases, *self._buffer]:
            await self.frontier.renew(leases, self.options.lease_s)
        return lost
