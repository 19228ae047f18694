"""An ordinary spider of a project, and crawls of the test site with it and its kin."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import scrapy
from crawl_kit import Crawled, crawl_here, topic_file
from scrapy.http import Response
from site_kit import Site

from focuscrawl.glue.requests import SCORE


class BookSpider(scrapy.Spider):
    """An ordinary spider: follows the links to pages, yields their titles."""

    name = "book"
    seed = ""
    seen: list[Any]

    async def start(self) -> Any:
        self.seen = []
        yield scrapy.Request(self.seed, callback=self.parse_book, cb_kwargs={"chapter": 0}, meta={"shelf": "a"})

    def parse_book(self, response: Response, chapter: int) -> Iterator[Any]:
        request = response.request
        assert request is not None
        self.seen.append((response.url, request.priority, request.meta.get(SCORE), request.meta.get("shelf"), chapter))
        yield {"url": response.url, "title": response.css("title::text").get(), "chapter": chapter}
        for href in response.css("a::attr(href)").getall():
            yield response.follow(
                href, callback=self.parse_book, cb_kwargs={"chapter": chapter + 1}, meta={"shelf": "b"}
            )


def book_crawl(site: Site, tmp_path: Path) -> Callable[..., Crawled]:
    """Return a function that crawls the site with a spider in one of the add-on's modes, in `tmp_path`."""
    topic = topic_file(tmp_path, site.url("/page/1"))

    def run(spider: type[scrapy.Spider], mode: str, *, start: str = "/page/1", **settings: Any) -> Crawled:
        return crawl_here(
            tmp_path / "run",
            spider=spider,
            settings={"FOCUSCRAWL_TOPIC": str(topic), "FOCUSCRAWL_MODE": mode, "CONCURRENT_REQUESTS": 1, **settings},
            seed=site.url(start),
        )

    return run
