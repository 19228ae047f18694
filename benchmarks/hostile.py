"""Hostile answers, crawled by focuscrawl and by Scrapy as it comes: requests, memory, time and how each ended.

    python benchmarks/hostile.py                      # all rows
    python benchmarks/hostile.py bodies headers --crawler focuscrawl

Each answer is crawled by itself, in a process of its own, from a page that links to it and to an honest page. *Growth*
is the process's largest resident size less that of a crawl of the honest page alone. Scrapy has its default settings,
but for ROBOTSTXT_OBEY as `scrapy startproject` sets it; a spider follows every link. Both have DOWNLOAD_TIMEOUT = 3 and
no DOWNLOAD_DELAY. The server is that of tests/hostile, on loopback.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from threading import Thread, Timer

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from hostile import broken, test_bodies, test_headers, test_redirects
from hostile.bad_manners import Answer, bad_manners, html, raw
from site_kit import TOPIC_TOML

from focuscrawl.storage.crawldb import CrawlDb

ROOT = Path(__file__).resolve().parent.parent
HONEST = "/fine"
_LIMIT_S = 240.0
_OK = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
_SPIDER = """
import json
import scrapy
from scrapy.http import TextResponse
from scrapy.linkextractors import LinkExtractor


class Plain(scrapy.Spider):
    name = "plain"
    custom_settings = {"ROBOTSTXT_OBEY": True, "DOWNLOAD_TIMEOUT": 3, "LOG_LEVEL": "CRITICAL"}

    def __init__(self, start):
        super().__init__()
        self.start_urls = [start]

    def parse(self, response):
        if isinstance(response, TextResponse):
            for link in LinkExtractor().extract_links(response):
                yield scrapy.Request(link.url, callback=self.parse)

    def closed(self, reason):
        print(json.dumps({key: str(value) for key, value in self.crawler.stats.get_stats().items()}))
"""


def _page(body: str) -> Answer:
    return html(f"<html><head><title>lighthouse</title></head><body>{body}")


def _cookies() -> Answer:
    lines = b"".join(b"Set-Cookie: c%d=v; Path=/; Domain=com\r\nSet-Cookie: d%d=v\r\n" % (n, n) for n in range(1000))
    return raw(_OK + lines + b"Content-Length: 2\r\nConnection: close\r\n\r\nok")


def _redirects() -> dict[str, Answer]:
    chains = {**test_redirects.chain("redirects", "redirect"), **test_redirects.chain("refreshes", "refresh")}
    return {**chains, **test_redirects.chain("both", "redirect", "refresh")}


ROWS: dict[str, Callable[[], Mapping[str, Mapping[str, Answer]]]] = {
    # row -> what is linked to -> answers by path, the first of which is the link's
    "headers": lambda: {path: {path: answer} for path, answer in test_headers.HOSTILE.items()},
    "bodies": lambda: {path: {path: make()} for path, (make, _) in test_bodies.ANSWERS.items()},
    "redirects": lambda: {
        name: {path: answer for path, answer in _redirects().items() if f"/{name}/" in path}
        for name in ("redirects", "refreshes", "both")
    },
    "broken": lambda: {
        path: {path: answer} for path, (answer, _, _) in broken.KINDS.items() if path.startswith(("/closed", "/reset"))
    },
    "slow": lambda: {
        path: {path: answer}
        for path, (answer, _, _) in broken.KINDS.items()
        if path.startswith(("/silent/in-body", "/dripping"))
    },
    "cookies": lambda: {"/cookies": {"/cookies": _cookies()}},
    "pages": lambda: {
        "100,000 links": {"/big": _page("".join(f'<a href="//x.invalid/{n}">lock</a> ' for n in range(100_000)))},
        "300,000 nested blocks": {"/big": _page("<div>" * 300_000 + "lighthouse")},
        "an attribute of 3.9 MB": {"/big": _page(f'<p title="{"x" * 3_900_000}">lighthouse</p>')},
        "one text of 3.9 MB": {"/big": _page("<p>" + "lighthouse " * 354_000)},
    },
}


@dataclass(frozen=True, slots=True)
class Run:
    """A crawl of one answer."""

    seconds: float  # CPU
    peak_mb: float
    asked: int
    honest: bool  # the honest page was fetched
    ended: str


class Peak(Thread):
    """Largest resident size of a process; what the system reports at its end begins with the size of its parent."""

    def __init__(self, pid: int) -> None:
        super().__init__(daemon=True)
        self._status = Path(f"/proc/{pid}/status")
        self.mb = 0.0

    def run(self) -> None:
        while found := re.search(r"VmHWM:\s*(\d+)", self._status.read_text(encoding="ascii")):
            self.mb = max(self.mb, int(found[1]) / 1024)
            time.sleep(0.02)


def focuscrawl(url: str, folder: Path) -> list[str]:
    """Return the command of a focused crawl of at most 40 pages."""
    topic = folder / "topic.toml"
    topic.write_text(TOPIC_TOML.format(seed=url), encoding="utf-8")
    settings = {
        "DOWNLOAD_DELAY": 0,
        "DOWNLOAD_TIMEOUT": 3,
        "FOCUSCRAWL_ALLOW_PRIVATE": "127.0.0.1",
        "FOCUSCRAWL_HOST_BACKOFF_S": 0,
        "FOCUSCRAWL_REPORT": False,
        "LOG_LEVEL": "CRITICAL",
    }
    options = [word for name, value in settings.items() for word in ("-s", f"{name}={value}")]
    return ["crawl", "focused", "-a", f"topic={topic}", "-a", f"run={folder / 'run'}", "-a", "pages=60", *options]


def plain(url: str, folder: Path) -> list[str]:
    """Return the command of a crawl by Scrapy alone."""
    (folder / "plain.py").write_text(_SPIDER, encoding="utf-8")
    return ["runspider", "plain.py", "-a", f"start={url}", "-s", "CLOSESPIDER_PAGECOUNT=400"]


CRAWLERS: dict[str, Callable[[str, Path], list[str]]] = {"focuscrawl": focuscrawl, "Scrapy": plain}


def crawl(crawler: str, answers: Mapping[str, Answer]) -> Run:
    """Crawl a page that links to the first of `answers` and to the honest page."""
    first = next(iter(answers), "")
    links = "".join(f'<p><a href="{path}">lighthouse {path}</a></p>' for path in (first, HONEST) if path)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        served = {**answers, "/": html(f"<h1>lighthouse</h1>{links}"), HONEST: html("<h1>lighthouse lamp</h1>")}
        manners = stack.enter_context(bad_manners(served))
        words = CRAWLERS[crawler](manners.url("/"), folder)
        env = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}
        process = subprocess.Popen(
            [sys.executable, "-m", "scrapy", *words],
            cwd=ROOT if crawler == "focuscrawl" else folder,
            env=env,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        killer = Timer(_LIMIT_S, process.kill)
        killer.start()
        peak = Peak(process.pid)
        peak.start()
        assert process.stdout is not None
        out = process.stdout.read().decode()
        peak.join()
        _, status, usage = os.wait4(process.pid, 0)
        killer.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        asked = sum(manners.asked[path] for path in answers)
        ended = f"killed after {_LIMIT_S:.0f} s" if process.returncode < 0 else ""
        if not ended:
            ended = _settled(folder, first) if crawler == "focuscrawl" else _said(out)
        return Run(usage.ru_utime + usage.ru_stime, peak.mb, asked, manners.asked[HONEST] > 0, ended)


def _settled(folder: Path, path: str) -> str:
    with CrawlDb.open_readonly(folder / "run" / "crawl.db") as db:
        rows = [(r.outcome, r.reason) for r in db.pages() if path and r.url.endswith(path)]
    return "; ".join(": ".join(filter(None, row)) for row in rows)


def _said(out: str) -> str:
    stats = next((json.loads(line) for line in out.splitlines() if line.startswith("{")), {})
    told = {
        name.rpartition("/")[2].rpartition(".")[2]: count
        for name, count in stats.items()
        if "exception_type_count/" in name or "spider_exceptions/" in name
    }
    told |= {f"HTTP {name[-3:]}": count for name, count in stats.items() if "response_status_count/" in name}
    return ", ".join(f"{count} × {name}" for name, count in told.items())


def main() -> None:
    """Read the command line, crawl, and print a table in Markdown."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", nargs="*", choices=[[], *ROWS], default=[])
    parser.add_argument("--crawler", choices=list(CRAWLERS), action="append")
    given = parser.parse_args()
    crawlers = given.crawler or list(CRAWLERS)
    honest = {crawler: crawl(crawler, {"/also": _page("<p>lighthouse lamp")}).peak_mb for crawler in crawlers}
    print("| row | answer | crawler | requests | growth | CPU | honest page | ended |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |", flush=True)
    for row in given.rows or ROWS:
        for name, answers in ROWS[row]().items():
            for crawler in crawlers:
                run = crawl(crawler, answers)
                growth = max(0.0, run.peak_mb - honest[crawler])
                cells = (row, name, crawler, str(run.asked), f"{growth:.0f} MB", f"{run.seconds:.1f} s")
                print(f"| {' | '.join(cells)} | {'yes' if run.honest else 'no'} | {run.ended} |", flush=True)


if __name__ == "__main__":
    start = time.monotonic()
    main()
    print(f"\n{time.monotonic() - start:.0f} s", file=sys.stderr)
