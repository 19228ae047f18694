"""JSON Feed, read as the other dialects are."""

from __future__ import annotations

import json

import pytest

from focuscrawl.feeds.discover import is_feed
from focuscrawl.feeds.entries import MAX_BYTES, MAX_ENTRIES, parse_feed

URL = "https://blog.example/feed.json"
FEED = {
    "version": "https://jsonfeed.org/version/1.1",
    "title": "A  garden\n log",
    "home_page_url": "https://blog.example/",
    "items": [
        {
            "id": "1",
            "url": "/posts/1",
            "title": "Thyme & sage",
            "content_html": "<p>Cut the <b>thyme</b> before noon.</p><script>x()</script>",
            "summary": "short",
            "date_published": "2024-01-01T10:00:00+02:00",
            "tags": ["herbs", "herbs", 7],
            "authors": [{"name": "Ann"}],
        },
        {
            "id": "https://blog.example/posts/2",
            "content_text": "1 < 2 & all is well",
            "date_published": "2024-03-01T10:00:00Z",
            "author": {"name": "Ben"},
        },
        {"id": "3", "external_url": "https://other.example/p", "date_published": "yesterday"},
        {"id": "no link"},
        "no item",
    ],
}


def _body(feed: object) -> bytes:
    return json.dumps(feed).encode()


def test_entries_of_a_json_feed() -> None:
    feed = parse_feed(_body(FEED), URL, content_type="application/feed+json")
    assert (feed.title, feed.link, feed.reason, feed.truncated) == ("A garden log", "https://blog.example/", "", False)
    newest, older, undated = feed.entries
    assert newest.link == "https://blog.example/posts/2"
    assert newest.text == "1 < 2 & all is well"
    assert newest.author == "Ben"
    assert older.link == "https://blog.example/posts/1"
    assert older.title == "Thyme & sage"
    assert older.text == "Cut the thyme before noon."
    assert older.published == "2024-01-01T08:00:00+00:00"
    assert older.categories == ("herbs",)
    assert older.author == "Ann"
    assert undated.link == "https://other.example/p"
    assert undated.published == ""


@pytest.mark.parametrize(
    "text", [json.dumps(FEED), json.dumps(FEED).replace("/", "\\/"), "\ufeff  " + json.dumps(FEED)]
)
def test_a_json_feed_is_told_by_its_version(text: str) -> None:
    assert is_feed(text.encode(), content_type="application/json")
    assert len(parse_feed(text.encode(), URL).entries) == 3


def test_other_json_is_no_feed() -> None:
    assert not is_feed(b'{"version": "1", "items": []}')
    assert not is_feed(b'["https://jsonfeed.org/version/1"]')
    assert not is_feed(b"<p>https://jsonfeed.org/version/1</p>")


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b'{"version": "https://jsonfeed.org/version/1", "items": [', "the feed cannot be read: "),
        (b'{"version": "https://jsonfeed.org/version/1"}', "the feed cannot be read: no list of items"),
        (b'{"version": "https://jsonfeed.org/version/1", "items": []}', "no entry with a link"),
        (b'{"version": "https://jsonfeed.org/version/1", "items": ' + b"[" * 200_000, "the feed cannot be read: "),
        (b'{"version": "https://jsonfeed.org/version/1", ' + b" " * MAX_BYTES, "a JSON Feed of more than 4 MB"),
    ],
)
def test_a_broken_json_feed_says_why(body: bytes, reason: str) -> None:
    feed = parse_feed(body, URL)
    assert feed.entries == ()
    assert feed.reason.startswith(reason)


def test_a_long_json_feed_is_cut() -> None:
    items = [{"id": str(n), "url": f"/{n}"} for n in range(MAX_ENTRIES + 5)]
    feed = parse_feed(_body({**FEED, "items": items}), URL)
    assert len(feed.entries) == MAX_ENTRIES
    assert feed.truncated


def test_half_of_a_pair_of_surrogates_is_replaced() -> None:
    half = "\ud83c"
    item = {"url": "http://a.org/", "title": f"茶{half}", "content_text": f"b{half}", "tags": [f"c{half}"]}
    body = json.dumps({"version": "https://jsonfeed.org/version/1.1", "title": f"a{half}", "items": [item]})
    feed = parse_feed(body.encode(), "http://a.org/feed")
    (entry,) = feed.entries
    assert (feed.title, entry.title, entry.text, entry.categories) == ("a?", "茶?", "b?", ("c?",))
