"""What `focuscrawl fleet status` says of why a fleet is slow, and of its topics, over a real server."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest
import redis.asyncio
from redis_kit import RedisServer, running_redis

from focuscrawl.cli.fleet_status import show_fleet
from focuscrawl.fleet.channel import HeartbeatReport, WorkerStatus
from focuscrawl.fleet.overview import fleet_overview
from focuscrawl.fleet.redis_channel import RedisChannel
from focuscrawl.fleet.waiting import Waiting, WaitingHost
from focuscrawl.frontier.redis import RedisFrontier
from focuscrawl.records import Entry
from focuscrawl.types import digest64
from focuscrawl.wording.base import Say


def entry(host: str, number: int) -> Entry:
    url = f"http://{host}/{number}"
    return Entry(url, digest64(url), host, 0.5)


async def overview(
    url: str,
    crawl: str,
    *,
    hosts: Sequence[str],
    delay_s: float,
    leased: int,
    holds: float = 0.0,
    topics: Sequence[str] = ("chess",),
    killed: int = 0,
    links: int = 5,
    pages: int = 0,
) -> dict[str, Any]:
    """Return what is said of a crawl with so many `links` a host, of which `leased` are being fetched.

    The first `killed` workers, who had two fetches each, were heard of half a minute ago.
    """
    frontier = RedisFrontier(url, crawl=crawl, delay_s=delay_s)
    await frontier.open()
    workers = [RedisChannel(url, crawl=crawl, worker=f"w{n}") for n in range(len(topics))]
    try:
        await frontier.push([entry(host, n) for host in hosts for n in range(links)])
        assert len(await frontier.lease(leased, worker="w", per_host=2, lease_s=600.0)) == leased
        if holds:
            now = (await frontier.next_ready_at()) or 0.0
            await frontier.set_host(hosts[0], hold_until=now + holds)
        for worker, topic in zip(workers, topics, strict=True):
            await worker.open()
            status = WorkerStatus(
                topic=topic, in_flight=2 if worker in workers[:killed] else 0, limits={"pages": pages}
            )
            await worker.heartbeat(HeartbeatReport(status))
        async with redis.asyncio.from_url(url) as client:
            key = f"{{fc:{crawl}}}:workers"
            # The frontier that fills the queue here counts as a worker, too.
            gone = [f"w{n}" for n in range(killed)] if killed < len(topics) else await client.zrange(key, 0, -1)
            for name in gone:
                await client.zincrby(key, -30.0, name)
        channel = RedisChannel(url, crawl=crawl)
        await channel.open()
        try:
            await show_fleet(channel, Say(), as_json=False)
            return await fleet_overview(channel)
        finally:
            await channel.close()
    finally:
        for worker in workers:
            await worker.close()
        await frontier.close()


@pytest.mark.parametrize(
    ("case", "more", "said"),
    [
        (
            "one host",
            {"hosts": ["a.example"], "delay_s": 900.0, "leased": 1},
            "all links that wait are of a.example, which is asked once in 900 s: more workers change nothing",
        ),
        (
            "two hosts",
            {"hosts": ["a.example", "b.example"], "delay_s": 1000.0, "leased": 2},
            "all links that wait are of a.example and b.example, which are asked 0.002 times a second together:"
            " more workers change nothing",
        ),
        ("a ready host", {"hosts": ["a.example", "b.example"], "delay_s": 900.0, "leased": 1}, ""),
        ("no delay", {"hosts": ["a.example"], "delay_s": 0.0, "leased": 2}, ""),
    ],
)
def test_a_slow_fleet_is_told_why(
    redis_server: RedisServer, capfd: pytest.CaptureFixture[str], case: str, more: dict[str, Any], said: str
) -> None:
    status = asyncio.run(overview(redis_server.url, f"slow: {case}", **more))
    assert status["slow"] == said
    shown = " ".join(capfd.readouterr().out.split())
    assert (f"slow {said}" in shown) if said else ("slow all" not in shown)


def test_a_worker_that_was_killed_with_the_only_hosts_is_named(redis_server: RedisServer) -> None:
    taken = {"hosts": ["a.example"], "delay_s": 0.0, "leased": 2, "topics": ("chess", "chess")}
    status = asyncio.run(overview(redis_server.url, "killed", killed=1, **taken))
    assert status["slow"].startswith("all links that may be fetched are of hosts that w0 held when last heard of")
    ready = asyncio.run(overview(redis_server.url, "one killed", killed=1, **{**taken, "leased": 1}))
    assert ready["slow"] == "", "the host may be asked once more at the same time"


def test_a_worker_that_was_killed_with_the_last_pages_of_the_budget_is_named(redis_server: RedisServer) -> None:
    taken = {"hosts": ["a.example", "b.example"], "delay_s": 0.0, "leased": 2, "topics": ("chess", "chess")}
    status = asyncio.run(overview(redis_server.url, "spent", killed=1, pages=2, **taken))
    assert status["slow"].startswith(
        "nothing is left of the limit of pages but 2 links that w0 held when last heard of"
    )
    more = asyncio.run(overview(redis_server.url, "not spent", killed=1, pages=3, **taken))
    assert more["slow"] == ""


def test_a_worker_that_was_killed_with_the_last_links_is_named(
    redis_server: RedisServer, capfd: pytest.CaptureFixture[str]
) -> None:
    hosts = ["a.example", "b.example", "c.example"]
    taken = {"hosts": hosts, "links": 1, "delay_s": 900.0, "leased": 3}
    status = asyncio.run(overview(redis_server.url, "last", killed=1, topics=("chess", "chess"), **taken))
    assert status["slow"].startswith("nothing is left but 3 links that w0 held when last heard of: a worker gives")
    assert "state running" in " ".join(capfd.readouterr().out.split())
    alone = asyncio.run(overview(redis_server.url, "alone", killed=1, topics=("chess",), **taken))
    assert alone["workers"][0]["alive"]
    assert "state no worker was heard of for 30 s" in " ".join(capfd.readouterr().out.split())


def test_a_redis_that_takes_no_writes_is_said_to_hold_the_fleet_up(capfd: pytest.CaptureFixture[str]) -> None:
    async def look(url: str) -> list[dict[str, Any]]:
        seen = []
        frontier = RedisFrontier(url, crawl="full")
        await frontier.open()
        worker = RedisChannel(url, crawl="full", worker="w")
        await worker.open()
        await worker.heartbeat(HeartbeatReport(WorkerStatus()))
        async with redis.asyncio.from_url(url) as client:
            for limit in (0, 500_000):
                await client.config_set("maxmemory", limit)
                keys = await client.keys()
                await show_fleet(worker, Say(), as_json=False)
                seen.append(await fleet_overview(worker))
                assert await client.keys() == keys, "to look is to change nothing"
            await client.config_set("maxmemory", 0)
            await client.execute_command("REPLICAOF", "127.0.0.1", "1")
            seen.append(await fleet_overview(worker))
            await client.execute_command("REPLICAOF", "NO", "ONE")
        await worker.close()
        await frontier.close()
        return seen

    with running_redis() as server:
        well, full, replica = asyncio.run(look(server.url))
    assert (well["takes_writes"], full["takes_writes"], well["slow"]) == (True, False, "")
    assert "Redis is full (maxmemory)" in full["slow"]
    assert "Redis carries out no call for now: You can't write against a read only replica." in replica["slow"]
    before, after = (" ".join(shown.split()) for shown in capfd.readouterr().out.split("crawl  ")[1:])
    assert "state running" in before
    assert "state held up: Redis takes no writes" in after


def test_a_host_left_alone_is_named(redis_server: RedisServer) -> None:
    status = asyncio.run(overview(redis_server.url, "held", hosts=["a.example"], delay_s=0.0, leased=0, holds=10_000.0))
    assert status["slow"].startswith(
        "all links that wait are of a.example, left alone after a failure or as asked to; a.example for "
    )


def test_hosts_past_those_looked_at_are_no_reason() -> None:
    hosts = [WaitingHost(f"{n}.example", 1.0, 0.5) for n in range(4)]
    assert "of 4 hosts, which are asked 4 times a second" in Waiting(timed=4, hosts=hosts).reason(idle=False)
    assert Waiting(timed=5, hosts=hosts).reason(idle=False) == ""
    assert Waiting(timed=4, hosts=hosts).reason(idle=True) == ""


def test_both_topics_are_shown_while_a_new_one_is_taken_up(redis_server: RedisServer) -> None:
    work = overview(
        redis_server.url, "topics", hosts=["a.example"], delay_s=0.0, leased=0, topics=("chess", "tea", "chess")
    )
    assert sorted(asyncio.run(work)["topic"].split(", ")) == ["chess", "tea"]
