"""Rows of the format `cdc`: operation, instant, and the images of a row before and after the change."""

from __future__ import annotations

from typing import TypeAlias

import pyarrow as pa

from hoodoo.reading.changes.json_text import json_objects

__all__ = ["CHANGES", "DELETED", "INSERTED", "UPDATED", "changes"]

OPERATION, INSTANT, BEFORE, AFTER = "op", "ts_ms", "before", "after"

CHANGES = pa.schema([(name, pa.string()) for name in (OPERATION, INSTANT, BEFORE, AFTER)])
"""Columns of the format `cdc`."""

INSERTED, UPDATED, DELETED = "i", "u", "d"
"""Values of `op`."""


Images: TypeAlias = pa.Table | pa.StructArray | None
"""Rows without meta columns, as a table or as structs; None if all changes lack the image."""


def changes(operation: str | pa.Array, instant: str, before: Images, after: Images) -> pa.Table:
    """Return a table with the columns `CHANGES` and one row per change.

    Args:
        operation: The operation of all changes, or of each.
        instant: The instant of the commit.
        before: The rows before the changes; None if all rows were inserted, null for an inserted row among others.
        after: The rows after the changes; None if all rows were deleted, null for a deleted row among others.

    Raises:
        UnsupportedTable: A column has a type without a JSON form.
    """
    rows = before if before is not None else after
    assert rows is not None
    count = len(rows)
    images = [pa.nulls(count, pa.string()) if side is None else json_objects(side) for side in (before, after)]
    operations = pa.repeat(pa.scalar(operation), count) if isinstance(operation, str) else operation
    return pa.Table.from_arrays([operations, pa.repeat(pa.scalar(instant), count), *images], schema=CHANGES)
