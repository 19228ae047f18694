"""Leases are settled whatever a project's callbacks and middlewares do with their requests: each page counts once."""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import scrapy
from crawl_kit import Crawled, crawl_here, topic_file
from scrapy.http import Response
from site_kit import Site

from focuscrawl.crawler.fetch_failure import GIVEN_UP
from focuscrawl.crawler.items import PageItem

PAGES = range(3, 33)  # more than there are leases under way


class ListSpider(scrapy.Spider):
    """Fetches pages by their numbers, and follows nothing."""

    name = "list"
    seed = ""

    async def start(self) -> Any:
        for number in PAGES:
            yield scrapy.Request(f"{self.seed}/page/{number}")

    def parse(self, response: Response) -> Any:
        return {"url": response.url}


class RaisingSpider(ListSpider):
    """Has a callback that raises before it gives anything."""

    def parse(self, response: Response) -> Any:
        return {"title": response.css("no-such-element")[0]}


class Recovery:
    """Gives an item where a callback has raised."""

    def process_spider_exception(self, response: Response, exception: Exception) -> Any:
        return [{"recovered": response.url}]


class Replacement:
    """Puts a fresh request in the place of every third, before the download."""

    def process_request(self, request: scrapy.Request) -> scrapy.Request | None:
        number = request.url.rpartition("/")[2]
        if number.isdigit() and int(number) % 3 == 0:
            return scrapy.Request(request.url.replace("/page/", "/page/1"), callback=request.callback)
        return None


class AfterError:
    """Puts a fresh request in the place of one whose download failed."""

    def process_exception(self, request: scrapy.Request, exception: Exception) -> scrapy.Request:
        return scrapy.Request(request.url.replace("/broken/", "/page/"), callback=request.callback)


class BrokenSpider(ListSpider):
    """Asks for what breaks off."""

    async def start(self) -> Any:
        for number in PAGES:
            yield scrapy.Request(f"{self.seed}/broken/{number}")


class RedirectedSpider(ListSpider):
    """Asks for pages that redirect out of its domains."""

    allowed_domains = ("127.0.0.1",)

    async def start(self) -> Any:
        for number in PAGES:
            yield scrapy.Request(f"{self.seed}/private/localhost:{number}")


class LatePipeline:
    """Lets go of its items only when the crawl is being closed and no callback is at work."""

    @classmethod
    def from_crawler(cls, crawler: Any) -> LatePipeline:
        pipeline = cls()
        pipeline.crawler = crawler
        return pipeline

    crawler: Any

    async def process_item(self, item: Any) -> Any:
        slot = self.crawler.engine.scraper.slot
        while slot.closing is None or slot.active or slot.queue:
            await asyncio.sleep(0)
        return item


class FaultyInput:
    """Fails for every third answer before its callback is called."""

    def process_spider_input(self, response: Response) -> None:
        if int(response.url.rpartition("/")[2]) % 3 == 0:
            raise ValueError("a mistake of this middleware")


class ReturningSpider(ListSpider):
    """Has an errback that gives the failure back, as it does nothing about it."""

    async def start(self) -> Any:
        yield scrapy.Request(f"{self.seed}/status/404/1", errback=self.sorry)

    def sorry(self, failure: Any) -> Any:
        return failure


@pytest.fixture
def crawl(site: Site, tmp_path: Path) -> Any:
    topic = topic_file(tmp_path, site.url("/page/1"))

    def run(spider: type[scrapy.Spider], mode: str = "frontier", **settings: Any) -> Crawled:
        given = {"FOCUSCRAWL_TOPIC": str(topic), "FOCUSCRAWL_MODE": mode, "ROBOTSTXT_OBEY": False, **settings}
        return crawl_here(tmp_path / "run", spider=spider, settings=given, seed=site.url(""))

    return run


def _stats(done: Crawled) -> dict[str, Any]:
    assert done.session is not None
    assert done.session.crawler.stats is not None
    return dict(done.session.crawler.stats.get_stats())


def _fetched(site: Site) -> list[int]:
    assert set(Counter(site.paths()).values()) == {1}, "each page is asked for once"
    return sorted(int(path.rpartition("/")[2]) for path in site.paths())


def _is_over(done: Crawled) -> bool:
    counts = done.counts()
    return (counts["queued"], counts["leased"], counts["failed"]) == (0, 0, 0) and done.exit_code == 0


def test_a_callback_that_raises_at_once_has_its_page_counted_once(site: Site, crawl: Any) -> None:
    done = crawl(RaisingSpider)
    assert _fetched(site) == list(PAGES)
    assert _is_over(done)
    assert done.counts()["done"] == _stats(done)["focuscrawl/fetched"] == len(PAGES)
    assert _stats(done)["spider_exceptions/IndexError"] == len(PAGES)


def test_a_page_whose_callback_raises_is_stored_and_an_item_in_mode_full(site: Site, crawl: Any) -> None:
    done = crawl(RaisingSpider, "full")
    assert _fetched(site) == list(PAGES)
    stored = [record.url for record in done.pages() if record.relevant and record.duplicate_of is None]
    assert stored
    assert sorted(item.url for item in done.items if isinstance(item, PageItem)) == sorted(stored)


def test_an_item_that_ends_last_keeps_no_crawl_open(crawl: Any) -> None:
    done = crawl(RaisingSpider, "full", ITEM_PIPELINES={LatePipeline: 300}, CLOSESPIDER_PAGECOUNT=10)
    assert _stats(done)["finish_reason"] == "closespider_pagecount"
    assert any(isinstance(item, PageItem) for item in done.items)


@pytest.mark.parametrize("place", [5, 400, 600])
def test_a_middleware_that_recovers_leaves_no_lease_behind(site: Site, crawl: Any, place: int) -> None:
    done = crawl(RaisingSpider, SPIDER_MIDDLEWARES={Recovery: place})
    assert _fetched(site) == list(PAGES)
    assert _is_over(done)
    assert _stats(done)["focuscrawl/fetched"] == len(done.items) == len(PAGES)
    assert not [name for name in _stats(done) if name.startswith("spider_exceptions")]


def test_a_fresh_request_of_a_middleware_ends_the_lease_of_the_one_it_replaces(site: Site, crawl: Any) -> None:
    done = crawl(ListSpider, DOWNLOADER_MIDDLEWARES={Replacement: 543})
    replaced = [number for number in PAGES if number % 3 == 0]
    assert [record.reason for record in done.pages() if record.outcome == "refused"].count(GIVEN_UP.reason) >= len(
        replaced
    )
    assert _is_over(done)
    assert {f"/page/{number}" for number in PAGES if number % 3} <= set(site.paths())


def test_a_fresh_request_after_an_error_ends_the_lease_of_the_failed_one(site: Site, crawl: Any) -> None:
    done = crawl(BrokenSpider, DOWNLOADER_MIDDLEWARES={AfterError: 543})
    assert sorted(item["url"] for item in done.items) == sorted(site.url(f"/page/{number}") for number in PAGES)
    assert {record.reason for record in done.pages() if "/broken/" in record.url} == {GIVEN_UP.reason}
    assert _is_over(done)


def test_a_redirect_that_leaves_the_domains_ends_its_lease(site: Site, crawl: Any) -> None:
    offsite = "scrapy.downloadermiddlewares.offsite.OffsiteMiddleware"
    done = crawl(RedirectedSpider, DOWNLOADER_MIDDLEWARES={offsite: 50})
    assert {record.reason for record in done.pages()} == {GIVEN_UP.reason}
    assert done.counts()["refused"] == len(PAGES)
    assert len(site.paths()) == len(PAGES)


@pytest.mark.parametrize("place", [5, 400, 600])
def test_an_error_before_the_callback_is_counted_once(site: Site, crawl: Any, place: int) -> None:
    done = crawl(ListSpider, SPIDER_MIDDLEWARES={FaultyInput: place})
    assert _fetched(site) == list(PAGES)
    good = [number for number in PAGES if number % 3]
    assert len(done.items) == len(good)
    assert _stats(done)["focuscrawl/fetched"] == done.counts()["done"] == len(good)
    assert _stats(done)["focuscrawl/no_page"] == done.counts()["refused"] == len(PAGES) - len(good)


def test_a_failure_that_an_errback_gives_back_is_no_item(crawl: Any) -> None:
    done = crawl(ReturningSpider)
    assert done.items == []
    assert done.page("/404/1").reason == "HTTP 404"
