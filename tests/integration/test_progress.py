"""What is shown while a crawl runs and at its end."""

from __future__ import annotations

import asyncio
import io
import logging
import re
from pathlib import Path
from typing import Any

import pytest
from crawl_kit import crawl_here, project_settings, topic_file
from scrapy.crawler import AsyncCrawlerRunner, Crawler
from scrapy.http import Response
from site_kit import Site

from focuscrawl.spiders.focused import FocusedSpider


@pytest.fixture
def topic(tmp_path: Path, site: Site) -> str:
    return str(topic_file(tmp_path, site.url("/")))


LINE = re.compile(
    r"^[\d,]+ of 61 pages, \d+ relevant, \d+ stored, last \d+: \d+%, [\d.]+ pages/s, queue \d+(?:, [\d:]+ left)?$",
    re.MULTILINE,
)


def test_lines_of_progress_come_now_and_then_when_nobody_looks(
    site: Site, topic: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    site.page_delay(0.1)
    crawl_here(tmp_path / "run", topic=topic, pages=61, settings={"FOCUSCRAWL_PROGRESS_S": 0.1})
    shown = capsys.readouterr().err
    assert len(LINE.findall(shown)) >= 3
    assert "\r" not in shown
    assert shown.startswith(f'Crawl of "lighthouses" with apprentice into {tmp_path / "run"}\n')


class Terminal(io.StringIO):
    """A terminal that shows ASCII only."""

    encoding = "ascii"  # type: ignore[assignment]

    def isatty(self) -> bool:
        return True


class Screen:
    """Shows what stands on a terminal after what was written to it: the few movements of the cursor that a bar uses."""

    def __init__(self, written: str) -> None:
        self.lines = [""]
        row = 0
        for part in re.split(r"(\x1b\[[0-9;?]*[A-Za-z]|\r|\n)", written):
            if part == "\n":
                row += 1
                self.lines += [""] * (row + 1 - len(self.lines))
            elif part.endswith("A") and part.startswith("\x1b"):
                row = max(0, row - int(part[2:-1] or 1))
            elif part == "\x1b[2K":
                self.lines[row] = ""
            elif part and not part.startswith("\x1b") and part != "\r":
                self.lines[row] += part


def test_a_terminal_has_a_bar_that_leaves_nothing_behind(
    site: Site, topic: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    monkeypatch.setattr("focuscrawl.glue.progress._REFRESH_S", 0.05)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "140")
    site.page_delay(0.1)
    crawl_here(tmp_path / "run", topic=topic, pages=30)
    written = terminal.getvalue()
    assert "last find: " in written
    assert re.search(r"of 30 pages, .* left", written)
    lines = [line for line in Screen(written).lines if line.strip()]
    assert lines[0].startswith('Crawl of "lighthouses"')
    assert lines[1] == "Fetched    30 pages of 1 host"


def test_a_terminal_that_cannot_move_its_cursor_has_plain_lines(
    site: Site, topic: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    monkeypatch.setenv("TERM", "dumb")
    site.page_delay(0.1)
    crawl_here(tmp_path / "run", topic=topic, pages=30, settings={"FOCUSCRAWL_PROGRESS_S": 0.1})
    written = terminal.getvalue()
    assert "\r" not in written
    assert "\x1b" not in written
    assert written.count(" of 30 pages") >= 3


def test_the_summary_of_a_resumed_run_is_of_the_whole_run(
    site: Site, topic: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    crawl_here(tmp_path / "run", topic=topic, pages=10)
    capsys.readouterr()
    crawl_here(tmp_path / "run", pages=25)
    shown = capsys.readouterr().err
    assert "goes on in" in shown
    assert "Fetched    25 pages of 1 host" in shown


def test_a_report_is_written_at_the_end(site: Site, topic: str, tmp_path: Path) -> None:
    crawl_here(tmp_path / "run", topic=topic, pages=10, settings={"FOCUSCRAWL_REPORT": True})
    assert "Lighthouse" in (tmp_path / "run" / "report.html").read_text(encoding="utf-8")


def test_the_log_is_in_the_run_folder(site: Site, topic: str, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING)
    crawl_here(tmp_path / "run", topic=topic, pages=3)
    assert logging.root.level == logging.WARNING, "the level is that of the process it runs in"
    log = (tmp_path / "run" / "run.log").read_text(encoding="utf-8")
    assert "crawl of lighthouses begins" in log
    assert "crawl ends: budget" in log
    assert "Crawled (200)" not in log


class TalkingSpider(FocusedSpider):
    """Logs each page, by its own logger and by one that knows nothing of the crawl."""

    name = "talking"

    async def parse_page(self, response: Response) -> Any:
        self.logger.info("spider: a page in %s", self.arguments.run)
        logging.getLogger("library").info("library: a page in %s", self.arguments.run)
        async for item in super().parse_page(response):
            yield item


@pytest.mark.filterwarnings("ignore:.*experimental.*")  # as Scrapy calls running without a reactor
def test_crawls_at_once_in_a_process_have_a_log_each(site: Site, topic: str, tmp_path: Path) -> None:
    async def crawl() -> None:
        settings = project_settings(TWISTED_REACTOR_ENABLED=False, FOCUSCRAWL_ALLOW_PRIVATE=True)
        runner = AsyncCrawlerRunner(settings)
        runs = (
            runner.crawl(Crawler(TalkingSpider, settings), topic=topic, pages=8, run=str(tmp_path / name))
            for name in ("one", "two")
        )
        await asyncio.gather(*runs)

    asyncio.run(crawl())
    for name, other in (("one", "two"), ("two", "one")):
        log = (tmp_path / name / "run.log").read_text(encoding="utf-8")
        assert [log.count(said) for said in ("begins\n", "crawl ends", "spider: ", "library: ")] == [1, 1, 8, 8]
        assert str(tmp_path / other) not in log
