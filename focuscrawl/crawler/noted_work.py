"""Work for the frontier: noted by plain calls, which must not wait, and carried out by the next turn of the loop."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from focuscrawl.crawler.run_output import RunOutput
from focuscrawl.frontier.base import Frontier
from focuscrawl.records import Entry, Lease, Settlement
from focuscrawl.types import GroupKey, HostKey, UrlKey


class NotedWork:
    """Settlements, links, scores, holds and leases to give back, until the next turn carries them out.

    Parameters
    ----------
    output
        Where pages are written beside the frontier; None for none.
    changed
        Called after each change of the queue.
    """

    def __init__(self, frontier: Frontier, output: RunOutput | None, changed: Callable[[], None]) -> None:
        self._frontier = frontier
        self._output = output
        self._changed = changed
        self._settlements: list[Settlement] = []
        self._entries: list[Entry] = []
        self._offsets: dict[GroupKey, float] = {}
        self._rescores: dict[UrlKey, float] = {}
        self._holds: dict[HostKey, tuple[float | None, float | None]] = {}
        self._drains: set[HostKey] = set()
        self._releases: list[tuple[Lease, float]] = []
        self.overtaken = 0  # settlements that the frontier has not taken

    @property
    def may_bring_links(self) -> bool:
        """Tell whether there may be more to lease once this is carried out."""
        return bool(self._settlements or self._entries or self._releases)

    def settle(
        self, settlement: Settlement, offsets: Mapping[GroupKey, float], rescores: Mapping[UrlKey, float]
    ) -> None:
        """Note the end of a lease, with new offsets of groups and scores of queued URLs."""
        self._settlements.append(settlement)
        self._offsets.update(offsets)
        self._rescores.update(rescores)

    def push(self, entries: Iterable[Entry]) -> None:
        """Note links to queue."""
        self._entries.extend(entries)

    def rescore(self, key: UrlKey, score: float) -> None:
        """Note another score of a queued link."""
        self._rescores[key] = score

    def release(self, lease: Lease, *, delay_s: float) -> None:
        """Note a lease to give back, whose URL waits at least `delay_s`."""
        self._releases.append((lease, delay_s))

    def give_back(self, leases: Iterable[Lease]) -> None:
        """Note leases to give back whose URLs need not wait."""
        self._releases += [(lease, 0.0) for lease in leases]

    def hold(self, host: HostKey, *, delay_s: float | None, hold_until: float | None) -> None:
        """Note the delay of a host, or a time until which it is left alone; of two such times the later one counts."""
        old_delay, old_until = self._holds.get(host, (None, None))
        if old_until is not None and hold_until is not None:
            hold_until = max(hold_until, old_until)
        self._holds[host] = (
            delay_s if delay_s is not None else old_delay,
            hold_until if hold_until is not None else old_until,
        )

    def is_held(self, host: HostKey) -> bool:
        """Tell whether a time is noted until which a host is left alone, which the frontier does not know yet."""
        return self._holds.get(host, (None, None))[1] is not None

    def drain(self, host: HostKey) -> None:
        """Note a host whose queued links are to be handed out as fast as they are taken."""
        self._drains.add(host)

    async def carry_out(self) -> Sequence[Settlement]:
        """Do what was noted; return the settlements the frontier has taken.

        Lists are swapped first: what comes while waiting belongs to the next turn.

        Raises
        ------
        FocusCrawlError
            If the frontier or the output fails.
        """
        settled = await self._settle()
        if self._entries:
            entries, self._entries = self._entries, []
            await self._frontier.push(entries)
            self._changed()
        if self._offsets:
            offsets, self._offsets = self._offsets, {}
            await self._frontier.set_offsets(offsets)
        # Together: a lease that went back with a hold of its host must not be taken again before the hold is there.
        holds, self._holds = self._holds, {}
        releases, self._releases = self._releases, []
        for host, (delay_s, hold_until) in holds.items():
            await self._frontier.keep_host(host, delay_s=delay_s, hold_until=hold_until)
        drains, self._drains = self._drains, set()
        for host in drains:
            await self._frontier.set_host(host, delay_s=0.0, hold_until=0.0)
        for delay in {delay for _, delay in releases}:
            await self._frontier.release([lease for lease, d in releases if d == delay], delay_s=delay)
        if self._rescores:
            # After the releases: a link that is leased has no score to change.
            rescores, self._rescores = self._rescores, {}
            await self._frontier.rescore(rescores)
        return settled

    async def _settle(self) -> Sequence[Settlement]:
        if not self._settlements:
            return ()
        settlements, self._settlements = self._settlements, []
        # What is not in the frontier itself comes first: the page of a worker that is killed in between is fetched
        # again and takes its own row; the other way round it would be missing.
        if self._output is not None:
            await self._output.before_settling(settlements)
        valid = await self._frontier.settle(settlements)
        self._changed()
        if self._output is not None:
            await self._output.after_settling(settlements, valid)
        self.overtaken += len(settlements) - sum(valid)
        return [one for one, is_valid in zip(settlements, valid, strict=True) if is_valid]
