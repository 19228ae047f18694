"""JSON Feed (jsonfeed.org, versions 1 and 1.1): its sign, and its entries as plain fields."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

_SIGN = b"jsonfeed.org/version/"
_SNIFF_BYTES = 20_000


@dataclass(frozen=True, slots=True)
class JsonFeed:
    """A JSON Feed; items are mappings with the names of feedparser, which the other dialects come in."""

    title: str
    link: str  # of the site
    items: tuple[Mapping[str, Any], ...]


def is_json_feed(body: bytes) -> bool:
    """Tell whether an answer is a JSON Feed, by the version it names at its start."""
    head = body[:_SNIFF_BYTES].lstrip(b"\xef\xbb\xbf \r\n\t")
    return head.startswith(b"{") and _SIGN in head.replace(b"\\/", b"/")


def read_json_feed(body: bytes) -> JsonFeed:
    """Return a feed.

    Raises
    ------
    ValueError
        If it is no JSON, or no object with a list of items.
    """
    try:
        whole = json.loads(body.decode("utf-8-sig", "replace"))
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
    items = whole.get("items") if isinstance(whole, dict) else None
    if not isinstance(items, list):
        raise ValueError("no list of items")
    return JsonFeed(
        _text(whole.get("title")),
        _text(whole.get("home_page_url")),
        tuple(_item(item) for item in items if isinstance(item, dict)),
    )


def _item(item: Mapping[str, Any]) -> dict[str, Any]:
    content = _text(item.get("content_html")) or _escaped(_text(item.get("content_text")))
    tags = item.get("tags")
    return {
        "link": _text(item.get("url")) or _text(item.get("external_url")),
        "id": _text(item.get("id")),
        "title": _text(item.get("title")),
        "summary": _escaped(_text(item.get("summary"))),
        "content": [{"value": content}] if content else [],
        "tags": [{"term": _text(tag)} for tag in tags] if isinstance(tags, list) else [],
        "author": _author(item),
        "published_parsed": _stamp(_text(item.get("date_published")) or _text(item.get("date_modified"))),
    }


def _author(item: Mapping[str, Any]) -> str:
    authors = item.get("authors")
    first = authors[0] if isinstance(authors, list) and authors else item.get("author")
    return _text(first.get("name")) if isinstance(first, dict) else ""


def _stamp(text: str) -> Any:
    """Return a date of RFC 3339 as `time.gmtime` has it, None for none."""
    try:
        at = datetime.fromisoformat(text)
        return (at if at.tzinfo is not None else at.replace(tzinfo=UTC)).astimezone(UTC).timetuple()
    except (ValueError, OverflowError):
        return None


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;")


def _text(value: object) -> str:
    # JSON can name half of a surrogate pair, which no file, terminal or database takes.
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else ""
