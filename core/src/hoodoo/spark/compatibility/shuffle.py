"""Shuffles of rows to numbered partitions and to partitions of similar size, also with an older PySpark."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from hoodoo.spark.pyspark_version import ARROW_FUNCTIONS, SESSION_CALLS
from hoodoo.spark.session_conf import is_connect

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

__all__ = ["rebalanced", "repartitioned", "values_by_partition"]


def repartitioned(frame: DataFrame, count: int, number: Column) -> DataFrame:
    """Return the rows in `count` partitions; `number` is the partition of each row, from 0 to `count` - 1.

    A shuffle by hash may send a number to any partition, and two numbers to the same one. Without `repartitionById`,
    each number is therefore replaced by a value that Spark's hash sends to the partition of this number.
    """
    if ARROW_FUNCTIONS.is_available():
        return frame.repartitionById(count, number)
    from pyspark.sql import functions as F

    values = F.expr(f"from_json('{json.dumps(values_by_partition(count).tolist())}', 'array<int>')")
    return frame.repartition(count, F.get(values, number))


def rebalanced(frame: DataFrame, column: str) -> DataFrame:
    """Return the rows in partitions of similar size.

    Rows with the same value of the column are in one partition, unless there are many of them. Over Connect, PySpark
    3.5 does not support the hint with a column: rows of one value then always stay in one partition.
    """
    from pyspark.sql import functions as F

    if SESSION_CALLS.is_available():
        return frame.hint("rebalance", F.col(column))
    if is_connect(frame.sparkSession):
        return frame.repartition(F.col(column))
    return frame.sparkSession.sql(f"select /*+ rebalance(`{column}`) */ * from {{rows}}", rows=frame)  # noqa: S608 - a name


def values_by_partition(count: int) -> NDArray[np.int32]:
    """Return an array of `count` numbers: Spark's shuffle by hash sends each one to the partition of its position."""
    found = np.full(count, -1, np.int32)
    start, size = 0, 4 * count
    while (found < 0).any():
        values = np.arange(start, start + size, dtype=np.int32)
        found[_hash(values).astype(np.int64) % count] = values
        start += size
    return found


def _hash(values: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return the hashes of whole numbers that Spark's shuffle computes: MurmurHash3 of 32 bits, with seed 42."""
    mixed = _rotated(values.astype(np.uint32) * np.uint32(0xCC9E2D51), 15) * np.uint32(0x1B873593)
    state = _rotated(np.uint32(42) ^ mixed, 13) * np.uint32(5) + np.uint32(0xE6546B64)
    state ^= np.uint32(4)
    state = (state ^ (state >> np.uint32(16))) * np.uint32(0x85EBCA6B)
    state = (state ^ (state >> np.uint32(13))) * np.uint32(0xC2B2AE35)
    return (state ^ (state >> np.uint32(16))).view(np.int32)


def _rotated(values: NDArray[np.uint32], bits: int) -> NDArray[np.uint32]:
    return (values << np.uint32(bits)) | (values >> np.uint32(32 - bits))
