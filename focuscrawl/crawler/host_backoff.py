"""When a host is asked again: delays, holds after failures and "not now", names that do not resolve."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from focuscrawl.config import FocusConfig
from focuscrawl.crawler.fetch_failure import NO_SUCH_HOST, FetchFailure
from focuscrawl.crawler.frontier_loop import FrontierLoop
from focuscrawl.records import Lease, Outcome
from focuscrawl.types import HostKey

# A URL may come back this often with "not now" before it counts as failed.
_MAX_RELEASES = 5
# A name that cannot be resolved so often in a row does not exist.
_MAX_LOOKUPS = 3


class GiveUp(Protocol):
    """Settles a fetch that gave no page: `CrawlSession.give_up`."""

    def __call__(
        self, lease: Lease, outcome: Outcome, reason: str, *, status: int = 0, url: str = "", host_failed: bool = False
    ) -> None: ...


class HostBackoff:
    """See the module's docstring.

    Parameters
    ----------
    task
        The loop to the frontier: hosts are held and leases released there.
    config
        ``host_backoff_s`` and ``max_hold_s``.
    give_up
        Settles a fetch that gave no page.
    delay_s
        Seconds between two requests to a host, where nothing longer is asked for.
    raise_slot
        Raises the delay of a host in the downloader, for redirects, which do not pass the frontier.
    clock
        Gives the time in Unix seconds.
    """

    def __init__(
        self,
        task: FrontierLoop,
        config: FocusConfig,
        give_up: GiveUp,
        *,
        delay_s: float,
        raise_slot: Callable[[str, float], None],
        clock: Callable[[], float],
    ) -> None:
        self._task = task
        self._config = config
        self._give_up = give_up
        self._delay_s = delay_s
        self._raise_slot = raise_slot
        self._clock = clock
        self._releases: dict[int, int] = {}  # by key
        self._failures: dict[HostKey, int] = {}  # hosts whose last fetches all failed -> how many
        self._unresolved: dict[str, int] = {}  # scheme and host -> look-ups in a row that failed
        self._delays: dict[HostKey, float] = {}  # hosts with a longer one than the crawl's

    # ----------------------------------------------------------------------- answers

    def answered(self, host: HostKey, url: str = "") -> None:
        """Take note that a host has given an answer, and that the name in `url` resolves."""
        self._failures.pop(host, None)
        if url and self._unresolved:
            self._unresolved.pop(_site(url), None)

    def back_off(self, host: HostKey) -> None:
        """Leave a host alone that failed twice in a row: the base time, doubled for each failure more."""
        failures = self._failures[host] = self._failures.get(host, 0) + 1
        if failures < 2:
            return  # one bad answer among good ones is the URL's matter
        wait_s = min(self._config.host_backoff_s * 2.0 ** min(failures - 2, 20), self._config.max_hold_s)
        if wait_s > 0.0:
            self._task.hold(host, hold_until=self._clock() + wait_s)

    def fate(self, lease: Lease, fate: FetchFailure, *, url: str = "") -> None:
        """Settle or give back a lease as `fate` says."""
        if fate.no_such_host:
            self._no_such_host(lease, url or lease.entry.url)
        elif fate.wait_s is not None:
            if fate.host_failed and self._task.holds(lease):
                self.back_off(lease.entry.host)
            self._not_now(lease, fate.reason, wait_s=fate.wait_s, status=fate.status)
        else:
            self._give_up(lease, fate.outcome, fate.reason, status=fate.status, url=url, host_failed=fate.host_failed)

    def _not_now(self, lease: Lease, reason: str, *, wait_s: float, status: int) -> None:
        """Give a URL back that its host does not want to serve now, and leave the host alone for `wait_s`."""
        if not self._task.holds(lease):
            return
        key = lease.entry.key
        self._releases[key] = self._releases.get(key, 0) + 1
        if self._releases[key] > _MAX_RELEASES:
            del self._releases[key]
            self._give_up(lease, Outcome.REFUSED, reason, status=status)
            return
        if wait_s > 0.0:
            self._task.hold(lease.entry.host, hold_until=self._clock() + min(wait_s, self._config.max_hold_s))
        self._task.release(lease, delay_s=self._config.host_backoff_s)

    # -------------------------------------------------------------------------- names

    def refuses(self, lease: Lease) -> bool:
        """Settle a link whose host does not exist, as far as the last look-ups say; tell whether it was one."""
        if not self._unresolved or self._unresolved.get(_site(lease.entry.url), 0) < _MAX_LOOKUPS:
            return False
        self._give_up(lease, Outcome.REFUSED, NO_SUCH_HOST)
        return True

    def _no_such_host(self, lease: Lease, url: str) -> None:
        """Look a name up again later, a few times for all its links together; nobody has to be left alone."""
        if not self._task.holds(lease):
            return
        site = _site(url)
        tries = self._unresolved[site] = self._unresolved.get(site, 0) + 1
        if tries >= _MAX_LOOKUPS:
            self._give_up(lease, Outcome.REFUSED, NO_SUCH_HOST)
        else:
            self._task.release(lease, delay_s=self._config.host_backoff_s * 2.0**tries)

    # ------------------------------------------------------------------------- delays

    def count_fetch(self, host: HostKey, *, own: bool = False) -> None:
        """Count a fetch the frontier did not hand out (robots.txt, a redirect) towards the delay of its host.

        Scrapy's own slots keep the requests of this process apart; this keeps the frontier from sending the next one
        into the queue of the slot, where it would hold a place of the downloader while it waits.
        """
        delay_s = self.delay_of(host)
        if delay_s > 0.0:
            self._task.hold(host, hold_until=self._clock() + (2.0 if own else 1.0) * delay_s)

    def delay_of(self, host: HostKey) -> float:
        """Return the seconds between two requests to a host."""
        return self._delays.get(host, self._delay_s)

    def raise_delay(self, host: HostKey, delay_s: float) -> None:
        """Raise the delay of a host, as its robots.txt asks for; a lower one than the crawl's changes nothing."""
        if delay_s > self.delay_of(host):
            self._delays[host] = delay_s
            self._task.hold(host, delay_s=delay_s)
            self._raise_slot(host, delay_s)


def _site(url: str) -> str:
    """Return scheme and host: through a proxy for http only, https names may not resolve where http ones need not."""
    return "/".join(url.split("/", 3)[:3])
