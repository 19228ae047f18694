"""Where a crawl is steered: a run folder, or the Redis of a fleet; a command is given to either in one way."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from focuscrawl.errors import ConfigError, FrontierError
from focuscrawl.fleet import folder_channel
from focuscrawl.fleet.commands import Command
from focuscrawl.frontier.redis_url import is_redis, unknown_scheme, without_secret
from focuscrawl.storage.open_run import open_run
from focuscrawl.storage.run import RunFolder

if TYPE_CHECKING:
    from focuscrawl.fleet.redis_channel import RedisChannel

T = TypeVar("T")
URL_VARIABLE = "FOCUSCRAWL_FRONTIER_URL"
PASSWORD_VARIABLE = "REDISCLI_AUTH"  # noqa: S105 - the name of a variable, the one redis-cli reads


@dataclass(frozen=True, slots=True)
class CrawlPlace:
    """Address of a crawl: a run folder or a Redis."""

    shown: str  # for people, without passwords
    run: Path | None = None  # of one process
    url: str = ""
    crawl: str = ""  # name of the fleet's crawl, '' for the only one there is

    def ask(self, work: Callable[[RedisChannel], Awaitable[T]]) -> T:
        """Return what `work` returns, with an open channel of the fleet."""

        async def run() -> T:
            channel = await open_channel(self.url, self.crawl)
            try:
                return await work(channel)
            finally:
                await channel.close()

        return asyncio.run(run())

    def give(self, command: Command) -> tuple[int, bool]:
        """Give a command; return its number, and whether anybody is there to carry it out.

        Raises
        ------
        FocusCrawlError
            If it cannot be left.
        """
        if self.run is None:
            return self.ask(lambda channel: _give(channel, command))
        return folder_channel.give(self.run, command), RunFolder.open(self.run, writable=False).process is not None


def find_place(on: str, crawl: str = "") -> CrawlPlace:
    """Return the crawl that is meant: by a Redis URL, a run folder, or else the environment, or the latest run.

    Raises
    ------
    FocusCrawlError
        If there is none, or it is the run of one worker of a fleet, which is not steered by itself.
    """
    where = on or os.environ.get(URL_VARIABLE, "") or "latest"
    if is_redis(where):
        return CrawlPlace(without_secret(where), url=where, crawl=crawl)
    if "://" in where:
        raise ConfigError(unknown_scheme("--on" if on else URL_VARIABLE, where))
    if crawl:
        raise ConfigError(f"--crawl {crawl}: goes with the URL of a Redis, given with --on or in {URL_VARIABLE}.")
    with open_run(where) as (folder, db):
        overrides = db.settings().get("overrides")
    given = overrides if isinstance(overrides, dict) else {}
    if given.get("FOCUSCRAWL_FRONTIER") == "redis" or is_redis(given.get(URL_VARIABLE)):
        raise ConfigError(
            f"{folder.path}: the run of one worker of a fleet; steer the fleet by its Redis, with --on redis://…"
            f" or {URL_VARIABLE}."
        )
    return CrawlPlace(str(folder.path), run=folder.path)


async def open_channel(url: str, crawl: str) -> RedisChannel:
    """Return an open channel of a fleet's crawl, '' meaning the only one on the server.

    Raises
    ------
    FocusCrawlError
        If the server does not answer, or the crawl cannot be told.
    """
    from focuscrawl.fleet.partitioned_channel import make_channel

    options = redis_login()
    channel = make_channel(url, crawl=crawl or "-", connection=options)
    try:
        if not crawl:
            names = await channel.crawls()
            if not names:
                raise FrontierError(f"{channel.shown}: there is no crawl on this server; its first worker makes it.")
            if len(names) > 1:
                raise ConfigError(
                    f"{channel.shown}: there are several crawls: {', '.join(names)}. Name one with --crawl."
                )
            await channel.close()
            channel = make_channel(url, crawl=names[0], connection=options)
        await channel.open()
    except BaseException:
        await channel.close()
        raise
    return channel


def redis_login() -> dict[str, Any]:
    """Return the password that the environment has, for URLs without one: what a URL says goes before it."""
    password = os.environ.get(PASSWORD_VARIABLE, "")
    return {"password": password} if password else {}


async def _give(channel: RedisChannel, command: Command) -> tuple[int, bool]:
    from focuscrawl.fleet.channel import ALIVE_S

    anybody = any(worker.silent_s < ALIVE_S for worker in await channel.workers())
    return await channel.give(command), anybody
