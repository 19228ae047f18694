"""Sitemaps that keep their reader waiting."""

from __future__ import annotations

import socket
from pathlib import Path

from crawl_kit import crawl_here, topic_file

from hostile.bad_manners import bad_manners, html, raw

NAMED = 20


def silent(connection: socket.socket) -> None:
    """Say nothing until the other side has gone."""
    connection.recv(1)


def test_a_crawl_does_not_wait_for_ever_for_nothing_but_sitemaps(tmp_path: Path) -> None:
    answers = {f"/{number}.xml": silent for number in range(NAMED)}
    with bad_manners({"/": html("<h1>lighthouse</h1>"), **answers}) as manners:
        lines = "".join(f"Sitemap: {manners.url(path)}\n" for path in answers).encode()
        head = b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: text/plain\r\nContent-Length: %d\r\n\r\n"
        manners.answers["/robots.txt"] = raw(head % len(lines) + lines)
        settings = {"FOCUSCRAWL_SITEMAPS": True, "FOCUSCRAWL_PATIENCE_S": 0.5, "DOWNLOAD_TIMEOUT": 0.4}
        done = crawl_here(tmp_path / "run", topic=str(topic_file(tmp_path, manners.url("/"))), settings=settings)
        asked = sum(manners.asked[path] for path in answers)
    assert [record.outcome for record in done.pages()] == ["done"]
    assert 0 < asked < NAMED / 2
