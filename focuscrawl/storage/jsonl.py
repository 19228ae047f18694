"""``pages.jsonl``: one relevant page a line, written as the crawl goes.

The database is the truth. A line is written after the page's row was committed, so a crash can only leave lines
missing, or the last one torn; `JsonlStore.complete` puts that right from the rows when the run goes on.
"""

from __future__ import annotations

import json
import logging
import os
import re
from collections.abc import Mapping, Sequence, Set
from io import FileIO
from pathlib import Path
from tempfile import TemporaryFile

from focuscrawl.atomic_file import replacement
from focuscrawl.errors import StoreError, os_reason
from focuscrawl.records import PageRecord
from focuscrawl.storage.base import Store
from focuscrawl.storage.reading import PageQuery, Pages
from focuscrawl.storage.run import RunFolder
from focuscrawl.storage.typed_rows import time_text, typed_row
from focuscrawl.types import UrlKey, plain_json, storable

logger = logging.getLogger(__name__)

_BATCH = 500  # records held while a lost file is written anew
_BLOCK = 1 << 20  # bytes of lines held while some before them are taken out
_encoder = json.JSONEncoder(ensure_ascii=False, allow_nan=False)
_Identity = tuple[UrlKey, str]  # key and fetched_at, as it is written
# Every line begins with what identifies it, so that a long file is compared without parsing its texts.
_START = re.compile(rb'\{"key": "([0-9a-f]{16})", "fetched_at": "([-+0-9:.T]{1,40})", ')


def page_line(record: PageRecord) -> bytes:
    """Return what is exported of a record as one line of JSON in UTF-8, Chinese as it is."""
    return json_line(typed_row(record))


def json_line(fields: Mapping[str, object]) -> bytes:
    """Return fields as one line of JSON in UTF-8, Chinese as it is."""
    return storable(plain_json(_encoder.encode(fields))).encode() + b"\n"


class JsonlStore(Store):
    """Appends the results among the records it is given; see the module's docstring for what survives a crash.

    Parameters
    ----------
    path
        The file; it is made when it is missing.
    """

    required = False  # crawl.db has all of it, and the next start adds what is missing

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file: FileIO | None = None
        self._size = 0  # bytes of whole lines
        self._written: dict[_Identity, int] = {}  # where in the file each line begins
        self._damaged = False  # a line that is not ours stands before the last one

    def open(self) -> None:
        """Open the file for appending and cut off a torn last line.

        Raises
        ------
        StoreError
            If it cannot be read or written.
        """
        try:
            # Unbuffered: after a failed write nothing may be left that a later close would try to write.
            self._file = self.path.open("r+b" if self.path.exists() else "w+b", buffering=0)
            self._read()
        except OSError as error:
            raise self._error("opened", error) from error

    def put(self, records: Sequence[PageRecord]) -> int:
        """Append the results among `records` that are not in the file yet; return how many.

        Raises
        ------
        StoreError
            If they cannot be written; the file then ends with the last whole line it had.
        """
        new = {_identity(r): r for r in records if r.is_result and _identity(r) not in self._written}
        if not new:
            return 0
        self._append([(identity, page_line(record)) for identity, record in new.items()])
        return len(new)

    def complete(self, pages: Pages) -> int:
        """Make the file say what the rows say, for a run that goes on; return how many lines were written.

        Missing lines are added at the end. A file with lines that are damaged or that no row stands behind is written
        anew, and the old one kept beside it under the ending ``.old``.

        Parameters
        ----------
        pages
            ``CrawlDb.pages`` of the run; texts are read only when something is missing.
        """
        stand = [_identity(r) for r in pages(PageQuery(relevant=True, with_text=False)) if r.is_result]
        if not self._damaged and self._written.keys() <= set(stand):
            return self._add_missing(pages, stand)
        logger.warning("%s did not match crawl.db and is written anew; the old one is kept as .old", self.path)
        self.close()
        try:
            os.replace(self.path, self.path.with_name(self.path.name + ".old"))
        except OSError as error:
            raise self._error("moved", error) from error
        self.open()
        return self._add_missing(pages, stand)

    def revise(self, records: Sequence[PageRecord]) -> int:
        """Take out the lines of records that are no results any more, and write those that are; return how many.

        What stands before the first of these lines is not read: verdicts change on the first pages of a host, which
        are near the end of a file of any length.

        Raises
        ------
        StoreError
            If the file cannot be read or written. Nothing but whole lines is missing then.
        """
        changed = {_identity(r) for r in records} & self._written.keys()
        if changed:
            self._take_out(changed)
        return len(changed) + self.put(records)

    def refreshed(self, pages: Pages) -> None:
        """Write the file anew: of a page that was visited again the line is that of its row.

        Raises
        ------
        StoreError
            If it cannot be written; it is what it was then.
        """
        self.rewrite(pages)
        self.open()

    def rewrite(self, pages: Pages) -> int:
        """Write the file anew from the rows, after their verdicts have changed; return how many lines it has.

        Raises
        ------
        StoreError
            If it cannot be written; it is what it was then.
        """
        self.close()
        count = 0
        try:
            with replacement(self.path) as file:
                for record in pages(PageQuery(relevant=True)):
                    if record.is_result:
                        file.write(page_line(record))
                        count += 1
        except OSError as error:
            raise self._error("written", error) from error
        return count

    def flush(self) -> None:
        """Hand what was written to the disk, not to the system's memory only."""
        if self._file is not None:
            try:
                os.fsync(self._file.fileno())
            except OSError as error:
                raise self._error("written", error) from error

    def close(self) -> None:
        """Close the file; closing twice is fine."""
        if self._file is not None:
            self._file.close()
            self._file = None

    # ---------------------------------------------------------------- private

    def _opened(self) -> FileIO:
        if self._file is None:
            raise StoreError(f"{self.path}: the store is not open.")
        return self._file

    def _read(self) -> None:
        """Learn which pages are in the file, and cut it after the last whole line."""
        self._size, self._written, self._damaged = 0, {}, False
        suspect = 0  # bytes of damaged lines since the last good one: a tail of these is cut as well
        with self.path.open("rb") as lines:
            for line in lines:
                identity = _identity_in(line)
                if identity is None or not line.endswith(b"}\n"):
                    suspect += len(line)
                    continue
                self._damaged = self._damaged or suspect > 0
                self._written[identity] = self._size + suspect
                self._size += suspect + len(line)
                suspect = 0
        self._cut()

    def _append(self, lines: Sequence[tuple[_Identity | None, bytes]]) -> None:
        file, block = self._opened(), b"".join(line for _, line in lines)
        try:
            file.seek(self._size)
            rest = memoryview(block)
            while rest:
                rest = rest[file.write(rest) :]
        except OSError as error:
            self._cut()
            raise self._error("written", error) from error
        for identity, line in lines:
            if identity is not None:
                self._written[identity] = self._size
            self._size += len(line)

    def _take_out(self, changed: Set[_Identity]) -> None:
        """Take lines out: all from the first of them on are cut off, and those that stay are written once more."""
        first = min(self._written[identity] for identity in changed)
        behind: list[_Identity] = []
        try:
            with TemporaryFile(dir=self.path.parent) as kept, self.path.open("rb") as lines:
                lines.seek(first)
                for line in lines:
                    identity = _identity_in(line)
                    if identity is not None:
                        behind.append(identity)
                    if identity not in changed:
                        kept.write(line)
                for identity in behind:
                    self._written.pop(identity, None)
                self._size = first
                self._cut()
                kept.seek(0)
                while batch := kept.readlines(_BLOCK):
                    self._append([(_identity_in(line), line) for line in batch])
        except OSError as error:
            raise self._error("written", error) from error

    def _add_missing(self, pages: Pages, stand: Sequence[_Identity]) -> int:
        missing = {identity for identity in stand if identity not in self._written}
        if not missing:
            return 0
        added = 0
        batch: list[PageRecord] = []
        for record in pages(PageQuery(relevant=True)):
            if _identity(record) in missing:
                batch.append(record)
            if len(batch) >= _BATCH:
                added += self.put(batch)
                batch.clear()
        return added + self.put(batch)

    def _cut(self) -> None:
        file = self._opened()
        try:
            file.truncate(self._size)
        except OSError:
            logger.warning("%s: a torn last line could not be cut off", self.path)

    def _error(self, what: str, error: OSError) -> StoreError:
        return StoreError(
            f"{self.path}: cannot be {what}: {os_reason(error)};"
            " the pages are in crawl.db, and resuming the run completes the file."
        )


def _identity(record: PageRecord) -> _Identity:
    return record.key, time_text(record.fetched_at)


def _identity_in(line: bytes) -> _Identity | None:
    start = _START.match(line)
    return None if start is None else (int(start[1], 16), start[2].decode())


def jsonl_store(run: RunFolder) -> JsonlStore:
    """Return the store of a run's ``pages.jsonl`` (the plug-in ``jsonl``)."""
    return JsonlStore(run.pages_jsonl)
