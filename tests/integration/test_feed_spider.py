"""The feed spider over a site of our own on loopback."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise
from pathlib import Path

import pytest
from changing_site import PLANTS, herbs_topic
from crawl_kit import Crawled, crawl_here

from focuscrawl.crawler import feed_reader
from focuscrawl.crawler.crawl import Crawl
from focuscrawl.crawler.endings import STOPPED, Ending
from focuscrawl.errors import ConfigError
from focuscrawl.feeds.entries import ParsedFeed, parse_feed

TOPIC = herbs_topic("thyme", "sage")


def story(n: int) -> str:
    plant = PLANTS[n % len(PLANTS)]
    return (
        f"In bed {n} the {plant} stands in poor dry soil, for rich ground makes its scent weak and its stems long."
        f" Cut {plant} before noon, tie small bunches of {n + 2} stems, and hang them where no sun comes in."
    )


class Garden:
    """What the site shows, and what it was asked."""

    def __init__(self) -> None:
        self.posts = 6
        self.feed_status = 200
        self.asked: list[tuple[float, str]] = []

    def paths(self) -> list[str]:
        return [path for _, path in self.asked if path != "/robots.txt"]

    def answer(self, path: str) -> tuple[int, str, str]:
        if path == "/feed.xml":
            items = "".join(
                f"<item><title>Bed {n}: {PLANTS[n % 10]}</title><link>/post/{n}</link>"
                f"<description>{story(n)}</description><pubDate>Mon, {n + 1:02d} Jan 2024 10:00:00 GMT</pubDate></item>"
                for n in range(self.posts)
            )
            return self.feed_status, "application/rss+xml", f"<rss><channel><title>Herbs</title>{items}</channel></rss>"
        if path == "/":
            head = '<link rel="alternate" type="application/rss+xml" href="/feed.xml">'
            return (
                200,
                "text/html",
                f"<html><head>{head}</head><body><a href=/post/0>first</a> <a href=/x>x</a></body></html>",
            )
        if path.startswith("/post/"):
            n = int(path.rpartition("/")[2])
            bar = "<div class=bar><a href=/>home</a> <a href=/other>all the beds of the garden</a></div>"
            body = (
                f"<h1>Bed {n}: {PLANTS[n % 10]}</h1><div class=entry><p>{story(n)}</p></div><div>Seen {n} times</div>"
            )
            return 200, "text/html", f"<html><body>{bar}<div class=page>{body}</div></body></html>"
        return 404, "text/html", "<p>no</p>"


@pytest.fixture
def garden() -> Iterator[tuple[Garden, str]]:
    shown = Garden()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            shown.asked.append((time.monotonic(), self.path))
            status, kind, text = shown.answer(self.path)
            body = text.encode()
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args: object) -> None:
            """Write nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield shown, f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join(timeout=5)


def posts(done: Crawled) -> dict[int, str]:
    """Return the extractor of each post's row."""
    return {int(r.url.rpartition("/")[2]): r.extractor for r in done.pages() if "/post/" in r.url}


ONE = {"CONCURRENT_REQUESTS": 1}


def test_the_pages_of_a_feed_are_crawled_and_its_template_is_kept(garden: tuple[Garden, str], tmp_path: Path) -> None:
    shown, base = garden
    done = crawl_here(tmp_path / "run", spider="feed", feed=f"{base}/feed.xml", settings=ONE)
    assert done.session is not None
    results = [record.own_terms for record in done.pages() if record.relevant]
    assert (len(results), set(results)) == (6, {None}), "nobody named words that they could lack"
    assert not done.session.crawl.step.counters.progress().words.wordless
    assert done.exit_code == 0
    assert sorted(shown.paths()) == sorted(["/feed.xml", *(f"/post/{n}" for n in range(6))])
    assert shown.paths()[:3] == ["/feed.xml", "/post/5", "/post/4"]  # the newest first
    methods = posts(done)
    assert sorted(methods) == list(range(6))
    assert [methods[n] for n in (3, 2, 1, 0)] == ["feed_template"] * 4
    feed = done.page("/feed.xml")
    assert (feed.relevant, feed.reason, feed.title) == (False, "a feed of 6 entries", "Herbs")
    assert done.page("/post/0").text == story(0)
    assert done.page("/post/0").title == f"Bed 0: {PLANTS[0]}"
    assert done.page("/post/0").anchor == f"Bed 0: {PLANTS[0]}"
    assert {item.url for item in done.items} == {f"{base}/post/{n}" for n in range(6)}
    (kept,) = (tmp_path / "run" / "templates").iterdir()
    assert json.loads(kept.read_text())["precision"] == 1.0


def test_a_feed_that_is_parsed_when_the_crawl_is_stopped_is_kept(
    garden: tuple[Garden, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown, base = garden
    order: list[Callable[[], object]] = []
    started = Crawl.start

    def start(crawl: Crawl) -> None:
        loop = asyncio.get_running_loop()
        order.append(partial(loop.call_soon_threadsafe, crawl.stop, Ending(STOPPED)))
        order.append(partial(loop.call_soon_threadsafe, stopped.set))
        started(crawl)

    stopped = threading.Event()

    def parse(body: bytes, url: str, *, content_type: str | None = None) -> ParsedFeed:
        for call in order:
            call()
        assert stopped.wait(10), "the event loop stood still"
        return parse_feed(body, url, content_type=content_type)

    monkeypatch.setattr(Crawl, "start", start)
    monkeypatch.setattr(feed_reader, "parse_feed", parse)
    done = crawl_here(tmp_path / "run", spider="feed", feed=f"{base}/feed.xml", settings=ONE)
    assert shown.paths() == ["/feed.xml"]
    assert done.page("/feed.xml").reason == "a feed of 6 entries"
    assert done.counts()["queued"] == 6


def test_the_feeds_that_seeds_of_a_topic_announce_are_crawled(garden: tuple[Garden, str], tmp_path: Path) -> None:
    shown, base = garden
    topic = tmp_path / "herbs.toml"
    topic.write_text(TOPIC.format(seed=f"{base}/"))
    done = crawl_here(tmp_path / "run", spider="feed", topic=str(topic), settings=ONE)
    assert sorted(shown.paths()) == sorted(["/", "/feed.xml", *(f"/post/{n}" for n in range(6))])
    relevant = {r.url.removeprefix(base) for r in done.pages() if r.relevant}
    assert relevant == {"/post/0", "/post/1"}


def test_a_run_that_goes_on_reads_its_feeds_again(garden: tuple[Garden, str], tmp_path: Path) -> None:
    shown, base = garden
    crawl_here(tmp_path / "run", spider="feed", feed=f"{base}/feed.xml", settings=ONE)
    shown.asked.clear()
    shown.posts = 8
    done = crawl_here(tmp_path / "run", spider="feed", settings=ONE)
    assert shown.paths()[0] == "/feed.xml"
    assert sorted(shown.paths()[1:]) == ["/post/6", "/post/7"]
    assert {n: m for n, m in posts(done).items() if n > 5} == {6: "feed_template", 7: "feed_template"}


def test_a_focused_crawl_follows_a_feed_and_reads_its_pages_by_template(
    garden: tuple[Garden, str], tmp_path: Path
) -> None:
    shown, base = garden
    topic = tmp_path / "herbs.toml"
    topic.write_text(TOPIC.format(seed=f"{base}/feed.xml") + 'expression = "bed OR NOT bed"\n')
    done = crawl_here(tmp_path / "run", spider="focused", topic=str(topic), settings=ONE)
    methods = posts(done)
    assert sorted(methods) == list(range(6))
    assert set(shown.paths()[1:3]) == {"/post/0", "/post/1"}  # about thyme and sage: on the topic
    assert list(methods.values()).count("feed_template") == 4
    assert (tmp_path / "run" / "templates").is_dir()


def test_a_host_is_asked_at_its_interval(garden: tuple[Garden, str], tmp_path: Path) -> None:
    shown, base = garden
    crawl_here(tmp_path / "run", spider="feed", feed=f"{base}/feed.xml", settings={"DOWNLOAD_DELAY": 0.2})
    times = [at for at, path in shown.asked if path != "/robots.txt"]
    gaps = [b - a for a, b in pairwise(times)]
    assert len(gaps) == 6
    assert min(gaps) >= 0.15


def test_a_feed_that_is_gone_or_empty_is_a_row_with_a_reason(garden: tuple[Garden, str], tmp_path: Path) -> None:
    shown, base = garden
    shown.posts = 0
    done = crawl_here(tmp_path / "run", spider="feed", feed=f"{base}/feed.xml, {base}/gone.xml", settings=ONE)
    assert done.page("/feed.xml").reason == "a feed: no entry with a link"
    assert done.page("/gone.xml").reason == "HTTP 404"
    assert not (tmp_path / "run" / "templates").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "-a feed= is missing"),
        ({"feed": "http://a.example/f", "seeds": "http://a.example/"}, "exclude each other"),
        ({"feed": "http://a.example/f", "fed": "x"}, "no such argument"),
    ],
)
def test_wrong_arguments_are_said_in_a_sentence(arguments: dict[str, str], message: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=message):
        crawl_here(tmp_path / "run", spider="feed", **{"run": "", **arguments})
