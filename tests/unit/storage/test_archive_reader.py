"""Archive files of other programs: what is read in them, also when they are damaged, hostile or none."""

from __future__ import annotations

import gzip
import logging
import time
import tracemalloc
import zlib
from pathlib import Path

import brotli  # type: ignore[import-untyped]
import pytest
from archive_kit import DATE, HTML, Sent, conversion, records, warc
from backports import zstd

from focuscrawl.errors import StoreError
from focuscrawl.storage.archive_bytes import Position
from focuscrawl.storage.archive_reader import (
    BROKEN,
    LONG_HEADERS,
    MANY_CHUNKS,
    TOO_LONG,
    ArchivedAnswer,
    ArchiveFile,
    archive_files,
)

LIMIT = 100_000
PAGE = ("<title>棋</title><p>" + "国际象棋 " * 200).encode()
ANSWERS = [Sent(f"http://a.example/{n}", PAGE + str(n).encode()) for n in range(6)]


def read(path: Path, at: Position = Position(), *, limit: int = LIMIT) -> list[tuple[ArchivedAnswer, Position]]:
    return list(ArchiveFile(path, max_bytes=limit).answers(at))


def urls(path: Path) -> list[str]:
    return [answer.url for answer, _ in read(path)]


def the_one(path: Path) -> ArchivedAnswer:
    ((answer, _),) = read(path)
    return answer


@pytest.mark.parametrize("form", ["plain", "member a record", "one member", "members that cut records"])
def test_all_forms_hold_the_same_pages_and_can_be_gone_on_with_anywhere(tmp_path: Path, form: str) -> None:
    plain = b"".join(records(ANSWERS, gzip=False))
    data = {
        "plain": plain,
        "member a record": b"".join(records(ANSWERS)),
        "one member": gzip.compress(plain),
        "members that cut records": b"".join(gzip.compress(plain[at : at + 1000]) for at in range(0, len(plain), 1000)),
    }[form]
    path = tmp_path / "one.warc"
    path.write_bytes(data)
    found = read(path)
    assert [(answer.url, answer.body) for answer, _ in found] == [(sent.url, sent.body) for sent in ANSWERS]
    first = found[0][0]
    assert (first.status, first.content_type, first.at) == (200, "text/html; charset=utf-8", 1_790_000_000.0)
    for n, (_, behind) in enumerate(found):
        assert [answer.url for answer, _ in read(path, behind)] == [sent.url for sent in ANSWERS[n + 1 :]]


@pytest.mark.parametrize("compressed", [True, False])
def test_a_file_that_ends_anywhere_gives_the_whole_records_before(tmp_path: Path, compressed: bool) -> None:
    made = records(ANSWERS[:3], gzip=compressed)
    data = b"".join(made)
    path = tmp_path / "cut.warc"
    ends, size = [], 0
    for record in made:
        size += len(record)
        ends.append(size if compressed else size - 4)  # two empty lines end a record
    for cut in range(40, len(data), 37):
        path.write_bytes(data[:cut])
        whole = sum(1 for end in ends[2::2] if end <= cut)
        found = [(answer.url, answer.body) for answer, _ in read(path)]
        assert len(found) >= whole, cut
        assert found == [(sent.url, sent.body) for sent in ANSWERS[: len(found)]], cut


def test_a_damaged_record_costs_itself_and_one_sentence(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    made = records(ANSWERS)
    broken = bytearray(made[4])
    broken[60:90] = bytes(30)
    made[4] = bytes(broken)
    path = tmp_path / "one.warc.gz"
    path.write_bytes(b"".join(made))
    with caplog.at_level(logging.WARNING):
        file = ArchiveFile(path, max_bytes=LIMIT)
        found = [answer.url for answer, _ in file.answers()]
    assert found == [sent.url for sent in ANSWERS if not sent.url.endswith("/1")]
    assert file.damaged == 1
    (line,) = caplog.messages
    assert line.startswith(f"{path}: the record at byte {len(b''.join(made[:4])):,} is left out: it cannot be")


def test_a_record_cut_short_inside_its_own_member_is_left_out(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    made = records(ANSWERS)
    made[4] = gzip.compress(gzip.decompress(made[4])[:-200])
    path = tmp_path / "one.warc.gz"
    path.write_bytes(b"".join(made))
    assert urls(path) == [sent.url for sent in ANSWERS if not sent.url.endswith("/1")]
    assert "bytes" in caplog.text
    assert len(caplog.messages) == 1


@pytest.mark.parametrize(
    ("line", "damaged"),
    [
        (b"WARC/1.0", b"WARC/9.9"),
        (b"Content-Length: 11", "Content-Length: ²".encode()),
        (b"Content-Length: 11", b"Content-Length: " + b"9" * 5000),
    ],
    ids=["version", "no digit", "digits without end"],
)
def test_a_header_that_is_wrong_costs_its_record(tmp_path: Path, line: bytes, damaged: bytes) -> None:
    made = records(ANSWERS[:2], gzip=False)
    header = b"WARC/1.0\r\nWARC-Type: resource\r\nWARC-Target-URI: http://a.org/\r\nContent-Length: 11\r\n\r\n"
    assert line in header
    path = tmp_path / "one.warc"
    path.write_bytes(made[0] + header.replace(line, damaged) + b"<p>text</p>\r\n\r\n" + b"".join(made[1:]))
    assert urls(path) == [sent.url for sent in ANSWERS[:2]]


@pytest.mark.parametrize(
    "date", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00", "9999-12-31T23:59:59.9999Z", "yesterday"]
)
def test_a_date_that_is_none_is_that_of_the_file(tmp_path: Path, date: str) -> None:
    path = warc(tmp_path / "one.warc", ANSWERS[0], gzip=False)
    path.write_bytes(path.read_bytes().replace(DATE.encode(), date.encode()))
    assert the_one(path).at == path.stat().st_mtime


def test_what_is_no_record_is_skipped_in_a_plain_file(tmp_path: Path) -> None:
    made = records(ANSWERS[:2], gzip=False)
    path = tmp_path / "one.warc"
    noise = b"noise\x00" * 40_000 + b"\nWARC/1.0 is a format\r\n\r\nWARC/9\r\nWARC-Type: response\r\n\r\n"
    path.write_bytes(b"".join([*made[:3], noise, *made[3:]]))
    assert urls(path) == [sent.url for sent in ANSWERS[:2]]


def test_a_file_that_is_shorter_than_before_says_what_to_do(tmp_path: Path) -> None:
    path = warc(tmp_path / "one.warc.gz", *ANSWERS)
    with pytest.raises(StoreError, match="cannot go on at byte 0: it is shorter") as raised:
        read(path, Position(0, 1_000_000))
    assert str(raised.value).endswith("; put the earlier file back, or filter into another run folder.")


def test_many_damaged_records_have_ten_lines(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "one.warc"
    path.write_bytes(b"WARC/1.0\r\nWARC-Type: response\r\n\r\n" * 30)
    file = ArchiveFile(path, max_bytes=LIMIT)
    assert list(file.answers()) == []
    assert file.damaged == 30
    assert len(caplog.messages) == 10
    assert caplog.messages[-1].endswith("counted only.")


def _chunked(body: bytes) -> bytes:
    half = len(body) // 2
    parts = (body[:half], body[half:], b"")
    return b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in parts)


_RAW = zlib.compressobj(wbits=-15)


@pytest.mark.parametrize(
    ("coding", "body"),
    [
        ({"Content-Encoding": "gzip"}, gzip.compress(PAGE, mtime=0)),
        ({"Content-Encoding": "gzip"}, gzip.compress(PAGE[:9], mtime=0) + gzip.compress(PAGE[9:], mtime=0)),
        ({"Content-Encoding": "gzip"}, PAGE),  # undone when it was archived, and the header left
        ({"Content-Encoding": "deflate"}, zlib.compress(PAGE)),
        ({"Content-Encoding": "deflate"}, _RAW.compress(PAGE) + _RAW.flush()),
        ({"Content-Encoding": "br"}, brotli.compress(PAGE)),
        ({"Content-Encoding": "br"}, PAGE),
        ({"Content-Encoding": "zstd"}, zstd.compress(PAGE)),
        ({"Content-Encoding": "zstd"}, PAGE),
        ({"Content-Encoding": "br, GZIP"}, gzip.compress(brotli.compress(PAGE), mtime=0)),
        ({"Content-Encoding": "zstd", "content-encoding": "utf-8, br"}, brotli.compress(zstd.compress(PAGE))),
        ({"Transfer-Encoding": "chunked"}, _chunked(PAGE)),
        ({"Transfer-Encoding": "chunked", "Content-Encoding": "gzip"}, _chunked(gzip.compress(PAGE, mtime=0))),
        ({"Transfer-Encoding": "chunked"}, PAGE),
    ],
)
def test_codings_of_the_answer_are_undone(tmp_path: Path, coding: dict[str, str], body: bytes) -> None:
    path = warc(tmp_path / "one.warc.gz", Sent("http://a.example/", body, headers=[*HTML, *coding.items()]))
    answer = the_one(path)
    assert (answer.body, answer.problem) == (PAGE, "")


@pytest.mark.parametrize("coding", ["gzip", "deflate", "br", "zstd"])
def test_a_body_that_grows_takes_no_memory(tmp_path: Path, coding: str) -> None:
    zeros = bytes(20_000_000)
    packers = {"gzip": gzip.compress, "deflate": zlib.compress, "zstd": zstd.compress}
    body = brotli.compress(zeros, quality=1) if coding == "br" else packers[coding](zeros)
    del zeros
    path = warc(tmp_path / "one.warc.gz", Sent("http://a.example/", body, headers=[("Content-Encoding", coding)]))
    tracemalloc.start()
    answer = the_one(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (answer.body, answer.problem) == (b"", TOO_LONG)
    assert peak < 6_000_000


def test_a_record_that_grows_takes_no_memory(tmp_path: Path) -> None:
    body = bytes(20_000_000)
    path = warc(tmp_path / "one.warc.gz", Sent("http://a.example/", body), ANSWERS[0])
    del body
    tracemalloc.start()
    found = [(answer.url, answer.problem) for answer, _ in ArchiveFile(path, max_bytes=LIMIT).answers()]
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found == [("http://a.example/", TOO_LONG), (ANSWERS[0].url, "")]
    assert peak < 6_000_000


def test_headers_without_end_take_no_memory(tmp_path: Path) -> None:
    path = tmp_path / "one.warc.gz"
    endless = gzip.compress(b"WARC/1.0\r\n" + b"X: y\r\n" * 1_000_000)
    path.write_bytes(endless + b"".join(records(ANSWERS[:1])))
    tracemalloc.start()
    file = ArchiveFile(path, max_bytes=LIMIT)
    found = [answer.url for answer, _ in file.answers()]
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found == [ANSWERS[0].url]
    assert file.damaged == 1
    assert peak < 3_000_000


MANY = 110_000
_BLOCK = b"WARC/1.0\r\nWARC-Type: %s\r\nWARC-Target-URI: http://a.example/\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n"
_CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"


@pytest.mark.parametrize(
    ("kind", "block", "got", "problem"),
    [
        (b"response", _CHUNKED + b"1\r\na\r\n" * MANY, (200, b""), MANY_CHUNKS),
        (b"response", b"HTTP/1.1 404 No\r\n" + b"a:b\r\n" * MANY + b"\r\n<p>text</p>", (404, b""), LONG_HEADERS),
        (b"response", b"a" * 5 * MANY, (0, b""), LONG_HEADERS),
        (b"conversion", b"a\n" * MANY, (200, b"<title>a</title><body>" + b"<p>a</p>" * 100_000 + b"</body>"), ""),
    ],
    ids=["chunks", "headers", "a line", "lines of a text"],
)
def test_an_answer_in_countless_pieces_is_cut(
    tmp_path: Path, kind: bytes, block: bytes, got: tuple[int, bytes], problem: str
) -> None:
    path = tmp_path / "one.warc.gz"
    path.write_bytes(gzip.compress(_BLOCK % (kind, len(block), block) + b"".join(records(ANSWERS[:1], gzip=False))))
    answer, behind = (answer for answer, _ in read(path, limit=2_000_000))
    assert ((answer.status, answer.body), answer.problem) == (got, problem)
    assert behind.url == ANSWERS[0].url


@pytest.mark.parametrize("blank", [b"\r\n", b" \n"])
def test_blank_lines_without_end_are_skipped_at_once(tmp_path: Path, blank: bytes) -> None:
    first, second = (b"".join(records(ANSWERS[n : n + 1], gzip=False)) for n in (0, 1))
    path = tmp_path / "one.warc.gz"
    path.write_bytes(gzip.compress(first + blank * 1_000_000 + second))
    began = time.process_time()
    found = read(path)
    assert [answer.url for answer, _ in found] == [sent.url for sent in ANSWERS[:2]]
    assert time.process_time() - began < 0.5  # .02 s; 2.5 s line by line
    assert [answer.url for answer, _ in read(path, found[0][1])] == [ANSWERS[1].url]


@pytest.mark.parametrize(
    ("coding", "body"),
    [
        ("gzip", gzip.compress(PAGE, mtime=0)[:10] + b"\x07" * 300),
        ("br", b"\xff" * 300),
        ("zstd", zstd.compress(PAGE)[:6] + b"\xff" * 300),
        ("gzip," * 11, gzip.compress(PAGE, mtime=0)),
    ],
)
def test_broken_coding_is_a_reason(tmp_path: Path, coding: str, body: bytes) -> None:
    answer = the_one(
        warc(tmp_path / "one.warc.gz", Sent("http://a.example/", body, headers=[("Content-Encoding", coding)]))
    )
    assert (answer.body, answer.problem) == (b"", BROKEN)


def test_texts_of_common_crawl_are_pages(tmp_path: Path) -> None:
    path = tmp_path / "CC-MAIN-20240220211055-20240221001055-00000.warc.wet.gz"
    path.write_bytes(records([])[0] + conversion("http://棋.example/开局", "国际象棋\n\n  a < b & c  \n"))
    answer = the_one(path)
    assert answer.url == "http://棋.example/开局"
    assert answer.body.decode() == "<title>国际象棋</title><body><p>国际象棋</p><p>a &lt; b &amp; c</p></body>"
    assert answer.content_type == "text/html; charset=utf-8"


def test_other_records_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "one.warc.gz"
    dns = conversion("dns:a.example", "1.2.3.4")
    path.write_bytes(b"".join(records(ANSWERS[:2])) + dns)
    file = ArchiveFile(path, max_bytes=LIMIT)
    assert len(list(file.answers())) == 2
    assert file.records == {"warcinfo": 1, "request": 2, "response": 2, "conversion": 1}
    assert file.not_web == 1


@pytest.mark.parametrize(
    ("data", "found"),
    [
        (b"", "an empty file"),
        (b"<!DOCTYPE html><p>x", "a web page"),
        (b"filedesc://one.arc 0.0.0.0 20060101 text/plain 70\n", "an ARC file; convert it"),
        (b"PK\x03\x04-\0\0\0archive/", "a damaged zip file"),
        (b'{"key": 1}\n', '"{"key": 1}"'),
        (gzip.compress(b"plain text", mtime=0), '"plain text"'),
    ],
)
def test_what_is_no_archive_is_named(tmp_path: Path, data: bytes, found: str) -> None:
    path = tmp_path / "one.warc.gz"
    path.write_bytes(data)
    with pytest.raises(StoreError, match="expected a WARC, WET or WACZ file") as error:
        read(path)
    assert found in str(error.value)


def test_folders_stand_for_their_archives_and_names_tell_what_has_no_pages(tmp_path: Path) -> None:
    names = ["b.warc.gz", "a.warc", "c.warc.wet.gz", "d.warc.wat.gz", "notes.txt"]
    for name in names:
        (tmp_path / name).touch()
    (tmp_path / "empty").mkdir()
    (tmp_path / "run" / "archive").mkdir(parents=True)  # as in a run folder, and in an unpacked WACZ
    (tmp_path / "run" / "archive" / "z.warc.gz").touch()
    assert [path.name for path in archive_files([tmp_path / "run"])] == ["z.warc.gz"]
    assert [path.name for path in archive_files([tmp_path])] == ["a.warc", "b.warc.gz", "c.warc.wet.gz"]
    given = [tmp_path / "d.warc.wat.gz", tmp_path / "wet.paths.gz", tmp_path / "missing.warc", tmp_path / "empty"]
    (tmp_path / "wet.paths.gz").touch()
    with pytest.raises(StoreError) as error:
        archive_files(given)
    lines = str(error.value).splitlines()
    assert [line.partition(": ")[2] for line in lines] == [
        "WAT files hold metadata only; give the WARC or WET file of the same name.",
        "a list of files of Common Crawl; download files it names and give those.",
        "there is no such file.",
        "there is no .warc, .warc.gz, .wet.gz or .wacz file in this folder.",
    ]
