"""Splits read by Python workers: those with logs, and those whose files Spark's own reader does not take."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, TypeVar

import pyarrow as pa

from hoodoo.reading import Split
from hoodoo.spark.base_files import Folders
from hoodoo.spark.schema import spark_schema
from hoodoo.storage import LocalStorage

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["bundled", "check_frame", "worker_frame"]

BUNDLE_BYTES = 32 * 1024 * 1024
OPENING_BYTES = 1024 * 1024
"""What opening a split costs, in bytes that are read in the same time."""

_T = TypeVar("_T")


def bundled(items: Iterable[_T], size: Callable[[_T], int], bundle_bytes: int = BUNDLE_BYTES) -> list[list[_T]]:
    """Work on slices by task: a large one has a task of its own, small ones share one.

    Args:
        items: What is done with a slice each.
        size: Bytes of an item's slice.
        bundle_bytes: What a task gets, unless a single item is larger.
    """
    bundles: list[list[_T]] = []
    room = 0
    for item in items:
        cost = size(item) + OPENING_BYTES
        if not bundles or cost > room:
            bundles.append([])
            room = bundle_bytes
        bundles[-1].append(item)
        room -= cost
    return bundles


def worker_frame(spark: SparkSession, splits: Sequence[Split], schema: pa.Schema) -> DataFrame:
    """The rows of splits that have this schema."""
    bundles = bundled(splits, attrgetter("size"))
    return spark.range(0, len(bundles), 1, len(bundles)).mapInArrow(_read(bundles), spark_schema(schema))


def check_frame(
    spark: SparkSession, storage: LocalStorage, folders: Folders, listed: frozenset[str], schema: pa.Schema
) -> DataFrame:
    """No rows, ever, but an error where the files in folders are not those any more that were there."""
    return spark.range(0, 1, 1, 1).mapInArrow(_check(storage, folders, listed), spark_schema(schema))


# shipped to executors by value: nested functions that import there


def _read(bundles: list[list[Split]]) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    def read(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        from hoodoo.spark.executor import read_splits

        for batch in batches:
            for number in batch.column(0).to_pylist():
                yield from read_splits(bundles[number])

    return read


def _check(
    storage: LocalStorage, folders: Folders, listed: frozenset[str]
) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    def check(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        from hoodoo.spark.executor import check_files

        for _ in batches:
            check_files(storage, folders, listed)
        return iter(())

    return check
