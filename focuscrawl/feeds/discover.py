"""Feeds that a page announces, and the test whether an answer is one (docs/formulas.md G.1)."""

from __future__ import annotations

from focuscrawl.feeds.entries import feed_kind
from focuscrawl.feeds.json_feed import is_json_feed
from focuscrawl.page.decode import decode
from focuscrawl.page.model import Feed, PageAnalysis

# The root element stands at the start; a longer prologue is no feed anybody reads.
_SNIFF_BYTES = 20_000
_SIGNS = (b"<rss", b"<RSS", b"<feed", b":feed", b"<rdf:", b":RDF")
# Feeds of comments belong to discussions, not to what the site publishes.
_COMMENTS = ("comments/feed", "/comments", "replies", "评论")


def is_feed(body: bytes, *, content_type: str | None = None) -> bool:
    """Tell whether an answer is a feed: by its root element or the version of a JSON Feed, not its content type."""
    if is_json_feed(body):
        return True
    head = body[:_SNIFF_BYTES]
    if not any(sign in head for sign in _SIGNS) and b"\0" not in head:
        return False  # nearly every answer: decided without decoding
    return bool(feed_kind(decode(head, content_type).text.lstrip("\ufeff \r\n\t")))


def discover(page: PageAnalysis) -> tuple[Feed, ...]:
    """Return the feeds a page announces (``<link rel=alternate>``), best first.

    Feeds of comments come last; of a feed that is offered as RSS and as Atom under one title both are kept, for only a
    look inside tells which has more text.
    """
    return tuple(sorted(page.feeds, key=is_of_comments))


def is_of_comments(feed: Feed) -> bool:
    """Tell whether a feed lists comments, by its address and title."""
    about = f"{feed.url} {feed.title}".lower()
    return any(word in about for word in _COMMENTS)
