"""``focuscrawl fleet``: see and steer a crawl that runs, of many workers over Redis or of one process."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Annotated, Any

import typer

from focuscrawl.cli import console
from focuscrawl.cli.lazy import HelpGroup
from focuscrawl.cli.options import LangOption, OutsideOption
from focuscrawl.errors import ConfigError
from focuscrawl.fleet import commands
from focuscrawl.fleet.commands import Command, Pause, Resume, Retopic, Stop
from focuscrawl.fleet.crawl_place import (
    PASSWORD_VARIABLE,
    URL_VARIABLE,
    CrawlPlace,
    find_place,
    open_channel,
    redis_login,
)
from focuscrawl.frontier.redis_url import is_redis, unknown_scheme, without_secret
from focuscrawl.wording.base import speaker

if TYPE_CHECKING:
    from focuscrawl.frontier.redis_import import ImportCounts

_PATIENCE_S = 2.0

app = typer.Typer(
    cls=HelpGroup,
    add_completion=False,
    help="See and steer a crawl that runs: a fleet over Redis, or one process by its run folder.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

On = Annotated[
    str,
    typer.Option(
        "--on",
        metavar="URL|RUN",
        help=f'URL of the fleet\'s Redis; or a run folder, a topic, "latest". Else ${URL_VARIABLE}, or "latest".'
        f" A password need not stand in the URL: ${PASSWORD_VARIABLE} is read.",
    ),
]
Crawl = Annotated[
    str,
    typer.Option("--crawl", metavar="NAME", help="Name of the crawl (FOCUSCRAWL_CRAWL); needed if Redis has several."),
]
Json = Annotated[bool, typer.Option("--json", help="Write JSON for programs.")]


@app.command()
def status(on: On = "", crawl: Crawl = "", lang: LangOption = "auto", as_json: Json = False) -> None:
    """Show workers, queue, harvest and trainer."""
    from focuscrawl.cli.fleet_status import show_fleet, show_process

    place = find_place(on, crawl)
    if place.run is not None:
        show_process(place.run, speaker(lang), as_json=as_json)
    else:
        place.ask(lambda channel: show_fleet(channel, speaker(lang), as_json=as_json))


@app.command()
def pause(on: On = "", crawl: Crawl = "", as_json: Json = False) -> None:
    """Fetch nothing more until told to go on; what is under way is finished."""
    _give(Pause(), on, crawl, as_json)


@app.command()
def resume(on: On = "", crawl: Crawl = "", as_json: Json = False) -> None:
    """Go on after a pause."""
    _give(Resume(), on, crawl, as_json)


@app.command()
def stop(on: On = "", crawl: Crawl = "", as_json: Json = False) -> None:
    """End the crawl, on all workers; it can be taken up again later."""
    _give(Stop(detail="by focuscrawl fleet stop"), on, crawl, as_json)


@app.command()
def retopic(
    file: Annotated[str, typer.Argument(metavar="FILE", help="Topic file, or the name of a topic.")],
    allow_outside: OutsideOption = False,
    on: On = "",
    crawl: Crawl = "",
    as_json: Json = False,
) -> None:
    """Change the topic: links that wait are scored anew, pages are judged by the new one from now on."""
    from focuscrawl.crawler.build import build_step
    from focuscrawl.topic.packed import pack_topic
    from focuscrawl.topic.spec import load_topic

    spec = load_topic(file, allow_outside=allow_outside)
    build_step(spec)  # a judge or strategy that is not known is better said here than in the logs of the workers
    _give(Retopic(**pack_topic(spec)), on, crawl, as_json)


@app.command("add-seeds")
def add_seeds(
    urls: Annotated[list[str], typer.Argument(metavar="URL|FILE…", help="URLs, or files with one a line.")],
    on: On = "",
    crawl: Crawl = "",
    as_json: Json = False,
) -> None:
    """Queue URLs before all others."""
    from focuscrawl.topic.seeds import split_seeds

    _give(commands.add_seeds([url for text in urls for url in split_seeds(text)]), on, crawl, as_json)


@app.command("ban-host")
def ban_host(
    host: Annotated[str, typer.Argument(metavar="HOST", help="A host name; all below it are meant, too.")],
    on: On = "",
    crawl: Crawl = "",
    as_json: Json = False,
) -> None:
    """Leave a host alone from now on."""
    _give(commands.ban_host(host), on, crawl, as_json)


@app.command("set")
def set_(
    what: Annotated[
        str, typer.Argument(metavar="KEY=VALUE", help=f"Limit to change: {', '.join(commands.LIMITS)}; 0 is none.")
    ],
    on: On = "",
    crawl: Crawl = "",
    as_json: Json = False,
) -> None:
    """Change a limit, as in pages=5000."""
    _give(commands.set_limit(what), on, crawl, as_json)


@app.command()
def move(
    partitions: Annotated[
        list[int] | None, typer.Argument(metavar="NUMBER…", help="Partitions to move; without one, show where all are.")
    ] = None,
    to: Annotated[str, typer.Option("--to", metavar="URL", help="Server they go to, one of those of the crawl.")] = "",
    on: On = "",
    crawl: Crawl = "",
    as_json: Json = False,
) -> None:
    """Move partitions of a crawl to another of its servers, while workers go on.

    One that was interrupted is ended by the same call again.
    """
    from focuscrawl.fleet.moving import move_partitions, partition_places

    place = find_place(on, crawl)
    if place.run is not None:
        raise ConfigError(f"{place.shown}: the run of one process; a fleet over several Redis servers has partitions.")
    if bool(partitions) != bool(to):
        raise ConfigError("Give partitions and --to URL together, or neither to see where the partitions are.")

    async def carry_out(numbers: list[int]) -> None:
        async for one in move_partitions(place.url, place.crawl, numbers, to):
            if as_json:
                console.print_json({"partition": one.number, "from": one.source, "to": one.target, "keys": one.keys})
            elif one.source == one.target:
                console.print_line(f"partition {one.number}: is on {one.target}")
            else:
                console.print_line(f"partition {one.number}: moved from {one.source} to {one.target}")

    if partitions:
        asyncio.run(carry_out(partitions))
        return
    places = asyncio.run(partition_places(place.url, place.crawl))
    if as_json:
        console.print_json({"partitions": {str(number): server for number, server in places.items()}})
        return
    for number, server in places.items():
        console.print_line(f"{number:>3} {server}")


@app.command("import-dupefilter")
def import_dupefilter(
    key: Annotated[str, typer.Argument(metavar="KEY", help="Set of fingerprints, as in myspider:dupefilter.")],
    on: On = "",
    crawl: Crawl = "",
    source: Annotated[
        str, typer.Option("--from", metavar="URL", help="Redis the set is in, where that is another one.")
    ] = "",
    as_json: Json = False,
) -> None:
    """Leave alone what an earlier crawl with scrapy-redis has fetched. The crawl is made when there is none yet."""
    place = find_place(on, crawl)
    if place.run is not None:
        raise ConfigError(
            f"{place.shown}: the run of one process; a dupefilter can be imported into a fleet's Redis only."
        )
    if source and not is_redis(source):
        raise ConfigError(unknown_scheme("--from", source))
    counts, made = asyncio.run(_import(place, key, source))
    if as_json:
        found = {"new": counts.new, "known": counts.known, "bad": counts.bad}
        console.print_json({**found, "made": made, "on": place.shown})
        return
    told = f"{counts.new:,} fingerprints imported"
    told += f", {counts.known:,} were there" if counts.known else ""
    told += f", {counts.bad:,} members of the set are none and were left out" if counts.bad else ""
    told += ". Links to what they are of are left alone, seeds excepted."
    told += f' The crawl "{place.crawl}" was not there and has been made.' if made else ""
    console.print_line(told)


# ------------------------------------------------------------------------------------------------------------- private


async def _import(place: CrawlPlace, key: str, source: str) -> tuple[ImportCounts, bool]:
    """Import; return what became of the fingerprints, and whether the crawl was made."""
    from focuscrawl.frontier.redis import RedisFrontier
    from focuscrawl.frontier.redis_calls import Calls, connect
    from focuscrawl.frontier.redis_import import import_fingerprints

    name = place.crawl
    if not name:
        channel = await open_channel(place.url, "")
        name = channel.crawl
        await channel.close()
    here, there = (
        Calls(connect(url, redis_login()), without_secret(url), f"{{fc:{name}}}:", patience_s=_PATIENCE_S)
        for url in (place.url, source or place.url)
    )
    try:
        attempts = await here.patiently(lambda: here.client.hget(f"{here.prefix}meta", "attempts"))
        own: dict[str, Any] = {"max_attempts": int(attempts)} if attempts else {}  # opening a crawl sets them
        frontier = RedisFrontier(place.url, crawl=name, connection=redis_login(), patience_s=_PATIENCE_S, **own)
        await frontier.open()
        try:
            return await import_fingerprints(frontier, there, key), attempts is None
        finally:
            await frontier.close()
    finally:
        await here.close()
        await there.close()


def _give(command: Command, on: str, crawl: str, as_json: bool) -> None:
    place = find_place(on, crawl)
    number, anybody = place.give(command)
    _said(command.command, number, place, as_json, anybody=anybody)


def _said(kind: str, number: int, place: CrawlPlace, as_json: bool, *, anybody: bool) -> None:
    if as_json:
        console.print_json({"command": kind, "number": number, "on": place.shown})
        return
    if anybody:
        when = "carried out within a second or two"
    elif place.run is not None and kind in ("pause", "resume", "stop"):
        when = "without effect, unless the crawl is at work on another machine: nothing runs here"
    elif place.run is not None:
        when = "carried out when the crawl goes on: nothing runs here"
    elif kind == "stop":
        when = "no worker is there, and the next that comes goes on"
    else:
        when = "carried out when a worker comes: none is there"
    console.print_line(f"{kind}: given to {place.shown}; {when}.")
