"""A small site on loopback whose pages change, move and vanish between crawls; what it was asked is noted."""

from __future__ import annotations

import socket
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from focuscrawl.storage.crawldb import CrawlDb
from focuscrawl.storage.visits import read_visits
from focuscrawl.visits import Saw

PLANTS = ["thyme", "sage", "rosemary", "lavender", "mint", "basil", "dill", "fennel", "borage", "chervil"]
_NAMES = [first + last for first in "abcdefghijklm" for last in "oy"]


def herbs_topic(*words: str) -> str:
    """Return a topic file of these words, with ``{seed}`` for the address to start from."""
    terms = "\n".join(f'"{word}" = 1.0' for word in words)
    return f"""
name = "herbs"
title = "Herbs"
language = "en"
seeds = ["{{seed}}"]

[terms]
{terms}

[judge]
name = "boolean"
"""


TOPIC = herbs_topic("thyme", "sage", "garden")


def story(n: int, edition: int = 0) -> str:
    """Return the text of bed `n`, another one for each edition; no two have a sentence in common."""
    sentences = []
    for k in range(8):
        words = [f"{PLANTS[(n * 3 + k * 7 + i + edition) % 10]}{_NAMES[(n + i * k + edition) % 26]}" for i in range(9)]
        sentences.append(f"Bed {n} of the garden, row {k}, has {' '.join(words)} in its edition {edition}.")
    return " ".join(sentences)


@dataclass
class Asked:
    """A request."""

    path: str
    etag: str
    modified: str


@dataclass
class ChangingSite:
    """What the site shows."""

    beds: int = 6
    etag: str = "content"  # "content": by the body; "": none; else the same for all
    obeys: bool = True  # answers conditions
    always: bool = False  # answers every condition with 304, whatever there is
    editions: dict[str, int] = field(default_factory=dict)
    moved: dict[str, str] = field(default_factory=dict)
    gone: set[str] = field(default_factory=set)
    broken: set[str] = field(default_factory=set)
    counters: bool = False  # each answer has another number beside the text
    more: dict[str, str] = field(default_factory=dict)  # links to add
    asked: list[Asked] = field(default_factory=list)
    posts: int = 0  # entries of the feed that the beds announce; 0: none
    server: _Server | None = field(default=None, repr=False)

    def forget_the_dead(self) -> None:
        """Forget what was asked so far, what a killed process asked last and nobody answered yet with it."""
        assert self.server is not None
        self.server.wait_until_silent()
        self.asked.clear()

    def paths(self) -> list[str]:
        return [one.path for one in self.asked if one.path != "/robots.txt"]

    def page(self, path: str) -> str | None:
        """Return the page of a path."""
        if path == "/":
            links = "".join(f"<li><a href=/bed/{n}>bed {n} of the garden</a>" for n in range(self.beds))
            return f"<html><head><title>Garden</title></head><body><p>{story(20)}</p><ul>{links}</ul></body></html>"
        if path == "/feed.xml" and self.posts:
            items = "".join(
                f"<item><title>Bed {n} of the garden</title><link>/new/{n}</link>"
                f"<description>{story(n)}</description></item>"
                for n in range(30, 30 + self.posts)
            )
            return f"<rss><channel><title>The garden</title>{items}</channel></rss>"
        if path.startswith(("/bed/", "/new/")):
            n = int(path.rpartition("/")[2])
            text = story(n, self.editions.get(path, 0))
            count = f"<div id=count>Seen {len(self.asked)} times</div>" if self.counters else ""
            feed = "<link rel=alternate type=application/rss+xml href=/feed.xml>" if self.posts else ""
            return (
                f"<html><head><title>Bed {n}</title>{feed}</head><body><article><h1>Bed {n}</h1><p>{text}</p></article>"
                f"{self.more.get(path, '')}<!-- {count} --></body></html>"
            )
        return None


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    site: ChangingSite

    def log_message(self, *args: object) -> None:
        """Write nothing."""

    def do_GET(self) -> None:
        site, path = self.site, self.path
        etag_asked = self.headers.get("If-None-Match", "")
        site.asked.append(Asked(path, etag_asked, self.headers.get("If-Modified-Since", "")))
        if path in site.moved:
            self._send(301, b"", {"Location": site.moved[path]})
            return
        page = None if path in site.gone else site.page(path)
        if path in site.broken:
            self._send(403, b"no", {})
            return
        if page is None:
            self._send(404, b"<p>no</p>", {"Content-Type": "text/html"})
            return
        body = page.encode()
        etag = f'"{sha256(body).hexdigest()[:12]}"' if site.etag == "content" else site.etag
        kind = "application/rss+xml" if path.endswith(".xml") else "text/html"
        headers = {"Content-Type": kind, **({"ETag": etag} if etag else {})}
        if etag_asked and site.obeys and (site.always or etag_asked == etag):
            self._send(304, b"", {"ETag": etag})
            return
        self._send(200, body, headers)

    def _send(self, status: int, body: bytes, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if status != 304:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if status != 304:
            self.wfile.write(body)


class _Server(ThreadingHTTPServer):
    """A server that knows when nobody is talked to any more."""

    def __init__(self, site: ChangingSite) -> None:
        self._talks = 0
        self._ended = threading.Condition()
        site.server = self
        super().__init__(("127.0.0.1", 0), type("Handler", (_Handler,), {"site": site}))

    def process_request(self, request: Any, client_address: Any) -> None:
        with self._ended:
            self._talks += 1
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        super().shutdown_request(request)
        with self._ended:
            self._talks -= 1
            self._ended.notify_all()

    def wait_until_silent(self) -> None:
        """Wait for the end of all talks, those of clients that are dead and were not yet accepted with them."""
        with socket.create_connection(self.server_address[:2]) as last:  # connections are accepted in their order
            last.shutdown(socket.SHUT_WR)
            assert last.recv(1) == b""
        with self._ended:
            assert self._ended.wait_for(lambda: not self._talks, timeout=10.0), f"{self._talks} talks go on"


@contextmanager
def changing_site() -> Iterator[tuple[ChangingSite, str]]:
    """Serve a site; yield it and its address, without a slash at the end."""
    site = ChangingSite()
    server = _Server(site)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield site, f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def seen(*runs: Path) -> Counter[Saw]:
    """Return what visits saw, those of all folders."""
    found: Counter[Saw] = Counter()
    for run in runs:
        with CrawlDb.open_readonly(run / "crawl.db") as db:
            found.update(visit.saw for visit in read_visits(db) if visit.saw is not Saw.FIRST)
    return found
