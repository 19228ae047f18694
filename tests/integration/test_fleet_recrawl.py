"""Rounds of visits that the workers of a fleet make together, over a site of our own that changes in between."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import redis
from changing_site import TOPIC, ChangingSite, changing_site, seen, story
from crawl_kit import crawl_here, crawl_together, session_of
from dying_worker import dying_workers
from redis_kit import RedisServer

from focuscrawl.dashboard.source import Source
from focuscrawl.dashboard.state import StateReader
from focuscrawl.errors import ConfigError
from focuscrawl.fleet.crawl_place import find_place
from focuscrawl.fleet.overview import fleet_overview
from focuscrawl.fleet.redis_channel import RedisChannel
from focuscrawl.report.read import read_run
from focuscrawl.spiders.recrawl import RecrawlSpider
from focuscrawl.storage.crawldb import CrawlDb
from focuscrawl.storage.several import SeveralRuns
from focuscrawl.storage.visits import RECRAWL
from focuscrawl.visits import Saw

Site = tuple[ChangingSite, str]
PAGES = ["/", *(f"/bed/{n}" for n in range(6))]


@pytest.fixture
def site() -> Iterator[Site]:
    with changing_site() as served:
        yield served


@pytest.fixture
def runs(tmp_path: Path, site: Site, redis_server: RedisServer) -> list[Path]:
    """Crawl the site with two workers; their run folders."""
    (tmp_path / "lighthouses.toml").write_text(TOPIC.format(seed=site[1] + "/"), encoding="utf-8")
    crawl_together(tmp_path, redis_server, pages=50)
    site[0].asked.clear()
    return [tmp_path / "run0", tmp_path / "run1"]


def recrawl(folder: Path, server: RedisServer, *, workers: int = 2, **arguments: Any) -> set[tuple[str, str]]:
    """Make a round; return why its workers ended."""
    crawlers = crawl_together(folder, server, workers=workers, spider="recrawl", **{"pages": 50, **arguments})
    endings = [session_of(one).ending for one in crawlers]
    return {(one.reason, one.detail) for one in endings if one is not None}


def status(server: RedisServer, crawl: Path) -> dict[str, Any]:
    """Return what ``fleet status`` says."""

    async def look() -> dict[str, Any]:
        channel = RedisChannel(server.url, crawl=str(crawl))
        await channel.open()
        try:
            return await fleet_overview(channel)
        finally:
            await channel.close()

    return asyncio.run(look())


def test_two_workers_visit_each_page_once_in_a_round(
    tmp_path: Path, site: Site, redis_server: RedisServer, runs: list[Path]
) -> None:
    assert status(redis_server, tmp_path)["round"] is None
    site[0].editions["/bed/1"] = 3
    site[0].gone.add("/bed/3")
    assert recrawl(tmp_path, redis_server) == {("budget", "7 visits")}
    assert sorted(site[0].paths()) == PAGES
    assert all(one.etag for one in site[0].asked if one.path != "/robots.txt")
    assert seen(*runs) == {Saw.UNCHANGED: 5, Saw.CHANGED: 1, Saw.GONE: 1}
    told = status(redis_server, tmp_path)
    assert (told["pages"], told["queue"]["queued"], told["queue"]["done"]) == (7, 0, 7)
    one = told["round"]
    assert (one["number"], one["wanted"], one["left"], one["known_pages"], one["pages"]) == (1, 7, 0, 7, 6)
    assert (one["unchanged"], one["changed"], one["gone"], one["failed"]) == (5, 1, 1, 0)
    assert 0.0 < one["freshness_before"] <= 1.0
    assert 0.0 < one["freshness"] < 1.0
    assert one["ended_at"] >= one["begun_at"] > 0.0
    notes = []
    for run in runs:
        with CrawlDb.open_readonly(run / "crawl.db") as db:
            notes += [event.data for event in db.events(RECRAWL)]
    assert [note["round"] for note in notes] == [1, 1]
    assert {note["freshness"] for note in notes} == {one["freshness"]}
    assert sum(note["unchanged"] for note in notes) == 5
    with (
        CrawlDb.open_readonly(runs[0] / "crawl.db") as first,
        CrawlDb.open_readonly(runs[1] / "crawl.db") as second,
        SeveralRuns.open({"one": first, "two": second}) as both,
    ):
        texts = [record.text for record in both.pages() if record.url.endswith("/bed/1")]
        (shown,) = read_run(both).rounds
    assert [shown.count(name) for name in ("unchanged", "changed", "gone", "pages")] == [5, 1, 1, 6]
    assert len(texts) == 1
    assert story(1, 3) in texts[0]
    shown_live = StateReader(Source([], find_place(redis_server.url, str(tmp_path)))).read()["visits"]
    assert (shown_live["last"]["unchanged"], shown_live["last"]["pages"], shown_live["waiting"]) == (5, 6, 0)
    assert shown_live["last"]["freshness"] == one["freshness"]
    # The next round leaves alone what is gone, and knows what the others have seen.
    site[0].asked.clear()
    assert recrawl(tmp_path, redis_server) == {("budget", "6 visits")}
    assert sorted(site[0].paths()) == [path for path in PAGES if path != "/bed/3"]
    assert seen(*runs)[Saw.UNCHANGED] == 5 + 6
    assert status(redis_server, tmp_path)["round"]["number"] == 2


def test_links_wait_while_pages_are_visited_and_the_share_of_new_ones_is_followed_by_all_together(
    tmp_path: Path, site: Site, redis_server: RedisServer, runs: list[Path]
) -> None:
    site[0].editions["/bed/1"] = 3
    site[0].more["/bed/1"] = "".join(f"<p><a href=/new/{n}>sage in the garden, bed {n}</a>" for n in (7, 8, 9))
    assert recrawl(tmp_path, redis_server, period=3600.0) == {("budget", "7 visits")}
    assert sorted(site[0].paths()) == PAGES
    assert status(redis_server, tmp_path)["queue"]["queued"] == 3
    site[0].asked.clear()
    assert recrawl(tmp_path, redis_server, period=3600.0) == {("budget", "7 visits")}
    assert site[0].asked == []  # in the same period: it is the round that has been made
    assert recrawl(tmp_path, redis_server, pages=5, new=0.4) == {("budget", "9 pages")}
    new = [path for path in site[0].paths() if path.startswith("/new")]
    assert (len(new), len(set(new)), len(site[0].paths())) == (2, 2, 5)
    told = status(redis_server, tmp_path)
    assert (told["pages"], told["queue"]["queued"], told["round"]["number"]) == (9, 1, 2)


def test_a_worker_that_comes_late_has_nothing_left_to_do(
    tmp_path: Path, site: Site, redis_server: RedisServer, runs: list[Path]
) -> None:
    class Early(RecrawlSpider):
        """Was told to visit pages again an hour ago, and took its time to start."""

        @classmethod
        def from_crawler(cls, *args: Any, **kwargs: Any) -> RecrawlSpider:
            spider = super().from_crawler(*args, **kwargs)
            assert spider.refresh is not None
            spider.refresh = replace(spider.refresh, given_at=spider.refresh.given_at - 3600.0)
            return spider

    fleet = {"FOCUSCRAWL_FRONTIER_URL": redis_server.url, "FOCUSCRAWL_CRAWL": str(tmp_path)}
    recrawl(tmp_path, redis_server, workers=1)
    site[0].asked.clear()
    late = crawl_here(runs[1], spider=Early, run=str(runs[1]), pages=50, settings=fleet)
    assert late.exit_code == 0
    assert site[0].asked == []
    assert status(redis_server, tmp_path)["round"]["number"] == 1
    with CrawlDb.open_readonly(runs[1] / "crawl.db") as db:
        assert list(db.events(RECRAWL)) == []


@pytest.mark.parametrize("moment", ["pages not written", "pages written, frontier not told"])
def test_what_a_killed_worker_held_is_visited_by_another_in_the_same_round(
    tmp_path: Path, site: Site, redis_server: RedisServer, runs: list[Path], moment: str
) -> None:
    fleet = {"FOCUSCRAWL_FRONTIER_URL": redis_server.url, "FOCUSCRAWL_CRAWL": str(tmp_path)}
    one, two = runs
    with dying_workers() as workers:
        assert workers.run(one, die=moment, spider="recrawl", **fleet) == -signal.SIGKILL
        begun = status(redis_server, tmp_path)["round"]
        assert (begun["number"], begun["wanted"], begun["left"], begun["ended_at"]) == (1, 7, 7, None)
        live = StateReader(Source([], find_place(redis_server.url, str(tmp_path)))).read()["visits"]
        assert live == {"seen": {}, "waiting": 7, "last": None}
        site[0].forget_the_dead()
        with closing(redis.Redis.from_url(redis_server.url)) as client:
            leases = f"{{fc:{tmp_path}}}:leases"
            held = client.zrange(leases, 0, -1)
            assert held
            client.zadd(leases, dict.fromkeys(held, 1.0))  # they run out
        assert workers.run(two, spider="recrawl", **{**fleet, "FOCUSCRAWL_LEASE_S": 8}) == 0
    assert sorted(site[0].paths()) == PAGES
    ended = status(redis_server, tmp_path)["round"]
    assert (ended["number"], ended["left"], ended["unchanged"]) == (1, 0, 7)
    # The killed one begins again, and takes back what it had written of visits that others have made.
    assert recrawl(tmp_path, redis_server, workers=1, period=3600.0) == {("budget", "7 visits")}
    assert sorted(site[0].paths()) == PAGES
    assert seen(one, two) == {Saw.UNCHANGED: 7}


def test_a_worker_killed_alone_goes_on_with_what_it_left_as_part_of_its_next_round(
    tmp_path: Path, site: Site, redis_server: RedisServer, runs: list[Path]
) -> None:
    fleet = {"FOCUSCRAWL_FRONTIER_URL": redis_server.url, "FOCUSCRAWL_CRAWL": str(tmp_path)}
    with dying_workers() as workers:
        assert workers.run(runs[0], die="pages not written", spider="recrawl", **fleet) == -signal.SIGKILL
        site[0].forget_the_dead()
        assert workers.run(runs[0], spider="recrawl", **fleet) == 0
    assert sorted(site[0].paths()) == PAGES
    told = status(redis_server, tmp_path)["round"]
    assert (told["number"], told["wanted"], told["left"]) == (2, 7, 0)
    assert seen(*runs) == {Saw.UNCHANGED: 7}


def test_what_a_fleet_cannot_do_is_refused_in_a_sentence_and_leaves_the_run_as_it_was(
    tmp_path: Path, site: Site, redis_server: RedisServer, runs: list[Path]
) -> None:
    fleet = {"FOCUSCRAWL_FRONTIER_URL": redis_server.url, "FOCUSCRAWL_CRAWL": str(tmp_path)}
    several = {**fleet, "FOCUSCRAWL_FRONTIER_URL": f"{redis_server.url},{redis_server.url}"}
    settings: dict[str, str]
    for settings, arguments, words in (
        ({}, {}, r"run0: the run of one worker of a fleet.* FOCUSCRAWL_FRONTIER_URL=redis://"),
        (fleet, {"off_topic": 1}, "run0: a fleet keeps the visits of relevant pages only"),
        (fleet, {"pages": 100_001}, "pages = 100,001: a round of a fleet has 100,000 visits at most"),
        (several, {}, "run0: the run of a fleet with several Redis servers"),
    ):
        with pytest.raises(ConfigError, match=words):
            crawl_here(runs[0], spider="recrawl", settings=settings, **{"pages": 50, **arguments})
    assert site[0].asked == []
    assert status(redis_server, tmp_path)["round"] is None
    crawl_together(tmp_path, redis_server, pages=50)  # they go on as workers
    assert seen(*runs) == {}
