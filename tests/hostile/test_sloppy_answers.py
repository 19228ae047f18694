"""Answers that break the grammar of HTTP where browsers take no notice: read as pages."""

from __future__ import annotations

import pytest
from crawl_kit import Crawled, crawl_command, topic_file

from hostile.bad_manners import bad_manners, html, raw

PAGE = b"<h1>chess</h1><p>what is read</p>"
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n"
LENGTH = b"Content-Length: %d\r\n" % len(PAGE)
CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
SLOPPY = {
    "/name/blank-behind": HEAD + b"X-Served-By : cache\r\n" + LENGTH + b"\r\n" + PAGE,
    "/name/blank-behind-the-type": (HEAD + LENGTH).replace(b"Type:", b"Type :") + b"\r\n" + PAGE,
    "/name/blank-within": HEAD + b"X Served: cache\r\n" + LENGTH + b"\r\n" + PAGE,
    "/name/none": HEAD + b": cache\r\n" + LENGTH + b"\r\n" + PAGE,
    "/name/no-ascii": HEAD + "X-页: 1\r\n".encode() + LENGTH + b"\r\n" + PAGE,
    "/transfer/identity": HEAD + b"Transfer-Encoding: identity\r\n" + LENGTH + b"\r\n" + PAGE,
    "/version/2": (HEAD + LENGTH).replace(b"HTTP/1.1", b"HTTP/2") + b"\r\n" + PAGE,
    "/empty-line/first": b"\r\n" + HEAD + LENGTH + b"\r\n" + PAGE,
    "/chunks/padded": CHUNKED + b"%-6x\r\n%b\r\n0     \r\n\r\n" % (len(PAGE), PAGE),
    "/chunks/padded-before-more": CHUNKED + b"%x \t;a=b\r\n%b\r\n0 \r\n\r\n" % (len(PAGE), PAGE),
}


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Crawled:
    """Crawl one page with links to all of them."""
    folder = tmp_path_factory.mktemp("sloppy")
    links = "".join(f'<p><a href="{path}">chess {path}</a></p>' for path in SLOPPY)
    answers = {path: raw(answer) for path, answer in SLOPPY.items()}
    with bad_manners({**answers, "/": html(f"<h1>chess</h1>{links}")}) as manners:
        return crawl_command(folder / "run", "-a", f"topic={topic_file(folder, manners.url('/'))}")


@pytest.mark.parametrize("path", SLOPPY)
def test_a_sloppy_answer_is_read(crawled: Crawled, path: str) -> None:
    record = crawled.page(path)
    assert (record.status, record.outcome, record.body_bytes) == (200, "done", len(PAGE))
