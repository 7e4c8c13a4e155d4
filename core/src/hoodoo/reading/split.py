"""Splits: parts of a table that can be read anywhere, by any engine, one by one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from attrs import evolve, field, frozen
from numpy.typing import NDArray

from hoodoo.filegroup import FileSlice
from hoodoo.format.parquet import read_base_file, stored_rows
from hoodoo.reading.removed_files import removals_named
from hoodoo.reading.slice.deletion_vector import Division, changed_rows, divided, standing_rows
from hoodoo.reading.slice.log_merger import BATCH_ROWS
from hoodoo.reading.slice.merge_columns import Merge
from hoodoo.reading.slice.slice_reader import merged_rows
from hoodoo.storage import Storage, storage_for

__all__ = ["Split"]


@frozen
class Split:
    """One file slice, the columns wanted of it, and how its files become rows. Plan in one process, read in another.

    Attributes:
        uri: The table.
        file_slice: The files.
        schema: Names and types of the columns, in the order in which they are read.
        read_schema: The wanted columns and those that the condition refers to.
        merge: How the logs are merged; None where there are none.
        condition: Rows to keep; None for all of them.
        from_path: Columns that the files lack, with the value that the path of the partition says all rows have.
        storage_options: How the store is reached. They may hold secrets.
        changed_only: Whether base rows that the logs leave alone are left out; see `changed`.
        standing: Which records of the logs those rows are, where a division has told.
    """

    uri: str
    file_slice: FileSlice
    schema: pa.Schema
    read_schema: pa.Schema
    merge: Merge | None = None
    condition: pc.Expression | None = field(default=None, eq=False)
    from_path: Mapping[str, str | None] = field(factory=dict, hash=False)
    storage_options: Mapping[str, Any] = field(factory=dict, repr=False, hash=False)
    changed_only: bool = False
    standing: NDArray[np.bool_] | None = field(default=None, eq=False, repr=False)

    @property
    def partition(self) -> str:
        """Partition path."""
        return self.file_slice.partition

    @property
    def file_id(self) -> str:
        """File group."""
        return self.file_slice.file_id

    @property
    def path(self) -> str | None:
        """Table-relative path of the base file, None without one."""
        return self.file_slice.path

    @property
    def size(self) -> int:
        """Bytes of all files; where base rows are looked at alone, an eighth stands for those of the base file."""
        found = self.file_slice
        return found.total_size - found.size * 7 // 8 if self.changed_only else found.total_size

    @property
    def is_plain(self) -> bool:
        """Whether the rows are those of one base file: any reader of Parquet can read them."""
        return self.merge is None and not self.from_path

    @property
    def is_divisible(self) -> bool:
        """Whether a reader of Parquet gives the rows of the base file but for those that `divided` says are deleted.

        The others are those of the split `changed`. That is so for rules that change no column, since they decide by
        few columns; others would read base rows as a whole all the same.
        """
        return (
            self.merge is not None and self.merge.deciding is not None and self.path is not None and not self.from_path
        )

    def stored_rows(self) -> int:
        """Rows of the base file, by its footer; 0 without one.

        Raises:
            CorruptTableError: the file is damaged or gone.
        """
        if self.path is None:
            return 0
        return stored_rows(storage_for(self.uri, self.storage_options), self.path)

    def divided(self) -> Division:
        """Of a divisible split, what `changed` gives and a reader of the base file leaves out.

        Raises:
            CorruptTableError: a file is damaged or gone.
            TableChanged: A cleaner removed a file since the split was planned.
            UnknownPlugin: the table's merge rule is not installed here.
        """
        if self.merge is None:
            raise ValueError(f"{self.path} has no logs")
        storage = storage_for(self.uri, self.storage_options)
        with removals_named(storage):
            return divided(storage, self.file_slice, self.merge)

    def changed(self, standing: NDArray[np.bool_] | None = None) -> Split:
        """Of a divisible split, the rows that are not in the base file as they are.

        Args:
            standing: What its division says of this, so that the base file need not be read for it again.
        """
        return evolve(self, changed_only=True, standing=standing)

    def read(self) -> pa.RecordBatchReader:
        """The rows as Arrow batches: base rows batch by batch, then new ones; columns a file lacks are null.

        Raises:
            CorruptTableError: a file is damaged or gone.
            TableChanged: A cleaner removed a file since the split was planned.
            UnknownPlugin: the table's merge rule is not installed here.
        """
        return pa.RecordBatchReader.from_batches(self.schema, self._batches())

    def _batches(self) -> Iterator[pa.RecordBatch]:
        storage = storage_for(self.uri, self.storage_options)
        with removals_named(storage):
            for read in self._rows(storage):
                rows = self._with_values(read)
                kept = rows if self.condition is None else rows.filter(self.condition)
                if kept.num_rows:
                    yield from kept.select(self.schema.names).cast(self.schema).to_batches()

    def _with_values(self, rows: pa.Table) -> pa.Table:
        for name, value in self.from_path.items():
            if name in rows.column_names:
                values = pa.repeat(pa.scalar(value, pa.string()), rows.num_rows)
                rows = rows.set_column(rows.column_names.index(name), name, values)
        return rows

    def _rows(self, storage: Storage) -> Iterator[pa.Table]:
        if self.merge is not None:
            if self.standing is not None:
                return standing_rows(storage, self.file_slice, self.merge, self.standing)
            rows = changed_rows if self.changed_only else merged_rows
            return rows(storage, self.file_slice, self.merge)
        if self.file_slice.path is None:
            return iter(())
        return read_base_file(storage, self.file_slice.path, self.read_schema, batch_rows=BATCH_ROWS)
