"""Two crawls of the sample web, focused and breadth-first, and their comparison."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from time import monotonic, time

from focuscrawl.demo.serve import SampleServer
from focuscrawl.demo.web import SampleWeb, sample_web, topic_file
from focuscrawl.errors import FocusCrawlError, StoreError, os_reason
from focuscrawl.own_command import own_command, own_environment
from focuscrawl.report.read import read_run
from focuscrawl.report.write import write_report
from focuscrawl.storage.crawldb import CrawlDb
from focuscrawl.storage.run import RunFolder, holds_run
from focuscrawl.wording.base import VARIABLE, Choice, Say, language_of

FOCUSED = "focused"
BREADTH_FIRST = "breadth-first"
REPORT = "report.html"
_END_S = 15.0  # a crawl that was told to stop closes its database in far less
# One request at a time, so that two demos fetch nearly the same pages: with 16 of them under way, what is found in 300
# pages depends on the machine (breadth-first: 9 to 34 relevant ones in three runs). A lease taken ahead may still come
# before or after the last page's offsets: four focused crawls found 53 to 62.
_SETTINGS = ("DOWNLOAD_DELAY=0", "CONCURRENT_REQUESTS=1", "FOCUSCRAWL_FRONTIER_BUFFER=1")
_PROXY_SETTINGS = ("http_proxy", "https_proxy", "all_proxy", "no_proxy", "ftp_proxy")


@dataclass(frozen=True, slots=True)
class DemoCrawl:
    """Figures of one of the two crawls."""

    name: str
    strategy: str
    run: str  # its folder
    pages: int
    relevant: int  # as the topic's judge said
    harvest: float  # relevant / pages, in [0, 1]
    on_topic: int  # as the sample web's labels say
    seconds: float
    stop_reason: str
    best: str = ""  # URL of its most relevant page


@dataclass(frozen=True, slots=True)
class DemoResult:
    """Both crawls, and their report."""

    crawls: tuple[DemoCrawl, ...]
    report: str
    web_pages: int
    web_on_topic: int
    hosts: int

    def as_json(self) -> dict[str, object]:
        """Return it for programs."""
        return asdict(self)


def run_demo(out: Path, *, pages: int, quiet: bool = False, lang: Choice = "auto") -> DemoResult:
    """Serve the sample web, crawl it twice, and write one report of both into `out`.

    Parameters
    ----------
    out
        Folder for the two runs and the report; made when missing.
    pages
        Pages each crawl may fetch.
    quiet
        Keep the crawls' own progress off the terminal.
    lang
        The language of progress and report.

    Raises
    ------
    StoreError
        If `out` holds runs already, or cannot be written.
    FocusCrawlError
        If a crawl fails.
    """
    out = out.absolute()
    for name in (FOCUSED, BREADTH_FIRST):
        if (out / name).exists():
            raise StoreError(f"{out}: holds the runs of a demo already; name another folder with --out.")
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(f"{out}: cannot be made: {os_reason(error)}.") from error
    web = sample_web()
    with SampleServer(web) as server:
        environment = crawl_environment(server.address) | {VARIABLE: language_of(lang)}
        # The focused crawl comes last, so that "latest" means it afterwards.
        slow = _crawl(out / BREADTH_FIRST, {"strategy": BREADTH_FIRST}, pages, environment, quiet)
        seconds = {FOCUSED: _crawl(out / FOCUSED, {}, pages, environment, quiet), BREADTH_FIRST: slow}
    return _result(out, web, seconds, Say(language_of(lang)))


def crawl_environment(proxy: str) -> dict[str, str]:
    """Return the environment of a crawl of the sample web: all requests go to `proxy`, whatever the user has set."""
    kept = {name: value for name, value in os.environ.items() if name.lower() not in _PROXY_SETTINGS}
    return {
        **own_environment(kept),
        "http_proxy": proxy,
        "https_proxy": proxy,
        "SCRAPY_SETTINGS_MODULE": "focuscrawl.settings",
    }


def _crawl(run: Path, arguments: Mapping[str, str], pages: int, environment: Mapping[str, str], quiet: bool) -> float:
    """Run one crawl to its end; return its seconds."""
    given = {"run": str(run), "pages": str(pages), **arguments}
    # Not `python -m scrapy`, which Ctrl-C ends with a traceback while it loads: a second or two of each crawl.
    command = [*own_command(), "crawl", str(topic_file())]
    for setting in _SETTINGS:
        command += ["-s", setting]
    for name, value in given.items():
        command += [f"--{name}", value]
    said = subprocess.PIPE if quiet else None
    started = monotonic()
    # The folder above the runs: a scrapy.cfg in the user's folder must not get in the way.
    with subprocess.Popen(  # noqa: S603 - our own interpreter and arguments
        command, cwd=run.parent, env=dict(environment), stdin=subprocess.DEVNULL, stdout=sys.stderr, stderr=said
    ) as crawl:
        try:
            _, errors = crawl.communicate()
        except BaseException:  # Ctrl-C reaches the crawl as well, which then ends in good order
            _end(crawl)
            raise
    if crawl.returncode or not holds_run(run):
        last = (errors or b"").decode("utf-8", "replace").strip().splitlines()[-3:]
        told = f": {' '.join(last)}" if last else ""
        raise FocusCrawlError(f"The {run.name} crawl failed with exit code {crawl.returncode}{told}")
    return monotonic() - started


def _end(crawl: subprocess.Popen[bytes]) -> None:
    with suppress(subprocess.TimeoutExpired):
        crawl.wait(_END_S)
        return
    crawl.kill()


def _result(out: Path, web: SampleWeb, seconds: Mapping[str, float], say: Say) -> DemoResult:
    labels = web.labels
    crawls = []
    curves: dict[str, list[bool]] = {}
    for name, took in seconds.items():
        folder = RunFolder.open(out / name, writable=False)
        with CrawlDb.open_readonly(folder.db) as db:
            run = read_run(db, best=1, queue=0, results=0)
            on_topic = sum(labels.get(page.url, False) for page in db.pages())
        curves[name] = list(run.relevant)
        crawls.append(
            DemoCrawl(
                name=name,
                strategy=run.strategy,
                run=str(folder.path),
                pages=run.pages,
                relevant=run.found,
                harvest=run.harvest,
                on_topic=on_topic,
                seconds=round(took, 2),
                stop_reason=run.stop_reason,
                best=run.best[0].url if run.best else "",
            )
        )
    report = out / REPORT
    with CrawlDb.open_readonly(RunFolder.open(out / FOCUSED, writable=False).db) as db:
        write_report(db, report, compare={BREADTH_FIRST: curves[BREADTH_FIRST]}, now=time(), say=say)
    return DemoResult(tuple(crawls), str(report), len(web.pages), sum(labels.values()), len(web.hosts))
