"""When the feeds of a crawl are asked again."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

from focuscrawl.crawler.feed_watch import FIRST_S, LONGEST_S, SHORTEST_S, FeedWatch
from focuscrawl.frontier.sqlite import SqliteFrontier
from focuscrawl.records import Entry, Outcome, Settlement, record_of
from focuscrawl.visits import Saw, Visit

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
        record = replace(record_of(lease), reason="a feed of 3 entries", fetched_at=self.now) if row else None
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
