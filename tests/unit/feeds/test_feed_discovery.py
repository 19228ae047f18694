"""Feeds of a page, and entries of a page's address."""

from __future__ import annotations

import pytest

from focuscrawl.feeds.discover import discover, is_feed
from focuscrawl.feeds.entries import RELATIVE_BASE, FeedEntry
from focuscrawl.feeds.matching import EntryIndex
from focuscrawl.page.analysis import analyse
from focuscrawl.text.tokenize import make_tokenizer


def test_a_page_announces_its_feeds_those_of_comments_last() -> None:
    html = (
        '<html><head><link rel="alternate" type="application/rss+xml" href="/comments/feed" title="Comments">'
        '<link rel="alternate" type="application/atom+xml" href="/atom.xml"></head><body>tea</body></html>'
    )
    page = analyse(html.encode(), "https://tea.example/", tokenizer=make_tokenizer())
    assert [feed.url for feed in discover(page)] == [
        "https://tea.example/atom.xml",
        "https://tea.example/comments/feed",
    ]


def test_an_answer_is_a_feed_by_what_is_in_it() -> None:
    assert is_feed(b'\xef\xbb\xbf<?xml version="1.0"?>\n<rss>', content_type="text/html")
    assert is_feed("<feed>".encode("utf-16"))
    assert not is_feed(b"<html><p>rss</p></html>", content_type="application/rss+xml")
    assert not is_feed(b"\x89PNG")


ENTRIES = [
    FeedEntry("http://www.tea.example/posts/one/", "one"),
    FeedEntry("http://yoursite.example/posts/two.html", "two"),
    FeedEntry(f"{RELATIVE_BASE}posts/three", "three"),
    FeedEntry("http://tea.example/%E8%8C%B6", "four"),
]


@pytest.mark.parametrize(
    ("url", "title"),
    [
        ("https://tea.example/posts/one/index.html", "one"),
        ("https://tea.example/posts/one", "one"),
        ("https://tea.example/posts/two.html", "two"),
        ("https://tea.example/posts/three/", "three"),
        ("https://tea.example/茶", "four"),
        ("https://tea.example/posts/five", None),
        ("https://tea.example/", None),
        ("not a url", None),
    ],
)
def test_an_entry_is_found_by_the_address_of_its_page(url: str, title: str | None) -> None:
    found = EntryIndex(ENTRIES).find(url)
    assert (found.title if found else None) == title


def test_hosts_of_the_feeds_pages_are_known() -> None:
    index = EntryIndex(ENTRIES)
    assert index.hosts == {"tea.example", "yoursite.example"}
    index.add_host("https://www.coffee.example/x")
    assert index.hosts == {"tea.example", "yoursite.example", "coffee.example"}
