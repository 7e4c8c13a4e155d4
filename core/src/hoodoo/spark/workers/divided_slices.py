"""Divided slices with logs: Spark's Parquet reader reads base rows that logs do not change, and workers the rest.

Spark converts the output of workers row by row, which takes longer than the merge. Workers therefore first merge only
keys and ordering values, and return one or two bitmaps per slice, see `divisions`: the rows of the base file that the
logs change or delete, and the records of the logs that survive. Both the scan of the base files and the splits of the
workers are joined with the bitmaps.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import pyarrow as pa
from pyspark.sql import functions as F
from pyspark.sql.types import ArrayType, LongType

from hoodoo.reading import Plan, Split
from hoodoo.spark.compatibility.arrow_columns import ArrayFunction, with_arrow_column
from hoodoo.spark.compatibility.mapped_rows import constants_of, parts_for_filters
from hoodoo.spark.pyspark_version import ARROW_FUNCTIONS
from hoodoo.spark.scan.file_values import FILE_KEY, file_key, value_expressions
from hoodoo.spark.scan.parquet_scan import Scan, scan_frame
from hoodoo.spark.scan.partition_values import PartitionPathReader, Value, by_known_values
from hoodoo.spark.scan.scan_source import ScanSource
from hoodoo.spark.spark_types import quoted
from hoodoo.spark.workers.split_rows import NUMBER, PIECE, per_piece, split_rows
from hoodoo.spark.workers.worker_frame import exploded

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["divided_frames", "is_worth_dividing"]

LEAST_BYTES = 64 * 1024 * 1024
"""The minimum total size of the base files. Below it the additional job takes longer than it saves."""

MOST_BYTES = 16 * 1024 * 1024 * 1024
"""The maximum total size of the base files, so that the driver can broadcast the bitmaps within Spark's time limit."""

_KEY = pa.field("hoodoo key", pa.int64())
_FILE = pa.field("hoodoo file", pa.string())
_ROW = pa.field("hoodoo row", pa.int64())
_PLACES = {FILE_KEY: _KEY, "_metadata.file_name": _FILE, "_metadata.row_index": _ROW}
_KEY_OF, _BITMAPS = "hoodoo key of", "hoodoo bitmaps"
_BITMAPS_TYPE = ArrayType(ArrayType(LongType()))


def is_worth_dividing(plan: Plan, splits: Sequence[Split]) -> bool:
    """Return whether to divide the divisible splits of a plan.

    They are not divided if the query is incremental, if the total size of their base files is not within the limits, if
    two files have the same key, or if the table has a column `_metadata`.
    """
    size = sum(split.file_slice.size for split in splits)
    if plan.commits is not None or not LEAST_BYTES <= size <= MOST_BYTES:
        return False
    # the keys of the files must be unique, and `_metadata` must be Spark's column and not one of the table
    keys = {file_key(split.path or "") for split in splits}
    return len(keys) == len(splits) and "_metadata" not in {name.lower() for name in plan.schema.names}


def divided_frames(
    spark: SparkSession,
    source: ScanSource,
    plan: Plan,
    splits: Sequence[Split],
    partitions: PartitionPathReader | None,
) -> Iterator[DataFrame]:
    """Yield DataFrames of divided splits, in the columns of the plan: unchanged base rows, and the other rows.

    Args:
        spark: The session, classic or Connect.
        source: The table's location.
        plan: The plan, which has the columns of the result.
        splits: The splits of the plan to divide.
        partitions: The reader of partition values from paths; None if paths do not have them.
    """
    for group, fields, values in parts_for_filters(by_known_values(splits, partitions)):
        yield from _frames(spark, source, plan, group, fields, values)


def _frames(
    spark: SparkSession,
    source: ScanSource,
    plan: Plan,
    splits: Sequence[Split],
    fields: Sequence[pa.Field],
    values: Mapping[str, tuple[Value, ...]],
) -> Iterator[DataFrame]:
    keys = [file_key(split.path or "") for split in splits]
    by_key = {key: values.get(split.partition, ()) for key, split in zip(keys, splits, strict=True)}
    known = value_expressions(f"`{_KEY.name}`", fields, by_key)
    constants = known if ARROW_FUNCTIONS.is_available() else constants_of(fields, values)
    known |= constants
    # workers read only the changed rows of base files
    changed = [split.changed() for split in splits]
    rows = split_rows(spark, changed, {_KEY.name: pa.array(keys, _KEY.type)})
    bitmaps = with_arrow_column(rows, _BITMAPS, _BITMAPS_TYPE, _divisions(splits), {NUMBER: F.col(NUMBER)})
    divisions = F.broadcast(bitmaps.select(F.col(_KEY.name).alias(_KEY_OF), F.col(_BITMAPS)))
    same_file = F.expr(f"`{_KEY.name}` = `{_KEY_OF}`")

    base = scan_frame(spark, source, Scan.of_splits(splits, places=_PLACES)).join(divisions, same_file, "left")
    bit = f"getbit(get(get(`{_BITMAPS}`, 0), int(shiftright(`{_ROW.name}`, 6))), int(`{_ROW.name}` & 63))"
    changed_file = f"raise_error(concat('file ', `{_FILE.name}`, ' changed after the query was planned; read again'))"
    names = zip(plan.schema.names, quoted(plan.schema.names), strict=True)
    columns = [f"{known.get(name, column)} as {column}" for name, column in names]
    yield base.where(f"coalesce({bit}, {changed_file}) = 0").selectExpr(*columns)

    # only the first piece of a split needs the bitmaps
    pieces = per_piece(rows).join(divisions, same_file, "left")
    why = f"{len(changed)} file slices, only the rows that logs change"
    yield exploded(pieces, changed, constants, f"if(`{PIECE}` = 1, `{_BITMAPS}`, null)", why=why)


def _divisions(splits: Sequence[Split]) -> ArrayFunction:
    """Return a function that calls `divisions` for splits, by number."""
    kept = list(splits)

    # executors receive the function by value, so it imports its modules when it runs
    def bitmaps(batches: Iterator[tuple[pa.Array, ...]]) -> Iterator[pa.Array]:
        from hoodoo.spark.worker_functions import divisions

        for numbers in batches:
            # Spark passes a single column without a tuple
            column = numbers if isinstance(numbers, pa.Array) else numbers[0]
            yield divisions(kept[number] for number in column.to_pylist())

    return bitmaps
