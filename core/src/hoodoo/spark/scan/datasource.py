"""`spark.read.format("hoodoo")`: Spark's Python data source, within its limits.

It has no hook for column pruning: `hoodoo.read` prunes, here the option `columns` does. It cannot ask for a shuffle:
`df.write.format("hoodoo")` raises with the line to use instead.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import attrgetter

import pyarrow as pa
from pyspark.sql.datasource import DataSource, DataSourceReader, DataSourceWriter, InputPartition
from pyspark.sql.types import StructType

from hoodoo.errors import OptionError
from hoodoo.options import ReadOptions, StorageOptions, parse
from hoodoo.reading import Split
from hoodoo.spark.scan.read import planned_for
from hoodoo.spark.spark_types import spark_schema
from hoodoo.spark.worker_functions import read_splits
from hoodoo.spark.write.task_bundles import bundled
from hoodoo.table import Table

__all__ = ["HoodooDataSource"]


class HoodooDataSource(DataSource):
    """The source that Spark finds by the name of the module `pyspark_hoodoo`."""

    @classmethod
    def name(cls) -> str:
        """The name of the format."""
        return "hoodoo"

    def schema(self) -> StructType:
        """The columns of the table, or those of the option `columns`."""
        table, given = self._table()
        return spark_schema(planned_for(table, given).schema)

    def reader(self, schema: StructType) -> DataSourceReader:
        """Reads the columns of a schema, which may be narrower than the table's (`.schema(...)`)."""
        table, given = self._table()
        return _Reader(list(planned_for(table, given, schema.names).splits))

    def writer(self, schema: StructType, overwrite: bool) -> DataSourceWriter:
        """Always raises: a write needs a shuffle by file group, which a Python data source cannot ask for."""
        path = self.options.get("path", "PATH")
        raise OptionError(
            "df.write.format('hoodoo') cannot shuffle rows by file group; use "
            f"hoodoo.writer(df).options(**options).mode('append').save({path!r})"
        )

    def _table(self) -> tuple[Table, ReadOptions]:
        options = dict(self.options)
        path = options.pop("path", None)
        if path is None:
            raise OptionError("say where the table is: spark.read.format('hoodoo').load(path)")
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
            yield from read_splits(bundle)
