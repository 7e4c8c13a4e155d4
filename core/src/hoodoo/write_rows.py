"""`hoodoo.write` and `hoodoo.writer`: Spark writes Spark DataFrames, and this process writes all other rows."""

from __future__ import annotations

import os
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import pyarrow as pa
from attrs import define, field

from hoodoo.local import ArrowBatch, LocalEngine, rows_of
from hoodoo.options import LocalOptions, WriteOptions, own_options
from hoodoo.write_job import run_job
from hoodoo.writing.commit import Commit
from hoodoo.writing.progress import show_progress

__all__ = ["Writer", "write", "writer"]


def write(
    data: Any,
    path: str | os.PathLike[str] | None = None,
    options: Mapping[str, Any] = MappingProxyType({}),
    mode: str = "append",
) -> Commit:
    """Write rows to a table with an operation, by default `upsert`.

    Spark writes a Spark DataFrame. All other rows are written in this process, by as many threads as pyarrow uses
    (`pyarrow.set_cpu_count`), with the same options, rules, commits and errors.

    Args:
        data: The rows: a Spark DataFrame (classic or Connect), a pandas or Polars DataFrame, a DuckDB relation, a
            pyarrow table, record batch or record batch reader, or another object with `__arrow_c_stream__`. They are
            evaluated exactly once. None for operation `bootstrap`, which copies files.
        path: The root folder of the table. A missing table is created. None if the options have the path.
        options: Short names or `hoodie.*` keys, see `docs/options.md`. An existing table has stored the options that it
            needs; a new table needs `table_name`, and usually `record_key`. `operation` selects the operation. The
            options of an S3 store can also be set in a Spark session (`spark.hadoop.fs.s3a.*`), for its DataFrames.
        mode: `append`, `errorifexists`, `ignore`, or `overwrite`, which replaces all stored rows and keeps the history.

    Returns:
        The commit, with its instant and the numbers of rows, files and bytes written.

    Raises:
        OptionError: An option is unknown, its value is invalid, or options contradict each other or the table.
        PluginError: A plugin is not installed, cannot be loaded, or violated its contract.
        SchemaError: Columns are missing, or their types are not supported or do not match the table.
        DataError: A row cannot be written, for example because its key is null, or `data` cannot be read as rows.
        TableError: The table exists although the mode is `errorifexists`, is not supported, or is damaged; or the store
            failed.
        CommitError: The write conflicts with another one, the lock was not obtained, or a hook refused the commit.
        UnsupportedVersion: `data` is a Spark DataFrame, and the installed PySpark is not supported.
        CommitStateUnknown: It is unknown whether the write was committed. After any other error the rows of
            the table are unchanged.
    """
    if _is_spark_frame(data):
        from hoodoo.spark.pyspark_version import require_pyspark

        require_pyspark()
        from hoodoo.spark.write.writer import write as write_with_spark

        return write_with_spark(data, path, options, mode)
    memory = own_options(options, LocalOptions).batch_memory
    cores = pa.cpu_count()
    if data is None and own_options(options, WriteOptions).operation == "bootstrap":
        data = pa.table({})
    batch = ArrowBatch(rows_of(data), cores, cores, **({} if memory is None else {"memory": memory}))
    return run_job(batch, path, options, mode, LocalEngine(), show_progress)


def writer(data: Any) -> Writer:
    """Return a writer of rows: `writer(data).options(**options).mode("append").save(path)`.

    Args:
        data: The rows, of any type that `write` accepts.
    """
    return Writer(data)


@define
class Writer:
    """Writer of rows, in the form of Spark's DataFrameWriter."""

    _data: Any = field(repr=False)
    _options: dict[str, Any] = field(factory=dict, init=False, repr=False)
    _mode: str = field(default="append", init=False)

    def option(self, key: str, value: Any) -> Writer:
        """Set an option: a short name or a `hoodie.*` key. Return this writer."""
        self._options[key] = value
        return self

    def options(self, **options: Any) -> Writer:
        """Set several options; pass keys with dots as `**{"hoodie.table.name": ...}`. Return this writer."""
        self._options.update(options)
        return self

    def mode(self, mode: str) -> Writer:
        """Set the mode: `append` (the default), `errorifexists`, `ignore` or `overwrite`. Return this writer."""
        self._mode = mode
        return self

    def save(self, path: str | os.PathLike[str] | None = None) -> Commit:
        """Write the rows to the table at a path. The result and errors are those of `hoodoo.write`."""
        return write(self._data, path, self._options, self._mode)


def _is_spark_frame(data: Any) -> bool:
    """Return whether an object is a DataFrame of classic Spark or of Spark Connect, without importing PySpark."""
    kinds = type(data).__mro__
    return any(kind.__name__ == "DataFrame" and kind.__module__.startswith("pyspark.sql.") for kind in kinds)
