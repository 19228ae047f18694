"""How far hosts are to be believed that name other hosts: by what first fetches of those gave.

A directory names sites that are there, and a blog's footer a dozen services where nothing is to be had, or that answer
no more. Both name hosts of which nothing is known, with links that read alike. So each host that names others keeps
count of the first fetches that followed its word, and of those that gave a page.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from heapq import nlargest

from focuscrawl.types import HostKey

_PRIOR = 2.0  # first fetches that gave a page, which a host is credited with before any was made
_HOSTS = 50_000  # that are remembered: where there are more, those of which least is known are forgotten
_KEPT = 1_000  # hosts that are saved with the run


class Referrers:
    """See the module's docstring."""

    def __init__(self) -> None:
        self._counts: dict[HostKey, tuple[int, int]] = {}  # first fetches, and those that gave a page

    def tried(self, referrer: HostKey, *, gave: bool) -> None:
        """Count the first fetch of a host that `referrer` named."""
        tries, good = self._counts.get(referrer, (0, 0))
        self._counts[referrer] = (tries + 1, good + gave)
        if len(self._counts) > _HOSTS:
            self._counts = dict(self._best(_HOSTS // 2))

    def trust(self, referrer: HostKey) -> float:
        """Return how likely the next first fetch gives a page, in (0, 1]: the mean of a Beta posterior."""
        tries, good = self._counts.get(referrer, (0, 0))
        return (good + _PRIOR) / (tries + _PRIOR)

    def snapshot(self) -> dict[str, list[int]]:
        """Return the counts of the hosts that are known best."""
        return {host: list(counts) for host, counts in self._best(_KEPT)}

    def restore(self, state: object) -> None:
        """Take up what `snapshot` returned; what has another form is left out."""
        if not isinstance(state, Mapping):
            return
        for host, counts in state.items():
            if isinstance(counts, Sequence) and len(counts) == 2 and all(isinstance(count, int) for count in counts):
                self._counts[str(host)] = (counts[0], min(counts))

    def _best(self, n: int) -> list[tuple[HostKey, tuple[int, int]]]:
        return nlargest(n, self._counts.items(), key=lambda item: (item[1], item[0]))
