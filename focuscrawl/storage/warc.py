"""``archive/``: the answers of kept pages in WARC files (ISO 28500:2017, WARC 1.1), one gzip member a record.

Each page is a ``response`` record and a ``metadata`` record with its judgement, with its ``request`` when asked for;
the redirects that led to it, without their bodies, are ``response`` records before it, so that links to them replay. A
body that is the same as one before, byte for byte, is not kept again: a ``revisit`` record names the first. Bodies are
archived as they were read, without the content and transfer encodings they were sent in, and the headers say so:
``Content-Length`` is that of the body, and the two headers that would be wrong are left out. Only pages are archived:
style sheets, scripts and images are not fetched, so a replay shows a page without them.

A file is called ``….warc.gz.open`` while it is written. What a killed process leaves is cut after its last whole
record and gets its final name when the run goes on. Names hold topic, worker, time and number, so that the files of all
workers can be put into one folder.
"""

from __future__ import annotations

import logging
import os
import zlib
from base64 import b32encode
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from hashlib import sha1
from http import HTTPStatus
from io import BytesIO, FileIO
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit, urlunsplit

from focuscrawl import __version__
from focuscrawl.errors import StoreError, os_reason
from focuscrawl.records import PageRecord
from focuscrawl.storage.base import Answer, Store
from focuscrawl.storage.keys import hex_key

if TYPE_CHECKING:
    from focuscrawl.storage.run import RunFolder

logger = logging.getLogger(__name__)

OPEN = ".open"
"""What the name of a file ends with while it is written."""

_VERSION = "WARC/1.1"
_SOFTWARE = f"focuscrawl/{__version__}"
# Said of the connection, or of an encoding the body has no more.
_LEFT_OUT = frozenset(
    {"content-encoding", "transfer-encoding", "connection", "keep-alive", "content-length", "trailer"}
)
_SECRET = frozenset({"authorization", "proxy-authorization", "cookie", "cookie2", "host"})
_CHUNK = 1 << 20
_MAX_BODIES = 50_000  # remembered to be told again, some 20 MB


class WarcStore(Store):
    """Writes answers to WARC files of bounded size; for use in one thread at a time.

    Parameters
    ----------
    folder
        Where the files go; it is made when it is missing.
    name
        What file names begin with; no other worker may have the same.
    max_bytes
        A file that is longer is closed, and the next one begun; so it is exceeded by one page at most.
    every
        Archive irrelevant pages too, duplicates among them.
    requests
        Archive the requests, too.
    info
        What the head of each file says of the crawl, by name; empty values are left out.
    now
        For tests: the present time.
    """

    def __init__(
        self,
        folder: Path,
        *,
        name: str,
        max_bytes: int = 1_000_000_000,
        every: bool = False,
        requests: bool = False,
        info: Mapping[str, str] = MappingProxyType({}),
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self.folder = folder
        self.name = name
        self.max_bytes = max_bytes
        self.every = every
        self.requests = requests
        self.info = dict(info)
        self._bodies: OrderedDict[str, tuple[str, str]] = OrderedDict()  # digest -> address and date of the first
        self._now = now
        self._file: FileIO | None = None
        self._path = folder
        self._size = 0  # bytes of whole pages
        self._number = 0

    def open(self) -> None:
        """Make the folder, and finish what a killed process left in it. A file is begun with the first page.

        Raises
        ------
        StoreError
            If warcio is not installed, or the folder cannot be written.
        """
        _warcio()
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            for left in sorted(self.folder.glob(f"{self.name}-*.warc.gz{OPEN}")):
                _finish(left)
            if not os.access(self.folder, os.W_OK | os.X_OK):
                raise PermissionError(13, "Permission denied")
        except OSError as error:
            raise self._error(self.folder, error) from error

    def wants(self, record: PageRecord) -> bool:
        """Tell whether the answer of a page is archived: of results, or of all pages that may be stored."""
        if self.every:
            return record.outcome == "done" and not record.withheld
        return record.is_result

    def archive(self, answers: Sequence[Answer]) -> int:
        """Archive those of `answers` that are wanted; return how many.

        Raises
        ------
        StoreError
            If they cannot be written; the file then ends with the last whole page.
        """
        count = 0
        for answer in answers:
            if self.wants(answer.record):
                self._write(self._page(answer))
                self._remember(answer)
                count += 1
        return count

    def put(self, records: Sequence[PageRecord]) -> int:  # noqa: ARG002 - a store has it
        """Write nothing: answers come with `archive`."""
        return 0

    def flush(self) -> None:
        """Hand what was written to the disk."""
        if self._file is not None:
            try:
                os.fsync(self._file.fileno())
            except OSError as error:
                raise self._error(self._path, error) from error

    def close(self) -> None:
        """Finish the file; closing twice is fine.

        Raises
        ------
        StoreError
            If it cannot be given its final name; it gets that when the run goes on.
        """
        file, self._file = self._file, None
        if file is not None:
            file.close()
            try:
                self._path.rename(_final(self._path))
            except OSError as error:
                raise StoreError(
                    f"{self._path}: cannot be given its final name: {os_reason(error)}; resuming the run does it."
                ) from error

    # ----------------------------------------------------------------------- private

    def _write(self, block: bytes) -> None:
        try:
            if self._file is not None and self._size >= self.max_bytes:
                self.close()
            file = self._file or self._begin()
            self._append(file, block)
        except OSError as error:
            raise self._error(self._path, error) from error

    def _append(self, file: FileIO, block: bytes) -> None:
        rest = memoryview(block)
        try:
            while rest:
                rest = rest[file.write(rest) :]
        except OSError:
            file.truncate(self._size)
            file.seek(self._size)
            raise
        self._size += len(block)

    def _begin(self) -> FileIO:
        stamp = self._now().strftime("%Y%m%dT%H%M%SZ")
        while True:
            self._number += 1
            name = f"{self.name}-{stamp}-{self._number:05d}.warc.gz"
            self._path = self.folder / (name + OPEN)
            if (self.folder / name).exists():
                continue
            try:
                file = self._path.open("xb", buffering=0)
            except FileExistsError:
                continue
            self._size = 0
            try:
                self._append(file, _info(name, self.info))
            except OSError:
                # A file without its head would be no archive.
                file.close()
                self._path.unlink()
                raise
            self._file = file
            return file

    def _page(self, answer: Answer) -> bytes:
        """Return the records of a page."""
        block = BytesIO()
        writer = _warcio().warcwriter.WARCWriter(block, gzip=True, warc_version=_VERSION)
        for redirect in answer.redirects:
            self._exchange(writer, redirect)
        concurrent = self._exchange(writer, answer)
        told = "".join(f"{name}: {value}\r\n" for name, value in _fields(answer.record)).encode()
        metadata = writer.create_warc_record(
            answer.url,
            "metadata",
            payload=BytesIO(told),
            length=len(told),
            warc_content_type="application/warc-fields",
            warc_headers_dict=concurrent,
        )
        writer.write_record(metadata)
        return block.getvalue()

    def _exchange(self, writer: Any, answer: Answer) -> dict[str, str]:
        """Write an answer, and its request when asked for; return what other records of theirs say of it."""
        date = _date(answer)
        response = self._response(writer, answer, date)
        writer.write_record(response)
        concurrent = {"WARC-Date": date, "WARC-Concurrent-To": response.rec_headers.get_header("WARC-Record-ID")}
        if self.requests and answer.request:
            writer.write_record(_request(writer, answer, concurrent))
        return concurrent

    def _remember(self, answer: Answer) -> None:
        """Remember a body that is in the archive now."""
        if answer.body:
            self._bodies.setdefault(_digest(answer.body), (answer.url, _date(answer)))
            if len(self._bodies) > _MAX_BODIES:
                self._bodies.popitem(last=False)

    def _response(self, writer: Any, answer: Answer, date: str) -> Any:
        """Return the record of an answer, or of a further visit when its body is one that is archived."""
        try:
            phrase = HTTPStatus(answer.status).phrase
        except ValueError:
            phrase = ""
        headers = [(_line(k), _line(v)) for k, v in answer.headers if k.lower() not in _LEFT_OUT]
        headers.append(("Content-Length", str(len(answer.body))))
        http = _warcio().statusandheaders.StatusAndHeaders(f"{answer.status} {phrase}", headers, "HTTP/1.1")
        digest = _digest(answer.body)
        first = self._bodies.get(digest)
        if first is not None:
            return writer.create_revisit_record(
                answer.url, digest, *first, http_headers=http, warc_headers_dict={"WARC-Date": date}
            )
        return writer.create_warc_record(
            answer.url,
            "response",
            payload=BytesIO(answer.body),
            length=len(answer.body),
            http_headers=http,
            warc_headers_dict={"WARC-Date": date},
        )

    def _error(self, path: Path, error: OSError) -> StoreError:
        return StoreError(f"{path}: cannot be written: {os_reason(error)}.")


def warc_store(
    run: RunFolder,
    *,
    topic: str = "crawl",
    max_bytes: int = 1_000_000_000,
    every: bool = False,
    requests: bool = False,
    info: Mapping[str, str] = MappingProxyType({}),
) -> WarcStore:
    """Return the store of a run's ``archive/`` (the plug-in ``warc``)."""
    name = f"{topic}-{run.worker or run.worker_name}"
    return WarcStore(run.archive, name=name, max_bytes=max_bytes, every=every, requests=requests, info=info)


def _warcio() -> Any:
    try:
        import warcio.statusandheaders
        import warcio.warcwriter
    except ImportError as error:
        raise StoreError(
            "FOCUSCRAWL_STORES names \"warc\", which needs the package warcio: pip install 'focuscrawl[warc]'."
        ) from error
    return warcio


def _info(name: str, told: Mapping[str, str]) -> bytes:
    block = BytesIO()
    writer = _warcio().warcwriter.WARCWriter(block, gzip=True, warc_version=_VERSION)
    said = {"software": _SOFTWARE, "format": "WARC File Format 1.1", **told}
    fields = "".join(f"{key}: {_line(value)}\r\n" for key, value in said.items() if value).encode("utf-8", "replace")
    info = writer.create_warc_record(
        None,
        "warcinfo",
        payload=BytesIO(fields),
        length=len(fields),
        warc_content_type="application/warc-fields",
        warc_headers_dict={"WARC-Filename": name},
    )
    writer.write_record(info)
    return block.getvalue()


def _date(answer: Answer) -> str:
    return datetime.fromtimestamp(answer.record.fetched_at, UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def _digest(body: bytes) -> str:
    return f"sha1:{b32encode(sha1(body, usedforsecurity=False).digest()).decode()}"


def _request(writer: Any, answer: Answer, concurrent: Mapping[str, str]) -> Any:
    """Return the record of the request of an answer, without what nobody else may see."""
    parts = urlsplit(answer.url)
    path = urlunsplit(("", "", parts.path or "/", parts.query, ""))
    headers = [("Host", parts.netloc.rpartition("@")[2])]
    headers += [(_line(k), _line(v)) for k, v in answer.request if k.lower() not in _SECRET]
    http = _warcio().statusandheaders.StatusAndHeaders(f"GET {path} HTTP/1.1", headers, is_http_request=True)
    return writer.create_warc_record(
        answer.url, "request", payload=BytesIO(), length=0, http_headers=http, warc_headers_dict=dict(concurrent)
    )


def _fields(record: PageRecord) -> Iterable[tuple[str, object]]:
    """Yield what is told of a page: numbers and keys only, for texts of strangers could bring lines of their own."""
    yield "hopsFromSeed", record.depth
    yield "focuscrawl-key", hex_key(record.key)
    if record.parent is not None:
        yield "focuscrawl-parent", hex_key(record.parent)
    yield "focuscrawl-relevance", repr(record.relevance)
    yield "focuscrawl-threshold", repr(record.threshold)
    yield "focuscrawl-relevant", str(record.relevant).lower()


def _line(text: str) -> str:
    return " ".join(text.splitlines())


def _final(path: Path) -> Path:
    return path.with_name(path.name.removesuffix(OPEN))


def _finish(path: Path) -> None:
    """Cut a file after its last whole gzip member and give it its final name; one without any is taken away."""
    whole = _whole_bytes(path)
    if not whole:
        path.unlink()
        return
    if whole < path.stat().st_size:
        logger.warning("%s: the last page was not written to its end and is cut off", path)
        os.truncate(path, whole)
    path.rename(_final(path))


def _whole_bytes(path: Path) -> int:
    """Return the length of the gzip members that are complete."""
    whole = used = 0
    member = zlib.decompressobj(31)  # 31: gzip
    with path.open("rb") as file:
        data = b""
        while data or (data := file.read(_CHUNK)):
            try:
                # At most so many bytes come out at once, whatever the file holds.
                member.decompress(data, _CHUNK)
            except zlib.error:
                return whole
            left = member.unused_data if member.eof else member.unconsumed_tail
            used += len(data) - len(left)
            if member.eof:
                whole, member = used, zlib.decompressobj(31)
            data = left
    return whole
