"""Splits read by Python workers: those with logs, and those whose files Spark's own reader does not take."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import pyarrow as pa

from hoodoo.reading import Split
from hoodoo.spark.base_files import Folders
from hoodoo.spark.schema import spark_schema

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["bundled", "check_frame", "worker_frame"]

BUNDLE_BYTES = 32 * 1024 * 1024
OPENING_BYTES = 1024 * 1024
"""What opening a split costs, in bytes that are read in the same time."""


def bundled(splits: Iterable[Split]) -> list[list[Split]]:
    """Splits by task: a large one has a task of its own, small ones share one."""
    bundles: list[list[Split]] = []
    room = 0
    for split in splits:
        cost = split.size + OPENING_BYTES
        if not bundles or cost > room:
            bundles.append([])
            room = BUNDLE_BYTES
        bundles[-1].append(split)
        room -= cost
    return bundles


def worker_frame(spark: SparkSession, splits: Sequence[Split], schema: pa.Schema) -> DataFrame:
    """The rows of splits that have this schema."""
    bundles = bundled(splits)
    return spark.range(0, len(bundles), 1, len(bundles)).mapInArrow(_read(bundles), spark_schema(schema))


def check_frame(
    spark: SparkSession, uri: str, folders: Folders, listed: frozenset[str], schema: pa.Schema
) -> DataFrame:
    """No rows, ever, but an error where the files in folders are not those any more that were there."""
    return spark.range(0, 1, 1, 1).mapInArrow(_check(uri, folders, listed), spark_schema(schema))


# shipped to executors by value: nested functions that import there


def _read(bundles: list[list[Split]]) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    def read(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        from hoodoo.spark.executor import read_splits

        for batch in batches:
            for number in batch.column(0).to_pylist():
                yield from read_splits(bundles[number])

    return read


def _check(
    uri: str, folders: Folders, listed: frozenset[str]
) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    def check(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        from hoodoo.spark.executor import check_files

        for _ in batches:
            check_files(uri, folders, listed)
        return iter(())

    return check
