"""Workers of a fleet that store in one PostgreSQL, and what the commands read there."""

from __future__ import annotations

import json
import signal
import time
from collections import Counter
from pathlib import Path

import psycopg
import pytest
from crawl_kit import topic_file
from postgres_kit import PostgresServer
from redis_kit import RedisServer
from site_kit import PAGES, Site
from test_fleet import finished, start

from focuscrawl.cli.main import run as command_line
from focuscrawl.storage.run import RunFolder

# Several Scrapy processes and two servers: on a busy machine that takes its time.
pytestmark = pytest.mark.timeout(300)

STORES = {"FOCUSCRAWL_STORES": "jsonl,postgres"}


def stored(url: str) -> Counter[str]:
    with psycopg.connect(url) as db:
        return Counter(path for (path,) in db.execute("SELECT url FROM focuscrawl.pages WHERE outcome = 'done'"))


def said(capfd: pytest.CaptureFixture[str], *arguments: str) -> str:
    capfd.readouterr()
    with pytest.raises(SystemExit) as ended:
        command_line(list(arguments))
    out, err = capfd.readouterr()
    assert not ended.value.code, err
    return out


def with_sorted_keys(line: str) -> str:
    return json.dumps(json.loads(line), sort_keys=True)


def test_a_fleet_stores_every_page_once_and_the_commands_read_it(
    site: Site,
    tmp_path: Path,
    redis_server: RedisServer,
    postgres_server: PostgresServer,
    capfd: pytest.CaptureFixture[str],
) -> None:
    url = postgres_server.database()
    topic_file(tmp_path, site.url("/page/0"))
    site.page_delay(0.03)
    settings = {**STORES, "FOCUSCRAWL_POSTGRES_URL": url}
    workers = {name: start(tmp_path, name, redis_server, "-a", "pages=0", **settings) for name in ("one", "two")}
    done = [finished(process, tmp_path / name) for name, process in workers.items()]
    assert [one.exit_code for one in done] == [0, 0], [one.err for one in done]
    assert stored(url) == Counter({site.url(f"/page/{n}"): 1 for n in range(PAGES)})
    assert sum(len(list(one.pages())) for one in done) == PAGES

    names = [file.name for one in done for file in one.run.glob("*.jsonl") if file.name.startswith("pages")]
    assert len(set(names)) == 2
    assert all(name.startswith("pages-") for name in names)

    status = json.loads(said(capfd, "status", url, "--json"))
    assert (status["pages"], status["topic"], status["stop_reason"]) == (PAGES, "lighthouses", "exhausted")
    assert status["queued"] is None
    text = " ".join(said(capfd, "status", url).split())
    assert "not kept with these pages: it is in" in text
    assert "geheim" not in text
    lines = [json.loads(line) for line in said(capfd, "export", url, "--all").splitlines()]
    assert Counter(line["url"] for line in lines) == stored(url)
    results = said(capfd, "export", url).splitlines()
    files = [
        line for one in done for line in RunFolder(one.run).as_worker().pages_jsonl.read_text("utf-8").splitlines()
    ]
    # PostgreSQL keeps an object's members in an order of its own.
    assert Counter(map(with_sorted_keys, results)) == Counter(map(with_sorted_keys, files))
    report = tmp_path / "report.html"
    said(capfd, "report", url, "--out", str(report))
    html = report.read_text("utf-8")
    assert "not kept with these pages" in html
    for text in (html, *(path.read_text("utf-8") for path in tmp_path.rglob("run.log")), *(one.err for one in done)):
        assert "geheim" not in text


def test_a_worker_killed_at_any_moment_leaves_no_hole_and_no_double_row(
    site: Site, tmp_path: Path, redis_server: RedisServer, postgres_server: PostgresServer
) -> None:
    url = postgres_server.database()
    topic_file(tmp_path, site.url("/page/0"))
    site.page_delay(0.03)
    settings = {**STORES, "FOCUSCRAWL_POSTGRES_URL": url, "FOCUSCRAWL_LEASE_S": 2}
    victim = start(tmp_path, "victim", redis_server, "-a", "pages=0", **settings)
    deadline = time.monotonic() + 40.0
    while len(site.paths()) < 3:
        assert victim.poll() is None, victim.communicate()
        assert time.monotonic() < deadline, "nothing was fetched"
        time.sleep(0.01)
    victim.send_signal(signal.SIGKILL)
    victim.communicate()
    other = finished(start(tmp_path, "other", redis_server, "-a", "pages=0", **settings), tmp_path / "other")
    assert other.exit_code == 0, other.err
    assert stored(url) == Counter({site.url(f"/page/{n}"): 1 for n in range(PAGES)})
    again = Counter(site.paths())
    assert sum(again.values()) - PAGES <= 20  # those in flight and in the buffer at most
