"""Pages that are done come back into the SQLite frontier to be visited again."""

from __future__ import annotations

import asyncio
from pathlib import Path

from focuscrawl.frontier.sqlite import SqliteFrontier
from focuscrawl.records import Entry, Lease, Outcome, Settlement
from focuscrawl.storage.crawldb import CrawlDb
from focuscrawl.visits import VISIT_SCORE, Earlier, Revisit

EARLIER = Earlier(0.0, "http://a.example/1", body="b", etag='"e"')


def entry(number: int, score: float, host: str = "a.example") -> Entry:
    return Entry(f"http://{host}/{number}", number, host, score, depth=2)


async def _lease(frontier: SqliteFrontier, n: int = 9) -> list[Lease]:
    return await frontier.lease(n, worker="w", per_host=9, lease_s=60.0)


async def _with_done(path: Path, clock: list[float], delay_s: float = 0.0) -> SqliteFrontier:
    """Return a frontier in which pages 1 and 2 are done, and link 3 waits."""
    frontier = SqliteFrontier(path, clock=lambda: clock[0], delay_s=delay_s)
    await frontier.open()
    await frontier.push([entry(1, 0.4), entry(2, 0.6)])
    for lease in [*await _lease(frontier, 1), *(await _later(frontier, clock))]:
        await frontier.settle([Settlement(lease, Outcome.DONE)])
    await frontier.push([entry(3, 0.9, "b.example")])
    return frontier


async def _later(frontier: SqliteFrontier, clock: list[float]) -> list[Lease]:
    clock[0] += 100.0
    return await _lease(frontier, 1)


def test_a_page_is_visited_before_all_links_and_has_its_score_afterwards(tmp_path: Path) -> None:
    async def scene() -> None:
        clock = [1000.0]
        frontier = await _with_done(tmp_path / "crawl.db", clock)
        assert await frontier.visit_again([Revisit(1, VISIT_SCORE, EARLIER), Revisit(7, VISIT_SCORE, EARLIER)]) == 1
        assert (await frontier.stats()).queued == 2
        assert (await frontier.stats()).done == 1
        first, second = await _lease(frontier)
        assert first.entry.url == "http://a.example/1"
        assert first.entry.depth == 2
        assert first.entry.origin.earlier == Earlier(0.4, "http://a.example/1", body="b", etag='"e"')
        assert second.entry.key == 3
        assert second.entry.origin.earlier is None
        assert await frontier.settle([Settlement(first, Outcome.DONE)]) == [True]
        await frontier.push([entry(1, 0.99)])  # known, as before
        assert (await frontier.stats()).queued == 0
        assert await frontier.visit_again([Revisit(1, VISIT_SCORE, EARLIER)]) == 1
        await frontier.close()

    asyncio.run(scene())
    with CrawlDb.open_readonly(tmp_path / "crawl.db") as db:
        stored = db.entry(1)
        assert stored is not None
        assert stored.entry.origin.earlier is not None
        assert stored.entry.origin.earlier.score == 0.4


def test_only_visits_are_handed_out_when_asked_for(tmp_path: Path) -> None:
    async def scene() -> None:
        clock = [1000.0]
        frontier = await _with_done(tmp_path / "crawl.db", clock, delay_s=50.0)
        await frontier.visit_again([Revisit(1, VISIT_SCORE, EARLIER), Revisit(2, VISIT_SCORE + 1.0, EARLIER)])
        frontier.only_visits = True
        assert await _lease(frontier) == []  # the host has to wait
        assert await frontier.next_ready_at() == clock[0] + 50.0
        clock[0] += 50.0
        (lease,) = await _lease(frontier)
        assert lease.entry.key == 2  # the higher score, and the host's delay
        assert await frontier.next_ready_at() == clock[0] + 50.0
        await frontier.settle([Settlement(lease, Outcome.DONE)])
        clock[0] += 50.0
        (lease,) = await _lease(frontier)
        await frontier.settle([Settlement(lease, Outcome.DONE)])
        assert await frontier.next_ready_at() is None
        assert (await frontier.stats()).queued == 1
        frontier.only_visits = False
        (link,) = await _lease(frontier)
        assert link.entry.key == 3
        await frontier.close()

    asyncio.run(scene())


def test_a_visit_that_waits_keeps_its_turn_whatever_a_strategy_says_of_its_link(tmp_path: Path) -> None:
    async def scene() -> None:
        clock = [1000.0]
        frontier = await _with_done(tmp_path / "crawl.db", clock)
        await frontier.visit_again([Revisit(1, VISIT_SCORE, EARLIER)])
        frontier.only_visits = True
        assert await frontier.rescore({1: 3.7, 3: 0.2}) == 1
        assert [lease.entry.key for lease in await _lease(frontier)] == [1]
        await frontier.close()

    asyncio.run(scene())


def test_visits_outlive_the_process(tmp_path: Path) -> None:
    async def scene() -> None:
        clock = [1000.0]
        frontier = await _with_done(tmp_path / "crawl.db", clock)
        await frontier.visit_again([Revisit(2, VISIT_SCORE, EARLIER)])
        assert len(await _lease(frontier, 1)) == 1
        await frontier.close()  # as if it were killed: the lease was not ended
        again = SqliteFrontier(tmp_path / "crawl.db", clock=lambda: clock[0])
        await again.open()
        (lease,) = await _lease(again, 1)
        assert lease.entry.key == 2
        assert lease.entry.origin.earlier == Earlier(0.6, "http://a.example/1", body="b", etag='"e"')
        await again.settle([Settlement(lease, Outcome.DONE)])
        stats = await again.stats()
        assert (stats.queued, stats.done) == (1, 2)
        await again.close()

    asyncio.run(scene())


def test_a_page_that_is_queued_or_leased_or_another_address_is_left_alone(tmp_path: Path) -> None:
    async def scene() -> None:
        clock = [1000.0]
        frontier = await _with_done(tmp_path / "crawl.db", clock)
        assert await frontier.visit_again([Revisit(3, VISIT_SCORE, EARLIER)]) == 0
        (lease,) = await _lease(frontier, 1)
        assert await frontier.visit_again([Revisit(3, VISIT_SCORE, EARLIER)]) == 0
        await frontier.settle([Settlement(lease, Outcome.DONE, also=[55])])
        assert await frontier.visit_again([Revisit(55, VISIT_SCORE, EARLIER)]) == 0
        assert (await frontier.stats()).queued == 0
        await frontier.close()

    asyncio.run(scene())
