"""The add-on in a project with spiders of its own: modes score, frontier, full."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import scrapy
from book_kit import BookSpider, book_crawl
from crawl_kit import crawl_here, topic_file
from scrapy.exceptions import CloseSpider
from scrapy.http import Response
from scrapy.utils.test import get_crawler
from site_kit import PAGES, Site

from focuscrawl.crawler.fetched import Fetched
from focuscrawl.crawler.items import PageItem
from focuscrawl.crawler.step import PageStep
from focuscrawl.crawler.watchdog import TooSlowError
from focuscrawl.errors import ConfigError
from focuscrawl.glue.scheduler import FocusScheduler
from focuscrawl.spiders.focused import FocusedSpider


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


class RunSpider(BookSpider):
    """Has a method of its own by the name of the argument for the run folder."""

    name = "run"

    def run(self) -> None:
        raise AssertionError("not for the crawl to call")


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
    return book_crawl(site, tmp_path)


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


@pytest.mark.parametrize("mode", ["frontier", "full"])
def test_settings_about_texts_are_named_where_no_text_is_kept(
    crawl: Any, caplog: pytest.LogCaptureFixture, mode: str
) -> None:
    caplog.set_level(logging.INFO, logger="focuscrawl")
    settings = {"FOCUSCRAWL_STORES": ["jsonl", "warc"], "FOCUSCRAWL_KEEP_IRRELEVANT": True, "FOCUSCRAWL_MAX_LINKS": 50}
    done = crawl(BookSpider, mode, CLOSESPIDER_PAGECOUNT=2, **settings)
    said = [record.getMessage() for record in caplog.records if "keeps no text of pages" in record.getMessage()]
    names = "FOCUSCRAWL_KEEP_IRRELEVANT, FOCUSCRAWL_STORES (warc)"
    assert [names in line and "MAX_LINKS" not in line for line in said] == ([True] if mode == "frontier" else [])
    assert bool(list(done.run.glob("archive/*.warc.gz"))) == (mode == "full")


def test_a_callback_that_fails_settles_its_page_once(site: Site, crawl: Any) -> None:
    done = crawl(FailingSpider, "frontier")
    assert set(Counter(site.paths()).values()) == {1}
    counts = done.counts()
    assert (counts["queued"], counts["leased"], counts["failed"]) == (0, 0, 0)


def test_a_spiders_own_errback_is_heard(site: Site, crawl: Any) -> None:
    done = crawl(ErrbackSpider, "frontier", start="/status/404")
    assert done.items == [{"sorry": site.url("/status/404")}]
    assert done.pages()[0].outcome == "refused"


def test_a_method_of_the_spider_is_no_run_folder(
    site: Site, crawl: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = crawl(RunSpider, "frontier", CLOSESPIDER_PAGECOUNT=2)
    assert done.counts()["done"] > 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["lighthouses.toml", "run"]


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


def test_a_crawl_of_a_projects_own_goes_on_with_callbacks_and_meta(site: Site, crawl: Any) -> None:
    first = crawl(BookSpider, "frontier", CLOSESPIDER_PAGECOUNT=5)
    again = crawl(BookSpider, "frontier")
    urls = [item["url"] for item in (*first.items, *again.items)]
    assert len(urls) == len(set(urls))
    assert max(item["chapter"] for item in again.items) >= 2
    assert set(Counter(site.paths()).values()) == {1}


def test_a_run_that_goes_on_with_another_spider_says_so(
    site: Site, crawl: Any, caplog: pytest.LogCaptureFixture
) -> None:
    for _ in range(2):
        crawl(BookSpider, "frontier", CLOSESPIDER_PAGECOUNT=3)
        assert "the spider of this run" not in caplog.text
    crawl(FormSpider, "frontier", CLOSESPIDER_PAGECOUNT=3)
    said = 'the spider of this run is "book": links of it that wait go to methods of "form" by the same names'
    assert caplog.text.count(said) == 1


@pytest.mark.parametrize("mode", ["score", "frontier"])
def test_arguments_of_the_focused_spider_are_named_as_the_spiders_own(
    site: Site, tmp_path: Path, caplog: pytest.LogCaptureFixture, mode: str
) -> None:
    caplog.set_level(logging.INFO, logger="focuscrawl")
    topic = str(topic_file(tmp_path, site.url("/page/1")))
    settings = {"FOCUSCRAWL_TOPIC": topic, "FOCUSCRAWL_MODE": mode, "CLOSESPIDER_PAGECOUNT": 2}
    for arguments in ({}, {"pages": "1", "strategy": "breadth-first", "shelf": "3"}):
        crawl_here(tmp_path / "run", spider=BookSpider, settings=settings, seed=site.url("/page/1"), **arguments)
        said = [line for line in caplog.messages if "which the crawl does not read" in line]
        assert len(said) == bool(arguments)
    assert "the spider's own, which the crawl does not read: pages=1, strategy=breadth-first. Its topic" in said[0]
    if mode == "frontier":
        assert said[0] in (tmp_path / "run" / "run.log").read_text(encoding="utf-8")


def test_a_crawler_that_a_project_makes_for_its_tests_has_the_add_on(tmp_path: Path) -> None:
    settings = {
        "ADDONS": {"focuscrawl.addon.FocusCrawlAddon": 500},
        "FOCUSCRAWL_TOPIC": str(topic_file(tmp_path, "http://a.example/")),
        "FOCUSCRAWL_ALLOW_PRIVATE": True,
    }
    crawler = get_crawler(BookSpider, settings_dict=settings)
    assert (crawler.spider, crawler.settings["SCHEDULER"]) == (None, FocusScheduler)


def test_the_line_at_the_end_says_how_this_spider_goes_on(
    crawl: Any, site: Site, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    elsewhere = {"COMMANDS_MODULE": ""}
    crawl(StoppedSpider, "frontier", **elsewhere)
    assert f"Go on with scrapy crawl stopped -s FOCUSCRAWL_RUN={tmp_path / 'run'}\n" in capsys.readouterr().err
    topic, run = topic_file(tmp_path, site.url("/page/3")), tmp_path / "other"
    crawl_here(run, spider=StoppedFocusedSpider, settings=elsewhere, topic=str(topic), run=str(run))
    assert f"Go on with scrapy crawl 'my focused' -a run={run}\n" in capsys.readouterr().err


def test_a_slot_of_the_downloader_has_a_delay_of_its_own(site: Site, crawl: Any) -> None:
    slots = {site.url("").removeprefix("http://"): {"delay": 0}}
    limits = {"CLOSESPIDER_PAGECOUNT": 5, "CLOSESPIDER_TIMEOUT": 20}
    done = crawl(BookSpider, "frontier", DOWNLOAD_DELAY=600, DOWNLOAD_SLOTS=slots, **limits)
    assert done.counts()["done"] >= 3
    assert done.session.crawl.hosts.delay_of("elsewhere.example") == 600.0


def test_a_topic_is_needed(site: Site, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="FOCUSCRAWL_TOPIC is not set"):
        crawl_here(tmp_path / "run", spider=BookSpider, seed=site.url("/page/1"))


def test_the_project_can_override_what_the_add_on_sets(site: Site, crawl: Any) -> None:
    site.robots(200, "User-agent: *\nDisallow: /\n")
    done = crawl(BookSpider, "frontier", ROBOTSTXT_OBEY=False, CLOSESPIDER_PAGECOUNT=3)
    assert done.items
