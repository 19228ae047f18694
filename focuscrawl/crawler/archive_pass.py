"""Pages of archives in the place of a downloader: each becomes an entry, is leased, judged and settled as in a crawl.

So the run folder, the report and all commands are those of a crawl; only no link is followed. Where a file is read up
to rides on a settlement behind the pages it stands for, so that whoever goes on reads a batch twice at most, and the
frontier knows the pages of it.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from focuscrawl.crawler.crawl import Crawl
from focuscrawl.crawler.endings import READ, Ending
from focuscrawl.crawler.fetch_failure import FetchFailure
from focuscrawl.crawler.fetched import Fetched
from focuscrawl.errors import StoreError
from focuscrawl.page.media_types import is_no_page
from focuscrawl.records import Lease, Outcome
from focuscrawl.storage.archive_bytes import Position
from focuscrawl.storage.archive_reader import ArchivedAnswer, ArchiveFile
from focuscrawl.types import UrlKey, digest64

logger = logging.getLogger(__name__)

BATCH = 64
"""Pages read before they are judged."""
_BATCH_BYTES = 32 * 1024 * 1024  # their bodies may have, but for the last one
_ASIDE_S = 1.0  # so long a lease that no page of the batch is for lets others pass
_STATE = "archive/"
SEEN = "already in this run"
SCOPE = "out of the topic's scope"
NO_URL = "no http or https URL"


@dataclass(slots=True)
class FileState:
    """Where an archive has been read up to."""

    path: Path
    size: int
    at: Position = Position()  # noqa: RUF009 - immutable

    @property
    def name(self) -> str:
        """Name of the state in ``crawl.db``."""
        return f"{_STATE}{digest64(f'{self.path.resolve()}|{self.size}'):016x}"

    @property
    def state(self) -> dict[str, object]:
        """What is kept."""
        return {"file": str(self.path), "bytes": self.size, "offset": self.at.offset, "skip": self.at.skip}


@dataclass(slots=True)
class ArchiveCounts:
    """What was in the archives."""

    files: int = 0
    unread: int = 0  # files that are no archives
    records: Counter[str] = field(default_factory=Counter)  # by type
    damaged: int = 0
    left_out: Counter[str] = field(default_factory=Counter)  # pages, by reason

    @property
    def sentence(self) -> str:
        """What was read, in one line."""
        records = sum(self.records.values())
        told = [f"{records:,} records of {self.files:,} {'file' if self.files == 1 else 'files'}"]
        told += [f"{self.unread:,} {'file' if self.unread == 1 else 'files'} left out"] if self.unread else []
        told += [f"{self.damaged:,} damaged"] if self.damaged else []
        told += [f"{count:,} left out: {why}" for why, count in self.left_out.most_common()]
        return "; ".join(told)


class ArchivePass:
    """One reading of archives through an open crawl; `run` ends it.

    Parameters
    ----------
    crawl
        Open, of a plan with these archives.
    files
        The archives, in order.
    earlier
        States kept by an earlier pass of the run, by name.
    unread
        Files beside them that are no archives.
    """

    def __init__(
        self, crawl: Crawl, files: Iterable[Path], earlier: Mapping[str, Mapping[str, object]], *, unread: int = 0
    ) -> None:
        self.crawl = crawl
        self.files = list(files)
        self.counts = ArchiveCounts(unread=unread)
        self._earlier = earlier
        self._settled_upto: dict[str, object] = {}  # states of files behind the last whole batch

    async def run(self) -> None:
        """Read all files, then stop the crawl; earlier when it is told to stop or a limit is reached.

        Raises
        ------
        StoreError
            If a file cannot be read; what was read before is kept.
        """
        for path in self.files:
            if self.crawl.ending is not None:
                return
            await self._read(path)
        self.crawl.stop(Ending(READ, self.counts.sentence))

    async def _read(self, path: Path) -> None:
        state = FileState(path, path.stat().st_size)
        known = self._earlier.get(state.name, {})
        state.at = Position(_number(known.get("offset")), _number(known.get("skip")))
        file = ArchiveFile(path, max_bytes=self.crawl.config.max_body_bytes)
        self.counts.files += 1
        batches = _batches(file, state.at)
        try:
            # In a thread: a film of gigabytes between two pages is read through, and stop and pause are to be heard.
            while (read := await asyncio.to_thread(next, batches, None)) is not None:
                batch, at = read
                await self._judge(batch)
                if self.crawl.ending is not None:
                    break
                state.at = at
                self._settled_upto[state.name] = state.state
        finally:
            self.counts.records += file.records
            self.counts.damaged += file.damaged
            if file.not_web:
                self.counts.left_out[NO_URL] += file.not_web
        if file.damaged:
            records = "record was" if file.damaged == 1 else "records were"
            logger.warning("%s: %d damaged %s left out", path, file.damaged, records)

    async def _judge(self, batch: list[ArchivedAnswer]) -> None:
        """Have the pages of a batch judged and settled."""
        crawl, waiting = self.crawl, dict[UrlKey, ArchivedAnswer]()
        for answer in batch:
            entries, _ = crawl.step.seed_entries([answer.url])
            if not entries:
                self.counts.left_out[NO_URL] += 1
                continue
            (entry,) = entries
            if crawl.step.scope.refusal(entry.url, entry.host, 0):
                self.counts.left_out[SCOPE] += 1
            elif entry.key in waiting or crawl.has_fetched(entry.key):
                self.counts.left_out[SEEN] += 1
            else:
                waiting[entry.key] = answer
                crawl.push([entry])
        under_way = set[asyncio.Task[None]]()  # pages that other processes read
        while waiting and crawl.ending is None:
            lease = crawl.next()
            if lease is None:
                if not crawl.has_work:
                    break  # what is left is known
                await crawl.news()
            elif (waited := waiting.pop(lease.entry.key, None)) is not None:
                if crawl.readers is None:
                    await self._settle(waited, lease)
                    await asyncio.sleep(0)  # others get their turn between two pages, not after the batch
                    continue
                under_way.add(asyncio.create_task(self._settle(waited, lease)))
                if len(under_way) >= crawl.readers.at_once:
                    done, under_way = await asyncio.wait(under_way, return_when=asyncio.FIRST_COMPLETED)
                    await asyncio.gather(*done)  # an error of one is that of the pass
            else:  # of a page that an earlier process had begun with: its archive may come later, or not at all
                crawl.loop.release(lease, delay_s=_ASIDE_S)
        await asyncio.gather(*under_way)
        if waiting and crawl.ending is None:
            self.counts.left_out[SEEN] += len(waiting)

    async def _settle(self, answer: ArchivedAnswer, lease: Lease) -> None:
        crawl, failure = self.crawl, failure_of(answer)
        if failure is not None:
            crawl.setbacks.failed(lease, failure, url=lease.entry.url)
            return
        fetched = Fetched(lease.entry.url, answer.status, answer.body, answer.at, answer.content_type, answer.headers)
        result = await crawl.read(fetched, lease, settle=False)
        if result is None:
            return
        if self._settled_upto:
            state = {**result.settlement.state, **self._settled_upto}
            self._settled_upto = {}
            result = replace(result, settlement=replace(result.settlement, state=state))
        crawl.settle(result)


def failure_of(answer: ArchivedAnswer) -> FetchFailure | None:
    """Return why an archived answer is no page, in the words of a crawl; None for a page."""
    if not 200 <= answer.status < 300:
        return FetchFailure.of_status(answer.status)
    ranges = (value for name, value in answer.headers if name.lower() == "content-range")
    if part := FetchFailure.of_part(answer.status, next(ranges, "")):
        return part
    if answer.content_type and is_no_page(answer.content_type):
        return FetchFailure.of_type(answer.content_type, answer.status)
    return FetchFailure(Outcome.REFUSED, answer.problem, answer.status) if answer.problem else None


def _batches(file: ArchiveFile, at: Position) -> Iterator[tuple[list[ArchivedAnswer], Position]]:
    batch: list[ArchivedAnswer] = []
    size = 0
    for answer, behind in file.answers(at):
        batch.append(answer)
        size += len(answer.body)
        if len(batch) >= BATCH or size >= _BATCH_BYTES:
            yield batch, behind
            batch, size = [], 0
        at = behind
    if batch:
        yield batch, at


def readable_archives(files: Iterable[Path]) -> tuple[list[Path], list[str]]:
    """Read the first record of each file; return the archives, and a sentence for each file that is none.

    Raises
    ------
    StoreError
        If none of them is an archive; one sentence each.
    """
    archives: list[Path] = []
    faults: list[str] = []
    for path in files:
        try:
            next(ArchiveFile(path, max_bytes=0).answers(), None)
        except StoreError as error:
            faults.append(str(error))
        else:
            archives.append(path)
    if not archives:
        raise StoreError("\n".join(dict.fromkeys(faults)))
    return archives, faults


def _number(value: object) -> int:
    return value if isinstance(value, int) else 0
