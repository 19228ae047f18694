"""``crawl.db`` as its readers see it."""

from __future__ import annotations

import asyncio
import re
import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.errors import FrontierError, StoreError
from focuscrawl.frontier.sqlite import SqliteFrontier
from focuscrawl.records import Entry, Origin, Outcome, PageRecord, Settlement
from focuscrawl.storage.crawldb import CrawlDb
from focuscrawl.storage.keys import hex_key, parse_hex_key, to_signed, to_unsigned
from focuscrawl.storage.page_rows import PAGES
from focuscrawl.storage.reading import Event, PageQuery
from focuscrawl.storage.run_settings import RunSettings
from focuscrawl.storage.visits import all_versions
from focuscrawl.types import digest64


def entry(name: str, score: float, **origin: Any) -> Entry:
    url = f"http://{name}"
    return Entry(url, digest64(url), name.split("/")[0], score, origin=Origin(**origin))


FIRST, SECOND, THIRD = entry("a.example/1", 0.75, anchor="围棋"), entry("b.example/2", 0.5), entry("b.example/3", 0.25)
RECORD = PageRecord(
    key=FIRST.key,
    url=FIRST.url,
    final_url="http://a.example/final",
    host="a.example",
    fetched_at=1_700_000_000.25,
    status=200,
    title="棋",
    text="围棋 text",
    language="zh",
    published="2024-05-01",
    author=None,
    category="games",
    extractor="blocks",
    relevance=0.625,
    threshold=0.5,
    relevant=True,
    depth=1,
    tunnel=2,
    parent=2**64 - 3,
    anchor="anchor",
    predicted=0.75,
    priority=1.0,
    group="a.example|g",
    content_digest="abc",
    duplicate_of=2**63,
    reason="",
    body_bytes=1234,
    parts={"uh": 1 / 3},
    judged={"cosine": 0.625},
    keywords=("围棋", "board game"),
    summary="围棋 text.",
    records=({"text": "围棋", "author": "甲", "published": None}, {"text": "text", "author": None, "published": None}),
)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("run") / "crawl.db"

    async def crawl() -> None:
        frontier = SqliteFrontier(path, clock=lambda: 1_700_000_001.0)
        await frontier.open()
        await frontier.push([FIRST, SECOND, THIRD])
        await frontier.set_offsets({"b.example": 0.125})
        one, two = await frontier.lease(2, worker="w", per_host=1, lease_s=60.0)
        failed = PageRecord(SECOND.key, SECOND.url, SECOND.url, "b.example", 5.0, 404, outcome="refused", reason="404")
        await frontier.settle(
            [
                Settlement(two, Outcome.REFUSED, record=failed),
                Settlement(
                    one,
                    Outcome.DONE,
                    also=[99],
                    edges=[2**64 - 1, 0, 5, 0],
                    record=RECORD,
                    state={"ranker": {"w": [0.5, 2]}},
                ),
            ]
        )
        await frontier.call(lambda db: db.set_setting("topic", {"name": "go", "title": "围棋"}))
        await frontier.call(lambda db: db.add_event("started", {"pages": 10}, at=3.0))
        await frontier.call(lambda db: db.add_event("stopped", {"why": "budget"}, at=4.0))
        await frontier.close()

    asyncio.run(crawl())
    return path


@pytest.fixture
def db(path: Path) -> Iterator[CrawlDb]:
    with CrawlDb.open_readonly(path) as db:
        yield db


def test_a_record_comes_back_as_it_was(db: CrawlDb) -> None:
    assert db.page(FIRST.key) == RECORD
    assert db.page(12345) is None


def test_pages_by_what_is_asked(db: CrawlDb) -> None:
    assert [page.url for page in db.pages()] == [SECOND.url, FIRST.url]
    assert [page.url for page in db.pages(PageQuery(best_first=True))] == [FIRST.url, SECOND.url]
    assert list(db.pages(PageQuery(relevant=True))) == [RECORD]
    assert [page.status for page in db.pages(PageQuery(relevant=False))] == [404]
    assert [page.url for page in db.pages(PageQuery(outcome="refused"))] == [SECOND.url]
    assert list(db.pages(PageQuery(host="a.example"))) == [RECORD]
    assert [page.url for page in db.pages(PageQuery(limit=1))] == [SECOND.url]
    assert [page.url for page in db.pages(PageQuery(after=1))] == [FIRST.url]
    assert list(db.pages(PageQuery(relevant=True, with_text=False))) == [
        replace(RECORD, text="", summary="", records=())
    ]


def test_entries_with_their_state(db: CrawlDb) -> None:
    waits, done, refused, alias = (db.entry(key) for key in (THIRD.key, FIRST.key, SECOND.key, 99))
    assert waits is not None
    assert (waits.entry, waits.state, waits.offset, waits.priority) == (THIRD, "queued", 0.125, 0.375)
    assert done is not None
    assert (done.entry, done.state, done.attempts) == (FIRST, "done", 0)
    assert refused is not None
    assert refused.state == "refused"
    assert alias is not None
    assert (alias.state, alias.entry.origin) == ("done", Origin(same_as=hex_key(FIRST.key)))
    assert db.entry(12345) is None
    assert [stored.entry for stored in db.queue()] == [THIRD]
    assert db.queue(host="a.example") == []


def test_links_that_wait_by_host_and_score(db: CrawlDb) -> None:
    assert db.queued_by_host() == {THIRD.host: 1}
    assert db.queued_by_host(score_upto=THIRD.score) == {THIRD.host: 1}
    assert db.queued_by_host(score_upto=THIRD.score - 0.01) == {}


def test_links_settings_events_state_counts(db: CrawlDb) -> None:
    assert list(db.edges()) == [(FIRST.key, [2**64 - 1, 0, 5, 0])]
    assert db.settings() == {"topic": {"name": "go", "title": "围棋"}}
    assert list(db.events()) == [Event(3.0, "started", {"pages": 10}), Event(4.0, "stopped", {"why": "budget"})]
    assert [event.kind for event in db.events("stopped")] == ["stopped"]
    assert db.state("ranker") == {"w": [0.5, 2]}
    assert db.state("judge") is None
    assert db.counts() == {
        "queued": 1,
        "leased": 0,
        "done": 2,
        "failed": 0,
        "refused": 1,
        "hosts": 1,
        "groups": 1,
        "pages": 1,
        "relevant": 1,
    }


def test_any_sqlite_tool_reads_it(path: Path) -> None:
    connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    try:
        names = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
        assert {"pages", "links", "frontier", "verdicts", "settings", "events"} <= names
        keys = connection.execute("SELECT key, url, host, state, priority FROM frontier WHERE host <> ''").fetchall()
        assert (hex_key(THIRD.key), THIRD.url, "b.example", "queued", 0.375) in keys
        links = connection.execute("SELECT source, position, target FROM links").fetchall()
        assert links == [(to_signed(FIRST.key), i, key) for i, key in enumerate([-1, 0, 5, 0])]
        verdicts = connection.execute("SELECT key, relevance, relevant FROM verdicts").fetchall()
        assert verdicts == [(hex_key(FIRST.key), 0.625, 1)]
        (page,) = connection.execute("SELECT key_hex, parent_hex, title FROM pages_hex WHERE relevant").fetchall()
        assert page == (hex_key(FIRST.key), hex_key(2**64 - 3), "棋")
    finally:
        connection.close()


def test_a_reader_cannot_write(db: CrawlDb) -> None:
    with pytest.raises(StoreError, match="cannot be written"):
        db.set_setting("x", 1)


def test_own_settings_are_left_alone(tmp_path: Path) -> None:
    with (
        CrawlDb.open(tmp_path / "crawl.db") as db,
        pytest.raises(FrontierError, match='"schema_version": the database keeps this setting itself'),
    ):
        db.set_setting("schema_version", 2)


def test_readers_look_on_while_a_crawl_writes(tmp_path: Path) -> None:
    path = tmp_path / "crawl.db"
    with CrawlDb.open(path) as writer, CrawlDb.open_readonly(path) as reader:
        assert reader.counts()["pages"] == 0
        writer.set_setting("topic", "go")
        assert reader.settings() == {"topic": "go"}
        with writer.transaction() as connection:
            connection.execute("DELETE FROM settings WHERE name = 'topic'")
            assert reader.settings() == {"topic": "go"}
        assert reader.settings() == {}


def test_a_transaction_that_fails_leaves_nothing(tmp_path: Path) -> None:
    with CrawlDb.open(tmp_path / "crawl.db") as db:

        def fail() -> None:
            with db.transaction() as connection:
                connection.execute("INSERT INTO events (at, kind, data) VALUES (1, 'x', '{}')")
                raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError):
            fail()
        assert list(db.events()) == []


@given(st.integers(0, 2**64 - 1))
def test_keys_there_and_back(key: int) -> None:
    assert to_unsigned(to_signed(key)) == key
    assert -(2**63) <= to_signed(key) < 2**63
    assert parse_hex_key(hex_key(key)) == key
    assert len(hex_key(key)) == 16


@pytest.mark.parametrize("text", ["", "xyz", "1" * 17, "-1"])
def test_what_is_no_key(text: str) -> None:
    with pytest.raises(ValueError):
        parse_hex_key(text)


INSERTED = {
    "settings": "INSERT INTO settings (name, value) VALUES ('it', ?)",
    "state": "INSERT INTO state (name, saved_at, data) VALUES ('it', 1.0, ?)",
    "events": "INSERT INTO events (kind, at, data) VALUES ('it', 1.0, ?)",
    "page_links": "INSERT INTO page_links (source, targets) VALUES (7, ?)",
    "versions": "INSERT INTO versions (number, key, fetched_at, data) VALUES (7, 3, 1.0, ?)",
}
NAMED = {"page_links": "7", "versions": "7"}
PAGE = "http://a.example/"


@pytest.mark.parametrize(
    ("table", "read"),
    [
        ("settings", lambda db: db.settings()),
        ("state", lambda db: db.states()),
        ("state", lambda db: db.state("it")),
        ("events", lambda db: list(db.events())),
        ("page_links", lambda db: list(db.edges())),
        ("page_links", lambda db: db.links_of(7)),
        ("versions", lambda db: list(all_versions(db))),
    ],
)
@pytest.mark.parametrize("damaged", ["{", "", "[" * 100_000, b"\xff"])
def test_a_damaged_row_is_told_in_a_sentence(
    tmp_path: Path, table: str, read: Callable[[CrawlDb], object], damaged: object
) -> None:
    path = tmp_path / "crawl.db"
    with CrawlDb.open(path) as db, db.transaction() as connection:
        connection.execute(INSERTED[table], (damaged,))
    name = NAMED.get(table, "it")
    sentence = f'crawl.db: damaged: "{name}" in the table {table} is no JSON. Put a copy of the file back'
    with pytest.raises(StoreError, match=re.escape(sentence)), CrawlDb.open_readonly(path) as db:
        read(db)


def test_a_full_disk_keeps_all_settings_of_a_run_or_none(tmp_path: Path) -> None:
    with CrawlDb.open(tmp_path / "crawl.db") as db:
        (pages,) = db.connection.execute("PRAGMA page_count").fetchone()
        db.connection.execute(f"PRAGMA max_page_count = {pages + 4}")
        before = db.settings()
        # A run that has its topic and not its arguments would go on from the topic's seeds, without its limits.
        with pytest.raises(FrontierError, match="the disk is full"):
            RunSettings(topic="chess", topic_text="x" * 100_000, arguments={"pages": 7}).save(db)
        assert db.settings() == before


@pytest.mark.parametrize(
    ("change", "named", "read"),
    [
        ("UPDATE settings SET value = '[1]' WHERE name = 'arguments'", '"arguments" in', RunSettings.load),
        ("UPDATE settings SET value = '{}' WHERE name = 'strategy'", '"strategy" in', RunSettings.load),
        ("UPDATE settings SET value = 'null' WHERE name = 'weights'", '"weights" in', RunSettings.load),
        ("INSERT INTO settings VALUES ('frontier_counters', '[]')", '"frontier_counters"', lambda db: db.counts()),
        ("INSERT INTO settings VALUES ('frontier_counters', '{')", '"frontier_counters"', lambda db: db.counts()),
        ("INSERT INTO state VALUES ('judge', 1.0, '\"x\"')", '"judge" in', lambda db: db.states()),
        ("INSERT INTO events (kind, at, data) VALUES ('it', 1.0, 'null')", '"it" in', lambda db: list(db.events())),
        ("INSERT INTO page_links VALUES (7, '5')", '"7" in', lambda db: list(db.edges())),
        ("INSERT INTO page_links VALUES (7, '[\"x\"]')", '"7" in', lambda db: db.links_of(7)),
        ("INSERT INTO versions VALUES (7, 3, 1.0, '[]')", '"7" in', lambda db: list(all_versions(db))),
        *(
            (f"UPDATE pages SET {column} = '{value}'", f'"{column}" of http://a.example/ in', read)
            for column, value in (("keywords", "5"), ("records", "{}"), ("parts", "[]"), ("judged", "null"))
            for read in (lambda db: list(db.pages()), lambda db: db.page(3))
        ),
        ("UPDATE pages SET evidence = '{'", '"evidence" of http://a.example/ in', lambda db: list(db.pages())),
    ],
)
def test_a_row_with_json_of_another_shape_is_told_in_a_sentence(
    tmp_path: Path, change: str, named: str, read: Callable[[CrawlDb], object]
) -> None:
    path = tmp_path / "crawl.db"
    with CrawlDb.open(path) as db:
        RunSettings(topic="chess").save(db)
        with db.transaction() as connection:
            connection.execute(PAGES.insert, PAGES.to_row(PageRecord(3, PAGE, PAGE, "a.example", 1.0, 200)))
            connection.execute(change)
    with pytest.raises(StoreError, match=re.escape(named)) as told, CrawlDb.open_readonly(path) as db:
        read(db)
    assert str(told.value).startswith(f"{path}: ")
    assert "damaged" in str(told.value)
    assert "ut a copy of the file back" in str(told.value)
