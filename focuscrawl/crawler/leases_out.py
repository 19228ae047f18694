"""Leases that the frontier loop has handed out, until each is ended."""

from __future__ import annotations

from focuscrawl.records import Lease

# Leases that wait for something else than a download, for each place of the downloader.
_MAX_PARKED = 8
_MAX_RENEWALS = 8  # a fetch with all its redirects and retries is over long before: the request was lost


class LeasesOut:
    """Leases handed out and not ended, with how often each was renewed.

    Parameters
    ----------
    concurrency
        Places of the downloader.
    """

    __slots__ = ("_by_token", "_max_parked", "_parked", "_renewals")

    def __init__(self, concurrency: int) -> None:
        self._by_token: dict[int, Lease] = {}
        self._max_parked = _MAX_PARKED * concurrency
        self._parked: set[int] = set()  # tokens
        self._renewals: dict[int, int] = {}  # by token

    def __len__(self) -> int:
        return len(self._by_token)

    def __contains__(self, lease: Lease) -> bool:
        return self._by_token.get(lease.token) is lease

    @property
    def leases(self) -> list[Lease]:
        """The leases, oldest first."""
        return list(self._by_token.values())

    @property
    def parked(self) -> int:
        """Number of leases that wait for something else than a download."""
        return len(self._parked)

    def add(self, lease: Lease) -> None:
        """Take in a lease that is handed out."""
        self._by_token[lease.token] = lease

    def end(self, lease: Lease) -> bool:
        """Remove a lease; False, and nothing happens, if it has been ended already."""
        if lease not in self:
            return False
        del self._by_token[lease.token]
        self._renewals.pop(lease.token, None)
        self._parked.discard(lease.token)
        return True

    def clear(self) -> None:
        """Remove all leases."""
        self._by_token.clear()
        self._renewals.clear()
        self._parked.clear()

    def park(self, lease: Lease) -> bool:
        """Count a lease among those that wait for something else than a download; False when these are too many."""
        if len(self._parked) >= self._max_parked:
            return False
        self._parked.add(lease.token)
        return True

    def unpark(self, lease: Lease) -> None:
        """Count a parked lease among the fetches again."""
        self._parked.discard(lease.token)

    def renewed(self) -> list[Lease]:
        """Count a renewal of each lease; return those renewed so often that their requests must have vanished."""
        for token in self._by_token:
            self._renewals[token] = self._renewals.get(token, 0) + 1
        return [lease for token, lease in self._by_token.items() if self._renewals[token] > _MAX_RENEWALS]
