"""DataFrame of the files that operation `bootstrap` copies, which Spark's own reader or Python workers read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from hoodoo.bootstrap import BootstrapSource
from hoodoo.local.stored_types import storable_schema
from hoodoo.options import BootstrapOptions, WriteOptions, own_options
from hoodoo.spark.hadoop_options import with_hadoop_options
from hoodoo.spark.scan.scan_source import as_path, local_root
from hoodoo.spark.spark_types import quoted, spark_schema
from hoodoo.spark.write.task_bundles import bundled
from hoodoo.storage import LocalStorage

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["source_frame", "with_session_options"]

_COMPLETE = {"ignoreMissingFiles": "false", "ignoreCorruptFiles": "false"}
"""Options of Spark's reader that override settings of the session by which it would leave out files."""


def source_frame(spark: SparkSession, source: BootstrapSource) -> DataFrame:
    """Return the rows of the files. Nothing is read yet.

    Python workers read files that are not on a local disk, because Spark may lack the jars or the permissions to access
    them, and files with columns whose types a table does not store.

    Args:
        spark: The session, classic or Connect.
        source: The files, and the columns of their rows.

    Raises:
        SchemaError: A column of the files has a name or type that a table cannot have.
    """
    stored = storable_schema(source.schema)
    if isinstance(source.storage, LocalStorage) and stored.types == source.schema.types:
        return _by_spark(spark, source, source.storage, stored)
    bundles = bundled(range(len(source.files)), lambda number: source.files[number].size)
    numbers = spark.range(0, len(bundles), 1, len(bundles))
    return numbers.mapInArrow(_read(source, bundles, stored), spark_schema(stored))


def with_session_options(spark: SparkSession, options: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the options of a write, with the session's access options for the store of a bootstrap's files.

    Return the options of other operations unchanged.
    """
    path = own_options(options, BootstrapOptions).bootstrap_path
    if path is None or own_options(options, WriteOptions).operation != "bootstrap":
        return options
    return with_hadoop_options(spark, path, options)


def _by_spark(spark: SparkSession, source: BootstrapSource, storage: LocalStorage, stored: pa.Schema) -> DataFrame:
    reader = spark.read.format(source.form).schema(spark_schema(stored)).options(**_COMPLETE)
    if source.in_folders:
        reader = reader.option("basePath", local_root(storage))
    else:
        # without columns in folders Spark reads files of nested folders only with this option
        reader = reader.option("recursiveFileLookup", "true")
    return reader.load(as_path(local_root(storage), "")).select(*quoted(stored.names))


def _read(
    source: BootstrapSource, bundles: list[list[int]], stored: pa.Schema
) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """Return a function that reads bundles by number. Executors receive it by value, so it contains its import."""

    def read(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        from hoodoo.spark.worker_functions import source_rows

        for batch in batches:
            for number in batch.column(0).to_pylist():
                yield from source_rows(source, bundles[number], stored)

    return read
