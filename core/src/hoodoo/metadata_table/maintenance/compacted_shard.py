"""New base file of a shard, with the latest version of each record of its base file and logs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pyarrow as pa
import pyarrow.compute as pc

from hoodoo.format.hfile import Cells, hfile_bytes
from hoodoo.metadata_table.content.records import FILES, STATS, file_entries, merged_files, merged_records
from hoodoo.metadata_table.content.statistics import merged_stats
from hoodoo.metadata_table.layers import Layer, Selection, latest, layers
from hoodoo.metadata_table.maintenance.new_file import NewFile
from hoodoo.metadata_table.maintenance.record_schema import encoded_records, resolved_records
from hoodoo.metadata_table.metadata_table import ALL_PARTITIONS, MetadataTable
from hoodoo.metadata_table.partition_kind import PartitionKind, kind_of
from hoodoo.metadata_table.shards import Shard
from hoodoo.storage import join, name_of
from hoodoo.timeline import WriteStat

__all__ = ["compacted_shards", "sorted_cells"]

_TOKEN = "0-0-0"  # noqa: S105 - not a password
_STATISTICS = {PartitionKind.COLUMN_STATS: 3, PartitionKind.PARTITION_STATS: 6}
"""Partitions with statistics, each with the type of its records."""


def compacted_shards(metadata: MetadataTable, partition: str, schema: str, instant: str) -> Iterator[NewFile]:
    """Yield a new base file for each shard with logs in a partition.

    The file has no records if all keys of the shard are deleted. Without the file, the logs of the shard would stay
    current after their instants moved to the archive. The crate hudi-core ignores the logs of archived instants, and
    would restore the deleted keys.

    Args:
        metadata: The metadata table.
        partition: The partition of the metadata table.
        schema: The Avro schema of the records, including meta fields.
        instant: The instant of the compaction.

    Raises:
        CorruptTableError: A file of the partition is missing or damaged.
        UnsupportedTable: A log block of the partition cannot be read.
    """
    for shard in metadata.shards(partition):
        if not shard.logs:
            continue
        cells = _merged(partition, layers(metadata.storage, shard, metadata.visible, Selection()), schema)
        first, last = (cells.keys[0].as_py(), cells.keys[-1].as_py()) if len(cells) else (b"", b"")
        keys = {"minRecordKey": first, "maxRecordKey": last}
        body = hfile_bytes(cells, {"schema": schema.encode(), **keys})
        path = join(partition, f"{shard.file_id}_{_TOKEN}_{instant}.hfile")
        yield NewFile(path, body, _stat(partition, shard, path, len(cells), len(body)))


def _stat(partition: str, shard: Shard, path: str, records: int, size: int) -> WriteStat:
    return WriteStat(
        file_id=shard.file_id,
        path=path,
        partition_path=partition,
        prev_commit=shard.base_instant or "null",
        num_writes=records,
        num_inserts=records,
        total_write_bytes=size,
        file_size_in_bytes=size,
        extra={} if shard.base is None else {"prevBaseFile": name_of(shard.base.path)},
    )


def _merged(partition: str, found: list[Layer], schema: str) -> Cells:
    """Return the cells of the merged versions, in the order of their keys."""
    kind = kind_of(partition)
    if kind is PartitionKind.FILES:
        files = merged_records(found, FILES, merged_files)
        entries = {
            key: {name: {"size": size, "isDeleted": False} for name, size in file_entries(record).items()}
            for key, record in files.items()
        }
        records = {key: {"type": 1 if key == ALL_PARTITIONS else 2, FILES: entry} for key, entry in entries.items()}
        return sorted_cells(list(records), encoded_records(schema, records.values()))
    if kind in _STATISTICS:
        merged = merged_records(found, STATS, merged_stats)
        kept = {key: record for key, record in merged.items() if not record["isDeleted"]}
        values = encoded_records(schema, ({"type": _STATISTICS[kind], STATS: record} for record in kept.values()))
        return sorted_cells(list(kept), values)
    # a version replaces the earlier ones
    cells = Cells.joined([_in_schema(layer, schema) for layer in latest(found)])
    return sorted_cells(cells.keys, cells.values)


def _in_schema(layer: Layer, schema: str) -> Cells:
    """Return the cells of a layer with values in a schema; values of an earlier schema are encoded again."""
    if layer.schema is None or layer.schema == schema:
        return layer.cells
    return Cells(layer.cells.keys, resolved_records(layer.cells.values, layer.schema, schema))


def sorted_cells(keys: Sequence[str] | pa.Array, values: pa.Array) -> Cells:
    """Return cells in the order of the bytes of their keys."""
    if not isinstance(keys, pa.Array):
        keys = pa.array([key.encode() for key in keys], pa.large_binary())
    order = pc.sort_indices(keys)
    return Cells(keys.take(order), values.take(order))
