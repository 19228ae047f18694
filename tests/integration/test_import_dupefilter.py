"""What an earlier crawl with scrapy-redis has fetched, imported into the Redis of a fleet."""

from __future__ import annotations

import asyncio
import json
from contextlib import closing
from pathlib import Path

import pytest
import redis
from crawl_kit import crawl_here, topic_file
from hypothesis import given, settings
from hypothesis import strategies as st
from redis_kit import RedisServer
from scrapy.http import Request
from scrapy_redis.dupefilter import RFPDupeFilter
from site_kit import Site

from focuscrawl.cli.main import run as command_line
from focuscrawl.frontier.base import FrontierStats
from focuscrawl.frontier.redis import RedisFrontier
from focuscrawl.frontier.redis_import import short
from focuscrawl.records import Entry
from focuscrawl.types import digest64


def told(args: list[str], capfd: pytest.CaptureFixture[str]) -> tuple[int, str]:
    with pytest.raises(SystemExit) as ended:
        command_line(["fleet", "import-dupefilter", *args])
    out, err = capfd.readouterr()
    return int(ended.value.code or 0), out + err


def test_what_was_fetched_before_is_left_alone_and_the_old_set_may_go(
    site: Site, tmp_path: Path, redis_server: RedisServer, capfd: pytest.CaptureFixture[str]
) -> None:
    name, on = tmp_path.name, ["--on", redis_server.url, "--crawl", tmp_path.name]
    old = RFPDupeFilter(server=None, key="")
    before = [site.url(f"/page/{n}") for n in (0, 1, 3)]
    with closing(redis.Redis.from_url(redis_server.url)) as client:
        client.sadd(f"{name}:dupefilter", "no fingerprint", *(old.request_fingerprint(Request(url)) for url in before))
        code, said = told([f"{name}:dupefilter", *on], capfd)
        assert (code, said) == (
            0,
            "3 fingerprints imported, 1 members of the set are none and were left out. Links to what they are of are"
            f' left alone, seeds excepted. The crawl "{name}" was not there and has been made.\n',
        )
        client.delete(f"{name}:dupefilter")
    done = crawl_here(
        tmp_path / "run",
        topic=str(topic_file(tmp_path, site.url("/page/0"))),
        pages=40,
        settings={"FOCUSCRAWL_FRONTIER_URL": redis_server.url, "FOCUSCRAWL_CRAWL": name, "CONCURRENT_REQUESTS": 2},
    )
    asked = set(site.paths())
    assert {"/page/0", "/page/2"} <= asked  # the first is a seed
    assert not {"/page/1", "/page/3"} & asked
    assert {record.reason for record in done.pages() if record.url.endswith(("/page/1", "/page/3"))} == {
        "fetched before, by an earlier crawl"
    }


def test_an_import_made_again_changes_nothing(
    tmp_path: Path, redis_server: RedisServer, capfd: pytest.CaptureFixture[str]
) -> None:
    name = tmp_path.name
    with closing(redis.Redis.from_url(redis_server.url)) as client:
        client.sadd(f"{name}:seen", *(f"{n:040x}" for n in range(5_000)), *(f"{n << 96:040x}" for n in range(1, 2_500)))
        meta = f"{{fc:{name}}}:meta"
        args = [f"{name}:seen", "--on", redis_server.url, "--crawl", name, "--json"]
        # The first 64 bits of the first 5,000 are all zero: one fingerprint for the frontier.
        code, said = told(args, capfd)
        assert (code, json.loads(said)["new"]) == (0, 2_500)
        client.hset(meta, "attempts", 7)
        code, said = told(args, capfd)
        counts = json.loads(said)
        assert (code, counts["new"], counts["known"], counts["bad"]) == (0, 0, 7_499, 0)
        assert client.hget(meta, "imported") == b"2500"
        assert client.hget(meta, "attempts") == b"7"
        client.delete(f"{name}:seen")


def test_what_cannot_be_imported_is_said(
    tmp_path: Path, redis_server: RedisServer, capfd: pytest.CaptureFixture[str]
) -> None:
    name, on = tmp_path.name, ["--on", redis_server.url, "--crawl", tmp_path.name]
    with closing(redis.Redis.from_url(redis_server.url)) as client:
        client.sadd(f"{name}:dupefilter", "x")
        client.lpush(f"{name}:requests", "x")
        code, said = told([f"{name}:dupefiltre", *on], capfd)
        assert code == 1
        assert f'there is no key "{name}:dupefiltre"; known sets: ' in said
        assert f"{name}:dupefilter" in said
        code, said = told([f"{name}:requests", *on], capfd)
        assert code == 1
        assert f'"{name}:requests" is a list; expected the set of a dupefilter.' in said
        code, said = told([f"{name}:dupefilter", *on, "--from", "http://127.0.0.1"], capfd)
        assert code == 2
        assert "expected redis://host:6379/0" in said
        client.delete(f"{name}:dupefilter", f"{name}:requests")


@settings(max_examples=20, deadline=None)
@given(st.sets(st.integers(0, 2**64 - 1), max_size=40), st.sets(st.integers(0, 2**64 - 1), max_size=40))
def test_imported_are_those_that_were_imported_and_no_entries(
    redis_server: RedisServer, imported: set[int], others: set[int]
) -> None:
    async def run() -> None:
        frontier = RedisFrontier(redis_server.url, crawl=f"import {sorted(imported)[:2]} {sorted(others)[:2]}")
        await frontier.open()
        try:
            number, _ = await frontier.imported(bytes(8))
            new = await frontier.import_fingerprints([one.to_bytes(8, "big") for one in imported])
            for one in imported | others:
                assert (await frontier.imported(one.to_bytes(8, "big")))[1] == (one in imported)
            assert (await frontier.imported(bytes(8)))[0] == number + new
            assert await frontier.stats() == FrontierStats()
            url = "http://example.org/"
            assert (await frontier.push([Entry(url, digest64(url), "example.org", 0.5)])).added == 1
        finally:
            await frontier.close()

    asyncio.run(run())


def test_the_first_64_bits_are_kept() -> None:
    assert short("00ff" + "0" * 35 + "7") == b"\x00\xff" + bytes(6)
