"""Log files of a metadata table, with the records of a change, sorted and distributed to the shards of a partition."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from attrs import frozen

from hoodoo.format.avro.numpy_arrays import integers
from hoodoo.format.file_names import LogFileName
from hoodoo.format.hfile import Cells
from hoodoo.format.log.block_writer import delete_block
from hoodoo.format.log.hfile_block import hfile_data_block
from hoodoo.metadata_table.first_log import first_log
from hoodoo.metadata_table.maintenance.new_file import NewFile
from hoodoo.metadata_table.maintenance.table_change import RecordChange
from hoodoo.metadata_table.shards import Shard, shard_of_keys
from hoodoo.storage import join, name_of
from hoodoo.timeline import WriteStat

__all__ = ["Slices", "new_logs"]

_TOKEN = "0-0-0"  # noqa: S105 - not a password


@frozen
class Slices:
    """Rule for the names of new logs: a log is named by its commit, or in layout 1 by its file slice.

    Attributes:
        instant: The time of the delta commit that writes the logs.
        layout: The timeline layout of the metadata table.
        pending: In layout 1 the time of the pending compaction of each file group that has one, by (partition, file
            id): it began a new slice.
    """

    instant: str
    layout: int
    pending: Mapping[tuple[str, str], str]

    def name(self, partition: str, shard: Shard) -> tuple[LogFileName, str]:
        """Return the name of a new log of a shard, and the instant that its write stat has as the previous commit."""
        if self.layout > 1:
            return LogFileName(shard.file_id, self.instant, 1, _TOKEN, is_cdc=False), self.instant
        began = self.pending.get((partition, shard.file_id), "")
        slice_ = max([shard.base_instant, began, *(log.instant for log in shard.logs)])
        version = 1 + max((log.version for log in shard.logs if log.instant == slice_), default=0)
        return LogFileName(shard.file_id, slice_, version, _TOKEN, is_cdc=False), slice_


def new_logs(
    partition: str, shards: Sequence[Shard], change: RecordChange, schema: str, slices: Slices
) -> Iterator[NewFile]:
    """Yield a log for each shard with changed keys, and for each shard that has no files yet.

    Args:
        partition: The partition of the metadata table.
        shards: All its shards, in the order of their numbers; of a partitioned record index all shards of a group.
        change: The records to write, and the keys of records to delete.
        schema: The Avro schema of the records, including meta fields.
        slices: The rule for the names of the logs.
    """
    kept, deleted = _numbers(change.keys, len(shards)), _numbers(change.deleted, len(shards))
    for number, shard in enumerate(shards):
        cells = _sorted(change, np.flatnonzero(kept == number))
        gone = change.deleted.take(integers(np.flatnonzero(deleted == number))).sort()
        is_new = shard.base is None and not shard.logs
        if not len(cells) and not len(gone) and not is_new:
            continue
        blocks = []
        if len(cells):
            blocks.append(hfile_data_block(slices.instant, cells, schema))
        if len(gone):
            keys = gone.cast(pa.large_string())
            folders = pa.array([partition], pa.large_string()).take(integers(np.zeros(len(gone), np.int64)))
            # readers of the crate hudi-core fail on a checksum there
            blocks.append(delete_block(slices.instant, keys, folders, [], schema, checksum=False))
        body = b"".join(blocks) or first_log(slices.instant)
        name, previous = slices.name(partition, shard)
        path = join(partition, str(name))
        logs = [str(name)] if slices.layout > 1 else [*(name_of(log.path) for log in shard.logs), str(name)]
        stat = WriteStat(
            file_id=shard.file_id,
            path=path,
            partition_path=partition,
            prev_commit=previous,
            num_writes=len(cells),
            num_deletes=len(gone),
            num_update_writes=len(cells),
            total_write_bytes=len(body),
            file_size_in_bytes=len(body),
            base_file="" if slices.layout > 1 or shard.base is None else name_of(shard.base.path),
            log_files=tuple(logs),
            extra={"logVersion": name.version, "logOffset": 0},
        )
        yield NewFile(path, body, stat)


def _numbers(keys: pa.Array, count: int) -> np.ndarray:
    return shard_of_keys(keys.cast(pa.large_string()), count) if len(keys) else np.zeros(0, np.int64)


def _sorted(change: RecordChange, rows: np.ndarray) -> Cells:
    """Return some of the records in the order of the bytes of their keys."""
    keys = change.keys.take(integers(rows))
    order = pc.sort_indices(keys)
    return Cells(keys.take(order), change.values.take(integers(rows)).take(order))
