"""Answers whose headers, bodies or chunks do not end: cut, named, and the crawl goes on."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest
from crawl_kit import Crawled, crawl_command, topic_file

from hostile.bad_manners import Manners, bad_manners, html, raw

STATUS = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
CHUNK = b"fa0\r\n" + b"x" * 4000 + b"\r\n"
HOSTILE = {
    "/endless": raw(STATUS, b"X-Filler: " + b"a" * 1000 + b"\r\n", times=30_000),
    "/many": raw(STATUS, b"X-A: 1\r\n" * 1000, times=4_000, then=b"Content-Length: 2\r\n\r\nok"),
    "/folded": raw(STATUS + b"X-Folded: a\r\n", b" " + b"a" * 1000 + b"\r\n", times=30_000),
    "/interim": raw(b"HTTP/1.1 100 Continue\r\n\r\n", b"HTTP/1.1 100 Continue\r\n\r\n" * 1000, times=1_000),
    "/body": raw(STATUS + b"Transfer-Encoding: chunked\r\n\r\n", CHUNK, times=10_000),
    "/chunks": raw(STATUS + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\na\r\n" * 1000, times=4_000),
}
# Long, but not too long: all of them together are what is bounded.
LONG = {
    "/long/header": raw(
        STATUS + b"Link: " + b"</a>; rel=preload, " * 5_000 + b"\r\nConnection: close\r\n\r\n<h1>chess</h1>"
    ),
    "/long/reason": raw(b"HTTP/1.1 200 " + b"O" * 60_000 + b"\r\nConnection: close\r\n\r\n<h1>chess</h1>"),
}
REASONS = dict.fromkeys(HOSTILE, "headers are longer than 256 kB") | {
    "/body": "too long",
    "/chunks": "more than 100,000 chunks",
}


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> tuple[Crawled, Manners]:
    """Crawl one page with links to all of them, and an honest one."""
    folder = tmp_path_factory.mktemp("headers")
    links = "".join(f'<p><a href="{path}">chess {path}</a></p>' for path in (*HOSTILE, *LONG, "/fine"))
    with bad_manners(
        {**HOSTILE, **LONG, "/": html(f"<h1>chess</h1>{links}"), "/fine": html("<h1>chess</h1>")}
    ) as manners:
        topic = topic_file(folder, manners.url("/"))
        done = crawl_command(folder / "run", "-a", f"topic={topic}")
    return done, manners


@pytest.mark.parametrize("path", HOSTILE)
def test_an_answer_without_end_is_cut_and_named(crawled: tuple[Crawled, Manners], path: str) -> None:
    done, manners = crawled
    record = done.page(path)
    assert (record.outcome, record.reason) == ("refused", REASONS[path])
    assert manners.asked[path] == 1
    assert manners.sent[path] == 0  # the connection was cut, the rest was never taken


@pytest.mark.parametrize("path", LONG)
def test_a_long_line_of_headers_is_read(crawled: tuple[Crawled, Manners], path: str) -> None:
    done, manners = crawled
    assert done.page(path).outcome == "done"
    assert manners.asked[path] == 1


def test_the_rest_of_the_crawl_is_undisturbed(crawled: tuple[Crawled, Manners]) -> None:
    done, _ = crawled
    assert done.exit_code == 0
    assert done.page("/fine").outcome == "done"


def test_headers_of_answers_on_one_connection_are_counted_for_each(tmp_path: Path) -> None:
    answer = STATUS + b"X-Policy: " + b"a" * 60_000 + b"\r\nContent-Length: 14\r\n\r\n<h1>chess</h1>"

    def kept_open(connection: socket.socket) -> None:
        connection.sendall(answer)
        while connection.recv(65_536):
            connection.sendall(answer)

    kept = {f"/kept/{n}": kept_open for n in range(12)}
    links = "".join(f'<p><a href="{path}">chess {path}</a></p>' for path in kept)
    with bad_manners({**kept, "/": html(f"<h1>chess</h1>{links}")}) as manners:
        topic = topic_file(tmp_path, manners.url("/"))
        done = crawl_command(tmp_path / "run", "-a", f"topic={topic}", "-s", "CONCURRENT_REQUESTS_PER_DOMAIN=1")
    assert {done.page(path).outcome for path in kept} == {"done"}
    assert sum(manners.asked[path] for path in kept) < 3, "connections: each had answers with more than 256 kB of them"
