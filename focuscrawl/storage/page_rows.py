"""Tables of records: what SQLite, PostgreSQL, JSON lines, CSV and items need, derived from the record's class."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Generic, TypeVar

from focuscrawl.errors import StoreError
from focuscrawl.records import PageRecord
from focuscrawl.storage.columns import BOOLEAN, KEY, LIST, OBJECT, Kind, TableColumn, columns_of
from focuscrawl.storage.keys import hex_key, to_signed, to_unsigned
from focuscrawl.storage.values import to_json
from focuscrawl.types import storable

R = TypeVar("R")
# What tells two rows apart comes first in a line of JSON: a long file is compared without parsing its texts.
_FIRST = ("key", "fetched_at")


class RecordTable(Generic[R]):
    """The table ``pages`` of a class of records, whose field `key` is unique.

    Columns of the database beside those of the record: ``number``, in the order in which rows were written.
    """

    def __init__(self, record: type[R]) -> None:
        self.record = record
        self.columns = columns_of(record)
        self.names = tuple(column.name for column in self.columns)
        self.exported = tuple(
            sorted((c for c in self.columns if c.about.exported), key=lambda c: (*(c.name != one for one in _FIRST),))
        )
        quoted = ", ".join(f'"{name}"' for name in self.names)
        self.select = f"SELECT {quoted} FROM pages"  # noqa: S608 - names of our own, here and below
        # A page fetched again after a failure takes the place of its earlier row, and the last number.
        self.insert = f"INSERT OR REPLACE INTO pages ({quoted}) VALUES ({', '.join('?' * len(self.names))})"  # noqa: S608
        assigned = ", ".join(f'"{name}" = ?' for name in self.names)
        self.update = f'UPDATE pages SET {assigned} WHERE "key" = ?'  # noqa: S608
        brief = ", ".join(f"{c.literal} AS {c.name}" if c.about.long else f'"{c.name}"' for c in self.columns)
        self.select_brief = f"SELECT {brief} FROM pages"  # noqa: S608
        self._keys = self.places(KEY)
        self._booleans = self.places(BOOLEAN)
        self._json = self.places(OBJECT, LIST)
        self._lists = self.places(LIST)

    def places(self, *kinds: Kind) -> tuple[int, ...]:
        """Return where columns of these kinds stand in a row."""
        return tuple(i for i, column in enumerate(self.columns) if column.kind in kinds)

    def missing(self, there: Collection[str]) -> list[TableColumn]:
        """Return the columns that a table with the columns `there` lacks."""
        return [column for column in self.columns if column.name not in there]

    def sqlite_table(self) -> str:
        """Return the statement that makes the table in SQLite."""
        columns = ", ".join(column.definition(column.kind.sqlite) for column in self.columns)
        return f'CREATE TABLE pages (number INTEGER PRIMARY KEY, {columns}, UNIQUE ("key"))'

    def to_row(self, record: R) -> list[Any]:
        """Return the values of the columns, as SQLite holds them."""
        row: list[Any] = [storable(v) if isinstance(v := getattr(record, name), str) else v for name in self.names]
        for i in self._keys:
            if row[i] is not None:
                row[i] = to_signed(row[i])
        for i in self._booleans:
            row[i] = int(row[i])
        for i in self._json:
            row[i] = to_json(row[i])
        return row

    def to_record(self, row: tuple[Any, ...]) -> R:
        """Return the record of a row of `select`.

        Raises
        ------
        StoreError
            If a value of it is damaged.
        """
        values = list(row)
        for i in self._keys:
            if values[i] is not None:
                values[i] = to_unsigned(values[i])
        for i in self._booleans:
            values[i] = bool(values[i])
        for i in self._json:
            values[i] = self._json_of(row, i)
        for i in self._lists:
            values[i] = tuple(values[i])
        return self.record(*values)

    def _json_of(self, row: tuple[Any, ...], i: int) -> Any:
        try:
            value = json.loads(row[i])
        except (TypeError, ValueError, RecursionError):
            value = None
        if isinstance(value, list if i in self._lists else dict):
            return value
        column, found_by = self.columns[i], dict(zip(self.names, row, strict=True)).get("url", "a page")
        raise StoreError(
            f'damaged: "{column.name}" of {found_by} in the table pages is no {column.kind.name}. Put a copy of the'
            " file back, or delete the row to go on without what it tells."
        )

    def fields(self, record: R, columns: Sequence[TableColumn] | None = None) -> dict[str, Any]:
        """Return what is exported of a record, by column; keys are 16 hex digits, since JSON readers round.

        Parameters
        ----------
        columns
            Those that are wanted, of `exported`; None for all.
        """
        wanted = self.exported if columns is None else columns
        return {column.name: _exported(column.kind, getattr(record, column.name)) for column in wanted}


PAGES = RecordTable(PageRecord)
"""The table of pages."""


def _exported(kind: Kind, value: Any) -> Any:
    if value is None:
        return None
    if kind is KEY:
        return hex_key(value)
    if kind is OBJECT:
        return dict(value)
    if kind is LIST:
        return [dict(one) if isinstance(one, Mapping) else one for one in value]
    return value
