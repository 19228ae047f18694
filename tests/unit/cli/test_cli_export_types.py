"""Exports as other programs read them: the same columns, the same types, whatever stands in the first rows."""

from __future__ import annotations

import errno
import io
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import START, page  # type: ignore[attr-defined]

from focuscrawl.cli.export import chosen_columns
from focuscrawl.records import PageRecord
from focuscrawl.storage.crawldb import CrawlDb
from focuscrawl.storage.page_rows import PAGES as PAGES_TABLE

Command = Callable[..., tuple[int, str, str]]
FORMATS = ("jsonl", "csv", "parquet")
PAGES = 260  # readers guess by the first hundred rows


def _pages(late: dict[str, Any]) -> Iterator[PageRecord]:
    for n in range(PAGES):
        yield page(
            f"https://many.example/{n}", 10 + n, relevant=True, text="x", relevance=0.5, own_terms=0, keywords=("x",)
        )
    yield page("https://many.example/late", 900, relevant=True, text="y", relevance=0.75, **late)


@pytest.fixture
def exported(finished: Any, command: Command, tmp_path: Path) -> dict[str, Path]:
    """Return the files of a run whose first rows lack what the last one has."""
    late = {
        "author": "棋手",
        "published": "2026-01-02",
        "category": "棋",
        "keywords": ("棋",),
        "records": (
            {"text": "a", "author": None, "published": "2026"},
            {"text": "b", "author": "x", "published": None},
        ),
        "evidence": {"棋": {"title": 1, "text": 3}},
        "own_terms": 2,
        "licence": "https://cc.example/",
    }
    with CrawlDb.open(finished.folder.db) as db, db.transaction() as connection:
        connection.executemany(PAGES_TABLE.insert, map(PAGES_TABLE.to_row, _pages(late)))
    files = {}
    for format_ in FORMATS:
        if format_ == "parquet":
            pytest.importorskip("pyarrow", reason="the extra parquet is not installed")
        files[format_] = tmp_path / f"pages.{format_}"
        given = ("export", "chess", "--format", format_, "--fields", "all", "--out", str(files[format_]))
        assert command(*given)[0] == 0
    return files


def test_pandas_reads_the_same(exported: dict[str, Path]) -> None:
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    frames = {
        "jsonl": pandas.read_json(exported["jsonl"], lines=True, dtype=False),
        "csv": pandas.read_csv(exported["csv"], dtype={"key": str}, keep_default_na=False),
        "parquet": pandas.read_parquet(exported["parquet"]),
    }
    for name in ("jsonl", "csv"):
        frames[name]["fetched_at"] = pandas.to_datetime(frames[name]["fetched_at"])
    assert len({tuple(frame.columns) for frame in frames.values()}) == 1
    for frame in frames.values():
        last = frame.iloc[-1]
        assert len(frame) == PAGES + 3
        assert str(frame["fetched_at"].dt.tz) == "UTC"
        assert last["fetched_at"].timestamp() == START + 900
        assert (last["author"], last["relevance"], bool(last["relevant"])) == ("棋手", 0.75, True)
        assert frame.iloc[0]["author"] == ""


def test_polars_reads_the_same(exported: dict[str, Path]) -> None:
    polars = pytest.importorskip("polars", reason="polars is not installed")
    lines, parquet = polars.read_ndjson(exported["jsonl"]), polars.read_parquet(exported["parquet"])
    table = polars.read_csv(exported["csv"], try_parse_dates=True)
    assert parquet.columns == table.columns
    lines = lines.select(parquet.columns)  # it has them in an order of its own
    assert parquet.schema["fetched_at"] == polars.Datetime("ms", "UTC")
    times = [name for name, kind in parquet.schema.items() if kind == parquet.schema["fetched_at"]]
    lines = lines.with_columns(polars.col(times).str.to_datetime(time_unit="ms", time_zone="UTC"))
    assert lines.schema == parquet.schema
    assert lines.equals(parquet)
    assert table.schema["fetched_at"].time_zone == "UTC"
    assert json.loads(parquet["records"][-1]) == [
        {"text": "a", "author": None, "published": "2026"},
        {"text": "b", "author": "x", "published": None},
    ]
    assert json.loads(table["evidence"][-1]) == {"棋": {"title": 1, "text": 3}}
    assert parquet["keywords"].to_list()[-1] == ["棋"]


def test_duckdb_reads_the_same(exported: dict[str, Path]) -> None:
    duckdb = pytest.importorskip("duckdb", reason="duckdb is not installed")
    query = "SELECT url, author, relevance, relevant, own_terms, epoch(fetched_at::TIMESTAMPTZ) FROM '{}' ORDER BY ALL"
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        rows = {}
        for format_, file in exported.items():
            rows[format_] = [
                (url, author or "", *others)
                for url, author, *others in connection.execute(query.format(file)).fetchall()
            ]
        assert rows["jsonl"] == rows["parquet"] == rows["csv"]
        types = {
            format_: dict(connection.execute(f"SELECT column_name, column_type FROM (DESCRIBE '{file}')").fetchall())
            for format_, file in exported.items()
        }
        for format_ in ("jsonl", "parquet"):
            assert types[format_]["keywords"] == "VARCHAR[]"
            assert types[format_]["relevance"] == "DOUBLE"
            assert types[format_]["relevant"] == "BOOLEAN"


def test_datasets_reads_the_same(exported: dict[str, Path], tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets", reason="datasets is not installed")
    found = {
        name: datasets.load_dataset(kind, data_files=str(exported[name]), split="train", cache_dir=str(tmp_path / name))
        for name, kind in (("jsonl", "json"), ("parquet", "parquet"), ("csv", "csv"))
    }
    assert found["jsonl"].column_names == found["parquet"].column_names == found["csv"].column_names
    for one in found.values():
        assert len(one) == PAGES + 3
        assert one[-1]["author"] == "棋手"
    assert found["jsonl"][-1]["records"] == found["parquet"][-1]["records"]
    assert found["jsonl"][-1]["evidence"] == found["parquet"][-1]["evidence"]


@pytest.mark.parametrize(("length", "groups"), [(10, 1), (70_000, 2)])
def test_groups_of_rows_in_parquet_go_by_their_size(length: int, groups: int) -> None:
    # The writer remembers something of each group: in groups of 1,000 short rows, memory grew with the run.
    pytest.importorskip("pyarrow", reason="the extra parquet is not installed")
    from pyarrow import parquet

    from focuscrawl.cli.export_parquet import write_parquet

    file, text = io.BytesIO(), "x" * length
    rows = ({"url": f"https://a.example/{number}", "text": text} for number in range(2_000))
    assert write_parquet(rows, chosen_columns("url,text"), file) == 2_000
    metadata = parquet.ParquetFile(file).metadata
    assert (metadata.num_rows, metadata.num_row_groups) == (2_000, groups)


def test_a_parquet_file_that_exists_is_replaced_and_a_folder_is_not(
    finished: Any, command: Command, tmp_path: Path
) -> None:
    pytest.importorskip("pyarrow", reason="the extra parquet is not installed")
    target = tmp_path / "pages.parquet"
    target.write_bytes(b"of an earlier export, and longer than the new one " * 10_000)
    assert command("export", "chess", "--format", "parquet", "--out", str(target))[0] == 0
    assert (target.read_bytes()[:4], target.read_bytes()[-4:]) == (b"PAR1", b"PAR1")
    folder = tmp_path / "folder.parquet"
    folder.mkdir()
    code, _, err = command("export", "chess", "--format", "parquet", "--out", str(folder))
    assert (code, err) == (1, f"{folder}: cannot be written: is a directory.\n")
    assert sorted(path.name for path in tmp_path.glob("*parquet*")) == [folder.name, target.name]


def test_a_parquet_file_that_exists_outlives_an_export_that_fails(
    finished: Any, command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="the extra parquet is not installed")

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(parquet.ParquetWriter, "write_table", full)
    target = tmp_path / "pages.parquet"
    target.write_bytes(b"old")
    code, _, err = command("export", "chess", "--format", "parquet", "--out", str(target))
    assert (code, err) == (1, f"{target}: cannot be written: no space left on device.\n")
    assert target.read_bytes() == b"old"
    assert [path.name for path in tmp_path.glob("*parquet*")] == [target.name]
