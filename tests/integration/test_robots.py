"""robots.txt as RFC 9309 says."""

from __future__ import annotations

import asyncio
import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from crawl_kit import Crawled, crawl_here, times, topic_file
from redis_kit import RedisServer
from site_kit import Site

from focuscrawl.frontier.redis import RedisFrontier
from focuscrawl.glue.robots import MAX_BYTES


@pytest.fixture
def crawl(site: Site, tmp_path: Path) -> Any:
    topic = str(topic_file(tmp_path, site.url("/page/0")))

    def run(pages: int = 6, **settings: Any) -> Crawled:
        return crawl_here(tmp_path / "run", topic=topic, pages=pages, settings=settings)

    return run


def robots_fetches(site: Site) -> int:
    return sum(line["path"] == "/robots.txt" for line in site.log(pages_only=False))


def test_what_is_forbidden_is_not_fetched(site: Site, crawl: Any) -> None:
    site.robots(200, "User-agent: *\nDisallow: /page/1\n")
    done = crawl(pages=0)
    assert not [path for path in site.paths() if path.startswith("/page/1")]
    refused = [record for record in done.pages() if record.outcome == "refused"]
    assert refused
    assert {record.reason for record in refused} == {"forbidden by robots.txt"}
    assert robots_fetches(site) == 1


def test_a_group_for_this_crawler_goes_before_the_one_for_all(site: Site, crawl: Any) -> None:
    site.robots(200, "User-agent: focuscrawl\nAllow: /\n\nUser-agent: *\nDisallow: /\n")
    crawl()
    assert len(site.paths()) == 6


@pytest.mark.parametrize("status", [400, 401, 403, 404, 410])
def test_a_4xx_forbids_nothing(site: Site, crawl: Any, status: int) -> None:
    site.robots(status, "User-agent: *\nDisallow: /\n")
    crawl()
    assert len(site.paths()) == 6


@pytest.mark.parametrize("status", [500, 503, 429])
def test_a_server_error_forbids_everything_and_is_asked_again_three_times(site: Site, crawl: Any, status: int) -> None:
    site.robots(status)
    done = crawl()
    assert site.paths() == []
    assert robots_fetches(site) == 3
    assert done.exit_code == 1
    (record,) = done.pages()
    assert (record.outcome, record.reason) == ("refused", f"robots.txt cannot be read: HTTP {status}")


def test_a_time_out_forbids_everything(site: Site, crawl: Any) -> None:
    site.robots(302, Location="/slow/1")
    done = crawl(DOWNLOAD_TIMEOUT=0.2)
    assert [path for path in site.paths() if path != "/slow/1"] == []
    assert done.pages()[0].outcome == "refused"


def test_redirects_of_robots_txt_are_followed_up_to_five(site: Site, crawl: Any) -> None:
    site.robots(302, Location="/redirect/4")  # five hops, to a page that is no robots.txt: forbids nothing
    crawl(pages=3)
    assert next(path for path in site.paths() if path.startswith("/page/")) == "/page/3"


def test_more_than_five_redirects_forbid_nothing(site: Site, crawl: Any) -> None:
    site.robots(302, Location="/loop/a")
    crawl(pages=3)
    assert "/page/0" in site.paths()


def test_only_the_first_500_kib_count(site: Site, crawl: Any) -> None:
    filler = "#" + "x" * 1022 + "\n"
    site.robots(200, filler * (MAX_BYTES // 1024) + "User-agent: *\nDisallow: /\n" + filler * 2000)
    crawl()
    assert len(site.paths()) == 6


def test_a_rule_cut_in_two_at_500_kib_is_no_rule(site: Site, crawl: Any) -> None:
    start, half = "User-agent: *\n", "\nDisallow: /"
    filler = "#" * (MAX_BYTES - len(start) - len(half))
    site.robots(200, f"{start}{filler}{half}no-page/\n" + "#" * 2_000_000)
    crawl()
    assert len(site.paths()) == 6


def test_a_crawl_delay_raises_the_delay_of_the_host(site: Site, crawl: Any) -> None:
    site.robots(200, "User-agent: *\nCrawl-delay: 0.4\n")
    crawl(pages=4)
    at = times(site.log())
    assert len(at) == 4
    gaps = [b - a for a, b in pairwise(at)]
    assert min(gaps) >= 0.38, gaps


def test_a_crawl_delay_never_lowers_it(site: Site, crawl: Any) -> None:
    site.robots(200, "User-agent: *\nCrawl-delay: 0.01\n")
    crawl(pages=4, DOWNLOAD_DELAY=0.4)
    at = times(site.log(pages_only=False))
    gaps = [b - a for a, b in pairwise(at)]
    assert min(gaps) >= 0.38, gaps


def test_the_delay_is_kept_between_all_requests_of_a_host_and_not_wasted(site: Site, crawl: Any) -> None:
    crawl(pages=6, DOWNLOAD_DELAY=0.3)
    at = times(site.log(pages_only=False))
    gaps = [b - a for a, b in pairwise(at)]
    assert len(at) == 7
    assert min(gaps) >= 0.28, gaps
    assert sorted(gaps)[len(gaps) // 2] < 0.45, gaps


def test_robots_txt_can_be_ignored_when_it_is_asked_for(site: Site, crawl: Any) -> None:
    site.robots(200, "User-agent: *\nDisallow: /\n")
    crawl(ROBOTSTXT_OBEY=False)
    assert len(site.paths()) == 6
    assert robots_fetches(site) == 0


def test_sitemaps_are_read_where_it_is_wished(site: Site, crawl: Any) -> None:
    site.robots(200, f"User-agent: *\nAllow: /\nSitemap: {site.url('/sitemap/index.xml')}\n")
    done = crawl(pages=0, FOCUSCRAWL_SITEMAPS=True)
    assert done.exit_code == 0
    asked = [path for path in site.paths() if path.startswith("/sitemap/")]
    # Each once, the index that names itself too; the address that is not public is never asked.
    assert sorted(asked) == [f"/sitemap/{one}" for one in ("bomb.xml.gz", "gone.xml", "index.xml", "pages.xml.gz")]
    assert {f"/page/{number}" for number in range(100, 112)} <= set(site.paths())
    named = [record for record in done.pages() if "/page/1" in record.url and record.parent is not None]
    assert named
    assert not [record for record in done.pages() if "elsewhere.test" in record.url]


def test_a_sitemap_at_no_address_costs_itself_only(site: Site, crawl: Any) -> None:
    site.robots(200, f"User-agent: *\nAllow: /\nSitemap: http://[\nSitemap: {site.url('/sitemap/pages.xml.gz')}\n")
    done = crawl(pages=0, FOCUSCRAWL_SITEMAPS=True)
    assert done.exit_code == 0
    assert "/sitemap/pages.xml.gz" in site.paths()


def test_sitemaps_are_left_alone_by_default(site: Site, crawl: Any) -> None:
    site.robots(200, f"User-agent: *\nAllow: /\nSitemap: {site.url('/sitemap/index.xml')}\n")
    crawl()
    assert not [path for path in site.paths() if path.startswith("/sitemap/")]


def test_a_sitemap_that_robots_txt_forbids_is_not_read(site: Site, crawl: Any) -> None:
    robots = f"User-agent: *\nDisallow: /sitemap/\nSitemap: {site.url('/sitemap/pages.xml.gz')}\n"
    site.robots(200, robots)
    crawl(FOCUSCRAWL_SITEMAPS=True)
    assert not [path for path in site.paths() if path.startswith("/sitemap/")]


@pytest.mark.parametrize(("added", "asked"), [([], 4), ([False], 4), ([True], 3)])
def test_rules_of_another_worker_tell_that_the_proxy_opens_no_tunnel_and_those_of_an_earlier_version_are_read(
    tmp_path: Path, redis_server: RedisServer, added: list[bool], asked: int
) -> None:
    host, reason = "https://lighthouse.invalid", "robots.txt cannot be read: no way"
    rules = json.dumps(["", reason, 4e9, 0, None, *added]).encode()

    async def another_worker() -> None:
        frontier = RedisFrontier(redis_server.url, crawl=str(tmp_path))
        await frontier.open()

        async def read(old: bytes | None) -> bytes:
            return rules

        await frontier.cached(f"robots:{host}", lambda kept: True, read, keep_s=60.0)
        await frontier.close()

    asyncio.run(another_worker())
    done = crawl_here(
        tmp_path / "run",
        topic=str(topic_file(tmp_path, f"{host}/0")),
        seeds=",".join(f"{host}/{number}" for number in range(4)),
        settings={
            "CONCURRENT_REQUESTS": 1,
            "FOCUSCRAWL_FRONTIER_URL": redis_server.url,
            "FOCUSCRAWL_CRAWL": str(tmp_path),
        },
    )
    reasons = [record.reason for record in done.pages()]
    assert reasons == [reason] * asked + ["the proxy made no connection"] * (4 - asked)
