"""Base files that Spark's own Parquet reader reads, which prunes columns and row groups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from types import MappingProxyType
from typing import TYPE_CHECKING

import pyarrow as pa
from pyspark.sql import functions as F

from hoodoo.reading import Plan, Split
from hoodoo.schema.meta import COMMIT_TIME
from hoodoo.spark.base_files import MOST_PATHS, Folders, as_path
from hoodoo.spark.schema import quoted, spark_schema
from hoodoo.spark.settings import is_connect, setting
from hoodoo.spark.workers import check_frame
from hoodoo.storage import LocalStorage

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["base_frame", "plain_frame"]

_OPTIONS = {
    # rows as `Split.read` gives them, whatever the session says: nothing is left out and no date is moved
    "ignoreMissingFiles": "false",
    "ignoreCorruptFiles": "false",
    "datetimeRebaseMode": "CORRECTED",
    "int96RebaseMode": "CORRECTED",
    "parquet.page.verify-checksum.enabled": "true",
}


def plain_frame(
    spark: SparkSession,
    storage: LocalStorage,
    plan: Plan,
    splits: Sequence[Split],
    in_folders: Sequence[pa.Field] = (),
) -> DataFrame:
    """The rows of base files.

    Args:
        spark: The session, classic or Connect.
        storage: The table's files.
        plan: Says the columns, and the commits that are wanted.
        splits: Those of the plan that are to be read.
        in_folders: Partition columns whose values Spark shall take from folders named `column=value`, which lets it
            pass over the files of other partitions.

    Raises:
        CorruptTableError: a file is gone.
    """
    frame = base_frame(spark, storage, splits, in_folders)
    if plan.commits is not None:
        frame = frame.where(f"{COMMIT_TIME} in ({', '.join(map(repr, sorted(plan.commits)))})")
    elif plan.after is not None:
        frame = frame.where(F.col(COMMIT_TIME) > plan.after)
    if _stored(splits, in_folders).names == plan.schema.names:
        return frame
    return frame.select(*quoted(plan.schema.names))


def base_frame(
    spark: SparkSession,
    storage: LocalStorage,
    splits: Sequence[Split],
    in_folders: Sequence[pa.Field] = (),
    places: Mapping[str, pa.Field] = MappingProxyType({}),
) -> DataFrame:
    """All rows of the base files of splits, in the columns that these read, those that folders say behind the others.

    Args:
        spark: The session, classic or Connect.
        storage: The table's files.
        splits: Those of a plan that are to be read.
        in_folders: As of `plain_frame`.
        places: Columns behind them that say where a row stands, by Spark's expressions for them.

    Raises:
        CorruptTableError: a file is gone.
    """
    schema = _stored(splits, in_folders)
    files = [split.file_slice.path or "" for split in splits]
    reader = spark.read.schema(spark_schema(schema)).options(**_OPTIONS)
    if in_folders:
        reader = reader.option("basePath", f"file://{storage.local_path('')}")
    if len(files) > MOST_PATHS:
        folders = Folders.of(files)
        others = folders.others(storage)
        while (pattern := folders.pattern(others)) is not None:
            with _listing_serially(spark):
                paths = [as_path(storage, folder) for folder in folders.names]
                frame = _placed(reader.option("pathGlobFilter", pattern).parquet(*paths), places)
            if is_connect(spark):
                # there the folders are listed when the query runs, each time that it does
                nothing = check_frame(spark, storage, folders, others, pa.schema([*schema, *places.values()]))
                return frame.unionByName(nothing)
            before, others = others, folders.others(storage)
            if others == before:
                return frame
    with _listing_serially(spark):
        return _placed(reader.parquet(*(as_path(storage, path) for path in sorted(files))), places)


def _stored(splits: Sequence[Split], in_folders: Sequence[pa.Field]) -> pa.Schema:
    names = {field.name for field in in_folders}
    return pa.schema([*(field for field in splits[0].read_schema if field.name not in names), *in_folders])


def _placed(frame: DataFrame, places: Mapping[str, pa.Field]) -> DataFrame:
    if not places:
        return frame
    return frame.selectExpr("*", *(f"{source} as `{field.name}`" for source, field in places.items()))


def _listing_serially(spark: SparkSession) -> AbstractContextManager[None]:
    """Let Spark list many paths by itself while a frame is made: a job with a task for each path takes much longer."""
    return setting(spark, "spark.sql.sources.parallelPartitionDiscovery.threshold", 1_000_000)
