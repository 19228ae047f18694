"""A worker whose Redis goes away at its end waits once for it, whichever of its connections finds out."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from crawl_kit import topic_file
from redis_kit import running_redis

from focuscrawl.config import FocusConfig
from focuscrawl.crawler.arguments import CrawlArguments
from focuscrawl.crawler.closing import close_crawl
from focuscrawl.crawler.crawl import Crawl, Network
from focuscrawl.crawler.opening import open_crawl
from focuscrawl.crawler.plan import make_plan
from focuscrawl.errors import ServerAwayError
from focuscrawl.fleet import redis_channel


def test_a_server_that_was_given_up_as_a_worker_said_goodbye_is_not_waited_for_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(redis_channel, "DEFAULT_PATIENCE_S", 0.3)  # the frontier's own stays at two minutes
    arguments = CrawlArguments(topic=str(topic_file(tmp_path, "http://a.example/")), run=str(tmp_path / "run"))

    async def work() -> Crawl:
        with running_redis() as server:
            config = FocusConfig(report=False, frontier_url=server.url)
            plan = make_plan(arguments, config)
            crawl, control = await open_crawl(plan, config, Network(concurrency=4), settings={}, overrides={})
            await crawl.finish()
            server.stop(kill=True)
            async with asyncio.timeout(60.0):
                await control.close()
                await close_crawl(crawl, "finished")
            return crawl

    crawl = asyncio.run(work())
    assert isinstance(crawl.error, ServerAwayError)
    assert crawl.ending is not None
    assert (crawl.ending.reason, crawl.ending.exit_code) == ("error", 1)
    assert "no answer from Redis" in crawl.ending.detail
