"""Records: n versions, with columns that are gathered on first access.

A `Source` owns the data of some versions: a table of columns, and their keys, ordering values and operations.
`Records` is a view of a source: a selection of its rows, in some order, with the columns that earlier merges changed.
Selecting rows costs one index array; a column is gathered when a rule first accesses it.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from typing import Any

import numpy as np
import pyarrow as pa
from attrs import define, field, frozen
from numpy.typing import NDArray

from hoodoo.errors import PluginFault
from hoodoo.record.ordering import Ordering
from hoodoo.schema.columns import column_at, decoded, field_at, has_column, null_array

__all__ = ["Operation", "Records", "Source", "unknown_columns"]

Rows = NDArray[np.int64]
Mask = NDArray[np.bool_]


class Operation(IntEnum):
    """Hudi's record operations (written as I, -U, U and D in `_hoodie_operation`)."""

    INSERT = 0
    """A row."""
    UPDATE_BEFORE = 1
    """The row before an update, which counts as a delete."""
    UPDATE_AFTER = 2
    """The row after an update."""
    DELETE = 3
    """A delete."""


@frozen(eq=False)
class Source:
    """Data of n versions.

    A text column of `table` may be a dictionary. `schema` is the reader's schema. `ordering` has the ordering values.
    `keys` are the record keys (string, not null). `operation` holds `Operation` codes (int8). `has_data` is false for
    key-only deletes, whose columns are null. `present` maps each column that some versions lack to a mask of the
    versions that have it. A version that lacks such a column inherits it from the version that it beats. A column that
    is missing in `table` is missing in all versions, and is not inherited. `partial` marks the versions that omit
    columns on purpose (None: all that lack some); the other versions were written before a column was added: they keep
    the value of the version that they replace, and a late version that loses does not supply one. `unread` names
    columns of the table that a read leaves out because the rule does not need them; those that `schema` contains were
    read nevertheless.
    """

    table: pa.Table
    schema: pa.Schema
    keys: pa.Array
    ordering: Ordering
    operation: NDArray[np.int8]
    has_data: Mask
    present: Mapping[str, Mask] = field(factory=dict)
    partial: Mask | None = None
    unread: frozenset[str] = frozenset()

    def __attrs_post_init__(self) -> None:
        self.operation.flags.writeable = False
        self.has_data.flags.writeable = False

    def __len__(self) -> int:
        return len(self.operation)

    def records(self, rows: Rows | None = None) -> Records:
        """Return the versions of the given rows as `Records`; by default all of them, in order."""
        return Records(self, np.arange(len(self), dtype=np.int64) if rows is None else rows)

    def check_read(self, name: str) -> None:
        """Raise `PluginFault` for a column of the table that was not read: its values are unknown, not null."""
        unread, root = self.unread, name.partition(".")[0]
        missing = name if name in unread else root
        if missing in unread and not has_column(self.schema, missing):
            raise PluginFault(
                f"it uses column '{name}' of the table, which was not read because the method `needs` does not name "
                f"it; add '{name}' to what `needs` returns, or remove that method to get all columns"
            )


@define(eq=False)
class Records:
    """View of n versions, the input of a merge rule. Do not modify the arrays that it returns.

    A key may occur several times: in `prepare`, and in `merge` if the rule claims associativity.

    `rows` are the positions of the versions in `source`. `patches` maps changed columns to arrays with one value per
    row of this view; they replace those of the source. `deleted` marks rows that a rule turned into deletes.
    `ordering_override` holds the ordering values of all rows if an earlier merge made such a delete; it is None
    otherwise. `presence` maps columns that some versions lack to a mask of the rows that have them now.
    """

    source: Source
    rows: Rows
    patches: Mapping[str, pa.Array] = field(factory=dict)
    deleted: Mask | None = None
    ordering_override: Ordering | None = None
    presence: Mapping[str, Mask] = field(factory=dict)
    _cache: dict[str, Any] = field(factory=dict, init=False, repr=False)
    _columns: dict[str, pa.Array] = field(factory=dict, init=False, repr=False)

    def __attrs_post_init__(self) -> None:
        # a rule that modifies its input would affect other merges, or lose the change silently
        self.rows.flags.writeable = False

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def schema(self) -> pa.Schema:
        """Return the reader's schema: the names and types of the columns that `column` returns."""
        return self.source.schema

    @property
    def keys(self) -> pa.Array:
        """Return the record keys (string)."""
        return self._gathered(self.source.keys)

    @property
    def ordering(self) -> Ordering:
        """Return the ordering values; `Ordering.absent` marks the versions without one."""
        if self.ordering_override is not None:
            return self.ordering_override
        if "ordering" not in self._cache:
            self._cache["ordering"] = self.source.ordering.take(self.rows)
        return self._cache["ordering"]  # type: ignore[no-any-return]

    @property
    def operation(self) -> NDArray[np.int8]:
        """Return the `Operation` codes (int8)."""
        operation = self.source.operation[self.rows]
        if self.deleted is not None:
            operation[self.deleted] = Operation.DELETE
        return operation

    @property
    def is_delete(self) -> Mask:
        """Return a mask of the versions that are deletes."""
        operation = self.operation
        deletes: Mask = (operation == Operation.DELETE) | (operation == Operation.UPDATE_BEFORE)
        return deletes

    @property
    def has_data(self) -> Mask:
        """Return a mask of the versions with data; it is False for key-only deletes."""
        return self.source.has_data[self.rows]

    def column(self, name: str) -> pa.Array:
        """Return the values of a column in the reader's type; a version without the column has null.

        A dotted path refers to a field of a struct. A column that the table lacks has only nulls.

        Raises:
            PluginFault: The table has the column, and it was not read because the rule's `needs` does not name it.
        """
        if name in self.patches:
            return self.patches[name]
        if name not in self._columns:
            self._columns[name] = self._found(name)
        return self._columns[name]

    def _found(self, name: str) -> pa.Array:
        root = name.partition(".")[0]
        if root in self.patches and not has_column(self.source.schema, name):
            changed = pa.RecordBatch.from_arrays([self.patches[root]], names=[root])
            field = column_at(changed, name)
            return null_array(self.source.schema, name, len(self)) if field is None else field
        column = column_at(self.source.table, name)
        if column is None:
            self.source.check_read(name)
            column = null_array(self.source.schema, name, len(self.source))
        return self._gathered(column)

    def _gathered(self, values: pa.Array) -> pa.Array:
        """Return a column of the source in the rows of this view, without a copy if these rows are consecutive."""
        if "follow" not in self._cache:
            first, last = self.rows[[0, -1]].tolist() if len(self) else (0, -1)
            self._cache["follow"] = last - first + 1 == len(self) and bool((np.diff(self.rows) == 1).all())
        if self._cache["follow"]:
            return decoded(values.slice(int(self.rows[0]) if len(self) else 0, len(self)))
        return decoded(values.take(pa.array(self.rows)))

    def present(self, name: str) -> Mask | None:
        """Return a mask of the versions that have the column, even if its value is null; None stands for all versions.

        Raises:
            PluginFault: The column was not read; see `column`.
        """
        root = name.split(".")[0]
        if root in self.presence:
            return self.presence[root]
        if name in self.patches or root in self.patches:
            return None
        if root in self.source.present:
            return self.source.present[root][self.rows]
        if not has_column(self.source.table.schema, root):
            self.source.check_read(name)
            return np.zeros(len(self), dtype=bool)
        return None

    def lacking(self, name: str) -> Mask | None:
        """Return a mask of the versions that lack a column which others have; None if there are no such versions.

        Raises:
            PluginFault: The column was not read; see `column`.
        """
        root = name.split(".")[0]
        if root not in self.source.present:
            self.source.check_read(name)
            return None
        present = self.present(root)
        return None if present is None or present.all() else ~present

    def take(self, rows: Rows) -> Records:
        """Return the given rows of this view, in that order."""
        indices = pa.array(rows)
        return Records(
            self.source,
            self.rows[rows],
            {name: values.take(indices) for name, values in self.patches.items()},
            None if self.deleted is None else self.deleted[rows],
            None if self.ordering_override is None else self.ordering_override.take(rows),
            {name: present[rows] for name, present in self.presence.items()},
        )


def unknown_columns(records: Records) -> list[str]:
    """Return the names with which `column` was called and that are not in the schema, for messages."""
    return [name for name in records._columns if field_at(records.schema, name) is None]
