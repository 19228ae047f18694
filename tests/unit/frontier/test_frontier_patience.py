"""A crawl that waits for better links, for a stated time at most."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from redis_kit import RedisServer

from focuscrawl.errors import FrontierError
from focuscrawl.frontier.memory import MemoryFrontier
from focuscrawl.frontier.patience import Patience
from focuscrawl.frontier.redis import RedisFrontier
from focuscrawl.frontier.sqlite import SqliteFrontier
from focuscrawl.records import Entry, Outcome, Settlement, record_of
from focuscrawl.types import digest64

SLOW, FAST = "slow.example", "fast.example"
DELAY_S = 10.0
PAGES = 100  # the crawl may fetch
NOW = 1_800_000_000.0

Make = Callable[..., Any]


@pytest.fixture(params=["memory", "sqlite", "redis"])
def make(request: pytest.FixtureRequest, tmp_path: Path) -> Make:
    def build(clock: Any, wait_per_page_s: float) -> Any:
        if request.param == "redis":
            server: RedisServer = request.getfixturevalue("redis_server")
            name = digest64(request.node.nodeid)
            frontier = RedisFrontier(server.url, crawl=f"{name:x}", clock=clock, wait_per_page_s=wait_per_page_s)
            frontier.page_limit = PAGES
            return frontier
        options = {"clock": clock, "wait_per_page_s": wait_per_page_s, "wait_pages": PAGES}
        if request.param == "memory":
            return MemoryFrontier(**options)
        return SqliteFrontier(tmp_path / "crawl.db", **options)

    return build


def entries(host: str, score: float, count: int) -> list[Entry]:
    base = 0 if host == SLOW else 1000
    return [Entry(f"http://{host}/{n}", base + n + 1, host, score) for n in range(count)]


async def crawl(frontier: Any, clock: Any, pages: int, *, outcome: Outcome = Outcome.DONE) -> list[str]:
    """Fetch one link after the other, whenever one is to be had; return their hosts."""
    hosts: list[str] = []
    while len(hosts) < pages:
        leases = await frontier.lease(1, worker="w", per_host=1000, lease_s=60.0)
        hosts += [lease.entry.host for lease in leases]
        await frontier.settle([Settlement(lease, outcome, record=record_of(lease)) for lease in leases])
        clock.now += 0.01 * len(leases)
        if not leases:
            at = await frontier.next_ready_at()
            assert at is not None
            assert at > clock.now  # nobody spins
            clock.now = at
    return hosts


@pytest.mark.parametrize(("wait_per_page_s", "slow_pages"), [(0.0, 1), (1.0, 10), (100.0, 60)])
def test_waiting_is_limited_and_goes_to_the_better_host(
    make: Make, clock: Any, wait_per_page_s: float, slow_pages: int
) -> None:
    async def run() -> None:
        frontier = make(clock, wait_per_page_s)
        await frontier.open()
        await frontier.set_host(SLOW, delay_s=DELAY_S)
        await frontier.push(entries(SLOW, 0.9, 60) + entries(FAST, 0.4, 200))
        hosts = await crawl(frontier, clock, PAGES)
        assert slow_pages - 1 <= hosts.count(SLOW) <= slow_pages + 1
        assert clock.now - NOW <= wait_per_page_s * PAGES + DELAY_S + 1.0 or slow_pages == 60
        await frontier.close()

    asyncio.run(run())


def test_a_link_that_is_hardly_better_is_not_waited_for(make: Make, clock: Any) -> None:
    async def run() -> None:
        frontier = make(clock, 1.0)
        await frontier.open()
        await frontier.set_host(SLOW, delay_s=DELAY_S)
        await frontier.push(entries(SLOW, 0.49, 20) + entries(FAST, 0.4, 100))
        assert (await crawl(frontier, clock, 50)).count(SLOW) == 1
        await frontier.close()

    asyncio.run(run())


@pytest.mark.parametrize("hold_s", [20.0, 3600.0])
def test_a_host_on_hold_is_not_waited_for(make: Make, clock: Any, hold_s: float) -> None:
    async def run() -> None:
        frontier = make(clock, 1.0)
        await frontier.open()
        await frontier.set_host(SLOW, hold_until=NOW + hold_s)
        await frontier.push(entries(SLOW, 0.9, 20) + entries(FAST, 0.4, 100))
        assert (await crawl(frontier, clock, 50)).count(SLOW) == 0
        assert clock.now - NOW < 1.0
        await frontier.close()

    asyncio.run(run())


def test_a_host_held_for_its_own_delay_is_waited_for(make: Make, clock: Any) -> None:
    """A robots.txt counts as a request: the delay it asks for begins with it."""

    async def run() -> None:
        frontier = make(clock, 20.0)
        await frontier.open()
        await frontier.set_host(SLOW, delay_s=DELAY_S, hold_until=NOW + 2.0 * DELAY_S)
        await frontier.push(entries(SLOW, 0.9, 5) + entries(FAST, 0.4, 100))
        assert (await crawl(frontier, clock, 10)).count(SLOW) >= 4
        await frontier.close()

    asyncio.run(run())


def test_counters_say_what_is_waited_for(make: Make, clock: Any) -> None:
    async def run() -> None:
        frontier = make(clock, 20.0)
        await frontier.open()
        await frontier.set_host(SLOW, delay_s=DELAY_S)
        await frontier.push(entries(SLOW, 0.9, 2) + entries(FAST, 0.4, 2))
        assert await crawl(frontier, clock, 1) == [SLOW]
        assert await frontier.lease(2, worker="w", per_host=8, lease_s=60.0) == []
        assert await frontier.next_ready_at() == NOW + DELAY_S
        stats = await frontier.stats()
        assert (stats.waits_for, stats.waits_until) == (1, NOW + DELAY_S)
        clock.now = NOW + DELAY_S
        second = await frontier.lease(2, worker="w", per_host=8, lease_s=60.0)
        assert [lease.entry.host for lease in second] == [SLOW, FAST]
        assert (await frontier.stats()).waits_for == 0
        await frontier.close()

    asyncio.run(run())


def test_half_of_the_time_is_there_from_the_start(make: Make, clock: Any) -> None:
    async def run() -> None:
        frontier = make(clock, 1.0)
        await frontier.open()
        await frontier.set_host(SLOW, delay_s=DELAY_S)
        await frontier.push(entries(SLOW, 0.9, 60) + entries(FAST, 0.4, 200))
        assert await crawl(frontier, clock, 6) == [SLOW] * 6, "five waits of ten seconds, of a hundred in all"
        await frontier.close()

    asyncio.run(run())


def test_links_that_lead_to_no_page_earn_no_waiting(make: Make, clock: Any) -> None:
    async def run() -> None:
        frontier = make(clock, 1.0)
        await frontier.open()
        await frontier.set_host(SLOW, delay_s=DELAY_S)
        await frontier.push(entries(SLOW, 0.9, 60) + entries(FAST, 0.4, 200))
        assert (await crawl(frontier, clock, 100, outcome=Outcome.REFUSED)).count(SLOW) == 6
        await frontier.close()

    asyncio.run(run())


def test_a_long_crawl_waits_half_an_hour_in_all() -> None:
    patience = Patience(1.0)
    for _ in range(100_000):
        patience.earned()
    waited = 0.0
    while patience.look(NOW + waited):
        assert patience.waits(NOW + waited, ready=0.3, better=0.9, at=NOW + waited + DELAY_S)
        assert patience.until is not None
        waited = patience.until - NOW
    assert waited == 1800.0


def test_a_crawl_that_goes_on_has_the_time_of_the_pages_that_are_left(clock: Any, tmp_path: Path) -> None:
    async def waited(pages: int) -> float:
        frontier = SqliteFrontier(tmp_path / "crawl.db", clock=clock, wait_per_page_s=1.0, wait_pages=PAGES)
        await frontier.open()
        await frontier.set_host(SLOW, delay_s=DELAY_S)
        await frontier.push(entries(SLOW, 0.9, 60) + entries(FAST, 0.4, 200))
        began = clock.now
        await crawl(frontier, clock, pages)
        await frontier.close()
        return float(clock.now - began)

    first = asyncio.run(waited(60))
    assert 70.0 <= first <= 82.0, "fifty seconds, and a half for each page"
    assert 35.0 <= asyncio.run(waited(40)) <= 52.0, "twenty seconds, and a half for each page"


@pytest.mark.parametrize("wrong", [{"wait_per_page_s": -1.0}, {"wait_pages": -1}])
def test_a_time_that_is_none_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(FrontierError, match=next(iter(wrong))):
        MemoryFrontier(**wrong)


def test_workers_of_a_fleet_wait_together(redis_server: RedisServer, clock: Any) -> None:
    """The time that one waits is gone for the others, and a link that all wait for is leased once."""

    async def run() -> None:
        workers = [
            RedisFrontier(redis_server.url, crawl="together", clock=clock, wait_per_page_s=0.5) for _ in range(3)
        ]
        for one in workers:
            one.page_limit = PAGES
            await one.open()
        await workers[0].set_host(SLOW, delay_s=DELAY_S)
        await workers[0].push(entries(SLOW, 0.9, 60) + entries(FAST, 0.4, 200))
        took: list[str] = []
        waits = 0
        while FAST not in took:
            for one in workers:
                leases = await one.lease(1, worker="w", per_host=8, lease_s=60.0)
                took += [lease.entry.host for lease in leases]
                await one.settle([Settlement(lease, Outcome.DONE, record=record_of(lease)) for lease in leases])
                if not leases:
                    at = await one.next_ready_at()
                    assert at is not None
                    assert clock.now < at <= NOW + DELAY_S * len(took)
            clock.now += 2.0
            waits += 1
        assert took.count(SLOW) == 3, "25 seconds at once and a quarter for each page: two waits of ten and a part"
        assert 13 <= waits <= 15
        for one in workers:
            await one.close()

    asyncio.run(run())


@pytest.mark.parametrize("dispatch", ["best-first", "round-robin"])
def test_a_fleet_takes_the_better_host_whoever_owns_it(redis_server: RedisServer, clock: Any, dispatch: str) -> None:
    async def run() -> None:
        frontier = RedisFrontier(
            redis_server.url, crawl=f"own-{dispatch}", clock=clock, wait_per_page_s=20.0, dispatch=dispatch
        )
        await frontier.open()
        await frontier.set_host(SLOW, delay_s=DELAY_S)
        await frontier.push(entries(SLOW, 0.9, 5) + entries(FAST, 0.4, 20))
        assert (await crawl(frontier, clock, 6)).count(SLOW) == 5
        await frontier.close()

    asyncio.run(run())
