"""`hoodoo.write` for the DataFrames of Spark."""

from __future__ import annotations

import os
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from hoodoo.options import split_path
from hoodoo.spark.hadoop_options import with_hadoop_options
from hoodoo.spark.save_mode import note_save_mode
from hoodoo.spark.write.batch import DataFrameBatch
from hoodoo.spark.write.compaction_engine import SparkEngine
from hoodoo.spark.write.source_frame import with_session_options
from hoodoo.write_job import run_job
from hoodoo.writing.commit import Commit
from hoodoo.writing.progress import show_progress

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["write"]


def write(
    df: DataFrame,
    path: str | os.PathLike[str] | None = None,
    options: Mapping[str, Any] = MappingProxyType({}),
    mode: str = "append",
) -> Commit:
    """Write the rows of a DataFrame to a table with an operation.

    The default operation is `upsert`, or `bulk_insert` for a table without record key columns.

    Args:
        df: The rows, classic or Connect. They are evaluated once, or not at all if they are not written.
        path: The root folder of the table. A missing table is created. None if the options have the path.
        options: Short names or `hoodie.*` keys, see `docs/options.md`. An existing table has stored the options that it
            needs; a new table needs `table_name`, and usually `record_key`. `operation` selects the operation. The
            options of an object store can also be set in the session, for example `spark.hadoop.fs.s3a.*`.
        mode: `append`, `errorifexists`, `ignore`, or `overwrite`, which replaces all stored rows and keeps the history.

    Returns:
        The commit, with its instant and the numbers of rows, files and bytes written. The instant is None if nothing
        was written.

    Raises:
        OptionError: An option is unknown, its value is invalid, or options contradict each other or the table.
        PluginError: A plugin is not installed, cannot be loaded, or violated its contract.
        SchemaError: Columns are missing, or their types do not match the table.
        DataError: A row cannot be written, for example because its key is null.
        TableError: The table exists although the mode is `errorifexists`, is not supported, or is damaged; or the store
            failed.
        CommitError: The write conflicts with another one, the lock was not obtained, a hook refused the commit, or
            Spark lost an executor and cannot compute the rows again in the same order.
        CommitStateUnknown: It is unknown whether the write was committed. After any other error the table reads as
            before.
    """
    return write_batch_of(DataFrameBatch(df), path, options, mode)


def write_batch_of(
    batch: DataFrameBatch, path: str | os.PathLike[str] | None, options: Mapping[str, Any], mode: str
) -> Commit:
    """Write the rows of a batch; arguments, result and errors are those of `write`."""
    spark = batch.df.sparkSession
    path, options = split_path(path, options)
    note_save_mode()
    options = with_session_options(spark, with_hadoop_options(spark, path, options))
    return run_job(batch, path, options, mode, SparkEngine(spark), show_progress)
