"""What sitemaps name, hostile ones among them."""

from __future__ import annotations

import codecs
import gzip

import pytest

from focuscrawl.crawler.sitemap_links import SitemapUrl
from focuscrawl.glue import sitemaps
from focuscrawl.glue.sitemaps import parse_sitemap

HERE = "http://e.org/sitemap.xml"
PAGES = (
    b'<?xml version="1.0" encoding="UTF-8"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
    b"<url><loc>http://e.org/a?b=1&amp;c=2</loc><lastmod>2025-01-02</lastmod></url>"
    b"<url><loc> /rel </loc></url></urlset>"
)
WIDE = PAGES.decode().replace("UTF-8", "utf-16")
FOUND = (SitemapUrl("http://e.org/a?b=1&c=2", "2025-01-02"), SitemapUrl("http://e.org/rel"))


@pytest.mark.parametrize(
    "body",
    [
        PAGES,
        gzip.compress(PAGES, mtime=0),
        b"\xef\xbb\xbf" + PAGES,
        codecs.BOM_UTF16_LE + WIDE.encode("utf-16-le"),
        codecs.BOM_UTF16_BE + WIDE.encode("utf-16-be"),
        gzip.compress(WIDE.encode("utf-16"), mtime=0),
        PAGES.decode().encode("utf-16"),
        WIDE.encode(),
        PAGES.replace(b"&amp;", b"&"),
        PAGES.replace(b"&amp;", b"&#38;"),
        PAGES.replace(b"http://e.org/a?b=1&amp;c=2", b"<![CDATA[http://e.org/a?b=1&c=2]]>"),
    ],
)
def test_addresses_and_dates(body: bytes) -> None:
    found = parse_sitemap(body, HERE)
    assert (found.urls, found.sitemaps) == (FOUND, ())


def test_an_index_names_further_sitemaps() -> None:
    body = b"<sitemapindex><sitemap><loc>http://e.org/1.xml</loc><lastmod>2025</lastmod></sitemap></sitemapindex>"
    assert parse_sitemap(body, HERE).sitemaps == (SitemapUrl("http://e.org/1.xml", "2025"),)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_text_has_an_address_a_line(encoding: str) -> None:
    text = "http://e.org/a\r\nnonsense\nhttp://[\nhttps://E.org:443/b#top\n"
    assert parse_sitemap(text.encode(encoding), HERE).urls == (
        SitemapUrl("http://e.org/a"),
        SitemapUrl("https://e.org/b"),
    )


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html><body>not found</body></html>",
        gzip.compress(b"<urlset>" + b" " * 60_000_000, 1, mtime=0),
        gzip.compress(PAGES, mtime=0)[:20],
        gzip.compress(PAGES, mtime=0)[:10] + b"\xff" * 40,
        b"\x1f\x8b\x08 no gzip",
        b"\x00\xff\xfe" * 9,
    ],
)
def test_what_is_no_sitemap_names_nothing(body: bytes) -> None:
    found = parse_sitemap(body, HERE)
    assert (found.urls, found.sitemaps) == ((), ())


def test_entities_are_not_expanded() -> None:
    body = (
        b'<!DOCTYPE urlset [<!ENTITY a "http://e.org/x"><!ENTITY f SYSTEM "file:///etc/passwd">]>'
        b"<urlset><url><loc>&f;</loc></url><url><loc>http://e.org/ok</loc></url></urlset>"
    )
    assert [one.url for one in parse_sitemap(body, HERE).urls] == ["http://e.org/ok"]


def test_no_more_than_50_000_addresses() -> None:
    body = b"<urlset>" + b"<url><loc>http://e.org/a</loc></url>" * 50_010 + b"</urlset>"
    assert len(parse_sitemap(body, HERE).urls) == 50_000
    assert len(parse_sitemap(b"http://e.org/a\n" * 50_010, HERE).urls) == 50_000


def test_an_address_that_is_none_costs_itself_only() -> None:
    body = b"<urlset><url><loc>http://[</loc></url><url><loc>http://e.org/ok</loc></url></urlset>"
    assert parse_sitemap(body, HERE).urls == (SitemapUrl("http://e.org/ok"),)


@pytest.mark.parametrize("piece", [b"<a/>", b"<a b='' c='' d='' e='' f='' g=''/>"])
def test_of_a_million_tags_and_more_the_first_are_read(piece: bytes) -> None:
    body = (
        b"<urlset><url><loc>http://e.org/ok</loc></url>" + piece * 1_000_000 + b"<url><loc>/late</loc></url></urlset>"
    )
    found = parse_sitemap(gzip.compress(body, 1, mtime=0), HERE)
    assert found.urls == (SitemapUrl("http://e.org/ok"),)
    assert found.marks == 1_000_000


def test_of_a_sitemap_that_unpacks_to_too_much_the_first_addresses_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """None of them is half an address."""
    urls = [f"http://e.org/{n}-{n}-{n}" for n in range(10, 30)]
    xml = b"<urlset>" + b"".join(b"<url><loc>%b</loc></url>\n" % url.encode() for url in urls) + b"</urlset>"
    lines = b"".join(b"%b\n" % url.encode() for url in urls)
    for body, least in ((xml, 40), (lines, 22)):
        for most in range(100, len(body) + 1):
            monkeypatch.setattr(sitemaps, "_MOST_UNPACKED", most)
            found = [one.url for one in parse_sitemap(gzip.compress(body, 1, mtime=0), HERE).urls]
            assert found == urls[: len(found)]
            assert len(found) >= most // (least + 5) - 1


def test_half_an_address_is_none() -> None:
    body = b"<urlset>" + b"<a/>" * 999_997 + b"<url><loc>http://e.org/a?b=1</loc></url></urlset>"
    assert parse_sitemap(body, HERE).urls == ()  # the next mark is one too many
