"""URL keys → small numbers, in arrays: 12 bytes a slot instead of the 150 that a dictionary of ints takes."""

from __future__ import annotations

import secrets
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from focuscrawl.types import UrlKey

Ids = NDArray[np.int32]

_FIRST_SLOTS = 1 << 10


def key_array(keys: Sequence[UrlKey]) -> NDArray[np.uint64]:
    """Return keys as an array."""
    return np.array(keys, dtype=np.uint64)


class KeyTable:
    """Numbers keys 0, 1, 2 … in order of first sight; open addressing, at most half full.

    Parameters
    ----------
    limit
        Keys that get a number; later ones are -1.
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.count = 0
        self._used = 0  # slots, other keys of a page included
        self._by_id = np.zeros(_FIRST_SLOTS // 2, dtype=np.uint64)
        # Drawn, so that nobody can make URLs whose keys all fall into one place.
        self._factor = np.uint64(secrets.randbits(64) | 1)
        self._make(_FIRST_SLOTS)

    def __len__(self) -> int:
        return self.count

    @property
    def keys(self) -> NDArray[np.uint64]:
        """The keys by number."""
        return self._by_id[: self.count]

    @property
    def nbytes(self) -> int:
        """Bytes of the arrays."""
        return self._by_id.nbytes + self._slots.nbytes + self._ids.nbytes

    def find(self, keys: NDArray[np.uint64]) -> Ids:
        """Return the number of each key, -1 for unknown ones."""
        out = np.full(len(keys), -1, dtype=np.int32)
        todo = np.arange(len(keys))
        at = self._home(keys)
        while len(todo):
            here = self._ids[at]
            hit = (here >= 0) & (self._slots[at] == keys[todo])
            out[todo[hit]] = here[hit]
            further = (here >= 0) & ~hit
            todo = todo[further]
            at = (at[further] + 1) & self._mask
        return out

    def add(self, keys: NDArray[np.uint64]) -> Ids:
        """Return the number of each key; unknown ones get the next, or -1 once there are `limit`."""
        out = self.find(keys)
        missing = out < 0
        if not missing.any():
            return out
        _, first = np.unique(keys[missing], return_index=True)
        fresh = keys[missing][np.sort(first)][: max(0, self.limit - self.count)]
        if len(fresh):
            ids = np.arange(self.count, self.count + len(fresh), dtype=np.int32)
            if self.count + len(fresh) > len(self._by_id):
                self._by_id = np.resize(self._by_id, max(2 * len(self._by_id), self.count + len(fresh)))
            self._by_id[self.count : self.count + len(fresh)] = fresh
            self.count += len(fresh)
            self._insert(fresh, ids)
            out[missing] = self.find(keys[missing])
        return out

    def alias(self, key: UrlKey, number: int) -> bool:
        """Let an unknown `key` stand for a number that exists; return whether it does now."""
        one = key_array([key])
        if self.find(one)[0] < 0:
            self._insert(one, np.array([number], dtype=np.int32))
        return int(self.find(one)[0]) == number

    # ----------------------------------------------------------------- private

    def _make(self, slots: int) -> None:
        self._slots = np.zeros(slots, dtype=np.uint64)
        self._ids = np.full(slots, -1, dtype=np.int32)
        self._mask = slots - 1
        self._shift = np.uint64(64 - (slots.bit_length() - 1))

    def _home(self, keys: NDArray[np.uint64]) -> NDArray[np.int64]:
        return ((keys * self._factor) >> self._shift).astype(np.int64)

    def _insert(self, keys: NDArray[np.uint64], ids: Ids) -> None:
        self._used += len(keys)
        if 2 * self._used > len(self._slots):
            full = self._ids >= 0
            old_keys, old_ids = self._slots[full], self._ids[full]
            slots = len(self._slots)
            while 2 * self._used > slots:
                slots *= 2
            self._make(slots)
            self._place(old_keys, old_ids)
        self._place(keys, ids)

    def _place(self, keys: NDArray[np.uint64], ids: Ids) -> None:
        at = self._home(keys)
        while len(keys):
            free = self._ids[at] < 0
            # Of several that want one slot the last written stays; the others see that and go on.
            self._ids[at[free]] = ids[free]
            lost = self._ids[at] != ids
            self._slots[at[~lost]] = keys[~lost]
            keys, ids, at = keys[lost], ids[lost], (at[lost] + 1) & self._mask
