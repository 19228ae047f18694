"""``focuscrawl export --to``: results into an index, files elsewhere, and what is said of wrong targets."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from search_kit import search_server

Command = Callable[..., tuple[int, str, str]]


def test_results_go_into_an_index_once(finished: Any, command: Command) -> None:
    pytest.importorskip("opensearchpy", reason="the extra opensearch is not installed")
    with search_server() as server:
        shown = server.url.replace("opensearch", "http")
        told = f"2 pages sent to {shown}; those that were there already are left out"
        assert command("export", "chess", "--to", server.url) == (0, told + "\n", "")
        assert sorted(one["title"] for one in server.documents.values()) == ["=SUM(1)", "意大利开局"]
        nothing = {"to": shown, "pages": 0, "taken_out": 0}
        assert json.loads(command("export", "chess", "--to", server.url, "--json")[1]) == nothing
        assert command("export", "chess", "--to", server.url, "--all")[1].startswith("4 pages sent")
        assert json.loads(command("export", "chess", "--to", server.url, "--json")[1]) == nothing  # sent as no results
        judged_off = next(one for one in server.documents.values() if not one["relevant"] and one["status"] == 200)
        judged_off["relevant"] = True  # as it was sent before examples were given
        taken_out = "1 page that is no result any more was taken out"
        assert command("export", "chess", "--to", server.url)[1].splitlines()[1:] == [taken_out]
        assert judged_off not in server.documents.values()


def test_files_go_where_a_url_says(finished: Any, command: Command) -> None:
    fsspec = pytest.importorskip("fsspec", reason="the extra remote is not installed")
    code, here, _ = command("export", "chess")
    assert code == 0
    assert command("export", "chess", "--to", "memory://b/pages.jsonl") == (
        0,
        "2 pages written to memory://b/pages.jsonl\n",
        "",
    )
    assert fsspec.filesystem("memory").cat("/b/pages.jsonl").decode() == here
    code, out, _ = command("export", "chess", "--format", "gexf", "--all", "--to", "memory://b/links.gexf")
    assert (code, "written to memory://b/links.gexf" in out) == (0, True)


def test_web_archives_go_where_a_url_says(finished: Any, command: Command) -> None:
    fsspec = pytest.importorskip("fsspec", reason="the extra remote is not installed")
    code, _, err = command("export", "chess", "--format", "warc", "--to", "memory://b/warc")
    assert (code, "no web archive there" in err) == (1, True)
    archive = Path(finished.folder.path) / "archive"
    archive.mkdir()
    (archive / "chess-1.warc.gz").write_bytes(b"one")
    (archive / "chess-2.warc.gz.open").write_bytes(b"not finished")
    assert command("export", "chess", "--format", "warc", "--to", "memory://b/warc")[1].startswith("1 file sent")
    assert fsspec.filesystem("memory").cat("/b/warc/chess-1.warc.gz") == b"one"
    assert (
        json.loads(command("export", "chess", "--format", "warc", "--to", "memory://b/warc", "--json")[1])["there"] == 1
    )


def test_web_archives_go_into_a_folder_that_is_new(finished: Any, command: Command, tmp_path: Path) -> None:
    pytest.importorskip("fsspec", reason="the extra remote is not installed")
    archive = Path(finished.folder.path) / "archive"
    archive.mkdir()
    (archive / "chess-1.warc.gz").write_bytes(b"one")
    target = tmp_path / "copies" / "warc"
    code, out, err = command("export", "chess", "--format", "warc", "--to", target.as_uri())
    assert (code, err) == (0, "")
    assert out.startswith("1 file sent")
    assert (target / "chess-1.warc.gz").read_bytes() == b"one"


def test_a_folder_that_is_not_there_is_told_in_words(finished: Any, command: Command, tmp_path: Path) -> None:
    pytest.importorskip("fsspec", reason="the extra remote is not installed")
    url = (tmp_path / "gone" / "pages.jsonl").as_uri()
    told = f"--to {url}: cannot be written: no such file or directory.\n"
    assert command("export", "chess", "--to", url) == (1, "", told)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--to", "memory://b/a", "--out", "a"], "--to and --out exclude each other"),
        (["--to", "s3:"], "--to s3:: not a URL; expected one as s3://bucket/"),
        (["--to", "memory://b/"], "expected the address of a file, as memory://b/pages.parquet"),
        (["--format", "warc"], "name with --to URL where to send them"),
        (["--to", "opensearch://host/a", "--format", "csv"], "an index takes whole pages"),
        (["--to", "opensearch://me:s3cret@host/a"], "takes no user and no password"),
        (["--to", "opensearch://host"], "expected opensearch+https://host:9200/index"),
    ],
)
def test_a_wrong_target_is_one_sentence(finished: Any, command: Command, options: list[str], sentence: str) -> None:
    code, out, err = command("export", "chess", *options)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert sentence in err
    assert "s3cret" not in err
