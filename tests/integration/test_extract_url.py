"""focuscrawl extract URL: a real server on loopback, a process of its own for each reactor."""

from __future__ import annotations

from collections.abc import Iterator
from http.server import ThreadingHTTPServer
from pathlib import Path

import pytest
from crawl_kit import clean_environment
from forked_commands import fork_server
from loopback import Answering, address, serving

PAGE = "<html><head><title>开局</title></head><body><p>意大利开局是最古老的开局之一，白方第三步走象。</p></body></html>"


class Site(Answering):
    """A page in GBK, a redirect to it, one that robots.txt forbids."""

    def do_GET(self) -> None:
        body, kind, status, headers = b"", "text/html; charset=gbk", 200, {}
        match self.path:
            case "/page":
                body = PAGE.encode("gbk")
            case "/moved":
                status, headers = 302, {"Location": "/page"}
            case "/robots.txt":
                body, kind = b"User-agent: *\nDisallow: /private\n", "text/plain"
            case _:
                status = 404
        self.answer(status, kind, body, headers)


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    with serving(ThreadingHTTPServer(("127.0.0.1", 0), Site)) as server:
        yield address(server)


def extract(*arguments: str) -> tuple[int, str, str]:
    process = fork_server().start(["focuscrawl", "extract", *arguments], cwd=Path.cwd(), env=clean_environment())
    out, err = process.communicate(60)
    return process.wait(), out.decode(), err.decode()


def test_a_url_is_fetched_through_a_redirect(site: str) -> None:
    code, out, err = extract(f"{site}/moved", "--allow-private")
    assert (code, err) == (0, "")
    assert f"url         {site}/page" in out
    assert "意大利开局" in out


@pytest.mark.parametrize(
    ("path", "options", "message"),
    [
        ("/page", (), "127.0.0.1 is not a public address."),
        ("/nothing", ("--allow-private",), "HTTP 404."),
        ("/private/page", ("--allow-private",), "robots.txt"),
    ],
)
def test_what_cannot_be_fetched_is_one_sentence(site: str, path: str, options: tuple[str, ...], message: str) -> None:
    code, out, err = extract(f"{site}{path}", *options)
    assert (code, out) == (1, "")
    assert message in err
    assert err.count("\n") == 1
