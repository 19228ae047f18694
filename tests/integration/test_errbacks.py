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


_FAULTY = """
import scrapy
from scrapy.http import Request


class Faulty:
    def process_request(self, request):
        if "page" in request.url:
            raise ZeroDivisionError("no share of nothing")


class BookSpider(scrapy.Spider):
    name = "book"
    custom_settings = {"DOWNLOADER_MIDDLEWARES": {Faulty: 600}}
    seed = ""

    async def start(self):
        for number in range(1, 4):
            yield Request(f"{self.seed}/page/{number}", errback=self.sorry if number == 3 else None)

    def sorry(self, failure):
        yield {"sorry": failure.request.url}
"""


def test_an_error_in_a_middleware_is_in_the_log_where_no_errback_hears_of_it(tmp_path: Path, site: Site) -> None:
    project = start_project(tmp_path / "project", site.url("/"))
    project.spider(_FAULTY)
    done = project.crawl("-a", f"seed={site.url('')}")
    assert [item["sorry"] for item in done.items] == [site.url("/page/3")]
    assert {record.reason for record in done.pages()} == {"failed: ZeroDivisionError"}
    assert done.stats["log_count/ERROR"] == 2  # the first in full, and the number of the others
    assert done.err.count("Traceback (most recent call last)") == 1
    assert "/page/1 could not be fetched: no share of nothing" in done.err
    assert "in process_request" in done.err
    assert "1 more faults like this one were not logged" in done.err
    assert "/page/3 could not be fetched" not in done.err
