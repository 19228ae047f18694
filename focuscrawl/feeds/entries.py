"""From the bytes of a feed to its entries (docs/formulas.md G.1); feedparser knows the dialects."""

from __future__ import annotations

import io
import re
from calendar import timegm
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from typing import Any

from focuscrawl.feeds.json_feed import is_json_feed, read_json_feed
from focuscrawl.feeds.plain import one_line, plain_text
from focuscrawl.feeds.refusals import PROLOGUE_CHARS, feed_refusal
from focuscrawl.page.decode import decode
from focuscrawl.page.prologue import read_prologue
from focuscrawl.page.urls import normalize_url

MAX_BYTES = 4 * 2**20
"""What is read of a feed. Entries stand newest first, and no more than the newest are needed; the parser takes about a
second a megabyte."""
MAX_ENTRIES = 1000
MAX_TAGS = 20_000
"""Start tags that are read of a feed, twenty an entry: each costs the parser 50 to 110 µs, however short."""
MAX_REFERENCES = 500_000
"""Ampersands that are read of a feed, 3 µs each; the markup of 4 MB of entries has some 300,000 where it is escaped."""
RELATIVE_BASE = "http://unknown.invalid/"
"""Stands for the address of the site when a feed is a local file whose links are relative."""
MAX_TEXT_CHARS = 200_000  # of one entry; the text of a long book chapter
_MAX_CATEGORIES = 50
_MAX_FIELD_CHARS = 1000
_WEB = ("http://", "https://")

_DECLARATION = re.compile(r"\A\s*<\?xml[^>]*\?>")
_ROOTS = {"rss": "rss", "feed": "atom", "rdf": "rdf"}
_START_TAG = re.compile("<[A-Za-z_]")
_REFERENCE = re.compile("&")
_ENDS = re.compile(r"</(?:[\w.-]+:)?(?:item|entry)\s*>", re.IGNORECASE)
_NO_ENTRY = f"no whole entry in the first {MAX_BYTES // 2**20} MB, {MAX_TAGS:,} tags and {MAX_REFERENCES:,} references"
_CLOSING = {"rss": "</channel></rss>", "atom": "</feed>", "rdf": "</rdf:RDF>"}


@dataclass(frozen=True, slots=True)
class FeedEntry:
    """An entry of a feed; each field is '' or empty when the feed has none."""

    link: str  # absolute
    title: str = ""
    text: str = ""  # the longest of content, description and summary, without markup
    categories: tuple[str, ...] = ()
    published: str = ""  # ISO 8601, UTC
    id: str = ""
    author: str = ""


@dataclass(frozen=True, slots=True)
class ParsedFeed:
    """A feed as read; `entries` newest first, those without a date in the order of the feed at the end."""

    url: str
    title: str = ""
    link: str = ""  # of the site
    entries: tuple[FeedEntry, ...] = ()
    truncated: bool = False  # longer than what is read of a feed
    reason: str = ""  # why there are no entries


def feed_kind(text: str) -> str:
    """Return "rss", "rdf" or "atom" by the root element of a document, '' when it is no feed."""
    root = read_prologue(text[:PROLOGUE_CHARS].lstrip("\ufeff")).root
    prefix, _, local = root.lower().rpartition(":")
    return _ROOTS.get(local, "") if not prefix or local == "rdf" or prefix in ("atom", "a") else ""


def parse_feed(body: bytes, url: str, *, content_type: str | None = None) -> ParsedFeed:
    """Return the entries of a feed.

    Parameters
    ----------
    body
        As it came, content encodings undone; broken XML is read as far as it can be.
    url
        Address of the feed: links are relative to it, or to the ``xml:base`` inside.
    content_type
        The header's value, with its charset.

    Never raises for what is in a feed: one that cannot be read, or that `feed_refusal` refuses, has no entries and a
    `reason`. Of a feed beyond 4 MB, 20,000 tags or 500,000 references the whole entries before are read.
    """
    if not body or body.isspace():
        return ParsedFeed(url, reason="empty feed")
    whole = len(body) <= MAX_BYTES
    if is_json_feed(body):
        return _parse_json(body, url, whole=whole)
    text = decode(body[:MAX_BYTES], _with_declared(body, content_type)).text.lstrip("\ufeff \r\n\t")
    kind = feed_kind(text)
    if not kind:
        return ParsedFeed(url, reason="no feed: the root element is none of rss, rdf:RDF and feed")
    reason = feed_refusal(text)
    if reason:
        return ParsedFeed(url, reason=reason)
    for pattern, most in ((_START_TAG, MAX_TAGS), (_REFERENCE, MAX_REFERENCES)):
        beyond = next(islice(pattern.finditer(text), most, None), None)
        if beyond is not None:
            whole, text = False, text[: beyond.start()]
    ends = [match.end() for match in islice(_ENDS.finditer(text), MAX_ENTRIES + 1)]
    if not whole and not ends:
        return ParsedFeed(url, truncated=True, reason=_NO_ENTRY)
    if not whole or len(ends) > MAX_ENTRIES:
        whole = False
        text = text[: ends[:MAX_ENTRIES][-1]] + _CLOSING[kind]
    text = _DECLARATION.sub("", text, count=1)
    headers = {"content-type": "application/xml; charset=utf-8"}
    if url.lower().startswith(_WEB):
        headers["content-location"] = url
    import feedparser  # late: the start of a crawl needs none

    try:
        # A stream, for a string might be taken for a name of a file or an address. Scripts are dropped with the markup.
        parsed = feedparser.parse(
            io.BytesIO(text.encode("utf-8", "replace")),
            response_headers=headers,
            sanitize_html=False,
            resolve_relative_uris=False,
        )
    except Exception as e:  # of broken feeds the parser lets through whatever its parts raise
        return ParsedFeed(url, truncated=not whole, reason=f"the feed cannot be read: {type(e).__name__}")
    title, site = one_line(parsed.feed.get("title")), one_line(parsed.feed.get("link"))
    return _feed(url, title, site, parsed.entries, truncated=not whole)


def _parse_json(body: bytes, url: str, *, whole: bool) -> ParsedFeed:
    if not whole:
        return ParsedFeed(url, truncated=True, reason=f"a JSON Feed of more than {MAX_BYTES // 2**20} MB")
    try:
        feed = read_json_feed(body)
    except ValueError as error:
        return ParsedFeed(url, reason=f"the feed cannot be read: {error}"[:_MAX_FIELD_CHARS])
    truncated = len(feed.items) > MAX_ENTRIES
    return _feed(url, one_line(feed.title), one_line(feed.link), feed.items, truncated=truncated)


def _feed(url: str, title: str, link: str, items: Sequence[Mapping[str, Any]], *, truncated: bool) -> ParsedFeed:
    """Return a feed of items, newest first."""
    site = normalize_url(link, url) or ""
    entries = [entry for raw in items[:MAX_ENTRIES] if (entry := _entry(raw, url, site)) is not None]
    dated = sorted((e for e in entries if e.published), key=lambda e: e.published, reverse=True)
    undated = [e for e in entries if not e.published]
    return ParsedFeed(
        url,
        title=title[:_MAX_FIELD_CHARS],
        link=site,
        entries=(*dated, *undated),
        truncated=truncated,
        reason="" if entries else "no entry with a link",
    )


def _entry(raw: Mapping[str, Any], url: str, site: str) -> FeedEntry | None:
    link = _link(raw, url, site)
    if not link:
        return None
    texts = [str(content.get("value") or "") for content in raw.get("content") or ()]
    texts += [str(raw.get("summary") or "")]
    markup = max(texts, key=len)
    categories = [one_line(tag.get("term") or tag.get("label")) for tag in (raw.get("tags") or ())[:_MAX_CATEGORIES]]
    return FeedEntry(
        link=link,
        title=one_line(raw.get("title"))[:_MAX_FIELD_CHARS],
        text=plain_text(markup[:MAX_TEXT_CHARS]),
        categories=tuple(dict.fromkeys(c[:_MAX_FIELD_CHARS] for c in categories if c)),
        published=_date(raw),
        id=str(raw.get("id") or "").replace("\0", "")[:_MAX_FIELD_CHARS],
        author=one_line(raw.get("author"))[:_MAX_FIELD_CHARS],
    )


def _link(raw: Mapping[str, Any], url: str, site: str) -> str:
    """Return the address of the page of an entry; relative ones are taken from the feed's own address."""
    given = str(raw.get("link") or "").strip()
    if not given:
        identity = str(raw.get("id") or "").strip()
        given = identity if identity.lower().startswith(_WEB) else ""
    if not given:
        return ""
    base = url if url.lower().startswith(_WEB) else site if site.startswith(_WEB) else RELATIVE_BASE
    return normalize_url(given, base) or ""


def _date(raw: Mapping[str, Any]) -> str:
    stamp = raw.get("published_parsed") or raw.get("updated_parsed")
    if not stamp:
        return ""
    try:
        return datetime.fromtimestamp(timegm(stamp), UTC).isoformat()
    except (ValueError, OverflowError, OSError):
        return ""


def _with_declared(body: bytes, content_type: str | None) -> str | None:
    """Return a content type whose charset is that of the XML declaration, when it has one: authors know better."""
    match = re.match(rb"\s*<\?xml[^>]*?encoding\s*=\s*[\"']([\w.:-]+)", body[:400])
    return f"application/xml; charset={match[1].decode('ascii', 'replace')}" if match else content_type
