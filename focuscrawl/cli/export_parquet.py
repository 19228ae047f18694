"""Pages of a run as Parquet: typed columns, written in batches, so that memory does not grow with the run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import islice
from typing import TYPE_CHECKING, Any

from focuscrawl.errors import InputError
from focuscrawl.storage.columns import BOOLEAN, INTEGER, LIST, REAL, TIME, TableColumn
from focuscrawl.storage.typed_rows import JSON_TEXTS
from focuscrawl.types import storable

if TYPE_CHECKING:
    import pyarrow as pa

_BATCH = 1_000  # rows taken at a time: as Python objects they are several times as large as in a group
_GROUP_BYTES = 64 * 2**20  # of a group of rows, uncompressed; the writer keeps what it needs to know of all groups


def write_parquet(rows: Iterable[Mapping[str, Any]], columns: Sequence[TableColumn], file: Any) -> int:
    """Write rows of these columns to an open binary file; return how many there were.

    Times are timestamps in UTC, keys and texts strings, lists lists of strings, objects texts of JSON.

    Raises
    ------
    ConfigError
        If pyarrow is not installed.
    """
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ImportError as error:
        raise InputError("--format parquet: needs pyarrow: pip install 'focuscrawl[parquet]'.") from error
    schema = pa.schema([pa.field(column.name, _type(pa, column)) for column in columns])
    count = size = 0
    group: list[pa.RecordBatch] = []
    source = iter(rows)
    with parquet.ParquetWriter(file, schema, compression="zstd") as writer:
        for batch in _batches(source):
            arrays = [
                pa.array([_value(column, row[column.name]) for row in batch], type=field.type)
                for column, field in zip(columns, schema, strict=True)
            ]
            group.append(pa.RecordBatch.from_arrays(arrays, schema=schema))
            count += len(batch)
            size += group[-1].nbytes
            if size >= _GROUP_BYTES:
                writer.write_table(pa.Table.from_batches(group))
                group, size = [], 0
        if group:
            writer.write_table(pa.Table.from_batches(group))
    return count


def _batches(rows: Iterator[Mapping[str, Any]]) -> Iterator[list[Mapping[str, Any]]]:
    while batch := list(islice(rows, _BATCH)):
        yield batch


def _type(pa: Any, column: TableColumn) -> pa.DataType:
    types = {TIME: pa.timestamp("ms", tz="UTC"), REAL: pa.float64(), INTEGER: pa.int64(), BOOLEAN: pa.bool_()}
    is_list = column.kind is LIST and column.name not in JSON_TEXTS
    return pa.list_(pa.string()) if is_list else types.get(column.kind, pa.string())


def _value(column: TableColumn, value: Any) -> Any:
    if value is None:
        return None
    if column.kind is TIME:
        return datetime.fromisoformat(value)
    return _cleaned(value)


def _cleaned(value: Any) -> Any:
    """Return texts as UTF-8 can hold them: half of a surrogate pair, as broken pages have them, becomes U+FFFD."""
    if isinstance(value, str):
        return storable(value)
    return [_cleaned(one) for one in value] if isinstance(value, list) else value
