"""``focuscrawl demo``: the first look, without a network."""

from __future__ import annotations

import os
import shlex
import sys
import webbrowser
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from focuscrawl.cli.console import print_json, print_line, print_table, warn, write_text
from focuscrawl.cli.options import LangOption
from focuscrawl.demo.crawls import DemoResult, run_demo
from focuscrawl.demo.serve import SampleServer, serve_until_interrupted
from focuscrawl.demo.web import sample_web
from focuscrawl.errors import FocusCrawlError, os_reason
from focuscrawl.wording import demo as wording
from focuscrawl.wording.base import Say, speaker
from focuscrawl.wording.endings import COMMA

_PORT = 8642  # of --serve: the same each time, so that what was exported once goes on working
_PAGES = 300  # half of the sample web: both curves show their shape, in seconds


def demo(
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="DIR", help="Folder for the runs and the report: crawls/demo/TIME."),
    ] = None,
    pages: Annotated[int, typer.Option(min=1, metavar="N", help="Pages each crawl may fetch.")] = _PAGES,
    open_: Annotated[
        bool | None, typer.Option("--open/--no-open", help="Open the report; by default when there is a display.")
    ] = None,
    serve: Annotated[
        bool, typer.Option("--serve", help="Only serve the sample web, for crawls of your own, until Ctrl-C.")
    ] = False,
    port: Annotated[
        int, typer.Option(min=0, max=65535, metavar="N", help="Port for --serve; 0: any free one.")
    ] = _PORT,
    lang: LangOption = "auto",
    as_json: Annotated[bool, typer.Option("--json", help="Write JSON for programs.")] = False,
) -> None:
    """Crawl a small sample web on this machine, focused and breadth-first, and compare the two in one report."""
    say = speaker(lang)
    if serve:
        _serve(port, say)
        return
    folder = out or Path("crawls") / "demo" / f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}"
    result = run_demo(folder, pages=pages, quiet=as_json, lang=lang)
    if as_json:
        print_json(result.as_json())
    else:
        _show(result, say)
    wanted = open_ if open_ is not None else not as_json and sys.stdout.isatty() and has_display()
    if wanted and not webbrowser.open(Path(result.report).as_uri()):
        warn(say(wording.NO_BROWSER, file=result.report))


def _serve(port: int, say: Say) -> None:
    try:
        server = SampleServer(sample_web(), port=port)
    except OSError as error:
        raise FocusCrawlError(
            f"Port {port} cannot be used: {os_reason(error)}; name another one with --port."
        ) from error
    address = server.address
    print_line(say(wording.SERVED))
    print_line()
    print_line(f"export http_proxy={address} https_proxy={address}")
    print_line()
    print_line(say(wording.RESERVED, hosts=say(COMMA).join(sample_web().hosts)))
    serve_until_interrupted(server)


def has_display() -> bool:
    """Tell whether a browser has somewhere to show a page."""
    if sys.platform in ("win32", "darwin"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def _show(result: DemoResult, say: Say) -> None:
    write_text("\n")
    print_line(say(wording.WEB, pages=result.web_pages, hosts=result.hosts, n=result.web_on_topic))
    write_text("\n")
    print_table(
        [say(column) for column in wording.COLUMNS],
        [
            (
                crawl.name,
                crawl.strategy,
                str(crawl.pages),
                str(crawl.relevant),
                f"{crawl.harvest:.1%}",
                say(wording.OF, found=crawl.on_topic, n=result.web_on_topic),
                f"{crawl.seconds:.1f}",
            )
            for crawl in result.crawls
        ],
    )
    print_line(say(wording.REPORT, file=result.report))
    focused = result.crawls[0]
    if focused.best:
        command = f"focuscrawl explain {shlex.quote(focused.run)} {shlex.quote(focused.best)}"
        print_line(say(wording.WHY, command=command))
