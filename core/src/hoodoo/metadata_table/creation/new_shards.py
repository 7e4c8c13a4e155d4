"""File groups of a new partition of a metadata table: a first log for each, and a base file if it has records."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from hoodoo.format.avro.numpy_arrays import integers
from hoodoo.format.file_names import LogFileName
from hoodoo.format.hfile import hfile_bytes
from hoodoo.metadata_table import record_groups
from hoodoo.metadata_table.first_log import first_log
from hoodoo.metadata_table.maintenance.compacted_shard import sorted_cells
from hoodoo.metadata_table.maintenance.new_file import NewFile
from hoodoo.metadata_table.maintenance.table_change import RecordChange
from hoodoo.metadata_table.partition_kind import PartitionKind, file_id_prefix
from hoodoo.metadata_table.record_groups import WHOLE_TABLE
from hoodoo.metadata_table.shards import shard_of_keys
from hoodoo.storage import join
from hoodoo.timeline import WriteStat

__all__ = ["first_bases", "first_logs", "shard_count"]

_TOKEN = "0-0-0"  # noqa: S105 - not a password
_COUNTS = {
    PartitionKind.FILES: 1,
    PartitionKind.COLUMN_STATS: 2,
    PartitionKind.PARTITION_STATS: 1,
    PartitionKind.BLOOM_FILTERS: 4,
}
"""Number of file groups of the partitions for which it does not depend on the records: Hudi's defaults."""

_FEWEST = 10
"""Minimum number of file groups of a record index that is not partitioned: Hudi's default."""


def shard_count(kind: PartitionKind, records: int, group: str = WHOLE_TABLE) -> int:
    """Return the number of file groups of a new partition or group; later growth does not change the number.

    Args:
        kind: The kind of the partition.
        records: The current number of records of the partition or group.
        group: The group of a partitioned record index; `WHOLE_TABLE` for every other partition.
    """
    if kind is not PartitionKind.RECORD_INDEX:
        return _COUNTS[kind]
    return record_groups.shard_count(records, _FEWEST if group == WHOLE_TABLE else 1)


def first_logs(kind: PartitionKind, count: int, instant: str, group: str = WHOLE_TABLE) -> Iterator[tuple[str, bytes]]:
    """Yield the first log of each file group, which has no records and shows readers that the file group exists.

    Args:
        kind: The kind of the partition.
        count: The number of file groups.
        instant: The instant that creates the partition.
        group: The group of a partitioned record index; `WHOLE_TABLE` for every other partition.

    Yields:
        The path, relative to the metadata table, and the content.
    """
    body = first_log(instant)
    for number in range(count):
        name = LogFileName(_file_id(kind, number, group), instant, 1, _TOKEN, is_cdc=False)
        yield join(kind, str(name)), body


def first_bases(
    kind: PartitionKind, count: int, records: RecordChange, schema: str, instant: str, group: str = WHOLE_TABLE
) -> Iterator[NewFile]:
    """Yield the base file of each file group that has records.

    Args:
        kind: The kind of the partition.
        count: The number of file groups.
        records: The records, without deletions.
        schema: The Avro schema of the records, including meta fields.
        instant: The instant that creates the partition.
        group: The group of a partitioned record index; `WHOLE_TABLE` for every other partition.
    """
    if not len(records.keys):
        return
    numbers = shard_of_keys(records.keys.cast(pa.large_string()), count)
    for number in range(count):
        rows = integers(np.flatnonzero(numbers == number))
        if not len(rows):
            continue
        cells = sorted_cells(records.keys.take(rows), records.values.take(rows))
        keys = {"minRecordKey": cells.keys[0].as_py(), "maxRecordKey": cells.keys[-1].as_py()}
        body = hfile_bytes(cells, {"schema": schema.encode(), **keys})
        file_id = _file_id(kind, number, group)
        path = join(kind, f"{file_id}_{_TOKEN}_{instant}.hfile")
        stat = WriteStat(
            file_id=file_id,
            path=path,
            partition_path=str(kind),
            prev_commit="null",
            num_writes=len(cells),
            num_inserts=len(cells),
            total_write_bytes=len(body),
            file_size_in_bytes=len(body),
        )
        yield NewFile(path, body, stat)


def _file_id(kind: PartitionKind, number: int, group: str) -> str:
    return f"{file_id_prefix(kind)}{group}-{number:04}-0" if group else f"{file_id_prefix(kind)}{number:04}-0"
