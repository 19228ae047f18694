"""What surrounds the crawls of the demo; the crawls themselves are an integration test."""

from __future__ import annotations

from pathlib import Path
from urllib.request import ProxyHandler, build_opener, getproxies_environment

import pytest
from typer.testing import CliRunner

import focuscrawl.cli.demo as command
from focuscrawl.cli.main import app
from focuscrawl.demo.crawls import BREADTH_FIRST, FOCUSED, DemoCrawl, DemoResult, crawl_environment, run_demo
from focuscrawl.demo.serve import SampleServer
from focuscrawl.demo.web import sample_web
from focuscrawl.errors import FocusCrawlError, StoreError

PROXY = "http://127.0.0.1:4711"


def test_environment_sends_every_scheme_to_the_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "https_proxy", "ALL_PROXY", "no_proxy", "NO_PROXY"):
        monkeypatch.setenv(name, "elsewhere.example")
    monkeypatch.setenv("SCRAPY_SETTINGS_MODULE", "other.settings")
    found = crawl_environment(PROXY)
    assert found["SCRAPY_SETTINGS_MODULE"] == "focuscrawl.settings"
    for name in list(found):
        monkeypatch.setenv(name, found[name])
    for name in ("HTTP_PROXY", "ALL_PROXY", "no_proxy", "NO_PROXY"):
        assert name not in found
        monkeypatch.delenv(name)
    assert getproxies_environment() == {"http": PROXY, "https": PROXY}


@pytest.mark.parametrize("name", [FOCUSED, BREADTH_FIRST])
def test_a_folder_with_runs_is_left_alone(tmp_path: Path, name: str) -> None:
    (tmp_path / name).mkdir()
    with pytest.raises(StoreError, match="another folder with --out"):
        run_demo(tmp_path, pages=10)
    assert list(tmp_path.iterdir()) == [tmp_path / name]


def test_a_folder_that_cannot_be_made_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="cannot be made: not a directory"):
        run_demo(tmp_path / "file" / "demo", pages=10)


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    crawls = (
        DemoCrawl(FOCUSED, "heuristic", "runs/focused", 200, 41, 0.205, 34, 3.2, "budget"),
        DemoCrawl(BREADTH_FIRST, BREADTH_FIRST, "runs/breadth-first", 200, 12, 0.06, 6, 3.4, "budget"),
    )
    result = DemoResult(crawls, str(tmp_path / "report.html"), 584, 62, 12)
    opened: list[str] = []
    # the crawls have their own test; here a browser must not be started
    monkeypatch.setattr(command, "run_demo", lambda *_, **__: result)
    monkeypatch.setattr(command.webbrowser, "open", lambda url: opened.append(url) or True)
    monkeypatch.setenv("DISPLAY", ":0")
    return opened


def test_prints_a_comparison_and_the_report(opened: list[str]) -> None:
    done = CliRunner().invoke(app, ["demo", "--no-open"])
    assert done.exit_code == 0
    assert "20.5%" in done.output
    assert "34 of 62" in done.output
    assert "Report: " in done.output
    assert opened == []


def test_opens_the_report_when_asked(opened: list[str]) -> None:
    assert CliRunner().invoke(app, ["demo", "--open"]).exit_code == 0
    assert len(opened) == 1
    assert opened[0].startswith("file:///")


def test_opens_nothing_when_the_output_is_no_terminal(opened: list[str]) -> None:
    assert CliRunner().invoke(app, ["demo"]).exit_code == 0
    assert opened == []


def test_a_display_is_one_of_x_or_wayland(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    assert not command.has_display()
    monkeypatch.setenv("WAYLAND_DISPLAY", "wayland-0")
    assert command.has_display()


def test_serves_the_sample_web_for_other_crawls(monkeypatch: pytest.MonkeyPatch) -> None:
    served: list[str] = []

    def get(server: SampleServer) -> None:
        with server:
            opener = build_opener(ProxyHandler({"http": server.address}))
            served.append(opener.open("http://gaoshan.test/").read().decode("big5"))

    monkeypatch.setattr(command, "serve_until_interrupted", get)
    done = CliRunner().invoke(app, ["demo", "--serve", "--port", "0"])
    assert done.exit_code == 0
    assert "export http_proxy=http://127.0.0.1:" in done.output
    assert "茶" in served[0]


def test_a_port_in_use_is_one_sentence() -> None:
    with SampleServer(sample_web()) as server:
        port = server.address.rpartition(":")[2]
        error = CliRunner().invoke(app, ["demo", "--serve", "--port", port]).exception
    assert isinstance(error, FocusCrawlError)
    assert "name another one with --port" in str(error)
