"""Prefetch of large file lists, which Spark loads while the query is planned; both take about the same time.

In most tables the file names alone determine the base files of a snapshot. If the plan has other files, the prefetched
DataFrame is dropped and Spark loads the list of the plan.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING

from attrs import frozen

from hoodoo.errors import HoodooError
from hoodoo.filegroup.committed_files import CommittedFiles
from hoodoo.format.file_names import BASE_FILE_EXTENSION, is_log_file
from hoodoo.options import ReadOptions
from hoodoo.reading import projected
from hoodoo.reading.gc_pause import without_gc
from hoodoo.reading.slice.merge_columns import named_columns
from hoodoo.schema.meta_columns import with_meta
from hoodoo.spark.scan.parquet_scan import Scan
from hoodoo.spark.scan.partition_values import PartitionPathReader
from hoodoo.spark.scan.scan_source import ScanSource
from hoodoo.spark.session_conf import is_connect
from hoodoo.storage import CachedListingStorage, join, name_of
from hoodoo.table import Table
from hoodoo.timeline import Timeline

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["Prefetch", "latest_by_name", "prefetched"]


@frozen
class Prefetch:
    """Predicted scan, and its DataFrame, which another thread creates."""

    scan: Scan
    frame: Future[DataFrame]

    def frame_of(self, scan: Scan) -> DataFrame | None:
        """Return the rows of a scan; None if another scan was predicted."""
        return self.frame.result() if scan == self.scan else None


@contextmanager
def prefetched(
    spark: SparkSession, source: ScanSource | None, table: Table, given: ReadOptions
) -> Iterator[Prefetch | None]:
    """Yield a prefetch for a query, or None if it is not useful or not possible. Another thread runs the prefetch.

    Args:
        spark: The session.
        source: The table's location; None if Spark does not read its files itself.
        table: The table, with its properties and its timeline.
        given: The options of the query. Only snapshot queries of the latest state are prefetched.
    """
    is_now = given.query_type == "snapshot" and given.as_of is None
    if not is_now or source is None or is_connect(spark):
        yield None
        return
    scan = _predicted(source.storage, table, given)
    if scan is None or not scan.can_use_manifest(spark, source):
        yield None
        return
    with scan.with_manifest(spark, source) as create, ThreadPoolExecutor(max_workers=1) as pool:
        yield Prefetch(scan, pool.submit(create))


@without_gc
def _predicted(storage: CachedListingStorage, table: Table, given: ReadOptions) -> Scan | None:
    """Return the scan predicted from the file names; None after an error, which the plan of the query raises again."""
    try:
        stored = with_meta(table.schema)
        schema = projected(stored, given.columns, meta_columns=given.meta_columns)
        partitions = PartitionPathReader.of(table.properties, schema)
        in_folders = partitions.fields if partitions is not None and partitions.hive_style else ()
        files = latest_by_name(storage.files, table.timeline)
        return Scan.of(files, named_columns(stored, set(schema.names)), in_folders)
    except HoodooError:
        return None  # the plan raises the error


def latest_by_name(files: Iterable[str], timeline: Timeline) -> frozenset[str]:
    """Return the paths of the latest committed base files, without replaced file groups; an empty set if logs exist.

    Args:
        files: The table-relative paths of all files of the table.
        timeline: The timeline, which has the completed commits and the replaced file groups.

    Raises:
        CorruptTableError: A commit that replaced file groups is damaged.
    """
    latest: dict[str, tuple[str, str]] = {}
    counts: dict[str, bool] = {}
    for path in files:
        head, _, end = path.rpartition("_")
        if end not in counts:
            instant = end.removesuffix(BASE_FILE_EXTENSION)
            counts[end] = instant != end and timeline.is_visible(instant)
        if counts[end]:
            group = head.rpartition("_")[0]
            if group not in latest or latest[group][0] < end:
                latest[group] = end, path
        elif is_log_file(name_of(path)):
            return frozenset()
    for partition, file_id in CommittedFiles(timeline).replaced:
        latest.pop(join(partition, file_id), None)
    return frozenset(path for _, path in latest.values())
