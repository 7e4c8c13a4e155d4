"""Options of the index, of the bloom filters in base files, and of the metadata table."""

from __future__ import annotations

from attrs import frozen

from hoodoo.options import default_plugins
from hoodoo.options.parsing.declare import SubstituteValue, option

__all__ = ["BloomOptions", "IndexOptions", "MetadataOptions"]

_SAME_ROWS = "this index is not written; index '{}', which finds the same rows, is used instead"


_STAYS = {"update_partition": False}
"""Defaults of other options for the indexes that leave a stored row in its partition in Hudi."""


@frozen
class IndexOptions:
    """Index that finds the file group of a key."""

    index: str | None = option(
        "hoodie.index.type",
        choices=("simple", "bloom", "bucket", "global-simple", "global-bloom", "record", "partitioned-record"),
        substitutes={
            "record_index": SubstituteValue("record", defaults=_STAYS),
            "global_record_level_index": SubstituteValue("record", defaults=_STAYS),
            "hbase": SubstituteValue("global-simple", _SAME_ROWS.format("global-simple"), _STAYS),
            "record_level_index": SubstituteValue("partitioned-record"),
        },
        unsupported={
            "inmemory": "its keys are lost when the process ends, and a key would be stored twice; use global-simple",
            "flink_state": "it belongs to a job of Flink; use global-simple, or bucket as Flink does for shared tables",
        },
        shown_default=default_plugins.INDEX,
        help="Index: `simple` reads the keys of the affected partitions; `bloom` reads only files whose footers do "
        "not exclude the incoming keys; `bucket` hashes the key. With `global-simple`, `global-bloom` and `record`, a "
        "key is unique in the whole table: the first two search all partitions, and `record` looks keys up in the "
        "record index of the metadata table, or works as `global-simple` if there is none. `partitioned-record` looks "
        "keys up in the partitioned record index, or works as `simple` if there is none.",
    )
    update_partition: bool | None = option(
        "hoodie.simple.index.update.partition.path",
        "hoodie.bloom.index.update.partition.path",
        "hoodie.record.index.update.partition.path",
        "hoodie.hbase.index.update.partition.path",
        kind="flag",
        shown_default="`true`",
        help="With a global index, move a stored row to the partition of the incoming row that it is merged with; "
        "`false` leaves it in its partition.",
    )
    buckets: int | None = option(
        "hoodie.bucket.index.num.buckets",
        kind="integer",
        minimum=1,
        shown_default="4",
        help="Number of buckets per partition of a bucket index.",
    )
    bucket_by: tuple[str, ...] | None = option(
        "hoodie.bucket.index.hash.field",
        kind="names",
        shown_default="`record_key`",
        help="Record key columns that the bucket index hashes.",
    )


@frozen
class BloomOptions:
    """Bloom filters of record keys, in the footers of base files."""

    bloom_filter: bool | None = option(
        "hoodie.parquet.bloom.filter.enabled",
        kind="flag",
        shown_default="`true` with a bloom index",
        help="Write a bloom filter into new base files; other writers need it for their bloom index.",
    )
    bloom_entries: int = option(
        "hoodie.index.bloom.num_entries",
        kind="integer",
        minimum=1,
        default=60_000,
        help="Number of keys for which a filter is sized; a dynamic filter grows in steps of this size.",
    )
    bloom_fpp: float = option(
        "hoodie.index.bloom.fpp",
        kind="number",
        default=1e-9,
        help="False positive rate of a full filter, between 0 and 1.",
    )
    bloom_type: str = option(
        "hoodie.bloom.index.filter.type",
        default="DYNAMIC_V0",
        choices=("DYNAMIC_V0", "SIMPLE"),
        help="Type of the filter: `DYNAMIC_V0` grows with the file, `SIMPLE` does not.",
    )
    bloom_max_entries: int = option(
        "hoodie.bloom.index.filter.dynamic.max.entries",
        kind="integer",
        minimum=1,
        default=100_000,
        help="Maximum number of keys for which a dynamic filter is sized.",
    )


@frozen
class MetadataOptions:
    """Metadata table, and the indexes in it."""

    metadata_table: bool | None = option(
        "hoodie.metadata.enable",
        kind="flag",
        # false removes the metadata table
        exact=True,
        shown_default="no change",
        help="`true` creates the metadata table, with the list of files, if the table does not have one; `false` "
        "removes it. By default, an existing metadata table is kept current.",
    )
    index_column_stats: bool = option(
        "hoodie.metadata.index.column.stats.enable",
        kind="flag",
        default=False,
        help="Create statistics of the columns of each file in the metadata table, if it lacks them.",
    )
    index_columns: tuple[str, ...] = option(
        "hoodie.metadata.index.column.stats.column.list",
        kind="names",
        default=(),
        shown_default="the first 32",
        help="Columns of which statistics are created.",
    )
    index_partition_stats: bool | None = option(
        "hoodie.metadata.index.partition.stats.enable",
        kind="flag",
        shown_default="that of `index_column_stats`",
        help="Create statistics of the columns of each partition, if the metadata table lacks them. This requires "
        "table version 8 or later, and statistics of the columns of each file.",
    )
    index_bloom_filters: bool = option(
        "hoodie.metadata.index.bloom.filter.enable",
        kind="flag",
        default=False,
        help="Create a partition of the metadata table with the bloom filters of base files, if it lacks one.",
    )
    index_record_keys: bool = option(
        "hoodie.metadata.global.record.level.index.enable",
        "hoodie.metadata.record.index.enable",
        kind="flag",
        default=False,
        help="Create the record index, which has the location of each record key, if the metadata table lacks it.",
    )
    index_partitioned_record_keys: bool = option(
        "hoodie.metadata.record.level.index.enable",
        kind="flag",
        default=False,
        help="Create the partitioned record index, which has the location of each record key in its partition, if the "
        "metadata table lacks a record index. This requires table version 9 or later, and a table with partitions.",
    )
    metadata_compact_after_commits: int = option(
        "hoodie.metadata.compact.max.delta.commits",
        kind="integer",
        minimum=1,
        default=10,
        help="Number of delta commits of the metadata table since its last compaction after which it is compacted.",
    )
