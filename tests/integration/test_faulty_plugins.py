"""Plug-ins with faults, in crawls: built-ins stand in for them, which are registered the same way."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from crawl_kit import Crawled, crawl_here, topic_file
from site_kit import Site

from focuscrawl.extraction.blocks import BlocksExtractor


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
    assert done.page("/page/3").reason == "could not be processed: PluginError"
    (said,) = (line for line in caplog.messages if "/page/3 could not be processed" in line)
    assert said.endswith(f'/page/3 could not be processed: extractor "blocks": {field} {value!r}: expected a text.')
    assert "Traceback" not in caplog.text
