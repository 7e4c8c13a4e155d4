"""Slices with logs, divided: Spark's Parquet reader reads the base rows that the logs leave alone, workers the rest.

What a worker sends, Spark makes rows of one by one; that costs more than to merge. So a first job of workers merges by
keys and ordering values, and tells of each slice which rows of the base file are deleted and which records of the logs
stand, one bit for each. The scan of the base files is joined with that, and so are the splits that workers read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import pyarrow as pa
from pyspark.sql import functions as F
from pyspark.sql.functions import arrow_udf  # type: ignore[attr-defined]  # missing in the stubs of 4.3

from hoodoo.reading import Plan, Split
from hoodoo.spark.partition_values import PartitionValues, Value
from hoodoo.spark.scan import Scan, scan_frame
from hoodoo.spark.schema import quoted
from hoodoo.spark.split_rows import NUMBER, PIECE, per_piece, split_rows, value_name
from hoodoo.spark.workers import TOLD_TYPE, exploded
from hoodoo.storage import WalkedStorage, name_of

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

__all__ = ["divided_frames", "is_worth_dividing"]

LEAST_BYTES = 64 * 1024 * 1024
"""A job of its own costs more than it saves where base files have fewer bytes than that."""

MOST_BYTES = 16 * 1024 * 1024 * 1024
"""The divisions go through the driver, within the time that Spark gives broadcasts."""

_FILE = pa.field("hoodoo file", pa.string())
_ROW = pa.field("hoodoo row", pa.int64())
_HASH = pa.field("hoodoo hash", pa.int64())
_PLACES = {
    "_metadata.file_name": _FILE,
    "_metadata.row_index": _ROW,
    # a number is joined faster than a name
    "xxhash64(_metadata.file_name)": _HASH,
}
_TOLD = "hoodoo told"
_IS_OF = f"`{_FILE.name}` = `{_FILE.name} of`"
"""Hashes of two names may be the same."""


def is_worth_dividing(plan: Plan, splits: Sequence[Split]) -> bool:
    """Whether the divisible splits of a plan, whose base files Spark reads, are to be divided."""
    size = sum(split.file_slice.size for split in splits)
    if plan.commits is not None or plan.after is not None or not LEAST_BYTES <= size <= MOST_BYTES:
        return False
    # file names tell files apart, and `_metadata` is Spark's unless the table has such a column
    names = {name_of(split.path or "") for split in splits}
    return len(names) == len(splits) and "_metadata" not in {name.lower() for name in plan.schema.names}


def divided_frames(
    spark: SparkSession, storage: WalkedStorage, plan: Plan, splits: Sequence[Split], partitions: PartitionValues | None
) -> Iterator[DataFrame]:
    """Frames of divided splits, in the plan's columns: the base rows that their logs leave alone, and the others.

    Args:
        spark: The session, classic or Connect.
        storage: The table's files.
        plan: The plan.
        splits: Those of its splits that are divided.
        partitions: How the values of partition columns are read from paths, where they are.
    """
    values: dict[str, tuple[Value, ...]] = {}
    if partitions is not None:
        found = partitions.of_paths(split.partition for split in splits)
        # no value equals null
        values = {path: of_path for path, of_path in found.items() if None not in of_path}
    if known := [split for split in splits if split.partition in values]:
        yield from _frames(spark, storage, plan, known, partitions, values)
    if others := [split for split in splits if split.partition not in values]:
        yield from _frames(spark, storage, plan, others, None, values)


def _frames(
    spark: SparkSession,
    storage: WalkedStorage,
    plan: Plan,
    splits: Sequence[Split],
    partitions: PartitionValues | None,
    values: Mapping[str, tuple[Value, ...]],
) -> Iterator[DataFrame]:
    fields = () if partitions is None else partitions.fields
    in_folders = fields if partitions is not None and partitions.hive_style else ()
    base = scan_frame(spark, storage, Scan.of_splits(splits, in_folders, _PLACES))
    # of base files they read as much as the changed rows
    changed = [split.changed() for split in splits]
    files = pa.array([name_of(split.path or "") for split in splits])
    rows = split_rows(spark, changed, {_FILE.name: files}, fields, values)
    rows = rows.selectExpr("*", f"xxhash64(`{_FILE.name}`) as `{_HASH.name}`")
    names = [value_name(number) for number in range(len(fields))]
    divisions = rows.select(
        *(F.col(name).alias(f"{name} of") for name in (_FILE.name, _HASH.name, *names)),
        _divisions(splits)(F.col(NUMBER)).alias(_TOLD),
    )
    alone = _told(base, divisions, dict(zip(quoted(field.name for field in fields), names, strict=True)))
    bit = f"getbit(get(get(`{_TOLD}`, 0), int(shiftright(`{_ROW.name}`, 6))), int(`{_ROW.name}` & 63))"
    lost = f"raise_error(concat('file ', `{_FILE.name}`, ' is not as it was planned; read the table anew'))"
    is_deleted = (
        f"case when {_IS_OF} then coalesce({bit}, {lost}) when `{_FILE.name} of` is null then {lost} else 1 end"
    )
    yield alone.where(f"{is_deleted} = 0").select(*quoted(plan.schema.names))
    # its first piece is told, the others would carry it in vain
    pieces = per_piece(rows).withColumn(_HASH.name, F.expr(f"if(`{PIECE}` = 1, `{_HASH.name}`, null)"))
    told = _told(pieces, divisions, {f"`{name}`": name for name in names}).where(f"coalesce({_IS_OF}, true)")
    yield exploded(told, changed, fields, f"`{_TOLD}`")


def _told(rows: DataFrame, divisions: DataFrame, values: Mapping[str, str]) -> DataFrame:
    """Rows with the division that is told of the file that each stands for.

    All are joined by the same columns, so that Spark makes the divisions once. A filter of a partition column goes over
    to them, so that none is made for files that it leaves out.

    Args:
        rows: The rows, with the file's name and the hash of it.
        divisions: What is told of each file.
        values: The partition columns of the rows, with the names of those of the divisions.
    """
    matches = [f"`{_HASH.name}` = `{_HASH.name} of`", *(f"{column} = `{name} of`" for column, name in values.items())]
    return rows.join(F.broadcast(divisions), F.expr(" and ".join(matches)), "left")


def _divisions(splits: Sequence[Split]) -> Callable[[Column], Column]:
    """What `divisions` says of splits, by number."""
    kept = list(splits)

    # shipped to executors by value: it imports there
    def told(numbers: pa.Array) -> pa.Array:
        from hoodoo.spark.executor import divisions

        return divisions(kept[number] for number in numbers.to_pylist())

    told.__annotations__ = {"numbers": pa.Array, "return": pa.Array}
    udf: Callable[[Column], Column] = arrow_udf(told, TOLD_TYPE)
    return udf
