"""WARC files: what another program reads in them, and what a killed process leaves."""

from __future__ import annotations

import dataclasses
import gzip
import resource
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from warcio.archiveiterator import ArchiveIterator

from focuscrawl.errors import StoreError
from focuscrawl.records import PageRecord
from focuscrawl.row_reasons import NO_INDEX
from focuscrawl.storage.base import Answer
from focuscrawl.storage.fanout import FanOutStore
from focuscrawl.storage.run import RunFolder
from focuscrawl.storage.warc import WarcStore, _whole_bytes, warc_store

NOW = datetime(2026, 11, 22, 2, 0, tzinfo=UTC)
HEADERS = (
    ("Content-Type", "text/html; charset=utf-8"),
    ("Content-Encoding", "gzip"),
    ("Transfer-Encoding", "chunked"),
    ("Content-Length", "7"),
    ("X-Odd", "a\r\nWARC-Type: evil"),
)


def answer(n: int, *, body: bytes = "国际象棋".encode(), status: int = 200, **changes: Any) -> Answer:
    url = f"https://example.org/{n}"
    record = PageRecord(n, url, url, "example.org", 1_790_000_000.25, status, relevance=0.75, relevant=True, depth=2)
    return Answer(dataclasses.replace(record, **changes), url, status, HEADERS, body)


def make(folder: Path, **options: Any) -> WarcStore:
    store = WarcStore(folder, name="chess-one", now=lambda: NOW, **options)
    store.open()
    return store


def records(path: Path) -> list[tuple[str, str | None, bytes]]:
    with path.open("rb") as file:
        return [
            (one.rec_type, one.rec_headers.get_header("WARC-Target-URI"), one.content_stream().read())
            for one in ArchiveIterator(file, check_digests="raise")
        ]


def die(store: WarcStore) -> None:
    """End a store as a kill does: the system closes its file, and nothing else happens."""
    assert store._file is not None
    store._file.close()


def test_another_reader_finds_what_was_sent_and_what_was_made_of_it(tmp_path: Path) -> None:
    store = make(tmp_path / "archive")
    assert store.archive([answer(1, parent=2**64 - 1)]) == 1
    store.flush()
    store.close()
    (path,) = (tmp_path / "archive").iterdir()
    assert path.name == "chess-one-20261122T020000Z-00001.warc.gz"
    with path.open("rb") as file:
        info, response, metadata = (
            (one.rec_type, one.rec_headers, one.http_headers, one.content_stream().read())
            for one in ArchiveIterator(file, check_digests="raise")
        )
    assert info[0] == "warcinfo"
    assert b"software: focuscrawl/" in info[3]
    assert response[1].get_header("WARC-Target-URI") == "https://example.org/1"
    assert response[1].get_header("WARC-Date") == "2026-09-21T14:13:20.250000Z"
    assert response[2].statusline == "200 OK"
    assert response[2].headers == [
        ("Content-Type", "text/html; charset=utf-8"),
        ("X-Odd", "a WARC-Type: evil"),
        ("Content-Length", "12"),
    ]
    assert response[3] == "国际象棋".encode()
    assert metadata[1].get_header("WARC-Concurrent-To") == response[1].get_header("WARC-Record-ID")
    assert metadata[3].decode().splitlines() == [
        "hopsFromSeed: 2",
        "focuscrawl-key: 0000000000000001",
        "focuscrawl-parent: ffffffffffffffff",
        "focuscrawl-relevance: 0.75",
        "focuscrawl-threshold: 0.0",
        "focuscrawl-relevant: true",
    ]


def test_results_only_unless_all_are_asked_for(tmp_path: Path) -> None:
    some = [
        answer(1),
        answer(2, relevant=False),
        answer(3, duplicate_of=1),
        answer(4, withheld=NO_INDEX),
    ]
    results, every = make(tmp_path / "a"), make(tmp_path / "b", every=True)
    assert (results.archive(some), every.archive(some)) == (1, 3)
    results.close()
    every.close()


def test_no_page_no_file(tmp_path: Path) -> None:
    make(tmp_path).close()
    assert not list(tmp_path.iterdir())


def test_files_are_bounded_and_never_collide(tmp_path: Path) -> None:
    for _ in range(2):  # the same worker, twice in one second
        store = make(tmp_path, max_bytes=3000)
        store.archive([answer(n, body=bytes((n * i * i) % 251 for i in range(1500))) for n in range(1, 7)])
        store.close()
    files = sorted(tmp_path.iterdir())
    assert len(files) == 4
    assert all(file.name.endswith(".warc.gz") for file in files)
    assert all(file.stat().st_size <= 3000 + 3000 for file in files)
    assert sum(kind == "response" for file in files for kind, _, _ in records(file)) == 12
    assert all(records(file)[0][0] == "warcinfo" for file in files)


@pytest.mark.parametrize("lost", [1, 8, 300])
def test_a_torn_page_is_cut_off_when_the_run_goes_on(tmp_path: Path, lost: int) -> None:
    store = make(tmp_path)
    store.archive([answer(1), answer(2)])
    (path,) = tmp_path.iterdir()
    assert path.name.endswith(".warc.gz.open")
    whole = path.read_bytes()
    die(store)
    path.write_bytes(whole[:-lost])
    make(tmp_path)
    (path,) = tmp_path.iterdir()
    assert path.name.endswith(".warc.gz")
    assert whole.startswith(path.read_bytes())
    assert next(url for kind, url, _ in records(path) if kind == "response") == "https://example.org/1"


def test_a_file_without_a_whole_record_is_taken_away(tmp_path: Path) -> None:
    (tmp_path / "chess-one-20261122T010000Z-00001.warc.gz.open").write_bytes(b"\x1f\x8b\x08torn")
    other = tmp_path / "chess-two-20261122T010000Z-00001.warc.gz.open"
    other.write_bytes(b"another worker writes this")
    make(tmp_path)
    assert list(tmp_path.iterdir()) == [other]


@settings(deadline=None, max_examples=40)
@given(st.lists(st.binary(max_size=200), max_size=4), st.binary(max_size=30))
def test_whole_members_are_told_from_a_torn_one(members: list[bytes], tail: bytes) -> None:
    import tempfile

    whole = b"".join(gzip.compress(one) for one in members)
    torn = gzip.compress(tail)[:-1]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x"
        path.write_bytes(whole + torn)
        assert _whole_bytes(path) == len(whole)


def test_a_long_member_is_measured_too(tmp_path: Path) -> None:
    whole = gzip.compress(bytes(5_000_000)) + gzip.compress(b"b")
    (tmp_path / "x").write_bytes(whole + b"\x1f\x8b")
    assert _whole_bytes(tmp_path / "x") == len(whole)


def test_a_full_disk_leaves_whole_pages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = make(tmp_path)
    store.archive([answer(1)])
    real = store._file

    class Full:
        def write(self, data: Any) -> int:
            if len(data) > 100:
                assert real is not None
                return real.write(data[:100])
            raise OSError(28, "No space left on device")

        def __getattr__(self, name: str) -> Any:
            return getattr(real, name)

    monkeypatch.setattr(store, "_file", Full())
    with pytest.raises(StoreError, match="cannot be written: no space left on device"):
        store.archive([answer(2, body=b"lost")])
    monkeypatch.setattr(store, "_file", real)
    store.archive([answer(3, body=b"lost")])  # no further visit to what is not there
    store.close()
    (path,) = tmp_path.iterdir()
    assert [url for kind, url, _ in records(path) if kind == "response"] == [
        "https://example.org/1",
        "https://example.org/3",
    ]


def test_a_disk_too_full_for_the_head_of_a_file_leaves_none(tmp_path: Path) -> None:
    store = make(tmp_path)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10, limits[1]))
    try:
        with pytest.raises(StoreError, match="cannot be written"):
            store.archive([answer(1)])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert list(tmp_path.iterdir()) == []
    store.archive([answer(2)])
    store.close()
    (path,) = tmp_path.iterdir()
    assert [kind for kind, _, _ in records(path)] == ["warcinfo", "response", "metadata"]


def test_a_file_that_cannot_get_its_final_name_is_a_sentence_and_gets_it_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Path) -> Path:
        raise PermissionError(13, "Permission denied")

    store = make(tmp_path)
    store.archive([answer(1)])
    with monkeypatch.context() as patch:
        patch.setattr(Path, "rename", fail)
        with pytest.raises(
            StoreError, match=r"\.warc\.gz\.open: cannot be given its final name: permission denied; resuming the run"
        ):
            store.close()
    store.close()
    (left,) = tmp_path.iterdir()
    make(tmp_path).close()
    (path,) = tmp_path.iterdir()
    assert left.name == f"{path.name}.open"
    assert [kind for kind, *_ in records(path)] == ["warcinfo", "response", "metadata"]


def test_a_folder_that_cannot_be_made_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "archive").write_text("a file")
    with pytest.raises(StoreError, match="archive: cannot be written"):
        FanOutStore({"warc": warc_store(RunFolder(tmp_path))}).open()


def test_two_folders_have_two_names_and_a_folder_keeps_its(tmp_path: Path) -> None:
    one, two = RunFolder(tmp_path / "one"), RunFolder(tmp_path / "two")
    assert one.worker_name != two.worker_name
    assert one.worker_name == RunFolder(tmp_path / "x" / ".." / "one").worker_name
    assert warc_store(one, topic="chess").name == f"chess-{one.worker_name}"
    one.path.mkdir()
    (one.path / "pages-before.jsonl").touch()
    assert one.as_worker().pages_jsonl.name == "pages-before.jsonl"  # the machine has another name now
    assert two.as_worker().pages_jsonl.name == f"pages-{two.worker_name}.jsonl"
    assert RunFolder.open_or_create(one.path).path == one.path


def test_the_store_is_one_that_archives(tmp_path: Path) -> None:
    store = make(tmp_path)
    stores = FanOutStore({"warc": store})
    stores.open()
    assert stores.archives(answer(1).record)
    assert not stores.archives(answer(2, relevant=False).record)
    stores.archive([answer(1)])
    stores.close()
    assert len(list(tmp_path.iterdir())) == 1


def all_of(path: Path) -> list[Any]:
    with path.open("rb") as file:
        return [
            (one.rec_type, one.rec_headers, one.http_headers, one.content_stream().read())
            for one in ArchiveIterator(file, check_digests="raise")
        ]


def test_the_head_says_who_crawls_what_and_how(tmp_path: Path) -> None:
    store = make(tmp_path, info={"operator": "棋 <x@example.org>", "robots": "obey", "http-header-user-agent": ""})
    store.archive([answer(1)])
    store.close()
    (path,) = tmp_path.glob("*.warc.gz")
    kind, _, _, body = all_of(path)[0]
    assert kind == "warcinfo"
    lines = body.decode().splitlines()
    assert lines[1:] == ["format: WARC File Format 1.1", "operator: 棋 <x@example.org>", "robots: obey"]


def test_a_body_that_comes_again_is_a_revisit(tmp_path: Path) -> None:
    store = make(tmp_path, every=True)
    assert (
        store.archive([answer(1), answer(2), answer(3, body=b"other"), answer(4, body=b""), answer(5, body=b"")]) == 5
    )
    store.close()
    (path,) = tmp_path.glob("*.warc.gz")
    found = [one for one in all_of(path) if one[0] in ("response", "revisit")]
    assert [kind for kind, *_ in found] == ["response", "revisit", "response", "response", "response"]
    _, headers, http, body = found[1]
    assert headers.get_header("WARC-Refers-To-Target-URI") == "https://example.org/1"
    assert headers.get_header("WARC-Refers-To-Date") == "2026-09-21T14:13:20.250000Z"
    assert headers.get_header("WARC-Profile").endswith("/revisit/identical-payload-digest")
    assert headers.get_header("WARC-Payload-Digest") == found[0][1].get_header("WARC-Payload-Digest")
    assert (http.get_statuscode(), body) == ("200", b"")


def test_requests_are_archived_when_asked_for_without_secrets(tmp_path: Path) -> None:
    sent = (("User-Agent", "focuscrawl"), ("Cookie", "id=1"), ("Authorization", "Basic eDp5"), ("X", "a\r\nb"))
    asked = dataclasses.replace(answer(1), url="https://me:pw@example.org/1?q=a", request=sent)
    for name, requests in (("with", True), ("without", False)):
        store = make(tmp_path / name, requests=requests)
        store.archive([asked])
        store.close()
    (path,) = (tmp_path / "with").glob("*.warc.gz")
    records = {kind: (headers, http) for kind, headers, http, _ in all_of(path)}
    headers, http = records["request"]
    assert http.statusline == "/1?q=a HTTP/1.1"
    assert http.protocol == "GET"
    assert http.headers == [("Host", "example.org"), ("User-Agent", "focuscrawl"), ("X", "a b")]
    assert headers.get_header("WARC-Concurrent-To") == records["response"][0].get_header("WARC-Record-ID")
    (path,) = (tmp_path / "without").glob("*.warc.gz")
    assert "request" not in {kind for kind, *_ in all_of(path)}


def test_redirects_stand_before_their_page_and_are_none_by_themselves(tmp_path: Path) -> None:
    headers = (("Location", "/1"), ("Content-Length", "154"), ("Content-Encoding", "gzip"))
    moved = Answer(answer(1).record, "https://example.org/old", 301, headers, b"")
    store = make(tmp_path)
    assert store.archive([dataclasses.replace(answer(1), redirects=(moved,)), answer(2)]) == 2
    store.close()
    (path,) = tmp_path.glob("*.warc.gz")
    assert [(kind, url) for kind, url, _ in records(path)] == [
        ("warcinfo", None),
        ("response", "https://example.org/old"),
        ("response", "https://example.org/1"),
        ("metadata", "https://example.org/1"),
        ("revisit", "https://example.org/2"),
        ("metadata", "https://example.org/2"),
    ]
    redirect = all_of(path)[1][2]
    assert redirect.statusline == "301 Moved Permanently"
    assert redirect.headers == [("Location", "/1"), ("Content-Length", "0")]
