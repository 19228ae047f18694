"""Host back-off: delays, holds after failures and "not now".

A host that has failed twice in a row is asked once in a while until it answers, and each such fetch that fails doubles
the wait. What was under way before says nothing new: sixteen fetches of one host that time out together are one silence
of thirty seconds, and no reason to leave it alone for an hour.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import islice

from focuscrawl.config import FocusConfig
from focuscrawl.crawler.fetch_failure import FetchFailure
from focuscrawl.records import Entry, Outcome
from focuscrawl.types import HostKey, UrlKey

MAX_WAIT_S = 5.0
"""Seconds a request may wait in the downloader for the delay of its host; beyond that its lease goes back."""
# A URL may come back this often with "not now" before it counts as failed.
_MAX_RELEASES = 5
_TROUBLE = 2  # failures in a row; one bad answer among good ones is the URL's matter
_MOST_FAILING = 50_000  # hosts whose failures are known, 300 bytes each: of more, those that failed first are forgotten
_MAX_TRIAL_S = 10.0  # between two fetches of a host in trouble whose answers are not there yet


@dataclass(frozen=True, slots=True)
class Reaction:
    """Reaction to a failed fetch, for the URL and its host."""

    outcome: Outcome | None  # None: the URL goes back to the queue, and no attempt is counted
    reason: str = ""
    delay_s: float = 0.0  # the URL waits so long there
    hold_s: float = 0.0  # the host is left alone so long


@dataclass(slots=True)
class _Failures:
    """Failures of a host in a row."""

    number: int = 0
    trials: set[UrlKey] = field(default_factory=set)  # handed out since the last of them, once the host is in trouble

    @property
    def in_trouble(self) -> bool:
        return self.number >= _TROUBLE


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
        self._failures: dict[HostKey, _Failures] = {}  # of hosts whose last fetches all failed
        self._delays: dict[HostKey, float] = {}  # hosts with a longer one than the crawl's

    # ----------------------------------------------------------------------- answers

    def asked(self, entry: Entry) -> float:
        """Take note that an entry is handed out; return the seconds that its host is left alone from then on.

        They are 0 but for a host in trouble.
        """
        failures = self._failures.get(entry.host)
        if failures is None or not failures.in_trouble:
            return 0.0
        failures.trials.add(entry.key)
        return min(self._hold_s(failures), _MAX_TRIAL_S)

    def answered(self, host: HostKey) -> None:
        """Take note that a host has given an answer."""
        self._failures.pop(host, None)

    def ended(self, key: UrlKey) -> None:
        """Take note that a URL has come to its end: a later visit of it may come back as often again."""
        self._releases.pop(key, None)

    def failed(self, entry: Entry, failure: FetchFailure, *, host: HostKey | None = None) -> Reaction:
        """Return what to do after a fetch that gave no page, for another reason than a name.

        Parameters
        ----------
        host
            Where it failed, if a redirect led there; None for the entry's own.
        """
        if failure.put_off:
            return Reaction(None, failure.reason, hold_s=failure.wait_s or 0.0)
        if host is None:
            host = entry.host
        elif host != entry.host:
            self.answered(entry.host)  # with the redirect
        hold_s = self._back_off(host, entry.key) if failure.host_failed else 0.0
        if failure.wait_s is not None:
            return self._not_now(host, entry.key, failure, hold_s)
        if not failure.host_failed:
            self.answered(host)
        return Reaction(failure.outcome, failure.reason, hold_s=hold_s)

    def is_in_trouble(self, host: HostKey) -> bool:
        """Tell whether the last fetches of a host have all failed, and are more than one."""
        failures = self._failures.get(host)
        return failures is not None and failures.in_trouble

    def _back_off(self, host: HostKey, key: UrlKey) -> float:
        """Return how long a host is left alone that failed: from the second time in a row, twice as long each time."""
        failures = self._failures.get(host)
        if failures is None:
            if len(self._failures) >= _MOST_FAILING:
                for first in list(islice(self._failures, _MOST_FAILING // 2)):
                    del self._failures[first]
            failures = self._failures[host] = _Failures()
        if failures.in_trouble and key not in failures.trials:
            return 0.0  # asked for before the host was left alone
        failures.number += 1
        failures.trials.clear()
        return self._hold_s(failures) if failures.in_trouble else 0.0

    def _hold_s(self, failures: _Failures) -> float:
        doublings = min(failures.number - _TROUBLE, 20)
        return min(self._config.host_backoff_s * 2.0**doublings, self._config.max_hold_s)

    def _not_now(self, host: HostKey, key: UrlKey, failure: FetchFailure, hold_s: float) -> Reaction:
        """Give a URL back that its host does not want to serve now, a few times.

        It comes back later than its host does, so another one is tried: a host that is down for minutes would else use
        up the times of its best URL, and a URL that is never served would stand before all others.
        """
        self._releases[key] = self._releases.get(key, 0) + 1
        if self._releases[key] > _MAX_RELEASES:
            del self._releases[key]
            self.answered(host)
            return Reaction(Outcome.REFUSED, failure.reason, hold_s=hold_s)
        hold_s = max(hold_s, min(failure.wait_s or 0.0, self._config.max_hold_s))
        return Reaction(None, failure.reason, hold_s + self._config.host_backoff_s, hold_s)

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
