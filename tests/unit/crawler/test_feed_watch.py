"""When the feeds of a crawl are asked again."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest
from redis_kit import RedisServer

from focuscrawl.crawler.feed_watch import FIRST_S, LONGEST_S, SHORTEST_S, FeedWatch, FleetFeedWatch
from focuscrawl.frontier.redis import RedisFrontier
from focuscrawl.frontier.sqlite import SqliteFrontier
from focuscrawl.records import Entry, Outcome, Settlement, record_of
from focuscrawl.visits import Earlier, Saw, Visit

URL = "http://a.example/feed"


class Scene:
    """A crawl with one feed."""

    def __init__(self, path: Path) -> None:
        self.now = 1_000_000.0
        self.frontier = SqliteFrontier(path, clock=lambda: self.now)
        self.watch = FeedWatch(self.frontier, lambda: self.now)
        self.polls: list[float] = []

    async def open(self) -> None:
        await self.frontier.open()
        await self.frontier.push([Entry(URL, 1, "a.example", 0.5)])
        await self.fetch(Saw.FIRST, row=True)

    async def fetch(self, saw: Saw, *, row: bool = False, status: int = 200) -> None:
        (lease,) = await self.frontier.lease(1, worker="w", per_host=1, lease_s=60.0)
        visit = Visit(1, self.now, saw, status, "body", "text", '"e"')
        record = replace(record_of(lease), feed=True, fetched_at=self.now) if row else None
        settlement = Settlement(lease, Outcome.DONE, record=record, visit=visit)
        await self.frontier.settle([settlement])
        self.watch.settled(settlement)

    async def wait(self, limit_s: float = LONGEST_S + 1.0) -> float:
        """Let time pass until the feed is asked for; return how long, -1 when it is not."""
        began = self.now
        for wait_s in (SHORTEST_S, FIRST_S / 2, FIRST_S, FIRST_S * 1.5, FIRST_S * 2.25, LONGEST_S, limit_s):
            self.now = began + wait_s
            if await self.watch.poll():
                return wait_s
        return -1.0


def test_intervals_follow_changes(tmp_path: Path) -> None:
    async def play() -> None:
        scene = Scene(tmp_path / "crawl.db")
        await scene.open()
        assert await scene.wait() == FIRST_S
        await scene.fetch(Saw.UNCHANGED)
        assert await scene.wait() == FIRST_S * 1.5
        await scene.fetch(Saw.FAILED)
        assert await scene.wait() == FIRST_S * 2.25
        for _ in range(6):
            await scene.fetch(Saw.CHANGED)
            last = await scene.wait()
        assert last == SHORTEST_S
        for _ in range(30):
            await scene.fetch(Saw.UNCHANGED)
            last = await scene.wait()
        assert last == LONGEST_S
        await scene.frontier.close()

    asyncio.run(play())


class FleetScene:
    """A fleet with one feed, which two workers ask in turn."""

    def __init__(self, server: RedisServer, crawl: str) -> None:
        self.now = 1_000_000.0
        self.workers = [RedisFrontier(server.url, crawl=crawl, clock=lambda: self.now) for _ in range(2)]
        self.watches = [FleetFeedWatch(), FleetFeedWatch()]

    async def open(self) -> None:
        for worker in self.workers:
            await worker.open()
        await self.workers[0].push([Entry(URL, 1, "a.example", 0.5)])
        await self.fetch(Saw.FIRST, feed=True)

    async def close(self) -> None:
        for worker in self.workers:
            await worker.close()

    async def fetch(
        self, saw: Saw, *, feed: bool | None = None, status: int = 200, etag: str = '"e"'
    ) -> Earlier | None:
        """Fetch the feed by the worker whose turn it is; return what was known of it."""
        worker, watch = self.workers[0], self.watches[0]
        self.workers.reverse()
        self.watches.reverse()
        (lease,) = await worker.lease(1, worker="", per_host=1, lease_s=60.0)
        visit = Visit(1, self.now, saw, status, "body", "text", etag)
        record = None if feed is None else replace(record_of(lease), feed=feed, final_url=URL, fetched_at=self.now)
        settlement = watch.settled(Settlement(lease, Outcome.DONE, record=record, visit=visit))
        assert await worker.settle([settlement]) == [True]
        return lease.entry.origin.earlier

    async def wait(self) -> float:
        """Let time pass until the feed is due; return how long, -1 when it is not asked any more."""
        began = self.now
        for wait_s in (SHORTEST_S, FIRST_S / 2, FIRST_S, FIRST_S * 1.5, FIRST_S * 2.25, LONGEST_S, 9 * LONGEST_S):
            self.now = began + wait_s
            if await self.workers[0].next_ready_at() is not None:
                return wait_s
        return -1.0


def test_a_fleet_hands_on_interval_and_validators(redis_server: RedisServer, tmp_path: Path) -> None:
    async def play() -> None:
        scene = FleetScene(redis_server, str(tmp_path))
        await scene.open()
        assert await scene.wait() == FIRST_S
        first = Earlier(0.5, URL, "body", "text", "", '"e"', interval_s=FIRST_S)
        assert await scene.fetch(Saw.UNCHANGED, etag='"f"') == first
        assert await scene.wait() == FIRST_S * 1.5
        second = replace(first, etag='"f"', interval_s=FIRST_S * 1.5)
        assert await scene.fetch(Saw.FAILED, status=500) == second  # which says nothing of the feed
        assert await scene.wait() == FIRST_S * 2.25
        assert await scene.fetch(Saw.FAILED, status=304) == replace(second, interval_s=FIRST_S * 2.25)
        assert await scene.wait() == LONGEST_S  # the next moment that is looked at
        known = await scene.fetch(Saw.CHANGED, feed=True)
        assert known == Earlier(0.5, URL, interval_s=FIRST_S * 3.375)  # conditions did no good
        for _ in range(6):
            await scene.wait()
            await scene.fetch(Saw.CHANGED, feed=True)
        assert await scene.wait() == SHORTEST_S
        for _ in range(30):
            await scene.fetch(Saw.UNCHANGED)
            last = await scene.wait()
        assert last == LONGEST_S
        await scene.close()

    asyncio.run(play())


@pytest.mark.parametrize(("saw", "feed"), [(Saw.GONE, None), (Saw.CHANGED, False)])
def test_a_fleet_leaves_alone_what_is_no_feed_any_more(
    redis_server: RedisServer, tmp_path: Path, saw: Saw, feed: bool | None
) -> None:
    async def play() -> None:
        scene = FleetScene(redis_server, str(tmp_path))
        await scene.open()
        await scene.wait()
        await scene.fetch(saw, feed=feed)
        assert await scene.wait() == -1.0
        await scene.close()

    asyncio.run(play())


def test_a_feed_that_is_gone_or_no_feed_any_more_is_left_alone(tmp_path: Path) -> None:
    async def play() -> None:
        scene = Scene(tmp_path / "crawl.db")
        await scene.open()
        await scene.wait()
        await scene.fetch(Saw.GONE)
        assert await scene.wait() == -1.0
        await scene.frontier.close()

    asyncio.run(play())


def test_the_schedule_outlives_the_process(tmp_path: Path) -> None:
    async def play() -> None:
        scene = Scene(tmp_path / "crawl.db")
        await scene.open()
        await scene.wait()
        await scene.fetch(Saw.UNCHANGED)
        read_at = scene.now
        watch = await FeedWatch.begin(scene.frontier, clock=lambda: scene.now, at_once=True)
        scene.now = read_at + FIRST_S * 1.5 - 1.0
        assert await watch.poll() == 0
        scene.now = read_at + FIRST_S * 1.5
        assert await watch.poll() == 1
        (lease,) = await scene.frontier.lease(1, worker="w", per_host=1, lease_s=60.0)
        assert lease.entry.origin.earlier is not None
        assert (lease.entry.origin.earlier.etag, lease.entry.origin.earlier.text) == ('"e"', "text")
        # A clock that went back: the visit lies in the future, and the feed is asked within its interval.
        scene.now = read_at - 500_000.0
        watch = await FeedWatch.begin(scene.frontier, clock=lambda: scene.now, at_once=True)
        scene.now += FIRST_S * 1.5
        await scene.frontier.settle([Settlement(lease, Outcome.DONE)])
        assert await watch.poll() == 1
        await scene.frontier.close()

    asyncio.run(play())
