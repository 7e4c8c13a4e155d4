"""DataFrames of splits that Python workers read: splits with logs, and splits that Spark's own reader cannot read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import reduce
from typing import TYPE_CHECKING

import pyarrow as pa
from attrs import evolve
from pyspark.sql import functions as F

from hoodoo.reading import Split
from hoodoo.spark.compatibility.mapped_rows import constants_of, function_name, mapped, parts_for_filters
from hoodoo.spark.pyspark_version import ARROW_FUNCTIONS
from hoodoo.spark.scan.file_listing import Folders
from hoodoo.spark.scan.partition_values import PartitionPathReader, Value, by_known_values
from hoodoo.spark.spark_types import quoted, spark_arrow_schema, spark_schema
from hoodoo.spark.workers.split_rows import NUMBER, PIECE, per_piece, split_rows
from hoodoo.storage import Storage

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

__all__ = ["check_frame", "exploded", "worker_frame"]

SIZED_BYTES = 8 * 1024 * 1024
"""The minimum total size of splits for a size hint: below Spark's broadcast limit, under which sizes have no effect."""

MOST_NUMBERS = 1_000_000
"""The maximum number of rows of a size hint: enough for 128 MB per split, in a broadcast of a few megabytes."""

_BITMAPS_TYPE = "array<array<bigint>>"
"""The Spark type of the result of `divisions` for one split."""

_ROWS, _NOTHING = "hoodoo rows", "hoodoo nothing"


def worker_frame(
    spark: SparkSession, splits: Sequence[Split], partitions: PartitionPathReader | None, why: str
) -> DataFrame:
    """Return the rows of splits, read by Python workers.

    Args:
        spark: The session, classic or Connect.
        splits: The splits, at least one, of one plan.
        partitions: The reader of partition values from paths; None if paths do not have them.
        why: The reason why workers read the splits. `DataFrame.explain` shows it as the name of the function.
    """
    parts = (_frame(spark, *group, why=why) for group in parts_for_filters(by_known_values(splits, partitions)))
    return reduce(lambda one, other: one.union(other), parts)


def _frame(
    spark: SparkSession,
    splits: Sequence[Split],
    fields: Sequence[pa.Field],
    values: Mapping[str, tuple[Value, ...]],
    *,
    why: str,
) -> DataFrame:
    if not ARROW_FUNCTIONS.is_available():
        # Spark estimates half the size, because only the number of a split is sent to workers
        rows = _with_size_hint(spark, split_rows(spark, splits, {}), splits, 2)
        return exploded(per_piece(rows), splits, constants_of(fields, values), why=why)
    columns = {
        _value_name(number): pa.array([values[split.partition][number] for split in splits], field.type)
        for number, field in enumerate(fields)
    }
    rows = _with_size_hint(spark, split_rows(spark, splits, columns), splits)
    known = zip((field.name for field in fields), quoted(columns), strict=True)
    return exploded(per_piece(rows), splits, dict(known), why=why)


def exploded(
    rows: DataFrame, splits: Sequence[Split], values: Mapping[str, str], bitmaps: str = "null", *, why: str
) -> DataFrame:
    """Return the rows of splits, read by Python workers.

    Spark cannot push a filter into a Python function. An Arrow function returns arrays, which Spark explodes next to
    the columns of partition values, so that Spark applies a filter on these columns before it calls the function.

    Args:
        rows: The splits as rows of `per_piece`.
        splits: The splits, at least one, of one plan, by number.
        values: The Spark expressions of partition columns with known values, by column. Without Arrow functions they
            are constants.
        bitmaps: The Spark expression of the result of `divisions`, not null only in the first piece of a split.
        why: The reason why workers read the splits.
    """
    bitmaps = f"cast({bitmaps} as {_BITMAPS_TYPE})"
    if not ARROW_FUNCTIONS.is_available():
        requests = rows.where(f"`{PIECE}` = 1").selectExpr(f"`{NUMBER}`", f"{bitmaps} as bitmaps")
        return mapped(requests, splits, values, why)
    schema = splits[0].schema
    # at least one column is needed for the number of rows
    sent = pa.schema([field for field in schema if field.name not in values]) or schema
    value_columns = quoted(_value_name(number) for number in range(len(values)))
    read = _read([evolve(split, schema=sent) for split in splits], sent, why)
    arrays = rows.select(
        *(F.expr(f"{text} as {name}") for text, name in zip(values.values(), value_columns, strict=True)),
        read(NUMBER, F.expr(bitmaps)).alias(_ROWS),
    )
    # without coalesce, Spark would filter out empty arrays first, and call the function a second time for that
    exploded = arrays.selectExpr(*value_columns, f"inline(coalesce(`{_ROWS}`, array()))")
    places = {name: f"`{number}`" for number, name in enumerate(sent.names)}
    places |= dict(zip(values, value_columns, strict=True))
    columns = zip(schema.names, quoted(schema.names), strict=True)
    return exploded.selectExpr(*(f"{places[name]} as {column}" for name, column in columns))


def _value_name(number: int) -> str:
    """Return the name of the column with the values of a partition column, by the position of that column."""
    return f"hoodoo value {number}"


def _with_size_hint(spark: SparkSession, rows: DataFrame, splits: Sequence[Split], factor: int = 1) -> DataFrame:
    """Return the rows with a size estimate for Spark, unless the splits are small: their size times a factor.

    Spark estimates the result of a Python function by its input, here a few bytes, and a join would then broadcast a
    table of any size. Its estimate for a join is the product of the sizes, so the rows are joined with rows of which
    none match.
    """
    size = sum(split.size for split in splits)
    if size < SIZED_BYTES:
        return rows
    # Spark estimates at least 16 bytes for a row and 8 for a number
    count = min(MOST_NUMBERS, 1 + factor * size // (16 * 8 * len(splits)))
    nothing = spark.range(-count, 0).toDF(_NOTHING)
    return rows.join(F.broadcast(nothing), rows[NUMBER] == nothing[_NOTHING], "left")


def check_frame(
    spark: SparkSession, storage: Storage, folders: Folders, others: frozenset[str], schema: pa.Schema
) -> DataFrame:
    """Return an empty DataFrame that raises an error if the files in the folders have changed when it runs."""
    return spark.range(0, 1, 1, 1).mapInArrow(_check(storage, folders, others), spark_schema(schema))


# executors receive the nested functions by value, so these import their modules when they run


def _read(splits: Sequence[Split], schema: pa.Schema, why: str) -> Callable[[str, Column], Column]:
    """Return a Spark function that calls `rows_in_pieces` for splits."""
    from pyspark.sql import types as T
    from pyspark.sql.functions import arrow_udf  # type: ignore[attr-defined]  # missing in the stubs of 4.3

    def read(requests: Iterator[tuple[pa.Array, pa.Array]]) -> Iterator[pa.Array]:
        from hoodoo.spark.worker_functions import rows_in_pieces

        return rows_in_pieces(splits, requests)

    read.__name__ = function_name(why)
    read.__annotations__ = {"requests": Iterator[tuple[pa.Array, pa.Array]], "return": Iterator[pa.Array]}
    # Spark compares the types of the result, which have no comments of fields
    fields = spark_schema(spark_arrow_schema(schema)).fields
    row = T.StructType([T.StructField(str(number), field.dataType) for number, field in enumerate(fields)])
    udf: Callable[[str, Column], Column] = arrow_udf(read, T.ArrayType(row))
    return udf


def _check(
    storage: Storage, folders: Folders, others: frozenset[str]
) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    def check(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        from hoodoo.spark.worker_functions import check_files

        return check_files(storage, folders, others, batches)

    return check
