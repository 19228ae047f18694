"""``focuscrawl filter``: the pages of archive files judged and stored as those of a crawl, without a crawl."""

from __future__ import annotations

import asyncio
import logging
import os
import shlex
import signal
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from focuscrawl.cli import console
from focuscrawl.cli.options import EndJsonOption, LangOption

if TYPE_CHECKING:
    from focuscrawl.config import FocusConfig
    from focuscrawl.crawler.archive_pass import ArchivePass
    from focuscrawl.crawler.crawl import Crawl
    from focuscrawl.crawler.plan import CrawlPlan

_LOG_FORMAT = "%(asctime)s [%(name)s] %(levelname)s: %(message)s"
_BAR_S = 0.5
# Variables of the environment that are read, or are for crawls only.
_NOT_MEANT = ("FOCUSCRAWL_LANG", "FOCUSCRAWL_FRONTIER_URL")


def filter_archives(
    topic: Annotated[
        str, typer.Argument(metavar="TOPIC", help='Topic file, or a name that "focuscrawl topic list" shows.')
    ],
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE…",
            readable=False,
            help="WARC or WET files, plain or gzipped, WACZ files, or folders of them.",
        ),
    ],
    run: Annotated[str, typer.Option(metavar="FOLDER", help="Run folder; a filter that is in it goes on.")] = "",
    pages: Annotated[int | None, typer.Option(min=0, metavar="N", help="Stop after N pages; 0: never.")] = None,
    minutes: Annotated[float | None, typer.Option(min=0, metavar="N", help="Stop after N minutes; 0: never.")] = None,
    relevant: Annotated[
        int | None, typer.Option(min=0, metavar="N", help="Stop after N relevant pages; 0: never.")
    ] = None,
    setting: Annotated[
        list[str] | None,
        typer.Option("--set", "-s", metavar="NAME=VALUE", help="A FOCUSCRAWL_ setting; may be repeated."),
    ] = None,
    lang: LangOption = "auto",
    as_json: EndJsonOption = False,
) -> None:
    """Judge, extract, de-duplicate and store the pages of archives with a topic, without a crawl."""
    from focuscrawl.config import FocusConfig, unread_variables
    from focuscrawl.crawler.archive_pass import readable_archives
    from focuscrawl.crawler.arguments import CrawlArguments
    from focuscrawl.crawler.plan import make_plan
    from focuscrawl.errors import ConfigError
    from focuscrawl.storage.archive_reader import archive_files

    given = _settings(setting or [])
    config = FocusConfig.from_settings({"FOCUSCRAWL_LANG": lang, **given})
    if config.frontier != "sqlite":
        raise ConfigError(
            f'FOCUSCRAWL_FRONTIER = "{config.frontier}": archives are filtered by one process; remove it.'
        )
    for sentence in unread_variables([*given, *_NOT_MEANT], os.environ):
        console.warn(f"WARNING: {sentence}")
    config = config.model_copy(update={"wait_per_page_s": 0.0})
    archives, faults = readable_archives(archive_files(files))
    # No link is followed, so the order of fetching is that of the records.
    arguments = CrawlArguments(
        topic=topic, strategy="breadth-first", run=run, pages=pages, minutes=minutes, relevant=relevant
    )
    plan = make_plan(arguments, config, archives=[str(path) for path in archives])
    with _logged(plan.folder.log):
        for fault in faults:
            logging.warning("left out: %s", fault)
        crawl, done = asyncio.run(_filter(plan, config, files, archives, given, unread=len(faults)))
    assert crawl.ending is not None
    if as_json:
        progress, counts = crawl.step.counters.progress(), done.counts
        console.print_json(
            {
                "run": str(crawl.output.folder.path),
                "stopped": crawl.ending.reason,
                "files": counts.files,
                "files_left_out": faults,
                "records": dict(counts.records),
                "damaged": counts.damaged,
                "left_out": dict(counts.left_out),
                "pages": progress.pages,
                "relevant": progress.relevant,
                "stored": progress.stored,
                "not_pages": progress.failed,
            }
        )
    if crawl.ending.exit_code or faults:
        raise typer.Exit(crawl.ending.exit_code or 1)


async def _filter(
    plan: CrawlPlan,
    config: FocusConfig,
    files: Sequence[Path],
    archives: Sequence[Path],
    given: Mapping[str, object],
    *,
    unread: int,
) -> tuple[Crawl, ArchivePass]:
    from focuscrawl.crawler.archive_pass import BATCH, ArchivePass
    from focuscrawl.crawler.closing import close_crawl
    from focuscrawl.crawler.crawl import Network
    from focuscrawl.crawler.endings import STOPPED, Ending
    from focuscrawl.crawler.hang_up import end_in_order_on_hang_up
    from focuscrawl.crawler.opening import open_crawl
    from focuscrawl.crawler.summary import summary
    from focuscrawl.errors import FocusCrawlError
    from focuscrawl.storage.crawldb import CrawlDb
    from focuscrawl.storage.run import without_secrets
    from focuscrawl.wording import summary as wording
    from focuscrawl.wording.base import speaker

    earlier = {}
    if plan.folder.resumed:
        with CrawlDb.open_readonly(plan.folder.db) as db:
            earlier = db.states()
    crawl, control = await open_crawl(plan, config, Network(BATCH, BATCH), settings={}, overrides=given)
    say = speaker(config.lang)
    console.warn(say(wording.FILTER, n=len(archives), topic=plan.spec.name, folder=plan.folder.path))
    with suppress(NotImplementedError, RuntimeError):  # not the main thread
        for number in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(number, crawl.stop, Ending(STOPPED))
        end_in_order_on_hang_up()
    done = ArchivePass(crawl, archives, earlier, unread=unread)
    shown = asyncio.get_running_loop().create_task(_show_progress(crawl))
    try:
        await done.run()
    except FocusCrawlError as error:
        crawl.fail(error)
    finally:
        shown.cancel()
        with suppress(asyncio.CancelledError):
            await shown
        await crawl.finish()
        await control.close()
        await close_crawl(crawl, "finished")
    command = shlex.join(["focuscrawl", "filter", plan.arguments.topic, *map(str, files)])
    settings = "".join(f" -s {shlex.quote(f'{name}={value}')}" for name, value in without_secrets(given).items())
    console.warn(summary(crawl, say, go_on=(f"{command} --run ", settings)))
    return crawl, done


async def _show_progress(crawl: Crawl) -> None:
    """Show where the filter is on standard error, as a crawl does, until cancelled."""
    from focuscrawl.crawler.summary import ProgressLine
    from focuscrawl.glue.terminal_bar import TerminalBar, is_terminal

    line, bar = ProgressLine(crawl), TerminalBar(sys.stderr) if is_terminal(sys.stderr) else None
    if bar is not None:
        bar.open()
    try:
        while True:
            await asyncio.sleep(_BAR_S if bar is not None else crawl.config.progress_s)
            if bar is None:
                console.warn(line())
            else:
                bar.show(line(), done=crawl.step.counters.pages, goal=crawl.limits.pages, find="")
    finally:
        if bar is not None:
            bar.close()


@contextmanager
def _logged(path: Path) -> Iterator[None]:
    """Write the log to the run folder, and what is wrong to standard error as well."""
    from focuscrawl.crawler.log_file import CleanFormatter, LogFile

    shown = logging.StreamHandler()
    shown.setLevel(logging.WARNING)
    shown.setFormatter(CleanFormatter("%(message)s"))
    kept = LogFile(path, encoding="utf-8", delay=True)
    kept.setFormatter(CleanFormatter(_LOG_FORMAT))
    level = logging.root.level
    for handler in (shown, kept):
        logging.root.addHandler(handler)
    logging.root.setLevel(logging.INFO)
    try:
        yield
    finally:
        logging.root.setLevel(level)
        for handler in (shown, kept):
            logging.root.removeHandler(handler)
            handler.close()


def _settings(given: Sequence[str]) -> dict[str, object]:
    """Return the settings given as NAME=VALUE.

    Raises
    ------
    ConfigError
        If one is not of that form, or is none of ours.
    """
    from focuscrawl.config import PREFIX
    from focuscrawl.errors import ConfigError

    settings: dict[str, object] = {}
    for one in given:
        name, equals, value = one.partition("=")
        if not equals or not name.startswith(PREFIX):
            raise ConfigError(
                f"--set {one}: expected {PREFIX}NAME=VALUE; nothing is downloaded, so Scrapy has no part."
            )
        settings[name] = value
    return settings
