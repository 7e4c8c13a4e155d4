"""Spark's listing of many base files, begun before they are planned, which takes as long.

Where nothing unusual happened to a table, names alone say which files make it up. The plan says it for good: where that
is something else, Spark lists once more.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING

from attrs import frozen

from hoodoo.errors import HoodooError
from hoodoo.filegroup.named import Named
from hoodoo.format.names import BASE_FILE_EXTENSION, is_log_file
from hoodoo.options import ReadOptions
from hoodoo.reading import projected
from hoodoo.reading.collection import uncollected
from hoodoo.reading.merging import named_columns
from hoodoo.schema.meta import with_meta
from hoodoo.spark.base_files import Folders
from hoodoo.spark.partition_values import PartitionValues
from hoodoo.spark.scan import Listing, Scan
from hoodoo.spark.settings import is_connect
from hoodoo.storage import LocalStorage, Storage
from hoodoo.table import Table
from hoodoo.timeline import Timeline

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["Ahead", "latest_by_name", "listing_ahead", "names_by_folder"]


@frozen
class Ahead:
    """A scan that was foreseen, and its listing, which Spark was told to begin."""

    scan: Scan
    listing: Future[Listing | None]

    def listing_of(self, scan: Scan) -> Listing | None:
        """The listing of a scan; None where another scan was foreseen."""
        return self.listing.result() if scan == self.scan else None


@contextmanager
def listing_ahead(
    spark: SparkSession, storage: Storage, table: Table, given: ReadOptions, columns: Sequence[str] | None
) -> Iterator[Ahead | None]:
    """Let Spark list what a query will probably read beside what is done meanwhile; None where that would not help.

    Args:
        spark: The session. Over Connect, Spark lists when a query runs.
        storage: The table's files.
        table: The table.
        given: The query; Spark is asked for snapshots of the present alone.
        columns: Its columns; None for all.
    """
    is_now = given.query_type == "snapshot" and given.as_of is None
    if not is_now or is_connect(spark) or not isinstance(storage, LocalStorage):
        yield None
        return
    foreseen = _foreseen(storage, table, columns)
    if foreseen is None:
        yield None
        return
    scan, others = foreseen
    with ThreadPoolExecutor(max_workers=1) as pool:
        yield Ahead(scan, pool.submit(scan.listed, spark, storage, others))


@uncollected
def _foreseen(storage: LocalStorage, table: Table, columns: Sequence[str] | None) -> tuple[Scan, frozenset[str]] | None:
    """A scan of many files, and the others beside them; None where there are few."""
    try:
        stored = with_meta(table.schema)
        schema = projected(stored, columns)
        partitions = PartitionValues.of(table.properties, schema)
        in_folders = partitions.fields if partitions is not None and partitions.hive_style else ()
        there = names_by_folder(storage)
        folders = latest_by_name(there, table.timeline)
        scan = Scan.of(folders, named_columns(stored, set(schema.names)), in_folders)
        return (scan, scan.folders.others_of(there)) if scan.has_many_files else None
    except HoodooError:
        return None  # what is wrong with the table, the plan says


def names_by_folder(storage: LocalStorage) -> dict[str, list[str]]:
    """The names of all files of a table by their folders, which are table-relative."""
    there: dict[str, list[str]] = {}
    for root, folders, names in os.walk(storage.root):
        folder = root[len(storage.root) + 1 :]
        there[folder] = names
        if not folder:
            folders[:] = [name for name in folders if name != ".hoodie"]
    return there


def latest_by_name(there: Mapping[str, Iterable[str]], timeline: Timeline) -> Folders:
    """The base file of the latest commit of each file group; none where there are logs.

    Args:
        there: The names of files by folder.
        timeline: Says which commits have completed, and which file groups were replaced.

    Raises:
        CorruptTableError: a commit that replaced file groups is damaged.
    """
    found: dict[str, frozenset[str]] = {}
    counts: dict[str, bool] = {}
    replaced = Named(timeline).replaced
    for folder, names in there.items():
        latest: dict[str, tuple[str, str]] = {}
        for name in names:
            head, _, end = name.rpartition("_")
            if end not in counts:
                instant = end.removesuffix(BASE_FILE_EXTENSION)
                counts[end] = instant != end and timeline.is_visible(instant)
            if counts[end]:
                file_id = head.rpartition("_")[0]
                if file_id not in latest or latest[file_id][0] < end:
                    latest[file_id] = end, name
            elif is_log_file(name):
                return Folders({})
        if kept := frozenset(name for file_id, (_, name) in latest.items() if (folder, file_id) not in replaced):
            found[folder] = kept
    return Folders(dict(sorted(found.items())))
