"""Directories and texts by ftp, where the settings ask for them."""

from __future__ import annotations

from pathlib import Path

import pytest
from crawl_kit import Crawled, crawl_command, topic_file

from focuscrawl.crawler.addresses import AddressPolicy
from focuscrawl.glue.failures import Refused
from focuscrawl.glue.ftp import FtpVisit
from hostile.bad_manners import bad_manners, html
from hostile.ftp_server import FtpServer, ftp_server

_TEXT = "The keeper of the lighthouse trims the lamp and polishes the lens. " * 5
FILES = {
    "/pub/": "lighthouse.txt\r\nsigns\r\n..\r\n塔.txt\r\nlamp.iso\r\n".encode(),
    "/pub/lighthouse.txt": _TEXT.encode(),
    "/pub/塔.txt".encode().decode("latin-1"): _TEXT.encode(),
    "/pub/signs/": b"lens.txt\r\n",
    "/pub/signs/lens.txt": _TEXT.upper().encode(),
    "/pub/long.txt": b"lighthouse " * 2_000_000,
    "/drip": b"",
}
LINKS = ("pub/", "pub/long.txt", "pub/none.txt", "drip", "pub/x%0D%0ADELE%20y.txt")


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> tuple[Crawled, FtpServer, str]:
    folder = tmp_path_factory.mktemp("ftp")
    with ftp_server(FILES) as server, bad_manners({}) as manners:
        at = f"ftp://127.0.0.1:{server.port}/"
        links = "".join(f'<p><a href="{at}{path}">lighthouse {path}</a></p>' for path in LINKS)
        manners.answers["/"] = html(f"<h1>lighthouse</h1>{links}")
        topic = topic_file(folder, manners.url("/"))
        settings = {"FOCUSCRAWL_FTP": True, "DOWNLOAD_TIMEOUT": 3}
        done = crawl_command(folder / "run", "-a", f"topic={topic}", settings=settings)
    return done, server, at


def rows(crawled: tuple[Crawled, FtpServer, str]) -> dict[str, tuple[str, str]]:
    done, _, at = crawled
    return {r.url.removeprefix(at): (r.outcome, r.reason) for r in done.pages() if r.url.startswith(at)}


def test_directories_are_pages_of_links_and_texts_are_pages(crawled: tuple[Crawled, FtpServer, str]) -> None:
    found = rows(crawled)
    texts = ("pub/lighthouse.txt", "pub/%E5%A1%94.txt", "pub/signs/", "pub/signs/lens.txt", "pub/")
    assert {path: found[path][0] for path in texts} == dict.fromkeys(texts, "done")
    done, _, _ = crawled
    assert done.exit_code == 0, done.err
    assert done.page("/pub/lighthouse.txt").relevant
    assert "trims the lamp" in done.page("/pub/lighthouse.txt").text
    assert "Traceback" not in done.err


@pytest.mark.parametrize(
    ("path", "settled"),
    [
        ("pub/none.txt", ("refused", "HTTP 404")),
        ("pub/long.txt", ("refused", "too long")),
        ("drip", ("failed", "timed out")),
        ("pub/x%0D%0ADELE%20y.txt", ("refused", "line breaks in the path: commands to the server")),
    ],
)
def test_what_is_no_text_is_settled_with_its_reason(
    crawled: tuple[Crawled, FtpServer, str], path: str, settled: tuple[str, str]
) -> None:
    assert rows(crawled)[path] == settled
    assert not [line for line in crawled[1].commands if line.startswith("DELE")]


def test_addresses_are_judged_where_they_are_connected_to() -> None:
    visit = FtpVisit("ftp://127.0.0.1/pub/", AddressPolicy(ftp=True), timeout_s=3.0, max_bytes=100)
    with pytest.raises(Refused, match=r"127\.0\.0\.1 is not a public address"):
        visit.answer()


def test_what_is_no_text_by_its_name_is_not_asked_for() -> None:
    visit = FtpVisit("ftp://127.0.0.1/lamp.iso", AddressPolicy(True, ftp=True), timeout_s=3.0, max_bytes=100)
    with pytest.raises(Refused, match="content type application/x-iso9660-image"):
        visit.answer()


def test_ftp_is_refused_by_default(tmp_path: Path) -> None:
    with ftp_server(FILES) as server:
        link = f'<a href="ftp://127.0.0.1:{server.port}/pub/">lighthouse</a>'
        with bad_manners({"/": html(f"<h1>lighthouse</h1>{link}")}) as manners:
            done = crawl_command(tmp_path / "run", "-a", f"topic={topic_file(tmp_path, manners.url('/'))}")
        assert len(done.pages()) == 1
        assert not server.commands
