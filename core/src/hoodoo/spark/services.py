"""Services on Spark: one task per file slice."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import pyarrow as pa
from attrs import frozen

from hoodoo.spark.write import collect
from hoodoo.writing.compacting import CompactTask
from hoodoo.writing.status import FileStatus

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["SparkEngine"]


@frozen
class SparkEngine:
    """Runs the tasks of a service on a session, classic or Connect."""

    spark: SparkSession

    def compact(self, tasks: Sequence[CompactTask], tag: str, progress: Callable[[], None]) -> list[FileStatus]:
        """See `hoodoo.service.CompactionEngine.compact`."""
        numbers = self.spark.range(0, len(tasks), 1, len(tasks))
        rows = collect(numbers.mapInArrow(_compact(list(tasks)), "status string"), tag, progress)
        return [FileStatus.from_json(row[0]) for row in rows]


def _compact(tasks: list[CompactTask]) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """Shipped to executors by value: a nested function that imports there."""

    def compact(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        from hoodoo.spark.executor import compact_slices

        chosen = [tasks[number] for batch in batches for number in batch.column(0).to_pylist()]
        yield from compact_slices(chosen)

    return compact
