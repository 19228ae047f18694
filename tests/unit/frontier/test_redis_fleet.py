"""What the Redis frontier does beside the contract: races, lost answers, lost servers, other crawls, idle workers."""

from __future__ import annotations

import asyncio
import threading
from dataclasses import replace
from itertools import count, pairwise
from typing import Any

import pytest
import redis
from redis_kit import LosingClient, RedisServer, running_redis

from focuscrawl.crawler.counters import CrawlCounters
from focuscrawl.crawler.frontier_loop import FrontierLoop
from focuscrawl.crawler.limits import Limits
from focuscrawl.crawler.loop_options import LoopOptions
from focuscrawl.errors import ConfigError, FrontierError
from focuscrawl.frontier.base import FrontierStats, Pushed
from focuscrawl.frontier.fleet import FleetTotals
from focuscrawl.frontier.redis import RedisFrontier
from focuscrawl.frontier.redis_calls import script
from focuscrawl.frontier.redis_connect import connect
from focuscrawl.frontier.redis_url import without_secret
from focuscrawl.records import Entry, Lease, Outcome, Settlement, record_of
from focuscrawl.row_reasons import NO_INDEX
from focuscrawl.types import digest64

_crawls = count()


def entries(n: int, *, hosts: int = 1, **more: Any) -> list[Entry]:
    urls = [f"http://h{i % hosts}.example/{i}" for i in range(n)]
    return [Entry(url, digest64(url), url.split("/")[2], 0.5, **more) for url in urls]


async def take(frontier: RedisFrontier, n: int, *, per_host: int = 100) -> list[Lease]:
    return await frontier.lease(n, worker="", per_host=per_host, lease_s=60.0)


def crawl_name() -> str:
    return f"fleet {next(_crawls)}"


def test_racing_workers_never_come_inside_a_hosts_delay(redis_server: RedisServer) -> None:
    crawl, delay_s, hosts, urls = crawl_name(), 0.05, 3, 15
    taken: list[tuple[str, float, int]] = []

    async def fill() -> None:
        frontier = RedisFrontier(redis_server.url, crawl=crawl, delay_s=delay_s)
        await frontier.open()
        await frontier.push(entries(urls, hosts=hosts))
        await frontier.close()

    async def work() -> None:
        frontier = RedisFrontier(redis_server.url, crawl=crawl, delay_s=delay_s)
        await frontier.open()
        while len(taken) < urls:
            leases = await take(frontier, 4)
            # By the server's clock, whatever this one says.
            taken.extend((one.entry.host, one.expires_at + frontier._skew, one.entry.key) for one in leases)
            await frontier.settle([Settlement(one, Outcome.DONE) for one in leases])
        await frontier.close()

    asyncio.run(fill())
    threads = [threading.Thread(target=asyncio.run, args=(work(),)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({key for _, _, key in taken}) == urls
    for host in {host for host, _, _ in taken}:
        at = sorted(time for name, time, _ in taken if name == host)
        assert min(b - a for a, b in pairwise(at)) >= delay_s - 1e-6


def run(work: Any) -> None:
    asyncio.run(work)


def test_a_lease_whose_answer_is_lost_is_the_same_when_asked_for_again(redis_server: RedisServer) -> None:
    async def work() -> None:
        frontier = RedisFrontier(redis_server.url, crawl=crawl_name())
        await frontier.open()
        await frontier.push(entries(5))
        (first,) = await take(frontier, 1)
        frontier._calls.client = LosingClient(frontier._calls.client, "lease")
        leases = await take(frontier, 2)
        assert [one.entry.url[-1] for one in (first, *leases)] == ["0", "1", "2"]
        assert (await frontier.stats()).leased == 3
        await frontier.close()

    run(work())


def test_a_settlement_whose_answer_is_lost_counts_once_and_is_valid(redis_server: RedisServer) -> None:
    async def work() -> None:
        frontier = RedisFrontier(redis_server.url, crawl=crawl_name())
        await frontier.open()
        await frontier.push(entries(3))
        one, two = await take(frontier, 2)
        await frontier.release([two])
        frontier._calls.client = LosingClient(frontier._calls.client, "settle")
        found = entries(9)
        assert await frontier.settle([Settlement(x, Outcome.DONE, found=found) for x in (one, two)]) == [True, False]
        assert await frontier.stats() == FrontierStats(queued=8, done=1, hosts=1, groups=1)
        assert await frontier.settle([Settlement(one, Outcome.DONE)]) == [False]
        await frontier.close()

    run(work())


def test_what_is_relevant_and_what_is_stored_are_counted_apart(redis_server: RedisServer) -> None:
    async def work() -> None:
        frontier = RedisFrontier(redis_server.url, crawl=crawl_name())
        await frontier.open()
        await frontier.push(entries(4))
        result, copy, hidden, other = await take(frontier, 4)
        records = [
            replace(record_of(result), relevant=True),
            replace(record_of(copy), relevant=True, duplicate_of=result.entry.key),
            replace(record_of(hidden), relevant=True, withheld=NO_INDEX),
            record_of(other),
        ]
        leases = [result, copy, hidden, other]
        await frontier.settle(
            [Settlement(one, Outcome.DONE, record=record) for one, record in zip(leases, records, strict=True)]
        )
        totals = FleetTotals.of(await frontier._run("totals"))
        assert (totals.pages, totals.relevant, totals.stored) == (4, 3, 1)
        await frontier.close()

    run(work())


def test_totals_follow_verdicts_that_are_revised(redis_server: RedisServer) -> None:
    async def work() -> None:
        frontier = RedisFrontier(redis_server.url, crawl=crawl_name())
        await frontier.open()
        await frontier.push(entries(3))
        first, second, late = await take(frontier, 3)
        relevant = [
            Settlement(one, Outcome.DONE, record=replace(record_of(one), relevant=True)) for one in (first, second)
        ]
        await frontier.settle(relevant)
        revised = Settlement(late, Outcome.DONE, record=record_of(late), more_relevant=-2, more_stored=-1)
        await frontier.settle([revised])
        totals = FleetTotals.of(await frontier._run("totals"))
        assert (totals.pages, totals.relevant, totals.stored) == (3, 0, 1)
        await frontier.settle([revised])  # its lease is over: nothing is counted twice
        assert FleetTotals.of(await frontier._run("totals")) == totals
        await frontier.close()

    run(work())


def test_a_server_that_comes_back_with_its_file_is_waited_for() -> None:
    async def work(server: RedisServer) -> None:
        frontier = RedisFrontier(server.url)
        await frontier.open()
        await frontier.push(entries(5))
        (lease,) = await take(frontier, 1)
        server.stop(kill=True)
        settled = asyncio.create_task(frontier.settle([Settlement(lease, Outcome.DONE)]))
        while frontier._calls.sent < 5:  # it has failed at least once
            await asyncio.sleep(0.01)
        await asyncio.to_thread(server.start)
        assert await settled == [True]
        assert await frontier.stats() == FrontierStats(queued=4, done=1, hosts=1, groups=1)
        await frontier.close()

    with running_redis("--appendonly", "yes", "--appendfsync", "always") as server:
        run(work(server))


def test_a_server_that_comes_back_empty_is_noticed() -> None:
    async def work(server: RedisServer) -> None:
        frontier = RedisFrontier(server.url)
        await frontier.open()
        await frontier.push(entries(5))
        server.stop()
        server.start()
        with pytest.raises(FrontierError, match="lost this crawl: it was restarted empty"):
            await take(frontier, 1)
        other = RedisFrontier(server.url)
        await other.open()
        with pytest.raises(FrontierError, match="another crawl was begun under the same name"):
            await frontier.push(entries(5))
        with pytest.raises(FrontierError):
            await frontier.close()
        await other.close()

    with running_redis() as server:
        run(work(server))


def test_a_server_that_stays_away_is_given_up_once() -> None:
    async def work() -> None:
        frontier = RedisFrontier("redis://me:secret@127.0.0.1:1/0", patience_s=0.05)
        with pytest.raises(FrontierError, match="no answer from Redis") as caught:
            await frontier.open()
        assert "secret" not in str(caught.value)

    run(work())


def test_crawls_of_one_server_do_not_see_each_other(redis_server: RedisServer) -> None:
    async def work() -> None:
        one, two = (RedisFrontier(redis_server.url, crawl=crawl_name()) for _ in range(2))
        for frontier in (one, two):
            await frontier.open()
        assert await one.push(entries(3)) == Pushed(added=3)
        assert await two.push(entries(3)) == Pushed(added=3)
        assert len(await take(one, 9)) == len(await take(two, 9)) == 3
        tag = f"{{fc:{one.crawl}}}:".encode()
        keys = [key async for key in one._calls.client.scan_iter(match="*")]
        mine = [key for key in keys if key.startswith(tag)]
        assert {tag + name for name in (b"meta", b"e", b"leases")} <= set(mine)
        # Redis puts a key where the text between the braces belongs: all of a crawl in one slot.
        assert {key.partition(b"}")[0] for key in mine} == {tag[:-2]}
        for frontier in (one, two):
            await frontier.close()

    run(work())


def test_a_hold_of_one_worker_is_not_shortened_by_another(redis_server: RedisServer) -> None:
    async def work() -> None:
        frontier = RedisFrontier(redis_server.url, crawl=crawl_name(), clock=lambda: 1000.0)
        await frontier.open()
        await frontier.push(entries(1))
        await frontier.keep_host("h0.example", hold_until=1300.0)
        await frontier.keep_host("h0.example", hold_until=1001.0, delay_s=2.0)
        assert await frontier.next_ready_at() == 1300.0
        await frontier.set_host("h0.example", hold_until=0.0)
        assert await frontier.next_ready_at() == 1000.0
        await frontier.close()

    run(work())


def test_workers_never_lease_more_than_the_budget_together(redis_server: RedisServer) -> None:
    async def work() -> None:
        crawl = crawl_name()
        one, two = (RedisFrontier(redis_server.url, crawl=crawl, clock=lambda: 1000.0) for _ in range(2))
        for frontier in (one, two):
            frontier.page_limit = 5
            await frontier.open()
        await one.push(entries(20))
        assert [len(await take(frontier, 3)) for frontier in (one, two, one)] == [3, 2, 0]
        assert await one.next_ready_at() == 1001.0  # not now: nobody should ask at once again
        (await one.settle([Settlement(one._held[1], Outcome.REFUSED)]))
        assert len(await take(two, 3)) == 1
        for frontier in (one, two):
            await frontier.close()

    run(work())


def test_what_one_worker_makes_the_others_wait_for(redis_server: RedisServer) -> None:
    async def work() -> None:
        crawl = crawl_name()
        workers = [RedisFrontier(redis_server.url, crawl=crawl) for _ in range(3)]
        for frontier in workers:
            await frontier.open()
        made: list[bytes | None] = []

        async def make(old: bytes | None) -> bytes:
            made.append(old)
            await asyncio.sleep(0.02)
            return b"%d" % len(made)

        async def ask(version: int) -> list[bytes]:
            asked = [one.cached("robots", lambda kept: int(kept) >= version, make, keep_s=60.0) for one in workers]
            return await asyncio.gather(*asked)

        assert await ask(1) == [b"1"] * 3
        assert await ask(2) == [b"2"] * 3
        assert made == [None, b"1"]
        for frontier in workers:
            await frontier.close()

    run(work())


def test_an_idle_worker_sends_fewer_than_five_commands_a_second(redis_server: RedisServer) -> None:
    async def work() -> None:
        crawl = crawl_name()
        busy, idle = (RedisFrontier(redis_server.url, crawl=crawl) for _ in range(2))
        for frontier in (busy, idle):
            await frontier.open()
        await busy.push(entries(1))
        assert len(await take(busy, 1)) == 1  # its links may still come
        task = FrontierLoop(idle, LoopOptions(16, 4, 8, 300.0), Limits(CrawlCounters()))
        before, loop = idle._calls.sent, asyncio.get_running_loop()

        async def turn() -> None:
            while not task.is_closing:
                await task.turn()
                await task.wait()

        running = loop.create_task(turn())
        start = loop.time()
        while loop.time() - start < 2.0:
            await asyncio.sleep(0.1)
            assert task.has_work
        assert idle._calls.sent - before < 5 * (loop.time() - start)
        task.close()
        await running
        for frontier in (busy, idle):
            await frontier.close()

    run(work())


def test_known_keys_are_spread_over_small_sets(redis_server: RedisServer) -> None:
    text, _ = script("settle")
    # A script that only remembers keys, with small sets: 20 buckets of two instead of 2048 of 200.
    body = text[: text.index("-- Hosts, and groups on hosts")].replace("BASE, MEAN = 2048, 200", "BASE, MEAN = 4, 5")
    body += """
    for at = 4, #ARGV do remember(ARGV[at]) end
    save_numbers()
    local missing = 0
    for at = 4, #ARGV do if not is_known(ARGV[at]) then missing = missing + 1 end end
    return {missing, M.known, M.level, is_known('87654321') and 1 or 0}
    """
    client = redis.Redis.from_url(redis_server.url)
    prefix = f"{{fc:{crawl_name()}}}:"
    client.hset(f"{prefix}meta", mapping={"epoch": "x", "delay": 0, "attempts": 3})
    keys = [digest64(str(n)).to_bytes(8, "big") for n in range(1000)]
    keys += [bytes(8), b"\xff" * 8]
    for at in range(0, len(keys), 100):
        found = client.eval(body, 1, f"{prefix}meta", "x", "", "", *keys[at : at + 100])
        assert found[0] == 0
    assert found[1:] == [len(keys), 5, 0]
    sets = [name for name in client.scan_iter(match=f"{prefix}k:*") if client.type(name) == b"set"]
    sizes = [client.scard(name) for name in sets]
    assert sum(sizes) == len(keys)
    assert max(sizes) <= 40
    assert {client.object("encoding", name) for name in sets} == {b"intset"}
    client.close()


@pytest.mark.parametrize(
    ("shown", "url"),
    [
        ("redis://me:***@host:6379/0", "redis://me:pass@word@host:6379/0"),
        ("rediss://:***@host/1", "rediss://:pw@host/1?password=x&ssl_ca_certs=y"),
        ("unix:///run/redis.sock", "unix:///run/redis.sock?password=x"),
        ("unix:///run/redis@main.sock", "unix:///run/redis@main.sock"),
        ("unix:///run/redis.sock?db=1", "unix:///run/redis.sock?password=x&db=1"),
        ("unix:///run/redis.sock", "unix:///run/redis.sock?db=0"),
        ("redis+sentinel://one,two:26380/main", "redis+sentinel://one,two:26380/main?sentinel_password=a@b"),
        ("redis://[::1]:6379/0", "redis://[::1]:6379/0?password=a@b"),
    ],
)
def test_passwords_are_not_shown(shown: str, url: str) -> None:
    assert without_secret(url) == shown


@pytest.mark.parametrize("password", ["se/cret", "se?cret", "se#cret", "1/cret", "se@cr:cret/x", "se[cret", "se[cret]"])
@pytest.mark.parametrize(
    "url", ["redis://me:{}@host:6379/0", "unix://:{}@/run/redis.sock", "redis+sentinel://:{}@one/main"]
)
def test_no_part_of_a_password_is_shown_that_a_url_cannot_hold(url: str, password: str) -> None:
    with pytest.raises(ConfigError, match="write / as %2F, ") as wrong:
        connect(url.format(password), {})
    assert "cret" not in str(wrong.value)
    assert not without_secret(url.format(password)).startswith(("redis://me:se", "redis://me:1"))


@pytest.mark.parametrize("database", ["notadb", "-1", "1/2", "٣"])
def test_a_database_that_is_no_number_is_refused_and_not_taken_for_the_first(database: str) -> None:
    for url in (f"redis://127.0.0.1:1/{database}", f"valkeys://me:secret@127.0.0.1:1/{database}"):
        with pytest.raises(ConfigError, match="what follows the host is no number of a database") as wrong:
            run(RedisFrontier(url).open())
        assert without_secret(url) in str(wrong.value)


def test_what_cannot_be_connected_to_is_refused_with_a_sentence() -> None:
    for frontier in (
        RedisFrontier("http://127.0.0.1"),
        RedisFrontier("redis://127.0.0.1", connection={"no_such_option": 1}),
    ):
        with pytest.raises(ConfigError, match="no Redis to connect to"):
            run(frontier.open())
    with pytest.raises(ConfigError, match="expected a name without braces"):
        RedisFrontier("redis://127.0.0.1", crawl="a{b}")
