"""Crawls whose pages are read by processes of their own, in the real crawler."""

from __future__ import annotations

from pathlib import Path

import pytest
from crawl_kit import Crawled, crawl_here, end, start_command, topic_file, until
from site_kit import PAGES, Site

ONE = {"FOCUSCRAWL_EXTRACT_PROCESSES": 1}


@pytest.fixture
def topic(tmp_path: Path, site: Site) -> str:
    return str(topic_file(tmp_path, site.url("/")))


def results(done: Crawled) -> dict[str, tuple[str, float, str]]:
    return {record.url: (record.outcome, record.relevance, record.text) for record in done.pages()}


def test_a_crawl_finds_the_same(site: Site, topic: str, tmp_path: Path) -> None:
    here = crawl_here(tmp_path / "here", topic=topic)
    done = crawl_here(tmp_path / "run", topic=topic, settings=ONE)
    assert results(done) == results(here)
    assert sorted(item.url for item in done.items) == sorted(item.url for item in here.items)
    assert done.session is not None
    readers = done.session.crawl.readers
    assert readers is not None
    assert readers.process_ids == []


def children(parent: int) -> list[int]:
    """Return the processes that any thread of a process has started."""
    lists = [path.read_text(encoding="ascii") for path in Path(f"/proc/{parent}/task").glob("*/children")]
    return [int(number) for numbers in lists for number in numbers.split()]


def test_readers_end_with_a_crawl_that_is_killed_and_nothing_is_lost(site: Site, topic: str, tmp_path: Path) -> None:
    site.page_delay(0.02)
    process = start_command(tmp_path / "run", "-a", f"topic={topic}", settings=ONE)
    until(lambda: len(site.paths()) > PAGES / 3)
    numbers = children(process.pid)
    assert numbers
    end(process)
    until(lambda: not any(Path(f"/proc/{number}").exists() for number in numbers))
    done = crawl_here(tmp_path / "run", topic=topic, settings=ONE)
    assert len({record.url for record in done.pages()}) == len(done.pages()) == PAGES + 1
    assert done.counts()["queued"] == 0
