"""The files of a run: what is read at the start, what is written beside the frontier's own, the report at the end."""

from __future__ import annotations

import asyncio
import logging
import shlex
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from threading import RLock
from typing import TYPE_CHECKING, Any

import focuscrawl
from focuscrawl import plugins
from focuscrawl.config import FocusConfig
from focuscrawl.crawler.archive_info import archive_info
from focuscrawl.crawler.archived_answer import archived_answer
from focuscrawl.crawler.fetched import Fetched
from focuscrawl.crawler.step import PageStep
from focuscrawl.errors import ConfigError, FocusCrawlError, FrontierError
from focuscrawl.frontier.sqlite import SqliteFrontier
from focuscrawl.storage.base import Answer
from focuscrawl.storage.crawldb import CrawlDb
from focuscrawl.storage.fanout import FanOutStore
from focuscrawl.storage.link_metadata import LinkMetadata
from focuscrawl.storage.nothing_fetched import forget_tries
from focuscrawl.storage.opensearch import OPENSEARCH
from focuscrawl.storage.run import RunFolder
from focuscrawl.storage.run_settings import record_pause, record_start, record_stop
from focuscrawl.storage.runlock import LOCK_NAME, locked_folder
from focuscrawl.storage.unsettled import begin_worker, earlier_worker, end_unsettled, write_unsettled
from focuscrawl.wording.base import speaker

if TYPE_CHECKING:
    from focuscrawl.crawler.plan import CrawlPlan
    from focuscrawl.frontier.base import Frontier
    from focuscrawl.records import PageRecord, Settlement
    from focuscrawl.storage.base import Store
    from focuscrawl.storage.reading import Notes
    from focuscrawl.storage.run_settings import RunSettings
    from focuscrawl.storage.unsettled import EarlierWorker

logger = logging.getLogger(__name__)


class RunOutput:
    """Run folder, stores and report of a crawl; opening and closing are synchronous, before and after the crawl."""

    def __init__(self, plan: CrawlPlan, config: FocusConfig) -> None:
        self.plan = plan
        self.config = config
        self.folder: RunFolder = plan.folder
        self.stores: FanOutStore | None = None
        self.report_written = False
        self.has_db = False  # a crawl.db that this crawl writes
        self._pages: CrawlDb | None = None  # open while a worker of a fleet crawls
        self.earlier: EarlierWorker | None = None  # that crawled here before; it is dead, for this one has its folder
        self.acknowledged = True  # crawl.db has the frontier's answer to all that was kept
        self._answers: list[Answer] = []  # to be archived
        self._answer: Sequence[bool] | None = None  # the answer crawl.db does not have yet
        self._writing = RLock()  # a pause is noted while pages are still being written

    def open(self, step: PageStep, *, overrides: Mapping[str, object]) -> None:
        """Restore `step` from an earlier run, note the start, open the stores.

        A worker of a fleet does the first two in `begin`: it has to ask the frontier about the earlier run before.

        Raises
        ------
        FocusCrawlError
            If the folder is in use or that of a worker of a fleet, or of another fleet, or a file cannot be read or
            written.
        """
        if self._in_fleet:
            self.folder = self.folder.as_worker()
        self.stores = FanOutStore(self._make_stores(overrides))
        with locked_folder(self.folder.path):  # what a killed process left is put right, what a running one has is not
            self.stores.open()
        if self._in_fleet:
            # The frontier is elsewhere, and this worker's pages have no other place here.
            self._pages = CrawlDb.open(self.folder.db)
            self.has_db = True
            self.earlier = earlier_worker(self._pages)
            self._check_crawl(self.earlier)
        elif self.config.frontier == "memory":
            self._note_start(self._settings(step, overrides))
        else:
            with CrawlDb.open(self.folder.db) as db:
                self.has_db = True
                if earlier_worker(db) is not None:
                    # Alone it would begin at the seeds again, and fetch what the other workers have.
                    raise ConfigError(
                        f"{self.folder.path}: the run of one worker of a fleet, whose queue is in Redis; go on with"
                        " -s FOCUSCRAWL_FRONTIER_URL=redis://…, or crawl alone in another folder."
                    )
                if self.plan.seeds and (tries := forget_tries(db)):
                    logger.info("%(n)d tries gave no page before: the crawl begins again at its seeds", {"n": tries})
                self._take_up(db, step, overrides)

    def _check_crawl(self, earlier: EarlierWorker | None) -> None:
        if earlier is not None and earlier.crawl not in ("", self._crawl):
            # Its pages are not those of this crawl, and would be counted as such, and fetched once more.
            raise ConfigError(
                f'{self.folder.path}: the run of a worker of the crawl "{earlier.crawl}", not of "{self._crawl}"; go on'
                f" with -s FOCUSCRAWL_CRAWL={shlex.quote(earlier.crawl)}, or name another run folder."
            )

    def begin(
        self,
        step: PageStep,
        *,
        overrides: Mapping[str, object],
        worker: str,
        epoch: str,
        settled: Sequence[bool] | None = None,
        anew: bool = False,
    ) -> None:
        """Begin as a worker of a fleet, after `open`: end what the earlier one left, restore `step`, note the start.

        Parameters
        ----------
        worker, epoch
            Of this worker and of the crawl, as the frontier knows them.
        settled
            What the frontier knows of the pages the earlier worker left unsettled; None leaves all as they are.
        anew
            The frontier was begun anew since the earlier worker, and knows none of its pages.
        """
        assert self._pages is not None
        deleted = begin_worker(self._pages, worker, epoch, settled=settled, crawl=self._crawl)
        if deleted:
            logger.info("%(n)d pages of a killed worker were not settled and are fetched again", {"n": deleted})
        self._take_up(self._pages, step, overrides, anew=anew)

    def _take_up(self, db: CrawlDb, step: PageStep, overrides: Mapping[str, object], *, anew: bool = False) -> None:
        assert self.stores is not None
        settings = self._settings(step, overrides)
        if self.folder.resumed:
            step.restore(db.states(), db.pages(), anew=anew)
            self.stores.complete(db.pages)
        settings.save(db)
        record_start(db)
        self._note_start(settings)

    def _settings(self, step: PageStep, overrides: Mapping[str, object]) -> RunSettings:
        return replace(
            self.plan.settings,
            overrides=overrides,
            version=focuscrawl.__version__,
            weights=dict(step.ranker.weights),
        )

    def abandon(self) -> None:
        """Close what is open of a crawl that did not start; an empty folder made for it is taken away."""
        self._close_pages()
        if self.stores is not None:
            self.stores.close()
            self.stores = None
        if not self.folder.resumed and not self.has_db:
            self._remove_empty()

    def note_answer(self, fetched: Fetched, record: PageRecord) -> None:
        """Note the answer of a page, when a store archives it, to be written before the page is settled."""
        if self.stores is not None and self.stores.archives(record):
            self._answers.append(archived_answer(fetched, record))

    async def before_settling(self, settlements: Sequence[Settlement]) -> None:
        """Write answers, and pages the frontier does not keep, in a thread.

        Of an archive a page is there twice after a kill rather than missing.
        """
        loop = asyncio.get_running_loop()
        if self._answers and self.stores is not None:
            answers, self._answers = self._answers, []
            await loop.run_in_executor(None, self._archive, answers)
        if self._in_fleet:
            await loop.run_in_executor(None, self.keep, settlements)

    async def after_settling(self, settlements: Sequence[Settlement], valid: Sequence[bool]) -> None:
        """Write what the frontier has taken to the stores, in a thread."""
        if self.wants(settlements):
            await asyncio.get_running_loop().run_in_executor(None, self.settled, settlements, valid)

    def keep(self, settlements: Sequence[Settlement]) -> None:
        """Write the pages of a worker of a fleet, whose frontier keeps none, before it settles them."""
        with self._writing:
            if self._pages is not None:
                self.acknowledged = False
                write_unsettled(self._pages, settlements, at=time.time())
            if self.stores is not None:
                self.stores.put(_records(settlements), before_settling=True)

    def _archive(self, answers: Sequence[Answer]) -> None:
        with self._writing:
            if self.stores is not None:
                self.stores.archive(answers)

    def wants(self, settlements: Sequence[Settlement]) -> bool:
        """Tell whether `settled` has anything to write."""
        revised = any(one.revised for one in settlements)
        return self._pages is not None or (
            self.stores is not None and (revised or self.stores.wants(_records(settlements)))
        )

    def settled(self, settlements: Sequence[Settlement], valid: Sequence[bool]) -> None:
        """Give the stores the pages that are in the frontier now; delete those it did not take any more."""
        self._answer = valid
        with self._writing:
            self.acknowledge()
            if self.stores is not None:
                taken = [one for one, ok in zip(settlements, valid, strict=True) if ok]
                self.stores.put(_records(taken), before_settling=False if self._in_fleet else None)
                if revised := [record for one in settlements for record in one.revised]:
                    self.stores.revise(revised)

    def acknowledge(self) -> None:
        """Write the frontier's answer to crawl.db, where it is not there yet.

        Raises
        ------
        FocusCrawlError
            If it cannot be written: then the frontier has to remember it for the next start.
        """
        with self._writing:
            if self._pages is not None and self._answer is not None:
                deleted = end_unsettled(self._pages, self._answer)
                self.acknowledged = True
                if deleted:
                    logger.info(
                        "%(n)d pages came too late: their leases had run out, others fetch them", {"n": deleted}
                    )
            self._answer = None

    @property
    def _in_fleet(self) -> bool:
        return self.config.frontier == "redis"

    @property
    def _crawl(self) -> str:
        """Name of the crawl: workers of a fleet share one; each run of one process is a crawl of its own."""
        topic = self.plan.spec.name
        return self.config.crawl or (topic if self._in_fleet else f"{topic}/{self.folder.path.name}")

    def _make_stores(self, overrides: Mapping[str, object]) -> dict[str, Store]:
        topic, crawl = self.plan.spec.name, self._crawl
        options: dict[str, dict[str, Any]] = {
            "warc": {
                "topic": topic,
                "max_bytes": self.config.warc_max_bytes,
                "every": self.config.keep_irrelevant,
                "requests": self.config.warc_requests,
                "info": archive_info(self.plan, self.config, overrides),
            },
            "postgres": {"url": self.config.postgres_url, "crawl": crawl, "worker": self.folder.worker},
            OPENSEARCH: {"url": self.config.opensearch_url},
        }
        return {
            name: plugins.build("stores", name, self.folder, options=options.get(name)) for name in self.config.stores
        }

    def _note_start(self, settings: RunSettings) -> None:
        def write(notes: Notes) -> None:
            settings.save(notes)
            record_start(notes)

        if self.stores is not None:
            self.stores.note(write)

    async def note_pause(self, frontier: Frontier, paused: bool) -> None:
        """Note in the run and in the stores that the crawl pauses, or goes on.

        Raises
        ------
        FocusCrawlError
            If it cannot be written.
        """
        at = time.time()

        def note() -> None:
            with self._writing:
                if self._pages is not None:
                    record_pause(self._pages, paused, at=at)
                if self.stores is not None:
                    self.stores.note(lambda notes: record_pause(notes, paused, at=at))

        if isinstance(frontier, SqliteFrontier):
            await frontier.call(lambda db: record_pause(db, paused, at=at))
        await asyncio.get_running_loop().run_in_executor(None, note)

    async def note_topic(self, frontier: Frontier, topic: Mapping[str, object]) -> None:
        """Note in the run and in the stores that its topic is another one now; `topic` has settings of the run.

        Raises
        ------
        FocusCrawlError
            If it cannot be written.
        """

        def save(notes: Notes) -> None:
            notes.set_settings(topic)

        def note() -> None:
            with self._writing:
                if self._pages is not None:
                    save(self._pages)
                if self.stores is not None:
                    self.stores.note(save)

        if isinstance(frontier, SqliteFrontier):
            await frontier.call(save)
        await asyncio.get_running_loop().run_in_executor(None, note)

    def _close_pages(self) -> None:
        if self._pages is not None:
            self._pages.close()
            self._pages = None

    def close(
        self,
        reason: str,
        detail: str,
        metadata: LinkMetadata,
        finish: Callable[[CrawlDb], None] | None = None,
        *,
        learned: Mapping[str, object] | None = None,
    ) -> FocusCrawlError | None:
        """Close the stores, note the stop, write the report; return why the stop could not be noted, None when it was.

        What fails is logged, for what was settled is safe; without a report a crawl has ended well.

        Parameters
        ----------
        learned
            What was learned since it was last saved, so that a crawl that goes on from here knows all of it.
        finish
            Notes what a round of visits has come to; results are then written anew from their rows.
        """
        if self.stores is not None:
            if finish is not None:
                self._refreshed(self.stores)
            self.stores.flush()
            self.stores.note(lambda notes: record_stop(notes, reason, detail=detail))
            self.stores.note(metadata.record)
            self.stores.close()
        self._close_pages()
        if not self.has_db:
            return None
        with (
            _logged("the end of the crawl could not be noted as a whole") as faults,
            CrawlDb.open(self.folder.db) as db,
        ):
            record_stop(db, reason, detail=detail)
            metadata.record(db)
            if finish is not None:
                finish(db)
            if learned:
                db.set_state(learned)  # the last: plug-ins have a part in it
        if faults:
            return faults[0]
        if self.config.report:
            with _logged("the report could not be made; `focuscrawl report` makes it from the run folder"):
                from focuscrawl.report.write import write_report  # late: the start of a crawl needs none

                with CrawlDb.open_readonly(self.folder.db) as db:
                    write_report(db, self.folder.report, say=speaker(self.config.lang))
                self.report_written = True
        return None

    def _refreshed(self, stores: FanOutStore) -> None:
        with _logged("results could not be written anew"), CrawlDb.open_readonly(self.folder.db) as db:
            stores.refreshed(db.pages)

    def _remove_empty(self) -> None:
        with suppress(OSError, FrontierError), locked_folder(self.folder.path):  # not where another crawl has begun
            for path in self.folder.path.iterdir():
                if path.stat().st_size == 0 or path.name == LOCK_NAME:
                    path.unlink()
            self.folder.path.rmdir()


@contextmanager
def _logged(what: str) -> Iterator[list[FocusCrawlError]]:
    """Log what fails inside, and list it if it has a sentence of its own; `what` is said of any other fault."""
    faults: list[FocusCrawlError] = []
    try:
        yield faults
    except FocusCrawlError as error:
        faults.append(error)
        logger.error("%(error)s", {"error": error})
    except Exception:
        logger.exception(what)


def _records(settlements: Sequence[Settlement]) -> list[PageRecord]:
    return [one.record for one in settlements if one.record is not None]
