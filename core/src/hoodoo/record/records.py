"""Records: n versions of n keys, columns fetched when asked.

A `Source` owns the data of some versions: a table of columns with key, ordering and operation beside it.
`Records` is a view on a source: which of its rows, in which order, and the columns that earlier merges have changed.
Taking rows costs an index array; a column is gathered when a rule first asks for it.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from typing import Any

import numpy as np
import pyarrow as pa
from attrs import define, field, frozen
from numpy.typing import NDArray

from hoodoo.record.ordering import Ordering
from hoodoo.schema.columns import column_at, has_column, null_array

__all__ = ["Operation", "Records", "Source"]

Rows = NDArray[np.int64]
Mask = NDArray[np.bool_]


class Operation(IntEnum):
    """Hudi's record operations (`_hoodie_operation` writes them as I, -U, U, D)."""

    INSERT = 0
    UPDATE_BEFORE = 1
    UPDATE_AFTER = 2
    DELETE = 3


@frozen(eq=False)
class Source:
    """The data of n versions.

    `keys` are the record keys (string, not null). `operation` holds `Operation` codes (int8).
    `has_data` is false for key-only deletes, whose columns are null. `present` maps the columns that some versions
    lack to the mask of those that have them: such a version is partial, and what the winner lacks comes from the loser.
    A column that is not in `table` is lacking everywhere, and that alone makes no version partial.
    `partial` says which versions leave columns out on purpose (None: all that lack some); the others were written
    before a column was added: they keep what they replace has in it, and a late version that loses gives them nothing.
    """

    table: pa.Table
    schema: pa.Schema
    keys: pa.Array
    ordering: Ordering
    operation: NDArray[np.int8]
    has_data: Mask
    present: Mapping[str, Mask] = field(factory=dict)
    partial: Mask | None = None

    def __attrs_post_init__(self) -> None:
        self.operation.flags.writeable = False
        self.has_data.flags.writeable = False

    def __len__(self) -> int:
        return len(self.operation)

    def records(self, rows: Rows | None = None) -> Records:
        """The versions of the given rows as `Records`; all of them, in order, by default."""
        return Records(self, np.arange(len(self), dtype=np.int64) if rows is None else rows)


@define(eq=False)
class Records:
    """n versions, one per key; what a merge rule sees. Do not change what it hands out.

    `patches` lays changed columns over the source's: they hold one value per row of this view.
    `deleted` marks rows that a rule turned into deletes; `ordering_override` holds the ordering that it gave them.
    `presence` says of columns that some versions lack which rows have them now.
    """

    source: Source
    rows: Rows
    patches: Mapping[str, pa.Array] = field(factory=dict)
    deleted: Mask | None = None
    ordering_override: Ordering | None = None
    presence: Mapping[str, Mask] = field(factory=dict)
    _cache: dict[str, Any] = field(factory=dict, init=False, repr=False)

    def __attrs_post_init__(self) -> None:
        # a rule that changed its input would change other rows' merges, or see its change lost without a word
        self.rows.flags.writeable = False

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def schema(self) -> pa.Schema:
        """The reader's schema: the names and types that `column` answers with."""
        return self.source.schema

    @property
    def keys(self) -> pa.Array:
        """Record keys, string."""
        return self._gathered(self.source.keys)

    @property
    def ordering(self) -> Ordering:
        """Typed ordering values; absent is explicit."""
        if self.ordering_override is not None:
            return self.ordering_override
        if "ordering" not in self._cache:
            self._cache["ordering"] = self.source.ordering.take(self.rows)
        return self._cache["ordering"]  # type: ignore[no-any-return]

    @property
    def operation(self) -> NDArray[np.int8]:
        """`Operation` codes."""
        operation = self.source.operation[self.rows]
        if self.deleted is not None:
            operation[self.deleted] = Operation.DELETE
        return operation

    @property
    def is_delete(self) -> Mask:
        """True where the version is a delete."""
        operation = self.operation
        deletes: Mask = (operation == Operation.DELETE) | (operation == Operation.UPDATE_BEFORE)
        return deletes

    @property
    def has_data(self) -> Mask:
        """False for key-only deletes."""
        return self.source.has_data[self.rows]

    def column(self, name: str) -> pa.Array:
        """The values of a column (a dotted path reaches into structs), in the reader's type, null where absent."""
        if name in self.patches:
            return self.patches[name]
        if name not in self._cache:
            column = column_at(self.source.table, name)
            if column is None:
                column = null_array(self.source.schema, name, len(self.source))
            self._cache[name] = self._gathered(column)
        return self._cache[name]

    def _gathered(self, values: pa.Array) -> pa.Array:
        """A column of the source in this view's rows: not copied where they follow each other there."""
        if "follow" not in self._cache:
            first, last = self.rows[[0, -1]].tolist() if len(self) else (0, -1)
            self._cache["follow"] = last - first + 1 == len(self) and bool((np.diff(self.rows) == 1).all())
        if self._cache["follow"]:
            return values.slice(int(self.rows[0]) if len(self) else 0, len(self))
        return values.take(pa.array(self.rows))

    def present(self, name: str) -> Mask | None:
        """Which versions carry the column at all (missing is not null); None means all of them."""
        root = name.split(".")[0]
        if root in self.presence:
            return self.presence[root]
        if name in self.patches:
            return None
        if root in self.source.present:
            return self.source.present[root][self.rows]
        if not has_column(self.source.table.schema, root):
            return np.zeros(len(self), dtype=bool)
        return None

    def lacking(self, name: str) -> Mask | None:
        """Which rows are partial versions that lack the column; None where none is."""
        root = name.split(".")[0]
        if root not in self.source.present:
            return None
        present = self.present(root)
        return None if present is None or present.all() else ~present

    def take(self, rows: Rows) -> Records:
        """The given rows of this view, in that order."""
        indices = pa.array(rows)
        return Records(
            self.source,
            self.rows[rows],
            {name: values.take(indices) for name, values in self.patches.items()},
            None if self.deleted is None else self.deleted[rows],
            None if self.ordering_override is None else self.ordering_override.take(rows),
            {name: present[rows] for name, present in self.presence.items()},
        )
