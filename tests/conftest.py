"""Fixtures that several kinds of tests share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from postgres_kit import PostgresServer, programs, running_postgres
from redis_kit import RedisServer, running_redis
from site_kit import Site, running_site


@pytest.fixture(scope="session")
def _site() -> Iterator[Site]:
    with running_site() as site:
        yield site


@pytest.fixture
def site(_site: Site) -> Site:
    """A small web on loopback in a process of its own, with an empty log."""
    _site.clear()
    return _site


class Clock:
    """A clock that moves when it is told to."""

    def __init__(self, now: float = 1_800_000_000.0) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now

    def advance(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture
def clock() -> Clock:
    """A clock that moves when it is told to."""
    return Clock()


@pytest.fixture(scope="session")
def redis_server() -> Iterator[RedisServer]:
    """A Redis server of the tests' own; tests share it, each with a crawl of its own name."""
    with running_redis() as server:
        yield server


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    """A PostgreSQL server of the tests' own; tests share it, each with a database of its own."""
    found = programs()
    if found is None:
        pytest.skip(
            "NOT TESTED against a real server: no PostgreSQL programs on this machine (apt-get install postgresql,"
            " or FOCUSCRAWL_TEST_POSTGRES_BIN=the folder of initdb)"
        )
    with running_postgres(found) as server:
        yield server
