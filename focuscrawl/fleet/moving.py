"""Moves partitions of a fleet's crawl between its Redis servers, and tells where they are."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

from focuscrawl.errors import ConfigError
from focuscrawl.fleet.crawl_place import open_channel, redis_login
from focuscrawl.frontier.partition import crawl_of
from focuscrawl.frontier.partition_move import move_partition
from focuscrawl.frontier.redis_calls import Calls, connect
from focuscrawl.frontier.redis_url import place_of, servers_of, without_secret

_PATIENCE_S = 10.0


@dataclass(frozen=True, slots=True)
class Moved:
    """A partition that was moved, or that stays where it was."""

    number: int
    source: str
    target: str
    keys: int


async def partition_places(url: str, crawl: str) -> dict[int, str]:
    """Return the server of each partition, without passwords.

    Parameters
    ----------
    url, crawl
        All servers of the crawl, with commas between them; its name, '' for the only one there is.

    Raises
    ------
    FocusCrawlError
        If the crawl is not in partitions, or a server does not answer.
    """
    async with _control(url, crawl) as control:
        return await _places(control)


async def move_partitions(url: str, crawl: str, numbers: Sequence[int], to: str) -> AsyncIterator[Moved]:
    """Move partitions to the server `to`, one after the other; yield each when it is there.

    Raises
    ------
    FocusCrawlError
        If `to` is none of the servers, there is no such partition, a server does not answer, or another move is under
        way. Each partition is on one server then, and the same call goes on.
    """
    async with _control(url, crawl) as control:
        name = control.prefix.removeprefix("{fc:").removesuffix("}:")
        places = await _places(control)
        target = _server(url, to)
        unknown = [str(number) for number in numbers if number not in places]
        if unknown:
            raise ConfigError(f"{', '.join(unknown)}: no partition; there are those from 0 to {len(places) - 1}.")
        for number in numbers:
            async with AsyncExitStack() as stack:
                servers = {}
                for server in servers_of(url):
                    calls = _calls(server, crawl_of(name, number))
                    stack.push_async_callback(calls.close)
                    servers[place_of(server)] = calls
                keys = await move_partition(control, servers, number=number, place=target)
            yield Moved(number, places[number], target, keys)


@asynccontextmanager
async def _control(url: str, crawl: str) -> AsyncIterator[Calls]:
    servers = servers_of(url)
    if len(servers) < 2:
        raise ConfigError(
            f"{without_secret(url)}: one server, so there is nowhere to move a partition to. Name all servers of the"
            " crawl with commas between them, as FOCUSCRAWL_FRONTIER_URL of its workers does."
        )
    channel = await open_channel(url, crawl)  # says so when a partition lies on a server that is not named
    name = channel.crawl
    await channel.close()
    control = _calls(servers[0], name)
    try:
        yield control
    finally:
        await control.close()


async def _places(control: Calls) -> dict[int, str]:
    noted = await control.patiently(lambda: control.client.hgetall(f"{control.prefix}places"))
    return dict(sorted((int(number), place_of(place.decode())) for number, place in noted.items()))


def _calls(server: str, crawl: str) -> Calls:
    return Calls(connect(server, redis_login()), without_secret(server), f"{{fc:{crawl}}}:", patience_s=_PATIENCE_S)


def _server(url: str, to: str) -> str:
    """Return how a server is called in ``places``; its user and password need not be given again."""
    names = [place_of(server) for server in servers_of(url)]
    wanted = place_of(to)
    if wanted in names:
        return wanted
    raise ConfigError(
        f"--to {wanted}: none of the crawl's servers, which are {', '.join(names)}. Start the workers anew with it in"
        " FOCUSCRAWL_FRONTIER_URL, and name it with --on, first."
    )
