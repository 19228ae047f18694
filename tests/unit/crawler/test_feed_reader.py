"""Feeds that are parsed beside the event loop, without a network."""

from __future__ import annotations

import asyncio
import threading
from dataclasses import replace
from pathlib import Path

import pytest
from test_feed_step import FEED_URL, answer, feed_body, lease

from focuscrawl.config import FocusConfig
from focuscrawl.crawler import feed_reader
from focuscrawl.crawler.build import build_step
from focuscrawl.crawler.feed_reader import FeedReader, FeedUse
from focuscrawl.crawler.step import PageStep
from focuscrawl.crawler.visit_records import body_digest
from focuscrawl.feeds.entries import ParsedFeed, parse_feed
from focuscrawl.storage.run import RunFolder
from focuscrawl.topic.spec import TopicSpec
from focuscrawl.visits import Earlier

WAIT_S = 10.0


def step_on(*words: str) -> PageStep:
    return build_step(TopicSpec.model_validate({"name": "bees", "terms": dict.fromkeys(words, 1.0)}))


def reader(folder: Path, use: FeedUse = FeedUse.FOLLOW) -> FeedReader:
    return FeedReader(step_on("hive", "honey"), use, RunFolder(folder), FocusConfig(), lambda: 1_700_000_000.0)


def test_the_event_loop_goes_on_while_a_feed_is_parsed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    waits, goes_on = threading.Event(), threading.Event()

    def parse(body: bytes, url: str, *, content_type: str | None = None) -> ParsedFeed:
        waits.set()
        assert goes_on.wait(WAIT_S), "the event loop stood still"
        return parse_feed(body, url, content_type=content_type)

    monkeypatch.setattr(feed_reader, "parse_feed", parse)

    async def go_on() -> None:
        await asyncio.to_thread(waits.wait, WAIT_S)
        goes_on.set()

    async def read() -> int:
        feeds = reader(tmp_path)
        fetched, _ = await asyncio.gather(feeds.read(answer(FEED_URL, feed_body(4)), lease(FEED_URL)), go_on())
        feeds.close()
        assert fetched.feed is not None
        return len(fetched.feed.feed.entries)

    assert asyncio.run(read()) == 4


@pytest.mark.parametrize("use", [FeedUse.FOLLOW, FeedUse.READ])
@pytest.mark.parametrize("body", [feed_body(120), b"<rss><channel></channel></rss>", b"<html><p>The hive.</p></html>"])
def test_a_feed_read_beforehand_yields_what_it_yields_otherwise(tmp_path: Path, use: FeedUse, body: bytes) -> None:
    fetched, held = answer(FEED_URL, body), lease(FEED_URL)
    beforehand, otherwise = reader(tmp_path / "one", use), reader(tmp_path / "other", use)
    read = asyncio.run(beforehand.read(fetched, held))
    assert (read.feed is not None) == body.startswith(b"<rss")
    found = beforehand.process(read, held), otherwise.process(fetched, held)
    assert found[0].settlement == found[1].settlement
    assert found[0].record == found[1].record


def test_entries_go_by_the_topic_of_the_crawl_though_it_changes_while_their_feed_is_read(tmp_path: Path) -> None:
    body = feed_body(60).replace(b"Hive 7<", b"Wasps 7<")
    feeds = reader(tmp_path)

    async def read() -> str:
        fetched = await feeds.read(answer(FEED_URL, body), lease(FEED_URL))
        feeds.change_step(step_on("wasps"))
        found = feeds.process(fetched, lease(FEED_URL)).settlement.found
        return max(found, key=lambda entry: entry.score).url

    assert asyncio.run(read()) == "https://bees.example/hive/7"


def test_a_feed_that_is_as_it_was_is_not_parsed_again(tmp_path: Path) -> None:
    held, body = lease(FEED_URL), feed_body(3)
    feeds = reader(tmp_path)
    same = body_digest(body)
    moved = "https://bees.example/old.xml"  # another visit, whose entries are taken up
    for url, digest, parsed in ((FEED_URL, same, False), (FEED_URL, "0" * 16, True), (moved, same, True)):
        origin = replace(held.entry.origin, earlier=Earlier(1.0, url, digest))
        visit = replace(held, entry=replace(held.entry, origin=origin))
        fetched = asyncio.run(feeds.read(answer(FEED_URL, body), visit))
        assert (fetched.feed is not None) == parsed
