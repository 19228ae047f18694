"""Scrapy item of a relevant page, with the fields of ``pages.jsonl``."""

from __future__ import annotations

from dataclasses import field, make_dataclass
from typing import Any

from focuscrawl.records import PageRecord
from focuscrawl.storage.columns import OBJECT
from focuscrawl.storage.page_rows import PAGES, RecordTable

BY_WORD = "by_word"
"""Name of the mark, among a field's metadata, of counts by place and word: a word may be any text."""


def item_class(name: str, table: RecordTable[Any]) -> type[Any]:
    """Return a class of items with what a table exports; feeds and pipelines take them as they take dataclasses."""
    fields = []
    for column in table.exported:
        kind = column.kind.exported | None if column.nullable else column.kind.exported
        about = {"description": column.about.meaning, BY_WORD: column.kind is OBJECT}
        fields.append((column.name, kind, field(metadata=about)))
    doc = "A relevant page. Keys are 16 hex digits; times are Unix seconds, UTC."
    return make_dataclass(name, fields, slots=True, namespace={"__module__": __name__, "__doc__": doc})


PageItem: Any = item_class("PageItem", PAGES)


def page_item(record: PageRecord) -> Any:
    """Return the item of a record."""
    return PageItem(**PAGES.fields(record))
