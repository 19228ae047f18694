"""Pages of a run as Parquet: typed columns, written in batches, so that memory does not grow with the run."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import islice
from typing import TYPE_CHECKING, Any

from focuscrawl.errors import ConfigError
from focuscrawl.storage.columns import BOOLEAN, INTEGER, LIST, OBJECT, REAL, TIME, TableColumn

if TYPE_CHECKING:
    import pyarrow as pa

_BATCH = 1_000  # rows held at a time, and rows of a group: with texts of 10 kB some 10 MB


def write_parquet(rows: Iterable[Mapping[str, Any]], columns: Sequence[TableColumn], file: Any) -> int:
    """Write rows of these columns to an open binary file; return how many there were.

    Times are timestamps in UTC, keys and texts strings, lists lists of strings, JSON objects strings of JSON.

    Raises
    ------
    ConfigError
        If pyarrow is not installed.
    """
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ImportError as error:
        raise ConfigError("--format parquet: needs pyarrow: pip install 'focuscrawl[parquet]'.") from error
    schema = pa.schema([pa.field(column.name, _type(pa, column)) for column in columns])
    count = 0
    source = iter(rows)
    with parquet.ParquetWriter(file, schema, compression="zstd") as writer:
        for batch in _batches(source):
            values = [{column.name: _value(column, row[column.name]) for column in columns} for row in batch]
            writer.write_batch(pa.RecordBatch.from_pylist(values, schema=schema))
            count += len(batch)
    return count


def _batches(rows: Iterator[Mapping[str, Any]]) -> Iterator[list[Mapping[str, Any]]]:
    while batch := list(islice(rows, _BATCH)):
        yield batch


def _type(pa: Any, column: TableColumn) -> pa.DataType:
    types = {TIME: pa.timestamp("ms", tz="UTC"), REAL: pa.float64(), INTEGER: pa.int64(), BOOLEAN: pa.bool_()}
    return pa.list_(pa.string()) if column.kind is LIST else types.get(column.kind, pa.string())


def _value(column: TableColumn, value: Any) -> Any:
    if value is None:
        return None
    if column.kind is TIME:
        return datetime.fromtimestamp(value, UTC)
    if column.kind is OBJECT:
        return json.dumps(value, ensure_ascii=False)
    if column.kind is LIST:
        return [one if isinstance(one, str) else json.dumps(one, ensure_ascii=False) for one in value]
    return _clean(value) if isinstance(value, str) else value


def _clean(text: str) -> str:
    """Return `text` as UTF-8 can hold it: half of a surrogate pair, as broken pages have them, becomes ``?``."""
    return text.encode("utf-8", "replace").decode("utf-8")
