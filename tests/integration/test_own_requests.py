"""Requests of a project's own spiders: what comes back to their callbacks, errbacks and middlewares, and how often."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import scrapy
from book_kit import BookSpider, book_crawl
from crawl_kit import crawl_here, topic_file
from scrapy.http import Response
from scrapy.linkextractors import LinkExtractor
from scrapy.spiders import CrawlSpider, Rule, SitemapSpider
from site_kit import PAGES, Site

from focuscrawl.spiders.focused import FocusedSpider


class PrivateSpider(BookSpider):
    """Follows links with a method that has an underscore, and without one."""

    name = "private"

    def parse_book(self, response: Response, chapter: int) -> Iterator[Any]:
        yield from response.follow_all(css="a", callback=self._page)

    def _page(self, response: Response) -> Iterator[Any]:
        yield {"page": response.url}
        yield from response.follow_all(css="a", callback=lambda one: [{"unnamed": one.url}])


class RulesSpider(CrawlSpider):
    """Follows links by rules: the callbacks of its requests are Scrapy's own."""

    name = "rules"
    seed = ""
    rules = (Rule(LinkExtractor(allow=r"/page/"), callback="page", errback="sorry", follow=True),)

    async def start(self) -> Any:
        self.seen: list[Any] = []
        yield scrapy.Request(self.seed)

    def page(self, response: Response) -> Iterator[Any]:
        yield {"page": response.url}


class OnceMoreSpider(BookSpider):
    """Asks for what fails, and once more by a request of its own."""

    name = "once more"

    async def start(self) -> Any:
        self.seen = []
        yield scrapy.Request(f"{self.seed}/status/500/a")
        yield scrapy.Request(f"{self.seed}/status/503/b")
        yield scrapy.Request(f"{self.seed}/status/404/c", errback=self.once_more)

    def once_more(self, failure: Any) -> Iterator[Any]:
        url = f"{self.seed}/status/500/c"
        yield failure.request.replace(url=url, callback=lambda _: None, errback=None)


class OneTrySpider(BookSpider):
    """Asks for what fails, and says how often it may be tried."""

    name = "one try"

    async def start(self) -> Any:
        self.seen = []
        for path, meta in (
            ("500/a", {"dont_retry": True}),
            ("503/b", {"dont_retry": True}),
            ("500/c", {"max_retry_times": 0}),
            ("500/d", {"max_retry_times": 1}),
        ):
            yield scrapy.Request(f"{self.seed}/status/{path}", meta=meta, errback=self.sorry)

    def sorry(self, failure: Any) -> Iterator[Any]:
        yield {"sorry": failure.request.url.removeprefix(f"{self.seed}/status/")}


class AnswersSpider(BookSpider):
    """Has an errback for what fails, and a callback for failures it wants to see."""

    name = "answers"

    async def start(self) -> Any:
        self.seen = []
        for path in ("status/500/a", "status/503/a", "status/404/a", "broken/a", "later/500/2/0"):
            yield scrapy.Request(f"{self.seed}/{path}", self.page, errback=self.sorry)
        for status in (500, 503, 404):
            meta = {"handle_httpstatus_list": [status]}
            yield scrapy.Request(f"{self.seed}/status/{status}/b", self.page, errback=self.sorry, meta=meta)
        meta = {"handle_httpstatus_all": True}
        yield scrapy.Request(f"{self.seed}/status/500/c", self.fails, errback=self.sorry, meta=meta)

    def page(self, response: Response) -> Iterator[Any]:
        yield {"page": response.url, "status": response.status}

    def fails(self, response: Response) -> None:
        raise ValueError(f"a mistake of this spider at {response.url}")

    def sorry(self, failure: Any) -> Iterator[Any]:
        yield {"sorry": failure.request.url}


class TupleSpider(BookSpider):
    """Hands its callbacks what JSON would change, on pages that link to each other."""

    name = "tuple"

    async def start(self) -> Any:
        self.seen = []
        yield scrapy.Request(self.seed, self.page, cb_kwargs={"way": ()})

    def page(self, response: Response, way: tuple[str, ...]) -> Iterator[Any]:
        yield {"page": response.url, "is_tuple": isinstance(way, tuple), "ids": response.meta.get("ids")}
        for request in response.follow_all(css="a", callback=self.page, meta={"ids": {7: "x"}}):
            yield request.replace(cb_kwargs={"way": (*way, response.url)})


class ShelfSpider(BookSpider):
    """Tells the shelf of its pages."""

    name = "shelf"

    def parse_book(self, response: Response, chapter: int) -> Iterator[Any]:
        yield {"shelf": response.meta["shelf"]}
        yield from super().parse_book(response, chapter)


class Mark:
    """Marks the requests of callbacks, and drops one."""

    async def process_spider_output(self, response: Response, result: Any) -> Any:
        async for output in result:
            if isinstance(output, scrapy.Request):
                if output.url.endswith("/page/6"):
                    continue
                output.meta["shelf"] = "marked"
            yield output


class DetailSpider(FocusedSpider):
    """A focused spider that asks for more with callbacks of its own."""

    name = "detail"

    async def parse_page(self, response: Response) -> Any:
        async for item in super().parse_page(response):
            yield item
        yield response.follow("/text/1", callback=self.detail, errback=self.sorry, cb_kwargs={"of": "text"})
        yield response.follow("/page/6", callback=self.detail, cb_kwargs={"of": "page"})  # a link of the crawl, too
        yield response.follow("/status/404", callback=self.detail, errback=self.sorry)
        yield response.follow("/post/aa")

    def detail(self, response: Response, of: str = "") -> Iterator[Any]:
        yield {"detail": response.url, "of": of}

    def sorry(self, failure: Any) -> Iterator[Any]:
        yield {"sorry": failure.request.url}


class KindsSpider(BookSpider):
    """Asks for what is no page, for its callback knows what to do with it."""

    name = "kinds"

    async def start(self) -> Any:
        self.seen = []
        yield scrapy.Request(f"{self.seed}/app/data/one", self.data, errback=self.sorry)
        yield scrapy.Request(f"{self.seed}/type/image/png", self.fails, errback=self.sorry)

    def data(self, response: Any) -> Iterator[Any]:
        yield {"data": response.json()["title"]}
        yield scrapy.Request(f"{self.seed}/page/3", self.page)

    def fails(self, response: Response) -> None:
        raise ValueError(f"{len(response.body)} bytes are no good to this spider")

    def page(self, response: Response) -> Iterator[Any]:
        yield {"page": response.url}

    def sorry(self, failure: Any) -> Iterator[Any]:
        yield {"sorry": failure.request.url}


class MapSpider(SitemapSpider):
    """Crawls what a compressed sitemap lists."""

    name = "map"

    def __init__(self, seed: str) -> None:
        super().__init__()
        self.sitemap_urls = [seed]
        self.seen: list[Any] = []

    def parse(self, response: Response) -> Iterator[Any]:
        yield {"page": response.url}


@pytest.fixture
def crawl(site: Site, tmp_path: Path) -> Any:
    return book_crawl(site, tmp_path)


def test_an_errback_is_heard_once_after_the_last_try(site: Site, crawl: Any) -> None:
    done = crawl(AnswersSpider, "frontier", start="")
    sorry = Counter(item["sorry"] for item in done.items if "sorry" in item)
    failing = ("status/500/a", "status/503/a", "status/404/a", "broken/a")
    assert sorry == Counter(site.url(f"/{path}") for path in failing)
    asked = Counter(site.paths())
    assert [asked[f"/{path}"] for path in failing] == [3, 6, 1, 3]
    assert {"page": site.url("/later/500/2/0"), "status": 200} in done.items
    assert asked["/later/500/2/0"] == 3


def test_a_callback_that_took_an_answer_ends_the_matter(site: Site, crawl: Any) -> None:
    done = crawl(AnswersSpider, "frontier", start="")
    taken = [item for item in done.items if "page" in item and item["page"].endswith("/b")]
    assert sorted(item["status"] for item in taken) == [404, 500, 503]
    asked = Counter(site.paths())
    assert {asked[f"/status/{status}/b"] for status in (404, 500, 503)} == {1} == {asked["/status/500/c"]}
    assert done.page("/status/500/b").outcome == done.page("/status/500/c").outcome == "refused"
    assert done.page("/status/503/b").reason == "HTTP 503"


def test_values_that_json_would_change_reach_the_callback_as_they_were(site: Site, crawl: Any) -> None:
    done = crawl(TupleSpider, "frontier")
    assert {item["is_tuple"] for item in done.items} == {True}
    assert {str(item["ids"]) for item in done.items if not item["page"].endswith("/page/1")} == {"{7: 'x'}"}
    assert len(done.items) > PAGES / 2
    assert set(Counter(site.paths()).values()) == {1}, "what stays in the process is filtered, too"


@pytest.mark.parametrize("mode", ["frontier", "full"])
@pytest.mark.parametrize("place", [20, 100, 543])
def test_spider_middlewares_of_the_project_see_the_links(site: Site, crawl: Any, mode: str, place: int) -> None:
    done = crawl(ShelfSpider, mode, SPIDER_MIDDLEWARES={Mark: place}, CLOSESPIDER_PAGECOUNT=15)
    shelves = [item["shelf"] for item in done.items if isinstance(item, dict) and "shelf" in item]
    assert shelves.count("marked") == len(shelves) - 1 > 0  # all but the start
    assert "/page/6" not in site.paths()


def test_requests_of_a_focused_spiders_subclass_have_their_callbacks(site: Site, tmp_path: Path) -> None:
    topic = topic_file(tmp_path, site.url("/page/3"))
    done = crawl_here(
        tmp_path / "run", spider=DetailSpider, topic=str(topic), run=str(tmp_path / "run"), settings={}, pages=10
    )
    own = [item for item in done.items if isinstance(item, dict)]
    assert {"detail": site.url("/text/1"), "of": "text"} in own
    assert {"detail": site.url("/page/6"), "of": "page"} in own
    # The bundled spider takes all answers, so the callback has this one, as Scrapy would have it.
    assert {"detail": site.url("/status/404"), "of": ""} in own
    assert len(own) == 3
    assert done.page("/post/aa").outcome == "done"


@pytest.mark.parametrize("mode", ["frontier", "full"])
def test_answers_that_are_no_pages_reach_their_callbacks(site: Site, crawl: Any, mode: str) -> None:
    done = crawl(KindsSpider, mode, start="")
    own = [item for item in done.items if isinstance(item, dict)]
    assert own == [{"data": "Lighthouse one"}, {"page": site.url("/page/3")}]
    assert done.page("/app/data/one").reason == "content type application/json"
    assert done.page("/type/image/png").reason == "content type image/png"
    assert {record.outcome for record in done.pages()} == {"refused", "done"}
    assert done.session.crawler.stats.get_value("focuscrawl/fetched") == 1, "they are no pages"


def test_a_sitemap_spider_reads_compressed_sitemaps(site: Site, crawl: Any) -> None:
    done = crawl(MapSpider, "frontier", start="/sitemap/pages.xml.gz")
    assert {item["page"] for item in done.items} == {site.url(f"/page/{number}") for number in range(100, 112)}


def test_scrapys_retries_are_for_what_the_frontier_does_not_lease(site: Site, crawl: Any) -> None:
    # The frontier tries three times after a 500, and six after "not now"; Scrapy twice more each time.
    done = crawl(OnceMoreSpider, "frontier", start="", RETRY_ENABLED=True, RETRY_TIMES=2)
    asked = Counter(site.paths())
    assert (asked["/status/500/a"], asked["/status/503/b"], asked["/status/404/c"]) == (3, 6, 1)
    assert asked["/status/500/c"] == 3  # by Scrapy: no lease stands behind it
    assert done.session.crawler.stats.get_value("retry/count") == 2


def test_a_request_that_wants_no_other_try_has_none(site: Site, crawl: Any) -> None:
    done = crawl(OneTrySpider, "frontier", start="")
    asked = Counter(site.paths())
    tries = {"500/a": 1, "503/b": 1, "500/c": 1, "500/d": 2}
    assert {path: asked[f"/status/{path}"] for path in tries} == tries
    assert sorted(item["sorry"] for item in done.items) == sorted(tries)
    assert (done.page("/status/503/b").outcome, done.page("/status/503/b").reason) == ("refused", "HTTP 503")


def test_callbacks_with_an_underscore_are_called(site: Site, crawl: Any) -> None:
    done = crawl(PrivateSpider, "frontier", start="/")
    assert {item["page"] for item in done.items if "page" in item} == {site.url(f"/page/{n}") for n in (0, 1, 2)}
    assert [item for item in done.items if "unnamed" in item]
    assert done.counts()["failed"] == done.counts()["refused"] == 0


def test_rules_of_a_crawl_spider_are_followed(site: Site, crawl: Any) -> None:
    done = crawl(RulesSpider, "frontier", start="/page/1")
    linked = {path for path in site.paths() if path.startswith("/page/")} - {"/page/1"}
    assert {item["page"] for item in done.items} == {site.url(path) for path in linked}
    assert len(linked) > PAGES / 2
    assert done.counts()["done"] == len(linked) + 1, "judged, all of them"
    assert set(Counter(site.paths()).values()) == {1}
