"""Tables as DataFrames: Spark's Parquet reader reads base files.

Python workers read slices with logs, and base files that Spark's Parquet reader cannot read.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from functools import reduce
from typing import TYPE_CHECKING, Any

from attrs import evolve

from hoodoo.errors import CorruptTableError, TableChanged
from hoodoo.options import ReadOptions, StorageOptions, parse, split_path
from hoodoo.reading import ChangeSplit, Plan, Split
from hoodoo.reading.indexed import IndexedStorage, Node, by_metadata
from hoodoo.spark.column_comments import with_column_comments
from hoodoo.spark.hadoop_options import with_hadoop_options
from hoodoo.spark.narrowing.narrowed_frame import Narrowing
from hoodoo.spark.save_mode import note_save_mode
from hoodoo.spark.scan.partition_values import PartitionPathReader, by_known_values
from hoodoo.spark.scan.plain_files import plain_frame
from hoodoo.spark.scan.prefetch import Prefetch, prefetched
from hoodoo.spark.scan.scan_source import ScanSource
from hoodoo.spark.scan.session_stores import Unread, scan_source
from hoodoo.spark.session_conf import is_case_sensitive
from hoodoo.spark.spark_types import spark_schema
from hoodoo.spark.workers.divided_slices import divided_frames
from hoodoo.spark.workers.reader_choice import ReaderChoice
from hoodoo.spark.workers.worker_frame import worker_frame
from hoodoo.storage import CachedListingStorage, Storage, storage_for
from hoodoo.table import Table, plan_query
from hoodoo.timeline import Timeline

if TYPE_CHECKING:
    import os

    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["read", "table_frame"]

_MOST_PLANS = 10


def read(spark: SparkSession, path: str | os.PathLike[str] | None = None, **options: Any) -> DataFrame:
    """Return the rows of a table as a DataFrame.

    Args:
        spark: The session, classic or Connect.
        path: The root folder of the table; None if the options have the path (`path` or `basePath`).
        options: See `docs/options.md`, "Reading": `as_of`, `columns`, `meta_columns`, `query_type`, or Hudi's keys.

    Raises:
        NotATable: There is no table at the path.
        OptionError: An option is invalid, options contradict each other, files or commits that the query needs were
            cleaned or archived, or the table lacks the meta columns or the changes that the query needs.
        UnknownOption: An option does not exist.
        PluginError: A plugin that the query needs, such as the rule that merges logs, is not installed, or
            cannot be loaded.
        UnsupportedTable: The version, type, features or store of the table are not supported.
        StorageError: The store failed.
        SchemaError: The table lacks a column of the option `columns`, or Spark does not have the type of a column.
        TableChanged: Other processes cleaned or archived files during each of several attempts to plan the query.
        CorruptTableError: A file is damaged or missing.
    """
    path, options = split_path(path, options)
    note_save_mode()
    given = parse(options, [ReadOptions, StorageOptions])[ReadOptions]
    storage = storage_for(path, with_hadoop_options(spark, path, options))
    for _ in range(_MOST_PLANS):
        # the files are listed once per plan
        listed = CachedListingStorage(storage)
        table = Table.of(listed)
        try:
            if given.metadata_table:
                return _frame_by_metadata(spark, storage, table, given)
            return _planned_frame(spark, listed, table, given)
        except (TableChanged, CorruptTableError) as error:
            if isinstance(error, CorruptTableError) and table.timeline.reloaded().instants == table.timeline.instants:
                raise
            last_error = error
    raise last_error


def table_frame(
    spark: SparkSession,
    storage: Storage,
    timeline: Timeline,
    columns: Sequence[str] | None = None,
    *,
    meta_columns: bool = False,
) -> DataFrame:
    """Return all rows of a table at the state of a timeline. Unlike `read`, do not plan again if files are cleaned.

    Args:
        spark: The session, classic or Connect.
        storage: The table's files.
        timeline: The timeline, whose latest completed commit determines the rows.
        columns: The data columns; None for all. Workers that read slices with logs return only these columns.
        meta_columns: Whether the rows have the meta columns if `columns` is None.
    """
    given = ReadOptions(meta_columns=meta_columns, columns=None if columns is None else tuple(columns))
    listed = CachedListingStorage(storage)
    return _planned_frame(spark, listed, Table.at(listed, timeline), given)


def _frame_by_metadata(spark: SparkSession, storage: Storage, table: Table, given: ReadOptions) -> DataFrame:
    """Return the rows of a table, with the list of files of its metadata table if that is possible."""
    given = evolve(given, metadata_table=False)

    def frame(files: Storage) -> DataFrame:
        if not isinstance(files, IndexedStorage):
            listed = CachedListingStorage(files)
            return _planned_frame(spark, listed, Table.at(listed, table.timeline), given)
        own = Table.at(files, table.timeline)
        whole, schema = _frame_and_schema(spark, files, own, given)
        if given.incremental_format == "cdc":
            return whole
        plan = functools.partial(_planned_frame, spark, files, own, given)
        return Narrowing(plan, schema, is_case_sensitive(spark)).of(whole)

    return by_metadata(storage, table.properties, table.timeline, frame)


def _planned_frame(
    spark: SparkSession,
    storage: CachedListingStorage,
    table: Table,
    given: ReadOptions,
    hint: Node | None = None,
) -> DataFrame:
    return _frame_and_schema(spark, storage, table, given, hint)[0]


def _frame_and_schema(
    spark: SparkSession,
    storage: CachedListingStorage,
    table: Table,
    given: ReadOptions,
    hint: Node | None = None,
) -> tuple[DataFrame, pa.Schema]:
    """Return the rows of a query, and the columns of its plan."""
    source = scan_source(spark, storage)
    if hint is not None:
        plan = plan_query(table, given, hint=hint)
        return _frame_of(spark, source, table, plan, None), plan.schema
    with prefetched(spark, None if isinstance(source, Unread) else source, table, given) as prefetch:
        plan = plan_query(table, given)
        return _frame_of(spark, source, table, plan, prefetch), plan.schema


def _frame_of(
    spark: SparkSession, source: ScanSource | Unread, table: Table, plan: Plan, prefetch: Prefetch | None
) -> DataFrame:
    """Return the rows of a plan."""
    frames = list(_frames(spark, source, table, plan, prefetch))
    if not frames:
        return spark.createDataFrame([], spark_schema(plan.schema))
    return with_column_comments(reduce(lambda left, right: left.union(right), frames), plan.schema)


def _frames(
    spark: SparkSession, source: ScanSource | Unread, table: Table, plan: Plan, prefetch: Prefetch | None
) -> Iterator[DataFrame]:
    """Yield DataFrames whose union is the result, each with the columns of the plan in their order."""
    if not plan.splits:
        return
    # the columns of changes are not those of the table, even if they have the same name
    is_of_rows = not isinstance(plan.splits[0], ChangeSplit)
    partitions = PartitionPathReader.of(table.properties, plan.schema) if is_of_rows else None
    if isinstance(source, Unread):
        choice = ReaderChoice.all_by_workers(plan, source.reason)
    else:
        choice = ReaderChoice.of(source.storage, table.timeline, plan)
        yield from _plain_frames(spark, source, plan, choice.plain, partitions, prefetch)
        if choice.in_part:
            yield from divided_frames(spark, source, plan, choice.in_part, partitions)
    if choice.by_workers:
        yield worker_frame(spark, choice.by_workers, partitions, choice.why)


def _plain_frames(
    spark: SparkSession,
    source: ScanSource,
    plan: Plan,
    splits: Sequence[Split],
    partitions: PartitionPathReader | None,
    prefetch: Prefetch | None,
) -> Iterator[DataFrame]:
    """Yield the DataFrames that Spark's Parquet reader reads."""
    in_folders = partitions if partitions is not None and partitions.hive_style else None
    for group, fields, _ in by_known_values(splits, in_folders):
        yield plain_frame(spark, source, plan, group, fields, prefetch)
