"""Where the SQLite frontier looks for a key: recent ones in memory, all others in the table of keys.

Keys are random numbers, so adding one to an index of 10^6 changes a page of its own: 33 new links a page fetched would
write 33 index pages, two thirds of all the frontier's work. Instead new keys are gathered in memory (they are safe in
``entries``, to which rows are only appended) and added to the index many at a time, in the order of the index.
"""

from __future__ import annotations

import sqlite3

from focuscrawl.storage.crawldb import INDEXED_UPTO, get_setting, put_setting
from focuscrawl.storage.keys import to_unsigned
from focuscrawl.types import UrlKey

# Keys gathered before they are added: a twentieth of all, so that each page of the index takes several, but no fewer
# than make a batch worth it, and no more than 30 MB of memory.
_SHARE = 20
_FEWEST = 20_000
_MOST = 150_000
# Scores of so many keys are remembered, twice over: links of one host repeat from page to page.
_REMEMBERED = 40_000


class KnownKeys:
    """Keys not in the index yet, and scores below which a link found again cannot raise an entry."""

    def __init__(self) -> None:
        self.fresh: dict[UrlKey, int] = {}  # key -> seq
        self._young: dict[UrlKey, float] = {}
        self._old: dict[UrlKey, float] = {}

    def load(self, db: sqlite3.Connection) -> None:
        """Read the keys that are not in the index."""
        upto = get_setting(db, INDEXED_UPTO, 0)
        rows = db.execute("SELECT key, seq FROM entries WHERE seq > ?", (upto,))
        self.fresh = {to_unsigned(key): seq for key, seq in rows}
        self._young, self._old = {}, {}

    def settled(self, key: UrlKey, score: float) -> bool:
        """Return whether a link with `score` to this key is known for sure to change nothing."""
        bound = self._young.get(key)
        if bound is None:
            bound = self._old.get(key)
            if bound is None:
                return False
        return score <= bound

    def remember(self, key: UrlKey, score: float) -> None:
        """Remember the score of a queued or leased entry, infinity for one that never comes back."""
        self._young[key] = score
        if len(self._young) >= _REMEMBERED:
            self._young, self._old = {}, self._young

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
