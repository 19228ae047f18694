"""Setbacks: fetches that gave no page, but a failure, an unknown name, a redirect or a longer delay."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from focuscrawl.crawler.fetch_failure import FetchFailure
from focuscrawl.crawler.redirects import FETCHED_BEFORE, NO_URL, TARGET_QUEUED, as_link
from focuscrawl.page.urls import host_of, normalize_url, url_key
from focuscrawl.records import Lease, Outcome
from focuscrawl.types import HostKey

if TYPE_CHECKING:
    from focuscrawl.crawler.crawl import Crawl


class Setbacks:
    """Decides what becomes of a lease whose fetch gave no page, and settles it or gives it back."""

    def __init__(self, crawl: Crawl) -> None:
        self._crawl = crawl
        self._loop = crawl.loop
        self._hosts = crawl.hosts

    def asking(self, lease: Lease) -> Lease:
        """Note that a lease is handed out to be fetched, and return it; a host in trouble is asked one at a time."""
        hold_s = self._hosts.asked(lease.entry)
        if hold_s > 0.0:
            self._loop.hold(lease.entry.host, hold_until=self._crawl.clock() + hold_s)
        return lease

    def give_up(self, lease: Lease, failure: FetchFailure, *, url: str = "") -> None:
        """Settle a lease with a failure, met at `url`, '' for the link's own; a visit says nothing of its page then."""
        crawl, at = self._crawl, self._crawl.clock()
        if lease.entry.origin.earlier is not None:
            result = crawl.revisits.unanswered(lease, failure, at=at)
        else:
            result = crawl.step.failed(
                lease,
                outcome=failure.outcome,
                reason=failure.reason,
                status=failure.status,
                fetched_at=at,
                url=url,
            )
        crawl.end_lease(result)

    def failed(self, lease: Lease, failure: FetchFailure, *, url: str = "", last: bool = False) -> bool:
        """Settle a fetch that gave no page, or give its URL back; the host may be left alone for a while.

        Returns whether the URL is given up: nothing more is tried, as far as this lease tells.

        Parameters
        ----------
        url
            Where it failed, after redirects; '' for the entry's own.
        last
            No other try is wanted, whatever the failure: somebody made use of the answer.
        """
        if not self._loop.holds(lease):
            return False
        if failure.no_tunnel:
            self._crawl.tunnels.failed(url or lease.entry.url)
        elif failure.status:
            self._crawl.tunnels.opened(url or lease.entry.url)
        if failure.no_such_host:
            return self.unresolved([lease], failure, url=url or lease.entry.url)
        host = (host_of(url) if url else "") or lease.entry.host
        reaction = self._hosts.failed(lease.entry, failure, host=host)
        if reaction.hold_s > 0.0:
            self._loop.hold(host, hold_until=self._crawl.clock() + reaction.hold_s)
        outcome = Outcome.REFUSED if last else reaction.outcome
        if outcome is None:
            self._loop.release(lease, delay_s=reaction.delay_s)
            return False
        self.give_up(lease, replace(failure, outcome=outcome, reason=reaction.reason), url=url)
        return self.is_last(lease, outcome)

    def is_last(self, lease: Lease, outcome: Outcome) -> bool:
        """Tell whether nothing more is tried after a fetch that ends so, as far as its lease tells."""
        return outcome is not Outcome.FAILED or lease.attempt >= self._crawl.config.max_attempts

    def unresolved(self, leases: Iterable[Lease], failure: FetchFailure, *, url: str) -> bool:
        """Give leases back that one look-up of the name in `url` has failed for, or settle them: it does not exist.

        Returns whether they were settled.
        """
        names, now = self._crawl.names, self._crawl.clock()
        wait_s = None if names.is_unknown(url, now=now) else names.failed(url, now=now)
        for lease in leases:
            if not self._loop.holds(lease):
                continue
            if wait_s is None:
                self.give_up(lease, replace(failure, outcome=Outcome.REFUSED), url=url)
            else:
                self._loop.release(lease, delay_s=wait_s)
        if names.is_outage_since_start and not self._loop.in_flight:
            self._loop.stop_leasing()  # all that was tried has failed three times; the links stay for another start
        return wait_s is None

    def redirected(self, lease: Lease, url: str, *, hops: int = 1, once: bool = False) -> HostKey | None:
        """Return the host a redirect of a leased link leads to; None, and the lease is settled, if it is not followed.

        The fetch counts towards the delay of that host: the frontier did not hand it out.

        Parameters
        ----------
        hops
            Redirects so far, this one included.
        once
            A page that was fetched before is not fetched again; a seed's is, for the answer tells that it works.
        """
        if not self._loop.holds(lease):
            return None
        normal = normalize_url(url, url)
        if normal is None:
            self.failed(lease, FetchFailure(Outcome.REFUSED, NO_URL))
            return None
        host, step = host_of(normal), self._crawl.step
        refusal = step.scope.refusal(normal, host, lease.entry.depth) or step.budgets.refusal(normal, host)
        if refusal:
            self._hosts.answered(lease.entry.host)
            self.give_up(lease, FetchFailure(Outcome.REFUSED, f"redirected out of scope: {refusal}"), url=normal)
            return None
        origin = lease.entry.origin
        is_link = origin.parent is not None and origin.earlier is None
        if once and is_link and step.has_fetched(url_key(normal)):
            self._hosts.answered(lease.entry.host)
            self.give_up(lease, FetchFailure(Outcome.REFUSED, FETCHED_BEFORE), url=normal)
            return None
        if self._hosts.is_slow(host) or (host != lease.entry.host and self._hosts.is_in_trouble(host)):
            self.queue_target(lease, normal, hops)
            return None
        self.count_fetch(host, own=host == lease.entry.host)
        return host

    def queue_target(self, lease: Lease, url: str, hops: int) -> None:
        """Settle a link, and queue what it redirects to: its host is to be asked later than a download may wait, or
        does not answer.
        """
        normal = normalize_url(url, url)
        if normal is not None and self._loop.holds(lease):
            self._hosts.answered(lease.entry.host)
            self._loop.push([as_link(lease.entry, normal, host_of(normal), lease.entry.origin.hops + hops)])
            self.give_up(lease, FetchFailure(Outcome.REFUSED, TARGET_QUEUED), url=normal)

    def count_fetch(self, host: HostKey, *, own: bool = False) -> None:
        """Count a fetch the frontier did not hand out (robots.txt, a redirect) towards the delay of its host.

        A downloader keeps the requests of its process apart; this keeps the frontier from sending it the next one while
        it has to wait.
        """
        delay_s = self._hosts.delay_of(host)
        if delay_s > 0.0:
            self._loop.hold(host, hold_until=self._crawl.clock() + (2.0 if own else 1.0) * delay_s)

    def set_delay(self, host: HostKey, delay_s: float) -> None:
        """Set the delay of a host, as the project asks for; its robots.txt may raise it."""
        self._hosts.set_delay(host, delay_s)
        self._loop.hold(host, delay_s=delay_s)

    def raise_delay(self, host: HostKey, delay_s: float) -> bool:
        """Raise the delay of a host, as its robots.txt asks for; False for one that is no longer than before."""
        if not self._hosts.raise_delay(host, delay_s):
            return False
        self._loop.hold(host, delay_s=delay_s)
        return True
