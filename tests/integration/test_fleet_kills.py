"""Workers of a fleet that are killed at exactly chosen moments: every page is stored, and none of them twice."""

from __future__ import annotations

import asyncio
import json
import signal
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from crawl_kit import topic_file
from dying_worker import Workers, dying_workers
from redis_kit import RedisServer
from site_kit import PAGES, Site

from focuscrawl.cli.main import run as command_line
from focuscrawl.fleet.redis_channel import RedisChannel
from focuscrawl.storage.crawldb import CrawlDb
from focuscrawl.storage.reading import PageQuery
from focuscrawl.storage.run import RunFolder

pytestmark = pytest.mark.timeout(400)
KILLED = -signal.SIGKILL


class Fleet:
    """A crawl of the test site, its workers and what they have stored."""

    def __init__(self, folder: Path, site: Site, server: RedisServer, workers: Workers) -> None:
        self.workers = workers
        topic_file(folder, site.url("/page/0"))
        self.folder = folder
        self.server = server
        # Leases outlast the test: what a killed worker holds comes back when it is started again, or never.
        self.settings = {
            "FOCUSCRAWL_FRONTIER_URL": server.url,
            "FOCUSCRAWL_CRAWL": str(folder),
            "FOCUSCRAWL_LEASE_S": 3000,
            "CONCURRENT_REQUESTS": 4,
            "FOCUSCRAWL_FRONTIER_BUFFER": 2,
        }

    def run(self, name: str, **how: Any) -> int:
        return self.workers.run(self.folder / name, **how, **self.settings)

    def stored(self, name: str) -> Counter[str]:
        with CrawlDb.open_readonly(self.folder / name / "crawl.db") as db:
            return Counter(record.url for record in db.pages(PageQuery(outcome="done", with_text=False)))

    def lines(self, name: str) -> Counter[str]:
        text = RunFolder(self.folder / name).as_worker().pages_jsonl.read_text("utf-8")
        return Counter(json.loads(line)["url"] for line in text.splitlines())

    def settled(self) -> int:
        """Return how many pages the frontier knows as fetched."""

        async def ask() -> int:
            channel = RedisChannel(self.server.url, crawl=str(self.folder))
            await channel.open()
            totals = await channel.totals()
            await channel.close()
            return totals.pages

        return asyncio.run(ask())


@pytest.fixture(scope="module")
def workers() -> Iterator[Workers]:
    with dying_workers() as workers:
        yield workers


@pytest.fixture
def fleet(tmp_path: Path, site: Site, redis_server: RedisServer, workers: Workers) -> Fleet:
    return Fleet(tmp_path, site, redis_server, workers)


# Moment of a death, and those at which the next starts in its place die.
DEATHS = {
    "pages not written": ("begun, nothing fetched",),
    "pages written, frontier not told": ("recovered, not begun", "begun, nothing fetched"),
    "frontier told, its answer not known": ("recovered, not begun", "begun, the earlier one not discarded"),
    "answer written, lines not": ("begun, nothing fetched",),
}


def test_a_worker_killed_at_any_moment_and_started_again_stores_what_the_frontier_knows(
    fleet: Fleet, site: Site, capfd: pytest.CaptureFixture[str]
) -> None:
    ahead = 0  # rows that were there before the frontier knew the page
    for moment, again in DEATHS.items():
        assert fleet.run("one", die=moment, at=2) == KILLED
        known = fleet.settled()
        ahead += fleet.stored("one").total() - known
        for restart in again:  # killed while it recovers another, it asks again
            assert fleet.run("one", die=restart) == KILLED
        assert fleet.stored("one").total() == fleet.settled() == known, moment
    assert ahead > 0
    # Another one gets all that is left at once, and nothing that is stored in the first one's folder.
    assert fleet.run("two") == 0
    one, two = fleet.stored("one"), fleet.stored("two")
    assert not one & two
    assert one + two == Counter({site.url(f"/page/{n}"): 1 for n in range(PAGES)})
    # The first one finds nothing more to do, and has the lines it was killed before it wrote them.
    assert fleet.run("one") == 0
    assert fleet.stored("one") == one
    relevant = Counter(url for url in one + two if int(url.rpartition("/")[2]) % 3 == 0)
    assert set(fleet.lines("one") + fleet.lines("two")) == set(relevant)
    assert (fleet.lines("one") + fleet.lines("two")).total() == relevant.total()
    with pytest.raises(SystemExit) as ended:
        command_line(["export", "--all", str(fleet.folder / "one"), str(fleet.folder / "two")])
    out = capfd.readouterr().out
    assert not ended.value.code
    assert Counter(json.loads(line)["url"] for line in out.splitlines()) == one + two
    # In flight and in the buffer, four times.
    assert len(site.paths()) - PAGES <= 4 * 6


def test_a_stop_given_while_the_only_worker_is_dead_does_not_stop_the_one_in_its_place(fleet: Fleet) -> None:
    assert fleet.run("one", die="pages not written", at=2) == KILLED
    with pytest.raises(SystemExit) as given:
        command_line(["fleet", "stop", "--on", fleet.server.url, "--crawl", str(fleet.folder)])
    assert not given.value.code
    assert fleet.run("one") == 0
    assert fleet.stored("one").total() == fleet.settled() == PAGES
