"""Rounds of visits in Redis: what is kept of pages, who begins a round, what is leased in it, when it is over."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import replace
from pathlib import Path

import pytest
from redis_kit import LosingClient, RedisServer

from focuscrawl.frontier.redis import RedisFrontier
from focuscrawl.frontier.redis_rounds import RedisRounds, RoundState
from focuscrawl.frontier.redis_visits import VisitedPage
from focuscrawl.frontier.rules import MAX_EXPIRIES
from focuscrawl.records import Entry, Lease, Origin, Outcome, Settlement, record_of
from focuscrawl.types import digest64
from focuscrawl.visits import VISIT_SCORE, Earlier, Saw, Visit

HOSTS = ("a.example", "b.example", "c.example")


class Fleet:
    """Workers over one server, and a clock."""

    def __init__(self, server: RedisServer, crawl: str) -> None:
        self.server, self.crawl = server, crawl
        self.now = 1_000_000.0
        self.delay_s = 0.0
        self._workers: list[RedisFrontier] = []

    def play(self, scene: Callable[[], Coroutine[None, None, None]]) -> None:
        """Run a scene, and close its workers."""

        async def whole() -> None:
            try:
                await scene()
            finally:
                for worker in self._workers:
                    await worker.close()

        asyncio.run(whole())

    async def worker(self, dispatch: str = "best-first") -> RedisFrontier:
        made = RedisFrontier(
            self.server.url, crawl=self.crawl, clock=lambda: self.now, delay_s=self.delay_s, dispatch=dispatch
        )
        await made.open()
        self._workers.append(made)
        return made


@pytest.fixture
def fleet(redis_server: RedisServer, tmp_path: Path) -> Fleet:
    return Fleet(redis_server, str(tmp_path))


def link(url: str, score: float = 0.4) -> Entry:
    return Entry(url, digest64(url), url.split("/")[2], score, depth=2, origin=Origin(anchor="sage", parent=7))


def pages(hosts: tuple[str, ...] = HOSTS) -> list[Entry]:
    return [link(f"http://{host}/") for host in hosts]


async def take(frontier: RedisFrontier, n: int = 99) -> list[Lease]:
    return await frontier.lease(n, worker="", per_host=9, lease_s=60.0)


def done(lease: Lease, saw: Saw, at: float, *, relevant: bool = True, page: bool = True) -> Settlement:
    record = replace(record_of(lease), relevant=relevant, relevance=0.75, fetched_at=at) if page else None
    visit = Visit(lease.entry.key, at, saw, 200, "body", "text", '"e"')
    return Settlement(lease, Outcome.DONE, record=record, visit=visit)


async def fetched(fleet: Fleet, worker: RedisFrontier) -> None:
    """Fetch the pages of all hosts."""
    await worker.push(pages())
    leases = await take(worker)
    assert await worker.settle([done(lease, Saw.FIRST, fleet.now) for lease in leases]) == [True] * 3


def rounds(worker: RedisFrontier) -> RedisRounds:
    found = worker.rounds
    assert found is not None
    return found


async def known(worker: RedisFrontier) -> dict[str, VisitedPage]:
    return {page.entry.url: page async for page in rounds(worker).pages()}


async def begin(worker: RedisFrontier, last: int = 0, *, links: int = 0, hosts: tuple[str, ...] = HOSTS) -> bool:
    visits = [
        replace(page.entry, score=VISIT_SCORE + n, origin=replace(page.entry.origin, earlier=Earlier(0.4, url)))
        for n, (url, page) in enumerate((await known(worker)).items())
        if page.host in hosts
    ]
    return await rounds(worker).begin(last, visits, worker=worker.worker, links=links, facts={"order": "fixed"})


async def state(worker: RedisFrontier) -> RoundState:
    return await rounds(worker).state()


def test_relevant_pages_are_kept_with_their_last_visits(fleet: Fleet) -> None:
    async def scene() -> None:
        worker = await fleet.worker()
        await worker.push([*pages(), link("http://d.example/")])
        *leases, other = sorted(await take(worker), key=lambda lease: lease.entry.host)
        await worker.settle([done(lease, Saw.FIRST, fleet.now) for lease in leases])
        await worker.settle([done(other, Saw.FIRST, fleet.now, relevant=False)])
        page = (await known(worker))["http://a.example/"]
        assert page.entry == link("http://a.example/")
        assert (page.relevance, page.fetched_at, page.revisit) == (0.75, fleet.now, "")
        assert page.visits == (Visit(page.key, fleet.now, Saw.FIRST, 200, "body", "text", '"e"'),)
        assert len(await known(worker)) == 3  # the page that is not relevant is not among them
        saws = [Saw.UNCHANGED] * 16 + [Saw.CHANGED, Saw.FAILED]
        for number, saw in enumerate(saws):
            fleet.now += 60.0
            assert await begin(worker, number, hosts=("a.example",))
            (lease,) = await take(worker)
            assert await worker.settle([done(lease, saw, fleet.now, page=saw is Saw.CHANGED)]) == [True]
        page = (await known(worker))["http://a.example/"]
        assert [visit.saw for visit in page.visits] == saws[-16:]
        assert page.entry == link("http://a.example/")  # not the score of the visit
        assert page.revisit == "changed"
        await begin(worker, len(saws), hosts=("a.example", "b.example"))
        leases = sorted(await take(worker), key=lambda lease: lease.entry.host)
        await worker.settle([done(leases[0], Saw.CHANGED, fleet.now, relevant=False)])
        row = replace(record_of(leases[1]), relevant=False)
        fresh = replace(record_of(other), relevant=True, relevance=0.5)
        await worker.settle([replace(done(leases[1], Saw.CHANGED, fleet.now), revised=[row, fresh])])
        assert sorted(await known(worker)) == ["http://c.example/", "http://d.example/"]

    fleet.play(scene)


def test_one_of_two_workers_begins_a_round_also_when_its_answer_is_lost(fleet: Fleet) -> None:
    async def scene() -> None:
        one, two = await fleet.worker(), await fleet.worker()
        await fetched(fleet, one)
        calls = one._opened()
        calls.client = LosingClient(calls.client, "begin_round")
        client = calls.client.client
        visits = [replace(page, score=VISIT_SCORE, origin=Origin(earlier=Earlier(0.4, page.url))) for page in pages()]
        assert not await rounds(one).begin(
            0, visits, worker=one.worker, links=0, facts={}
        )  # made, for all it knows by another worker
        calls.client = client
        assert not await begin(two)
        now = await state(two)
        assert (now.number, now.wanted, now.left, now.runs, now.pages) == (1, 3, 3, True, 3)
        leases = await take(one, 1) + await take(two, 2)
        assert len({lease.entry.key for lease in leases}) == 3
        await one.settle([done(leases[0], Saw.UNCHANGED, fleet.now, page=False)])
        assert (await state(two)).left == 2
        await two.settle([done(lease, Saw.GONE, fleet.now, page=False) for lease in leases[1:]])
        now = await state(one)
        assert (now.left, now.runs, now.ended) == (0, False, fleet.now)
        assert now.seen == {"unchanged": 1, "gone": 2}
        stats = await one.stats()
        assert (stats.queued, stats.leased, stats.done) == (0, 0, 3)

    fleet.play(scene)


@pytest.mark.parametrize("dispatch", ["best-first", "round-robin"])
def test_links_are_not_leased_while_a_worker_makes_visits_only(fleet: Fleet, dispatch: str) -> None:
    async def scene() -> None:
        fleet.delay_s = 10.0
        one, two = await fleet.worker(dispatch), await fleet.worker(dispatch)
        await fetched(fleet, one)
        await one.push([link(f"http://{host}/{n}", 0.9) for host in (*HOSTS, "d.example") for n in range(3)])
        fleet.now += 100.0
        assert await begin(one, links=2)
        one.only_visits = two.only_visits = True
        one.page_limit = 1  # visits count as no pages
        leases = await take(one, 2)
        assert all(lease.entry.origin.earlier for lease in leases)
        leases += await take(two)
        assert len({lease.entry.key for lease in leases}) == 3
        assert await take(two) == []
        assert await two.next_ready_at() is None  # links are ready, and are not asked for
        await two.set_host("a.example", hold_until=fleet.now + 50.0)
        (held,) = [lease for lease in leases if lease.entry.host == "a.example"]
        await two.release([held])
        await one.settle([done(lease, Saw.UNCHANGED, fleet.now, page=False) for lease in leases if lease is not held])
        assert await two.next_ready_at() == fleet.now + 50.0
        assert await take(two) == []
        fleet.now += 50.0
        (held,) = await take(two)
        await two.settle([done(held, Saw.UNCHANGED, fleet.now, page=False)])
        now = await state(one)
        assert (now.runs, now.limit) == (False, 5)  # three pages were fetched, and two links may follow
        one.only_visits = False
        one.page_limit = now.limit
        assert len(await take(one)) == 2

    fleet.play(scene)


def test_a_round_ends_also_with_a_visit_that_kills_its_workers(fleet: Fleet) -> None:
    async def scene() -> None:
        worker = await fleet.worker()
        await fetched(fleet, worker)
        await begin(worker, hosts=("a.example",))
        for _ in range(MAX_EXPIRIES):
            assert (await state(worker)).left == 1
            assert len(await take(worker)) == 1
            fleet.now += 61.0
            assert await worker.reap() == 1
        now = await state(worker)
        assert (now.left, now.runs, dict(now.seen)) == (0, False, {})

    fleet.play(scene)


def test_what_a_round_has_left_is_part_of_the_next(fleet: Fleet) -> None:
    async def scene() -> None:
        one, two = await fleet.worker(), await fleet.worker()
        await fetched(fleet, one)
        await begin(one, hosts=("a.example", "b.example"))
        assert (await state(two)).workers == 1
        (lease, _) = await take(one, 2)
        await one.settle([done(lease, Saw.UNCHANGED, fleet.now, page=False)])
        assert (await state(two)).workers == 1
        assert (await two.recover(one.worker, None)).returned == 1
        now = await state(two)
        assert (now.workers, now.left, now.runs) == (0, 1, True)
        assert len(await rounds(two).left()) == 1
        await begin(two, 1, hosts=("c.example",))
        now = await state(two)
        assert (now.number, now.wanted, dict(now.seen)) == (2, 2, {})
        assert len(await take(two)) == 2

    fleet.play(scene)


def test_a_visit_that_waits_keeps_its_turn_whatever_a_strategy_says_of_its_link(fleet: Fleet) -> None:
    async def scene() -> None:
        one, two = await fleet.worker(), await fleet.worker()
        await fetched(fleet, one)
        await begin(one)
        one.only_visits = two.only_visits = True
        await one.release(await take(one))
        assert await two.rescore({page.key: 3.7 for page in pages()}) == 0
        assert len(await take(one)) == 3

    fleet.play(scene)


def test_a_long_round_is_queued_some_at_a_time_and_a_slower_planner_does_not_disturb_it(fleet: Fleet) -> None:
    async def scene() -> None:
        one, two = await fleet.worker(), await fleet.worker()
        entries = [link(f"http://h{n % 10}.example/{n}") for n in range(1_100)]
        await one.push(entries)
        leases = await one.lease(1_100, worker="", per_host=200, lease_s=60.0)
        await one.settle([done(lease, Saw.FIRST, fleet.now) for lease in leases])
        visits = [
            replace(entry, score=VISIT_SCORE + 1_100 - n, origin=Origin(earlier=Earlier(0.4, entry.url)))
            for n, entry in enumerate(entries)
        ]
        assert await rounds(one).begin(0, visits, worker=one.worker, links=0, facts={})
        assert not await rounds(two).begin(0, visits[::-1], worker=two.worker, links=0, facts={})
        one.only_visits = two.only_visits = True
        taken = []
        while part := await two.lease(300, worker="", per_host=200, lease_s=60.0):
            taken += [lease.entry.url for lease in part]
            await two.settle([done(lease, Saw.UNCHANGED, fleet.now, page=False) for lease in part])
            assert (await state(one)).left == 1_100 - len(taken)
        assert taken == [entry.url for entry in entries]
        assert not (await state(one)).runs
        assert await one.next_ready_at() is None

    fleet.play(scene)


def test_a_round_without_pages_is_over_at_once(fleet: Fleet) -> None:
    async def scene() -> None:
        worker = await fleet.worker()
        assert await begin(worker)
        now = await state(worker)
        assert (now.number, now.wanted, now.runs) == (1, 0, False)
        await rounds(worker).conclude(1, {"freshness": 0.5})
        assert (await state(worker)).after["freshness"] == 0.5
        assert await begin(worker, 1)
        assert (await state(worker)).after == {}

    fleet.play(scene)


def test_a_row_that_another_program_has_written_is_left_out(fleet: Fleet) -> None:
    async def scene() -> None:
        worker = await fleet.worker()
        await fetched(fleet, worker)
        calls = worker._opened()
        for key, text in ((b"x" * 8, b"pages"), (b"y" * 8, b'{"url": 1}\n'), (b"z" * 8, b"")):
            await calls.client.hset(f"{calls.prefix}visited", key, text)
        assert len(await known(worker)) == 3

    fleet.play(scene)
