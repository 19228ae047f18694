"""Pages that a worker of a fleet has written and its frontier has not acknowledged yet.

The frontier of a fleet is not in ``crawl.db``, so no transaction holds both. A worker writes its pages first, or those
of one killed in between would be missing. In the same transaction it notes which pages they are; when the frontier has
answered, the rows of those that were not its own any more (their lease had run out, another worker fetches them) are
deleted, as are those of their visits, and the note is taken away. Whoever finds a note at the start of a worker asks
the frontier what it would have answered, so a row stays only where the frontier knows the page as fetched here.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from focuscrawl.storage.crawldb import CrawlDb
from focuscrawl.storage.keys import hex_key, parse_hex_key, to_signed
from focuscrawl.storage.own_settings import UNSETTLED, WORKER, get_setting, put_setting
from focuscrawl.storage.settled import write_settled
from focuscrawl.types import UrlKey

# Rows of a settlement that are taken away when the frontier does not take it.
_PAGE, _VISIT = 1, 2

if TYPE_CHECKING:
    from focuscrawl.records import Settlement


@dataclass(frozen=True, slots=True)
class EarlierWorker:
    """Earlier worker of a run folder, and what it left unsettled."""

    name: str  # as the frontier knows it
    epoch: str  # of the frontier: another one knows nothing of this worker
    crawl: str = ""  # name of the crawl; '' where an earlier version noted none
    unsettled: tuple[tuple[UrlKey, int], ...] = ()  # key and token of each settlement without an answer, in order

    @property
    def last(self) -> tuple[UrlKey, int] | None:
        """What tells the frontier which call is meant: key and token of the first settlement."""
        return self.unsettled[0] if self.unsettled else None


def earlier_worker(db: CrawlDb) -> EarlierWorker | None:
    """Return who crawled here last, None when no worker of a fleet did."""
    with db.reading() as connection:
        who = get_setting(connection, WORKER, None)
        noted = get_setting(connection, UNSETTLED, [])
    if who is None:
        return None
    unsettled = tuple((parse_hex_key(key), token) for key, token, _ in noted)
    return EarlierWorker(who["name"], who["epoch"], who.get("crawl", ""), unsettled)


def begin_worker(db: CrawlDb, name: str, epoch: str, *, settled: Sequence[bool] | None, crawl: str = "") -> int:
    """Note who crawls here from now on, and end what the one before has left; return how many rows were deleted.

    Parameters
    ----------
    name, epoch
        Of this worker and of the crawl, as the frontier knows them.
    settled
        Which of the earlier worker's unsettled pages the frontier knows as fetched here, in order: the other rows are
        deleted. None when it left none, or nobody can tell: then all stay.
    crawl
        Name of the crawl, which this folder belongs to from now on.
    """
    with db.transaction() as connection:
        deleted = 0 if settled is None else _end(connection, settled)
        put_setting(connection, UNSETTLED, [])
        put_setting(connection, WORKER, {"name": name, "epoch": epoch, "crawl": crawl})
    return deleted


def write_unsettled(db: CrawlDb, settlements: Sequence[Settlement], *, at: float) -> None:
    """Write pages that are about to be settled, in one transaction with the note that says so."""
    noted = [[hex_key(one.lease.entry.key), one.lease.token, _written(one)] for one in settlements]
    with db.transaction() as connection:
        write_settled(connection, settlements, at=at)
        put_setting(connection, UNSETTLED, noted)


def end_unsettled(db: CrawlDb, settled: Sequence[bool]) -> int:
    """Take the frontier's answer, one bool a settlement; return how many rows were deleted."""
    with db.transaction() as connection:
        deleted = _end(connection, settled)
        put_setting(connection, UNSETTLED, [])
    return deleted


def _written(settlement: Settlement) -> int:
    """Return which rows are to go when the settlement is not taken.

    The row of a page that is visited again stays: it may be older than this visit, and what it says was there.
    """
    is_new = settlement.record is not None and settlement.lease.entry.origin.earlier is None
    return (_PAGE if is_new else 0) | (_VISIT if settlement.visit is not None else 0)


def _end(db: sqlite3.Connection, settled: Sequence[bool]) -> int:
    noted = get_setting(db, UNSETTLED, [])
    # A lease that ran out may have come back to the same worker: then the rows are those of the later settlement.
    kept = {key for (key, _, _), valid in zip(noted, settled, strict=True) if valid}

    def lost(row: int) -> list[tuple[int]]:
        keys = {key for key, _, written in noted if written & row} - kept
        return [(to_signed(parse_hex_key(key)),) for key in keys]

    pages, visits = lost(_PAGE), lost(_VISIT)
    if pages:
        db.executemany("DELETE FROM pages WHERE key = ?", pages)
        db.executemany("DELETE FROM page_links WHERE source = ?", pages)
    if visits:
        db.executemany("DELETE FROM visits WHERE number = (SELECT max(number) FROM visits WHERE key = ?)", visits)
    return len(pages)
