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
from hoodoo.spark.scan.file_values import FILE_KEY, file_key, value_texts
from hoodoo.spark.scan.parquet_scan import Scan, scan_frame
from hoodoo.spark.scan.partition_values import PartitionValues, Value, by_known_values
from hoodoo.spark.spark_types import quoted
from hoodoo.spark.workers.split_rows import NUMBER, PIECE, per_piece, split_rows
from hoodoo.spark.workers.worker_frame import TOLD_TYPE, exploded
from hoodoo.storage import CachedListingStorage

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

__all__ = ["divided_frames", "is_worth_dividing"]

LEAST_BYTES = 64 * 1024 * 1024
"""A job of its own costs more than it saves where base files have fewer bytes than that."""

MOST_BYTES = 16 * 1024 * 1024 * 1024
"""The divisions go through the driver, within the time that Spark gives broadcasts."""

_KEY = pa.field("hoodoo key", pa.int64())
_FILE = pa.field("hoodoo file", pa.string())
_ROW = pa.field("hoodoo row", pa.int64())
_PLACES = {FILE_KEY: _KEY, "_metadata.file_name": _FILE, "_metadata.row_index": _ROW}
_KEY_OF, _TOLD = "hoodoo key of", "hoodoo told"


def is_worth_dividing(plan: Plan, splits: Sequence[Split]) -> bool:
    """Whether the divisible splits of a plan, whose base files Spark reads, are to be divided."""
    size = sum(split.file_slice.size for split in splits)
    if plan.commits is not None or plan.after is not None or not LEAST_BYTES <= size <= MOST_BYTES:
        return False
    # keys tell files apart, and `_metadata` is Spark's unless the table has such a column
    keys = {file_key(split.path or "") for split in splits}
    return len(keys) == len(splits) and "_metadata" not in {name.lower() for name in plan.schema.names}


def divided_frames(
    spark: SparkSession,
    storage: CachedListingStorage,
    plan: Plan,
    splits: Sequence[Split],
    partitions: PartitionValues | None,
) -> Iterator[DataFrame]:
    """Frames of divided splits, in the plan's columns: the base rows that their logs leave alone, and the others.

    Args:
        spark: The session, classic or Connect.
        storage: The table's files.
        plan: The plan.
        splits: Those of its splits that are divided.
        partitions: How the values of partition columns are read from paths, where they are.
    """
    for group, fields, values in by_known_values(splits, partitions):
        yield from _frames(spark, storage, plan, group, fields, values)


def _frames(
    spark: SparkSession,
    storage: CachedListingStorage,
    plan: Plan,
    splits: Sequence[Split],
    fields: Sequence[pa.Field],
    values: Mapping[str, tuple[Value, ...]],
) -> Iterator[DataFrame]:
    keys = [file_key(split.path or "") for split in splits]
    by_key = {key: values.get(split.partition, ()) for key, split in zip(keys, splits, strict=True)}
    known = value_texts(f"`{_KEY.name}`", fields, by_key)
    # of base files they read as much as the changed rows
    changed = [split.changed() for split in splits]
    rows = split_rows(spark, changed, {_KEY.name: pa.array(keys, _KEY.type)})
    told = _divisions(splits)(NUMBER).alias(_TOLD)
    divisions = F.broadcast(rows.select(F.col(_KEY.name).alias(_KEY_OF), told))
    is_told = F.expr(f"`{_KEY.name}` = `{_KEY_OF}`")

    base = scan_frame(spark, storage, Scan.of_splits(splits, places=_PLACES)).join(divisions, is_told, "left")
    bit = f"getbit(get(get(`{_TOLD}`, 0), int(shiftright(`{_ROW.name}`, 6))), int(`{_ROW.name}` & 63))"
    lost = f"raise_error(concat('file ', `{_FILE.name}`, ' is not as it was planned; read the table anew'))"
    names = zip(plan.schema.names, quoted(plan.schema.names), strict=True)
    columns = [f"{known.get(name, column)} as {column}" for name, column in names]
    yield base.where(f"coalesce({bit}, {lost}) = 0").selectExpr(*columns)

    # the pieces of a split that come after its first would carry it in vain
    pieces = per_piece(rows).join(divisions, is_told, "left")
    yield exploded(pieces, changed, known, f"if(`{PIECE}` = 1, `{_TOLD}`, null)")


def _divisions(splits: Sequence[Split]) -> Callable[[str], Column]:
    """What `divisions` says of splits, by number."""
    kept = list(splits)

    # shipped to executors by value: it imports there
    def told(numbers: pa.Array) -> pa.Array:
        from hoodoo.spark.worker_functions import divisions

        return divisions(kept[number] for number in numbers.to_pylist())

    told.__annotations__ = {"numbers": pa.Array, "return": pa.Array}
    udf: Callable[[str], Column] = arrow_udf(told, TOLD_TYPE)
    return udf
