"""What `focuscrawl demo` shows of its two crawls."""

from __future__ import annotations

import shlex

import pytest

from focuscrawl.cli.demo import _show
from focuscrawl.demo.crawls import DemoCrawl, DemoResult


def test_the_hint_names_the_folder_of_the_run(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    crawl = DemoCrawl(
        "focused", "apprentice", "my demo/focused", 3, 2, 2 / 3, 2, 0.1, "budget: 3 pages", "http://a.example/"
    )
    _show(DemoResult((crawl,), "my demo/report.html", web_pages=9, web_on_topic=4, hosts=1))
    *_, hint = capfdbinary.readouterr().out.decode().splitlines()
    command = hint.partition(": ")[2]
    assert shlex.split(command) == ["focuscrawl", "explain", "my demo/focused", "http://a.example/"]
