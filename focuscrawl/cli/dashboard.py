"""``focuscrawl dashboard``: the live page of a run, or of a fleet."""

from __future__ import annotations

import sys
import webbrowser
from collections.abc import Callable, Sequence
from contextlib import suppress
from threading import Thread
from time import monotonic, sleep
from typing import TYPE_CHECKING, Annotated

import typer

from focuscrawl.cli import console
from focuscrawl.cli.demo import has_display
from focuscrawl.cli.options import LangOption
from focuscrawl.dashboard.guard import LOOPBACK
from focuscrawl.errors import NoRunError

if TYPE_CHECKING:
    from focuscrawl.dashboard.source import Source
    from focuscrawl.wording.base import Say

_LOOK_S = 0.3


def dashboard(
    runs: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[RUN]",
            help='Run folder, "latest", the name of a topic (its newest run), or postgresql://… of a crawl; several'
            " run folders of one fleet are shown together. Else the latest run.",
        ),
    ] = None,
    on: Annotated[
        str, typer.Option("--on", metavar="URL", help="Redis of a fleet; run folders of its workers here are found.")
    ] = "",
    crawl: Annotated[
        str, typer.Option("--crawl", metavar="NAME", help="Name of the fleet's crawl, if Redis has several.")
    ] = "",
    port: Annotated[
        int | None,
        typer.Option(min=0, max=65535, metavar="N", help="Port on loopback, 0 for any free one: 8710 if it is free."),
    ] = None,
    listen: Annotated[
        str,
        typer.Option(
            metavar="ADDRESS",
            help="IP address to listen on, for a container: browsers must still call it 127.0.0.1, with the same port.",
        ),
    ] = LOOPBACK,
    shared: Annotated[
        bool, typer.Option("--shared", help="Run folders of workers on other machines are here at the same paths.")
    ] = False,
    open_: Annotated[
        bool | None, typer.Option("--open/--no-open", help="Open the browser; by default when there is a display.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Write the address as JSON for programs.")] = False,
    wait_s: Annotated[
        float, typer.Option("--wait", min=0, metavar="SECONDS", help="Wait so long for a run that is not there yet.")
    ] = 5.0,
    lang: LangOption = "auto",
    with_stdin: Annotated[
        bool, typer.Option("--with-stdin", hidden=True, help="End when standard input ends, as a crawl's child.")
    ] = False,
) -> None:
    """Show a live page of a crawl in the browser of this machine, and steer the crawl from there."""
    from focuscrawl.dashboard.server import Dashboard
    from focuscrawl.wording import dashboard as texts
    from focuscrawl.wording.base import language_of, speaker
    from focuscrawl.wording.demo import NO_BROWSER

    say = speaker(lang)
    source = _awaited_source(runs or [], on, crawl, shared=shared, wait_s=wait_s, say=say)
    board = Dashboard(source, port=port, listen=listen, language=language_of(lang))
    if as_json:
        console.print_json({"address": board.own_address, "port": board.port})
    else:
        console.print_line(say(texts.OPENED, address=board.own_address))
        console.print_line(say(texts.UNTIL))
    wanted = open_ if open_ is not None else not as_json and sys.stdout.isatty() and has_display()
    if wanted and not webbrowser.open(board.own_address):
        console.warn(say(NO_BROWSER, file=board.own_address))
    if with_stdin:
        Thread(target=_close_at_end, args=(board.close,), daemon=True).start()
    with suppress(KeyboardInterrupt):
        board.serve()


def _awaited_source(runs: Sequence[str], on: str, crawl: str, *, shared: bool, wait_s: float, say: Say) -> Source:
    """Return what is to be shown, as soon as it is there."""
    from focuscrawl.dashboard.source import find_source
    from focuscrawl.wording.dashboard import AWAITED

    end, said = monotonic() + wait_s, False
    while True:
        try:
            return find_source(runs, on, crawl, shared=shared)
        except NoRunError:
            if monotonic() >= end:
                raise
            if not said:
                console.warn(say(AWAITED, seconds=f"{wait_s:g}"))
                said = True
            sleep(_LOOK_S)


def _close_at_end(close: Callable[[], None]) -> None:
    sys.stdin.buffer.read()
    close()
