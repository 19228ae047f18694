"""Feeds that a fleet watches: asked by one worker at a time, and by another one when that is killed."""

from __future__ import annotations

import signal
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
import redis
from changing_site import TOPIC, ChangingSite, changing_site, seen
from crawl_kit import crawl_together
from dying_worker import dying_workers
from redis_kit import RedisServer

from focuscrawl.storage.crawldb import CrawlDb
from focuscrawl.storage.several import SeveralRuns
from focuscrawl.visits import Saw

Site = tuple[ChangingSite, str]


@pytest.fixture
def site() -> Iterator[Site]:
    with changing_site() as served:
        yield served


def time_passes(server: RedisServer, crawl: str) -> int:
    """Make what waits for its time due; return how much there was."""
    with closing(redis.Redis.from_url(server.url)) as client:
        due = f"{{fc:{crawl}}}:due"
        keys = client.zrange(due, 0, -1)
        for key in keys:
            client.zadd(due, {key: 1.0})
        return len(keys)


def stored(*runs: Path) -> Counter[str]:
    """Return the paths of the pages of each folder."""
    paths: Counter[str] = Counter()
    for run in runs:
        with CrawlDb.open_readonly(run / "crawl.db") as db:
            paths.update("/" + record.url.split("/", 3)[3] for record in db.pages())
    return paths


def test_one_of_two_workers_asks_a_feed_that_is_due(tmp_path: Path, site: Site, redis_server: RedisServer) -> None:
    (tmp_path / "lighthouses.toml").write_text(TOPIC.format(seed=site[1] + "/"), encoding="utf-8")
    runs = [tmp_path / "run0", tmp_path / "run1"]
    site[0].posts = 2
    crawl_together(tmp_path, redis_server, pages=50)
    pages = stored(*runs)
    assert {"/new/30", "/new/31", "/feed.xml"} <= set(pages)
    site[0].asked.clear()
    crawl_together(tmp_path, redis_server, pages=50)
    assert site[0].paths() == []  # nothing is due, and nobody waits for it
    for posts, saw in ((2, Saw.UNCHANGED), (4, Saw.CHANGED)):
        site[0].posts = posts
        assert time_passes(redis_server, str(tmp_path)) == 1
        crawl_together(tmp_path, redis_server, pages=50)
        (asked,) = [one for one in site[0].asked if one.path == "/feed.xml"]
        assert asked.etag.startswith('"')
        assert seen(*runs)[saw] == 1
        site[0].asked.clear()
    more = stored(*runs) - pages
    assert {path: n for path, n in more.items() if path != "/feed.xml"} == {"/new/32": 1, "/new/33": 1}
    with (
        CrawlDb.open_readonly(runs[0] / "crawl.db") as one,
        CrawlDb.open_readonly(runs[1] / "crawl.db") as two,
        SeveralRuns.open({"one": one, "two": two}) as both,
    ):
        (feed,) = [record for record in both.pages() if record.url.endswith("/feed.xml")]
    assert (feed.reason, feed.revisit) == ("a feed of 4 entries", "changed")


def test_a_worker_killed_while_it_asks_a_feed_takes_it_along_for_no_longer_than_its_lease(
    tmp_path: Path, site: Site, redis_server: RedisServer
) -> None:
    (tmp_path / "lighthouses.toml").write_text(TOPIC.format(seed=site[1] + "/"), encoding="utf-8")
    settings = {"FOCUSCRAWL_FRONTIER_URL": redis_server.url, "FOCUSCRAWL_CRAWL": str(tmp_path)}
    one, two = tmp_path / "one", tmp_path / "two"
    site[0].posts = 2
    with dying_workers() as workers:
        assert workers.run(one, **settings) == 0
        pages = stored(one)
        for moment in ("pages not written", "pages written, frontier not told"):
            site[0].posts += 1
            assert time_passes(redis_server, str(tmp_path)) == 1
            assert workers.run(one, die=moment, **settings) == -signal.SIGKILL
            assert time_passes(redis_server, str(tmp_path)) == 0  # it is leased
            assert workers.run(one, **settings) == 0  # in its place: what it held goes back at once
        assert seen(one)[Saw.CHANGED] == 2
        site[0].asked.clear()
        site[0].posts += 1
        assert time_passes(redis_server, str(tmp_path)) == 1
        assert workers.run(one, die="pages not written", **settings) == -signal.SIGKILL
        with closing(redis.Redis.from_url(redis_server.url)) as client:
            leases = f"{{fc:{tmp_path}}}:leases"
            assert [client.zadd(leases, {key: 1.0}) for key in client.zrange(leases, 0, -1)] == [0]  # they run out
        assert workers.run(two, **{**settings, "FOCUSCRAWL_LEASE_S": 4}) == 0
    assert site[0].paths().count("/feed.xml") == 2
    assert seen(two) == Counter({Saw.CHANGED: 1})
    new = stored(one, two) - pages
    assert new == Counter({"/new/32": 1, "/new/33": 1, "/new/34": 1, "/feed.xml": 1})
