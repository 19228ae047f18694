"""Waiting hosts of a fleet: why more workers would not make it faster."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

MAX_NAMED = 100
"""Hosts that are looked at; with more that wait, more of them would be a matter of seconds."""
_SHOWN = 3


@dataclass(frozen=True, slots=True)
class WaitingHost:
    """Host with queued links that may not be asked yet."""

    name: str
    delay_s: float  # between two fetches
    left_s: float  # until it may be asked


@dataclass(frozen=True, slots=True)
class Waiting:
    """What the hosts with queued links wait for, at one moment."""

    ready: int = 0  # hosts that may be asked now
    full: int = 0  # hosts with as many fetches in flight as may be
    timed: int = 0  # hosts that wait for their time
    hosts: Sequence[WaitingHost] = ()  # of these, the first `MAX_NAMED`

    @classmethod
    def of(cls, answer: Sequence[Any]) -> Waiting:
        """Return the answer of ``waits.lua``."""
        ready, full, timed, *rest = answer
        triples = zip(rest[::3], rest[1::3], rest[2::3], strict=True)
        hosts = [
            WaitingHost(name.decode("utf-8", "replace"), float(delay), float(left)) for name, delay, left in triples
        ]
        return cls(ready, full, timed, hosts)

    def reason(self, *, idle: bool) -> str:
        """Return why more workers would not make a fleet faster, '' when they would.

        Parameters
        ----------
        idle
            The fleet fetches nothing, as before its first worker or in a pause: then no host is what it waits for.

        >>> Waiting(timed=1, hosts=[WaitingHost("a.example", 5.0, 2.0)]).reason(idle=False)
        'all links that wait are of a.example, which is asked once in 5 s: more workers change nothing'
        >>> Waiting(ready=1, timed=1, hosts=[WaitingHost("a.example", 5.0, 2.0)]).reason(idle=False)
        ''
        """
        if idle or self.ready or self.full or not self.hosts or self.timed > len(self.hosts):
            return ""
        held = [host for host in self.hosts if host.left_s > max(host.delay_s, 1.0)]
        if len(held) == len(self.hosts):
            first = min(held, key=lambda host: host.left_s)
            return (
                f"all links that wait are of {self._named()}, left alone after a failure or as asked to; {first.name}"
                f" for {first.left_s:.0f} s more"
            )
        if len(self.hosts) == 1:
            return (
                f"all links that wait are of {self._named()}, which is asked once in {self.hosts[0].delay_s:g} s:"
                " more workers change nothing"
            )
        rate = sum(1.0 / host.delay_s for host in self.hosts if host not in held and host.delay_s)
        return (
            f"all links that wait are of {self._named()}, which are asked {rate:.2g} times a second together:"
            " more workers change nothing"
        )

    def stranded(self, lost: Sequence[str], *, left: int = 0, spent: bool = False) -> str:
        """Return why a fleet fetches nothing whose hosts are taken by workers that were killed, '' for another reason.

        Parameters
        ----------
        lost
            Workers not heard of that had fetches in flight, where those that are heard of have none.
        left
            Leased links, where no others are left, or may be fetched.
        spent
            They are the rest of the limit of pages: others wait in vain.

        >>> Waiting(full=1).stranded(["vm:1"]).partition(":")[0]
        'all links that may be fetched are of hosts that vm'
        >>> Waiting().stranded(["vm:1"], left=2).partition(" held ")[0]
        'nothing is left but 2 links that vm:1'
        """
        if not lost or not (left if spent else not self.ready and (self.full or left)):
            return ""
        what = (
            f"nothing is left {'of the limit of pages ' * spent}but {left} link{'s' * (left > 1)}"
            if left
            else "all links that may be fetched are of hosts"
        )
        return (
            f"{what} that {' and '.join(lost)} held when last heard of: a worker gives them back at once when it is"
            " started again in its run folder, else others take them when it was silent for a minute (with several"
            " servers when its leases run out, FOCUSCRAWL_LEASE_S)"
        )

    def _named(self) -> str:
        names = [host.name for host in self.hosts]
        if len(names) > _SHOWN:
            return f"{len(names)} hosts"
        return " and ".join([", ".join(names[:-1]), names[-1]] if names[1:] else names)
