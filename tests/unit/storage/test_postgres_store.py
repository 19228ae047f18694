"""The PostgreSQL store on a real server: what is stored, what is sent twice, what a lost server costs."""

from __future__ import annotations

import dataclasses
import logging
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import psycopg
import pytest
from postgres_kit import PostgresServer
from record_kit import stored_record

from focuscrawl.cli.status import status_facts
from focuscrawl.dashboard.source import Source
from focuscrawl.dashboard.state import StateReader
from focuscrawl.errors import StoreError
from focuscrawl.records import PageRecord
from focuscrawl.report.read import read_run
from focuscrawl.row_reasons import NO_INDEX, judged_again_reason, not_stored_reason
from focuscrawl.storage.open_run import open_pages
from focuscrawl.storage.postgres import PostgresStore
from focuscrawl.storage.postgres_run import PostgresRun
from focuscrawl.storage.postgres_url import parse_place
from focuscrawl.storage.reading import PageQuery
from focuscrawl.storage.run_settings import record_pause, record_start
from focuscrawl.wording.base import Say

Make = Callable[..., PostgresStore]


def record(n: int, **changes: object) -> PageRecord:
    fields: dict[str, object] = {
        "parent": 2**64 - 1,
        "parts": {"anchor": 0.25},
        "keywords": ("开局", "兵"),
        "records": ({"text": "好棋", "author": None, "published": "2026-01-02"},),
    }
    return stored_record(n, **fields | changes)


@pytest.fixture
def url(postgres_server: PostgresServer) -> str:
    """A database of this test's own."""
    return postgres_server.database()


@pytest.fixture
def make(url: str) -> Iterator[Make]:
    """Makes open stores of one database."""
    made: list[PostgresStore] = []

    def make(crawl: str = "chess", **options: Any) -> PostgresStore:
        store = PostgresStore(parse_place(url), crawl=crawl, **options)
        store.open()
        made.append(store)
        return store

    yield make
    for store in made:
        store.close()


def stored(url: str, crawl: str = "chess") -> list[PageRecord]:
    store = PostgresStore(parse_place(url), crawl=crawl)
    store.set_setting("topic", "chess")  # as every crawl does: a reader finds it by that
    store.close()
    with PostgresRun.open(f"{url}?crawl={crawl}") as run:
        return list(run.pages())


def rows(url: str, query: str) -> list[tuple[Any, ...]]:
    with psycopg.connect(url) as db:
        return db.execute(query.encode()).fetchall()


def test_a_record_comes_back_as_it_was(make: Make, url: str) -> None:
    records = [
        record(1),
        record(
            2, relevant=False, text="", parent=None, published=None, outcome="failed", reason="HTTP 500", records=()
        ),
        record(
            3, duplicate_of=2**63 + 1, published="2026-11-22", author="王", category="棋", predicted=0, judged={"a": 1}
        ),
    ]
    assert make().put(records) == 3
    assert stored(url) == records


def test_columns_are_those_of_a_record(make: Make, url: str) -> None:
    make()
    found = rows(url, "SELECT column_name FROM information_schema.columns WHERE table_name = 'pages'")
    assert {name for (name,) in found} == {f.name for f in dataclasses.fields(PageRecord)} | {
        "crawl",
        "worker",
        "number",
    }


def test_what_postgres_cannot_hold_is_replaced(make: Make, url: str) -> None:
    odd = record(1, title="a\x00b\ud800", parts={"x\x00": 1.0}, records=({"text": "\\u0000 \x00", "author": None},))
    make().put([odd])
    (kept,) = stored(url)
    assert kept.title == "a\ufffdb\ufffd"
    assert kept.parts == {"x\ufffd": 1.0}
    assert kept.records[0]["text"] == "\\u0000 \ufffd"


def test_the_same_page_twice_is_one_row_and_a_newer_fetch_takes_its_place(make: Make, url: str) -> None:
    store = make()
    assert store.put([record(1), record(1), record(2)]) == 2
    assert store.put([record(1)]) == 0
    assert store.put([record(1, fetched_at=1.0, title="old")]) == 0
    assert store.put([record(1, fetched_at=2e9, title="new")]) == 1
    assert [r.title for r in stored(url)] == ["第2页", "new"]


def test_workers_share_a_crawl_and_crawls_a_database(make: Make, url: str) -> None:
    one, two, other = make(worker="one"), make(worker="two"), make("go")
    assert one.put([record(1), record(2)]) == 2
    assert two.put([record(2), record(3)]) == 1
    assert other.put([record(1)]) == 1
    assert [r.key - 2**63 for r in stored(url)] == [1, 2, 3]
    assert [r.key - 2**63 for r in stored(url, "go")] == [1]
    assert rows(url, "SELECT worker, count(*) FROM focuscrawl.pages WHERE crawl = 'chess' GROUP BY 1 ORDER BY 1") == [
        ("one", 2),
        ("two", 1),
    ]


def test_many_workers_may_start_at_once(postgres_server: PostgresServer) -> None:
    for _ in range(4):
        place = parse_place(postgres_server.database())
        stores = [PostgresStore(place, crawl="chess", worker=str(n)) for n in range(6)]
        with ThreadPoolExecutor(len(stores)) as threads:
            list(threads.map(PostgresStore.open, stores))
        for store in stores:
            store.close()


def test_many_batches_keep_their_order(make: Make, url: str) -> None:
    records = [record(n % 7 * 1000 + n) for n in range(450)]
    assert make().put(records) == 450
    assert [r.key for r in stored(url)] == [r.key for r in records]


def test_a_connection_cut_between_batches_is_made_again(make: Make, url: str) -> None:
    store = make()
    store.put([record(1)])
    rows(url, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'focuscrawl'")
    assert store.put([record(2)]) == 1
    assert len(stored(url)) == 2


def test_three_server_deaths_lose_nothing_and_double_nothing(
    postgres_server: PostgresServer, make: Make, url: str
) -> None:
    waits: list[float] = []

    def wait(seconds: float) -> None:
        """Start the server where another's time would pass."""
        waits.append(seconds)
        if len(waits) % 2 == 0:
            postgres_server.start()

    store = make(sleep=wait)
    for n in range(3):
        assert store.put([record(2 * n)]) == 1
        postgres_server.stop()
        # The page before comes again, as after a settlement whose answer was lost.
        assert store.put([record(2 * n), record(2 * n + 1)]) == 1
        assert store.pending == 0
    assert len(waits) == 6
    assert [r.key - 2**63 for r in stored(url)] == list(range(6))


def test_pages_wait_for_a_server_that_stays_away(
    postgres_server: PostgresServer, url: str, caplog: pytest.LogCaptureFixture
) -> None:
    now = [0.0]
    store = PostgresStore(
        parse_place(url),
        crawl="chess",
        clock=lambda: now[0],
        sleep=lambda seconds: now.__setitem__(0, now[0] + seconds),
    )
    store.open()
    store.put([record(1)])
    postgres_server.stop()
    try:
        assert store.put([record(2)]) == 0
        assert 0.0 < now[0] <= 5.0
        before = now[0]
        assert store.put([record(3)]) == 0
        assert now[0] == before  # behind: the crawl does not wait again
        assert store.pending == 2
        with pytest.raises(StoreError, match=r"2 pages could not be sent; they are in crawl\.db"):
            store.flush()
    finally:
        postgres_server.start()
    now[0] += 60.0
    assert store.put([record(4)]) == 3
    assert [r.key - 2**63 for r in stored(url)] == [1, 2, 3, 4]
    told = [r.getMessage() for r in caplog.records if r.levelno >= logging.WARNING]
    assert len(told) == 2
    assert "pages wait until the server is back" in told[0]
    assert "geheim" not in caplog.text
    store.close()


def test_one_page_that_is_refused_costs_no_other(make: Make, url: str) -> None:
    store = make()
    with pytest.raises(StoreError, match=r"1 of the pages were refused: https://example\.org/5: .*out of range"):
        store.put([record(n, status=2**70 if n == 5 else 200) for n in range(9)])
    assert [r.key - 2**63 for r in stored(url)] == [0, 1, 2, 3, 4, 6, 7, 8]
    assert store.put([record(9)]) == 1


def test_a_run_that_goes_on_sends_what_is_missing_only(make: Make, url: str) -> None:
    store = make()
    store.put([record(1), record(2, fetched_at=5.0)])
    asked: list[bool] = []

    def pages(query: PageQuery) -> Iterator[PageRecord]:
        asked.append(query.with_text)
        yield from (record(1), record(2), record(3, relevant=False))

    assert store.complete(pages) == 2
    assert store.complete(pages) == 0
    assert asked == [False, True, False]  # texts are read when something is missing
    assert {r.key - 2**63 for r in stored(url)} == {1, 2, 3}


def test_a_column_that_is_new_is_read_as_its_default_and_added_by_the_next_crawl(make: Make, url: str) -> None:
    make().put([record(1, summary="lost with its column")])
    with psycopg.connect(url) as db:
        db.execute("ALTER TABLE focuscrawl.pages DROP COLUMN summary, DROP COLUMN keywords")
    assert [(r.summary, r.keywords) for r in stored_without_store(url)] == [("", ())]
    make().put([record(2, summary="s")])
    assert [(r.summary, r.keywords) for r in stored(url)] == [("", ()), ("s", ("开局", "兵"))]


def test_what_earlier_versions_said_in_the_reason_of_a_row_has_columns(make: Make, url: str) -> None:
    again = judged_again_reason(not_stored_reason(NO_INDEX), 0.7)
    make().put([record(1, reason="a feed of 3 entries"), record(2), record(4, reason=again)])
    with psycopg.connect(url) as db:
        db.execute("ALTER TABLE focuscrawl.pages DROP COLUMN feed, DROP COLUMN withheld, DROP COLUMN judged_again")
    expected = [(True, "", False), (False, "", False), (False, NO_INDEX, True)]
    assert [(page.feed, page.withheld, page.judged_again) for page in stored_without_store(url)] == expected
    make().put([record(3)])
    assert [(page.feed, page.withheld, page.judged_again) for page in stored(url)] == [*expected, (False, "", False)]


def stored_without_store(url: str) -> list[PageRecord]:
    with psycopg.connect(url) as db:
        db.execute("INSERT INTO focuscrawl.settings VALUES ('chess', 'topic', '\"chess\"')")
    with PostgresRun.open(f"{url}?crawl=chess") as run:
        return list(run.pages())


def test_a_schema_of_a_newer_program_is_left_alone(make: Make, url: str) -> None:
    make()
    with psycopg.connect(url) as db:
        db.execute("UPDATE focuscrawl.meta SET value = '99'")
    with pytest.raises(StoreError, match="its schema has version 99, this program reads 1; upgrade focuscrawl"):
        make()


def test_a_user_without_the_right_to_make_tables_can_use_those_that_are_there(
    make: Make, url: str, postgres_server: PostgresServer
) -> None:
    with psycopg.connect(url, autocommit=True) as db:
        db.execute("DROP ROLE IF EXISTS modest")
        db.execute("CREATE ROLE modest LOGIN PASSWORD 'geheim'")
    modest = url.replace("crawler:geheim%40%E5%AF%86@", "modest:geheim@")
    assert modest != url
    with pytest.raises(StoreError, match=r"permission denied for database.*may create tables"):
        PostgresStore(parse_place(modest), crawl="chess").open()
    make()
    with psycopg.connect(url, autocommit=True) as db:
        db.execute("GRANT USAGE ON SCHEMA focuscrawl TO modest")
        db.execute("GRANT SELECT, INSERT, UPDATE ON ALL TABLES IN SCHEMA focuscrawl TO modest")
    store = PostgresStore(parse_place(modest), crawl="chess")
    store.open()
    assert store.put([record(1)]) == 1
    store.close()


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (("geheim%40%E5%AF%86", "wrong"), "password authentication failed"),
        (("/crawls", "/none"), "does not exist"),
    ],
)
def test_a_server_that_does_not_let_us_in_is_a_sentence_without_the_password(
    url: str, change: tuple[str, str], told: str
) -> None:
    with pytest.raises(StoreError, match=told) as raised:
        PostgresStore(parse_place(url.replace(*change)), crawl="chess").open()
    assert "check FOCUSCRAWL_POSTGRES_URL" in str(raised.value)
    assert "wrong" not in str(raised.value)
    assert "geheim" not in str(raised.value)
    assert ":***@127.0.0.1" in str(raised.value)


def test_a_database_of_another_encoding_is_refused(postgres_server: PostgresServer) -> None:
    with pytest.raises(StoreError, match="has the encoding SQL_ASCII; pages need one that was made with UTF8"):
        PostgresStore(parse_place(postgres_server.database(encoding="SQL_ASCII")), crawl="chess").open()


def test_settings_and_events_of_all_workers(make: Make, url: str) -> None:
    one, two = make(worker="one"), make(worker="two")
    one.set_setting("topic", "chess\x00")
    two.set_setting("topic", "chess")
    one.add_event("started", at=1.0)
    one.add_event("started", at=1.0)
    two.add_event("started", {"why": "棋"}, at=2.0)
    with PostgresRun.open(url) as run:
        assert run.settings() == {"topic": "chess"}
        assert [(e.at, e.worker, e.data) for e in run.events("started")] == [
            (1.0, "one", {}),
            (2.0, "two", {"why": "棋"}),
        ]
        assert list(run.events("stopped")) == []


def test_the_crawl_is_named_or_the_only_one(make: Make, url: str) -> None:
    with pytest.raises(StoreError, match="there is no crawl in this database"):
        PostgresRun.open(url)
    make().set_setting("topic", "chess")
    with PostgresRun.open(url) as run:
        assert run.crawl == "chess"
    make("go").set_setting("topic", "go")
    with pytest.raises(StoreError, match=r"name the crawl with \?crawl=NAME at the end; there are: chess, go"):
        PostgresRun.open(url)
    with pytest.raises(StoreError, match='there is no crawl "shogi"; there are: chess, go'):
        PostgresRun.open(f"{url}?crawl=shogi")


def test_a_pause_is_told_where_only_the_database_is_seen(make: Make, url: str) -> None:
    store = make()
    store.set_setting("topic", "chess")
    store.put([record(1)])
    record_start(store, at=1_790_000_000.0)
    record_pause(store, True, at=1_790_000_060.0)
    store.close()
    place = f"{url}?crawl=chess"
    with open_pages(place) as pages:
        facts = [fact for _, fact in status_facts(pages, read_run(pages.reader), Say())]
    assert "no: paused since 2026-09-21 14:14 UTC, or killed since then" in facts
    run = StateReader(Source([place])).read()["run"]
    assert (run["state"], run["paused_since"]) == ("paused", 1_790_000_060.0)
