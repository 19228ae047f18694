"""Crawls of the test site: in this process without a reactor, or as a user runs them."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import time
import warnings
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import site_kit
from forked_commands import Forked, fork_server, steers_crawls
from redis_kit import RedisServer
from scrapy.crawler import AsyncCrawlerRunner, Crawler
from scrapy.settings import Settings

from focuscrawl.glue.session import CrawlSession, session_of
from focuscrawl.records import PageRecord
from focuscrawl.storage.crawldb import CrawlDb

ROOT = Path(__file__).resolve().parent.parent
FAST: dict[str, Any] = {
    "DOWNLOAD_DELAY": 0,
    "FOCUSCRAWL_HOST_BACKOFF_S": 0,
    "FOCUSCRAWL_ROBOTS_RETRY_S": 0,
    "FOCUSCRAWL_REPORT": False,
}


def topic_file(folder: Path, seed: str) -> Path:
    """Write the test topic with one seed."""
    path = folder / "lighthouses.toml"
    path.write_text(site_kit.TOPIC_TOML.format(seed=seed), encoding="utf-8")
    return path


@dataclass
class Crawled:
    """A finished crawl."""

    run: Path
    exit_code: int = 0
    session: CrawlSession | None = None
    out: str = ""
    err: str = ""
    items: list[Any] = field(default_factory=list)

    def pages(self) -> list[PageRecord]:
        """Return the rows of `pages`, in the order of settling."""
        with CrawlDb.open_readonly(self.run / "crawl.db") as db:
            return list(db.pages())

    def page(self, path: str) -> PageRecord:
        """Return the row of the page whose URL ends with `path`."""
        return next(record for record in self.pages() if record.url.endswith(path))

    def counts(self) -> dict[str, int]:
        with CrawlDb.open_readonly(self.run / "crawl.db") as db:
            return db.counts()

    def jsonl(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in (self.run / "pages.jsonl").read_text(encoding="utf-8").splitlines()]


def project_settings(**overrides: Any) -> Settings:
    """Return the bundled project's settings as ``scrapy -s`` would change them."""
    settings = Settings()
    settings.setmodule("focuscrawl.settings", priority="project")  # Scrapy's own way notes it in the environment
    settings.setdict({**FAST, **overrides}, priority="cmdline")
    return settings


def crawl_here(
    folder: Path, *, spider: Any = "focused", settings: dict[str, Any] | None = None, **arguments: Any
) -> Crawled:
    """Crawl in this process, without a reactor: nothing guards names then, so all addresses are allowed."""
    given = {"TWISTED_REACTOR_ENABLED": False, "FOCUSCRAWL_ALLOW_PRIVATE": True, **(settings or {})}
    if isinstance(spider, str):
        arguments = {"run": str(folder), **arguments}
    else:
        given.setdefault("FOCUSCRAWL_RUN", str(folder))
    crawled = Crawled(folder)

    async def crawl() -> Crawler:
        runner = AsyncCrawlerRunner(project_settings(**given))
        crawler = runner.create_crawler(spider)
        from scrapy import signals

        def keep(item: Any) -> None:
            crawled.items.append(item)

        crawler.signals.connect(keep, signal=signals.item_scraped)
        await runner.crawl(crawler, **arguments)
        return crawler

    with warnings.catch_warnings():
        # Scrapy calls running without a reactor experimental, and says so each time.
        warnings.filterwarnings("ignore", message=".*experimental.*")
        crawler = asyncio.run(crawl())
    crawled.session = session_of(crawler)
    if crawled.session.error is not None:
        raise crawled.session.error
    if crawled.session.ending is not None:
        crawled.exit_code = crawled.session.ending.exit_code
    return crawled


def crawl_together(
    folder: Path,
    server: RedisServer,
    *,
    workers: int = 2,
    settings: dict[str, Any] | None = None,
    steer: Callable[[Sequence[CrawlSession]], Awaitable[None]] | None = None,
    spider: str = "focused",
    **arguments: Any,
) -> list[Crawler]:
    """Run several workers of one crawl in this process, each with its own connection; topic and runs are in `folder`.

    `steer` runs beside them.
    """
    given = {
        "TWISTED_REACTOR_ENABLED": False,
        "FOCUSCRAWL_ALLOW_PRIVATE": True,
        "FOCUSCRAWL_FRONTIER_URL": server.url,
        "FOCUSCRAWL_CRAWL": str(folder),
        **(settings or {}),
    }
    crawlers: list[Crawler] = []

    async def crawl() -> None:
        runner = AsyncCrawlerRunner(project_settings(**given))
        crawlers.extend(runner.create_crawler(spider) for _ in range(workers))
        topic = str(folder / "lighthouses.toml")
        runs = [
            runner.crawl(one, run=str(folder / f"run{n}"), topic=topic, **arguments) for n, one in enumerate(crawlers)
        ]
        beside = [steer([session_of(one) for one in crawlers])] if steer is not None else []
        await asyncio.gather(*runs, *beside)

    with warnings.catch_warnings():
        # Scrapy calls running without a reactor experimental, and says so each time.
        warnings.filterwarnings("ignore", message=".*experimental.*")
        asyncio.run(crawl())
    return crawlers


def command(run: Path, *args: str, settings: dict[str, Any] | None = None) -> list[str]:
    """Return the command of a crawl as a user types it."""
    given = {**FAST, "FOCUSCRAWL_ALLOW_PRIVATE": "127.0.0.1", **(settings or {})}
    options = [word for name, value in given.items() for word in ("-s", f"{name}={value}")]
    return ["scrapy", "crawl", "focused", "-a", f"run={run}", *args, *options]


def clean_environment(**more: str) -> dict[str, str]:
    """Return the environment without what a test has set that would steer a crawl, plus `more`."""
    return {**{name: value for name, value in os.environ.items() if not steers_crawls(name)}, **more}


def crawl_command(
    run: Path,
    *args: str,
    settings: dict[str, Any] | None = None,
    env: dict[str, str] | None = None,
    cwd: Path = ROOT,
    timeout_s: float = 60.0,
) -> Crawled:
    """Crawl with the command line."""
    process = start_command(run, *args, settings=settings, env=env, cwd=cwd)
    try:
        out, err = process.communicate(timeout_s)
    finally:
        process.send_signal(signal.SIGKILL)
    return Crawled(run, process.wait(), out=out.decode(), err=err.decode())


def start_command(
    run: Path,
    *args: str,
    settings: dict[str, Any] | None = None,
    env: dict[str, str] | None = None,
    cwd: Path = ROOT,
) -> Forked:
    """Start a crawl; the caller ends it."""
    return fork_server().start(command(run, *args, settings=settings), cwd=cwd, env=clean_environment(**(env or {})))


def end(process: Forked, number: int = signal.SIGKILL, *, timeout_s: float = 40.0) -> tuple[int, str]:
    """Send a signal and wait; return the exit code and what was said on standard error."""
    process.send_signal(number)
    _, err = process.communicate(timeout=timeout_s)
    return process.wait(), err.decode()


async def comes_true(condition: Callable[[], bool], *, timeout_s: float = 90.0) -> None:
    """Wait until `condition` holds, while the crawls of this process go on."""
    deadline = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < deadline, "it did not come true in time"
        await asyncio.sleep(0.005)


def until(condition: Callable[[], bool], *, timeout_s: float = 90.0) -> None:
    """Wait until `condition` holds."""
    deadline = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < deadline, "it did not come true in time"
        time.sleep(0.02)


def times(log: Sequence[dict[str, Any]], host: str = "") -> list[float]:
    """Return when requests came, of one host or of all."""
    return [line["at"] for line in log if not host or line["host"] == host]
