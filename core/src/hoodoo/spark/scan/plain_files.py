"""DataFrames of base files for Spark's own Parquet reader, which prunes columns and row groups."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

import pyarrow as pa

from hoodoo.reading import Plan, Split
from hoodoo.schema.meta_columns import COMMIT_TIME
from hoodoo.spark.scan.parquet_scan import Scan, scan_frame
from hoodoo.spark.scan.prefetch import Prefetch
from hoodoo.spark.scan.scan_source import ScanSource
from hoodoo.spark.spark_types import quoted

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["plain_frame"]


def plain_frame(
    spark: SparkSession,
    source: ScanSource,
    plan: Plan,
    splits: Sequence[Split],
    in_folders: Sequence[pa.Field] = (),
    prefetch: Prefetch | None = None,
) -> DataFrame:
    """Return the rows of base files.

    Args:
        spark: The session, classic or Connect.
        source: The table's location.
        plan: The plan, which has the columns and the selected commits.
        splits: The splits of the plan to read, at least one.
        in_folders: The partition columns whose values Spark takes from folders named `column=value`, so that it skips
            the files of other partitions.
        prefetch: The DataFrame that was created while the query was planned, used if it has the same files and columns;
            None if there is none.

    Raises:
        CorruptTableError: A file is missing; see `scan_frame`.
    """
    scan = Scan.of_splits(splits, in_folders)
    frame = None if prefetch is None else prefetch.frame_of(scan)
    if frame is None:
        frame = scan_frame(spark, source, scan)
    if plan.commits is not None:
        frame = frame.where(_is_chosen(plan.commits, plan.after))
    if scan.schema.names == plan.schema.names:
        return frame
    return frame.select(*quoted(plan.schema.names))


def _is_chosen(commits: Collection[str], after: str | None) -> str:
    """Return the SQL condition for rows that one of the commits wrote, or that were written after `after` if given."""
    conditions = [f"{COMMIT_TIME} in ({', '.join(map(repr, sorted(commits)))})"] if commits else []
    if after is not None:
        conditions.append(f"{COMMIT_TIME} > '{after}'")
    return " or ".join(conditions)
