"""Options of a single write, its commit hooks and its data files. They are not stored with the table."""

from __future__ import annotations

from typing import Any

from attrs import frozen

from hoodoo.options.parsing.declare import SubstituteValue, option

__all__ = ["FileOptions", "HookOptions", "WriteOptions"]

_MIB = 1024 * 1024


@frozen
class WriteOptions:
    """Operation and treatment of the incoming rows."""

    operation: str = option(
        "hoodie.datasource.write.operation",
        default="upsert",
        choices=(
            "upsert",
            "insert",
            "bulk_insert",
            "delete",
            "insert_overwrite",
            "insert_overwrite_table",
            "delete_partition",
            "bootstrap",
        ),
        unsupported={
            "bulk_insert_prepped": "it is internal to Hudi; use bulk_insert",
            "insert_prepped": "it is internal to Hudi; use insert",
            "upsert_prepped": "it is internal to Hudi; use upsert",
            "delete_prepped": "it is internal to Hudi; use delete",
        },
        shown_default="upsert; `bulk_insert` for a new table without a record key",
        help="Write operation.",
    )
    combine_before_insert: bool = option(
        "hoodie.combine.before.insert",
        kind="flag",
        default=False,
        help="Merge incoming rows of the same key before an insert, bulk_insert or insert_overwrite.",
    )
    combine_before_upsert: bool = option(
        "hoodie.combine.before.upsert",
        kind="flag",
        default=True,
        help="Merge incoming rows of the same key before an upsert. `false` states that no two incoming rows have the "
        "same key; a batch that has such rows is rejected.",
    )
    partial_records: bool | None = option(
        "hoodie.spark.sql.merge.into.partial.updates",
        kind="flag",
        shown_default="`true` in version 9 if the merge rule compares no ordering values",
        help="Log only the assigned columns of an UPDATE, or of the updates of a MERGE, in a merge-on-read table of "
        "version 8 or 9 with a merge mode of Hudi. With ordering values, hoodoo and Hudi then take the other columns "
        "from a late version that loses. Without ordering values, Hudi 1.0.2 cannot read such a log in a table of "
        "version 8.",
    )
    dup_policy: str | None = option(
        "hoodie.datasource.insert.dup.policy",
        choices=("none", "drop", "fail"),
        substitutes={
            "insert": SubstituteValue(
                "none", "Hudi treats other values than drop and fail as none, and so does this job"
            )
        },
        shown_default="`none`",
        help="Action of an insert for a key that is already stored: `none` appends the row, `drop` leaves it out, "
        "`fail` rejects the write.",
    )
    drop_duplicates: bool = option(
        "hoodie.datasource.write.insert.drop.duplicates",
        kind="flag",
        default=False,
        help="Equivalent to `dup_policy` = `drop`.",
    )
    partitions_to_delete: tuple[str, ...] | None = option(
        "hoodie.datasource.write.partitions.to.delete",
        kind="names",
        shown_default="the partitions of the incoming rows",
        help="Partition paths that delete_partition removes; `*` matches any text.",
    )
    partitions_to_overwrite: tuple[str, ...] | None = option(
        "hoodie.static.overwrite.partition.paths",
        kind="names",
        shown_default="the partitions of the incoming rows",
        help="Partition paths that insert_overwrite replaces in addition to those of the incoming rows; paths that the "
        "table does not have are ignored.",
    )
    allow_key_collisions: bool = option(
        kind="flag",
        default=False,
        help="Accept rows whose key columns (or partition columns) have different values that Hudi writes as the same "
        "record key (or partition path): they become one record (or share a folder). `false` rejects them.",
    )
    arrival: str = option(
        default="position",
        help="Arrival order within a batch: `position` (partition and row of the input), `content` (a hash of all "
        "columns, for inputs whose order changes when they are recomputed), or the name of a column.",
    )
    commit_metadata: dict[str, Any] | None = option(
        kind="mapping",
        shown_default="none",
        help="Texts to keep in the metadata of the commit, by name. Entries that a write makes itself, such as "
        "`schema`, take precedence.",
    )
    commit_metadata_prefix: str = option(
        "hoodie.datasource.write.commitmeta.key.prefix",
        default="_",
        help="Keys that begin with this text, and are neither options nor keys of Hudi, belong to `commit_metadata`.",
    )
    track_event_time: bool | None = option(
        "hoodie.write.track.event.time.watermark",
        kind="flag",
        shown_default="`true` with `event_time_field`",
        help="Record the smallest and largest event time of each file in the commit.",
    )
    event_time_field: str | None = option(
        "hoodie.payload.event.time.field",
        shown_default="the first of `ordering`",
        help="Column of the event time: a timestamp, a date, or a number of seconds (10 digits) or milliseconds "
        "(13 digits) since 1970.",
    )


@frozen
class FileOptions:
    """Sizes and encoding of data files."""

    max_file_size: int = option(
        "hoodie.parquet.max.file.size",
        kind="integer",
        minimum=1,
        default=120 * _MIB,
        help="Approximate maximum size of a base file in bytes.",
    )
    small_file_limit: int = option(
        "hoodie.parquet.small.file.limit",
        kind="integer",
        default=100 * _MIB,
        help="Base files smaller than this many bytes receive new keys first; 0 or less disables this.",
    )
    compression: str = option(
        "hoodie.parquet.compression.codec",
        default="zstd",
        choices=("zstd", "snappy", "gzip", "lz4", "none", "uncompressed"),
        substitutes={
            codec: SubstituteValue("zstd", "readers without Java lack this codec; files are compressed by zstd instead")
            for codec in ("lzo", "brotli", "lz4_raw")
        },
        help="Compression of base files and of Parquet blocks in log files.",
    )
    log_format: str = option(
        "hoodie.logfile.data.block.format",
        default="parquet",
        choices=("parquet", "avro"),
        help="Format of data blocks in the log files of merge-on-read tables.",
    )


@frozen
class HookOptions:
    """Hook plugins to run before and after the commit of a write."""

    pre_commit: tuple[str, ...] = option(
        kind="plugins",
        default=(),
        shown_default="none",
        help="Hooks that check the commit before it is completed and may reject it, in this order.",
    )
    pre_commit_options: dict[str, Any] | None = option(
        kind="mapping",
        shown_default="none",
        help='Options of the hooks in `pre_commit`, by hook name: `{"row-counts": {"most_deleted": 100}}`.',
    )
    post_commit: tuple[str, ...] = option(
        kind="plugins",
        default=(),
        shown_default="none",
        help="Hooks to call after the commit is completed, in this order.",
    )
