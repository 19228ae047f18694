"""Results of a crawl, read from its run folder."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from focuscrawl.errors import NoRunError
from focuscrawl.storage.crawldb import CrawlDb
from focuscrawl.storage.reading import FRONTIER_COUNTS, PageQuery
from focuscrawl.storage.run import RunFolder
from focuscrawl.storage.run_settings import STARTED, STOPPED

if TYPE_CHECKING:
    from focuscrawl.records import PageRecord

_AT_ONCE = 64  # pages; while a caller works on them nothing is read, or crawl.db-wal would grow until it is done
_NEXT = "SELECT number FROM pages WHERE number > ? ORDER BY number LIMIT ?"


class CrawlRun:
    """Run folder of a crawl that begins, goes on, has ended, or was killed.

    Parameters
    ----------
    path
        The folder.
    runs
        Tells whether the crawl's process runs: until it has made its database there is nothing in the run.
    """

    def __init__(self, path: Path, *, runs: Callable[[], bool] = lambda: False) -> None:
        self.path = path
        self._runs = runs

    def pages(self, *, every: bool = False) -> Iterator[PageRecord]:
        """Yield the results in the order in which they were found: relevant, no duplicates, allowed to be stored.

        Pages that are stored meanwhile come as well; one that is fetched again meanwhile comes a second time.

        Parameters
        ----------
        every
            All fetched pages, with their judgement or the reason why there was no page.

        Raises
        ------
        StoreError
            If there is no run in the folder, or it cannot be read.
        """
        with self._db() as db:
            if db is None:
                return
            upto = 0
            while True:
                with db.snapshot():
                    numbers = [number for (number,) in db.select(_NEXT, (upto, _AT_ONCE))]
                    records = list(db.pages(PageQuery(after=upto, limit=len(numbers))))
                if not numbers:
                    return
                upto = numbers[-1]
                yield from (record for record in records if every or record.is_result)

    def counts(self) -> dict[str, int]:
        """Return counters.

        `pages` were fetched, `relevant` of them are on the topic. Of all links `queued` wait, those of `hosts` hosts in
        `groups` groups; `leased` are being fetched; `done` are addresses of fetched pages, one of which may have
        several; `failed` gave no page after several tries, `refused` gave none and are not worth another try.
        """
        with self._db() as db:
            return dict.fromkeys((*FRONTIER_COUNTS, "pages", "relevant"), 0) if db is None else db.counts()

    @property
    def stopped(self) -> tuple[str, str]:
        """Why the crawl stopped last, and the details; empty while it runs, or when it was killed.

        Reasons are "budget", "exhausted", "harvest too low", "stopped" and "error".
        """
        with self._db() as db:
            last = None
            for event in db.events() if db is not None else ():
                if event.kind in (STARTED, STOPPED):
                    last = event
        if last is None or last.kind == STARTED:
            return "", ""
        return str(last.data.get("reason", "")), str(last.data.get("detail", ""))

    @contextmanager
    def _db(self) -> Iterator[CrawlDb | None]:
        """Open the database; None while the crawl begins and has made none."""
        begins = self._runs()  # asked first: a process that ends meanwhile has made its database
        try:
            db = CrawlDb.open_readonly(RunFolder.open(self.path, writable=False).db)
        except NoRunError:
            if not begins:
                raise
            yield None
            return
        with db:
            yield db

    def __reduce__(self) -> tuple[type[CrawlRun], tuple[Path]]:
        """Send another process the folder: which process crawls is known to the one that started it."""
        return type(self), (self.path.absolute(),)

    def __repr__(self) -> str:
        return f"<CrawlRun {self.path}>"


def open_run(run: str | Path = "latest") -> CrawlRun:
    """Return a run by its folder, the name of a topic (its newest run), or "latest", the newest of all.

    Raises
    ------
    StoreError
        If there is no such run.
    """
    return CrawlRun(RunFolder.find(str(run)).path)
