"""Rows of splits by `mapInArrow`, for a PySpark without `arrow_udf`.

Spark does not push filters into `mapInArrow`: a filter on a partition column applies to the returned rows. The splits
are therefore divided into one part per partition, with the values of its partition columns as constants, so that Spark
removes parts when it plans the query. Each part takes time to plan, so their number is limited.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import pyarrow as pa
from attrs import evolve

from hoodoo.reading import Split
from hoodoo.spark.pyspark_version import ARROW_FUNCTIONS
from hoodoo.spark.scan.file_values import constant_expressions
from hoodoo.spark.scan.partition_values import Value
from hoodoo.spark.spark_types import quoted, spark_schema

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["MOST_PARTS", "constants_of", "function_name", "mapped", "parts_for_filters"]

MOST_PARTS = 32
"""The maximum number of partitions that get a separate part. A part takes about 50 ms to plan."""

Group = tuple[list[Split], tuple[pa.Field, ...], dict[str, tuple[Value, ...]]]
"""Splits, the partition columns with known values, and the values by partition path."""


def parts_for_filters(groups: Iterable[Group]) -> Iterator[Group]:
    """Yield groups of splits, divided by partition, so that filters on partition columns remove whole parts.

    A group of more than `MOST_PARTS` partitions, or without known values, is not divided. With Arrow functions no group
    is divided, because Spark applies a filter before it calls such a function.
    """
    for splits, fields, values in groups:
        by_partition: dict[str, list[Split]] = defaultdict(list)
        for split in splits:
            by_partition[split.partition].append(split)
        if ARROW_FUNCTIONS.is_available() or not fields or len(by_partition) > MOST_PARTS:
            yield splits, fields, values
        else:
            yield from ((part, fields, {path: values[path]}) for path, part in by_partition.items())


def constants_of(fields: Sequence[pa.Field], values: Mapping[str, tuple[Value, ...]]) -> dict[str, str]:
    """Return the Spark expressions of the partition columns, by name.

    The result is empty if the partitions differ in the values, or if there are no values.
    """
    distinct = set(values.values())
    return constant_expressions(fields, distinct.pop()) if len(distinct) == 1 else {}


def function_name(why: str) -> str:
    """Return the name that `DataFrame.explain` shows for the function that reads splits.

    The name contains `why`, the reason why Python workers read the splits.
    """
    return f"hoodoo Python workers [{why}]"


def mapped(requests: DataFrame, splits: Sequence[Split], constants: Mapping[str, str], why: str) -> DataFrame:
    """Return the rows of splits, read by `mapInArrow`.

    Args:
        requests: Rows of two columns: the number of a split, and its bitmaps or null; see `requested_rows`.
        splits: The splits, at least one, of one plan, by number.
        constants: The Spark expressions of columns that are not read, by name.
        why: The reason why workers read the splits.
    """
    schema = splits[0].schema
    # at least one column is needed for the number of rows
    sent = pa.schema([field for field in schema if field.name not in constants]) or schema
    by_position = pa.schema([field.with_name(str(place)) for place, field in enumerate(sent)])
    read = _read([evolve(split, schema=sent) for split in splits], why)
    places = {name: f"`{number}`" for number, name in enumerate(sent.names)} | dict(constants)
    columns = zip(schema.names, quoted(schema.names), strict=True)
    rows = requests.mapInArrow(read, spark_schema(by_position))
    return rows.selectExpr(*(f"{places[name]} as {column}" for name, column in columns))


def _read(splits: Sequence[Split], why: str) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """Return a function that reads splits. Executors receive it by value, so it contains its import."""

    def read(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        from hoodoo.spark.worker_functions import requested_rows

        return requested_rows(splits, batches)

    read.__name__ = function_name(why)
    return read
