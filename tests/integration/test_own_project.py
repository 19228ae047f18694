"""The add-on in a project with spiders of its own: modes score, frontier, full."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import scrapy
from crawl_kit import Crawled, crawl_here, topic_file
from scrapy.exceptions import CloseSpider
from scrapy.http import Response
from scrapy.linkextractors import LinkExtractor
from scrapy.spiders import CrawlSpider, Rule
from site_kit import PAGES, Site

from focuscrawl.crawler.fetched import Fetched
from focuscrawl.crawler.items import PageItem
from focuscrawl.crawler.step import PageStep
from focuscrawl.crawler.watchdog import TooSlowError
from focuscrawl.errors import ConfigError
from focuscrawl.glue.requests import SCORE
from focuscrawl.spiders.focused import FocusedSpider


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


class FailingSpider(BookSpider):
    """Fails in the middle of some pages."""

    name = "failing"

    def parse_book(self, response: Response, chapter: int) -> Iterator[Any]:
        for number, output in enumerate(super().parse_book(response, chapter)):
            if number == 3 and response.url.endswith("4"):
                raise ValueError("a mistake of this spider")
            yield output


class ErrbackSpider(BookSpider):
    """Has an errback."""

    name = "errback"

    async def start(self) -> Any:
        self.seen = []
        yield scrapy.Request(self.seed, callback=self.parse_book, errback=self.sorry, cb_kwargs={"chapter": 0})

    def sorry(self, failure: Any) -> Iterator[Any]:
        yield {"sorry": str(failure.request.url)}


class FormSpider(BookSpider):
    """Yields what the frontier cannot keep."""

    name = "form"

    def parse_book(self, response: Response, chapter: int) -> Iterator[Any]:
        yield {"url": response.url}
        if chapter == 0:
            yield scrapy.FormRequest(response.urljoin("/form"), formdata={"a": "b"}, callback=self.parse_form)

    def parse_form(self, response: Response) -> Iterator[Any]:
        yield {"form": response.url}


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


class RunSpider(BookSpider):
    """Has a method of its own by the name of the argument for the run folder."""

    name = "run"

    def run(self) -> None:
        raise AssertionError("not for the crawl to call")


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


class StoppedSpider(BookSpider):
    """Stops at its first page."""

    name = "stopped"

    def parse_book(self, response: Response, chapter: int) -> Iterator[Any]:
        raise CloseSpider


class StoppedFocusedSpider(FocusedSpider):
    """A focused spider that stops at its first page."""

    name = "my focused"

    async def parse_page(self, response: Response) -> Any:
        async for item in super().parse_page(response):
            yield item
        raise CloseSpider


@pytest.fixture
def crawl(site: Site, tmp_path: Path) -> Any:
    topic = topic_file(tmp_path, site.url("/page/1"))

    def run(spider: type[scrapy.Spider], mode: str, *, start: str = "/page/1", **settings: Any) -> Crawled:
        return crawl_here(
            tmp_path / "run",
            spider=spider,
            settings={"FOCUSCRAWL_TOPIC": str(topic), "FOCUSCRAWL_MODE": mode, "CONCURRENT_REQUESTS": 1, **settings},
            seed=site.url(start),
        )

    return run


def numbers(site: Site) -> list[int]:
    return [int(path.rpartition("/")[2]) for path in site.paths()]


def test_score_mode_orders_requests_by_their_score(site: Site, crawl: Any) -> None:
    crawl(BookSpider, "score", CLOSESPIDER_PAGECOUNT=15)
    assert sum(n % 3 == 0 for n in numbers(site)[:15]) >= 9


def test_score_mode_tells_callbacks_the_score(site: Site, crawl: Any) -> None:
    spiders: list[BookSpider] = []

    class Watched(BookSpider):
        def closed(self, reason: str) -> None:
            spiders.append(self)

    crawl(Watched, "score", CLOSESPIDER_PAGECOUNT=5)
    (spider,) = spiders
    scored = [seen for seen in spider.seen if seen[2]]
    assert scored
    for _, priority, score, shelf, _ in scored:
        assert priority == round(100 * score["score"])
        assert shelf == "b"


class UrgentSpider(BookSpider):
    """Has priorities of its own."""

    name = "urgent"

    def parse_book(self, response: Response, chapter: int) -> Iterator[Any]:
        for output in super().parse_book(response, chapter):
            if isinstance(output, scrapy.Request):
                output.priority = 200 if output.url.endswith("1") else -200
            yield output
        if chapter == 0:
            yield scrapy.Request("data:text/html,lighthouse", callback=self.parse_data, priority=300)

    def parse_data(self, response: Response) -> Iterator[Any]:
        yield {"data": response.url}

    def closed(self, reason: str) -> None:
        CLOSED.append((self.seen, dict(self.crawler.stats.get_stats())))  # type: ignore[union-attr]


CLOSED: list[tuple[list[Any], dict[str, Any]]] = []


def test_score_mode_adds_the_score_to_the_projects_own_priorities(
    site: Site, crawl: Any, caplog: pytest.LogCaptureFixture
) -> None:
    CLOSED.clear()
    caplog.set_level(logging.INFO, logger="focuscrawl")
    crawl(UrgentSpider, "score", CLOSESPIDER_PAGECOUNT=12, FOCUSCRAWL_METRICS_PORT=9)
    ((seen, stats),) = CLOSED
    scored = [(url, priority, score) for url, priority, score, *_ in seen if score]
    assert scored
    for url, priority, score in scored:
        assert priority == (200 if url.endswith("1") else -200) + round(100 * score["score"])
    assert stats["focuscrawl/fetched"] >= len(seen) - 1
    assert 0 < stats["focuscrawl/relevant"] == round(stats["focuscrawl/harvest"] * stats["focuscrawl/fetched"])
    assert stats["focuscrawl/threshold"] == 0.15
    assert stats["focuscrawl/scored"] >= len(scored)
    assert stats["focuscrawl/hosts"] == 1
    (line,) = [record.getMessage() for record in caplog.records if "have no effect in FOCUSCRAWL_MODE" in record.msg]
    assert "FOCUSCRAWL_METRICS_PORT" in line


def test_score_mode_gives_no_score_for_a_page_that_is_too_slow_to_read(
    site: Site, crawl: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def slow(*_: object) -> None:
        raise TooSlowError("too slow to read: more than 10 s of processor time")

    monkeypatch.setattr(PageStep, "process", slow)
    crawl(BookSpider, "score", CLOSESPIDER_PAGECOUNT=5)
    assert len(site.paths()) > 1
    assert "too slow to read" in caplog.text


def test_frontier_mode_keeps_callbacks_meta_and_items(site: Site, crawl: Any) -> None:
    done = crawl(BookSpider, "frontier")
    assert set(Counter(site.paths()).values()) == {1}
    assert len(done.items) > PAGES / 2
    assert all(set(item) == {"url", "title", "chapter"} for item in done.items)
    chapters = {item["chapter"] for item in done.items}
    assert {0, 1, 2} <= chapters
    counts = done.counts()
    assert counts["done"] == len(done.items)
    assert (counts["queued"], counts["leased"]) == (0, 0)
    assert sum(n % 3 == 0 for n in numbers(site)[:15]) >= 9


def test_full_mode_yields_and_stores_relevant_pages_too(site: Site, crawl: Any) -> None:
    done = crawl(BookSpider, "full")
    pages = [item for item in done.items if isinstance(item, PageItem)]
    assert {page.url for page in pages} == {line["url"] for line in done.jsonl()}
    assert pages
    assert all("lighthouse" in page.text for page in pages)
    assert len(done.items) - len(pages) == done.counts()["done"]


def test_a_callback_that_fails_settles_its_page_once(site: Site, crawl: Any) -> None:
    done = crawl(FailingSpider, "frontier")
    assert set(Counter(site.paths()).values()) == {1}
    counts = done.counts()
    assert (counts["queued"], counts["leased"], counts["failed"]) == (0, 0, 0)


def test_a_spiders_own_errback_is_heard(site: Site, crawl: Any) -> None:
    done = crawl(ErrbackSpider, "frontier", start="/status/404")
    assert done.items == [{"sorry": site.url("/status/404")}]
    assert done.pages()[0].outcome == "refused"


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


def test_a_method_of_the_spider_is_no_run_folder(
    site: Site, crawl: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = crawl(RunSpider, "frontier", CLOSESPIDER_PAGECOUNT=2)
    assert done.counts()["done"] > 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["lighthouses.toml", "run"]


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


def test_scrapys_retries_are_for_what_the_frontier_does_not_lease(site: Site, crawl: Any) -> None:
    # The frontier tries three times after a 500, and six after "not now"; Scrapy twice more each time.
    done = crawl(OnceMoreSpider, "frontier", start="", RETRY_ENABLED=True, RETRY_TIMES=2)
    asked = Counter(site.paths())
    assert (asked["/status/500/a"], asked["/status/503/b"], asked["/status/404/c"]) == (3, 6, 1)
    assert asked["/status/500/c"] == 3  # by Scrapy: no lease stands behind it
    assert done.session.crawler.stats.get_value("retry/count") == 2


@pytest.mark.parametrize("mode", ["frontier", "full"])
def test_a_page_step_that_fails_ends_the_lease_and_the_callback_is_heard(
    site: Site, crawl: Any, monkeypatch: pytest.MonkeyPatch, mode: str
) -> None:
    real = PageStep.process_analysed

    def process(self: PageStep, page: Any, fetched: Fetched, lease: Any) -> Any:
        if fetched.url.endswith("/page/1"):
            raise ZeroDivisionError("a fault of a plug-in")
        return real(self, page, fetched, lease)

    monkeypatch.setattr(PageStep, "process_analysed", process)
    done = crawl(BookSpider, mode)
    assert done.page("/page/1").outcome == "refused"
    assert done.page("/page/1").reason == "could not be processed: ZeroDivisionError"
    assert site.paths().count("/page/1") == 1
    assert any(isinstance(item, dict) and item["url"].endswith("/page/1") for item in done.items)
    assert done.counts()["done"] > PAGES / 2
    assert (done.counts()["queued"], done.counts()["leased"]) == (0, 0)


def test_what_the_frontier_cannot_keep_is_fetched_all_the_same(site: Site, crawl: Any) -> None:
    done = crawl(FormSpider, "frontier")
    assert {"form": site.url("/form")} in done.items


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
    assert set(Counter(site.paths()).values()) == {1}


def test_a_crawl_of_a_projects_own_goes_on_with_callbacks_and_meta(site: Site, crawl: Any) -> None:
    first = crawl(BookSpider, "frontier", CLOSESPIDER_PAGECOUNT=5)
    again = crawl(BookSpider, "frontier")
    urls = [item["url"] for item in (*first.items, *again.items)]
    assert len(urls) == len(set(urls))
    assert max(item["chapter"] for item in again.items) >= 2
    assert set(Counter(site.paths()).values()) == {1}


def test_the_line_at_the_end_says_how_this_spider_goes_on(
    crawl: Any, site: Site, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    elsewhere = {"COMMANDS_MODULE": ""}
    crawl(StoppedSpider, "frontier", **elsewhere)
    assert f"Go on with scrapy crawl stopped -s FOCUSCRAWL_RUN={tmp_path / 'run'}\n" in capsys.readouterr().err
    topic, run = topic_file(tmp_path, site.url("/page/3")), tmp_path / "other"
    crawl_here(run, spider=StoppedFocusedSpider, settings=elsewhere, topic=str(topic), run=str(run))
    assert f"Go on with scrapy crawl 'my focused' -a run={run}\n" in capsys.readouterr().err


def test_a_topic_is_needed(site: Site, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="FOCUSCRAWL_TOPIC is not set"):
        crawl_here(tmp_path / "run", spider=BookSpider, seed=site.url("/page/1"))


def test_the_project_can_override_what_the_add_on_sets(site: Site, crawl: Any) -> None:
    site.robots(200, "User-agent: *\nDisallow: /\n")
    done = crawl(BookSpider, "frontier", ROBOTSTXT_OBEY=False, CLOSESPIDER_PAGECOUNT=3)
    assert done.items
