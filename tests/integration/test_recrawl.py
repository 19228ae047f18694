"""Visiting the pages of a run again, over a site of our own on loopback that changes in between."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from changing_site import TOPIC, ChangingSite, changing_site, story
from crawl_kit import FAST, Crawled, crawl_here, until
from redis_kit import RedisServer

from focuscrawl.errors import ConfigError, FocusCrawlError
from focuscrawl.fleet.commands import Stop
from focuscrawl.fleet.folder_channel import give
from focuscrawl.records import PageRecord
from focuscrawl.spiders.recrawl import RecrawlSpider
from focuscrawl.storage.crawldb import CrawlDb
from focuscrawl.storage.visits import all_versions, read_visits
from focuscrawl.visits import Saw, Visit

Site = tuple[ChangingSite, str]


@pytest.fixture
def site() -> Iterator[Site]:
    with changing_site() as served:
        yield served


class QuickSpider(RecrawlSpider):
    """Has settings of its own, in the place of those of the spider it is one of."""

    name = "quick"
    custom_settings = {"DOWNLOAD_DELAY": 0}  # noqa: RUF012 - Scrapy's own declaration


def first_crawl(folder: Path, site: Site) -> Crawled:
    topic = folder / "herbs.toml"
    topic.write_text(TOPIC.format(seed=site[1] + "/"), encoding="utf-8")
    crawled = crawl_here(folder / "run", topic=str(topic), pages=50)
    site[0].asked.clear()
    return crawled


def recrawl(crawled: Crawled, **arguments: Any) -> Crawled:
    return crawl_here(crawled.run, spider="recrawl", **{"pages": 50, **arguments})


def visits(crawled: Crawled) -> list[Visit]:
    with CrawlDb.open_readonly(crawled.run / "crawl.db") as db:
        return list(read_visits(db))


def last_seen(crawled: Crawled) -> dict[str, Saw]:
    keys = {record.key: record.url.rpartition(":")[2].partition("/")[2] for record in crawled.pages()}
    return {keys[visit.key]: visit.saw for visit in visits(crawled) if visit.saw is not Saw.FIRST}


def event(crawled: Crawled) -> dict[str, Any]:
    with CrawlDb.open_readonly(crawled.run / "crawl.db") as db:
        return dict(list(db.events("recrawl"))[-1].data)


def by_path(records: list[PageRecord]) -> dict[str, PageRecord]:
    return {"/" + record.url.split("/", 3)[3]: record for record in records}


def test_changed_unchanged_moved_and_gone_pages_are_told(tmp_path: Path, site: Site) -> None:
    crawled = first_crawl(tmp_path, site)
    before = by_path(crawled.pages())
    assert len(before) == 7
    shown = site[0]
    shown.editions["/bed/1"] = 3
    shown.editions["/new/2"] = 5
    shown.moved["/bed/2"] = "/new/2"
    shown.gone.add("/bed/3")
    shown.broken.add("/bed/4")
    recrawl(crawled)
    assert last_seen(crawled) == {
        "": Saw.UNCHANGED,
        "bed/0": Saw.UNCHANGED,
        "bed/1": Saw.CHANGED,
        "bed/2": Saw.MOVED,
        "bed/3": Saw.GONE,
        "bed/4": Saw.FAILED,
        "bed/5": Saw.UNCHANGED,
    }
    after = by_path(crawled.pages())
    assert len(after) == 7
    assert story(1, 3) in after["/bed/1"].text
    assert after["/bed/2"].final_url.endswith("/new/2")
    assert after["/bed/0"].text == before["/bed/0"].text
    assert after["/bed/0"].fetched_at == before["/bed/0"].fetched_at
    assert after["/bed/0"].visited_at > before["/bed/0"].fetched_at
    assert (after["/bed/0"].revisit, after["/bed/1"].revisit, after["/bed/3"].revisit) == (
        "unchanged",
        "changed",
        "gone",
    )
    assert story(3) in after["/bed/3"].text  # what was collected is not lost
    assert after["/bed/4"] == before["/bed/4"]
    assert after["/bed/1"].score == before["/bed/1"].score
    lines = {line["key"]: line for line in crawled.jsonl()}
    assert len(lines) == len(crawled.jsonl()) == 7
    assert sum(story(1, 3) in line["text"] for line in lines.values()) == 1
    assert not (crawled.run / "pages.jsonl.old").exists()
    told = event(crawled)
    assert (told["changed"], told["unchanged"], told["moved"], told["gone"], told["failed"]) == (1, 3, 1, 1, 1)
    assert 0.0 < told["freshness"] <= 1.0
    assert told["pages"] == 6


def test_requests_are_conditional_and_an_unchanged_page_costs_no_body(tmp_path: Path, site: Site) -> None:
    crawled = first_crawl(tmp_path, site)
    recrawl(crawled)
    asked = {one.path: one.etag for one in site[0].asked if one.path != "/robots.txt"}
    assert len(asked) == 7
    assert all(etag.startswith('"') for etag in asked.values())
    assert Counter(v.status for v in visits(crawled) if v.saw is Saw.UNCHANGED) == {304: 7}
    recrawl(crawled)  # the validators are still known
    assert Counter(v.status for v in visits(crawled) if v.saw is Saw.UNCHANGED) == {304: 14}


def test_a_subclass_with_settings_of_its_own_has_its_pages_not_modified(tmp_path: Path, site: Site) -> None:
    crawled = first_crawl(tmp_path, site)
    crawl_here(crawled.run, spider=QuickSpider, settings={}, run=str(crawled.run), pages=50)
    assert Counter(v.status for v in visits(crawled) if v.saw is Saw.UNCHANGED) == {304: 7}
    assert not [v for v in visits(crawled) if v.saw is Saw.FAILED]


def test_after_some_answers_not_modified_the_page_itself_is_asked_for(tmp_path: Path, site: Site) -> None:
    crawled = first_crawl(tmp_path, site)
    site[0].always = True  # answers 304 whatever there is
    site[0].editions["/bed/1"] = 4
    for _ in range(4):
        recrawl(crawled)
    assert last_seen(crawled)["bed/1"] is Saw.UNCHANGED
    recrawl(crawled)
    assert last_seen(crawled)["bed/1"] is Saw.CHANGED
    assert last_seen(crawled)["bed/2"] is Saw.UNCHANGED


def test_a_server_with_one_etag_for_all_pages_is_noticed(tmp_path: Path, site: Site) -> None:
    site[0].etag = '"same"'
    crawled = first_crawl(tmp_path, site)
    site[0].editions["/bed/1"] = 4
    recrawl(crawled)
    assert {one.etag for one in site[0].asked} == {""}
    assert last_seen(crawled)["bed/1"] is Saw.CHANGED
    assert last_seen(crawled)["bed/2"] is Saw.UNCHANGED


def test_a_server_that_ignores_conditions_and_counts_visitors_has_unchanged_pages(tmp_path: Path, site: Site) -> None:
    site[0].obeys, site[0].counters = False, True
    crawled = first_crawl(tmp_path, site)
    site[0].editions["/bed/5"] = 2
    recrawl(crawled)
    seen = last_seen(crawled)
    assert seen.pop("bed/5") is Saw.CHANGED
    assert set(seen.values()) == {Saw.UNCHANGED}
    assert {v.status for v in visits(crawled)} == {200}


def test_new_links_of_a_changed_page_wait_in_the_frontier_or_are_followed(tmp_path: Path, site: Site) -> None:
    crawled = first_crawl(tmp_path, site)
    site[0].editions["/bed/1"] = 3
    site[0].more["/bed/1"] = "<p><a href=/new/7>sage in the garden</a> <a href=/new/8>thyme of the garden</a></p>"
    recrawl(crawled)
    assert crawled.counts()["queued"] == 2
    assert event(crawled)["new_links"] == 2
    assert not [path for path in site[0].paths() if path.startswith("/new")]
    recrawl(crawled, pages=4, new=0.5)
    assert sorted(path for path in site[0].paths() if path.startswith("/new")) == ["/new/7", "/new/8"]
    assert crawled.counts()["queued"] == 0
    assert len(crawled.pages()) == 9


def test_only_so_many_pages_are_visited_and_the_others_next_time(tmp_path: Path, site: Site) -> None:
    crawled = first_crawl(tmp_path, site)
    recrawl(crawled, pages=3, allocation="uniform")
    first = site[0].paths()
    site[0].asked.clear()
    recrawl(crawled, pages=4, allocation="uniform")
    second = site[0].paths()
    assert (len(first), len(second)) == (3, 4)
    assert not set(first) & set(second)
    assert crawled.counts()["done"] == 7


def test_a_round_that_has_nothing_to_visit_says_so(tmp_path: Path, site: Site) -> None:
    crawled = first_crawl(tmp_path, site)
    site[0].gone.update(by_path(crawled.pages()))
    for reason, detail in (("budget", "7 visits"), ("exhausted", "no page of this run can be visited again")):
        ending = recrawl(crawled).session.ending
        assert (ending.reason, ending.detail, ending.exit_code) == (reason, detail, 0)


def test_earlier_versions_are_kept_on_request(tmp_path: Path, site: Site) -> None:
    crawled = first_crawl(tmp_path, site)
    before = crawled.page("/bed/1")
    site[0].editions["/bed/1"] = 3
    recrawl(crawled, versions=1)
    site[0].editions["/bed/1"] = 4
    recrawl(crawled)
    with CrawlDb.open_readonly(crawled.run / "crawl.db") as db:
        versions = list(all_versions(db))
    assert [one["url"] for one in versions] == [before.url]
    assert [one["text"] for one in versions] == [before.text]
    assert versions[0]["fetched_at"] == before.fetched_at


def test_a_round_that_was_cut_off_goes_on(tmp_path: Path, site: Site) -> None:
    crawled = first_crawl(tmp_path, site)
    # As a process leaves it that was killed after it queued its visits: two pages wait.
    recrawl(crawled, pages=7)
    with closing(sqlite3.connect(crawled.run / "crawl.db")) as db, db:
        db.execute(
            "UPDATE entries SET state = 0, score = 1000001.0,"
            ' data = \'{"earlier": {"score": 0.5, "final_url": "x", "body": ""}}\' WHERE seq IN (2, 3)'
        )
        db.execute(
            "UPDATE settings SET value = json_set(value, '$.queued', 2, '$.done', 5) WHERE name LIKE '%counters%'"
        )
    site[0].asked.clear()
    recrawl(crawled, pages=4)
    assert len(site[0].paths()) == 4
    assert len(set(site[0].paths())) == 4
    counts = crawled.counts()
    assert (counts["queued"], counts["done"]) == (0, 7)
    with closing(sqlite3.connect(crawled.run / "crawl.db")) as db, db:
        assert db.execute("SELECT max(score), sum(data LIKE '%earlier%') FROM entries").fetchone()[1] == 0


def test_a_round_that_is_stopped_names_the_command_that_goes_on(
    tmp_path: Path, site: Site, capsys: pytest.CaptureFixture[str]
) -> None:
    crawled = first_crawl(tmp_path, site)
    site[0].asked.clear()
    capsys.readouterr()

    def stop() -> None:
        until(lambda: site[0].paths())
        give(crawled.run, Stop())

    stopping = Thread(target=stop)
    stopping.start()
    slow = {"DOWNLOAD_DELAY": "2", "DOWNLOAD_DELAY_JITTER": 0}
    crawl_here(crawled.run, spider="recrawl", settings=slow, pages=6, new=0.5, off_topic=1)
    stopping.join()
    told = f"Go on with focuscrawl recrawl --pages 6 --new 0.5 --all {crawled.run} -s DOWNLOAD_DELAY=2\n"
    assert told in capsys.readouterr().err


def test_a_clock_that_went_back_is_told_and_does_no_harm(
    tmp_path: Path, site: Site, caplog: pytest.LogCaptureFixture
) -> None:
    crawled = first_crawl(tmp_path, site)
    with closing(sqlite3.connect(crawled.run / "crawl.db")) as db, db:
        db.execute("UPDATE visits SET at = at + 1e6")
        db.execute("UPDATE pages SET fetched_at = fetched_at + 1e6")
    recrawl(crawled)
    assert "7 pages were visited later than it is now: the clock has gone back" in caplog.text
    assert set(last_seen(crawled).values()) == {Saw.UNCHANGED}
    recrawl(crawled)
    assert 0.0 <= event(crawled)["freshness"] <= 1.0


def test_a_run_of_an_earlier_version_has_no_visits_and_is_visited(tmp_path: Path, site: Site) -> None:
    crawled = first_crawl(tmp_path, site)
    with closing(sqlite3.connect(crawled.run / "crawl.db")) as db, db:
        db.execute("DROP TABLE visits")
        db.execute("DROP TABLE versions")
    assert visits(crawled) == []
    site[0].editions["/bed/1"] = 3
    recrawl(crawled)
    assert last_seen(crawled)["bed/1"] is Saw.CHANGED
    told = {one.saw for one in visits(crawled)}
    assert Saw.FIRST not in told  # all that is known of the pages is their stored text
    assert Saw.UNCHANGED in told


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"pages": "0"}, "pages = 0: expected a whole number, 1 or more"),
        ({"allocation": "optimum"}, "allocation=optimum: expected one of uniform, proportional, optimal"),
        ({"order": "fix"}, "order=fix: expected one of fixed, random, purely-random"),
        ({"new": "1"}, "new=1: expected the share of new links"),
        ({"period": "-3"}, "period=-3: expected seconds"),
        ({"versions": "maybe"}, "versions=maybe: expected 1 or 0"),
        ({"seeds": "x"}, "seeds=x: there is no such argument"),
    ],
)
def test_wrong_arguments_are_told_in_a_sentence(tmp_path: Path, arguments: dict[str, str], words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        crawl_here(tmp_path / "run", spider="recrawl", **arguments)


def test_a_run_that_is_not_there_damaged_newer_or_in_use(tmp_path: Path, site: Site) -> None:
    with pytest.raises(FocusCrawlError, match="there is no such run folder"):
        crawl_here(tmp_path / "none", spider="recrawl")
    crawled = first_crawl(tmp_path, site)
    held = CrawlDb.open(crawled.run / "crawl.db")
    try:
        with pytest.raises(FocusCrawlError, match="is crawling in this run folder"):
            recrawl(crawled)
    finally:
        held.close()
    with closing(sqlite3.connect(crawled.run / "crawl.db")) as db, db:
        db.execute("UPDATE settings SET value = '99' WHERE name = 'schema_version'")
    with pytest.raises(FocusCrawlError, match="version 99"):
        recrawl(crawled)
    (crawled.run / "crawl.db").write_bytes(b"no database at all" * 100)
    with pytest.raises(FocusCrawlError, match="not an SQLite database"):
        recrawl(crawled)
    assert site[0].asked == []


def test_the_command_repeats_rounds_and_reports_them(tmp_path: Path, site: Site) -> None:
    crawled = first_crawl(tmp_path, site)
    site[0].editions["/bed/1"] = 3
    settings = [f"-s{name}={value}" for name, value in FAST.items() if name != "FOCUSCRAWL_REPORT"]
    command = [sys.executable, "-m", "focuscrawl", "recrawl", str(crawled.run), "--pages", "4", "--every", "0.1"]
    command += ["--rounds", "2", "--lang", "en", "-sFOCUSCRAWL_ALLOW_PRIVATE=1", *settings]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("Visited    4 pages:") == 2
    assert "of 7 pages are expected to be up to date" in done.stderr
    assert "Next round in 0 s." in done.stderr
    assert done.stderr.count("4 visits") == 2
    assert len(site[0].paths()) == 8
    report = (crawled.run / "report.html").read_text(encoding="utf-8")
    assert "Coming back" in report
    assert report.count('<td class="n">4</td>') >= 2


def _hours_later(crawled: Crawled, hours: float) -> None:
    """Let the visits of a run lie so many hours back."""
    with closing(sqlite3.connect(crawled.run / "crawl.db")) as db, db:
        db.execute("UPDATE visits SET at = at - ?", (hours * 3600.0,))
        db.execute("UPDATE pages SET fetched_at = fetched_at - ?", (hours * 3600.0,))


def test_feeds_are_watched_while_a_crawl_goes_on(tmp_path: Path, site: Site) -> None:
    site[0].posts = 2
    crawled = first_crawl(tmp_path, site)
    assert {"/new/30", "/new/31", "/feed.xml"} <= set(by_path(crawled.pages()))
    pages = len(crawled.pages())
    _hours_later(crawled, 0.5)
    crawl_here(crawled.run, pages=100)
    assert site[0].paths() == []  # not due
    _hours_later(crawled, 1.0)
    crawl_here(crawled.run, pages=100)
    (asked,) = [one for one in site[0].asked if one.path == "/feed.xml"]
    assert asked.etag.startswith('"')
    assert last_seen(crawled) == {"feed.xml": Saw.UNCHANGED}
    assert len(crawled.pages()) == pages
    site[0].posts = 4
    _hours_later(crawled, 2.0)
    crawl_here(crawled.run, pages=100)
    assert last_seen(crawled)["feed.xml"] is Saw.CHANGED
    assert {"/new/32", "/new/33"} <= set(by_path(crawled.pages()))
    assert len(crawled.pages()) == pages + 2
    assert by_path(crawled.pages())["/feed.xml"].reason == "a feed of 4 entries"


def test_feeds_that_are_due_are_asked_in_a_round_of_visits(tmp_path: Path, site: Site) -> None:
    site[0].posts = 2
    crawled = first_crawl(tmp_path, site)
    site[0].posts = 3
    _hours_later(crawled, 2.0)
    recrawl(crawled, pages=2)
    assert "/feed.xml" in site[0].paths()
    assert len(site[0].paths()) == 3
    assert crawled.counts()["queued"] == 1  # the new entry waits
    site[0].asked.clear()
    site[0].posts = 5
    _hours_later(crawled, 9.0)
    crawl_here(crawled.run, pages=100, settings={"FOCUSCRAWL_WATCH_FEEDS": False})
    assert "/feed.xml" not in site[0].paths()


@pytest.mark.parametrize("frontier", ["memory", "redis"])
def test_another_frontier_is_refused_before_anything_is_asked(
    tmp_path: Path, site: Site, redis_server: RedisServer, frontier: str
) -> None:
    crawled = first_crawl(tmp_path, site)
    before = visits(crawled)
    settings = {"FOCUSCRAWL_FRONTIER": "memory"}
    if frontier == "redis":
        settings = {"FOCUSCRAWL_FRONTIER_URL": redis_server.url, "FOCUSCRAWL_CRAWL": str(tmp_path)}
    with pytest.raises(
        ConfigError, match=f'of one process are visited again with the frontier "sqlite", not "{frontier}"'
    ):
        crawl_here(crawled.run, spider="recrawl", pages=50, settings=settings)
    assert site[0].asked == []
    assert visits(crawled) == before
    recrawl(crawled)  # the run was left closed and whole
    assert set(last_seen(crawled).values()) == {Saw.UNCHANGED}
