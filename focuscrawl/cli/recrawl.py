"""``focuscrawl recrawl``: the pages of a run that are due, asked for again."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from types import FrameType
from typing import Annotated

import typer

from focuscrawl.cli import console
from focuscrawl.cli.crawl import run_crawl
from focuscrawl.cli.options import EndJsonOption, LangOption, SettingOption, given_settings
from focuscrawl.cli.status import show_status
from focuscrawl.own_command import own_command, own_environment
from focuscrawl.recrawl.allocation import Allocation
from focuscrawl.recrawl.freshness import Order
from focuscrawl.report.times import span
from focuscrawl.storage.run import RunFolder
from focuscrawl.wording import recrawl as wording
from focuscrawl.wording.base import Say, speaker
from focuscrawl.wording.summary import LOADING

_UNITS_S = {"": 1.0, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86_400.0}
_TIME = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,6})?)([smhd]?)")


def recrawl(
    run: Annotated[
        str, typer.Argument(metavar="RUN", help='Run folder, "latest", or the name of a topic (its newest run).')
    ],
    pages: Annotated[int, typer.Option(min=1, metavar="N", help="Fetches of a round.")] = 100,
    new: Annotated[
        float, typer.Option(min=0.0, max=0.99, metavar="SHARE", help="Share of them that goes to new links.")
    ] = 0.0,
    allocation: Annotated[
        Allocation, typer.Option(help="How visits are shared among pages, by their change rates.")
    ] = Allocation.OPTIMAL,
    order: Annotated[Order, typer.Option(help="When a page is due by its share.")] = Order.FIXED,
    versions: Annotated[bool, typer.Option("--versions", help="Keep what changed pages were before.")] = False,
    off_topic: Annotated[bool, typer.Option("--all", help="Visit pages that are not relevant, too.")] = False,
    every: Annotated[
        str, typer.Option(metavar="TIME", help="Begin a round so often, as 6h, 30m or 1d, until it is stopped.")
    ] = "",
    rounds: Annotated[int, typer.Option(min=0, metavar="N", help="End after N rounds; 0: never.")] = 0,
    period: Annotated[float, typer.Option(min=0.0, metavar="SECONDS", hidden=True)] = 0.0,
    setting: SettingOption = None,
    lang: LangOption = "auto",
    as_json: EndJsonOption = False,
) -> None:
    """Ask again for the pages of a run that are due, and tell which have changed, moved or gone."""
    folder = RunFolder.find(run).path
    every_s = _seconds(every) if every else 0.0
    if rounds and not every:
        raise typer.BadParameter("--rounds goes with --every")
    if every:
        options = ["--pages", str(pages), "--new", str(new), "--allocation", str(allocation), "--order", str(order)]
        options += ["--period", str(every_s), "--lang", lang]
        options += [name for name, wanted in (("--versions", versions), ("--all", off_topic)) if wanted]
        options += [part for value in setting or [] for part in ("-s", value)]
        command = [*own_command(), "recrawl", str(folder), *options]
        code = repeat(lambda: run_round(command), every_s, rounds=rounds, say=speaker(lang))
        if as_json:
            show_status([str(folder)], as_json=True)
        sys.exit(code)
    arguments = {
        "run": str(folder),
        "pages": str(pages),
        "new": str(new),
        "allocation": str(allocation),
        "order": str(order),
        "period": str(period),
        "versions": str(int(versions)),
        "off_topic": str(int(off_topic)),
    }
    settings = given_settings(setting, lang)
    console.warn(speaker(lang)(LOADING))
    run_crawl(arguments, settings, spider="recrawl", as_json=as_json)


def repeat(
    one_round: Callable[[], int],
    every_s: float,
    *,
    rounds: int,
    say: Say,
    sleep: Callable[[float], None] = time.sleep,
    clock: Callable[[], float] = time.monotonic,
) -> int:
    """Begin a round every so many seconds; return the exit code of the last.

    A round that takes longer delays the next. One that fails ends all: it would fail again.

    Parameters
    ----------
    rounds
        How many; 0 for no end.
    """
    number = 0
    try:
        while True:
            began = clock()
            code = one_round()
            number += 1
            if code or number == rounds:
                return code
            wait_s = max(0.0, began + every_s - clock())
            console.warn(say(wording.NEXT, time=span(wait_s, say)))
            sleep(wait_s)
    except KeyboardInterrupt:
        return 0


def run_round(command: Sequence[str]) -> int:
    """Run a round in a process of its own, which what ends this one ends in order; return its exit code."""
    child = subprocess.Popen(command, env=own_environment())  # noqa: S603 - our own command

    def stop(number: int, frame: FrameType | None) -> None:
        del number, frame
        child.send_signal(signal.SIGTERM)
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, stop)
    try:
        return child.wait()
    except KeyboardInterrupt:
        child.wait()  # Ctrl-C has reached it as well
        raise
    finally:
        signal.signal(signal.SIGTERM, before)


def _seconds(text: str) -> float:
    found = _TIME.fullmatch(text.strip())
    seconds = float(found[1]) * _UNITS_S[found[2]] if found is not None else 0.0
    if seconds <= 0.0:
        raise typer.BadParameter(f'--every {text}: expected a time such as "6h", "30m", "1d" or seconds')
    return seconds
