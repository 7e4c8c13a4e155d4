"""Options of one write, and of the data files that it creates. They are not stored with the table."""

from __future__ import annotations

from attrs import frozen

from hoodoo.options.declare import option

__all__ = ["FileOptions", "WriteOptions"]

_MIB = 1024 * 1024


@frozen
class WriteOptions:
    """What is done with the rows."""

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
        ),
        help="What is done with the rows.",
    )
    combine_before_insert: bool = option(
        "hoodie.combine.before.insert",
        kind="flag",
        default=False,
        help="Whether incoming rows of one key are merged before an insert, bulk_insert or insert_overwrite.",
    )
    dup_policy: str | None = option(
        "hoodie.datasource.insert.dup.policy",
        choices=("none", "drop", "fail"),
        shown_default="`none`",
        help="What insert does with a key that is stored already: `none` appends, `drop` leaves the row out, "
        "`fail` refuses the write.",
    )
    drop_duplicates: bool = option(
        "hoodie.datasource.write.insert.drop.duplicates",
        kind="flag",
        default=False,
        help="The same as `dup_policy` = `drop`.",
    )
    partitions_to_delete: tuple[str, ...] | None = option(
        "hoodie.datasource.write.partitions.to.delete",
        kind="names",
        shown_default="those of the rows",
        help="Partition paths that delete_partition removes; `*` stands for any text.",
    )
    allow_key_collisions: bool = option(
        kind="flag",
        default=False,
        help="Whether rows are written whose key columns, or partition columns, have different values that Hudi writes "
        "as one record key, or one partition path: they are one record, or share a folder. Otherwise they are refused.",
    )
    arrival: str = option(
        default="position",
        help="Order of arrival within a batch: `position` (partition and row of the input), `content` (a hash of all "
        "columns, for inputs that cannot be recomputed in the same order), or the name of a column.",
    )
    track_event_time: bool | None = option(
        "hoodie.write.track.event.time.watermark",
        kind="flag",
        shown_default="`true` with `event_time_field`",
        help="Whether the commit states the smallest and the largest event time of the rows in each file.",
    )
    event_time_field: str | None = option(
        "hoodie.payload.event.time.field",
        shown_default="the first of `ordering`",
        help="The column of the event time: a timestamp, a date, or a number of seconds (10 digits) or milliseconds "
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
        help="Largest base file in bytes, roughly.",
    )
    small_file_limit: int = option(
        "hoodie.parquet.small.file.limit",
        kind="integer",
        minimum=0,
        default=100 * _MIB,
        help="Base files below this size in bytes are filled with new keys first; 0 fills none.",
    )
    compression: str = option(
        "hoodie.parquet.compression.codec",
        default="zstd",
        choices=("zstd", "snappy", "gzip", "lz4", "none", "uncompressed"),
        help="Compression of base files, and of the parquet blocks of logs.",
    )
    log_format: str = option(
        "hoodie.logfile.data.block.format",
        default="parquet",
        choices=("parquet", "avro"),
        help="What the data blocks of log files hold, in merge-on-read tables.",
    )
