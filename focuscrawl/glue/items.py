"""The item a relevant page yields: the fields of ``pages.jsonl``, for Scrapy's feeds and pipelines."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

from focuscrawl.records import PageRecord
from focuscrawl.storage.jsonl import page_fields


@dataclass(slots=True)
class PageItem:
    """A relevant page. Keys are 16 hex digits; times are Unix seconds, UTC."""

    key: str
    fetched_at: float
    url: str
    final_url: str
    host: str
    status: int
    title: str
    text: str
    language: str
    published: str | None
    author: str | None
    category: str | None
    keywords: list[str]
    summary: str
    records: list[dict[str, str | None]]
    extractor: str
    relevance: float
    threshold: float
    relevant: bool
    depth: int
    tunnel: int
    parent: str | None
    anchor: str
    predicted: float
    score: float
    priority: float
    group: str
    content_digest: str
    duplicate_of: str | None
    outcome: str
    reason: str
    body_bytes: int


def page_item(record: PageRecord) -> PageItem:
    """Return the item of a record."""
    return PageItem(**cast("dict[str, Any]", page_fields(record)))
