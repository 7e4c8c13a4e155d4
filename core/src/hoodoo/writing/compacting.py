"""One file slice with logs becomes a base file: what a compaction does with each."""

from __future__ import annotations

import pyarrow as pa
from attrs import field, frozen

from hoodoo.format.bloom import BloomShape
from hoodoo.reading import Split
from hoodoo.schema.meta import COMMIT_TIME, FILE_NAME
from hoodoo.storage import storage_for
from hoodoo.writing.output import Numbering, Output, WriteToken
from hoodoo.writing.plan import SliceRef
from hoodoo.writing.status import FileStatus

__all__ = ["CompactTask"]


@frozen
class CompactTask:
    """Merges one slice by the fold that readers use, and writes what they would see; rows keep their commit times.

    Attributes:
        instant: The compaction.
        schema: The table's data columns.
        avro_schema: The same as Avro JSON.
        compression: Of the base file.
        bloom: The base file's filter; None for none.
        split: The slice, all columns of it, meta columns included.
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
            for batch in self.split.read():
                output.write(_renamed(pa.Table.from_batches([batch]), output.stamp.file_name))
            # what changed was counted by the delta commits
            return output.close(0, 0, keep=True)


def _renamed(rows: pa.Table, file_name: str) -> pa.Table:
    """The rows under the name of the file that they are to stand in; the commit times as a dictionary."""
    names = pa.DictionaryArray.from_arrays(pa.repeat(pa.scalar(0, pa.int32()), rows.num_rows), pa.array([file_name]))
    times = rows.column(COMMIT_TIME).dictionary_encode()
    rows = rows.set_column(rows.schema.get_field_index(FILE_NAME), FILE_NAME, names)
    return rows.set_column(rows.schema.get_field_index(COMMIT_TIME), COMMIT_TIME, times)
