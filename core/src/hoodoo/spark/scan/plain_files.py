"""Base files that Spark's own Parquet reader reads, which prunes columns and row groups."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import pyarrow as pa
from pyspark.sql import functions as F

from hoodoo.reading import Plan, Split
from hoodoo.schema.meta_columns import COMMIT_TIME
from hoodoo.spark.scan.parquet_scan import Scan, scan_frame
from hoodoo.spark.scan.prefetch import Ahead
from hoodoo.spark.spark_types import quoted
from hoodoo.storage import CachedListingStorage

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["plain_frame"]


def plain_frame(
    spark: SparkSession,
    storage: CachedListingStorage,
    plan: Plan,
    splits: Sequence[Split],
    in_folders: Sequence[pa.Field] = (),
    ahead: Ahead | None = None,
) -> DataFrame:
    """The rows of base files.

    Args:
        spark: The session, classic or Connect.
        storage: The table's files.
        plan: Says the columns, and the commits that are wanted.
        splits: Those of the plan that are to be read.
        in_folders: Partition columns whose values Spark shall take from folders named `column=value`, which lets it
            pass over the files of other partitions.
        ahead: What Spark was told before.

    Raises:
        CorruptTableError: a file is gone.
    """
    scan = Scan.of_splits(splits, in_folders)
    frame = None if ahead is None else ahead.frame_of(scan)
    if frame is None:
        frame = scan_frame(spark, storage, scan)
    if plan.commits is not None:
        frame = frame.where(f"{COMMIT_TIME} in ({', '.join(map(repr, sorted(plan.commits)))})")
    elif plan.after is not None:
        frame = frame.where(F.col(COMMIT_TIME) > plan.after)
    if scan.schema.names == plan.schema.names:
        return frame
    return frame.select(*quoted(plan.schema.names))
