"""Keys of rows of a statement on a table with generated keys: stored rows keep their keys, and new rows get one."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc
from attrs import frozen

from hoodoo.plugin.base import BaseKeyGenerator
from hoodoo.record import KeyConfig
from hoodoo.schema.columns import column_at, one_array

__all__ = ["STORED_KEY", "STORED_PATH", "HasStoredKeys", "StoredRowKeys"]

STORED_KEY = "__hoodoo_stored_key"
"""The column with the record key of the stored row that a row changes; null in a new row."""

STORED_PATH = "__hoodoo_stored_path"
"""The column with the partition path of the stored row that a row changes; null in a new row."""


@frozen
class HasStoredKeys:
    """Option of a write whose rows have the columns `STORED_KEY` and `STORED_PATH`."""


@frozen
class StoredRowKeys(BaseKeyGenerator):
    """Key generator of rows that may have the key and the partition path of a stored row.

    Attributes:
        inner: The key generator of the table, for new rows.
    """

    inner: BaseKeyGenerator

    def record_keys(self, rows: pa.Table, config: KeyConfig) -> pa.Array:
        """Return the record key of each row: that of its stored row, or a new one."""
        kept = column_at(rows, STORED_KEY)
        if kept is not None and not kept.null_count:
            return one_array(kept)
        made = self.inner.record_keys(rows, config)
        return made if kept is None else pc.coalesce(one_array(kept), made)

    def partition_paths(self, rows: pa.Table, config: KeyConfig) -> pa.Array:
        """Return the partition path of each row: that of its stored row, or the path of its partition columns."""
        made = self.inner.partition_paths(rows, config)
        kept = column_at(rows, STORED_PATH)
        return made if kept is None else pc.coalesce(one_array(kept), made)

    def path_qualifiers(self, rows: pa.Table, config: KeyConfig) -> pa.Array | None:
        """Return the qualifiers of the table's key generator; None if no path has one."""
        return self.inner.path_qualifiers(rows, config)
