"""WARC files within a WACZ: read in place, and told apart from zip files that cannot be."""

from __future__ import annotations

import gzip
import struct
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile

import pytest
from archive_kit import Sent, records

from focuscrawl.errors import StoreError
from focuscrawl.storage.archive_bytes import Position
from focuscrawl.storage.archive_reader import ArchiveFile, archive_files

ANSWERS = [Sent(f"http://a.example/{n}", f"<p>棋 {n}".encode()) for n in range(6)]
URLS = [sent.url for sent in ANSWERS]


def wacz(path: Path, members: dict[str, bytes], *, compression: int = ZIP_STORED) -> Path:
    with ZipFile(path, "w", compression) as packed:
        packed.writestr("datapackage.json", "{}")
        for name, data in members.items():
            packed.writestr(name, data)
        packed.writestr("indexes/index.cdx.gz", gzip.compress(b"WARC/1.0 is no record here"))
    return path


def read(path: Path, at: Position = Position()) -> list[tuple[str, Position]]:
    return [(answer.url, behind) for answer, behind in ArchiveFile(path, max_bytes=1000).answers(at)]


@pytest.mark.parametrize("compressed", [True, False])
def test_all_warc_files_of_a_wacz_are_read_and_gone_on_with_anywhere(tmp_path: Path, compressed: bool) -> None:
    halves = [b"".join(records(ANSWERS[at : at + 3], gzip=compressed)) for at in (0, 3)]
    name = "archive/{}.warc.gz" if compressed else "archive/{}.warc"
    path = wacz(tmp_path / "a b.wacz", {name.format("z"): halves[0], name.format("a"): halves[1]})
    found = read(path)
    assert [url for url, _ in found] == URLS
    for n, (_, behind) in enumerate(found):
        assert [url for url, _ in read(path, behind)] == URLS[n + 1 :]


def test_a_damaged_record_costs_itself_in_a_wacz_too(tmp_path: Path) -> None:
    made = records(ANSWERS[:3])
    made[2] = made[2][:20] + b"\0" * 20 + made[2][40:]  # the first answer; before it are head and request
    path = wacz(tmp_path / "a.wacz", {"archive/1.warc.gz": b"".join(made), "archive/2.warc.gz": b"<html>no archive"})
    file = ArchiveFile(path, max_bytes=1000)
    assert [answer.url for answer, _ in file.answers()] == [sent.url for sent in ANSWERS[1:3]]
    assert file.damaged == 2


def _encrypted(path: Path) -> Path:
    data = bytearray(wacz(path, {"archive/1.warc": b"WARC/1.1"}).read_bytes())
    entry = data.index(b"archive/1.warc", data.index(b"PK\x01\x02")) - 46
    data[entry + 8] |= 1
    path.write_bytes(data)
    return path


def _overlapping(path: Path) -> Path:
    """Two members of one place: a file of a few kB would be read for ever."""
    data = bytearray(wacz(path, {"archive/1.warc": b"WARC/1.1" * 9, "archive/2.warc": b"WARC/1.1"}).read_bytes())
    directory = data.index(b"PK\x01\x02")
    entries = [data.index(name, directory) - 46 for name in (b"archive/1.warc", b"archive/2.warc")]
    data[entries[1] + 42 : entries[1] + 46] = data[entries[0] + 42 : entries[0] + 46]
    path.write_bytes(data)
    return path


def _long_directory(path: Path) -> Path:
    data = bytearray(wacz(path, {"archive/1.warc": b"WARC/1.1"}).read_bytes())
    end = data.rindex(b"PK\x05\x06")
    padding = 17 << 20
    data[end + 12 : end + 16] = struct.pack("<I", struct.unpack_from("<I", data, end + 12)[0] + padding)
    path.write_bytes(data[:end] + bytes(padding) + data[end:])
    return path


def _before_the_file(path: Path) -> Path:
    data = bytearray(wacz(path, {"archive/1.warc": b"WARC/1.1"}).read_bytes())
    end = data.rindex(b"PK\x05\x06")
    data[end + 16 : end + 20] = struct.pack("<I", struct.unpack_from("<I", data, end + 16)[0] + 1000)
    path.write_bytes(data)
    return path


@pytest.mark.parametrize(
    ("made", "found"),
    [
        (lambda path: wacz(path, {"pages/pages.jsonl": b"{}"}), "a zip file without archive/….warc.gz"),
        (lambda path: wacz(path, {"archive/1.warc": b"WARC/1.1"}, compression=ZIP_DEFLATED), "compressed or encrypted"),
        (_encrypted, "compressed or encrypted"),
        (_overlapping, "a damaged zip file"),
        (_long_directory, "a damaged zip file"),
        (_before_the_file, "a damaged zip file"),
    ],
)
def test_zip_files_that_cannot_be_read_in_place_are_named(tmp_path: Path, made: object, found: str) -> None:
    assert callable(made)
    with pytest.raises(StoreError, match="expected a WARC, WET or WACZ file") as error:
        read(made(tmp_path / "a.wacz"))
    assert found in str(error.value)


def test_wacz_files_count_among_the_archives_of_a_folder(tmp_path: Path) -> None:
    (tmp_path / "archive").mkdir()
    for name in ("chess.wacz", "archive/z.warc.gz"):
        (tmp_path / name).touch()
    assert archive_files([tmp_path]) == [tmp_path / "chess.wacz", tmp_path / "archive" / "z.warc.gz"]
