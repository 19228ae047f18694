"""Pages that are visited again by a fleet: they wait in Redis until they are due, and are leased as links are."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest
from redis_kit import RedisServer

from focuscrawl.frontier.base import FrontierStats
from focuscrawl.frontier.fleet import FleetFrontier, FleetTotals
from focuscrawl.frontier.partitioned import PartitionedFrontier
from focuscrawl.frontier.redis import RedisFrontier
from focuscrawl.records import Entry, Lease, Origin, Outcome, Settlement, record_of
from focuscrawl.types import digest64
from focuscrawl.visits import VISIT_SCORE, Earlier

URL = "http://a.example/feed"
EARLIER = Earlier(0.4, URL, body="b", text="t", etag='"e"', interval_s=3600.0)


class Fleet:
    """Workers over one server, and a clock."""

    def __init__(self, server: RedisServer, crawl: str, *, partitioned: bool) -> None:
        self.server, self.crawl, self.partitioned = server, crawl, partitioned
        self.now = 1_000_000.0

    async def worker(self) -> RedisFrontier | PartitionedFrontier:
        url = self.server.url
        made: RedisFrontier | PartitionedFrontier
        if self.partitioned:
            made = PartitionedFrontier(f"{url},{url}", crawl=self.crawl, partitions=2, clock=lambda: self.now)
        else:
            made = RedisFrontier(url, crawl=self.crawl, clock=lambda: self.now)
        await made.open()
        return made

    @staticmethod
    async def totals(worker: RedisFrontier | PartitionedFrontier) -> FleetTotals:
        if isinstance(worker, PartitionedFrontier):
            return await worker.totals()
        return FleetTotals.of(await worker._run("totals"))


@pytest.fixture(params=[False, True], ids=["redis", "partitioned"])
def fleet(request: pytest.FixtureRequest, redis_server: RedisServer, tmp_path: Path) -> Fleet:
    return Fleet(redis_server, str(tmp_path), partitioned=request.param)


def link(url: str, score: float) -> Entry:
    return Entry(url, digest64(url), url.split("/")[2], score, depth=2)


def visit(at: float, url: str = URL) -> Entry:
    return replace(link(url, VISIT_SCORE), not_before=at, origin=Origin(anchor="news", earlier=EARLIER))


async def take(frontier: FleetFrontier, n: int = 9) -> list[Lease]:
    return await frontier.lease(n, worker="", per_host=9, lease_s=60.0)


async def with_feed(fleet: Fleet) -> RedisFrontier | PartitionedFrontier:
    """Return a worker that has fetched a feed, which is due in an hour."""
    worker = await fleet.worker()
    await worker.push([link(URL, 0.4)])
    (lease,) = await take(worker)
    record = replace(record_of(lease), relevant=True)
    settlement = Settlement(lease, Outcome.DONE, record=record, found=[visit(fleet.now + 3600.0)])
    assert await worker.settle([settlement]) == [True]
    return worker


def test_a_page_waits_until_it_is_due_and_comes_before_all_links(fleet: Fleet) -> None:
    async def scene() -> None:
        worker = await with_feed(fleet)
        stats = await worker.stats()
        assert (stats.queued, stats.leased, stats.done) == (0, 0, 1)
        assert await worker.next_ready_at() is None  # a crawl does not wait for it
        await worker.push([link("http://b.example/1", 1.0)])
        (other,) = await take(worker)
        assert other.entry.url == "http://b.example/1"
        await worker.release([other])
        fleet.now += 3600.0
        assert await worker.next_ready_at() is not None
        assert ((await worker.stats()).queued, (await worker.stats()).done) == (2, 0)
        leases = await take(worker)
        assert [one.entry.url for one in leases] == [URL, "http://b.example/1"]
        assert leases[0].entry.origin == Origin(anchor="news", earlier=EARLIER)
        assert leases[0].entry.depth == 2
        await worker.settle([Settlement(one, Outcome.DONE) for one in leases])
        assert await worker.stats() == FrontierStats(done=2)
        fleet.now += 1e9
        assert await take(worker) == []  # nobody said that it is to be visited once more
        await worker.close()

    asyncio.run(scene())


def test_one_worker_has_it_and_its_end_counts_no_page(fleet: Fleet) -> None:
    async def scene() -> None:
        one = await with_feed(fleet)
        two = await fleet.worker()
        for _ in range(3):
            fleet.now += 3600.0
            leases = [*await take(one), *await take(two)]
            assert [lease.entry.url for lease in leases] == [URL]
            record = replace(record_of(leases[0]), relevant=True)
            ended = Settlement(leases[0], Outcome.DONE, record=record, found=[visit(fleet.now + 3600.0)])
            assert await one.settle([ended]) == [True]
            assert await two.settle([ended]) == [False]  # once
            totals = await fleet.totals(one)
            assert (totals.pages, totals.relevant, totals.stored) == (1, 1, 1)
        await one.close()
        await two.close()

    asyncio.run(scene())


def test_the_visit_of_a_dead_worker_goes_to_another(fleet: Fleet) -> None:
    async def scene() -> None:
        one = await with_feed(fleet)
        two = await fleet.worker()
        fleet.now += 3600.0
        (lost,) = await take(one)
        assert await take(two) == []
        fleet.now += 61.0
        assert await two.reap() == 1
        (lease,) = await take(two)
        assert lease.entry == lost.entry
        assert (await one.settle([Settlement(lost, Outcome.DONE, found=[visit(0.0)])])) == [False]
        assert await two.settle([Settlement(lease, Outcome.DONE, found=[visit(fleet.now + 60.0)])]) == [True]
        assert [*await take(one), *await take(two)] == []
        fleet.now += 60.0
        assert [lease.entry.url for lease in await take(one)] == [URL]
        await one.close()
        await two.close()

    asyncio.run(scene())


def test_a_fetch_that_failed_and_a_worker_that_left_lose_nothing(fleet: Fleet) -> None:
    async def scene() -> None:
        one = await with_feed(fleet)
        fleet.now += 3600.0
        (lease,) = await take(one)
        await one.settle([Settlement(lease, Outcome.FAILED)])
        (lease,) = await take(one)
        assert (lease.attempt, lease.entry.origin.earlier) == (2, EARLIER)
        await one.close()  # gives the lease back
        two = await fleet.worker()
        assert [lease.entry.url for lease in await take(two)] == [URL]
        await two.close()

    asyncio.run(scene())


def test_only_pages_whose_work_is_over_are_visited_again(fleet: Fleet) -> None:
    async def scene() -> None:
        worker = await with_feed(fleet)
        await worker.push([link("http://b.example/1", 0.9)])
        unknown, queued = visit(0.0, "http://c.example/"), visit(0.0, "http://b.example/1")
        assert (await worker.push([unknown, queued])).known == 2
        (lease,) = await take(worker)
        assert (lease.entry.url, lease.entry.origin.earlier) == ("http://b.example/1", None)
        assert (await worker.push([queued])).known == 1  # leased
        # Of several times the last one counts.
        assert (await worker.push([visit(fleet.now + 10.0)])).added == 1
        fleet.now += 10.0
        assert [lease.entry.url for lease in await take(worker)] == [URL]
        await worker.close()

    asyncio.run(scene())
