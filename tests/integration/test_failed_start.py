"""A crawl that cannot start in a project with the add-on: exit code, log and exception, whatever runs Scrapy."""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from crawl_kit import clean_environment, topic_file
from postgres_kit import PostgresServer
from redis_kit import free_port, running_redis

from focuscrawl.storage.crawldb import CrawlDb
from focuscrawl.storage.run import RunFolder

_SETTINGS = """
BOT_NAME = "books"
SPIDER_MODULES = ["books.spiders"]
ADDONS = {"focuscrawl.addon.FocusCrawlAddon": 500}
FOCUSCRAWL_TOPIC = "lighthouses.toml"
FOCUSCRAWL_RUN = "run"
"""
_SPIDER = """
import scrapy


class BookSpider(scrapy.Spider):
    name = "book"
    start_urls = ["http://127.0.0.1:1/"]

    def parse(self, response):
        yield {"url": response.url}
"""
# Runs one crawl after the other, each with the settings of one line of its input; tells what each `crawl` raised.
_SCRIPT = """
import asyncio, json, sys
from scrapy.crawler import AsyncCrawlerRunner
from scrapy.utils.project import get_project_settings
from scrapy.utils.log import configure_logging

FIXED = {
    "TWISTED_REACTOR_ENABLED": False,
    "FOCUSCRAWL_ALLOW_PRIVATE": True,
    "LOG_LEVEL": "ERROR",
    "LOG_FORMAT": "%(levelname)s: %(name)s: %(message)s",
}
configure_logging(FIXED)

async def main():
    for line in sys.stdin:
        settings = get_project_settings()
        settings.setdict({**FIXED, **json.loads(line)})
        runner = AsyncCrawlerRunner(settings)
        try:
            await runner.crawl("book")
        except Exception as error:
            print(json.dumps([type(error).__name__, str(error), runner.bootstrap_failed]))
        else:
            print(json.dumps(["", "", runner.bootstrap_failed]))

asyncio.run(main())
"""

# Tells what an extension such as Spidermon's finds in the stats when the spider is closed.
_STATS = """
import asyncio, json, sys
from focuscrawl.errors import FocusCrawlError
from scrapy import signals
from scrapy.crawler import AsyncCrawlerRunner
from scrapy.utils.log import configure_logging
from scrapy.utils.project import get_project_settings

FIXED = {
    "TWISTED_REACTOR_ENABLED": False,
    "LOG_LEVEL": "ERROR",
    "LOG_FORMAT": "%(levelname)s: %(name)s: %(message)s",
}
configure_logging(FIXED)

async def main():
    settings = get_project_settings()
    settings.setdict({**FIXED, **json.loads(sys.stdin.read())})
    runner = AsyncCrawlerRunner(settings)
    crawler = runner.create_crawler("book")

    def closed(reason):
        print(json.dumps({"errors": crawler.stats.get_value("log_count/ERROR"), "reason": reason}))

    crawler.signals.connect(closed, signal=signals.spider_closed)
    try:
        await runner.crawl(crawler)
    except FocusCrawlError:
        pass
    else:
        raise AssertionError("nothing was raised")

asyncio.run(main())
"""

# Tells what `crawl` raised with TWISTED_REACTOR = None, which leaves the reactor named here, or else Twisted's default.
_REACTOR = """
import sys
from scrapy.crawler import CrawlerRunner
from scrapy.utils.project import get_project_settings
from scrapy.utils.reactor import install_reactor

if len(sys.argv) > 1:
    install_reactor(sys.argv[1])
settings = get_project_settings()
settings.set("TWISTED_REACTOR", None)
settings.setdict({"FOCUSCRAWL_ALLOW_PRIVATE": "127.0.0.1", "FOCUSCRAWL_MAX_ATTEMPTS": 1, "ROBOTSTXT_OBEY": False})
crawl = CrawlerRunner(settings).crawl("book")
crawl.addErrback(lambda failure: print(type(failure.value).__name__, failure.value))
from twisted.internet import reactor
crawl.addBoth(lambda _: reactor.callLater(0, reactor.stop))
reactor.run()
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A Scrapy project of its own with the add-on and one ordinary spider."""
    folder = tmp_path / "project"
    spiders = folder / "books" / "spiders"
    spiders.mkdir(parents=True)
    (folder / "scrapy.cfg").write_text("[settings]\ndefault = books.settings\n", encoding="utf-8")
    (folder / "books" / "__init__.py").touch()
    (folder / "books" / "settings.py").write_text(_SETTINGS, encoding="utf-8")
    (spiders / "__init__.py").touch()
    (spiders / "book.py").write_text(_SPIDER, encoding="utf-8")
    topic_file(folder, "http://127.0.0.1:1/")
    return folder


def python(project: Path, *args: str, lines: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *args],
        cwd=project,
        env=clean_environment(),
        input=lines,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.mark.parametrize("mode", ["score", "frontier"])
def test_scrapy_crawl_of_a_project_fails_with_the_sentence(project: Path, mode: str) -> None:
    topic = "FOCUSCRAWL_TOPIC=missing.toml"
    done = python(project, "-m", "scrapy", "crawl", "book", "-s", topic, "-s", f"FOCUSCRAWL_MODE={mode}")
    assert done.returncode == 1
    assert "ERROR: missing.toml: there is no such file" in done.stderr
    assert done.stderr.count("there is no such file") == 1
    assert "Traceback" not in done.stderr
    assert "Crawled (" not in done.stderr
    assert not (project / "run").exists()


@pytest.mark.parametrize("mode", ["score", "frontier", "full"])
def test_what_monitors_read_at_the_end_says_that_the_start_failed(project: Path, mode: str) -> None:
    given = {"FOCUSCRAWL_TOPIC": "missing.toml", "FOCUSCRAWL_MODE": mode, "FOCUSCRAWL_ALLOW_PRIVATE": True}
    done = python(project, "-c", _STATS, lines=json.dumps(given))
    assert done.stdout, done.stderr
    (stats,) = [json.loads(line) for line in done.stdout.splitlines()]
    assert stats == {"errors": 1, "reason": "error"}, done.stderr
    assert done.stderr.count("ERROR: focuscrawl.crawler.failed_start: missing.toml: there is no such file") == 1


@pytest.mark.parametrize("installed", ["", "twisted.internet.asyncioreactor.AsyncioSelectorReactor"])
def test_the_reactor_that_is_installed_has_to_be_asyncios(project: Path, installed: str) -> None:
    done = python(project, "-c", _REACTOR, *([installed] if installed else []))
    assert "Traceback" not in done.stderr
    told = "ConfigError TWISTED_REACTOR is None, but the frontier needs asyncio. Remove TWISTED_REACTOR"
    assert done.stdout.startswith("" if installed else told), done.stdout
    assert (project / "run" / "crawl.db").is_file() == bool(installed)


def test_every_fault_of_the_start_reaches_the_caller_of_crawl(project: Path, postgres_server: PostgresServer) -> None:
    (project / "faulty.toml").write_text('name = "faulty"\nterms = 3\n', encoding="utf-8")
    taken = CrawlDb.open(RunFolder.open_or_create(project / "taken").db)
    with running_redis("--requirepass", "right", port=free_port()) as server, closing(taken):
        redis = server.url.replace("redis://", "redis://:wrong@")
        faults: list[tuple[dict[str, Any], str, str]] = [
            ({"FOCUSCRAWL_TOPIC": "missing.toml"}, "TopicError", "there is no such file"),
            ({"FOCUSCRAWL_TOPIC": "faulty.toml"}, "TopicError", "faulty.toml"),
            ({"FOCUSCRAWL_TOPIC": "missing.toml", "FOCUSCRAWL_MODE": "score"}, "TopicError", "there is no such file"),
            ({"FOCUSCRAWL_FRONTIER_URL": redis}, "FrontierError", "password"),
            ({"FOCUSCRAWL_FRONTIER_URL": "redis://127.0.0.1:1/crawls"}, "ConfigError", "no number of a database"),
            (
                {
                    "FOCUSCRAWL_STORES": "postgres",
                    "FOCUSCRAWL_POSTGRES_URL": postgres_server.url(password="falsch"),
                },
                "StoreError",
                "password",
            ),
            ({"FOCUSCRAWL_RUN": "taken"}, "FrontierError", "taken"),
            ({"FOCUSCRAWL_MODUS": "full"}, "ConfigError", "Did you mean"),
            ({"FOCUSCRAWL_LEASE_S": "long"}, "ConfigError", "expected a number"),
            ({"FOCUSCRAWL_LOGINS": "missing.toml"}, "InputError", "missing.toml"),
            ({"FOCUSCRAWL_TOPIC": ""}, "ConfigError", "FOCUSCRAWL_TOPIC is not set"),
            ({"JOBDIR": "job"}, "ConfigError", "Remove JOBDIR"),
            ({"FOCUSCRAWL_ALLOW_PRIVATE": False}, "ConfigError", "TWISTED_REACTOR_ENABLED is False"),
        ]
        done = python(project, "-c", _SCRIPT, lines="".join(json.dumps(settings) + "\n" for settings, _, _ in faults))
    raised = [json.loads(line) for line in done.stdout.splitlines()]
    assert [name for name, _, _ in raised] == [name for _, name, _ in faults], done.stderr
    logged = "ERROR: focuscrawl.crawler.failed_start: "
    errors = [line.removeprefix(logged) for line in done.stderr.splitlines() if line.startswith(logged)]
    assert len(errors) == len(faults), done.stderr
    for (_, _, word), (_, sentence, failed), error in zip(faults, raised, errors, strict=True):
        assert word in sentence
        assert failed
        assert error == sentence.splitlines()[0]
    assert "Traceback" not in done.stderr
    assert "wrong" not in done.stderr
    assert "falsch" not in done.stderr
