"""The dashboard in a real browser, over the run of a real crawl; and that of a fleet."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

import pytest
from browser_kit import Browser, chromium, running_browser
from crawl_kit import comes_true, crawl_here, crawl_together, topic_file
from redis_kit import RedisServer
from site_kit import Site

from focuscrawl.dashboard.server import Dashboard
from focuscrawl.dashboard.source import find_source
from focuscrawl.dashboard.state import StateReader
from focuscrawl.fleet import folder_channel
from focuscrawl.fleet.commands import BanHost
from focuscrawl.glue.session import CrawlSession

NO_BROWSER = "no Chromium on this machine: the page itself is tested by its HTTP answers only"


@contextmanager
def served(*runs: str, on: str = "") -> Iterator[Dashboard]:
    board = Dashboard(find_source(runs, on), port=0)
    thread = Thread(target=board.serve)
    thread.start()
    try:
        yield board
    finally:
        board.close()
        thread.join()


@pytest.mark.skipif(chromium() is None, reason=NO_BROWSER)
def test_the_page_in_a_browser(site: Site, tmp_path: Path) -> None:
    topic = str(topic_file(tmp_path, site.url("/")))
    run = crawl_here(tmp_path / "run", topic=topic, pages=40).run
    (run / "report.html").write_text("<!doctype html><title>the report</title>")
    with served(str(run)) as board, running_browser(tmp_path / "browser") as browser:
        browser.open(board.own_address)
        browser.until(
            "document.querySelectorAll('.page').length > 3 && document.querySelectorAll('canvas').length === 3"
        )
        assert browser.run("location.hash") == ""  # the token is not left where it can be read over a shoulder
        assert browser.run("document.querySelector('.tiles b').textContent") == "40"
        assert browser.run("document.querySelectorAll('mark').length") > 0
        assert browser.run("document.querySelector('header a[href=\"/report\"]').textContent").endswith("report.html")
        _look(browser)
        _order(browser, run)
        _teach(browser, board)
        browser.open("about:blank")
        browser.open(board.address, width=360, height=700, dark=True)
        browser.until("document.querySelectorAll('.page').length > 3")
        assert browser.run("document.documentElement.scrollWidth") == 360
        # Nothing is cut off: every button is inside, and in no box that scrolls
        inside = "[...document.querySelectorAll('button')].every((one) => one.getBoundingClientRect().right <= 360)"
        assert browser.run(inside)
        whole = "[...document.querySelectorAll('.scroll')].every((one) => one.scrollWidth <= one.clientWidth)"
        assert browser.run(whole)
        browser.run("document.getElementById('tab-hosts').click()")
        browser.until("document.querySelector('svg.hosts text') !== null")
        assert browser.run(whole)
        assert browser.run("document.querySelector('svg.hosts text').getBoundingClientRect().height") > 11
        browser.run("document.getElementById('tab-live').click()")
        browser.until("document.querySelector('.tiles b') !== null")
        assert browser.run("getComputedStyle(document.body).backgroundColor") == "rgb(18, 22, 28)"
        assert browser.errors == []
        asked = {address.split("/")[2] for address in browser.requests if address.startswith("http")}
        assert asked == {f"127.0.0.1:{board.port}"}
        # The dashboard ends with its crawl: the page keeps the numbers, and has no link that leads nowhere
        assert browser.run("document.querySelectorAll('a[href=\"/report\"]').length") == 1
        board.close()
        browser.until("document.querySelector('.banner[role=alert]')?.textContent.includes('final numbers')")
        assert browser.run("document.querySelectorAll('a[href=\"/report\"]').length") == 0
        assert browser.run("document.querySelector('.tiles b').textContent") == "40"


def _look(browser: Browser) -> None:
    """Use what looks, mostly by keyboard."""
    browser.run("document.getElementById('tab-live').focus()")
    browser.press("ArrowRight")
    browser.until("document.querySelector('#words') !== null")
    browser.run("document.querySelector('#words').value = 'lighthouse'")
    browser.run("document.querySelector('#words').focus()")
    browser.press("Enter")
    browser.until("document.querySelectorAll('.page').length > 0")
    browser.run("document.querySelector('.page .acts button').focus()")
    browser.press("Enter")
    browser.until("document.querySelector('dialog[open] svg.links') !== null")
    assert browser.run("document.querySelectorAll('dialog tr.sum').length") == 2
    browser.press("Escape")
    browser.until("document.querySelector('dialog') === null")
    browser.run("document.getElementById('tab-hosts').click()")
    browser.until("document.querySelectorAll('svg.hosts circle.all').length === 1")
    browser.run("document.querySelector('button.quiet').click()")
    browser.until("document.documentElement.lang === 'zh-Hans'")
    browser.until("document.getElementById('tab-live').textContent === '实时'")
    browser.run("document.querySelector('button.quiet').click()")
    browser.until("document.getElementById('tab-live').textContent === 'Live'")


def _order(browser: Browser, run: Path) -> None:
    """Give an order and teach, as a person does."""
    browser.run("document.getElementById('tab-live').click()")
    browser.until("document.querySelector('.columns table button') !== null")
    browser.run("document.querySelector('.columns table button').click()")
    browser.until("document.querySelector('dialog[open] .primary') !== null")
    browser.run("document.querySelector('dialog .primary').click()")
    browser.until("!document.querySelector('.toast').hidden")
    (command,), _ = folder_channel.read(run)
    assert isinstance(command, BanHost)


def _teach(browser: Browser, board: Dashboard) -> None:
    """Answer, lose the tab, and apply what was kept."""
    browser.run("document.getElementById('tab-teach').click()")
    browser.until("document.querySelectorAll('.page button.no').length > 1")
    browser.run("document.querySelectorAll('.page button.yes')[0].click()")
    browser.until("document.querySelector('.badge')?.textContent === '1'")
    browser.run("document.querySelectorAll('.page button.no')[1].click()")
    browser.until("document.querySelector('.badge').textContent === '2'")
    browser.run("document.querySelectorAll('.page button.no')[2].click()")
    browser.until("document.querySelector('.badge').textContent === '3'")
    browser.run("document.querySelector('button.undo').click()")
    browser.until("document.querySelector('.badge').textContent === '2'")
    browser.open("about:blank")
    browser.open(board.own_address)
    browser.until("document.querySelector('.badge')?.textContent === '2'")
    browser.run("document.getElementById('tab-teach').click()")
    browser.until("document.querySelectorAll('#panel .page button[aria-pressed=\"true\"]').length === 2")
    browser.run("document.querySelector('#panel .primary').click()")
    browser.until("document.querySelector('.toast').textContent.includes('judged anew')")


def test_a_fleet_is_shown_with_the_folders_of_its_workers(
    site: Site, tmp_path: Path, redis_server: RedisServer
) -> None:
    topic_file(tmp_path, site.url("/page/0"))
    site.page_delay(0.5)  # until both workers have begun, which one may do much later
    states = []

    def look() -> None:
        source = find_source([], redis_server.url, str(tmp_path))
        states.append((StateReader(source).read(), sorted(source.references)))
        site.page_delay(0.0)

    async def steer(sessions: Sequence[CrawlSession]) -> None:
        await comes_true(lambda: all(one.is_open and one.crawl.step.counters.pages for one in sessions))
        await asyncio.to_thread(look)

    crawl_together(tmp_path, redis_server, steer=steer, pages=60, settings={"CONCURRENT_REQUESTS": 1})
    ((state, references),) = states
    assert references == [str(tmp_path / "run0"), str(tmp_path / "run1")]
    assert state["run"]["fleet"] == str(tmp_path)
    assert state["run"]["state"] == "running"
    assert state["steer"]["can"]
    assert len(state["workers"]) == 2
    assert state["numbers"]["read"] > 0
    # Afterwards nobody says where the folders are; they can be named.
    state = StateReader(
        find_source([str(tmp_path / "run0"), str(tmp_path / "run1")], redis_server.url, str(tmp_path))
    ).read()
    assert state["numbers"]["pages"] == state["numbers"]["read"] == state["numbers"]["goal"] == 60
    assert json.dumps(state)
    # Without them Redis has the numbers, and nobody the limit.
    alone = StateReader(find_source([], redis_server.url, str(tmp_path))).read()["numbers"]
    assert alone["stored"] == state["numbers"]["stored"] > 0
    assert (alone["read"], alone["goal"]) == (0, 0)


def test_links_that_a_fleet_drops_without_a_request_are_no_fetches(
    site: Site, tmp_path: Path, redis_server: RedisServer
) -> None:
    topic_file(tmp_path, site.url("/page/0"))
    site.page_delay(0.5)

    def ban() -> None:
        place = find_source([], redis_server.url, str(tmp_path)).place
        assert place is not None
        place.ask(lambda channel: channel.give(BanHost(host="127.0.0.1")))
        site.page_delay(0.0)

    async def steer(sessions: Sequence[CrawlSession]) -> None:
        await comes_true(lambda: all(one.is_open and one.crawl.step.counters.pages for one in sessions))
        await asyncio.to_thread(ban)

    crawl_together(tmp_path, redis_server, steer=steer, pages=60, settings={"CONCURRENT_REQUESTS": 1})
    folders = [str(tmp_path / "run0"), str(tmp_path / "run1")]
    numbers = StateReader(find_source(folders, redis_server.url, str(tmp_path))).read()["numbers"]
    assert numbers["pages"] > 0
    assert numbers["failed"] == 0, "links of a banned host"
