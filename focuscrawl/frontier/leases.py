"""Leases in flight: tokens, and which of them have run out."""

from __future__ import annotations

from heapq import heapify, heappop, heappush
from typing import Generic, TypeVar

from focuscrawl.types import UrlKey

ItemT = TypeVar("ItemT")

# Renewed and settled leases a heap may hold before it is worth rebuilding.
_STALE_ALLOWED = 64


class LeaseBook(Generic[ItemT]):
    """Book of leases, under tokens that are never used again.

    Parameters
    ----------
    first_token
        The tokens count up from here; another one each time a frontier is opened keeps old leases from being valid.
    """

    def __init__(self, first_token: int = 1) -> None:
        self._next = first_token
        self._items: dict[int, tuple[ItemT, UrlKey, float]] = {}
        self._expiries: list[tuple[float, int]] = []

    def __len__(self) -> int:
        return len(self._items)

    def add(self, item: ItemT, key: UrlKey, expires_at: float) -> int:
        """Lease `item` and return its token."""
        token = self._next
        self._next += 1
        self._items[token] = (item, key, expires_at)
        heappush(self._expiries, (expires_at, token))
        return token

    def get(self, token: int, key: UrlKey) -> ItemT | None:
        """Return what is leased under a token, None when the token is not valid (any more), or not for `key`."""
        found = self._items.get(token)
        return found[0] if found is not None and found[1] == key else None

    def renew(self, token: int, key: UrlKey, expires_at: float) -> bool:
        """Let a valid lease end at another time; return whether it is valid."""
        item = self.get(token, key)
        if item is None:
            return False
        self._items[token] = (item, key, expires_at)
        heappush(self._expiries, (expires_at, token))
        return True

    def end(self, token: int) -> None:
        """End a valid lease."""
        del self._items[token]
        if len(self._expiries) > 2 * len(self._items) + _STALE_ALLOWED:
            self._expiries = [(expires_at, token) for token, (_, _, expires_at) in self._items.items()]
            heapify(self._expiries)

    def expired(self, now: float) -> list[tuple[int, ItemT]]:
        """Return (token, item) of valid leases that have run out, the first to run out first; they stay valid."""
        expired: dict[int, ItemT] = {}  # a lease renewed to the same time stands in the heap twice
        due: list[tuple[float, int]] = []
        while self._expiries and self._expiries[0][0] <= now:
            at, token = heappop(self._expiries)
            found = self._items.get(token)
            if found is not None and found[2] == at and token not in expired:
                due.append((at, token))
                expired[token] = found[0]
        for item in due:
            heappush(self._expiries, item)
        return list(expired.items())

    def first_expiry(self) -> float | None:
        """Return when the first lease runs out, None without leases."""
        return min((expires_at for _, _, expires_at in self._items.values()), default=None)
