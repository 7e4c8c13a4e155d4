"""Compaction on Spark: one task for each large file slice, and one for several small slices."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING

import pyarrow as pa
from attrs import frozen

from hoodoo.spark.write.batch import collect
from hoodoo.spark.write.task_bundles import bundled
from hoodoo.writing.file_status import FileStatus
from hoodoo.writing.tasks.slice_compaction import CompactTask

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["SparkEngine"]

COMPACTED_BYTES = 64 * 1024 * 1024
"""The total bytes of small slices that one task compacts, in a second or two. One task per slice would take longer."""


@frozen
class SparkEngine:
    """Engine that runs the tasks of a compaction on a session, classic or Connect."""

    spark: SparkSession

    def compact(self, tasks: Sequence[CompactTask], tag: str, progress: Callable[[], None]) -> list[FileStatus]:
        """Run the tasks, several small ones per Spark task, and return the status of each written file."""
        bundles = bundled(tasks, attrgetter("split.size"), COMPACTED_BYTES)
        numbers = self.spark.range(0, len(bundles), 1, len(bundles))
        rows = collect(numbers.mapInArrow(_compact(bundles), "status string"), tag, progress)
        return [FileStatus.from_json(row[0]) for row in rows]


def _compact(bundles: list[list[CompactTask]]) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """Return a function that compacts bundles by number. Executors receive it by value, so it contains its import."""

    def compact(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        from hoodoo.spark.worker_functions import compact_slices

        for batch in batches:
            for number in batch.column(0).to_pylist():
                yield from compact_slices(bundles[number])

    return compact
