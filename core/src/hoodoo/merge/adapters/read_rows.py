"""Rows of a read that leaves out columns, for delete rules, which receive all columns in a write."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, NoReturn

import pyarrow as pa
from attrs import field, frozen

from hoodoo.errors import PluginFault

__all__ = ["ReadRows"]

_WHOLE = frozenset(
    {
        "__arrow_c_stream__",
        "__dataframe__",
        "columns",
        "itercolumns",
        "to_batches",
        "to_pandas",
        "to_pydict",
        "to_pylist",
        "to_reader",
        "to_struct_array",
    }
)
"""Members of a table that use all columns without naming one."""


@frozen(eq=False)
class ReadRows:
    """Rows with the interface of a `pyarrow.Table` of all columns; access to a column that was not read is a fault.

    The values of such a column are unknown. If the column were missing, most rules would treat the rows as rows that
    are not deletes.

    Attributes:
        read: The columns that were read.
        unread: The columns of the table that were not read.
        schema: All columns: those of `read`, then those of `unread`.
    """

    read: pa.Table
    unread: pa.Schema
    schema: pa.Schema = field(init=False)

    @schema.default
    def _all_columns(self) -> pa.Schema:
        return pa.schema([*self.read.schema, *self.unread])

    @property  # type: ignore[misc]  # for isinstance
    def __class__(self) -> type:
        return type(self.read)

    @property
    def column_names(self) -> list[str]:
        """Return the names of all columns."""
        return list(self.schema.names)

    @property
    def num_columns(self) -> int:
        """Return the number of all columns."""
        return len(self.schema)

    def __len__(self) -> int:
        return int(self.read.num_rows)

    def __getitem__(self, key: Any) -> Any:
        return self._of_rows(self.read[key]) if isinstance(key, slice) else self.column(key)

    def column(self, key: str | int) -> pa.ChunkedArray:
        """Return a column by name, or by its position among all columns."""
        return self.read.column(self._checked(key))

    def field(self, key: str | int) -> pa.Field:
        """Return the field of a column."""
        return self.schema.field(key)

    def select(self, columns: list[Any]) -> pa.Table:
        """Return a table of the given columns."""
        return self.read.select([self._checked(key) for key in columns])

    def __getattr__(self, name: str) -> Any:
        if name in _WHOLE and len(self.unread):
            self._refuse(f"it uses whole rows (`{name}`), of which column '{self.unread.names[0]}' was not read")
        value = getattr(self.read, name)
        return self._wrapped(value) if callable(value) else value

    def _wrapped(self, method: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(method)
        def call(*arguments: Any, **more: Any) -> Any:
            return self._of_rows(method(*arguments, **more))

        return call

    def _of_rows(self, value: Any) -> Any:
        """Return a selection of these rows, with the same unread columns."""
        return ReadRows(value, self.unread) if isinstance(value, pa.Table) else value

    def _checked(self, key: str | int) -> str:
        name = self.schema.names[key] if isinstance(key, int) else key
        if self.unread.get_all_field_indices(name) and not self.read.schema.get_all_field_indices(name):
            self._refuse(f"it uses column '{name}' of the table, which was not read")
        return name

    def _refuse(self, problem: str) -> NoReturn:
        raise PluginFault(
            f"{problem} because the method `needs` does not name it; add it to what `needs` returns, or remove that "
            "method to get all columns"
        )
