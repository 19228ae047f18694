"""A fleet at work whose parts are killed: workers, the trainer among them, and redis-server (append-only file)."""

from __future__ import annotations

import json
import os
import signal
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
import redis
from crawl_kit import topic_file, until
from dying_worker import Workers, dying_workers
from redis_kit import RedisServer, running_redis
from site_kit import PAGES, Site

from focuscrawl.storage.crawldb import CrawlDb
from focuscrawl.storage.reading import PageQuery

pytestmark = pytest.mark.timeout(400)
HELD = 3  # leases of a worker at most: two requests and one ready


class Fleet:
    """Two workers that are started again in their run folders whenever they are killed."""

    def __init__(self, folder: Path, server: RedisServer) -> None:
        self.folder = folder
        self.server = server
        self.killed: list[int] = []
        self.settings = {
            "FOCUSCRAWL_FRONTIER_URL": server.url,
            "FOCUSCRAWL_CRAWL": "live",
            "FOCUSCRAWL_LEASE_S": 3000,  # nothing comes back by waiting
            "CONCURRENT_REQUESTS": HELD - 1,
            "FOCUSCRAWL_FRONTIER_BUFFER": 1,
        }

    def lives(self, workers: Workers, name: str) -> list[int]:
        """Run a worker until it is not killed any more; return how its lives ended."""
        codes = []
        while not codes or codes[-1] == -signal.SIGKILL:
            codes.append(workers.run(self.folder / name, **self.settings))
        return codes

    def alive(self, *, trainer: bool) -> set[int]:
        """Return the process that trains, or the others."""
        with closing(redis.Redis.from_url(self.server.url)) as client:
            facts = client.hgetall("{fc:live}:status")
            trains = client.get("{fc:live}:trainer")
        pids = {json.loads(text)["pid"] for name, text in facts.items() if (name == trains) is trainer}
        return pids - set(self.killed)

    def kill(self, *, trainer: bool) -> None:
        """Kill the worker that trains, or the other one."""
        until(lambda: bool(self.alive(trainer=trainer)))
        (pid,) = self.alive(trainer=trainer)
        self.killed.append(pid)
        os.kill(pid, signal.SIGKILL)

    def rows(self) -> Counter[str]:
        """Return the pages in the run folders of both."""
        rows: Counter[str] = Counter()
        for name in ("one", "two"):
            with CrawlDb.open_readonly(self.folder / name / "crawl.db") as db:
                rows.update(record.url for record in db.pages(PageQuery(outcome="done", with_text=False)))
        return rows


@contextmanager
def at_work(fleet: Fleet) -> Iterator[list[Any]]:
    """Run both workers; what their lives ended with is in the list afterwards."""
    ended: list[Any] = []
    with dying_workers() as first, dying_workers() as second, ThreadPoolExecutor(2) as pool:
        lives = [pool.submit(fleet.lives, first, "one"), pool.submit(fleet.lives, second, "two")]
        yield ended
        ended += [life.result(timeout=300) for life in lives]


def test_what_is_killed_loses_nothing_and_stores_nothing_twice(site: Site, tmp_path: Path) -> None:
    topic_file(tmp_path, site.url("/page/0"))
    site.page_delay(1.0)  # until both take part
    with running_redis("--appendonly", "yes", "--appendfsync", "always") as server:
        fleet = Fleet(tmp_path, server)
        with at_work(fleet) as ended:
            until(lambda: len(fleet.alive(trainer=True) | fleet.alive(trainer=False)) == 2)
            site.page_delay(0.15)
            until(lambda: len(site.paths()) >= 8)
            fleet.kill(trainer=True)
            until(lambda: len(site.paths()) >= 20)
            server.stop(kill=True)
            server.start()
            until(lambda: len(site.paths()) >= 28)
            fleet.kill(trainer=False)
            until(lambda: len(site.paths()) >= 36)
            fleet.kill(trainer=True)
        with closing(redis.Redis.from_url(server.url)) as client:
            waiting, leased = client.hlen("{fc:live}:e"), client.zcard("{fc:live}:leases")
    assert [codes[-1] for codes in ended] == [0, 0]
    assert sum(len(codes) for codes in ended) == 2 + len(fleet.killed) == 5
    assert (waiting, leased) == (0, 0)
    everything = {site.url(f"/page/{n}") for n in range(PAGES)}
    assert fleet.rows() == Counter(dict.fromkeys(everything, 1))
    assert {site.url(path) for path in site.paths()} == everything
    assert len(site.paths()) - PAGES <= len(fleet.killed) * HELD
