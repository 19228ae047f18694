"""What projects and tools made for scrapy-redis bring: seeds in a list, a set of fingerprints, a list for items."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import redis
from crawl_kit import crawl_here, topic_file
from redis_kit import RedisServer
from scrapy.http import Request
from scrapy.settings import Settings
from scrapy_redis.dupefilter import RFPDupeFilter
from site_kit import Site

from focuscrawl.errors import ConfigError
from focuscrawl.glue.fleet import check_combination
from focuscrawl.glue.scrapy_redis import fingerprint, seed_of


def test_seeds_items_and_fingerprints_are_shared(site: Site, tmp_path: Path, redis_server: RedisServer) -> None:
    topic = topic_file(tmp_path, site.url("/page/0"))
    name = tmp_path.name
    seeds, items, dupes = f"{name}:start_urls", f"{name}:items", f"{name}:dupefilter"
    old = RFPDupeFilter(server=None, key=dupes)
    with closing(redis.Redis.from_url(redis_server.url)) as client:
        client.lpush(seeds, site.url("/many"), json.dumps({"url": site.url("/empty"), "meta": {"a": 1}}), "no url")
        client.sadd(dupes, *(old.request_fingerprint(Request(site.url(f"/page/{n}"))) for n in (1, 3)))
        site.page_delay(0.05)
        done = crawl_here(
            tmp_path / "run",
            topic=str(topic),
            pages=40,
            settings={
                "FOCUSCRAWL_FRONTIER_URL": redis_server.url,
                "FOCUSCRAWL_CRAWL": name,
                "REDIS_START_URLS_KEY": f"{name}:start_urls",
                "REDIS_ITEMS_KEY": f"{name}:items",
                "SCHEDULER_DUPEFILTER_KEY": dupes,
                "ITEM_PIPELINES": {"focuscrawl.glue.scrapy_redis.RedisItems": 300},
                "CONCURRENT_REQUESTS": 2,
            },
        )
        assert client.exists(seeds) == 0
        found = [json.loads(one) for one in client.lrange(items, 0, -1)]
    asked = set(site.paths())
    assert {"/many", "/empty", "/page/0"} <= asked
    assert not {"/page/1", "/page/3"} & asked
    assert {record.reason for record in done.pages() if record.url.endswith(("/page/1", "/page/3"))} == {
        "fetched before, by an earlier crawl"
    }
    assert sorted(item["url"] for item in found) == sorted(item.url for item in done.items)
    assert found


@pytest.mark.parametrize(
    "url", ["http://例子.example/路?b=2&a=1#f", "http://example.org", "http://example.org/a%20b?q=%E4"]
)
def test_fingerprints_are_those_of_scrapy_redis(url: str) -> None:
    request = Request(url, method="POST", body=b"x=1")
    assert fingerprint(request) == RFPDupeFilter(server=None, key="").request_fingerprint(request)


@pytest.mark.parametrize(
    ("pushed", "url"),
    [
        (b" http://example.org/ \n", "http://example.org/"),
        (b'{"url": "http://example.org/", "meta": {}}', "http://example.org/"),
        (b'{"url": 3}', ""),
        (b"{broken", ""),
        ("http://例子.example/".encode(), "http://例子.example/"),
        (b"\xff", "\ufffd"),
    ],
)
def test_seeds_are_urls_or_json(pushed: bytes, url: str) -> None:
    assert seed_of(pushed) == url


SCHEDULER = "scrapy_redis.scheduler.Scheduler"


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"SCHEDULER": SCHEDULER}, 'Set DUPEFILTER_CLASS = "scrapy_redis.dupefilter.RFPDupeFilter"'),
        ({"STATS_CLASS": "scrapy_redis.stats.RedisStatsCollector"}, "Remove STATS_CLASS"),
        ({"SCHEDULER": SCHEDULER, "DUPEFILTER_CLASS": "scrapy_redis.dupefilter.RFPDupeFilter"}, ""),
        ({}, ""),
    ],
)
def test_combinations_that_cannot_work_are_named(settings: dict[str, Any], said: str) -> None:
    if said:
        with pytest.raises(ConfigError, match=said):
            check_combination(Settings(settings))
    else:
        check_combination(Settings(settings))
