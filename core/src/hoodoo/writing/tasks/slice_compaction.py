"""One file slice with logs becomes a base file: what a compaction does with each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pyarrow as pa
from attrs import field, frozen

from hoodoo.format.bloom import BloomShape
from hoodoo.reading import Split
from hoodoo.schema.meta_columns import COMMIT_SEQNO, COMMIT_TIME, RECORD_KEY
from hoodoo.storage import storage_for
from hoodoo.writing.file_status import FileStatus
from hoodoo.writing.routing.task_plan import SliceRef
from hoodoo.writing.tasks.base_file import Numbering, Output, WriteToken
from hoodoo.writing.tasks.file_group_writer import ROW_GROUP_ROWS
from hoodoo.writing.tasks.row_assembly import with_constants

__all__ = ["CompactTask", "compacted_columns"]

META = (COMMIT_TIME, COMMIT_SEQNO, RECORD_KEY)


@frozen
class CompactTask:
    """Merges one slice by the fold that readers use, and writes what they would see; rows keep their commit times.

    Attributes:
        instant: The compaction.
        schema: The table's data columns.
        avro_schema: The same as Avro JSON.
        compression: Of the base file.
        bloom: The base file's filter; None for none.
        split: The slice, in the columns `compacted_columns`.
    """

    instant: str
    schema: pa.Schema
    avro_schema: str
    compression: str
    bloom: BloomShape | None
    split: Split
    event_time: str = field(init=False, default="")

    def __call__(self, token: WriteToken) -> FileStatus:
        """Write the base file."""
        file_slice = self.split.file_slice
        storage, ref = storage_for(self.split.uri, self.split.storage_options), SliceRef.of(file_slice)
        with Output(self, storage, token, file_slice.partition, file_slice.file_id, ref, Numbering()) as output:
            for rows in _row_groups(self.split.read()):
                meta = {name: rows.column(name) for name in META}
                meta[COMMIT_TIME] = meta[COMMIT_TIME].dictionary_encode()
                columns = {name: rows.column(name) for name in self.schema.names}
                output.write(with_constants(meta, columns, output.stamp, rows.num_rows))
            # what changed was counted by the delta commits
            return output.close(0, 0, keep=True)


def compacted_columns(schema: pa.Schema) -> list[str]:
    """What is read of a slice that has these data columns: meta columns that all rows of a file share are left out."""
    return [*META, *schema.names]


def _row_groups(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.Table]:
    """Batches put together: of base rows come those that stay and those that changed, and each is small."""
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
