"""Source of the record keys of stored rows: the meta column, or the key columns if a table fills no meta columns."""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa
from attrs import field, frozen

from hoodoo.errors import CorruptTableError, DataError
from hoodoo.schema.columns import one_array
from hoodoo.schema.meta_columns import RECORD_KEY

__all__ = ["KEY_COLUMN", "META_KEYS", "KeySource"]

KEY_COLUMN = pa.schema([pa.field(RECORD_KEY, pa.string())])


@frozen(eq=False)
class KeySource:
    """Columns of stored rows that contain their record keys, or from which the keys are made.

    Attributes:
        columns: The columns to read.
        make: Function that makes the keys of rows with these columns; None if the meta column contains the keys.
    """

    columns: pa.Schema = KEY_COLUMN
    make: Callable[[pa.Table], pa.Array] | None = field(default=None)

    def of(self, rows: pa.Table, file: str) -> pa.Array:
        """Return the record key of each row of a file; it is null only where the meta column is null.

        Raises:
            CorruptTableError: The key columns of a row form no key.
        """
        if self.make is None:
            return one_array(rows.column(RECORD_KEY))
        try:
            return self.make(rows)
        except DataError as error:
            raise CorruptTableError(
                f"'{file}' has rows whose values form no record key: {error}; restore the file", file=file
            ) from error

    def with_columns(self, schema: pa.Schema) -> pa.Schema:
        """Return the schema, followed by the missing columns that `filled` needs."""
        missing = [column for column in self.columns if column.name not in schema.names]
        return pa.schema([*schema, *missing]) if missing else schema

    def filled(self, rows: pa.Table, file: str) -> pa.Table:
        """Return rows of a file with their keys in the meta column; errors as in `of`."""
        if self.make is None:
            return rows
        return rows.set_column(rows.column_names.index(RECORD_KEY), RECORD_KEY, self.of(rows, file))


META_KEYS = KeySource()
"""The source of a table that fills its meta columns."""
