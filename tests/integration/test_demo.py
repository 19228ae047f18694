"""`focuscrawl demo` from the command line: two real crawls of the sample web through its proxy."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from focuscrawl.demo.crawls import run_demo
from focuscrawl.demo.web import sample_web
from focuscrawl.errors import StoreError
from focuscrawl.storage.crawldb import CrawlDb

PAGES = 150
LONGEST_S = 280  # on a machine that does much else


def demo(folder: Path, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "focuscrawl", "demo", *arguments]
    # a project of the user's own in the current folder has no say
    (folder / "scrapy.cfg").write_text("[settings]\ndefault = theirs.settings\n")
    return subprocess.run(
        command, cwd=folder, capture_output=True, timeout=LONGEST_S, env={**os.environ, "no_proxy": "*"}, check=False
    )


@pytest.mark.timeout(LONGEST_S + 20)
def test_focused_finds_more_than_breadth_first_and_both_curves_are_in_the_report(tmp_path: Path) -> None:
    done = demo(tmp_path, "--out", "show", "--pages", str(PAGES), "--json", "--no-open")
    assert done.returncode == 0, done.stderr.decode()
    assert done.stderr == b""
    result = json.loads(done.stdout)
    focused, breadth_first = result["crawls"]
    assert (focused["name"], breadth_first["name"]) == ("focused", "breadth-first")
    assert focused["pages"] == breadth_first["pages"] == PAGES
    assert focused["stop_reason"].startswith("budget")
    assert focused["relevant"] > breadth_first["relevant"]
    assert focused["on_topic"] > breadth_first["on_topic"]
    html = Path(result["report"]).read_text(encoding="utf-8")
    assert Path(result["report"]) == tmp_path / "show" / "report.html"
    assert "breadth-first" in html
    assert focused["strategy"] in html
    with CrawlDb.open_readonly(tmp_path / "show" / "focused" / "crawl.db") as db:
        fetched = [page.url for page in db.pages() if page.status]  # a forbidden link has a row, and no answer
    web = sample_web()
    assert {urlsplit(url).hostname for url in fetched} <= set(web.hosts)
    assert not web.disallowed & set(fetched)


def test_the_folder_of_an_earlier_demo_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "focused").mkdir()
    with pytest.raises(StoreError, match="holds the runs of a demo already"):
        run_demo(tmp_path, pages=PAGES)
    assert [path.name for path in tmp_path.iterdir()] == ["focused"]


def test_ctrl_c_while_a_crawl_loads_leaves_no_traceback(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "modules" / "scrapy").mkdir(parents=True)
    (tmp_path / "modules" / "scrapy" / "__init__.py").write_text("raise KeyboardInterrupt")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "modules"))
    done = demo(tmp_path, "--out", "show", "--pages", "9", "--no-open")
    assert done.returncode
    assert "Traceback" not in done.stderr.decode()
