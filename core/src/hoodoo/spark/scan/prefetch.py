"""Many base files that Spark is told of before they are planned: it takes them in meanwhile, which takes as long.

Where nothing unusual happened to a table, names alone say which files make it up. The plan says it for good: where that
is something else, Spark is told once more.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING

from attrs import frozen

from hoodoo.errors import HoodooError
from hoodoo.filegroup.committed_files import Named
from hoodoo.format.file_names import BASE_FILE_EXTENSION, is_log_file
from hoodoo.options import ReadOptions
from hoodoo.reading import projected
from hoodoo.reading.gc_pause import without_gc
from hoodoo.reading.slice.merge_columns import named_columns
from hoodoo.schema.meta_columns import with_meta
from hoodoo.spark.scan.parquet_scan import Scan
from hoodoo.spark.scan.partition_values import PartitionValues
from hoodoo.spark.session_conf import is_connect
from hoodoo.storage import Storage, WalkedStorage, join, name_of
from hoodoo.table import Table
from hoodoo.timeline import Timeline

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["Ahead", "latest_by_name", "told_ahead"]


@frozen
class Ahead:
    """A scan that was foreseen, and its rows, which Spark was asked for."""

    scan: Scan
    frame: Future[DataFrame]

    def frame_of(self, scan: Scan) -> DataFrame | None:
        """The rows of a scan; None where another scan was foreseen."""
        return self.frame.result() if scan == self.scan else None


@contextmanager
def told_ahead(
    spark: SparkSession, storage: Storage, table: Table, given: ReadOptions, columns: Sequence[str] | None
) -> Iterator[Ahead | None]:
    """Tell Spark what a query will probably read beside what is done meanwhile; None where that would not help.

    Args:
        spark: The session.
        storage: The table's files.
        table: The table.
        given: The query; snapshots of the present alone are foreseen.
        columns: Its columns; None for all.
    """
    is_now = given.query_type == "snapshot" and given.as_of is None
    if not is_now or not isinstance(storage, WalkedStorage) or is_connect(spark):
        yield None
        return
    scan = _foreseen(storage, table, columns)
    if scan is None or not scan.can_be_told(spark, storage):
        yield None
        return
    with scan.told(spark, storage) as asked, ThreadPoolExecutor(max_workers=1) as pool:
        yield Ahead(scan, pool.submit(asked))


@without_gc
def _foreseen(storage: WalkedStorage, table: Table, columns: Sequence[str] | None) -> Scan | None:
    """The scan that names suggest; None where they do not."""
    try:
        stored = with_meta(table.schema)
        schema = projected(stored, columns)
        partitions = PartitionValues.of(table.properties, schema)
        in_folders = partitions.fields if partitions is not None and partitions.hive_style else ()
        files = latest_by_name(storage.files, table.timeline)
        return Scan.of(files, named_columns(stored, set(schema.names)), in_folders)
    except HoodooError:
        return None  # what is wrong with the table, the plan says


def latest_by_name(files: Iterable[str], timeline: Timeline) -> frozenset[str]:
    """The base file of the latest commit of each file group; none where there are logs.

    Args:
        files: The paths of all files.
        timeline: Says which commits have completed, and which file groups were replaced.

    Raises:
        CorruptTableError: a commit that replaced file groups is damaged.
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
    for partition, file_id in Named(timeline).replaced:
        latest.pop(join(partition, file_id), None)
    return frozenset(path for _, path in latest.values())
