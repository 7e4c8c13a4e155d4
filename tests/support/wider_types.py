"""Tables in which columns got wider types after rows were written."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa

from hoodoo.options import parse
from hoodoo.plugin import default_catalogue
from hoodoo.schema.evolution import WidensColumns
from hoodoo.storage import storage_for
from hoodoo.testing.engine import ArrowBatch, write_arrow
from hoodoo.writing.prepare.prepare import GROUPS
from hoodoo.writing.write import write_batch

ROWS = {"a": (1, 1.0), "b": (20, 2.0), "c": (3, -3.0), "d": (10**12, 0.5), "e": (5, 5.0)}
"""The values of `n` and `x` by key, in the table that `widened_table` writes."""


def widened_table(path: Path, **options: Any) -> None:
    """Write rows before and after two columns of `int` became `bigint` and `double`."""
    base = {"table_name": "wider", "record_key": "id", "ordering": "ts", **options}
    narrow = _rows({"a": (1, 1), "b": (2, 2), "c": (3, -3), "e": (4, 4)}, pa.int32(), pa.int32())
    write_arrow(narrow, path, {**base, "small_file_limit": 0})
    write_arrow(_rows({"b": (20, 2)}, pa.int32(), pa.int32()), path, {"ordering": "ts"})
    storage = storage_for(path)
    batch = ArrowBatch(_rows({}, pa.int64(), pa.float64()))
    batch.marks = (WidensColumns(),)
    write_batch(batch, storage, parse({"operation": "upsert"}, GROUPS), "append", catalogue=default_catalogue())
    write_arrow(_rows({"d": (10**12, 0.5)}, pa.int64(), pa.float64()), path, {"small_file_limit": 0})
    write_arrow(_rows({"e": (5, 5.0)}, pa.int64(), pa.float64()), path, {})


def _rows(values: dict[str, tuple[Any, Any]], n: pa.DataType, x: pa.DataType) -> pa.Table:
    columns = {
        "id": pa.array(list(values), pa.string()),
        "ts": pa.array([1] * len(values), pa.int64()),
        "n": pa.array([each[0] for each in values.values()], n),
        "x": pa.array([each[1] for each in values.values()], x),
    }
    return pa.table(columns)
