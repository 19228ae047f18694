"""What glue/compat.py and glue/limits.py need of Scrapy beyond its promises, and what happens when things fail."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from crawl_kit import crawl_here, topic_file
from scrapy.core.engine import ExecutionEngine, _Slot
from scrapy.core.scraper import Scraper
from scrapy.crawler import Crawler
from scrapy.downloadermiddlewares.httpcompression import HttpCompressionMiddleware
from scrapy.utils.reactor import CallLaterOnce
from site_kit import PAGES, Site

from focuscrawl.errors import FrontierError
from focuscrawl.frontier.sqlite import SqliteFrontier
from focuscrawl.glue import compat
from focuscrawl.glue.session import CrawlSession
from focuscrawl.records import Settlement


@pytest.fixture
def topic(tmp_path: Path, site: Site) -> str:
    return str(topic_file(tmp_path, site.url("/")))


def test_the_names_are_still_there() -> None:
    assert "_engine" in inspect.getsource(Crawler.__init__)
    assert "self._slot" in inspect.getsource(ExecutionEngine.__init__)
    assert {"nextcall", "closing", "inprogress"} <= set(
        inspect.getsource(_Slot.__init__).replace(":", " ").replace(".", " ").split()
    )
    assert hasattr(CallLaterOnce, "schedule")
    assert inspect.iscoroutinefunction(Scraper.start_itemproc_async)
    # compat.scrape_item: a scraper that closes is asked by nobody else once an item has ended.
    assert "self.slot.closing and self.slot.is_idle()" in inspect.getsource(Scraper._check_if_closing)
    assert "_check_if_closing" not in inspect.getsource(Scraper.start_itemproc_async)
    # compat.fail_crawl: a CloseSpider of the start ends in this call, and what it raises is raised again.
    assert "except CloseSpider as exc:" in inspect.getsource(Crawler.crawl_async)
    assert "await self.engine.close_async(reason=exc.reason)" in inspect.getsource(Crawler.crawl_async)
    assert "self._max_size" in inspect.getsource(HttpCompressionMiddleware.process_response)


def test_the_engine_is_woken_when_leases_arrive(
    site: Site, topic: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # With the engine's own heartbeat out of the way, a crawl only goes on when it is woken.
    monkeypatch.setattr(ExecutionEngine, "_SLOT_HEARTBEAT_INTERVAL", 1000.0)
    woken: list[Crawler] = []
    real = compat.wake_engine

    def wake(crawler: Crawler) -> None:
        woken.append(crawler)
        real(crawler)

    monkeypatch.setattr("focuscrawl.glue.session.compat.wake_engine", wake)
    done = crawl_here(tmp_path / "run", topic=topic)
    assert done.counts()["done"] >= PAGES
    assert woken


def test_nothing_is_active_before_and_after_a_crawl(site: Site, topic: str, tmp_path: Path) -> None:
    done = crawl_here(tmp_path / "run", topic=topic, pages=1)
    assert done.session is not None
    assert not compat.engine_is_active(done.session.crawler)


def test_a_full_disk_ends_the_crawl_with_its_sentence_and_nothing_is_lost(
    site: Site, topic: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = SqliteFrontier.settle
    settled: list[int] = []

    async def settle(self: SqliteFrontier, settlements: Sequence[Settlement]) -> Any:
        if len(settled) >= 3:
            raise FrontierError("crawl.db: the disk is full; what was settled before is safe.")
        settled.append(len(settlements))
        return await real(self, settlements)

    with monkeypatch.context() as patch:
        patch.setattr(SqliteFrontier, "settle", settle)
        with pytest.raises(FrontierError, match="the disk is full"):
            crawl_here(tmp_path / "run", topic=topic)
    done = crawl_here(tmp_path / "run")
    urls = [record.url for record in done.pages()]
    assert len(urls) == len(set(urls)) == PAGES + 1


def test_a_frontier_that_cannot_be_counted_at_the_end_is_closed_all_the_same(
    site: Site, topic: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = CrawlSession.close

    async def broken(self: SqliteFrontier) -> Any:
        raise FrontierError("crawl.db: cannot be read.")

    async def close(self: CrawlSession, reason: str) -> None:
        with monkeypatch.context() as patch:
            patch.setattr(SqliteFrontier, "stats", broken)
            await real(self, reason)

    with monkeypatch.context() as patch:
        patch.setattr(CrawlSession, "close", close)
        with pytest.raises(FrontierError, match="cannot be read"):
            crawl_here(tmp_path / "run", topic=topic, pages=2)
    assert crawl_here(tmp_path / "run", pages=4).counts()["done"] == 4  # its lock was given back


def test_a_middleware_that_drops_requests_does_not_stop_the_crawl(site: Site, topic: str, tmp_path: Path) -> None:
    done = crawl_here(
        tmp_path / "run",
        topic=topic,
        settings={"DOWNLOADER_MIDDLEWARES": {"integration_parts.DropsOddPages": 200}},
    )
    outcomes = {record.outcome: record.reason for record in done.pages() if record.outcome != "done"}
    assert outcomes == {"refused": "an odd page"}
    assert done.counts()["queued"] == 0


def test_a_page_step_that_fails_does_not_stop_the_crawl(
    site: Site, topic: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from focuscrawl.crawler.fetched import Fetched
    from focuscrawl.crawler.step import PageStep

    real = PageStep.process_analysed

    def process(self: PageStep, page: Any, fetched: Fetched, lease: Any) -> Any:
        if fetched.url.endswith("/page/3"):
            raise ZeroDivisionError("a fault of a plug-in")
        return real(self, page, fetched, lease)

    monkeypatch.setattr(PageStep, "process_analysed", process)
    done = crawl_here(tmp_path / "run", topic=topic)
    assert done.page("/page/3").outcome == "refused"
    assert done.page("/page/3").reason == "could not be processed: ZeroDivisionError"
    assert site.paths().count("/page/3") == 1
    assert done.counts()["queued"] == 0
