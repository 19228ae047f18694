"""`PageRecord` as a row of ``pages`` and back."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from focuscrawl.records import PageRecord
from focuscrawl.storage.keys import to_signed, to_unsigned

COLUMNS = tuple(field.name for field in fields(PageRecord))
"""Columns of ``pages`` that a record fills, in the order of its fields."""

_NAMES = ", ".join(f'"{name}"' for name in COLUMNS)
# A page fetched again after a failure takes the place of its earlier row, and the last number.
INSERT = f"INSERT OR REPLACE INTO pages ({_NAMES}) VALUES ({', '.join('?' * len(COLUMNS))})"  # noqa: S608
SELECT = f"SELECT {_NAMES} FROM pages"  # noqa: S608
SELECT_WITHOUT_TEXT = SELECT.replace('"text"', "''").replace('"records"', "'[]'")


def pages_query(
    *,
    relevant: bool | None = None,
    outcome: str | None = None,
    host: str | None = None,
    with_text: bool = True,
    best_first: bool = False,
    limit: int | None = None,
    after: int = 0,
) -> tuple[str, list[object]]:
    """Return the query for records, as `CrawlDb.pages` says, and its values; SQLite and PostgreSQL both read it."""
    where, given = ["number > ?"], list[object]((after,))
    if relevant is not None:
        where.append("relevant" if relevant else "NOT relevant")
    for name, value in (("outcome", outcome), ("host", host)):
        if value is not None:
            where.append(f"{name} = ?")
            given.append(value)
    order = "relevance DESC, number" if best_first else "number"
    query = f"{SELECT if with_text else SELECT_WITHOUT_TEXT} WHERE {' AND '.join(where)} ORDER BY {order}"
    if limit is not None:
        query += " LIMIT ?"
        given.append(limit)
    return query, given


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{type(value).__name__} is not JSON-safe: {value!r:.80}")


_encoder = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), default=_plain)
_PARENT, _DUPLICATE, _RELEVANT = map(COLUMNS.index, ("parent", "duplicate_of", "relevant"))
_JSON = tuple(map(COLUMNS.index, ("parts", "judged", "keywords", "records")))
_LISTS = tuple(map(COLUMNS.index, ("keywords", "records")))


def to_row(record: PageRecord) -> list[Any]:
    """Return the values of `COLUMNS`."""
    row: list[Any] = [clean(v) if isinstance(v := getattr(record, name), str) else v for name in COLUMNS]
    row[0] = to_signed(record.key)
    for index in (_PARENT, _DUPLICATE):
        if row[index] is not None:
            row[index] = to_signed(row[index])
    row[_RELEVANT] = int(record.relevant)
    for index in _JSON:
        row[index] = to_json(row[index])
    return row


def to_record(row: tuple[Any, ...]) -> PageRecord:
    """Return the record of a row of `SELECT`."""
    values = list(row)
    values[0] = to_unsigned(values[0])
    for index in (_PARENT, _DUPLICATE):
        if values[index] is not None:
            values[index] = to_unsigned(values[index])
    values[_RELEVANT] = bool(values[_RELEVANT])
    for index in _JSON:
        values[index] = json.loads(values[index])
    for index in _LISTS:
        values[index] = tuple(values[index])
    return PageRecord(*values)


def clean(text: str) -> str:
    """Return text SQLite can hold: half a surrogate pair, which some pages contain, becomes U+FFFD."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def to_json(value: object) -> str:
    """Return `value` as compact JSON text that SQLite can hold."""
    return clean(_encoder.encode(value))
