"""Splits read by Python workers: those with logs, and those whose files Spark's own reader does not take."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import reduce
from typing import TYPE_CHECKING

import pyarrow as pa
from attrs import evolve
from pyspark.sql import functions as F
from pyspark.sql.functions import arrow_udf  # type: ignore[attr-defined]  # missing in the stubs of 4.3

from hoodoo.reading import Split
from hoodoo.spark.scan.file_listing import Folders
from hoodoo.spark.scan.partition_values import PartitionValues, Value, by_known_values
from hoodoo.spark.spark_types import quoted, spark_schema
from hoodoo.spark.workers.split_rows import NUMBER, per_piece, split_rows
from hoodoo.storage import LocalStorage

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

__all__ = ["TOLD_TYPE", "check_frame", "exploded", "worker_frame"]

SIZED_BYTES = 8 * 1024 * 1024
"""Below Spark's limit for tables that a join sends to every executor, it does not matter how large it takes one for."""

MOST_NUMBERS = 1_000_000
"""Enough for 128 MB per split, in a broadcast of some megabytes."""

TOLD_TYPE = "array<array<bigint>>"
"""What a division is told as; see `divisions`."""

_ROWS, _NOTHING = "hoodoo rows", "hoodoo nothing"


def worker_frame(spark: SparkSession, splits: Sequence[Split], partitions: PartitionValues | None) -> DataFrame:
    """The rows of splits.

    Args:
        spark: The session, classic or Connect.
        splits: Splits of one plan, at least one.
        partitions: How the values of partition columns are read from paths, where they are.
    """
    parts = (_frame(spark, *group) for group in by_known_values(splits, partitions))
    return reduce(lambda one, other: one.union(other), parts)


def _frame(
    spark: SparkSession,
    splits: Sequence[Split],
    fields: Sequence[pa.Field],
    values: Mapping[str, tuple[Value, ...]],
) -> DataFrame:
    columns = {
        _value_name(number): pa.array([values[split.partition][number] for split in splits], field.type)
        for number, field in enumerate(fields)
    }
    rows = _as_large_as(spark, split_rows(spark, splits, columns), splits)
    known = zip((field.name for field in fields), quoted(columns), strict=True)
    return exploded(per_piece(rows), splits, dict(known))


def exploded(rows: DataFrame, splits: Sequence[Split], values: Mapping[str, str], told: str = "null") -> DataFrame:
    """The rows of splits.

    Spark cannot tell what a function in Python reads. But what it explodes are arrays, a column beside the values of
    partitions; a filter of these it applies before.

    Args:
        rows: The splits as rows, by `per_piece`.
        splits: Splits of one plan, at least one, by number.
        values: The partition columns whose values are known, with Spark's expressions for these.
        told: What `divisions` says of each in its first piece, by Spark's expression for it.
    """
    schema = splits[0].schema
    # a column must be left to carry the number of rows
    sent = pa.schema([field for field in schema if field.name not in values]) or schema
    beside = quoted(_value_name(number) for number in range(len(values)))
    read = _read([evolve(split, schema=sent) for split in splits], sent)
    arrays = rows.select(
        *(F.expr(f"{text} as {name}") for text, name in zip(values.values(), beside, strict=True)),
        read(NUMBER, F.expr(f"cast({told} as {TOLD_TYPE})")).alias(_ROWS),
    )
    # of a bare column Spark asks first whether its arrays are empty, and calls the function for it
    exploded = arrays.selectExpr(*beside, f"inline(coalesce(`{_ROWS}`, array()))")
    places = {name: f"`{number}`" for number, name in enumerate(sent.names)}
    places |= dict(zip(values, beside, strict=True))
    columns = zip(schema.names, quoted(schema.names), strict=True)
    return exploded.selectExpr(*(f"{places[name]} as {column}" for name, column in columns))


def _value_name(number: int) -> str:
    """The column with the values of a partition column, by its place among them."""
    return f"hoodoo value {number}"


def _as_large_as(spark: SparkSession, rows: DataFrame, splits: Sequence[Split]) -> DataFrame:
    """The same rows, but Spark takes what a function makes of them for as large as the splits.

    It takes it for as large as the rows, some bytes, and a join would send any table to every executor. Of a join it
    multiplies the sizes; what these rows are joined with matches none.
    """
    size = sum(split.size for split in splits)
    if size < SIZED_BYTES:
        return rows
    # each row is taken for 16 bytes at least, each number for 8
    count = min(MOST_NUMBERS, 1 + size // (16 * 8 * len(splits)))
    nothing = spark.range(-count, 0).toDF(_NOTHING)
    return rows.join(F.broadcast(nothing), rows[NUMBER] == nothing[_NOTHING], "left")


def check_frame(
    spark: SparkSession, storage: LocalStorage, folders: Folders, others: frozenset[str], schema: pa.Schema
) -> DataFrame:
    """No rows, ever, but an error where the files in folders are not those any more that were there."""
    return spark.range(0, 1, 1, 1).mapInArrow(_check(storage, folders, others), spark_schema(schema))


# shipped to executors by value: nested functions that import there


def _read(splits: Sequence[Split], schema: pa.Schema) -> Callable[[str, Column], Column]:
    """The rows of splits by number, which each comes as often as its rows come in pieces, and by what is told of it."""
    from pyspark.sql import types as T

    def read(asked: Iterator[tuple[pa.Array, pa.Array]]) -> Iterator[pa.Array]:
        from hoodoo.spark.worker_functions import rows_in_pieces

        return rows_in_pieces(splits, asked)

    read.__annotations__ = {"asked": Iterator[tuple[pa.Array, pa.Array]], "return": Iterator[pa.Array]}
    row = T.StructType([T.StructField(str(n), field.dataType) for n, field in enumerate(spark_schema(schema).fields)])
    udf: Callable[[str, Column], Column] = arrow_udf(read, T.ArrayType(row))
    return udf


def _check(
    storage: LocalStorage, folders: Folders, others: frozenset[str]
) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    def check(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        from hoodoo.spark.worker_functions import check_files

        for _ in batches:
            check_files(storage, folders, others)
        return iter(())

    return check
