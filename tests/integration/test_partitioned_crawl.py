"""A whole crawl over two Redis servers, seen by `focuscrawl fleet status`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from crawl_kit import crawl_here, topic_file
from redis_kit import RedisServer, running_redis
from site_kit import Site

from focuscrawl.cli.main import run as command_line


def focuscrawl(*args: str) -> int:
    """Run the command line; return its exit code."""
    try:
        command_line(list(args))
    except SystemExit as end:
        return int(end.code or 0)
    return 0


def test_a_crawl_over_two_servers(
    site: Site, tmp_path: Path, redis_server: RedisServer, capfd: pytest.CaptureFixture[str]
) -> None:
    with running_redis() as second:
        url = f"{redis_server.url},{second.url}"
        settings = {"FOCUSCRAWL_FRONTIER_URL": url, "FOCUSCRAWL_CRAWL": "two-servers"}
        topic = topic_file(tmp_path, site.url("/page/0"))
        done = crawl_here(tmp_path / "run", topic=str(topic), pages=12, settings=settings)
        assert done.session is not None
        assert done.session.ending is not None
        assert done.session.ending.reason == "budget"
        capfd.readouterr()
        assert focuscrawl("fleet", "status", "--json", "--on", url, "--crawl", "two-servers") == 0
        status = json.loads(capfd.readouterr().out)
        assert status["pages"] == 12
        assert status["queue"]["queued"] > 0
        again = crawl_here(tmp_path / "again", topic=str(topic), pages=20, settings=settings)
        assert again.session is not None
        assert again.session.ending is not None
        assert focuscrawl("fleet", "status", "--json", "--on", url, "--crawl", "two-servers") == 0
        assert json.loads(capfd.readouterr().out)["pages"] == 20

        def look() -> tuple[bool, str]:
            assert focuscrawl("fleet", "status", "--json", "--on", url, "--crawl", "two-servers") == 0
            told = json.loads(capfd.readouterr().out)
            return told["takes_writes"], told["slow"]

        assert look() == (True, "")
        second.stop(kill=True)
        goes_on, why = look()
        assert goes_on, "the partitions of the first server do"
        assert why.startswith(f"{second.url.removesuffix('?db=0')}: no answer from Redis")
