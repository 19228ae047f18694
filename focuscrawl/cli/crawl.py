"""``focuscrawl crawl``: the bundled crawl, in any folder."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from focuscrawl.cli import console
from focuscrawl.cli.options import EndJsonOption, LangOption, SettingOption, given_settings
from focuscrawl.wording.base import speaker
from focuscrawl.wording.summary import LOADING

if TYPE_CHECKING:
    from focuscrawl.crawler.crawl import Crawl


def crawl(
    topic: Annotated[
        str, typer.Argument(metavar="TOPIC", help='Topic file, or a name that "focuscrawl topic list" shows.')
    ] = "",
    pages: Annotated[
        int | None,
        typer.Option(
            min=0, metavar="N", help="Stop after N fetched pages; 0: never. Else the topic's number, or 1000."
        ),
    ] = None,
    minutes: Annotated[float | None, typer.Option(min=0, metavar="N", help="Stop after N minutes; 0: never.")] = None,
    relevant: Annotated[
        int | None, typer.Option(min=0, metavar="N", help="Stop after N relevant pages; 0: never.")
    ] = None,
    seeds: Annotated[
        str, typer.Option(metavar="FILE", help="File of URLs, or URLs separated by commas, in place of the topic's.")
    ] = "",
    strategy: Annotated[
        str, typer.Option(metavar="NAME", help="Order of fetching (docs/strategies.md); else the topic's.")
    ] = "",
    run: Annotated[
        str,
        typer.Option(
            metavar="FOLDER",
            help="Run folder, else crawls/TOPIC/TIME; a crawl that is in it goes on, without TOPIC too.",
        ),
    ] = "",
    setting: SettingOption = None,
    lang: LangOption = "auto",
    as_json: EndJsonOption = False,
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
    settings = given_settings(setting, lang)
    console.warn(speaker(lang)(LOADING))
    run_crawl({name: str(value) for name, value in given.items() if value not in (None, "")}, settings, as_json=as_json)


def run_crawl(
    arguments: Mapping[str, str], settings: Sequence[str], *, spider: str = "focused", as_json: bool = False
) -> NoReturn:
    """Crawl as ``scrapy crawl focused`` does, whatever project is in the current folder, and exit as it does.

    Parameters
    ----------
    arguments
        Names and values of ``-a``.
    settings
        NAME=VALUE of ``-s``.
    spider
        Another one of ours.
    as_json
        Write where the run stands to standard output at the end, if the crawl could begin.
    """
    os.environ["SCRAPY_SETTINGS_MODULE"] = "focuscrawl.settings"
    from scrapy.cmdline import execute

    if as_json:
        from focuscrawl.commands.crawl import Command

        Command.at_end = print_end
    command = ["scrapy", "crawl", spider]
    for name, value in arguments.items():
        command += ["-a", f"{name}={value}"]
    for setting in settings:
        command += ["-s", setting]
    execute(command)
    raise AssertionError("Scrapy exits")


def print_end(crawl: Crawl) -> None:
    """Write where the run of a crawl that has ended stands, as JSON: what ``focuscrawl status --json`` has.

    Of a crawl without a database, whose frontier is in memory, there is what its counters say.
    """
    from focuscrawl.cli.status import status_json
    from focuscrawl.report.read import read_run
    from focuscrawl.storage.open_run import open_pages

    ending, folder = crawl.ending, crawl.output.folder
    assert ending is not None
    if crawl.output.has_db:
        with open_pages(str(folder.path)) as pages:
            facts = status_json(pages, read_run(pages.reader, best=0, queue=0, results=0))
    else:
        facts = {"run": str(folder.path), **_counted(crawl)}
    # As this process knows it: the run may be on a disk that is full.
    reason = f"{ending.reason}: {ending.detail}" if ending.detail else ending.reason
    console.print_json({**facts, "stop_reason": reason, "process": None})


def _counted(crawl: Crawl) -> dict[str, object]:
    progress, spec = crawl.step.counters.progress(), crawl.plan.spec
    return {
        "topic": spec.name,
        "title": spec.title,
        "strategy": crawl.plan.strategy,
        "pages": progress.pages,
        "relevant": progress.relevant,
        "stored": progress.stored,
        "not_stored": dict(progress.not_stored),
        **progress.words.by_name(),
        "unasked": progress.unasked,
        "reasons": dict(crawl.step.counters.reasons),
        "harvest": progress.harvest,
        "harvest_recent": progress.harvest_recent,
        "hosts": progress.hosts,
        "relevant_hosts": progress.relevant_hosts,
        "queued": crawl.loop.queued,
        "threshold": progress.threshold,
    }
