"""Pages of archive files: WARC and WET, plain or gzipped, and WACZ, of any program, record by record.

Records are told apart here, so that memory stays bounded and a damaged one costs itself only; what is in them, warcio
reads. Response and resource records are answers of servers; conversion records (WET) are texts of pages, one line for
each of its paragraphs, the title first.
"""

from __future__ import annotations

import html
import logging
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from io import BytesIO, StringIO
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

from focuscrawl.errors import StoreError, os_reason
from focuscrawl.storage.archive_bytes import RECORD, ArchiveBytes, DamagedArchiveError, Position
from focuscrawl.storage.body_codings import BROKEN_CODING, decoded
from focuscrawl.storage.typed_rows import time_text
from focuscrawl.storage.wacz_parts import ZIP, NoWaczError, Part, wacz_parts

logger = logging.getLogger(__name__)

_MAX_HEADER_BYTES = 64 * 1024
_LINE = 16 * 1024
_CHUNK = 1 << 16
_HTTP_BYTES = 256 * 1024  # of headers before a body, and of the lengths between its chunks
_MAX_CHUNKS = 100_000  # as of a crawl
_MAX_LINES = 100_000  # of a text; no more than 15,000 elements are read of a page
_TOLD = 10  # damaged records of a file that have a line each; more are counted
_PAGES = frozenset({"response", "resource", "conversion"})
_LENGTH = re.compile(r"\s*[0-9]{1,18}\s*")  # more bytes than there are; Python refuses numbers of thousands of digits
_NO_MORE_HEADERS = re.compile(rb"\n[ \t\r]*\n")
TOO_LONG = "too long"
LONG_HEADERS = f"headers are longer than {_HTTP_BYTES >> 10} kB"
MANY_CHUNKS = f"more than {_MAX_CHUNKS:,} chunks"
BROKEN = "compressed text that is broken"


@dataclass(frozen=True, slots=True)
class ArchivedAnswer:
    """Answer of a server as an archive has it, decompressed."""

    url: str
    at: float  # when it was fetched, Unix time, UTC seconds
    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes
    content_type: str | None = None
    problem: str = ""  # why there is no body


class _ChunksError(Exception):
    """A body comes in more than `_MAX_CHUNKS` chunks."""


class _BoundedChunks:
    """Stream of a body in chunks that are not too many: warcio reads a line for the length of each."""

    def __init__(self, stream: Any) -> None:
        self.read = stream.read
        self._readline = stream.readline
        self._begun = 0

    def readline(self, limit: int) -> bytes:
        self._begun += 1
        if self._begun > _MAX_CHUNKS:
            raise _ChunksError
        line: bytes = self._readline(limit)
        return line


class ArchiveFile:
    """A WARC file, or the WARC files of a WACZ, read once.

    Parameters
    ----------
    path
        The file.
    max_bytes
        Longer bodies are left out.
    """

    def __init__(self, path: Path, *, max_bytes: int) -> None:
        self.path = path
        self.max_bytes = max_bytes
        self.records: Counter[str] = Counter()  # by type
        self.damaged = 0
        self.not_web = 0  # answers of other addresses than http and https, such as dns:

    def answers(self, at: Position = Position()) -> Iterator[tuple[ArchivedAnswer, Position]]:
        """Yield each answer, and the place behind its record.

        Parameters
        ----------
        at
            Where to go on.

        Raises
        ------
        StoreError
            If the file cannot be read, or is no archive, or warcio is not installed.
        """
        loader = _loader()
        try:
            with self.path.open("rb") as file:
                first = True
                for part in self._parts(file):
                    if part.end is None or at.offset < part.end:
                        yield from self._answers(loader, file, at, part, begun=not first)
                    first = False
        except OSError as error:
            raise StoreError(f"{self.path}: cannot be read: {os_reason(error)}.") from error

    def _parts(self, file: BinaryIO) -> list[Part]:
        if file.read(len(ZIP)) != ZIP:
            return [Part()]
        try:
            return wacz_parts(file)
        except NoWaczError as error:
            raise self._no_archive(str(error)) from error

    def _answers(
        self, loader: Any, file: BinaryIO, at: Position, part: Part, *, begun: bool
    ) -> Iterator[tuple[ArchivedAnswer, Position]]:
        try:
            source = ArchiveBytes(file, at, part)
        except DamagedArchiveError as error:
            raise StoreError(
                f"{self.path}: reading cannot go on at byte {at.offset:,}: {error}; put the earlier file back, or"
                " filter into another run folder."
            ) from error
        place, begun = at, begun or at != Position()
        while True:
            try:
                place, first = _next_line(source)
                if not begun and not first.startswith(RECORD):
                    raise self._no_archive(_kind(first))
                begun = True
                if not first:
                    return
                answer = self._record(loader, source, first)
            except DamagedArchiveError as error:
                self._tell(max(place, Position(error.offset)), error)
                begun = True
                if not source.find_record():
                    return
                continue
            if answer is not None:
                yield answer, source.position

    def _no_archive(self, found: str) -> StoreError:
        return StoreError(f"{self.path}: expected a WARC, WET or WACZ file, found {found}.")

    def _record(self, loader: Any, source: ArchiveBytes, first: bytes) -> ArchivedAnswer | None:
        """Return the answer of a record that begins with the line `first`, None for one that is none.

        Raises
        ------
        DamagedArchiveError
            If it is cut short, or is no record.
        """
        from warcio.statusandheaders import StatusAndHeadersParserException

        header = _header(source, first)
        try:
            fields = loader.warc_parser.parse(BytesIO(header))
        except StatusAndHeadersParserException as error:
            raise DamagedArchiveError("it begins with no known version of WARC") from error
        kind, length = (fields.get_header("WARC-Type") or "").lower(), fields.get_header("Content-Length") or ""
        if not kind or not _LENGTH.fullmatch(length):
            raise DamagedArchiveError("its header has no type or no length")
        size = int(length)
        self.records[kind] += 1
        is_answer = kind in _PAGES
        wanted = is_answer and _is_web(fields.get_header("WARC-Target-URI") or "")
        keep = self.max_bytes + _HTTP_BYTES if wanted else 0
        block = source.read(min(size, keep), of_record=True)
        got, asked = len(block), min(size, keep)
        while got < size and got == asked:  # less than asked for: it ends there
            asked = min(size, got + _CHUNK)
            got += len(source.read(asked - got, of_record=True))
        if got < size:
            raise DamagedArchiveError(f"it has {got:,} of {size:,} bytes")
        self.not_web += is_answer and not wanted
        return self._answer(loader, kind, header, block, cut=size > len(block)) if wanted else None

    def _answer(self, loader: Any, kind: str, header: bytes, block: bytes, *, cut: bool) -> ArchivedAnswer | None:
        problem = TOO_LONG if cut else ""
        if kind == "response" and len(block) > _HTTP_BYTES and not _NO_MORE_HEADERS.search(block, 0, _HTTP_BYTES):
            block, problem = block[:_HTTP_BYTES].partition(b"\n")[0] + b"\n", LONG_HEADERS
        record = loader.parse_record_stream(BytesIO(header + block), known_format="warc")
        url = record.rec_headers.get_header("WARC-Target-URI").strip("<>")
        at = self._date(record.rec_headers.get_header("WARC-Date") or "")
        if kind == "conversion":
            text = record.raw_stream.read()
            return ArchivedAnswer(url, at, 200, (), _as_html(text), "text/html; charset=utf-8", problem)
        http = record.http_headers
        if http is None:
            content_type = record.content_type if kind == "resource" else None
            return ArchivedAnswer(url, at, 200, (), record.raw_stream.read(), content_type, problem)
        status = http.get_statuscode()
        headers = tuple((str(name), str(value)) for name, value in http.headers)
        content_type = http.get_header("Content-Type")
        number = int(status) if status.isascii() and status.isdigit() and len(status) == 3 else 0
        if problem:
            return ArchivedAnswer(url, at, number, headers, b"", content_type, problem)
        codings = ",".join(value for name, value in headers if name.lower() == "content-encoding")
        body, problem = self._body(record, codings)
        return ArchivedAnswer(url, at, number, headers, body, content_type, problem)

    def _body(self, record: Any, codings: str) -> tuple[bytes, str]:
        """Return the body of an HTTP record, its codings undone as far as they are there, and why there is none."""
        stream = record.raw_stream
        if (record.http_headers.get_header("Transfer-Encoding") or "").strip().lower() == "chunked":
            from warcio.bufferedreaders import ChunkedDataReader

            # Takes a body that is in no chunks as it is: some archives undo them.
            stream = ChunkedDataReader(_BoundedChunks(stream))
        try:
            body: bytes = stream.read()
            body = decoded(body, codings, self.max_bytes)
        except BROKEN_CODING:
            return b"", BROKEN
        except _ChunksError:
            return b"", MANY_CHUNKS
        return (b"", TOO_LONG) if len(body) > self.max_bytes else (body, "")

    def _date(self, text: str) -> float:
        try:
            date = datetime.fromisoformat(text)
            at = (date.astimezone(UTC) if date.tzinfo else date.replace(tzinfo=UTC)).timestamp()
            time_text(at)  # what is stored is written as a date again, to the millisecond: the last of 9999 is none
            return at
        except (ValueError, OverflowError):
            return self.path.stat().st_mtime

    def _tell(self, place: Position, error: DamagedArchiveError) -> None:
        self.damaged += 1
        if self.damaged <= _TOLD:
            where = f"byte {place.offset:,}" + (f" (and {place.skip:,} decompressed)" if place.skip else "")
            more = "; more such records of this file are counted only" if self.damaged == _TOLD else ""
            logger.warning("%s: the record at %s is left out: %s%s.", self.path, where, error, more)


def archive_files(given: list[Path]) -> list[Path]:
    """Return the files that are meant: those given, and the archives in folders that are given.

    Of a run folder and of an unpacked WACZ the archives lie in its folder ``archive``.

    Raises
    ------
    StoreError
        If one is not there, or is known by its name to hold no pages; one sentence each.
    """
    files: list[Path] = []
    faults: list[str] = []
    for path in given:
        name = path.name.lower()
        if path.is_dir():
            inside = _archives_in(path) + _archives_in(path / "archive")
            files += inside
            if not inside:
                faults.append(f"{path}: there is no .warc, .warc.gz, .wet.gz or .wacz file in this folder.")
        elif not path.is_file():
            faults.append(f"{path}: there is no such file.")
        elif ".wat." in name or name.endswith(".wat"):
            faults.append(f"{path}: WAT files hold metadata only; give the WARC or WET file of the same name.")
        elif name.endswith((".paths.gz", ".paths")):
            faults.append(f"{path}: a list of files of Common Crawl; download files it names and give those.")
        else:
            files.append(path)
    if faults:
        raise StoreError("\n".join(faults))
    return list(dict.fromkeys(files))


def _archives_in(folder: Path) -> list[Path]:
    if not folder.is_dir():
        return []
    return sorted(path for path in folder.iterdir() if path.is_file() and _is_archive(path.name))


def _is_archive(name: str) -> bool:
    name = name.lower().removesuffix(".gz")
    return name.endswith((".warc", ".wet", ".wacz")) and not name.endswith((".wat", ".warc.wat"))


def _header(source: ArchiveBytes, first: bytes) -> bytes:
    lines, size = [first], len(first)
    if not first.startswith(RECORD):
        raise DamagedArchiveError("no record begins there")
    while (line := source.readline(_LINE)) and line.strip():
        lines.append(line)
        size += len(line)
        if size > _MAX_HEADER_BYTES:
            raise DamagedArchiveError(f"its header is longer than {_MAX_HEADER_BYTES >> 10} kB")
    if not line:
        raise DamagedArchiveError("the file ends in its header")
    return b"".join([*lines, line])


def _next_line(source: ArchiveBytes) -> tuple[Position, bytes]:
    """Return the first line after those that end a record, and its place; b'' at the end of the file."""
    source.skip_blank()
    return source.position, source.readline(_LINE)


def _is_web(uri: str) -> bool:
    return uri.strip("<>").lower().startswith(("http://", "https://"))


def _as_html(text: bytes) -> bytes:
    """Return the text of a WET record as a page: its first line is the title, each line a paragraph.

    >>> _as_html("Chess\\nA game & more".encode()).decode()
    '<title>Chess</title><body><p>Chess</p><p>A game &amp; more</p></body>'
    """
    stripped = (line.strip() for line in StringIO(text.decode("utf-8", "replace"), newline=None))
    lines = [html.escape(line, quote=False) for line in islice(filter(None, stripped), _MAX_LINES)]
    paragraphs = "".join(f"<p>{line}</p>" for line in lines)
    return f"<title>{lines[0] if lines else ''}</title><body>{paragraphs}</body>".encode()


def _kind(first: bytes) -> str:
    if not first:
        return "an empty file"
    if first.startswith(b"filedesc:"):
        return "an ARC file; convert it with: warcio recompress FILE.arc.gz FILE.warc.gz"
    if first.lstrip().lower().startswith((b"<!doctype", b"<html")):
        return "a web page; to extract one: focuscrawl extract FILE"
    return f'"{first[:40].decode("utf-8", "replace").strip()}"'


def _loader() -> Any:
    try:
        from warcio.recordloader import ArcWarcRecordLoader
    except ImportError as error:
        raise StoreError("Archives are read with the package warcio: pip install 'focuscrawl[warc]'.") from error
    return ArcWarcRecordLoader(verify_http=False, arc2warc=False)
