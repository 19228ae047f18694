"""What `focuscrawl demo` shows of its two crawls."""

from __future__ import annotations

import shlex

import pytest

from focuscrawl.cli.demo import _show
from focuscrawl.demo.crawls import DemoCrawl, DemoResult
from focuscrawl.wording.base import Language, Say


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_hint_names_the_folder_of_the_run(language: Language, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    crawl = DemoCrawl(
        "focused", "apprentice", "my demo/focused", 3, 2, 2 / 3, 2, 0.1, "budget: 3 pages", "http://a.example/"
    )
    _show(DemoResult((crawl,), "my demo/report.html", web_pages=9, web_on_topic=4, hosts=1), Say(language))
    *table, hint = capfdbinary.readouterr().out.decode().splitlines()
    assert ("示例网络" in table[1], "pages" in " ".join(table)) == (language == "zh", language == "en")
    command = hint.replace("：", ": ").partition(": ")[2]
    assert shlex.split(command) == ["focuscrawl", "explain", "my demo/focused", "http://a.example/"]
