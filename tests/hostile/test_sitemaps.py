"""Sitemaps that keep their reader waiting."""

from __future__ import annotations

import gzip
import os
import socket
from pathlib import Path

import pytest
from crawl_kit import crawl_command, crawl_here, topic_file

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


def test_a_sitemap_that_is_compressed_on_the_way_may_be_as_long_as_one_that_is_a_compressed_file(
    tmp_path: Path,
) -> None:
    head = b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: %s\r\nContent-Length: %d\r\n%s\r\n"
    with bad_manners({"/": html("<h1>lighthouse</h1>"), "/lamp": html("<h1>lighthouse lamp</h1>")}) as manners:
        lines = b"Sitemap: " + manners.url("/s.xml").encode()
        manners.answers["/robots.txt"] = raw(head % (b"text/plain", len(lines), b"") + lines)
        listed = f"<urlset><url><loc>{manners.url('/lamp')}</loc></url>".encode()
        body = gzip.compress(listed + b"\n" * 12_000_000 + b"</urlset>", 1, mtime=0)
        manners.answers["/s.xml"] = raw(head % (b"text/xml", len(body), b"Content-Encoding: gzip\r\n") + body)
        settings = {"FOCUSCRAWL_SITEMAPS": True}
        done = crawl_here(tmp_path / "run", topic=str(topic_file(tmp_path, manners.url("/"))), settings=settings)
    assert [record.url for record in done.pages()] == [manners.url("/"), manners.url("/lamp")]


@pytest.mark.parametrize("packing", ["none", "file", "on the way"])
def test_of_a_sitemap_that_is_too_long_the_first_part_is_read(packing: str, tmp_path: Path) -> None:
    head = b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: %s\r\nContent-Length: %d\r\n%s\r\n"
    with bad_manners({"/": html("<h1>lighthouse</h1>"), "/lamp": html("<h1>lighthouse lamp</h1>")}) as manners:
        lines = b"Sitemap: " + manners.url("/s.xml").encode()
        manners.answers["/robots.txt"] = raw(head % (b"text/plain", len(lines), b"") + lines)
        noise = os.urandom(5_500_000).hex()  # 5.5 MB when it is compressed
        listed = f"<urlset><url><loc>{manners.url('/lamp')}</loc></url><!-- {noise} {noise[::-1]} -->"
        body = f"{listed}<url><loc>{manners.url('/lens')}</loc></url></urlset>".encode()
        body = body if packing == "none" else gzip.compress(body, 1, mtime=0)
        assert len(body) > 10_500_000
        coding = b"Content-Encoding: gzip\r\n" if packing == "on the way" else b""
        manners.answers["/s.xml"] = raw(head % (b"text/xml", len(body), coding) + body)
        topic, settings = str(topic_file(tmp_path, manners.url("/"))), {"FOCUSCRAWL_SITEMAPS": True}
        if packing == "none":  # and with the reactor
            done = crawl_command(tmp_path / "run", "-a", f"topic={topic}", settings=settings)
        else:
            done = crawl_here(tmp_path / "run", topic=topic, settings=settings)
    assert [record.url for record in done.pages()] == [manners.url("/"), manners.url("/lamp")]
    assert "longer than 10000000 bytes" in (tmp_path / "run" / "run.log").read_text(encoding="utf-8")
