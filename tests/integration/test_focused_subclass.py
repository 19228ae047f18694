"""What a subclass of `FocusedSpider` yields without a callback, and pages that its own methods fail for."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import scrapy
from crawl_kit import Crawled, crawl_here, topic_file
from scrapy.http import Response
from site_kit import Site

from focuscrawl.crawler.items import PageItem
from focuscrawl.spiders.focused import FocusedSpider


class LinksSpider(FocusedSpider):
    """Yields links of its own, as spiders do: with an errback, headers and cookies, and as copies of a request."""

    name = "links"

    async def start(self) -> Any:
        async for nothing in super().start():
            yield nothing
        seed = self.arguments.seeds.removesuffix("/page/3")
        yield scrapy.Request(f"{seed}/broken/a", errback=self.sorry)
        yield scrapy.Request(f"{seed}/cookie/a", headers={"Referer": "http://from.example/"}, cookies={"shelf": "own"})

    async def parse_page(self, response: Response) -> Any:
        request = response.request
        assert request is not None
        if response.url.endswith("/page/3"):
            yield request.replace(url=response.urljoin("/post/ac"))
        async for item in super().parse_page(response):
            yield item
        if response.url.endswith("/page/3"):
            yield request.replace(url=response.urljoin("/post/aa"))
            yield scrapy.Request(response.urljoin("/post/ab"), meta=response.meta)

    def sorry(self, failure: Any) -> Iterator[Any]:
        yield {"sorry": failure.request.url, "error": failure.type.__name__}


class MistakenSpider(FocusedSpider):
    """Raises for some pages, and passes others over."""

    name = "mistaken"

    async def parse_page(self, response: Response) -> Any:
        if response.url.endswith("/page/12"):
            raise ValueError("a mistake of this spider")
        if response.url.endswith("/page/24"):
            yield {"early": response.url}
            raise ValueError("a mistake of this spider")
        if response.url.endswith("/page/8"):
            return
        async for item in super().parse_page(response):
            yield item


@pytest.fixture
def crawl(site: Site, tmp_path: Path) -> Any:
    topic = topic_file(tmp_path, site.url("/page/3"))

    def run(spider: type[FocusedSpider], pages: int) -> Crawled:
        folder = tmp_path / "run"
        settings = {"COOKIES_ENABLED": True}
        given = {"topic": str(topic), "run": str(folder), "seeds": site.url("/page/3"), "pages": pages}
        return crawl_here(folder, spider=spider, settings=settings, **given)

    return run


def test_a_link_of_a_subclass_has_what_it_was_given(site: Site, crawl: Any) -> None:
    done = crawl(LinksSpider, 70)
    own = [item for item in done.items if isinstance(item, dict)]
    assert own == [{"sorry": site.url("/broken/a"), "error": "ResponseDataLossError"}]
    (asked,) = [line for line in site.log() if line["path"] == "/cookie/a"]
    assert (asked["referer"], asked["cookie"]) == ("http://from.example/", "shelf=own")
    assert done.page("/cookie/a").outcome == "done", "a link like any"


def test_a_copy_of_a_pages_request_is_a_link_of_its_own(site: Site, crawl: Any) -> None:
    done = crawl(LinksSpider, 70)
    for path in ("/post/ac", "/post/aa", "/post/ab"):
        assert (done.page(path).outcome, site.paths().count(path)) == ("done", 1), path
    assert done.page("/page/3").final_url == site.url("/page/3")


def test_a_page_whose_callback_raises_counts_and_one_passed_over_says_so(site: Site, crawl: Any) -> None:
    done = crawl(MistakenSpider, 20)
    assert {"early": site.url("/page/24")} in done.items
    for path in ("/page/12", "/page/24"):
        assert (done.page(path).outcome, done.page(path).relevant) == ("done", True)
    results = {item.url for item in done.items if isinstance(item, PageItem)}
    assert results == {line["url"] for line in done.jsonl()} >= {site.url("/page/12"), site.url("/page/24")}
    passed = done.page("/page/8")
    assert (passed.outcome, passed.reason) == ("refused", "the spider's own parse_page passed it over")
