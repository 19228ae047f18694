"""What sitemaps name, hostile ones among them."""

from __future__ import annotations

import gzip

import pytest

from focuscrawl.crawler.sitemap_links import SitemapUrl
from focuscrawl.glue.sitemaps import SitemapFile, parse_sitemap

HERE = "http://e.org/sitemap.xml"
PAGES = (
    b'<?xml version="1.0" encoding="UTF-8"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
    b"<url><loc>http://e.org/a?b=1&amp;c=2</loc><lastmod>2025-01-02</lastmod></url>"
    b"<url><loc> /rel </loc></url></urlset>"
)
FOUND = (SitemapUrl("http://e.org/a?b=1&c=2", "2025-01-02"), SitemapUrl("http://e.org/rel"))


@pytest.mark.parametrize("body", [PAGES, gzip.compress(PAGES, mtime=0), b"\xef\xbb\xbf" + PAGES])
def test_addresses_and_dates(body: bytes) -> None:
    assert parse_sitemap(body, HERE) == SitemapFile(FOUND)


def test_an_index_names_further_sitemaps() -> None:
    body = b"<sitemapindex><sitemap><loc>http://e.org/1.xml</loc><lastmod>2025</lastmod></sitemap></sitemapindex>"
    assert parse_sitemap(body, HERE) == SitemapFile(sitemaps=(SitemapUrl("http://e.org/1.xml", "2025"),))


def test_text_has_an_address_a_line() -> None:
    assert parse_sitemap(b"http://e.org/a\r\nnonsense\nhttps://e.org/b\n", HERE).urls == (
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
        b"\x1f\x8b\x08 no gzip",
        b"\x00\xff\xfe" * 9,
    ],
)
def test_what_is_no_sitemap_names_nothing(body: bytes) -> None:
    assert parse_sitemap(body, HERE) == SitemapFile()


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
