"""Instruments that detect whether a rule changes its input or works row by row."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Iterable
from types import FrameType
from typing import Any

import numpy as np
import pyarrow as pa

from hoodoo.record import Records

__all__ = ["changed_by", "lines_run", "unconvertible"]

_BAD_TEXT = b"\xff\xfe"
_YEAR_14645 = 400_000_000_000_000_000


def changed_by(call: Callable[[], Any], records: Iterable[Records]) -> str | None:
    """Return a description of the first change that a call made or tried to make in the records; None if unchanged."""
    watched = list(records)
    before = [_snapshot(one) for one in watched]
    try:
        call()
    except ValueError as error:
        if "read-only" not in str(error):
            raise
        return f"an attempt failed: {error}"
    for old, new in zip(before, map(_snapshot, watched), strict=True):
        for name, value in old.items():
            if new[name] != value:
                return f"{name}, from {value} to {new[name]}"
    return None


def _snapshot(records: Records) -> dict[str, str]:
    source, ordering = records.source, records.ordering
    return {
        "rows": repr(records.rows.tolist()),
        "keys": repr(records.keys.to_pylist()),
        "operation": repr(records.operation.tolist()),
        "has_data": repr(records.has_data.tolist()),
        "ordering": repr([ordering.row(row) for row in range(len(records))]),
        "deleted": repr(records.deleted),
        **{f"column '{name}'": repr(records.column(name).to_pylist()) for name in records.schema.names},
        **{f"presence of '{name}'": repr(records.present(name)) for name in records.schema.names},
        "the table of the source": repr(source.table.to_pydict()),
        "the operations of the source": repr(source.operation.tolist()),
        "has_data of the source": repr(source.has_data.tolist()),
    }


def unconvertible(table: pa.Table) -> pa.Table:
    """Return a table of the same shape whose string, date and timestamp columns cannot become Python objects.

    Nulls, columns of other types, and nested values are unchanged.
    """
    columns = [_poisoned(column.combine_chunks()) for column in table.columns]
    return pa.table(columns, schema=table.schema)


def _poisoned(values: pa.Array) -> pa.Array:
    null = values.is_null().to_numpy(zero_copy_only=False)
    numbers = np.arange(len(values))
    if pa.types.is_string(values.type):
        texts = [_BAD_TEXT + str(number).encode() for number in numbers]
        return pa.array(texts, pa.binary(), mask=null).view(pa.string())
    if pa.types.is_timestamp(values.type):
        return pa.array(_YEAR_14645 + numbers, pa.int64(), mask=null).view(values.type)
    if pa.types.is_date32(values.type):
        return pa.array((2**31 - 1 - numbers).astype(np.int32), mask=null).view(values.type)
    return values


def lines_run(call: Callable[[], Any]) -> int:
    """Return the number of lines of Python that a call runs; each iteration of a loop counts."""
    count = 0

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal count
        count += event == "line"
        return trace

    outer, collects = sys.gettrace(), gc.isenabled()
    gc.disable()  # code that runs during garbage collection is not part of the plugin
    sys.settrace(trace)
    try:
        call()
    finally:
        sys.settrace(outer)
        if collects:
            gc.enable()
    return count
