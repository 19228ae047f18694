"""Files of robots.txt without measure."""

from __future__ import annotations

import gzip
import socket
from contextlib import suppress
from pathlib import Path

from crawl_kit import crawl_here, topic_file

from hostile.bad_manners import Answer, bad_manners, html, raw

RULES = b"User-agent: *\nDisallow: /private\n"
HEAD = b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: text/plain\r\n"
FORBIDDEN = ("refused", "forbidden by robots.txt")


def whole(body: bytes, *headers: bytes) -> Answer:
    return raw(HEAD + b"".join(headers) + b"Content-Length: %d\r\n\r\n" % len(body) + body)


def endless(connection: socket.socket) -> None:
    with suppress(OSError):
        connection.sendall(HEAD + b"\r\n")
        while True:
            connection.sendall(RULES * 1000)


def outcomes(folder: Path, robots: Answer) -> tuple[dict[str, tuple[str, str]], int]:
    """Return what became of two pages under a robots.txt, and how often it was asked for."""
    start = html('<h1>lighthouse</h1><a href="/private">lighthouse</a>')
    with bad_manners({"/": start, "/private": html("<h1>lighthouse</h1>"), "/robots.txt": robots}) as manners:
        done = crawl_here(folder / "run", topic=str(topic_file(folder, manners.url("/"))))
        asked = manners.asked["/robots.txt"]
    return {"/" + record.url.split("/", 3)[3]: (record.outcome, record.reason) for record in done.pages()}, asked


def test_of_a_file_without_an_end_the_beginning_is_obeyed(tmp_path: Path) -> None:
    found, asked = outcomes(tmp_path, endless)
    assert (found["/"][0], found["/private"], asked) == ("done", FORBIDDEN, 1)


def test_of_a_file_that_is_longer_than_a_page_may_be_the_beginning_is_obeyed(tmp_path: Path) -> None:
    found, asked = outcomes(tmp_path, whole(RULES + b"# and so on\n" * 500_000))
    assert (found["/"][0], found["/private"], asked) == ("done", FORBIDDEN, 1)


def test_a_compressed_file_without_measure_is_asked_for_once(tmp_path: Path) -> None:
    bomb = gzip.compress(RULES + b"#" * 64_000_000, 1, mtime=0)
    found, asked = outcomes(tmp_path, whole(bomb, b"Content-Encoding: gzip\r\n"))
    assert (found, asked) == ({"/": ("refused", "robots.txt cannot be read: too long when decompressed")}, 1)
