"""Rows that `hoodoo.write` accepts without Spark: Arrow data, and objects that can be read as Arrow."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any
from weakref import WeakSet

import pyarrow as pa

from hoodoo.errors import DataError, SchemaError
from hoodoo.local.row_source import RowSource

__all__ = ["ACCEPTED", "rows_of"]

ACCEPTED = (
    "a Spark DataFrame, a pandas or Polars DataFrame, a DuckDB relation, a pyarrow table, record batch or record batch "
    "reader, or another object with the method __arrow_c_stream__"
)

HINTS = {
    "LazyFrame": "call collect()",
    "Series": "make a DataFrame of it",
    "ChunkedArray": "make a table of it, with pyarrow.table",
    "Dataset": "call scanner().to_reader()",
    "Scanner": "call to_reader()",
    "list": "make a table of it, with pyarrow.Table.from_pylist",
    "dict": "make a table of it, with pyarrow.table",
    "str": "read the file first, for example with pyarrow.parquet.read_table",
    "PurePath": "read the file first, for example with pyarrow.parquet.read_table",
    "GroupedData": "call agg() first",
}
"""Advice for objects that are not accepted, by the name of their class or of a base class."""

_read: WeakSet[pa.RecordBatchReader] = WeakSet()


def rows_of(data: Any) -> RowSource:
    """Return the rows of an object. Neither pandas, nor Polars, nor DuckDB is imported for that.

    A record batch reader is read only once, when the write runs: a second write of the same reader is an error.

    Raises:
        DataError: The object cannot be read as rows in Arrow (code `input_type`), or is a reader that another write
            has read (code `consumed_reader`).
        SchemaError: A column has values of a type that Arrow does not have (code `column_type`), or a pandas DataFrame
            has a named index (`index`) or two columns of one name (`column_name`).
    """
    if isinstance(data, pa.Table):
        return RowSource.of_table(data)
    if isinstance(data, pa.RecordBatchReader):
        return _of_reader(data)
    pandas = sys.modules.get("pandas")
    if pandas is not None and isinstance(data, pandas.DataFrame):
        return RowSource.of_table(_of_pandas(data))
    if hasattr(data, "__arrow_c_stream__"):
        return _of_stream(data)
    raise _refused(data)


def _of_reader(reader: pa.RecordBatchReader) -> RowSource:
    if reader in _read:
        raise _consumed()

    def batches() -> Iterator[pa.RecordBatch]:
        if reader in _read:
            raise _consumed()
        _read.add(reader)
        yield from reader

    return RowSource(reader.schema, batches)


def _consumed() -> DataError:
    return DataError(
        "this record batch reader was read by an earlier write, and has no more rows; make a new reader for each "
        "attempt, or write a table (reader.read_all()), which can be written again after an error",
        code="consumed_reader",
    )


def _of_pandas(frame: Any) -> pa.Table:
    named = [name for name in frame.index.names if name is not None]
    if named:
        raise SchemaError(
            f"the pandas DataFrame has the index '{named[0]}', which is not a column; make it one with reset_index(), "
            "or drop it with reset_index(drop=True)",
            code="index",
        )
    names = [str(name) for name in frame.columns]  # the labels 1 and "1" are the same name
    if twice := [name for place, name in enumerate(names) if name in names[:place]]:
        raise SchemaError(f"column '{twice[0]}' occurs twice; rename one of them", code="column_name")
    columns = {}
    for name in frame.columns:
        try:
            columns[str(name)] = pa.Array.from_pandas(frame[name])
        except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError) as error:
            raise _unreadable(str(name), str(frame[name].dtype), error) from error
    return pa.table(columns)


def _of_stream(data: Any) -> RowSource:
    try:
        reader = pa.RecordBatchReader.from_stream(data)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        if "non-struct" in str(error):
            raise _refused(data) from error
        raise _unreadable_column(data, error) from error
    return _of_reader(reader)


def _unreadable_column(data: Any, error: Exception) -> SchemaError:
    """Return the error of the first column that cannot be read as Arrow; an error without a column if none is found."""
    for name in getattr(data, "columns", ()):
        try:
            pa.chunked_array(data[name])
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError, TypeError) as problem:
            return _unreadable(str(name), str(getattr(data[name], "dtype", "unknown")), problem)
    return SchemaError(
        f"the rows cannot be read as Arrow: {error}; cast the column to a type of Arrow before writing",
        code="column_type",
    )


def _unreadable(name: str, kind: str, error: Exception) -> SchemaError:
    reason = error.args[0] if error.args else error
    return SchemaError(
        f"column '{name}' of type {kind} cannot be read as Arrow: {reason}; cast it to one type before writing, such "
        "as text or a number",
        code="column_type",
    )


def _refused(data: Any) -> DataError:
    kind = type(data)
    hint = next((HINTS[base.__name__] for base in kind.__mro__ if base.__name__ in HINTS), None)
    return DataError(
        f"hoodoo.write accepts {ACCEPTED}; the given object is of type {kind.__module__}.{kind.__qualname__}"
        + (f"; {hint}" if hint else ""),
        code="input_type",
    )
