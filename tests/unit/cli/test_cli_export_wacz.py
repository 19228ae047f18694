"""The archive of a run as one file for replay, read back piece by piece."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Callable
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZIP_STORED, ZipFile

import pytest
from conftest import OPENING  # type: ignore[attr-defined]
from warcio.archiveiterator import ArchiveIterator

from focuscrawl.records import PageRecord
from focuscrawl.storage.base import Answer
from focuscrawl.storage.warc import WarcStore

Command = Callable[..., tuple[int, str, str]]


def archived(run: Any, *urls: str) -> None:
    store = WarcStore(run.folder.archive, name="chess", every=True)
    store.open()
    for number, url in enumerate(urls):
        record = PageRecord(number, url, url, "x", 1_790_000_000.0 + number, 200, relevant=True)
        body = "国际象棋".encode() + bytes(number % 2)
        store.archive([Answer(record, url, 200, (("Content-Type", "text/html; charset=utf-8"),), body)])
    store.close()


def test_a_wacz_goes_where_a_url_says(finished: Any, command: Command, tmp_path: Path) -> None:
    fsspec = pytest.importorskip("fsspec", reason="the extra remote is not installed")
    archived(finished, OPENING)
    assert command("export", "chess", "--format", "wacz", "--out", str(tmp_path / "a.wacz"))[0] == 0
    code, out, _ = command("export", "chess", "--format", "wacz", "--to", "memory://b/chess.wacz")
    assert (code, out) == (0, "1 page written to memory://b/chess.wacz\n")
    with (
        ZipFile(tmp_path / "a.wacz") as here,
        ZipFile(BytesIO(fsspec.filesystem("memory").cat("/b/chess.wacz"))) as sent,
    ):
        assert sent.testzip() is None
        assert sent.namelist() == here.namelist()


def test_every_answer_is_found_by_the_index(finished: Any, command: Command, tmp_path: Path) -> None:
    urls = [OPENING, "https://www.a.example/B?q=1", "https://a.example/", OPENING + "/again"]
    archived(finished, *urls)
    target = tmp_path / "chess.wacz"
    code, out, _ = command("export", "chess", "--format", "wacz", "--out", str(target))
    assert (code, out) == (0, f"1 page written to {target}\n")
    with ZipFile(target) as packed:
        assert packed.testzip() is None
        package = json.loads(packed.read("datapackage.json"))
        assert (package["profile"], package["wacz_version"], package["title"]) == ("data-package", "1.1.1", "国际象棋")
        for resource in package["resources"]:
            data = packed.read(resource["path"])
            assert resource["hash"] == f"sha256:{sha256(data).hexdigest()}"
            assert resource["bytes"] == len(data)
            assert re.fullmatch("[-a-z0-9._/]+", resource["name"])  # as Data Package 1 has it
        digest = json.loads(packed.read("datapackage-digest.json"))
        assert digest["hash"] == f"sha256:{sha256(packed.read('datapackage.json')).hexdigest()}"
        lines = gzip.decompress(packed.read("indexes/index.cdx.gz")).decode().splitlines()
        assert lines == sorted(lines)
        found = {}
        for line in lines:
            key, stamp, text = line.split(" ", 2)
            fields = json.loads(text)
            path = f"archive/{fields['filename']}"
            assert packed.getinfo(path).compress_type == ZIP_STORED
            start, length = int(fields["offset"]), int(fields["length"])
            (record,) = ArchiveIterator(BytesIO(packed.read(path)[start : start + length]))
            assert record.rec_headers.get_header("WARC-Target-URI") == fields["url"]
            found[fields["url"]] = (key, stamp, fields["mime"], fields["status"])
        assert found == {
            urls[0]: ("org,example,chess)/openings/italian", "20260921141320", "text/html", "200"),
            urls[1]: ("example,a)/b?q=1", "20260921141321", "text/html", "200"),
            urls[2]: ("example,a)/", "20260921141322", "warc/revisit", "200"),
            urls[3]: ("org,example,chess)/openings/italian/again", "20260921141323", "warc/revisit", "200"),
        }
        pages = [json.loads(line) for line in packed.read("pages/pages.jsonl").decode().splitlines()]
    assert pages[0] == {"format": "json-pages-1.0", "id": "pages", "title": "国际象棋"}
    assert pages[1]["url"] == OPENING
    assert pages[1]["title"] == "意大利开局"
    assert len(pages) == 2


def test_results_whose_answers_are_not_archived_are_counted_and_not_listed(
    finished: Any, command: Command, tmp_path: Path
) -> None:
    archived(finished, OPENING.replace("https://", "http://WWW."))  # the same key in the index
    target = tmp_path / "chess.wacz"
    code, out, err = command("export", "chess", "--format", "wacz", "--out", str(target))
    assert (code, out) == (0, f"1 page written to {target}\n")
    assert err == "1 more result is not listed: its answer is not in the archive\n"
    with ZipFile(target) as packed:
        pages = [json.loads(line) for line in packed.read("pages/pages.jsonl").decode().splitlines()]
    assert [page.get("url") for page in pages] == [None, OPENING]
    code, out, _ = command("export", "chess", "--format", "wacz", "--out", str(target), "--json")
    assert json.loads(out) == {"file": str(target), "format": "wacz", "pages": 1, "not_archived": 1}


def test_without_an_archive_or_a_file_there_is_a_sentence(finished: Any, command: Command, tmp_path: Path) -> None:
    code, _, err = command("export", "chess", "--format", "wacz", "--out", str(tmp_path / "x.wacz"))
    assert code == 1
    assert "there is no archive to pack" in err
    assert not list(tmp_path.glob("*.wacz*"))
    finished.folder.archive.mkdir(exist_ok=True)
    (finished.folder.archive / "chess-00001.warc.gz.open").touch()
    code, _, err = command("export", "chess", "--format", "wacz", "--out", str(tmp_path / "x.wacz"))
    assert code == 1
    assert "the archive is not closed yet; pack it when the crawl has ended." in err
    code, _, err = command("export", "chess", "--format", "wacz")
    assert code == 2
    assert "expected a file to write" in err
