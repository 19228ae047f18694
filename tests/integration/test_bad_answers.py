"""Answers that are no page: counted, settled, and never the end of the crawl."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from crawl_kit import Crawled, crawl_here, topic_file
from site_kit import Site

from focuscrawl.crawler.redirects import FETCHED_BEFORE
from focuscrawl.crawler.summary import summary
from focuscrawl.report.read import read_run
from focuscrawl.storage.crawldb import CrawlDb
from focuscrawl.wording.base import Say


@pytest.fixture
def topic(tmp_path: Path, site: Site) -> str:
    return str(topic_file(tmp_path, site.url("/")))


def crawl_links(site: Site, topic: str, run: Path, *paths: str, first: str = "", **settings: Any) -> Crawled:
    """Crawl the page `first`, if it is given, one page with links to `paths`, and those."""
    links = ",".join(path.strip("/").replace("/", "~") for path in paths)
    text = Path(topic).read_text(encoding="utf-8")
    Path(topic).write_text(text + "\n[scope]\nexclude = ['^http://[^/]+/page/([^3]|3.)']\n", encoding="utf-8")
    seeds = [site.url(path) for path in (first, f"/links/{links}") if path]
    return crawl_here(run, topic=topic, seeds=",".join(seeds), settings=settings)


@pytest.mark.parametrize(
    ("path", "outcome", "reason", "times"),
    [
        ("/status/404", "refused", "HTTP 404", 1),
        ("/status/410", "refused", "HTTP 410", 1),
        ("/status/403", "refused", "HTTP 403", 1),
        ("/status/500", "failed", "HTTP 500", 3),
        ("/status/304", "refused", "HTTP 304", 1),
        ("/redirect/6", "refused", "too many redirects", 1),
        ("/loop/a", "refused", "too many redirects", 3),
        ("/huge/5000000", "refused", "too long", 1),
        ("/declared/99999999", "refused", "too long", 1),
        ("/bomb/20000000", "refused", "too long when decompressed", 1),
        ("/type/image/png", "refused", "content type image/png", 1),
        ("/type/application/pdf", "refused", "content type application/pdf", 1),
    ],
)
def test_an_answer_that_is_no_page_is_settled_with_its_reason(
    site: Site, topic: str, tmp_path: Path, path: str, outcome: str, reason: str, times: int
) -> None:
    done = crawl_links(site, topic, tmp_path / "run", path, "/page/3")
    record = done.page(path)
    assert (record.outcome, record.reason) == (outcome, reason)
    assert site.paths().count(path) == times
    assert done.page("/page/3").outcome == "done"
    counts = done.counts()
    assert (counts["queued"], counts["leased"]) == (0, 0)


def test_a_broken_answer_is_tried_again_and_given_up(site: Site, topic: str, tmp_path: Path) -> None:
    done = crawl_links(site, topic, tmp_path / "run", "/broken/1")
    assert done.page("/broken/1").outcome == "failed"
    assert site.paths().count("/broken/1") == 3


def test_an_answer_that_never_comes_times_out(site: Site, topic: str, tmp_path: Path) -> None:
    done = crawl_links(site, topic, tmp_path / "run", "/slow/1", DOWNLOAD_TIMEOUT=0.3)
    assert (done.page("/slow/1").outcome, done.page("/slow/1").reason) == ("failed", "timed out")


def test_five_redirects_are_followed_and_their_addresses_known(site: Site, topic: str, tmp_path: Path) -> None:
    done = crawl_links(site, topic, tmp_path / "run", "/redirect/5", "/redirect/2")
    assert done.counts()["queued"] == 0
    # Whichever is there first brings the page; the other is followed too, or leads to what was fetched before.
    ends = [done.page(path) for path in ("/redirect/5", "/redirect/2")]
    assert "done" in {record.outcome for record in ends}
    for record in ends:
        assert record.final_url == site.url("/page/3") or record.reason == FETCHED_BEFORE


def test_a_redirect_to_a_page_that_was_fetched_before_is_not_followed(site: Site, topic: str, tmp_path: Path) -> None:
    done = crawl_links(site, topic, tmp_path / "run", "/to/page/3", first="/page/3", CONCURRENT_REQUESTS=1)
    record = done.page("/to/page/3")
    assert (record.outcome, record.reason) == ("refused", FETCHED_BEFORE)
    assert site.paths().count("/page/3") == 1


def test_a_redirect_out_of_scope_is_not_followed(site: Site, topic: str, tmp_path: Path) -> None:
    done = crawl_links(site, topic, tmp_path / "run", "/to/page/4")
    assert done.page("/to/page/4").reason == "redirected out of scope: matches an exclude pattern"
    assert "/page/4" not in site.paths()


def test_a_redirect_to_another_scheme_is_not_followed(site: Site, topic: str, tmp_path: Path) -> None:
    done = crawl_links(site, topic, tmp_path / "run", "/scheme/ftp")
    record = done.pages()[-1]
    assert record.outcome == "refused"


@pytest.mark.parametrize("path", ["/charset/gb18030", "/charset/big5", "/charset/utf-8", "/gzip/1", "/deflate/1"])
def test_encodings_of_pages_and_of_transfer_are_undone(site: Site, topic: str, tmp_path: Path, path: str) -> None:
    record = crawl_links(site, topic, tmp_path / "run", path).page(path)
    assert record.relevant
    assert "ighthouse" in record.text
    if "charset" in path:
        assert ("燈塔" if "big5" in path else "灯塔") in record.title


def test_an_empty_page_is_a_page_without_anything(site: Site, topic: str, tmp_path: Path) -> None:
    record = crawl_links(site, topic, tmp_path / "run", "/empty/1").page("/empty/1")
    assert (record.outcome, record.relevant) == ("done", False)
    assert record.reason


def test_not_now_gives_the_url_back_without_an_attempt(site: Site, topic: str, tmp_path: Path) -> None:
    done = crawl_links(site, topic, tmp_path / "run", "/later/503/4/0")
    assert done.page("/later/503/4/0").outcome == "done"
    assert site.paths().count("/later/503/4/0") == 5


def test_the_summary_counts_tries_and_the_run_has_links(site: Site, topic: str, tmp_path: Path) -> None:
    done = crawl_links(site, topic, tmp_path / "run", "/status/500", "/status/404")
    assert site.paths().count("/status/500") == 3
    assert done.session is not None
    first = summary(done.session.crawl, Say("en"), go_on=("", "")).splitlines()[0]
    assert first.endswith("; 4 tries gave no page")
    with CrawlDb.open_readonly(done.run / "crawl.db") as db:
        assert read_run(db, results=0).no_page == 2


def test_retry_after_leaves_the_host_alone(site: Site, topic: str, tmp_path: Path) -> None:
    crawl_links(site, topic, tmp_path / "run", "/later/429/1/1", "/gzip/1", "/gzip/2", "/page/3", CONCURRENT_REQUESTS=1)
    log = [line for line in site.log() if line["path"] == "/later/429/1/1"]
    assert len(log) == 2
    first, second = (float(str(line["at"])) for line in log)
    assert second - first >= 1.0
    assert len(site.paths()) == 6
    # what was on its way when the answer came cannot be called back
    assert sum(first < float(str(line["at"])) < first + 0.9 for line in site.log()) <= 1


def test_a_host_that_fails_for_a_moment_is_asked_again_soon(site: Site, topic: str, tmp_path: Path) -> None:
    links = [f"/later/503/1/0/{number}" for number in range(16)]  # all of them under way when it fails
    settings = {"CONCURRENT_REQUESTS": 16, "FOCUSCRAWL_HOST_BACKOFF_S": 0.1, "FOCUSCRAWL_PATIENCE_S": 3}
    done = crawl_links(site, topic, tmp_path / "run", *links, **settings)
    assert {done.page(link).outcome for link in links} == {"done"}
    assert done.counts()["queued"] == 0


def test_a_host_that_never_serves_is_given_up(site: Site, topic: str, tmp_path: Path) -> None:
    done = crawl_links(site, topic, tmp_path / "run", "/later/503/99/0")
    assert (done.page("/later/503/99/0").outcome, done.page("/later/503/99/0").reason) == ("refused", "HTTP 503")
    assert site.paths().count("/later/503/99/0") == 6


def test_a_crawl_does_not_wait_for_hosts_that_want_to_be_left_alone_for_long(
    site: Site, topic: str, tmp_path: Path
) -> None:
    done = crawl_links(site, topic, tmp_path / "run", "/later/503/1/1000", "/page/3")
    assert done.counts()["queued"] >= 1
    assert done.exit_code == 0
    assert done.session is not None
    assert done.session.ending is not None
    assert "does not answer or wants to be left alone" in done.session.ending.detail
    last = summary(done.session.crawl, Say("en"), go_on=("focuscrawl crawl --run ", "")).splitlines()[-1]
    assert last == f"Go on with focuscrawl crawl --run {tmp_path / 'run'}"


def test_a_trap_is_left_when_its_budget_is_spent(site: Site, topic: str, tmp_path: Path) -> None:
    done = crawl_links(site, topic, tmp_path / "run", "/trap/1", "/page/3", FOCUSCRAWL_PAGES_PER_PATTERN=10)
    trap = [record for record in done.pages() if "/trap/" in record.url]
    stored = sum(record.is_result for record in trap)
    assert "/page/3" in site.paths()
    assert stored <= 3  # the others say what many addresses say
    # Four budgets at most, for nothing else is left to fetch, and 50 pages for each find before it is known to repeat.
    assert 5 <= len(trap) <= 4 * 10 + 2 * 50


def test_seeds_that_cannot_be_fetched_are_said_and_exit_with_1(site: Site, topic: str, tmp_path: Path) -> None:
    done = crawl_here(tmp_path / "run", topic=topic, seeds=site.url("/status/404"))
    assert done.exit_code == 1
    assert done.session is not None
    assert done.session.ending is not None
    assert done.session.ending.detail == "no seed could be fetched: 1 × HTTP 404"


def test_scrapys_own_retries_keep_the_lease(site: Site, topic: str, tmp_path: Path) -> None:
    done = crawl_links(site, topic, tmp_path / "run", "/later/500/1/0", RETRY_ENABLED=True)
    assert done.page("/later/500/1/0").outcome == "done"
    assert site.paths().count("/later/500/1/0") == 2
