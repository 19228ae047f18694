"""Several workers over one Redis, as a user starts them."""

from __future__ import annotations

from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

import redis
from crawl_kit import Crawled, crawl_together, start_command, topic_file
from forked_commands import Forked
from redis_kit import RedisServer
from site_kit import PAGES, Site

from focuscrawl.glue.session import session_of


def start(folder: Path, name: str, server: RedisServer, *args: str, **settings: Any) -> Forked:
    given = {"FOCUSCRAWL_FRONTIER_URL": server.url, "FOCUSCRAWL_CRAWL": str(folder), **settings}
    return start_command(folder / name, "-a", f"topic={folder / 'lighthouses.toml'}", *args, settings=given)


def finished(process: Forked, run: Path) -> Crawled:
    out, err = process.communicate(timeout=100)
    return Crawled(run, process.wait(), out=out.decode(), err=err.decode())


def two_workers(folder: Path, server: RedisServer, *args: str, **settings: Any) -> list[Crawled]:
    workers = {name: start(folder, name, server, *args, **settings) for name in ("one", "two")}
    return [finished(process, folder / name) for name, process in workers.items()]


def test_two_workers_fetch_every_page_once_and_end_together(
    site: Site, tmp_path: Path, redis_server: RedisServer
) -> None:
    topic_file(tmp_path, site.url("/page/0"))
    site.page_delay(0.03)  # long enough for both to take part
    done = two_workers(tmp_path, redis_server, "-a", "pages=0")
    assert [one.exit_code for one in done] == [0, 0], [one.err for one in done]
    assert Counter(site.paths()) == Counter({f"/page/{n}": 1 for n in range(PAGES)})
    pages = [{record.url for record in one.pages()} for one in done]
    assert not pages[0] & pages[1]
    assert sum(map(len, pages)) == PAGES
    assert all("no links are left" in one.err + one.out for one in done), [one.err for one in done]
    robots = [line for line in site.log(pages_only=False) if line["path"] == "/robots.txt"]
    assert len(robots) == 1


def test_a_worker_whose_queue_is_lost_fetches_its_pages_again(
    site: Site, tmp_path: Path, redis_server: RedisServer
) -> None:
    topic_file(tmp_path, site.url("/page/0"))
    before = finished(start(tmp_path, "one", redis_server, "-a", "pages=12"), tmp_path / "one")
    assert before.exit_code == 0, before.err
    with closing(redis.Redis.from_url(redis_server.url)) as client:
        client.delete(*client.scan_iter(match=f"{{fc:{tmp_path}}}:*"))
    after = finished(start(tmp_path, "one", redis_server, "-a", "pages=0"), tmp_path / "one")
    assert after.exit_code == 0, after.err
    # Links to the twelve pages lead on to the others.
    assert {record.url for record in after.pages()} == {site.url(f"/page/{n}") for n in range(PAGES)}
    assert len(site.paths()) == 12 + PAGES
    assert "the queue of this run is lost" in after.err


def test_budget_and_delay_are_those_of_all_workers(site: Site, tmp_path: Path, redis_server: RedisServer) -> None:
    topic_file(tmp_path, site.url("/page/0"))
    # Pages that take longer than the delay fill a worker that holds two at most: the rest is left to the other one.
    site.page_delay(0.5)
    settings = {"DOWNLOAD_DELAY": 0.1, "CONCURRENT_REQUESTS": 1, "FOCUSCRAWL_FRONTIER_BUFFER": 1}
    crawlers = crawl_together(tmp_path, redis_server, settings=settings, pages=12)
    endings = [session_of(one).ending for one in crawlers]
    assert all(session_of(one).crawl.step.counters.pages for one in crawlers)
    assert [(one.reason, one.detail) for one in endings if one is not None] == [("budget", "12 pages")] * 2
    assert len(site.paths()) == 12
    at = sorted(line["at"] for line in site.log(pages_only=False))
    # Requests leave 0.1 s apart by the server's clock; how long they are on their way is the machine's matter.
    assert at[-1] - at[0] >= 0.1 * (len(at) - 2)
