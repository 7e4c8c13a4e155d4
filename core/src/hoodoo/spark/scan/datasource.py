"""Python data source of Spark for `spark.read.format("hoodoo")`.

Python data sources cannot prune columns: use `hoodoo.read`, or the option `columns`. They cannot request a shuffle:
`df.write.format("hoodoo")` raises an error with the line to use instead.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import attrgetter

import pyarrow as pa
from attrs import evolve
from pyspark.sql.datasource import DataSource, DataSourceReader, DataSourceWriter, InputPartition
from pyspark.sql.types import StructType

from hoodoo.errors import OptionError
from hoodoo.options import ReadOptions, StorageOptions, parse, split_path
from hoodoo.reading import Split
from hoodoo.spark.spark_types import spark_schema
from hoodoo.spark.worker_functions import read_splits
from hoodoo.spark.write.task_bundles import bundled
from hoodoo.table import Table, plan_query
from hoodoo.writing.error_transport import message_first, message_first_here

__all__ = ["HoodooDataSource"]


class HoodooDataSource(DataSource):
    """Data source `hoodoo`, which Spark finds in the module `pyspark_hoodoo`."""

    @classmethod
    def name(cls) -> str:
        """Return the name of the format."""
        return "hoodoo"

    def schema(self) -> StructType:
        """Return the columns of the query that the options describe."""
        with message_first_here():
            table, given = self._table()
            return spark_schema(plan_query(table, given).schema)

    def reader(self, schema: StructType) -> DataSourceReader:
        """Return a reader of the columns of a schema, which may have fewer columns than the table (`.schema(...)`)."""
        with message_first_here():
            table, given = self._table()
            return _Reader(list(plan_query(table, evolve(given, columns=tuple(schema.names))).splits))

    def writer(self, schema: StructType, overwrite: bool) -> DataSourceWriter:
        """Raise `OptionError`: a write needs a shuffle by file group, which a Python data source cannot request."""
        path, mode = self.options.get("path", "PATH"), "overwrite" if overwrite else "append"
        with message_first_here():
            raise OptionError(
                "df.write.format('hoodoo') cannot shuffle rows by file group; call hoodoo.enable(spark) before it, or "
                f"use hoodoo.writer(df).options(**options).mode('{mode}').save({path!r})"
            )

    def _table(self) -> tuple[Table, ReadOptions]:
        path, options = split_path(None, dict(self.options))
        given = parse(options, [ReadOptions, StorageOptions])[ReadOptions]
        return Table(path, options), given


class _Reader(DataSourceReader):
    def __init__(self, splits: list[Split]) -> None:
        self._splits = splits

    def partitions(self) -> Sequence[InputPartition]:
        return [InputPartition(bundle) for bundle in bundled(self._splits, attrgetter("size")) or [[]]]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        bundle: list[Split] = partition.value
        if bundle:
            yield from message_first(read_splits(bundle))
