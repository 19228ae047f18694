"""Known keys of the SQLite frontier: recent ones in memory, all others in a table.

Keys are random numbers, so adding one to an index of 10^6 changes a page of its own: 33 new links a page fetched would
write 33 index pages, two thirds of all the frontier's work. Instead new keys are gathered in memory (they are safe in
``entries``, to which rows are only appended) and added to the index many at a time, in the order of the index.
"""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from focuscrawl.records import Entry
from focuscrawl.storage.keys import to_unsigned
from focuscrawl.storage.own_settings import INDEXED_UPTO, get_setting, put_setting
from focuscrawl.types import UrlKey

# Keys gathered before they are added: a twentieth of all, so that each page of the index takes several, but no fewer
# than make a batch worth it, and no more than 30 MB of memory.
_SHARE = 20
_FEWEST = 20_000
_MOST = 150_000
# Places for remembered scores, powers of two: 24 MB at most, and no more than 48 bytes a key before. Links of a site's
# menu come with every page of it, so most of the links found need no look into the file; with 10^6 keys about one in
# five has lost its place.
_PLACES = 1 << 21
_FIRST_PLACES = 1 << 14


class KnownKeys:
    """Keys not in the index yet, and scores below which a link found again cannot raise an entry."""

    def __init__(self) -> None:
        self.fresh: dict[UrlKey, int] = {}  # key -> seq
        self._clear()

    def load(self, db: sqlite3.Connection) -> None:
        """Read the keys that are not in the index."""
        upto = get_setting(db, INDEXED_UPTO, 0)
        rows = db.execute("SELECT key, seq FROM entries WHERE seq > ?", (upto,))
        self.fresh = {to_unsigned(key): seq for key, seq in rows}
        self._clear()

    def undecided(self, entries: Sequence[Entry]) -> list[Entry]:
        """Return the entries that are not known for sure to change nothing, or a score by less than a ten-millionth."""
        if not entries:
            return []
        try:
            keys = np.array([entry.key for entry in entries], dtype=np.uint64)
        except OverflowError:  # an entry that will be refused
            return list(entries)
        with np.errstate(over="ignore"):  # of an entry that will be refused, too
            scores = np.array([entry.score for entry in entries], dtype=np.float32)
        places = (keys & self._mask).astype(np.intp)
        settled = (self._keys[places] == keys) & (scores <= self._scores[places])
        return [entry for entry, known in zip(entries, settled.tolist(), strict=True) if not known]

    def remember(self, keys: Sequence[UrlKey], scores: Sequence[float]) -> None:
        """Remember scores of queued or leased entries, infinity for those that never come back."""
        if keys:
            array = np.array(keys, dtype=np.uint64)
            while 2 * (self._used + len(array)) > len(self._keys) and len(self._keys) < _PLACES:
                self._double()
            self._used += self._put(array, np.array(scores, dtype=np.float32))

    def want_indexing(self, total: int) -> bool:
        """Return whether enough keys have come together."""
        return len(self.fresh) >= min(max(total // _SHARE, _FEWEST), _MOST)

    def index(self, db: sqlite3.Connection, seq: int) -> None:
        """Add all keys up to `seq` to the index, inside a transaction; call `indexed` once it is committed."""
        upto = get_setting(db, INDEXED_UPTO, 0)
        db.execute(
            "INSERT INTO keys (key, seq) SELECT key, seq FROM entries WHERE seq > ? AND seq <= ? ORDER BY key",
            (upto, seq),
        )
        put_setting(db, INDEXED_UPTO, seq)

    def indexed(self) -> None:
        """Forget the keys that are in the index now."""
        self.fresh = {}

    # ---------------------------------------------------------------- private

    def _clear(self) -> None:
        self._make(min(_FIRST_PLACES, _PLACES))
        self._used = 0  # places, about: two keys that come together at one place are counted twice

    def _make(self, places: int) -> None:
        self._keys = np.zeros(places, dtype=np.uint64)
        self._scores = np.zeros(places, dtype=np.float32)
        self._mask = np.uint64(places - 1)
        self._scores[0] = -math.inf  # an empty place looks like key 0, which belongs here

    def _put(self, keys: NDArray[np.uint64], scores: NDArray[np.float32]) -> int:
        """Write scores to the places of their keys; return how many of these were empty."""
        places = (keys & self._mask).astype(np.intp)
        empty = np.count_nonzero(self._keys[places] == 0)
        self._keys[places] = keys  # where two share a place, the later one has it in both
        self._scores[places] = scores
        return int(empty)

    def _double(self) -> None:
        keys, scores = self._keys, self._scores
        kept = keys != 0
        kept[0] = scores[0] > -math.inf
        self._make(2 * len(keys))
        self._used = self._put(keys[kept], scores[kept])
