"""`hoodoo.write`, and the same in the form of Spark's DataFrameWriter."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from attrs import define, field

from hoodoo.options import split_path
from hoodoo.spark.hadoop_options import with_hadoop_options
from hoodoo.spark.progress import show_progress
from hoodoo.spark.write.batch import DataFrameBatch
from hoodoo.spark.write.compaction_engine import SparkEngine
from hoodoo.write_job import run_job
from hoodoo.writing.commit import Commit

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["Writer", "write", "writer"]


def write(
    df: DataFrame, path: str | os.PathLike[str] | None, options: Mapping[str, Any], mode: str = "append"
) -> Commit:
    """Write the rows of a DataFrame to a table; the option `operation` selects what is done with them.

    Args:
        df: The rows, classic or Connect. It is evaluated exactly once.
        path: The table's root folder; a table that is not there is created. None if the options have the path.
        options: Short names or `hoodie.*` keys, see `docs/options.md`. The options of an S3 store may be set in the
            session too (`spark.hadoop.fs.s3a.*`).
        mode: append, errorifexists, ignore, or overwrite: the rows take the place of all that is stored, and the
            history stays.

    Returns:
        What the commit did, read back from the table.

    Raises:
        HoodooError: what was wrong; the table reads as before.
    """
    path, options = split_path(path, options)
    options = with_hadoop_options(df.sparkSession, path, options)
    return run_job(DataFrameBatch(df), path, options, mode, SparkEngine(df.sparkSession), show_progress)


def writer(df: DataFrame) -> Writer:
    """Return a writer of a DataFrame: `writer(df).options(**o).mode("append").save(path)`."""
    return Writer(df)


@define
class Writer:
    """Writer of a DataFrame that collects options first."""

    _df: DataFrame
    _options: dict[str, Any] = field(factory=dict, init=False, repr=False)
    _mode: str = field(default="append", init=False)

    def option(self, key: str, value: Any) -> Writer:
        """Set one option."""
        self._options[key] = value
        return self

    def options(self, **options: Any) -> Writer:
        """Set options; keys with dots come as `**{"hoodie.table.name": ...}`."""
        self._options.update(options)
        return self

    def mode(self, mode: str) -> Writer:
        """Set the mode: append (the default), errorifexists, ignore or overwrite."""
        self._mode = mode
        return self

    def save(self, path: str | os.PathLike[str] | None = None) -> Commit:
        """Write, as `hoodoo.write` does."""
        return write(self._df, path, self._options, self._mode)
