"""Conversion between records and versions in the notation of merge vectors, which are plain dictionaries.

A row is a live version. With `$flagged` in addition to its columns it is a delete with data. A key-only delete is
`{"id": ..., "$delete": True, "$ordering": value}`; `$ordering` is a list if there are several ordering columns, and
None if the delete has no ordering value.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from attrs import evolve
from numpy.typing import NDArray

from hoodoo.merge import Rule
from hoodoo.merge.rule import ALL_COLUMNS
from hoodoo.record import Operation, Records, Source
from hoodoo.testing.data.type_names import arrow_table

__all__ = [
    "Row",
    "delete",
    "deletes_of",
    "flagged",
    "is_key_only",
    "log_records",
    "ordering_of",
    "source_of",
    "spelled",
    "table_of",
]

Row = Mapping[str, Any]


def delete(key: str, ordering: Any = None) -> dict[str, Any]:
    """Return a key-only delete; it has no ordering value if `ordering` is None."""
    return {"id": key, "$delete": True, "$ordering": ordering}


def flagged(row: Row) -> dict[str, Any]:
    """Return the row as a delete with data, as if a delete rule had found it."""
    return {**row, "$flagged": True}


def is_key_only(row: Row) -> bool:
    """Return whether the version is a key-only delete."""
    return bool(row.get("$delete"))


def ordering_of(row: Row, ordering: Sequence[str]) -> tuple[Any, ...] | None:
    """Return the ordering values of a version, or None if it has none."""
    values = _columns(row, ordering)
    found = tuple(values.get(name) for name in ordering)
    return None if all(value is None for value in found) else found


def table_of(rows: Sequence[Row], schema: Mapping[str, Any], ordering: Sequence[str]) -> pa.Table:
    """Return the columns of versions. A key-only delete has its ordering values in the ordering columns."""
    return arrow_table([_columns(row, ordering) for row in rows], schema)


def deletes_of(rows: Sequence[Row]) -> NDArray[np.bool_]:
    """Return a mask of the versions that are deletes."""
    return np.array([is_key_only(row) or bool(row.get("$flagged")) for row in rows], dtype=bool)


def source_of(
    rule: Rule,
    rows: Sequence[Row],
    table: pa.Table,
    keys: pa.Array,
    deletes: NDArray[np.bool_] | None = None,
    *,
    incoming: bool = True,
) -> Source:
    """Return versions as a source for a rule.

    Args:
        rule: The rule, which has the ordering columns.
        rows: The versions.
        table: The columns of the versions, from `table_of`.
        keys: The record keys of the versions.
        deletes: The mask of deletes; None for `deletes_of(rows)`.
        incoming: Whether to apply the checks of a write. A stored row may lack an ordering value.

    Raises:
        DataError: An incoming row lacks the ordering value that the rule compares.
    """
    has_data = np.array([not is_key_only(row) for row in rows], dtype=bool)
    deletes = deletes_of(rows) if deletes is None else deletes
    if incoming:
        source = rule.incoming(table, table.schema, keys, deletes, has_data)
    else:
        operation = np.where(deletes, Operation.DELETE, Operation.INSERT).astype(np.int8)
        source = evolve(rule.stored(table, table.schema, keys), operation=operation, has_data=has_data)
    if rule.batch is not rule.storage:  # payloads do not have partial versions: a missing column is null
        return source
    return evolve(source, present=_present(rows, table.column_names))


def log_records(rule: Rule, source: Source) -> Source:
    """Return versions as log records.

    A log keeps the key and the ordering value of a delete. If the rule declares `keeps_with_deletes`, the log
    also keeps these columns of a delete that has data, unless the delete is unconditional.
    """
    names, ordering = rule.keeps_with_deletes, source.ordering
    deletes = source.records().is_delete & source.has_data
    kept = deletes & bool(names)
    if rule.uses_ordering and ordering.fields:
        kept &= ~ordering.absent
    emptied = deletes & ~kept
    table = _without_columns(source.table, emptied, ordering.fields)
    if ALL_COLUMNS not in names:
        table = _without_columns(table, kept, (*ordering.fields, *names))
    present = {name: mask | emptied for name, mask in source.present.items()}
    return evolve(source, table=table, has_data=source.has_data & ~emptied, present=present)


def _without_columns(table: pa.Table, rows: NDArray[np.bool_], kept: Sequence[str]) -> pa.Table:
    """Return the table with nulls in the given rows, except in the columns of these names or paths."""
    roots = {name.partition(".")[0] for name in kept}
    places = pa.array(np.arange(len(rows)), mask=rows)
    columns = [table[name] if name in roots else table[name].take(places) for name in table.column_names]
    return pa.table(columns, schema=table.schema)


def spelled(records: Records) -> list[dict[str, Any]]:
    """Return records as versions in the notation of merge vectors, without their nulls."""
    columns = {name: _plain(records.column(name)) for name in records.schema.names}
    rows = [
        {name: value for name, value in zip(columns, values, strict=True) if value is not None}
        for values in zip(*columns.values(), strict=True)
    ]
    for row in np.flatnonzero(records.is_delete).tolist():
        values = records.ordering.row(row)
        rows[row] = {"$delete": True, "$ordering": None if values is None else list(values)}
    return rows


def _columns(row: Row, ordering: Sequence[str]) -> dict[str, Any]:
    columns = {name: value for name, value in row.items() if not name.startswith("$")}
    if is_key_only(row):
        values = row.get("$ordering")
        columns.update(zip(ordering, values if isinstance(values, list) else [values], strict=False))
    return columns


def _present(rows: Sequence[Row], names: Sequence[str]) -> dict[str, NDArray[np.bool_]]:
    """Return a mask of the rows with the column, for each column that some rows lack. Key-only deletes lack none."""
    key_only = [is_key_only(row) for row in rows]
    given = {frozenset(row) for row, without_data in zip(rows, key_only, strict=True) if not without_data}
    return {
        name: np.array([a or name in row for row, a in zip(rows, key_only, strict=True)], dtype=bool)
        for name in names
        if not all(name in columns for columns in given)
    }


def _plain(values: pa.Array) -> list[Any]:
    plain: list[Any] = values.to_pylist()
    if pa.types.is_binary(values.type):
        return [None if value is None else value.decode("utf-8", "surrogateescape") for value in plain]
    if pa.types.is_map(values.type):
        return [None if value is None else dict(value) for value in plain]
    return plain
