"""Search for a key in files, which reads only key columns and merges nothing."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc
from attrs import frozen

from hoodoo.filegroup import FileSlice
from hoodoo.format.base_files import read_base_file
from hoodoo.format.bloom import KeyHashes
from hoodoo.format.file_names import is_lance
from hoodoo.format.log import BlockType, LogBlock, decode_data, decode_deletes
from hoodoo.index.bloom_index import locate_pruned
from hoodoo.merge.required_columns import roots_of
from hoodoo.reading.slice.merge_columns import LogMerge, named_columns
from hoodoo.schema.columns import null_array
from hoodoo.storage import Storage
from hoodoo.table_rules.stored_keys import StoredKeys

__all__ = ["KeySearch"]


@frozen
class KeySearch:
    """Search for a record key in the files of a table.

    Attributes:
        storage: The table's files.
        key: The record key.
        keys: The columns that contain or form the record keys of stored rows.
        schema: The columns of the table, including meta columns.
    """

    storage: Storage
    key: str
    keys: StoredKeys
    schema: pa.Schema

    def in_slice(self, file_slice: FileSlice, merge: LogMerge | None) -> bool:
        """Return whether a file of a slice contains the key. `merge` selects the log blocks; None selects none.

        Raises:
            CorruptTableError: A file is damaged or missing.
            UnsupportedTable: A file or a log block needs a feature that hoodoo does not support.
        """
        if file_slice.path is not None and self.in_base_file(file_slice.path):
            return True
        if merge is None:
            return False
        blocks, logs = merge.blocks(self.storage, file_slice.logs)
        return any(self._in_block(logs, block, merge) for block in blocks)

    def in_base_file(self, path: str) -> bool:
        """Return whether a base file contains the key.

        A bloom filter in the footer of a Parquet file can make reading the keys unnecessary. The errors are those of
        `in_slice`.
        """
        if self.keys.config is None and not is_lance(path):
            return bool(len(locate_pruned(self.storage, path, KeyHashes(pa.array([self.key])))))
        tables = read_base_file(self.storage, path, self._columns)
        return any(self._is_among(self.keys.of(table, f"base file '{path}'", file=path)) for table in tables)

    def _in_block(self, logs: Storage, block: LogBlock, merge: LogMerge) -> bool:
        if block.type is BlockType.DELETE:
            fields = merge.rule.payload_ordering
            types = [null_array(merge.schema, name, 0).type for name in fields]
            return self._is_among(decode_deletes(logs, block, types).column("record_key"))
        tables = decode_data(logs, block, self._columns)
        return any(
            self._is_among(self.keys.of(table, str(block), file=block.file, offset=block.offset)) for table in tables
        )

    @property
    def _columns(self) -> pa.Schema:
        columns = named_columns(self.schema, roots_of(self.keys.columns, self.schema))
        return pa.schema([field.with_nullable(True) for field in columns])

    def _is_among(self, keys: pa.Array | pa.ChunkedArray) -> bool:
        return bool(pc.any(pc.equal(keys, self.key)).as_py())
