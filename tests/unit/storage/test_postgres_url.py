"""Addresses of PostgreSQL, and what the store does without a server."""

from __future__ import annotations

import dataclasses
from typing import Any

import psycopg
import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.errors import ConfigError, StoreError
from focuscrawl.records import PageRecord
from focuscrawl.storage.page_rows import PAGES
from focuscrawl.storage.postgres import PostgresStore, connect, postgres_store
from focuscrawl.storage.postgres_schema import upsert, upsert_values
from focuscrawl.storage.postgres_url import is_postgres, masked, parse_place
from focuscrawl.storage.run import RunFolder


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("postgresql://me:geheim@db:5432/crawls", "postgresql://me:***@db:5432/crawls"),
        ("postgres://me:ge@heim@db/crawls", "postgres://me:***@db/crawls"),
        ("postgresql://me@db/crawls", "postgresql://me@db/crawls"),
        ("postgresql://db/crawls?user=me&password=geheim", "postgresql://db/crawls?user=me&password=***"),
        ("postgresql://db/c?sslpassword=geheim&PASSWORD=geheim#x", "postgresql://db/c?sslpassword=***&PASSWORD=***#x"),
        ("postgresql://:geheim@/c?host=/run", "postgresql://:***@/c?host=/run"),
    ],
)
def test_passwords_are_masked(url: str, shown: str) -> None:
    assert masked(url) == shown


@given(st.text(st.characters(exclude_characters="/?#", codec="utf-8"), min_size=1))
def test_no_password_is_ever_shown(password: str) -> None:
    assert masked(f"postgresql://me:{password}@db/crawls") == "postgresql://me:***@db/crawls"


def test_what_the_driver_says_loses_the_password() -> None:
    place = parse_place("postgresql://me:ge%20heim@db/crawls?sslpassword=tief")
    said = psycopg.OperationalError('no "ge heim", "ge%20heim" or tief here\nmore')
    assert place.say(said) == 'no "***", "***" or *** here'


def test_the_crawl_is_ours_the_rest_libpqs() -> None:
    place = parse_place(" postgresql://me@db/c?host=/run/pg&crawl=%E6%A3%8B%2F1&sslmode=require ")
    assert (place.url, place.crawl) == ("postgresql://me@db/c?host=/run/pg&sslmode=require", "棋/1")
    assert parse_place("postgresql://db/c").crawl == ""


@pytest.mark.parametrize(
    "url",
    [
        "mysql://me:geheim@db/c",
        "geheim",
        *(f"postgresql://me:{password}@db/c" for password in ("ge/heim", "ge@heim", "1/heim", "1?heim", "1#heim")),
    ],
)
def test_a_broken_address_is_a_sentence_that_does_not_repeat_it(url: str) -> None:
    with pytest.raises(ConfigError, match="expected postgresql://") as raised:
        parse_place(url)
    assert "heim" not in str(raised.value)


def test_folders_are_no_servers() -> None:
    assert is_postgres(" PostgreSQL://db/c")
    assert not is_postgres("crawls/postgresql")


def test_a_parameter_libpq_does_not_know_is_a_sentence() -> None:
    with pytest.raises(StoreError, match='invalid URI query parameter: "crwl"'):
        connect(parse_place("postgresql://me:geheim@127.0.0.1:1/c?crwl=x"))


def test_the_plugin_needs_a_url(tmp_path: Any) -> None:
    run = RunFolder(tmp_path / "20261122T000000Z")
    with pytest.raises(ConfigError, match="expected postgresql://"):
        postgres_store(run, url="", crawl="chess")
    assert postgres_store(run, url="postgresql://db/c?crawl=go", crawl="chess").crawl == "go"
    assert postgres_store(run, url="postgresql://db/c", crawl="chess").crawl == "chess"


def test_the_statement_has_every_field_of_a_record_once() -> None:
    names = [field.name for field in dataclasses.fields(PageRecord)]
    statement = upsert()
    assert all(statement.count(f'"{name}" = excluded."{name}"') == (name != "key") for name in names)
    values = upsert_values(
        "chess", "one", [PageRecord(1, "u", "u", "h", 1, 200), PageRecord(2**64 - 1, "v", "v", "h", 2, 200)]
    )
    assert len(values) == statement.count("%s") == len(names) + 2
    columns = dict(zip(names, values[2:], strict=True))
    assert columns["key"] == [1, -1]
    assert columns["fetched_at"] == [1.0, 2.0]
    assert all(isinstance(at, float) for at in columns["fetched_at"])
    assert columns["relevant"] == [False, False]
    assert columns["parts"] == ["{}", "{}"]


class Flaky:
    """A connection that is lost at its first statements, and stores keys."""

    closed = False

    def __init__(self, failures: int) -> None:
        self.failures = failures
        self.connections = 0
        self.keys: list[int] = []
        self.rowcount = 0
        self.info = self

    def connect(self, place: object) -> Any:
        self.connections += 1
        return self

    def parameter_status(self, name: str) -> str:
        return "UTF8"

    def close(self) -> None:
        pass

    def execute(self, query: str | bytes, values: Any = ()) -> Any:
        statement = query if isinstance(query, str) else query.decode()
        if "INSERT" in statement:
            if self.failures:
                self.failures -= 1
                raise psycopg.OperationalError("server closed the connection unexpectedly")
            self.keys += values[2]
            self.rowcount = len(values[2])
        if "information_schema" in statement:
            return [(name,) for name in PAGES.names]
        self._answer = ("1",)
        return self

    def fetchone(self) -> Any:
        return self._answer


def flaky_store(server: Flaky) -> tuple[PostgresStore, list[float]]:
    waits: list[float] = []
    store = PostgresStore(
        parse_place("postgresql://me:geheim@db/c"),
        crawl="chess",
        connecting=server.connect,
        sleep=waits.append,
        clock=lambda: sum(waits),
    )
    store.open()
    return store, waits


def page(n: int) -> PageRecord:
    return PageRecord(n, f"http://h/{n}", f"http://h/{n}", "h", 1.0, 200)


@pytest.mark.parametrize("failures", range(6))
def test_a_lost_connection_is_made_again_after_growing_waits(failures: int) -> None:
    server = Flaky(failures)
    store, waits = flaky_store(server)
    assert store.put([page(1), page(2)]) == 2
    assert server.keys == [1, 2]
    assert server.connections == 1 + failures
    assert waits == pytest.approx([0.1 * 2**n for n in range(failures)])


def test_the_crawl_waits_five_seconds_at_most_and_nothing_is_lost() -> None:
    server = Flaky(1000)
    store, waits = flaky_store(server)
    assert store.put([page(1)]) == 0
    assert 3.0 <= sum(waits) <= 5.0
    server.failures = 0
    assert store.put([page(2)]) == 0  # it is not time to try again
    waits.append(60.0)
    assert store.put([page(3)]) == 3
    assert server.keys == [1, 2, 3]
    assert store.pending == 0


def test_what_waits_is_bounded() -> None:
    server = Flaky(1000)
    store, waits = flaky_store(server)
    with pytest.raises(StoreError, match=r"10 more pages than can wait for the server; they are in crawl\.db"):
        store.put([page(n) for n in range(5010)])
    assert store.pending == 5000
    server.failures = 0
    waits.append(60.0)
    store.flush()
    assert server.keys == list(range(5000))
