"""Plug-ins with faults, in crawls: built-ins stand in for them, which are registered the same way."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from crawl_kit import Crawled, crawl_here, topic_file
from scrapy import Request, Spider
from site_kit import Site

from focuscrawl.errors import FocusCrawlError
from focuscrawl.extraction.blocks import BlocksExtractor
from focuscrawl.frontier.sqlite import SqliteFrontier
from focuscrawl.ranking.baselines import BreadthFirst
from focuscrawl.topic.judge_vsm import VsmJudge


@pytest.fixture
def topic(site: Site, tmp_path: Path) -> str:
    return str(topic_file(tmp_path, site.url("/many")))


def crawl(tmp_path: Path, topic: str, **settings: Any) -> Crawled:
    return crawl_here(tmp_path / "run", topic=topic, pages=12, settings=settings, strategy="breadth-first")


@pytest.mark.parametrize(("field", "value"), [("published", datetime(2026, 1, 2)), ("author", ["A", "B"])])
def test_an_extraction_that_cannot_be_stored_costs_its_page_with_a_sentence(
    topic: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    field: str,
    value: object,
) -> None:
    real = BlocksExtractor.extract

    def extract(self: BlocksExtractor, page: Any) -> Any:
        found = real(self, page)
        return replace(found, **{field: value}) if page.url.endswith("/page/3") else found

    monkeypatch.setattr(BlocksExtractor, "extract", extract)
    done = crawl(tmp_path, topic, FOCUSCRAWL_EXTRACTOR="blocks")
    results = {record.url for record in done.pages() if record.is_result}
    assert len(results) >= 3
    assert {line["url"] for line in done.jsonl()} == results
    assert done.page("/page/3").reason == "could not be processed: PluginFaultError"
    (said,) = (line for line in caplog.messages if "/page/3 could not be processed" in line)
    assert said.endswith(f'/page/3 could not be processed: extractor "blocks": {field} {value!r}: expected a text.')
    assert "Traceback" not in caplog.text


@pytest.mark.parametrize(
    ("part", "method", "processes"), [(VsmJudge, "judge", 0), (VsmJudge, "judge", 1), (BlocksExtractor, "extract", 0)]
)
def test_a_fault_of_every_page_is_logged_once_and_counted(
    topic: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    part: type,
    method: str,
    processes: int,
) -> None:
    real = getattr(part, method)

    def fails(self: Any, page: Any) -> Any:
        if "/page/" in page.url:
            raise ZeroDivisionError("a fault of a plug-in")
        return real(self, page)

    monkeypatch.setattr(part, method, fails)
    settings = {"FOCUSCRAWL_EXTRACTOR": "blocks", "FOCUSCRAWL_EXTRACT_PROCESSES": processes}
    done = crawl(tmp_path, topic, **settings)
    failed = [record for record in done.pages() if record.reason == "could not be processed: ZeroDivisionError"]
    assert len(failed) > 5
    assert caplog.text.count("Traceback") == 1
    first, rest = (record.getMessage() for record in caplog.records if record.levelname == "ERROR")
    assert first.endswith("could not be processed: a fault of a plug-in")
    assert rest == f"{len(failed) - 1} more faults like this one were not logged: {first}"


class FollowingSpider(Spider):
    name = "following"

    async def start(self) -> AsyncIterator[Request]:
        yield Request(self.seed)  # type: ignore[attr-defined]

    def parse(self, response: Any) -> Iterator[Any]:
        yield {"url": response.url}
        for link in response.css("a")[:5]:
            yield response.follow(link)


@pytest.mark.parametrize("mode", ["score", "frontier"])
def test_code_that_ends_the_program_costs_a_page_of_a_projects_own_spider(
    site: Site, topic: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, mode: str
) -> None:
    def judge(*_: object) -> Any:
        raise SystemExit(3)

    monkeypatch.setattr(VsmJudge, "judge", judge)
    settings = {"FOCUSCRAWL_TOPIC": topic, "FOCUSCRAWL_MODE": mode, "FOCUSCRAWL_EXTRACTOR": "blocks"}
    done = crawl_here(tmp_path / "run", spider=FollowingSpider, settings=settings, seed=site.url("/page/0"))
    assert len(done.items) > 5
    assert f"{site.url('/page/0')} could not be processed: 3" in caplog.text
    assert caplog.text.count("Traceback") == 1
    assert "more faults like this one were not logged" in caplog.text


def test_a_seed_without_a_place_ends_the_start_with_a_sentence(
    site: Site, topic: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(BreadthFirst, "seed", lambda *_: None)
    said = r'^strategy "breadth-first" has no place for the seed http://\S+: expected a Ranked, found NoneType\.$'
    with pytest.raises(FocusCrawlError, match=said) as raised:
        crawl(tmp_path, topic)
    assert raised.value.exit_code == 1
    assert not site.paths()


@pytest.mark.parametrize(
    ("part", "method", "told"),
    [
        (BreadthFirst, "seed", 'strategy "breadth-first" has no place for the seed http://127.0.0.1:'),
        (SqliteFrontier, "open", 'frontier "sqlite" cannot be opened: ZeroDivisionError ('),
    ],
)
def test_a_part_that_fails_at_the_start_is_a_sentence(
    site: Site, topic: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, part: type, method: str, told: str
) -> None:
    def fails(*_: object) -> None:
        raise ZeroDivisionError("geheim")

    with monkeypatch.context() as patched:
        patched.setattr(part, method, fails)
        with pytest.raises(FocusCrawlError) as raised:
            crawl(tmp_path, topic)
    assert str(raised.value).startswith(told)
    assert ("geheim" in str(raised.value)) is (part is BreadthFirst)  # addresses of frontiers have passwords
    assert raised.value.exit_code == 1
    assert not site.paths()
    assert crawl(tmp_path, topic).counts()["done"] == 12  # nothing is left open or locked
