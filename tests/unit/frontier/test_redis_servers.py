"""Redis as people run it: Sentinel, cluster, Valkey's scheme, full, with another policy."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import redis
from redis_kit import free_cluster_port, free_port, running_redis, running_sentinel

from focuscrawl.errors import ConfigError, FrontierError
from focuscrawl.fleet.channel import HeartbeatReport, WorkerStatus
from focuscrawl.fleet.redis_channel import RedisChannel
from focuscrawl.frontier.base import Pushed
from focuscrawl.frontier.redis import RedisFrontier
from focuscrawl.frontier.redis_connect import Node, connect
from focuscrawl.records import Entry, Outcome, Settlement
from focuscrawl.types import digest64


def entries(start: int, stop: int, *, size: int = 0) -> list[Entry]:
    urls = [f"http://h{n}.example/{n}{'x' * size}" for n in range(start, stop)]
    return [Entry(url, digest64(url), url.split("/")[2], 0.5) for url in urls]


async def _until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(60.0):
        while not condition():
            await asyncio.sleep(0.01)


def test_a_fail_over_loses_nothing_that_was_acknowledged() -> None:
    async def work(url: str, fail_over: Callable[[], None]) -> None:
        frontier = RedisFrontier(url, crawl="c")
        await frontier.open()
        assert await frontier.push(entries(0, 40)) == Pushed(added=40)
        leases = await frontier.lease(10, worker="", per_host=1, lease_s=60.0)
        assert await frontier.settle([Settlement(one, Outcome.DONE) for one in leases]) == [True] * 10
        held = await frontier.lease(5, worker="", per_host=1, lease_s=60.0)
        fail_over()
        # The next call waits until the sentinel has made the replica the master.
        assert await frontier.push(entries(0, 50)) == Pushed(added=10, known=15, raised=0, refused=0) + Pushed(known=25)
        assert await frontier.settle([Settlement(one, Outcome.DONE) for one in held]) == [True] * 5
        stats = await frontier.stats()
        assert (stats.done, stats.queued, stats.leased) == (15, 35, 0)
        channel = RedisChannel(url, crawl="c")
        await channel.open()
        assert await channel.crawls() == ["c"]
        await channel.close()
        await frontier.close()

    with running_redis(port=free_port()) as master:
        follows = ("--replicaof", "127.0.0.1", str(master.port))
        with running_redis(*follows, port=free_port()) as replica, running_sentinel(master.port) as sentinel:
            asyncio.run(_followed(replica.port))
            known = redis.Redis(port=sentinel)
            asyncio.run(_until(lambda: len(known.sentinel_slaves("mymaster")) == 1))
            known.close()
            url = f"redis+sentinel://127.0.0.1:{sentinel}/mymaster/0"
            asyncio.run(work(url, lambda: master.stop(kill=True)))


async def _followed(port: int) -> None:
    replica = redis.Redis(port=port)
    await _until(lambda: replica.info("replication").get("master_link_status") == "up")
    replica.close()


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("redis+sentinel://me:secret@127.0.0.1:1/", "the name of the master is missing"),
        ("redis+sentinel://me:secret@:1/mymaster", "a sentinel has no name"),
        ("redis+sentinel://me:secret@h:x/mymaster", "no Redis to connect to"),
        ("redis+sentinel://me:secret@h/mymaster/crawls", "is no number of a database"),
    ],
)
def test_a_url_of_sentinels_that_is_wrong_says_what_is_missing(url: str, told: str) -> None:
    with pytest.raises(ConfigError, match=told) as caught:
        connect(url, {})
    assert "secret" not in str(caught.value)


def test_any_node_of_a_cluster_leads_to_the_one_that_holds_the_crawl() -> None:
    async def work(url: str, start: int) -> None:
        frontier = RedisFrontier(url, crawl="c")
        await frontier.open()
        assert await frontier.push(entries(start, start + 20)) == Pushed(added=20)
        leases = await frontier.lease(5, worker="", per_host=1, lease_s=60.0)
        assert await frontier.settle([Settlement(one, Outcome.DONE) for one in leases]) == [True] * 5
        channel = RedisChannel(url, crawl="c")
        await channel.open()
        await channel.close()
        await frontier.close()

    ports = [free_cluster_port() for _ in range(2)]
    cluster = ("--cluster-enabled", "yes", "--cluster-node-timeout", "2000")
    with running_redis(*cluster, port=ports[0]), running_redis(*cluster, port=ports[1]):
        nodes = [redis.Redis(port=port) for port in ports]
        nodes[0].execute_command("CLUSTER", "ADDSLOTS", *range(8192))
        nodes[1].execute_command("CLUSTER", "ADDSLOTS", *range(8192, 16384))
        nodes[1].execute_command("CLUSTER", "SET-CONFIG-EPOCH", 2)
        nodes[0].execute_command("CLUSTER", "MEET", "127.0.0.1", ports[1])
        for node in nodes:
            asyncio.run(_until(lambda node=node: node.cluster("info")["cluster_state"] == "ok"))  # type: ignore[misc]
        for number, port in enumerate(ports):
            asyncio.run(work(f"redis://127.0.0.1:{port}/0", 20 * number))
        held = [node.dbsize() for node in nodes]
        assert min(held) == 0
        assert max(held) > 0
        for node in nodes:
            node.close()


def test_nodes_that_name_each_other_are_not_followed_for_ever() -> None:
    async def work() -> None:
        node, moved = Node(connect("redis://127.0.0.1:1/0", {})), redis.exceptions.MovedError("5 127.0.0.1:2")
        assert [await node.move(moved) for _ in range(6)] == [True] * 5 + [False]
        node.settled()
        assert await node.move(moved)

    asyncio.run(work())


@pytest.mark.parametrize("scheme", ["redis", "valkey"])
def test_valkey_is_spoken_to_as_redis_is(scheme: str) -> None:
    """A server of Valkey has no wheel: its protocol is that of Redis 7.2, and only the scheme is tested here."""

    async def work(port: int) -> None:
        frontier = RedisFrontier(f"{scheme}://127.0.0.1:{port}/0", crawl="c")
        await frontier.open()
        await frontier.push(entries(0, 2))
        await frontier.close()

    with running_redis(port=free_port()) as server:
        asyncio.run(work(server.port))


def test_a_full_server_is_waited_for(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)

    async def work(url: str, admin: Any) -> None:
        frontier, channel = RedisFrontier(url, crawl="c"), RedisChannel(url, crawl="c", worker="w")
        await frontier.open()
        await channel.open()
        admin.config_set("maxmemory", admin.info("memory")["used_memory"])
        pushing = asyncio.create_task(frontier.push(entries(0, 2000, size=100)))
        await _until(lambda: any("Redis is full" in line for line in caplog.messages))
        assert not pushing.done()
        reporting = asyncio.create_task(channel.heartbeat(HeartbeatReport(WorkerStatus())))
        before = channel._calls.sent
        await _until(lambda: channel._calls.sent > before + 1)  # it waits, too
        admin.config_set("maxmemory", 0)
        assert await pushing == Pushed(added=2000)
        await reporting
        await channel.close()
        await frontier.close()

    with running_redis() as server:
        admin = redis.Redis.from_url(server.url)
        asyncio.run(work(server.url, admin))
        admin.close()
    (said,) = [line for line in caplog.messages if "Redis is full" in line]
    assert " MB used of " in said
    assert "maxmemory" in said
    assert any("answers again" in line for line in caplog.messages)


def _is_busy(client: Any) -> bool:
    try:
        client.ping()
    except redis.ResponseError as error:
        return "BUSY" in str(error)
    return False


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("redis://127.0.0.1:{port}/0", "Redis asks for a password, and none is given"),
        ("redis://:wrong@127.0.0.1:{port}/0", "Redis refuses: .*Check user and password"),
        ("redis://:right@127.0.0.1:{port}/99", "has no database of that number"),
        ("unix://{socket}", "Redis asks for a password, and none is given"),
        ("unix://:wrong@{socket}", "Redis refuses: .*Check user and password"),
        ("unix://:right@{socket}?db=99", "has no database of that number"),
    ],
)
def test_a_login_that_is_refused_says_what_is_wrong(url: str, told: str) -> None:
    with running_redis("--requirepass", "right", port=free_port()) as server:
        place = url.format(port=server.port, socket=server.folder / "redis.sock")
        with pytest.raises(FrontierError, match=told) as caught:
            asyncio.run(RedisFrontier(place, crawl="c", patience_s=1.0).open())
    assert not {"wrong", "right", "HELLO"} & set(str(caught.value).replace(":", " ").split())


@pytest.mark.parametrize(
    ("rights", "told"),
    [
        ("~{fc:* +@all -hset", "can't run this command|to run the 'hset' command"),  # inside a script
        ("~{fc:* +@all -@scripting", "'evalsha' command"),
        ("~fc:* +@all", "permissions to access"),
    ],
)
def test_a_user_without_the_rights_is_told_what_a_crawl_needs(rights: str, told: str) -> None:
    with running_redis(port=free_port()) as server, redis.Redis.from_url(server.url) as admin:
        admin.execute_command("ACL", "SETUSER", "crawler", "on", ">secret", *rights.split())
        url = f"redis://crawler:secret@127.0.0.1:{server.port}/0"
        with pytest.raises(FrontierError, match=f'refuses the user "crawler": .*({told}).*ACL SETUSER') as caught:
            asyncio.run(RedisFrontier(url, crawl="c", patience_s=1.0).open())
    assert "secret" not in str(caught.value)
    assert "user_script" not in str(caught.value)


def test_the_rights_that_the_docs_name_are_enough() -> None:
    page = (Path(__file__).parents[3] / "docs" / "fleet.md").read_text(encoding="utf-8")
    (line,) = [line for line in page.splitlines() if line.startswith("user crawler ")]

    async def work(url: str) -> None:
        frontier, channel = RedisFrontier(url, crawl="c"), RedisChannel(url, crawl="c", worker="w")
        await frontier.open()
        await frontier.push(entries(0, 9))
        leases = await frontier.lease(9, worker="", per_host=1, lease_s=60.0)
        await frontier.settle([Settlement(one, Outcome.DONE) for one in leases])
        await channel.open()
        await channel.heartbeat(HeartbeatReport(WorkerStatus()))
        assert await channel.refusals_of_writes() == [""]
        assert (await channel.crawls(), (await channel.totals()).stats.done) == (["c"], 9)
        await channel.close()
        await frontier.close()

    with running_redis(port=free_port()) as server, redis.Redis.from_url(server.url) as admin:
        admin.execute_command("ACL", "SETUSER", *line.split()[1:])
        asyncio.run(work(f"redis://crawler:CHANGE-ME@127.0.0.1:{server.port}/0"))
        denied = {one[b"object"] for one in admin.execute_command("ACL", "LOG")}
    # redis-py says its name without waiting for the answer; Redis 6 does not take it from everybody.
    assert denied <= {b"client"}


@pytest.mark.parametrize(
    ("command", "told"), [("EVALSHA", "has no command EVALSHA"), ("HSETNX", "a command that a script of ours calls")]
)
def test_a_server_whose_commands_were_renamed_is_told_from_one_that_is_broken(command: str, told: str) -> None:
    with (
        running_redis("--rename-command", command, "HIDDEN") as server,
        pytest.raises(FrontierError, match=f"this Redis .*{told}: it was renamed or switched off"),
    ):
        asyncio.run(RedisFrontier(server.url, crawl="c", patience_s=1.0).open())


def test_another_database_of_a_cluster_is_refused_with_the_one_there_is() -> None:
    with (
        running_redis("--cluster-enabled", "yes", port=free_cluster_port()) as server,
        pytest.raises(FrontierError, match=r"a node of a cluster, which has database 0 only\. Expected /0"),
    ):
        asyncio.run(RedisFrontier(f"redis://127.0.0.1:{server.port}/1", crawl="c", patience_s=1.0).open())


@pytest.mark.parametrize(
    ("told", "begin", "end"),
    [
        ("against a read only replica", ("replicaof", "127.0.0.1", "1"), ("replicaof", "no", "one")),
        (
            "NOREPLICAS Not enough good replicas to write",
            ("config", "set", "min-replicas-to-write", "1"),
            ("config", "set", "min-replicas-to-write", "0"),
        ),
    ],
)
def test_a_server_that_takes_no_writes_for_a_while_is_waited_for(
    told: str, begin: Sequence[str], end: Sequence[str], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)

    async def work(url: str, admin: Any) -> None:
        frontier = RedisFrontier(url, crawl="c")
        await frontier.open()
        admin.execute_command(*begin)
        pushing = asyncio.create_task(frontier.push(entries(0, 9)))
        await _until(lambda: any(told in line for line in caplog.messages))
        assert not pushing.done()
        admin.execute_command(*end)
        assert await pushing == Pushed(added=9)
        await frontier.close()

    with running_redis() as server:
        admin = redis.Redis.from_url(server.url)
        asyncio.run(work(server.url, admin))
        admin.close()
    (said,) = [line for line in caplog.messages if told in line]
    assert "Redis carries out no call for now: " in said
    assert f"{told}. Trying" in said
    assert "script" not in said
    assert any("answers again" in line for line in caplog.messages)


def test_a_server_busy_with_a_long_script_is_waited_for(caplog: pytest.LogCaptureFixture) -> None:
    async def work(url: str, admin: Any) -> None:
        frontier = RedisFrontier(url, crawl="c")
        await frontier.open()
        admin.config_set("lua-time-limit", 1)
        with ThreadPoolExecutor(1) as thread, redis.Redis.from_url(url) as other:
            endless = thread.submit(admin.eval, "while true do end", 0)
            await _until(lambda: _is_busy(other))
            pushing = asyncio.create_task(frontier.push(entries(0, 9)))
            try:
                await _until(lambda: pushing.done() or any("for now: BUSY" in line for line in caplog.messages))
            finally:
                other.script_kill()
            assert await pushing == Pushed(added=9)
            assert endless.exception() is not None
        await frontier.close()

    with running_redis() as server:
        admin = redis.Redis.from_url(server.url)
        asyncio.run(work(server.url, admin))
        admin.close()


def test_a_server_that_stays_full_ends_the_worker_with_the_numbers() -> None:
    async def work(url: str, admin: Any) -> None:
        frontier = RedisFrontier(url, crawl="c", patience_s=0.2)
        await frontier.open()
        admin.config_set("maxmemory", 1_000_000 // 2)
        with pytest.raises(FrontierError, match=r"Redis is full \(maxmemory\): \d+ MB used of \d+ MB\."):
            await frontier.push(entries(0, 2000, size=100))
        admin.config_set("maxmemory", 0)
        with pytest.raises(FrontierError):
            await frontier.close()

    with running_redis() as server:
        admin = redis.Redis.from_url(server.url)
        asyncio.run(work(server.url, admin))
        admin.close()


@pytest.mark.parametrize(("policy", "warned"), [("noeviction", False), ("allkeys-lru", True)])
def test_a_policy_that_throws_keys_away_is_warned_of(
    policy: str, warned: bool, caplog: pytest.LogCaptureFixture
) -> None:
    async def work(url: str) -> None:
        frontier = RedisFrontier(url, crawl="c")
        await frontier.open()
        await frontier.close()

    with running_redis("--maxmemory-policy", policy) as server:
        asyncio.run(work(server.url))
    said = [line for line in caplog.messages if "maxmemory-policy is allkeys-lru" in line]
    assert len(said) == warned


@pytest.mark.parametrize("lost", ["b", "host"])
def test_a_crawl_that_misses_keys_is_said_to_be_damaged_whoever_took_them(lost: str) -> None:
    async def work(url: str, admin: Any) -> None:
        frontier = RedisFrontier(url, crawl="c")
        await frontier.open()
        await frontier.push(entries(0, 9))
        admin.delete(f"{{fc:c}}:{lost}")
        with pytest.raises(FrontierError, match=r"this crawl is damaged: keys of it are missing .* FOCUSCRAWL_CRAWL"):
            await frontier.lease(9, worker="", per_host=1, lease_s=60.0)
        await frontier.close()

    with running_redis() as server, redis.Redis.from_url(server.url) as admin:
        admin.execute_command("ACL", "SETUSER", "default", "-info")  # it cannot be asked what was thrown away
        asyncio.run(work(server.url, admin))


def test_a_crawl_that_a_full_server_has_thrown_parts_of_away_is_said_to_be_damaged() -> None:
    async def work(url: str, admin: Any) -> None:
        frontier = RedisFrontier(url, crawl="c")
        await frontier.open()
        await frontier.push(entries(0, 9))
        # Its own key is thrown away for want of memory, and with it a part of the crawl that would go in the same way.
        admin.set("other", b"x" * 2_000_000, ex=3600)
        admin.config_set("maxmemory", admin.info("memory")["used_memory"] - 1_000_000)
        admin.set("another", "")
        assert admin.info("stats")["evicted_keys"] > 0
        admin.delete("{fc:c}:host")
        with pytest.raises(FrontierError, match=r"this crawl is damaged: .* keys away, .* another FOCUSCRAWL_CRAWL \("):
            await frontier.lease(9, worker="", per_host=1, lease_s=60.0)
        await frontier.close()

    with running_redis("--maxmemory-policy", "volatile-lru") as server:
        admin = redis.Redis.from_url(server.url)
        asyncio.run(work(server.url, admin))
        admin.close()
