"""Commands: what can be said, what is said of what cannot, and where they are left."""

from __future__ import annotations

import asyncio
import json
import resource
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
import redis
from redis_kit import RedisServer

from focuscrawl.errors import ConfigError, FrontierError, StoreError
from focuscrawl.fleet import commands, folder_channel, redis_channel
from focuscrawl.fleet.channel import HeartbeatReport
from focuscrawl.fleet.commands import Command, Pause, Resume, Retopic, Stop, Unreadable, from_json, to_json
from focuscrawl.fleet.folder_channel import FolderChannel
from focuscrawl.fleet.partitioned_channel import make_channel
from focuscrawl.fleet.redis_channel import RedisChannel
from focuscrawl.frontier.fleet import FleetFrontier
from focuscrawl.frontier.partitioned import PartitionedFrontier
from focuscrawl.frontier.redis import RedisFrontier


@pytest.mark.parametrize(
    ("make", "kind", "args"),
    [
        (lambda: commands.set_limit("pages=5000"), "set", {"name": "pages", "value": 5000}),
        (lambda: commands.set_limit(" min-harvest = 0.05"), "set", {"name": "min_harvest", "value": 0.05}),
        (lambda: commands.ban_host("http://Example.org/a"), "ban-host", {"host": "example.org"}),
        (lambda: commands.ban_host("Example.org."), "ban-host", {"host": "example.org"}),
        (
            lambda: commands.ban_host("https://me:pw@例子.测试:8443/a?b"),
            "ban-host",
            {"host": "xn--fsqu00a.xn--0zwm56d:8443"},
        ),
        (lambda: commands.ban_host("例子.测试"), "ban-host", {"host": "xn--fsqu00a.xn--0zwm56d"}),
        (lambda: commands.ban_host("[::1]"), "ban-host", {"host": "[::1]"}),
        (
            lambda: commands.add_seeds(["HTTP://例子.测试/a b", "http://xn--fsqu00a.xn--0zwm56d/a%20b"]),
            "add-seeds",
            {"urls": ["http://xn--fsqu00a.xn--0zwm56d/a%20b"]},
        ),
    ],
)
def test_commands_are_written_and_read(make: Callable[[], Command], kind: str, args: dict[str, object]) -> None:
    command = make()
    assert command.command == kind
    assert {name: getattr(command, name) for name in args} == args
    assert from_json(to_json(command)) == command


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: commands.set_limit("pages"), "KEY=VALUE"),
        (lambda: commands.set_limit("page=5"), 'Did you mean "pages"'),
        (lambda: commands.set_limit("pages=1.5"), "expected a whole number, 0 or more"),
        (lambda: commands.set_limit("minutes=-1"), "expected a number, 0 or more"),
        (lambda: commands.set_limit("min_harvest=2"), r"expected a share in \[0, 1\]"),
        (lambda: commands.set_limit("=5"), "KEY=VALUE"),
        *(
            (lambda text=text: commands.ban_host(text), "no host; expected a name such as example.org")
            for text in ("two words", "", "http://", "*.example.org", "example.org/path", "http://[::1", "e.org:99999")
        ),
        (lambda: commands.add_seeds(["ftp://example.org/"]), "expected an http or https URL"),
        (lambda: commands.add_seeds([]), "no URLs"),
        (lambda: commands.add_seeds([f"http://example.org/{n}" for n in range(10_001)]), "at most 10,000"),
        (lambda: to_json(Retopic(topic="x" * (8 * 1024 * 1024))), "too many to send"),
    ],
)
def test_what_cannot_be_ordered_is_said(make: Callable[[], object], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        make()


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        (b"", "it is no JSON."),
        (b"no json", "it is no JSON."),
        (b"[1]", "Input should be a valid dictionary"),
        (b'{"command": "rm -rf"}', "Input tag 'rm -rf' found using 'command' does not match"),
        (b'{"command": "pause", "for": "ever"}', "pause.for: Extra inputs are not permitted."),
        (b'{"command": "set", "name": "speed", "value": 3}', '"speed" cannot be set while a crawl runs'),
        (b'{"command": "set", "name": "pages", "value": "many"}', "set.value: "),
        (b'{"command": "ban-host"}', "ban-host.host: Field required."),
        (b'{"command": "ban-host", "host": "two words"}', '"two words": no host'),
        (b'{"command": "add-seeds", "urls": 5}', "add-seeds.urls: "),
        (b"\xff", "it is no JSON."),
        (b"[" * 100_000, "it is no JSON."),
    ],
)
def test_what_is_no_command_is_said(line: bytes, sentence: str) -> None:
    read = from_json(line)
    assert isinstance(read, Unreadable)
    assert read.sentence.startswith(sentence)


def test_a_run_folder_of_an_earlier_version_keeps_its_commands() -> None:
    assert from_json(b'{"order": "ban-host", "at": 5.0, "host": "example.org"}') == commands.BanHost(
        at=5.0, host="example.org"
    )


def test_the_last_word_on_a_pause_counts() -> None:
    pause, resume = Pause(), Resume()
    assert commands.paused_since([]) is None
    again = commands.Pause(at=pause.at + 60.0)
    assert commands.paused_since([pause, resume, again, pause, commands.set_limit("pages=1")]) == again.at
    assert commands.paused_since([pause, resume]) is None


def test_a_full_list_still_takes_the_command_to_stop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folder_channel, "MAX_COMMANDS", 2)
    for _ in range(2):
        folder_channel.give(tmp_path, Pause())
    with pytest.raises(StoreError, match=r"is full \(2 commands\); only `stop` is accepted"):
        folder_channel.give(tmp_path, Resume())
    assert folder_channel.give(tmp_path, Stop()) == 3


def test_a_command_that_a_full_disk_cuts_off_is_told_and_leaves_the_next_one_whole(tmp_path: Path) -> None:
    assert folder_channel.give(tmp_path, Pause()) == 1
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2_000, before[1]))  # takes the place of a disk that has no room left
    try:
        with pytest.raises(StoreError, match=r"control\.jsonl: cannot be written: "):
            folder_channel.give(tmp_path, Retopic(topic="name = " + "x" * 9_000))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert folder_channel.give(tmp_path, Stop()) == 3
    (pause, cut, stop), _ = folder_channel.read(tmp_path)
    assert (type(pause), type(cut), type(stop)) == (Pause, Unreadable, Stop)


def test_a_full_fleet_still_takes_one_command_to_stop(
    redis_server: RedisServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(redis_channel, "MAX_COMMANDS", 1)

    async def work() -> None:
        frontier = RedisFrontier(redis_server.url, crawl=tmp_path.name)
        channel = RedisChannel(redis_server.url, crawl=tmp_path.name)
        await frontier.open()
        await channel.open()
        try:
            assert await channel.give(Pause()) == 1
            with pytest.raises(FrontierError, match=r"is full \(1\); only `stop` is accepted"):
                await channel.give(Resume())
            assert await channel.standing_stop() is None
            assert await channel.give(Stop(reason="budget", detail="5 pages")) == 2
            assert await channel.give(Stop(detail="by somebody else")) == 2  # the first one stands
            stop = await channel.standing_stop()
            assert stop is not None
            assert (stop.reason, stop.detail) == ("budget", "5 pages")
            assert len(await channel.commands()) == 2
        finally:
            await channel.close()
            await frontier.close()

    asyncio.run(work())


def test_a_stop_is_over_for_the_first_worker_that_comes_when_nobody_is_left(
    redis_server: RedisServer, tmp_path: Path
) -> None:
    async def beat_of(channel: RedisChannel) -> tuple[int, int]:
        beat = await channel.heartbeat(HeartbeatReport())
        return beat.number, beat.past

    async def work() -> None:
        first = RedisFrontier(redis_server.url, crawl=tmp_path.name)
        await first.open()
        channel = RedisChannel(redis_server.url, crawl=tmp_path.name, worker=first.worker)
        await channel.open()
        await channel.give(Pause())
        await channel.give(Stop())
        second = RedisFrontier(redis_server.url, crawl=tmp_path.name)
        await second.open()  # joins a fleet that is stopping
        assert await beat_of(channel) == (2, 0)
        await second.close()
        await first.close()
        later = RedisFrontier(redis_server.url, crawl=tmp_path.name)
        await later.open()
        assert await beat_of(channel) == (2, 2)
        assert await channel.standing_stop() is None
        assert await channel.give(Stop()) == 3
        await later.close()
        await channel.close()

    asyncio.run(work())


@pytest.mark.parametrize("partitioned", [False, True])
def test_a_killed_worker_is_not_alive_for_the_one_in_its_place(
    redis_server: RedisServer, tmp_path: Path, partitioned: bool
) -> None:
    name, url = tmp_path.name, ",".join([redis_server.url] * (2 if partitioned else 1))

    def worker(delay_s: float) -> FleetFrontier:
        return (PartitionedFrontier if partitioned else RedisFrontier)(url, crawl=name, delay_s=delay_s)

    async def is_stopped() -> bool:
        channel = make_channel(url, crawl=name)
        await channel.open()
        stop = await channel.standing_stop()
        await channel.close()
        return stop is not None

    async def work() -> None:
        killed = worker(9.0)
        await killed.open()
        channel = make_channel(url, crawl=name)
        await channel.open()
        await channel.give(Stop())
        await channel.close()
        other = worker(1.0)
        other.successor_of = "another"
        await other.open()
        assert await is_stopped()  # the first one may still be at work
        await other.close()
        again = worker(1.0)
        again.successor_of = killed.worker
        await again.open()
        assert not await is_stopped()
        with closing(redis.Redis.from_url(redis_server.url)) as client:
            assert float(client.hget(f"{{fc:{name}}}:meta", "delay") or 0) == 1.0
        await again.close()
        await killed.close()

    asyncio.run(work())


def test_a_crawl_of_another_layout_is_refused(redis_server: RedisServer, tmp_path: Path) -> None:
    async def work() -> None:
        frontier = RedisFrontier(redis_server.url, crawl=tmp_path.name)
        await frontier.open()
        await frontier.close()
        with closing(redis.Redis.from_url(redis_server.url)) as client:
            client.hset(f"{{fc:{tmp_path.name}}}:meta", "version", "3")
        channel = RedisChannel(redis_server.url, crawl=tmp_path.name)
        with pytest.raises(FrontierError, match=r"another version of focuscrawl \(layout 3, this one has"):
            await channel.open()
        await channel.close()

    asyncio.run(work())


async def beat(channel: FolderChannel, known: int) -> tuple[list[str], int, int]:
    beat = await channel.heartbeat(HeartbeatReport(known=known))
    names = [one.sentence if isinstance(one, Unreadable) else one.command for one in beat.commands]
    return names, beat.number, beat.scored


async def look_now_and_then(folder: Path) -> None:
    channel = FolderChannel(folder)
    await channel.open()
    assert await beat(channel, 0) == ([], 0, 0)
    assert folder_channel.give(folder, Pause()) == 1
    assert await channel.give(commands.ban_host("example.org")) == 2
    assert await beat(channel, 0) == (["pause", "ban-host"], 2, 0)
    assert await beat(channel, 2) == ([], 2, 0)
    await channel.mark_scored(2)
    assert await beat(channel, 2) == ([], 2, 2)
    # Half a line of a command that is writing right now is left for the next look.
    with (folder / folder_channel.NAME).open("ab") as file:
        file.write(b'{"command": "res')
    assert await beat(channel, 2) == ([], 2, 2)
    with (folder / folder_channel.NAME).open("ab") as file:
        file.write(b'ume", "at": 0}\n')
    assert await beat(channel, 2) == (["resume"], 3, 2)
    # The next process of this run knows which commands were meant for this one.
    again = FolderChannel(folder)
    await again.open()
    assert (await again.heartbeat(HeartbeatReport())).past == 3


def test_a_process_finds_new_commands_in_its_folder(tmp_path: Path) -> None:
    asyncio.run(look_now_and_then(tmp_path))
    lines = [json.loads(line) for line in (tmp_path / folder_channel.NAME).read_text().splitlines()]
    assert lines[1]["host"] == "example.org"
