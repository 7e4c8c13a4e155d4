"""Splits: parts of a query that any engine can read in any process."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from attrs import evolve, field, frozen
from numpy.typing import NDArray

from hoodoo.filegroup import FileSlice
from hoodoo.format.base_files import read_base_file, stored_rows
from hoodoo.format.file_names import is_lance
from hoodoo.reading.path_columns import filled
from hoodoo.reading.removed_files import reported_removals
from hoodoo.reading.schema.stored_names import StoredNames, current_columns, stored_columns
from hoodoo.reading.slice.deletion_vector import SliceChanges, changed_rows, slice_changes, surviving_rows
from hoodoo.reading.slice.log_merger import BATCH_ROWS
from hoodoo.reading.slice.merge_columns import LogMerge
from hoodoo.reading.slice.slice_reader import merged_rows
from hoodoo.storage import Storage, storage_for

__all__ = ["Split"]


@frozen
class Split:
    """File slice with all parameters for reading its rows, which can be pickled and read in another process.

    Attributes:
        uri: The URI of the table.
        file_slice: The file slice.
        schema: The names and types of the columns, in the order in which they are read.
        read_schema: The columns of `schema` and those that the condition refers to.
        merge: The parameters for merging the logs; None if the slice has no logs.
        condition: A filter for rows; None for all rows.
        from_path: The values, from the partition path, of columns that the files lack.
        storage_options: The options of the object store. They may contain secrets.
        changed_only: Whether base rows that the logs do not change are left out; see `changed`.
        surviving: A mask of the surviving records of the logs; None if they are unknown; see `SliceChanges`.
        names: The names of columns in older files.
        by_metadata: Whether the metadata table listed the files; a missing file is then an error of the metadata table.
    """

    uri: str
    file_slice: FileSlice
    schema: pa.Schema
    read_schema: pa.Schema
    merge: LogMerge | None = None
    condition: pc.Expression | None = field(default=None, eq=False)
    from_path: Mapping[str, str | None] = field(factory=dict, hash=False)
    storage_options: Mapping[str, Any] = field(factory=dict, repr=False, hash=False)
    changed_only: bool = False
    surviving: NDArray[np.bool_] | None = field(default=None, eq=False, repr=False)
    by_metadata: bool = False
    names: StoredNames = StoredNames()

    @property
    def partition(self) -> str:
        """Return the partition path."""
        return self.file_slice.partition

    @property
    def file_id(self) -> str:
        """Return the file id of the file group."""
        return self.file_slice.file_id

    @property
    def path(self) -> str | None:
        """Return the table-relative path of the base file; None without one."""
        return self.file_slice.path

    @property
    def size(self) -> int:
        """Return the size of all files in bytes.

        With `changed_only` the base file counts as an eighth of its size, because few of its columns are read.
        """
        found = self.file_slice
        return found.total_size - found.size * 7 // 8 if self.changed_only else found.total_size

    @property
    def is_plain(self) -> bool:
        """Return whether the rows are those of one base file, which any Parquet reader can read."""
        return self.merge is None and not self.from_path and not self.is_lance and self._has_current_names

    @property
    def is_lance(self) -> bool:
        """Return whether there is a base file in Lance format, which no Parquet reader can read."""
        return self.path is not None and is_lance(self.path)

    @property
    def _has_current_names(self) -> bool:
        return self.path is None or self.names.are_current(self.file_slice.base_instant, self.read_schema.names)

    @property
    def is_divisible(self) -> bool:
        """Return whether a Parquet reader can read the unchanged rows of the base file, and `changed` the other rows.

        The deletion vector of `divided` shows which rows a Parquet reader must leave out. A divisible split has logs,
        and a base file in Parquet with the partition columns and with current names. Its rule changes no column and
        thus needs few columns of base rows. With another rule, whole base rows would be read twice.
        """
        return (
            self.merge is not None
            and self.merge.deciding is not None
            and self.path is not None
            and not self.is_lance
            and not self.from_path
            and self._has_current_names
        )

    def stored_rows(self) -> int:
        """Return the number of rows of the base file, from its footer; 0 without a base file.

        Raises:
            CorruptTableError: The file is damaged or missing.
            UnsupportedTable: The file needs a feature or a package that is missing.
        """
        if self.path is None:
            return 0
        return stored_rows(storage_for(self.uri, self.storage_options), self.path)

    def divided(self) -> SliceChanges:
        """Merge the logs of a divisible split and return its deletion vector and its surviving records.

        Raises:
            ValueError: The split has no logs.
            CorruptTableError: A file is damaged or missing.
            TableChanged: A cleaner removed a file since the split was planned.
            UnsupportedTable: A file or a log block needs a feature that hoodoo does not support.
            SchemaError: The values of a column in a file cannot be cast to its type in the table.
            PluginError: The merge rule or a delete rule is not installed, failed, or returned a wrong result.
        """
        if self.merge is None:
            raise ValueError(
                f"the split of base file '{self.path}' has no logs; call 'divided' only if 'is_divisible' is true"
            )
        storage = storage_for(self.uri, self.storage_options)
        with reported_removals(storage, by_metadata=self.by_metadata):
            return slice_changes(storage, self.file_slice, self.merge)

    def changed(self, surviving: NDArray[np.bool_] | None = None) -> Split:
        """Return the part of a divisible split with the rows that are not unchanged rows of the base file.

        Args:
            surviving: The surviving records, from `divided`, with which the base file is not read; None to read it.
        """
        return evolve(self, changed_only=True, surviving=surviving)

    def read(self) -> pa.RecordBatchReader:
        """Return a reader of the rows as Arrow batches, in undefined order.

        A column that no file of the slice has is null, unless `from_path` has its value. The files are read, and errors
        are raised, when batches are read.

        Raises:
            CorruptTableError: A file is damaged or missing.
            TableChanged: A cleaner removed a file since the split was planned.
            UnsupportedTable: A file or a log block needs a feature that hoodoo does not support.
            SchemaError: The values of a column in a file cannot be cast to its type in the table.
            PluginError: The merge rule or a delete rule is not installed, failed, or returned a wrong result.
        """
        return pa.RecordBatchReader.from_batches(self.schema, self._batches())

    def _batches(self) -> Iterator[pa.RecordBatch]:
        storage = storage_for(self.uri, self.storage_options)
        with reported_removals(storage, by_metadata=self.by_metadata):
            for read in self._rows(storage):
                rows = filled(read, self.from_path)
                kept = rows if self.condition is None else rows.filter(self.condition)
                if kept.num_rows:
                    yield from kept.select(self.schema.names).cast(self.schema).to_batches()

    def _rows(self, storage: Storage) -> Iterator[pa.Table]:
        if self.merge is not None:
            if self.surviving is not None:
                return surviving_rows(storage, self.file_slice, self.merge, self.surviving)
            rows = changed_rows if self.changed_only else merged_rows
            return rows(storage, self.file_slice, self.merge)
        if self.file_slice.path is None:
            return iter(())
        names = self.names.of_instant(self.file_slice.base_instant)
        columns = stored_columns(self.read_schema, names)
        stored = read_base_file(storage, self.file_slice.path, columns, batch_rows=BATCH_ROWS)
        return current_columns(stored, self.read_schema, names)
