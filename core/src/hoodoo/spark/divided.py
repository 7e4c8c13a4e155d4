"""Slices with logs, divided: Spark's Parquet reader reads the base rows that the logs leave alone, workers the rest.

What a worker sends, Spark makes rows of one by one; that costs more than to merge. So a first job of workers makes a
deletion vector per base file, one bit for each row, and the scan of the base files is joined with them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import pyarrow as pa
from pyspark.sql import functions as F
from pyspark.sql.functions import arrow_udf  # type: ignore[attr-defined]  # missing in the stubs of 4.3

from hoodoo.reading import Plan, Split
from hoodoo.spark.partition_values import PartitionValues, Value
from hoodoo.spark.plain import base_frame
from hoodoo.spark.schema import quoted
from hoodoo.spark.split_rows import NUMBER, split_rows, value_name
from hoodoo.storage import LocalStorage, name_of

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

__all__ = ["is_worth_dividing", "left_alone"]

LEAST_BYTES = 64 * 1024 * 1024
"""A job of its own costs more than it saves where base files have fewer bytes than that."""

MOST_BYTES = 16 * 1024 * 1024 * 1024
"""The vectors go through the driver, within the time that Spark gives broadcasts."""

_FILE = pa.field("hoodoo file", pa.string())
_ROW = pa.field("hoodoo row", pa.int64())
_HASH = pa.field("hoodoo hash", pa.int64())
_PLACES = {
    "_metadata.file_name": _FILE,
    "_metadata.row_index": _ROW,
    # a number is joined faster than a name
    "xxhash64(_metadata.file_name)": _HASH,
}
_OF, _HASH_OF, _BITS = "hoodoo of", "hoodoo hash of", "hoodoo bits"


def is_worth_dividing(plan: Plan, splits: Sequence[Split]) -> bool:
    """Whether the divisible splits of a plan, whose base files Spark reads, are to be divided."""
    size = sum(split.file_slice.size for split in splits)
    if plan.commits is not None or plan.after is not None or not LEAST_BYTES <= size <= MOST_BYTES:
        return False
    # file names tell files apart, and `_metadata` is Spark's unless the table has such a column
    names = {name_of(split.path or "") for split in splits}
    return len(names) == len(splits) and "_metadata" not in {name.lower() for name in plan.schema.names}


def left_alone(
    spark: SparkSession, storage: LocalStorage, plan: Plan, splits: Sequence[Split], partitions: PartitionValues | None
) -> Iterator[DataFrame]:
    """Frames of the base rows of divided splits that their logs leave alone, in the plan's columns.

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
        yield _frame(spark, storage, plan, known, partitions, values)
    if others := [split for split in splits if split.partition not in values]:
        yield _frame(spark, storage, plan, others, None, values)


def _frame(
    spark: SparkSession,
    storage: LocalStorage,
    plan: Plan,
    splits: Sequence[Split],
    partitions: PartitionValues | None,
    values: Mapping[str, tuple[Value, ...]],
) -> DataFrame:
    fields = () if partitions is None else partitions.fields
    in_folders = fields if partitions is not None and partitions.hive_style else ()
    base = base_frame(spark, storage, splits, in_folders, _PLACES)
    names = pa.array([name_of(split.path or "") for split in splits], pa.string())
    # of base files they read as much as the changed rows
    vectors = split_rows(spark, [split.changed() for split in splits], {_OF: names}, fields, values)
    vectors = vectors.selectExpr("*", f"xxhash64(`{_OF}`) as `{_HASH_OF}`")
    vectors = vectors.withColumn(_BITS, _bits(splits)(F.col(NUMBER)))
    matches = [f"`{_HASH.name}` = `{_HASH_OF}`"]
    # a filter of a partition column goes over to the vectors, so that none is made for files that it leaves out
    matches += [f"{quoted([field.name])[0]} = `{value_name(number)}`" for number, field in enumerate(fields)]
    bit = f"getbit(get(`{_BITS}`, int(shiftright(`{_ROW.name}`, 6))), int(`{_ROW.name}` & 63))"
    lost = f"raise_error(concat('file ', `{_FILE.name}`, ' is not as it was planned; read the table anew'))"
    found = (
        f"case when `{_FILE.name}` = `{_OF}` then coalesce({bit}, {lost}) when `{_OF}` is null then {lost} else 1 end"
    )
    joined = base.join(F.broadcast(vectors), F.expr(" and ".join(matches)), "left")
    return joined.where(f"{found} = 0").select(*quoted(plan.schema.names))


def _bits(splits: Sequence[Split]) -> Callable[[Column], Column]:
    """The deletion vectors of splits by number, 64 rows in each integer, the first one in its lowest bit."""
    kept = list(splits)

    # shipped to executors by value: it imports there
    def bits(numbers: pa.Array) -> pa.Array:
        from hoodoo.spark.executor import deletion_vectors

        return deletion_vectors(kept[number] for number in numbers.to_pylist())

    bits.__annotations__ = {"numbers": pa.Array, "return": pa.Array}
    udf: Callable[[Column], Column] = arrow_udf(bits, "array<bigint>")
    return udf
