"""Columns of a table of records, derived from the fields of the record's class."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, fields
from types import NoneType, UnionType
from typing import Annotated, Any, get_args, get_origin, get_type_hints

from focuscrawl.records import Column
from focuscrawl.storage.values import to_json


@dataclass(frozen=True, slots=True, eq=False)
class Kind:
    """Type of a column in both databases and in exports, with its empty value."""

    name: str
    sqlite: str
    postgres: str
    exported: Any
    zero: object


KEY = Kind("key", "INTEGER", "bigint", str, 0)  # unsigned here, signed in a database, 16 hex digits when exported
TIME = Kind("time", "REAL", "double precision", float, 0.0)  # Unix seconds, UTC
TEXT = Kind("text", "TEXT", "text", str, "")
REAL = Kind("number", "REAL", "double precision", float, 0.0)
INTEGER = Kind("integer", "INTEGER", "bigint", int, 0)
BOOLEAN = Kind("yes or no", "INTEGER", "boolean", bool, False)
OBJECT = Kind("JSON object", "TEXT", "jsonb", dict[str, Any], {})
LIST = Kind("JSON list", "TEXT", "jsonb", list[Any], ())

_SPECIAL = {"key": KEY, "time": TIME}
_BY_TYPE = {str: TEXT, float: REAL, int: INTEGER, bool: BOOLEAN, Mapping: OBJECT, tuple: LIST}


@dataclass(frozen=True, slots=True)
class TableColumn:
    """A column of a table of records."""

    name: str
    kind: Kind
    nullable: bool
    default: object
    about: Column

    @property
    def is_json(self) -> bool:
        """Whether the databases hold it as JSON."""
        return self.kind in (OBJECT, LIST)

    @property
    def literal(self) -> str:
        """The default in SQL, as both databases read it."""
        value = to_json(self.default) if self.is_json else self.default
        if isinstance(value, str):
            return "'" + value.replace("'", "''") + "'"
        return "NULL" if value is None else str(value).upper()

    @property
    def earlier(self) -> str:
        """Value of rows written before there was this column, in SQL."""
        return self.about.earlier or self.literal

    def definition(self, sql_type: str) -> str:
        """Return the column as ``CREATE TABLE`` and ``ALTER TABLE`` want it."""
        return f'"{self.name}" {sql_type}{"" if self.nullable else " NOT NULL"} DEFAULT {self.literal}'


def filling(added: Sequence[TableColumn], table: str) -> str:
    """Return the statements that give the rows of a table what they have in columns just added, beside defaults."""
    names = [column for column in added if column.about.earlier]
    return " ".join(f'UPDATE {table} SET "{column.name}" = {column.earlier};' for column in names)  # noqa: S608


def columns_of(record: type) -> tuple[TableColumn, ...]:
    """Return the columns of a class of records, in the order of its fields.

    Raises
    ------
    TypeError
        If a field is not ``Annotated[type, Column(…)]``, or of a type no column can hold.
    """
    hints = get_type_hints(record, include_extras=True)
    return tuple(_column(field, hints[field.name]) for field in fields(record))


def _column(field: Field[Any], hint: Any) -> TableColumn:
    about = next((note for note in getattr(hint, "__metadata__", ()) if isinstance(note, Column)), None)
    if get_origin(hint) is not Annotated or about is None:
        raise TypeError(f"{field.name}: expected Annotated[type, Column(...)], found {hint!r}")
    type_ = get_args(hint)[0]
    nullable = get_origin(type_) is UnionType and NoneType in get_args(type_)
    if nullable:
        (type_,) = (one for one in get_args(type_) if one is not NoneType)
    kind = _SPECIAL[about.kind] if about.kind else _BY_TYPE.get(get_origin(type_) or type_)
    if kind is None:
        raise TypeError(f"{field.name}: no column can hold {type_!r}")
    if field.default_factory is not MISSING:
        default = field.default_factory()
    else:
        default = (None if nullable else kind.zero) if field.default is MISSING else field.default
    return TableColumn(field.name, kind, nullable, default, about)
