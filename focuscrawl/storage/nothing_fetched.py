"""A run that fetched no page begins again: what kept it from its seeds may be otherwise at the next start.

No network, a proxy that was not running yet, a setting. Its frontier knows nothing but seeds, and where they led to,
that have come to their end without a page, so it would end at once each time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from focuscrawl.storage.own_settings import COUNTERS, INDEXED_UPTO

if TYPE_CHECKING:
    from focuscrawl.storage.crawldb import CrawlDb

_GOES_ON = """
SELECT EXISTS (SELECT 1 FROM pages WHERE outcome = 'done') OR EXISTS (SELECT 1 FROM entries WHERE state < 2)
"""
_TABLES = ("pages", "visits", "entries", "keys", "buckets", "groups", "hosts", "state")


def forget_tries(db: CrawlDb) -> int:
    """Empty the frontier of a run without a page and without a queued link; return how many tries are forgotten.

    A run that has either is left as it is, and 0 returned.
    """
    with db.transaction() as connection:
        if connection.execute(_GOES_ON).fetchone()[0]:
            return 0
        (tries,) = connection.execute("SELECT count(*) FROM pages").fetchone()
        for table in _TABLES:
            connection.execute(f"DELETE FROM {table}")  # noqa: S608 - names of our own
        connection.execute("DELETE FROM settings WHERE name IN (?, ?)", (COUNTERS, INDEXED_UPTO))
    return int(tries)
