"""What the workers of a fleet know together: the harvest of all, and the texts each has stored."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from crawl_kit import Crawled, comes_true, crawl_together, topic_file
from redis_kit import RedisServer
from site_kit import Site

from focuscrawl.crawler.control import CrawlControl
from focuscrawl.crawler.endings import Ending
from focuscrawl.frontier.redis import RedisFrontier
from focuscrawl.glue.session import CrawlSession, session_of


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers report ten times a second."""
    monkeypatch.setitem(CrawlControl.__init__.__kwdefaults__, "every_s", 0.1)


def test_all_workers_end_when_too_few_pages_of_all_are_relevant(
    site: Site, tmp_path: Path, redis_server: RedisServer, capfd: pytest.CaptureFixture[str]
) -> None:
    # Endless calendars; their links say "lighthouse", which is not enough for this threshold.
    topic = topic_file(tmp_path, '", "'.join(site.url(f"/trap/{number}000") for number in range(20)))
    topic.write_text(topic.read_text().replace("threshold = 0.15", "threshold = 0.9"))
    crawlers = crawl_together(
        tmp_path, redis_server, pages=0, settings={"FOCUSCRAWL_MIN_HARVEST": 0.3, "CONCURRENT_REQUESTS": 1}
    )
    endings = [session_of(one).ending for one in crawlers]
    assert [(one.reason, one.detail, one.exit_code) for one in endings if one is not None] == [
        ("harvest too low", "0% of the last 100 pages, below 30%", 0)
    ] * 2
    pages = [session_of(one).crawl.step.counters.pages for one in crawlers]
    assert sum(pages) >= 100
    assert min(pages) >= 1
    assert max(pages) < 100  # neither could have told from its own pages
    out, err = capfd.readouterr()
    assert len(re.findall(r"^Stopped .*: 0% of the last 100 pages, below 30%$", out + err, re.MULTILINE)) == 2


async def fetched_by_both(sessions: Sequence[CrawlSession]) -> None:
    """Let one worker fetch a text, and the other one the same text at another address."""
    await comes_true(lambda: any(one.is_open and one.crawl.step.counters.pages for one in sessions))
    first, second = sorted(sessions, key=lambda one: -one.crawl.step.counters.pages if one.is_open else 1)
    first.crawl.orders.pause(True)
    learning = second.crawl.learning
    assert learning is not None
    await comes_true(lambda: learning.events == 1)
    second.crawl.orders.add_seeds([second.crawl.plan.seeds[0].replace("/gzip/1", "/gzip/2")])


def test_a_text_is_stored_once_whoever_fetches_it(site: Site, tmp_path: Path, redis_server: RedisServer) -> None:
    topic = topic_file(tmp_path, site.url("/gzip/1"))  # what is below /gzip has the same text
    topic.write_text(topic.read_text() + '[scope]\ninclude = ["/gzip/"]\n')
    crawlers = crawl_together(
        tmp_path, redis_server, pages=2, steer=fetched_by_both, settings={"MAX_IDLE_TIME_BEFORE_CLOSE": 30}
    )
    assert sorted(site.paths()) == ["/gzip/1", "/gzip/2"]
    assert [session_of(one).crawl.step.counters.pages for one in crawlers] == [1, 1]
    (first, second) = sorted(
        (page for n in range(2) for page in Crawled(tmp_path / f"run{n}").pages()), key=lambda page: page.url
    )
    assert (first.relevant, first.duplicate_of) == (True, None)
    assert (second.relevant, second.duplicate_of) == (True, first.key)
    stored = [path.read_text(encoding="utf-8") for path in tmp_path.glob("run*/pages-*.jsonl")]
    assert sum(text.count("\n") for text in stored) == 1


def test_a_worker_that_others_took_for_dead_counts_the_pages_it_has(
    site: Site, tmp_path: Path, redis_server: RedisServer, capfd: pytest.CaptureFixture[str]
) -> None:
    async def taken_for_dead(sessions: Sequence[CrawlSession]) -> None:
        [one] = sessions
        await comes_true(lambda: one.is_open and one.crawl.loop.in_flight >= 4)
        assert one.crawl.fleet is not None
        other = RedisFrontier(redis_server.url, crawl=str(tmp_path))
        await other.open()
        assert (await other.recover(one.crawl.fleet.worker, None)).returned
        await other.close()

    topic_file(tmp_path, site.url("/page/0"))
    site.page_delay(0.2)
    [crawler] = crawl_together(tmp_path, redis_server, workers=1, steer=taken_for_dead, pages=30)
    done = Crawled(tmp_path / "run0")
    pages = [record for record in done.pages() if record.outcome == "done"]
    assert session_of(crawler).crawl.loop.overtaken
    assert session_of(crawler).crawl.step.counters.pages == len(pages)
    assert f"{len(pages)} pages of 1 host" in "".join(capfd.readouterr())


def test_a_worker_that_comes_later_knows_what_was_stored_before(
    site: Site, tmp_path: Path, redis_server: RedisServer
) -> None:
    topic_file(tmp_path, site.url("/gzip/1"))
    crawl_together(tmp_path, redis_server, workers=1, pages=1)
    (first,) = Crawled(tmp_path / "run0").pages()
    (tmp_path / "later").mkdir()
    topic_file(tmp_path / "later", site.url("/gzip/2"))
    settings = {"FOCUSCRAWL_CRAWL": str(tmp_path)}
    (crawler,) = crawl_together(tmp_path / "later", redis_server, workers=1, pages=2, settings=settings)
    (second,) = Crawled(tmp_path / "later" / "run0").pages()
    assert second.url.endswith("/gzip/2")
    assert second.duplicate_of == first.key
    control = session_of(crawler).control
    assert control is not None
    assert control.learning is not None
    assert control.learning.events == 1
    # Started again in its folder, it hears of the other one's page, and knows its own by itself.
    (crawler,) = crawl_together(tmp_path / "later", redis_server, workers=1, pages=3, settings=settings)
    control = session_of(crawler).control
    assert control is not None
    assert control.learning is not None
    assert control.learning.events == 1


def test_a_worker_that_comes_after_a_limit_was_reached_fetches_nothing_and_says_why(
    site: Site, tmp_path: Path, redis_server: RedisServer
) -> None:
    topic_file(tmp_path, site.url("/page/0"))
    crawl_together(tmp_path, redis_server, workers=1, relevant=3)
    fetched = site.paths()
    (tmp_path / "later").mkdir()
    topic_file(tmp_path / "later", site.url("/page/0"))
    settings = {"FOCUSCRAWL_CRAWL": str(tmp_path)}
    (crawler,) = crawl_together(tmp_path / "later", redis_server, workers=1, relevant=3, settings=settings)
    assert session_of(crawler).ending == Ending("budget", "3 relevant pages stored", 0)
    assert [path for path in site.paths()[len(fetched) :] if path.startswith("/page/")] == []
