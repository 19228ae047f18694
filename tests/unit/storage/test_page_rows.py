"""A field of `PageRecord` is declared in one place: tables, lines, items and docs follow from it."""

from __future__ import annotations

import csv
import dataclasses
import io
import json
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import psycopg
import pytest
from itemadapter import ItemAdapter
from postgres_kit import PostgresServer

from focuscrawl.cli.export import csv_heading, csv_row
from focuscrawl.crawler.items import PageItem, item_class, page_item
from focuscrawl.records import Column, PageRecord
from focuscrawl.row_reasons import NO_INDEX, SAME_EVERYWHERE, judged_again_reason, not_stored_reason
from focuscrawl.storage import postgres_schema
from focuscrawl.storage.columns import columns_of
from focuscrawl.storage.crawldb import CrawlDb
from focuscrawl.storage.jsonl import json_line
from focuscrawl.storage.page_rows import PAGES, RecordTable
from focuscrawl.storage.postgres_url import parse_place
from focuscrawl.storage.sqlite_file import add_missing_columns, show_missing_columns

DOCS = Path(__file__).parents[3] / "docs" / "run-folder.md"


@dataclass(frozen=True, slots=True)
class Wider(PageRecord):
    """A record with a new field of each kind."""

    stars: Annotated[int, Column("an integer")] = 3
    price: Annotated[float | None, Column("a number or nothing")] = None
    updated_at: Annotated[float, Column("a time", kind="time")] = 0.0
    twin: Annotated[int | None, Column("a key", kind="key")] = None
    paid: Annotated[bool, Column("a yes or no")] = False
    note: Annotated[str, Column("a text", long=True)] = "it's new"
    places: Annotated[tuple[str, ...], Column("a list")] = ("here",)
    secret: Annotated[str, Column("a text that stays in the database", exported=False)] = ""


WIDER = RecordTable(Wider)
NEW = ("stars", "price", "updated_at", "twin", "paid", "note", "places", "secret")
BASE = PageRecord(2**64 - 1, "http://a.example/", "http://a.example/", "a.example", 5.5, 200, keywords=("棋",))
RECORD = Wider(
    **{field.name: getattr(BASE, field.name) for field in dataclasses.fields(BASE)},
    stars=5,
    price=1.5,
    updated_at=1_790_000_000.0,
    twin=2**64 - 2,
    paid=True,
    note="文",
    places=("Paris", "Rome"),
    secret="x",
)


def test_a_new_field_is_a_column_of_sqlite() -> None:
    db = sqlite3.connect(":memory:")
    db.execute(WIDER.sqlite_table())
    db.execute(WIDER.insert, WIDER.to_row(RECORD))
    assert WIDER.to_record(db.execute(WIDER.select).fetchone()) == RECORD
    brief = WIDER.to_record(db.execute(WIDER.select_brief).fetchone())
    assert brief == dataclasses.replace(RECORD, note="it's new")
    assert db.execute("SELECT twin, paid, price FROM pages").fetchone() == (-2, 1, 1.5)


def test_rows_of_an_earlier_version_have_the_default_of_a_new_field() -> None:
    db = sqlite3.connect(":memory:")
    db.execute(PAGES.sqlite_table())
    db.execute(PAGES.insert, PAGES.to_row(BASE))
    old = Wider(**{field.name: getattr(BASE, field.name) for field in dataclasses.fields(BASE)})
    show_missing_columns(db, WIDER)
    assert WIDER.to_record(db.execute(WIDER.select).fetchone()) == old
    db.execute("DROP VIEW temp.pages")
    add_missing_columns(db, WIDER)
    assert WIDER.to_record(db.execute(WIDER.select).fetchone()) == old


def test_a_new_field_is_a_column_of_postgres(postgres_server: PostgresServer) -> None:
    url = postgres_server.database()
    place = parse_place(url)
    with psycopg.connect(url, autocommit=True) as db:
        postgres_schema.prepare(db, place)
        values = postgres_schema.upsert_values("chess", "w", [BASE])
        db.execute(postgres_schema.upsert().encode(), values)
        postgres_schema.prepare(db, place, WIDER)  # a crawl of the next version over tables of this one
        values = postgres_schema.upsert_values("go", "w", [RECORD], WIDER)
        db.execute(postgres_schema.upsert(WIDER).encode(), values)
        names = ", ".join(NEW)
        found = dict(db.execute(f"SELECT crawl, row({names})::text FROM focuscrawl.pages".encode()).fetchall())
        kinds = dict(
            db.execute(
                "SELECT column_name, data_type FROM information_schema.columns WHERE table_name = 'pages'"
            ).fetchall()
        )
    assert found["chess"] == """(3,,0,,f,"it's new","[""here""]","")"""
    assert found["go"] == """(5,1.5,1790000000,-2,t,文,"[""Paris"", ""Rome""]",x)"""
    assert [kinds[name] for name in NEW] == [
        "bigint", "double precision", "double precision", "bigint", "boolean", "text", "jsonb", "text",
    ]  # fmt: skip


def test_a_new_field_is_in_json_csv_and_items() -> None:
    line = json.loads(json_line(WIDER.fields(RECORD)))
    new: dict[str, Any] = {
        "stars": 5, "price": 1.5, "updated_at": 1_790_000_000.0, "twin": "fffffffffffffffe", "paid": True, "note": "文",
        "places": ["Paris", "Rome"],
    }  # fmt: skip
    assert line == {**PAGES.fields(BASE), **new}
    text = (csv_heading(table=WIDER) + csv_row(RECORD, table=WIDER)).decode()
    (row,) = csv.DictReader(io.StringIO(text, newline=""))
    assert {name: row[name] for name in new} == {
        "stars": "5", "price": "1.5", "updated_at": "2026-09-21T14:13:20.000+00:00", "twin": "fffffffffffffffe",
        "paid": "true", "note": "文", "places": "Paris; Rome",
    }  # fmt: skip
    item = item_class("WiderItem", WIDER)(**WIDER.fields(RECORD))
    assert ItemAdapter(item).asdict() == line
    assert ItemAdapter(item).get_field_meta("places")["description"] == "a list"


def test_lines_and_items_begin_with_what_identifies_them_and_keep_the_order_of_the_record() -> None:
    exported = [column.name for column in PAGES.columns if column.about.exported]
    first = ["key", "fetched_at"]
    assert list(PAGES.fields(BASE)) == first + [name for name in exported if name not in first]
    assert [field.name for field in dataclasses.fields(PageItem)] == list(PAGES.fields(BASE))
    assert page_item(BASE).keywords == ["棋"]
    assert set(PAGES.names) - set(exported) == {"parts", "judged", "set_aside"}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file that was written before there were summaries and authors."""
    path = tmp_path / "crawl.db"
    with CrawlDb.open(path) as db:
        db.connection.execute(PAGES.insert, PAGES.to_row(dataclasses.replace(BASE, author="甲", summary="kept")))
        db.connection.execute("ALTER TABLE pages DROP COLUMN author")
        db.connection.execute("ALTER TABLE pages DROP COLUMN summary")
    return path


def columns(path: Path) -> Iterator[str]:
    with closing(sqlite3.connect(path)) as db, db:
        yield from (row[1] for row in db.execute("PRAGMA table_info(pages)"))


def test_a_run_folder_of_an_earlier_version_is_read_as_it_is_and_converted_when_it_goes_on(path: Path) -> None:
    with CrawlDb.open_readonly(path) as db:
        assert list(db.pages()) == [BASE]
        assert db.page(BASE.key) == BASE
    assert "summary" not in columns(path)
    with CrawlDb.open(path) as db:
        assert list(db.pages()) == [BASE]
    assert {"author", "summary"} <= set(columns(path))


def test_feeds_of_an_earlier_version_are_told_by_the_reason_of_their_rows(tmp_path: Path) -> None:
    path = tmp_path / "crawl.db"
    feeds = {1: "a feed of 3 entries", 2: "a feed: no entry with a link", 3: "HTTP status 404", 4: ""}
    with CrawlDb.open(path) as db:
        for key, reason in feeds.items():
            db.connection.execute(PAGES.insert, PAGES.to_row(dataclasses.replace(BASE, key=key, reason=reason)))
        db.connection.execute("ALTER TABLE pages DROP COLUMN feed")
    for opened in (CrawlDb.open_readonly, CrawlDb.open, CrawlDb.open_readonly):
        with opened(path) as db:
            assert [page.key for page in db.pages() if page.feed] == [1, 2]


def test_what_earlier_versions_said_in_the_reason_of_a_row_has_columns(tmp_path: Path) -> None:
    path = tmp_path / "crawl.db"
    withheld = not_stored_reason(NO_INDEX)
    rows = {
        withheld: (NO_INDEX, False),
        not_stored_reason(SAME_EVERYWHERE): (SAME_EVERYWHERE, False),
        judged_again_reason(withheld, 0.7): (NO_INDEX, True),
        judged_again_reason("", 0.7): ("", True),
        "HTTP status 404": ("", False),
        "": ("", False),
    }
    with CrawlDb.open(path) as db:
        for key, reason in enumerate(rows):
            db.connection.execute(PAGES.insert, PAGES.to_row(dataclasses.replace(BASE, key=key, reason=reason)))
        db.connection.execute("ALTER TABLE pages DROP COLUMN withheld")
        db.connection.execute("ALTER TABLE pages DROP COLUMN judged_again")
    for opened in (CrawlDb.open_readonly, CrawlDb.open, CrawlDb.open_readonly):
        with opened(path) as db:
            assert [(page.withheld, page.judged_again) for page in db.pages()] == list(rows.values())


def test_a_page_of_an_earlier_version_is_found_by_its_index(path: Path) -> None:
    with CrawlDb.open_readonly(path) as db:
        plan = list(db.select(f"EXPLAIN QUERY PLAN {PAGES.select} WHERE key = ?", (1,)))
    assert [(step[3].split()[0], step[3].split()[-1]) for step in plan] == [("SEARCH", "(key=?)")]


def test_a_field_that_says_nothing_of_itself_is_refused() -> None:
    @dataclass
    class Bare:
        title: str

    with pytest.raises(TypeError, match=r"title: expected Annotated\[type, Column"):
        columns_of(Bare)


def test_a_field_no_column_can_hold_is_refused() -> None:
    @dataclass
    class Odd:
        raw: Annotated[bytes, Column("bytes")]

    with pytest.raises(TypeError, match="raw: no column can hold <class 'bytes'>"):
        columns_of(Odd)


def test_the_docs_have_every_column_as_it_is_declared() -> None:
    rows = ["| `number` | integer | order of settling, from 1 |"]
    rows += [f"| `{column.name}` | {column.kind.name} | {column.about.meaning} |" for column in PAGES.columns]
    table = "\n".join(["| column | holds | meaning |", "| --- | --- | --- |", *rows])
    text = DOCS.read_text(encoding="utf-8")
    assert table in text, f"docs/run-folder.md: the table of columns is now\n\n{table}"
    left_out = text.partition("columns stay in the database: ")[2].partition(". ")[0]
    kept = [column.name for column in PAGES.columns if not column.about.exported]
    assert re.findall(r"`(\w+)`", left_out) == ["number", *kept]
