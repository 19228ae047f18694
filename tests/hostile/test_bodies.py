"""Long bodies and bombs: cut on the wire and when decompressed."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable

import brotli  # type: ignore[import-untyped]
import pytest
from backports import zstd
from crawl_kit import Crawled, crawl_command, topic_file

from hostile.bad_manners import Answer, Manners, bad_manners, html, raw

SIZE = 64 * 1024 * 1024
TOO_LONG_PACKED = "too long when decompressed"
_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n"


def bomb(*codings: tuple[str, Callable[[bytes], bytes]]) -> Answer:
    """Answer with zeros, packed by each coding in turn."""
    body = b"\0" * SIZE
    for _, pack in codings:
        body = pack(body)
    names = ", ".join(name for name, _ in codings).encode()
    return raw(_HEAD + b"Content-Encoding: %s\r\nContent-Length: %d\r\n\r\n" % (names, len(body)) + body)


GZIP = ("gzip", gzip.compress)
DEFLATE = ("deflate", zlib.compress)
BROTLI = ("br", lambda data: bytes(brotli.compress(data, quality=1)))
ZSTD = ("zstd", zstd.compress)
ANSWERS: dict[str, tuple[Callable[[], Answer], str]] = {
    "/gzip": (lambda: bomb(GZIP), TOO_LONG_PACKED),
    "/deflate": (lambda: bomb(DEFLATE), TOO_LONG_PACKED),
    "/br": (lambda: bomb(BROTLI), TOO_LONG_PACKED),
    "/zstd": (lambda: bomb(ZSTD), TOO_LONG_PACKED),
    "/gzip-in-gzip": (lambda: bomb(GZIP, GZIP), TOO_LONG_PACKED),
    "/br-in-gzip": (lambda: bomb(BROTLI, GZIP), TOO_LONG_PACKED),
    "/zstd-in-deflate": (lambda: bomb(ZSTD, DEFLATE), TOO_LONG_PACKED),
    "/declared": (lambda: raw(_HEAD + b"Content-Length: 200000000\r\n\r\n", b"x" * 65536, times=3000), "too long"),
    "/undeclared": (lambda: raw(_HEAD + b"\r\n", b"x" * 65536, times=3000), "too long"),
    "/chunked": (
        lambda: raw(_HEAD + b"Transfer-Encoding: chunked\r\n\r\n", b"10000\r\n" + b"x" * 65536 + b"\r\n", times=3000),
        "too long",
    ),
}


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> tuple[Crawled, Manners]:
    """Crawl a page with links to all of them, eight at once."""
    folder = tmp_path_factory.mktemp("bodies")
    links = "".join(f'<p><a href="{path}">lighthouse {path}</a></p>' for path in ANSWERS)
    answers = {path: make() for path, (make, _) in ANSWERS.items()}
    with bad_manners({**answers, "/": html(f"<h1>lighthouse</h1>{links}")}) as manners:
        topic = topic_file(folder, manners.url("/"))
        done = crawl_command(folder / "run", "-a", f"topic={topic}", settings={"CONCURRENT_REQUESTS": 8})
    return done, manners


@pytest.mark.parametrize("path", ANSWERS)
def test_a_body_without_measure_is_cut_and_named(crawled: tuple[Crawled, Manners], path: str) -> None:
    done, manners = crawled
    record = done.page(path)
    assert (record.outcome, record.reason) == ("refused", ANSWERS[path][1])
    assert manners.asked[path] == 1
    if ANSWERS[path][1] == "too long":
        assert manners.sent[path] == 0  # the rest was never taken
    assert done.exit_code == 0


def test_long_answers_are_told_in_the_log_and_leave_the_terminal_alone(crawled: tuple[Crawled, Manners]) -> None:
    done, manners = crawled
    assert manners.url("/declared") in (done.run / "run.log").read_text(encoding="utf-8")
    assert "WARNING" not in done.err
    assert manners.url("/") not in done.err
