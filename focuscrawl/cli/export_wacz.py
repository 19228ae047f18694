"""Archive of a run as one WACZ file (version 1.1.1), which replay programs open: WARC files, index, pages."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any, BinaryIO
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

from focuscrawl import __version__
from focuscrawl.errors import StoreError
from focuscrawl.page.media_types import media_type
from focuscrawl.records import PageRecord
from focuscrawl.storage.keys import hex_key
from focuscrawl.storage.run import RunFolder
from focuscrawl.storage.surt import surt
from focuscrawl.storage.typed_rows import time_text
from focuscrawl.storage.warc import OPEN
from focuscrawl.types import storable

_VERSION = "1.1.1"
_MOST_RECORDS = 1_000_000  # lines of the index are sorted in memory, some 400 bytes each
_INDEXED = frozenset({"response", "revisit", "resource"})
_CHUNK = 1 << 20
_NO_NAME = re.compile(r"[^-a-z0-9._/]")  # in the name of a resource (Data Package); a path has any letter
_DATE = (1980, 1, 1, 0, 0, 0)  # of all members: the same pages make the same file


def write_wacz(
    folders: Sequence[RunFolder], pages: Iterable[PageRecord], file: BinaryIO, *, title: str
) -> tuple[int, int]:
    """Write the archives of runs and their results to an open binary file.

    Returns
    -------
    tuple
        How many pages it lists, and how many results it does not, for no answer of theirs was archived: a program that
        replays would find nothing at their addresses.

    Raises
    ------
    StoreError
        If there is no archive, it has too many records, or warcio is not installed.
    """
    archives = [path for folder in folders for path in sorted(folder.archive.glob("*.warc.gz"))]
    if not archives:
        places = ", ".join(str(folder.archive) for folder in folders) or "a crawl in PostgreSQL"
        if any(next(folder.archive.glob(f"*.warc.gz{OPEN}"), None) for folder in folders):
            raise StoreError(f"{places}: the archive is not closed yet; pack it when the crawl has ended.")
        raise StoreError(f"{places}: there is no archive to pack; crawl with -s FOCUSCRAWL_STORES=jsonl,warc.")
    resources: list[dict[str, object]] = []
    listed = absent = 0
    with ZipFile(file, "w", allowZip64=True) as packed:
        for path in archives:
            _add(packed, resources, f"archive/{path.name}", _pieces(path), stored=True)
        answers = sorted(_index(archives))
        archived = {line.partition(" ")[0] for line in answers}
        index = gzip.compress("".join(answers).encode(), mtime=0)
        _add(packed, resources, "indexes/index.cdx.gz", [index], stored=True)

        def lines() -> Iterator[bytes]:
            nonlocal listed, absent
            yield _line({"format": "json-pages-1.0", "id": "pages", "title": title})
            for record in pages:
                if surt(record.final_url) not in archived:
                    absent += 1
                    continue
                listed += 1
                at, url = time_text(record.fetched_at), record.final_url
                yield _line({"id": hex_key(record.key), "url": url, "ts": at, "title": record.title})

        _add(packed, resources, "pages/pages.jsonl", lines())
        package = _line(
            {
                "profile": "data-package",
                "wacz_version": _VERSION,
                "title": title,
                "created": time_text(datetime.now(UTC).timestamp()),
                "software": f"focuscrawl/{__version__}",
                "resources": resources,
            }
        )
        _add(packed, [], "datapackage.json", [package])
        digest = {"path": "datapackage.json", "hash": f"sha256:{sha256(package).hexdigest()}"}
        _add(packed, [], "datapackage-digest.json", [_line(digest)])
    return listed, absent


def _index(archives: Iterable[Path]) -> Iterator[str]:
    """Yield a line of CDXJ for each answer."""
    try:
        from warcio.archiveiterator import ArchiveIterator
    except ImportError as error:
        raise StoreError("--format wacz: needs the package warcio: pip install 'focuscrawl[warc]'.") from error
    count = 0
    for path in archives:
        with path.open("rb") as file:
            records = ArchiveIterator(file)
            for record in records:
                if record.rec_type not in _INDEXED:
                    continue
                count += 1
                if count > _MOST_RECORDS:
                    raise StoreError(f"{path}: more than {_MOST_RECORDS:,} answers; pack several runs apart.")
                yield _cdxj(records, record, path.name)


def _cdxj(records: Any, record: Any, name: str) -> str:
    headers, http = record.rec_headers, record.http_headers
    url = headers.get_header("WARC-Target-URI")
    kind = media_type(http.get_header("Content-Type") if http else "")
    fields = {
        "url": url,
        "mime": "warc/revisit" if record.rec_type == "revisit" else kind or "unk",
        "status": http.get_statuscode() if http else "",
        "digest": headers.get_header("WARC-Payload-Digest") or "",
        "length": str(records.get_record_length()),
        "offset": str(records.get_record_offset()),
        "filename": name,
    }
    stamp = "".join(char for char in headers.get_header("WARC-Date") or "" if char.isdigit())[:14]
    return f"{surt(url)} {stamp} {json.dumps(fields, ensure_ascii=True)}\n"


def _add(
    packed: ZipFile, resources: list[dict[str, object]], name: str, pieces: Iterable[bytes], *, stored: bool = False
) -> None:
    """Add a member to the file, and what has to be said of it to the list; what is gzipped is not compressed again."""
    member = ZipInfo(name, _DATE)
    member.compress_type = ZIP_STORED if stored else ZIP_DEFLATED
    digest, size = sha256(), 0
    with packed.open(member, "w", force_zip64=True) as target:
        for piece in pieces:
            target.write(piece)
            digest.update(piece)
            size += len(piece)
    short = _NO_NAME.sub("-", name.rpartition("/")[2].lower())
    resources.append({"name": short, "path": name, "hash": f"sha256:{digest.hexdigest()}", "bytes": size})


def _pieces(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while piece := file.read(_CHUNK):
            yield piece


def _line(value: object) -> bytes:
    return storable(json.dumps(value, ensure_ascii=False) + "\n").encode()
