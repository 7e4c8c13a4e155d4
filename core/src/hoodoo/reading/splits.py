"""Splits: parts of a table that can be read anywhere, by any engine, one by one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pyarrow as pa
from attrs import frozen

from hoodoo.errors import SchemaError
from hoodoo.filegroup import FileSlice
from hoodoo.format.parquet import read_base_file
from hoodoo.schema.meta import META_COLUMNS
from hoodoo.storage import storage_for

__all__ = ["Split", "plan_splits", "projected"]

BATCH_ROWS = 128 * 1024


@frozen
class Split:
    """One file slice and the columns wanted of it. Plan in one process, pickle, read in another.

    Attributes:
        uri: The table.
        partition: Partition path.
        file_id: File group.
        path: Table-relative path of the base file.
        size: Its bytes.
        schema: Names and types of the columns, in the order in which they are read.
    """

    uri: str
    partition: str
    file_id: str
    path: str
    size: int
    schema: pa.Schema

    def read(self) -> pa.RecordBatchReader:
        """The rows as Arrow batches, in the order of the file; columns that the file lacks are null.

        Raises:
            CorruptTableError: the file is damaged or gone.
        """
        return pa.RecordBatchReader.from_batches(self.schema, self._batches())

    def _batches(self) -> Iterator[pa.RecordBatch]:
        for table in read_base_file(storage_for(self.uri), self.path, self.schema, batch_rows=BATCH_ROWS):
            yield from table.to_batches()


def plan_splits(uri: str, slices: Sequence[FileSlice], schema: pa.Schema) -> list[Split]:
    """One split per file slice, largest first, so that whoever hands them out ends evenly."""
    splits = [Split(uri, s.partition, s.file_id, s.path, s.size, schema) for s in slices]
    return sorted(splits, key=lambda split: (-split.size, split.path))


def projected(schema: pa.Schema, columns: Sequence[str] | None) -> pa.Schema:
    """The wanted columns of a schema, in the wanted order; all of them by default.

    Raises:
        SchemaError: the table has no such column.
    """
    if columns is None:
        return schema
    unknown = [name for name in columns if name not in schema.names]
    if unknown:
        known = ", ".join(name for name in schema.names if name not in META_COLUMNS)
        raise SchemaError(
            f"the table has no column {', '.join(map(repr, unknown))}; it has {known}", code="unknown_column"
        )
    return pa.schema([schema.field(name) for name in columns])
