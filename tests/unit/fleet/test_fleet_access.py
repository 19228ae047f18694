"""A user of Redis with the rights that docs/fleet.md gives it can crawl, and nothing beside."""

from __future__ import annotations

import asyncio
import re
from contextlib import closing
from pathlib import Path

import pytest
import redis
from redis_kit import RedisServer, running_redis

from focuscrawl.fleet.channel import HeartbeatReport
from focuscrawl.fleet.commands import Pause, Stop
from focuscrawl.fleet.crawl_place import open_channel, redis_login
from focuscrawl.fleet.moving import move_partitions
from focuscrawl.fleet.redis_channel import RedisChannel
from focuscrawl.frontier.partitioned import PartitionedFrontier
from focuscrawl.frontier.redis import RedisFrontier
from focuscrawl.frontier.redis_connect import connect
from focuscrawl.frontier.redis_url import servers_of
from focuscrawl.records import Entry, Outcome, Settlement

DOCS = Path(__file__).resolve().parents[3] / "docs" / "fleet.md"


async def crawl(url: str, name: str) -> None:
    """Call everything a worker, and whoever steers it, calls."""
    frontier = RedisFrontier(url, crawl=name, dispatch="pick-2")
    await frontier.open()
    channels = RedisChannel(url, crawl=name, worker=frontier.worker), RedisChannel(url, crawl=name)
    try:
        for channel in channels:
            await channel.open()
        pushed = [Entry(f"http://a.example/{n}", n, "a.example", 0.5) for n in range(1, 5)]
        await frontier.push(pushed)
        leases = await frontier.lease(3, worker="", per_host=3, lease_s=60)
        await frontier.renew(leases, 60)
        await frontier.settle([Settlement(leases[0], Outcome.DONE)])
        await frontier.release(leases[1:])
        await frontier.reap()
        await frontier.rescore({3: 0.9})
        await frontier.set_offsets({"a.example": 0.1})
        await frontier.set_host("a.example", delay_s=0.1)
        await frontier.next_ready_at()

        async def make(old: bytes | None) -> bytes:
            return b"robots"

        assert await frontier.cached("robots", bool, make, keep_s=5.0) == b"robots"
        assert len([entry async for entry in frontier.entries()]) == 3
        await channels[1].give(Pause())
        beat = await channels[0].heartbeat(HeartbeatReport(events=[b"{}"]))
        assert [type(one) for one in beat.commands] == [Pause]
        assert beat.totals is not None
        assert beat.totals.stats.queued == 3
        assert await channels[0].publish(b"model") == 1
        assert await channels[0].model() == b"model"
        await channels[0].mark_scored(1)
        assert len(await channels[1].workers()) == 1
        assert await channels[1].trainer() == frontier.worker
        assert name in await channels[1].crawls()
        await channels[1].give(Stop())
        assert await channels[1].standing_stop() is not None
        assert (await channels[1].totals()).stats.done == 1
        await channels[0].retire([])
    finally:
        for channel in channels:
            await channel.close()
        await frontier.close()


def test_the_rights_in_the_documentation_are_enough_and_no_more(redis_server: RedisServer, tmp_path: Path) -> None:
    line = re.search(r"^user crawler (.*)$", DOCS.read_text(encoding="utf-8"), re.MULTILINE)
    assert line is not None
    with closing(redis.Redis.from_url(redis_server.url)) as admin:
        admin.execute_command("ACL", "SETUSER", "crawler", *line[1].split())
        try:
            url = redis_server.url.replace("unix://", "unix://crawler:CHANGE-ME@")
            asyncio.run(crawl(url, tmp_path.name))
            with closing(redis.Redis.from_url(url)) as user:
                user.lpush("focused:start_urls", "http://example.org/")
                user.delete("focused:start_urls")
                for command in ("FLUSHALL", "CONFIG GET *", "KEYS *", "GET other", "SHUTDOWN", "ACL LIST"):
                    with pytest.raises(redis.exceptions.NoPermissionError):
                        user.execute_command(*command.split())
        finally:
            admin.execute_command("ACL", "DELUSER", "crawler")


def test_a_server_with_the_users_in_the_documentation_comes_back_with_everything(tmp_path: Path) -> None:
    # Redis 7.0 reads its append-only file with the rights of the default user, even where that one is off: without them
    # it leaves out every script's writes. Redis 6.2, which the tests bring, does not, so the rights are asked for, too.
    lines = re.findall(r"^user (.*)$", DOCS.read_text(encoding="utf-8"), re.MULTILINE)
    assert [line.split()[:2] for line in lines] == [["default", "off"], ["crawler", "on"]]
    assert {"resetpass", "~*", "&*", "+@all"} <= set(lines[0].split())
    users = [word for line in lines for word in ("--user", *line.split())]
    with running_redis("--appendonly", "yes", *users) as server:
        url = server.url.replace("unix://", "unix://crawler:CHANGE-ME@")
        asyncio.run(crawl(url, tmp_path.name))
        with closing(redis.Redis.from_url(url)) as user:
            before = user.hgetall(f"{{fc:{tmp_path.name}}}:meta")
            assert b"epoch" in before
        server.stop()
        server.start()
        with closing(redis.Redis.from_url(url)) as user:
            assert user.hgetall(f"{{fc:{tmp_path.name}}}:meta") == before
        with closing(redis.Redis.from_url(server.url)) as nobody, pytest.raises(redis.exceptions.AuthenticationError):
            nobody.ping()


@pytest.mark.parametrize("logins", [("", ""), ("default@", "default@"), ("", ":from-url@"), (":from-url@", "")])
def test_the_password_of_the_environment_is_for_each_server_whose_url_has_none(
    logins: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    passwords = ["from-url" if ":" in login else "from-environment" for login in logins]

    async def work(given: str, whole: str) -> None:
        frontier = PartitionedFrontier(whole, crawl="c")
        await frontier.open()
        await frontier.push([Entry("http://a.example/", 1, "a.example", 0.5)])
        await frontier.close()
        channel = await open_channel(given, "")
        assert (await channel.totals()).stats.queued == 1
        await channel.close()
        other = PartitionedFrontier(whole.replace("://:", "://default:"), crawl="c")  # a user, where the first had none
        await other.open()
        assert len(await other.lease(1, worker="", per_host=1, lease_s=60)) == 1
        await other.close()
        moved = [one async for one in move_partitions(given, "c", [0], servers_of(whole)[1])]
        assert [one.number for one in moved] == [0]

    monkeypatch.setenv("REDISCLI_AUTH", "from-environment")
    with running_redis("--requirepass", passwords[0]) as one, running_redis("--requirepass", passwords[1]) as two:
        urls = [server.url for server in (one, two)]
        given = ",".join(url.replace("://", f"://{login}") for url, login in zip(urls, logins, strict=True))
        whole = ",".join(url.replace("://", f"://:{word}@") for url, word in zip(urls, passwords, strict=True))
        asyncio.run(work(given, whole))


def test_the_password_of_a_url_of_sentinels_goes_before_that_of_the_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("REDISCLI_AUTH", "from-environment")
    for login, password in ((":from-url@", "from-url"), ("", "from-environment")):
        client = connect(f"redis+sentinel://{login}one:26379/mymaster/0", redis_login())
        assert client.connection_pool.connection_kwargs["password"] == password
