"""Form of a record in files: JSON lines, CSV and Parquet have the same columns, each of one type in every row.

Programs that read a file guess the types from its first rows, where a list may be empty and an author unknown. So a
text that is not known is empty rather than null; posts of a thread and counts by word, which are objects, are texts of
JSON; and a time is written in one way, with its zone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from focuscrawl.storage.columns import KEY, OBJECT, TEXT, TIME, TableColumn
from focuscrawl.storage.page_rows import PAGES, RecordTable
from focuscrawl.storage.values import to_ordered_json

JSON_TEXTS = frozenset({"records", "evidence"})
"""Columns of objects, which are texts of JSON in a file; '' where there are none."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def typed_row(
    record: Any, table: RecordTable[Any] = PAGES, columns: Sequence[TableColumn] | None = None
) -> dict[str, Any]:
    """Return what is written of a record, by column; all that are exported, or those given."""
    wanted = table.exported if columns is None else columns
    return typed_fields(table.fields(record, wanted), wanted)


def typed_fields(values: Mapping[str, Any], columns: Sequence[TableColumn] = PAGES.exported) -> dict[str, Any]:
    """Return what is written of the fields of a record, by column; one that is missing is not known."""
    return {column.name: _typed(column, values.get(column.name)) for column in columns}


def time_text(at: float) -> str:
    """Return a time as ISO 8601 in UTC, to the millisecond.

    >>> time_text(1_790_000_000.25)
    '2026-09-21T14:13:20.250+00:00'
    """
    return (_EPOCH + timedelta(milliseconds=round(at * 1000.0))).isoformat(timespec="milliseconds")


def _typed(column: TableColumn, value: Any) -> Any:
    if column.kind is TIME:
        return None if value is None else time_text(value)
    if column.kind is TEXT or column.kind is KEY:
        return "" if value is None else value
    if column.name in JSON_TEXTS or column.kind is OBJECT:
        return to_ordered_json(value) if value else ""  # databases keep the members in orders of their own
    return value
