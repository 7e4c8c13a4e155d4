"""Columns computed by a Python function of Arrow arrays, also with a PySpark without `arrow_udf`."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from hoodoo.spark.pyspark_version import ARROW_FUNCTIONS

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame
    from pyspark.sql.types import DataType

__all__ = ["ArrayFunction", "with_arrow_column"]

ArrayFunction = Callable[[Iterator[tuple[pa.Array, ...]]], Iterator[pa.Array]]
"""Function that receives batches of its inputs as tuples of arrays, and yields one array per batch, in order."""


def with_arrow_column(
    frame: DataFrame, name: str, type_: DataType, function: Callable[..., Any], inputs: Mapping[str, Column]
) -> DataFrame:
    """Return a DataFrame with one more column.

    `arrow_udf` sends only the inputs to Python. Without it, `mapInArrow` sends all columns there and back.

    Args:
        frame: The DataFrame to which the column is added.
        name: The name of the new column.
        type_: The type of the new column.
        function: The `ArrayFunction` that computes the column. Executors receive it by value. With one input,
            PySpark may pass each batch as an array instead of a tuple of one array.
        inputs: The columns that the function receives, by name, at least one. An input with the name of a column of
            the DataFrame must be this column.
    """
    if ARROW_FUNCTIONS.is_available():
        from pyspark.sql.functions import arrow_udf  # type: ignore[attr-defined]  # missing in the stubs of 4.3

        return frame.withColumn(name, arrow_udf(_annotated(function), type_)(*inputs.values()))
    from pyspark.sql.types import StructField, StructType

    fields = frame.schema.fields
    names = [field.name for field in fields]
    places = {own: number for number, own in enumerate(names)}
    added: list[Column] = []
    for number, (own, column) in enumerate(inputs.items()):
        if own not in places:
            places[own] = len(names) + len(added)
            added.append(column.alias(f"hoodoo input {number}"))
    sent = frame.select("*", *added) if added else frame
    add = _adding(function, [places[own] for own in inputs], [*names, name])
    return sent.mapInArrow(add, StructType([*fields, StructField(name, type_)]))


def _annotated(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function after adding the annotations by which Spark recognizes an Arrow function of iterators."""
    function.__annotations__ = {"batches": Iterator[tuple[pa.Array, ...]], "return": Iterator[pa.Array]}
    return function


def _adding(
    function: ArrayFunction, places: Sequence[int], names: Sequence[str]
) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """Return a function that adds the computed column to the first columns of each batch.

    Args:
        function: The function that computes the column.
        places: The positions of the function's inputs in a batch.
        names: The names of the resulting columns; the computed column is the last one.
    """

    def add(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        kept: deque[list[pa.Array]] = deque()

        def inputs() -> Iterator[tuple[pa.Array, ...]]:
            for batch in batches:
                kept.append(batch.columns[: len(names) - 1])
                yield tuple(batch.column(place) for place in places)

        for array in function(inputs()):
            yield pa.RecordBatch.from_arrays([*kept.popleft(), array], list(names))

    return add
