"""Requests with `dont_filter` in somebody else's project: what plain Scrapy fetches again the add-on does, too."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from project_kit import Done, start_project
from site_kit import Site

# Asks again for URLs that are queued, that are under way, and whose fetch has failed.
_SPIDER = """
import scrapy
from scrapy.downloadermiddlewares.retry import get_retry_request
from scrapy.http import Request


class BookSpider(scrapy.Spider):
    name = "book"
    seed = ""

    async def start(self):
        yield Request(self.seed + "/links/page~1")
        yield Request(self.seed + "/later/404/1/0", errback=self.once_more)
        yield Request(self.seed + "/later/404/1/1", self.until_found, meta={"handle_httpstatus_list": [404]})

    def parse(self, response):
        yield {"url": response.url, "again": response.meta.get("again", 0)}
        if "/links/" in response.url:
            yield Request(self.seed + "/page/3")
            for again in (1, 2):
                yield Request(self.seed + "/page/3", dont_filter=True, meta={"again": again})
            yield Request(self.seed + "/page/6", dont_filter=True)
            yield Request(self.seed + "/page/6")
        if response.meta.get("again") == 2:
            yield Request(self.seed + "/page/9")

    def once_more(self, failure):
        yield failure.request.replace(dont_filter=True, meta={**failure.request.meta, "again": 1})

    def until_found(self, response):
        yield {"url": response.url, "again": response.meta.get("retry_times", 0), "status": response.status}
        if response.status == 404:
            yield get_retry_request(response.request, spider=self, reason="not yet")
"""


def _items(done: Done) -> Counter[tuple[tuple[str, object], ...]]:
    assert done.exit_code == 0, done.err
    return Counter(tuple(sorted(item.items())) for item in done.items)


def test_what_is_queued_under_way_or_failed_is_fetched_again(tmp_path: Path, site: Site) -> None:
    project = start_project(tmp_path / "project", site.url("/"))
    project.spider(_SPIDER)
    given = ("-a", f"seed={site.url('')}")
    plain = project.crawl(*given, ADDONS="{}")
    site.clear()
    ours = project.crawl(*given)
    asked = Counter(line["path"] for line in site.log())
    # A request without dont_filter that follows one with it: plain Scrapy does not remember the first.
    twice = (("again", 0), ("url", site.url("/page/6")))
    assert _items(plain)[twice] == 2
    assert _items(plain) - _items(ours) == Counter({twice: 1})
    assert _items(ours) - _items(plain) == Counter()
    assert asked["/page/3"] == 3
    assert asked["/later/404/1/0"] == asked["/later/404/1/1"] == 2
    assert ours.stats["focuscrawl/fetched_again"] == 4
    assert ours.page("/page/9").depth == 2, "found on a page that was fetched beside the frontier"
    assert ours.err.count("is fetched again, for its request has dont_filter") == 1


_STARTS = """
import scrapy
from scrapy.http import Request


class BookSpider(scrapy.Spider):
    name = "book"
    seed = ""

    async def start(self):
        for jar in (1, 2):
            yield Request(self.seed + "/page/3", meta={"cookiejar": jar}, dont_filter=True)
        yield Request(self.seed + "/page/3", self.other, dont_filter=True)
        yield Request(self.seed + "/page/6")
        yield Request(self.seed + "/page/6", self.other)

    def parse(self, response):
        yield {"url": response.url, "jar": response.meta.get("cookiejar")}

    def other(self, response):
        yield {"url": response.url, "jar": "other"}
"""


def test_start_requests_for_one_url_are_fetched_for_each_of_their_callbacks(tmp_path: Path, site: Site) -> None:
    project = start_project(tmp_path / "project", site.url("/"))
    project.spider(_STARTS)
    given = ("-a", f"seed={site.url('')}")
    plain = project.crawl(*given, ADDONS="{}")
    ours = project.crawl(*given)
    assert _items(ours) == _items(plain)
    assert sorted(str(item["jar"]) for item in ours.items) == ["1", "2", "None", "other"]
    again = project.crawl(*given)
    assert len(again.items) == 2, "the first has been fetched; that the others were, too, nobody has noted"


_REDIRECTS = """
import scrapy
from scrapy.http import Request


class BookSpider(scrapy.Spider):
    name = "book"
    seed = ""
    custom_settings = {"CONCURRENT_REQUESTS": 1}

    async def start(self):
        yield Request(self.seed + "/page/3")
        yield Request(self.seed + "/links/to~page~3")

    def parse(self, response):
        yield {"url": response.url, "again": response.meta.get("again", 0)}
        if "/links/" in response.url:
            yield Request(self.seed + "/to/page/3")
            yield Request(self.seed + "/redirect/1", dont_filter=True, meta={"again": 1})
"""


def test_a_redirect_to_a_fetched_page_is_followed_with_dont_filter_only(tmp_path: Path, site: Site) -> None:
    project = start_project(tmp_path / "project", site.url("/"))
    project.spider(_REDIRECTS)
    given = ("-a", f"seed={site.url('')}")
    plain = project.crawl(*given, ADDONS="{}")
    ours = project.crawl(*given)
    assert _items(ours) == _items(plain)
    assert sorted(item["again"] for item in ours.items if item["url"] == site.url("/page/3")) == [0, 1]
    assert ours.page("/to/page/3").reason == "redirects to a page that was fetched before"
