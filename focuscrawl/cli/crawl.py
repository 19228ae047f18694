"""``focuscrawl crawl``: the bundled crawl, in any folder."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Annotated, NoReturn

import typer

from focuscrawl.cli import console
from focuscrawl.cli.options import LangOption
from focuscrawl.wording.base import speaker
from focuscrawl.wording.summary import LOADING


def crawl(
    topic: Annotated[
        str, typer.Argument(metavar="TOPIC", help='Topic file, or a name that "focuscrawl topic list" shows.')
    ] = "",
    pages: Annotated[int | None, typer.Option(min=0, metavar="N", help="Stop after N fetched pages; 0: never.")] = None,
    minutes: Annotated[float | None, typer.Option(min=0, metavar="N", help="Stop after N minutes; 0: never.")] = None,
    relevant: Annotated[
        int | None, typer.Option(min=0, metavar="N", help="Stop after N relevant pages; 0: never.")
    ] = None,
    seeds: Annotated[
        str, typer.Option(metavar="FILE", help="File of URLs, or URLs separated by commas; not the topic's.")
    ] = "",
    strategy: Annotated[str, typer.Option(metavar="NAME", help="Order of fetching (docs/strategies.md).")] = "",
    run: Annotated[
        str, typer.Option(metavar="FOLDER", help="Run folder; a crawl that is in it goes on, without TOPIC too.")
    ] = "",
    setting: Annotated[
        list[str] | None,
        typer.Option("--set", "-s", metavar="NAME=VALUE", help="Setting of the crawl or of Scrapy; may be repeated."),
    ] = None,
    lang: LangOption = "auto",
) -> None:
    """Crawl the pages on a topic."""
    if not topic and not run:
        raise typer.BadParameter(
            'name a topic file, a topic that "focuscrawl topic list" shows, or a run to go on with: --run FOLDER'
        )
    given = {
        "topic": topic,
        "pages": pages,
        "minutes": minutes,
        "relevant": relevant,
        "seeds": seeds,
        "strategy": strategy,
        "run": run,
    }
    settings = [*(setting or []), *([f"FOCUSCRAWL_LANG={lang}"] if lang != "auto" else [])]
    console.warn(speaker(lang)(LOADING))
    run_crawl({name: str(value) for name, value in given.items() if value not in (None, "")}, settings)


def run_crawl(arguments: Mapping[str, str], settings: Sequence[str], *, spider: str = "focused") -> NoReturn:
    """Crawl as ``scrapy crawl focused`` does, whatever project is in the current folder, and exit as it does.

    Parameters
    ----------
    arguments
        Names and values of ``-a``.
    settings
        NAME=VALUE of ``-s``.
    spider
        Another one of ours.
    """
    os.environ["SCRAPY_SETTINGS_MODULE"] = "focuscrawl.settings"
    from scrapy.cmdline import execute

    command = ["scrapy", "crawl", spider]
    for name, value in arguments.items():
        command += ["-a", f"{name}={value}"]
    for setting in settings:
        command += ["-s", setting]
    execute(command)
    raise AssertionError("Scrapy exits")
