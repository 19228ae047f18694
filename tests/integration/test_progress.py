"""What is shown while a crawl runs and at its end."""

from __future__ import annotations

import io
import re
from pathlib import Path

import pytest
from crawl_kit import crawl_here, topic_file
from site_kit import Site


@pytest.fixture
def topic(tmp_path: Path, site: Site) -> str:
    return str(topic_file(tmp_path, site.url("/")))


LINE = re.compile(
    r"^[\d,]+ of 61 pages, \d+ relevant, \d+ stored, last \d+: \d+%, [\d.]+ pages/s, queue \d+$", re.MULTILINE
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


def test_a_terminal_has_one_line_that_is_kept_up_to_date(
    site: Site, topic: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Terminal(io.StringIO):
        encoding = "ascii"  # type: ignore[assignment]

        def isatty(self) -> bool:
            return True

    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    monkeypatch.setattr("focuscrawl.glue.progress._REFRESH_S", 0.05)
    site.page_delay(0.1)
    crawl_here(tmp_path / "run", topic=topic, pages=30)
    shown = terminal.getvalue()
    assert shown.count("\r") >= 3
    line, _, rest = shown.rpartition("\r")
    assert line
    assert rest.startswith("Fetched    30 pages of 1 host\n")


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


def test_the_log_is_in_the_run_folder(site: Site, topic: str, tmp_path: Path) -> None:
    crawl_here(tmp_path / "run", topic=topic, pages=3)
    log = (tmp_path / "run" / "run.log").read_text(encoding="utf-8")
    assert "crawl of lighthouses begins" in log
    assert "crawl ends: budget" in log
    assert "Crawled (200)" not in log
