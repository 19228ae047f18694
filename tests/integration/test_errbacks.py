"""Errbacks of a project's own requests, where the frontier knows beforehand what becomes of them."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from project_kit import start_project
from site_kit import Site

# Four links of a name that no resolver takes: the first are looked up, the last wait for what becomes of them.
_SPIDER = """
import scrapy
from scrapy.http import Request


class BookSpider(scrapy.Spider):
    name = "book"
    seed = ""

    async def start(self):
        for number in range(4):
            yield Request(f"http://a..b/{number}", errback=self.sorry)
        yield Request("http://a..b/silent")

    def sorry(self, failure):
        yield {"sorry": failure.request.url, "error": failure.type.__name__}
"""


@pytest.mark.parametrize("robots", [True, False])
def test_an_errback_hears_of_a_name_that_does_not_exist(tmp_path: Path, site: Site, robots: bool) -> None:
    project = start_project(tmp_path / "project", site.url("/"))
    project.spider(_SPIDER)
    done = project.crawl(CONCURRENT_REQUESTS=2, ROBOTSTXT_OBEY=robots)
    assert done.exit_code == 0, done.err
    sorry = Counter((item["sorry"], item["error"]) for item in done.items)
    assert sorry == Counter((f"http://a..b/{number}", "CannotResolveHostError") for number in range(4))
    assert {record.reason for record in done.pages()} == {"no such host"}
    assert done.stats["focuscrawl/no_page/no such host"] == 5
    assert "Traceback" not in done.err
