"""Host back-off: delays, holds after failures and "not now"."""

from __future__ import annotations

from dataclasses import dataclass

from focuscrawl.config import FocusConfig
from focuscrawl.crawler.fetch_failure import FetchFailure
from focuscrawl.records import Entry, Outcome
from focuscrawl.types import HostKey, UrlKey

MAX_WAIT_S = 5.0
"""Seconds a request may wait in the downloader for the delay of its host; beyond that its lease goes back."""
# A URL may come back this often with "not now" before it counts as failed.
_MAX_RELEASES = 5


@dataclass(frozen=True, slots=True)
class Reaction:
    """Reaction to a failed fetch, for the URL and its host."""

    outcome: Outcome | None  # None: the URL goes back to the queue, and no attempt is counted
    reason: str = ""
    delay_s: float = 0.0  # the URL waits so long there
    hold_s: float = 0.0  # the host is left alone so long


class HostBackoff:
    """Memory of how hosts have answered; it decides, and its owner acts.

    Parameters
    ----------
    config
        ``host_backoff_s`` and ``max_hold_s``.
    delay_s
        Seconds between two requests to a host, where nothing longer is asked for.
    """

    def __init__(self, config: FocusConfig, *, delay_s: float) -> None:
        self._config = config
        self._delay_s = delay_s
        self._releases: dict[UrlKey, int] = {}
        self._failures: dict[HostKey, int] = {}  # hosts whose last fetches all failed -> how many
        self._delays: dict[HostKey, float] = {}  # hosts with a longer one than the crawl's

    # ----------------------------------------------------------------------- answers

    def answered(self, host: HostKey) -> None:
        """Take note that a host has given an answer."""
        self._failures.pop(host, None)

    def failed(self, entry: Entry, failure: FetchFailure) -> Reaction:
        """Return what to do after a fetch that gave no page, for another reason than a name."""
        if failure.put_off:
            return Reaction(None, failure.reason, hold_s=failure.wait_s or 0.0)
        hold_s = self._back_off(entry.host) if failure.host_failed else 0.0
        if failure.wait_s is not None:
            return self._not_now(entry, failure, hold_s)
        if not failure.host_failed:
            self.answered(entry.host)
        return Reaction(failure.outcome, failure.reason, hold_s=hold_s)

    def _back_off(self, host: HostKey) -> float:
        """Return how long a host is left alone that failed: from the second time in a row, twice as long each time."""
        failures = self._failures[host] = self._failures.get(host, 0) + 1
        if failures < 2:
            return 0.0  # one bad answer among good ones is the URL's matter
        return min(self._config.host_backoff_s * 2.0 ** min(failures - 2, 20), self._config.max_hold_s)

    def _not_now(self, entry: Entry, failure: FetchFailure, hold_s: float) -> Reaction:
        """Give a URL back that its host does not want to serve now, a few times."""
        key = entry.key
        self._releases[key] = self._releases.get(key, 0) + 1
        if self._releases[key] > _MAX_RELEASES:
            del self._releases[key]
            self.answered(entry.host)
            return Reaction(Outcome.REFUSED, failure.reason, hold_s=hold_s)
        wait_s = min(failure.wait_s or 0.0, self._config.max_hold_s)
        return Reaction(None, failure.reason, self._config.host_backoff_s, max(hold_s, wait_s))

    # ------------------------------------------------------------------------- delays

    def delay_of(self, host: HostKey) -> float:
        """Return the seconds between two requests to a host."""
        return self._delays.get(host, self._delay_s)

    def is_slow(self, host: HostKey) -> bool:
        """Tell whether a host's delay is longer than a request may wait in the downloader, where it holds a place."""
        return self.delay_of(host) > MAX_WAIT_S

    def set_delay(self, host: HostKey, delay_s: float) -> None:
        """Set the delay of a host, as the project asks for."""
        self._delays[host] = delay_s

    def raise_delay(self, host: HostKey, delay_s: float) -> bool:
        """Raise the delay of a host, as its robots.txt asks for, up to the longest that is obeyed.

        False for one that is no longer than before, or no number.
        """
        delay_s = min(delay_s, self._config.max_crawl_delay_s)
        if not delay_s > self.delay_of(host):  # nor is "nan"
            return False
        self._delays[host] = delay_s
        return True
