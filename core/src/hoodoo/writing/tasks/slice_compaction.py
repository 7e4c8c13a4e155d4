"""Compaction of one file slice: its base file and logs become a new base file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pyarrow as pa
from attrs import frozen

from hoodoo.reading import Split
from hoodoo.schema.meta_columns import COMMIT_SEQNO, COMMIT_TIME, RECORD_KEY
from hoodoo.storage import storage_for
from hoodoo.writing.data_files.base_file import Output
from hoodoo.writing.data_files.row_assembly import with_constants
from hoodoo.writing.data_files.task_attempt import TaskAttempt, WriteToken
from hoodoo.writing.file_status import FileStatus
from hoodoo.writing.routing.task_plan import SliceRef
from hoodoo.writing.tasks.file_group_writer import ROW_GROUP_ROWS
from hoodoo.writing.write_spec import FileSpec, TableSpec

__all__ = ["CompactTask", "compacted_columns"]

META = (COMMIT_TIME, COMMIT_SEQNO, RECORD_KEY)


@frozen
class CompactTask:
    """Task that merges one slice as readers do, and writes the resulting rows with unchanged commit times.

    Attributes:
        instant: The instant time of the compaction.
        table: The table, with its data columns.
        files: Compression and bloom filter of the base file.
        split: The slice, in the columns `compacted_columns`.
    """

    instant: str
    table: TableSpec
    files: FileSpec
    split: Split

    def __call__(self, token: WriteToken) -> FileStatus:
        """Write the base file and return its status."""
        file_slice = self.split.file_slice
        attempt = TaskAttempt(storage_for(self.split.uri, self.split.storage_options), token)
        with Output(self, attempt, file_slice.partition, file_slice.file_id, SliceRef.of(file_slice)) as output:
            for rows in _row_groups(self.split.read()):
                meta = {name: rows.column(name) for name in META}
                meta[COMMIT_TIME] = meta[COMMIT_TIME].dictionary_encode()
                columns = {name: rows.column(name) for name in self.table.schema.names}
                output.write(with_constants(meta, columns, output.stamp, rows.num_rows))
            # the changes are counted in the delta commits
            return output.close(0, 0, keep=True)


def compacted_columns(schema: pa.Schema) -> list[str]:
    """Return the names of the columns to read from a slice: the data columns, and the meta columns that vary in it."""
    return [*META, *schema.names]


def _row_groups(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.Table]:
    """Yield batches combined into row groups, because unchanged and changed rows arrive in separate, small batches."""
    waiting: list[pa.RecordBatch] = []
    rows = 0
    for batch in batches:
        waiting.append(batch)
        rows += batch.num_rows
        if rows >= ROW_GROUP_ROWS:
            yield pa.Table.from_batches(waiting)
            waiting, rows = [], 0
    if waiting:
        yield pa.Table.from_batches(waiting)
