"""DataFrameWriter of an enabled session."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from hoodoo.errors import OptionError
from hoodoo.spark.enabled.recorder import Recorder
from hoodoo.spark.write.writer import write

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.readwriter import DataFrameWriter as _Base
else:
    _Base = object

__all__ = ["PARTITION_KEYS", "EnabledWriter", "column_names"]

PARTITION_KEYS = ("partition_by", "hoodie.datasource.write.partitionpath.field")
"""Options that take precedence over `partitionBy`, as in Hudi."""

_DEFAULT_MODE = "errorifexists"


class EnabledWriter(Recorder, _Base):
    """Writer that passes each call on to Spark, except for the formats of Hudi tables, which hoodoo writes."""

    def begin_record(self, df: DataFrame, plain: Callable[[], Any]) -> None:
        """Clear the recorded calls: no format, options or columns remain, and the mode is the default of Spark."""
        self.begin_options(df.sparkSession)
        self._hoodoo_df = df
        self._hoodoo_mode = _DEFAULT_MODE
        self._hoodoo_partition: list[str] = []
        self._hoodoo_layout: set[str] = set()

    def mode(self, saveMode: str | None) -> Any:
        """Set the mode; None does not change it."""
        if saveMode is not None:
            self._hoodoo_mode = saveMode
        return super().mode(saveMode)

    def partitionBy(self, *cols: Any) -> Any:
        """Set the partition columns."""
        self._hoodoo_partition = column_names(cols)
        return super().partitionBy(*cols)

    def bucketBy(self, numBuckets: int, col: Any, *cols: Any) -> Any:
        """Set the buckets; `save` rejects them for a Hudi table, as Spark does for any path."""
        self._hoodoo_layout.add("bucketBy")
        return super().bucketBy(numBuckets, col, *cols)

    def sortBy(self, col: Any, *cols: Any) -> Any:
        """Set the order in buckets; `save` rejects it for a Hudi table, as Spark does for any path."""
        self._hoodoo_layout.add("sortBy")
        return super().sortBy(col, *cols)

    def clusterBy(self, *cols: Any) -> Any:
        """Set the clustering columns; `save` rejects them for a Hudi table."""
        self._hoodoo_layout.add("clusterBy")
        return super().clusterBy(*cols)

    def save(
        self,
        path: str | None = None,
        format: str | None = None,
        mode: str | None = None,
        partitionBy: Any = None,
        **options: Any,
    ) -> None:
        """Write the rows to the table at a path. Spark writes formats other than those of Hudi tables.

        Raises:
            OptionError: The path is missing or ambiguous, or `bucketBy`, `sortBy` or `clusterBy` was called.
            HoodooError: As in `hoodoo.write`.
        """
        self._take(format, mode, partitionBy, options)
        if not self._is_ours():
            super().save(path)
            return
        if self._hoodoo_layout:
            raise OptionError(
                f"'{min(self._hoodoo_layout)}' does not apply to the path of a Hudi table; remove it, and use the "
                "options 'index' and 'buckets' for buckets"
            )
        table = self._hoodoo_options.table_path(path, "save()", globs=False)
        given = self._hoodoo_options.without()
        if self._hoodoo_partition and not self._hoodoo_options.has(*PARTITION_KEYS):
            given["partition_by"] = ",".join(self._hoodoo_partition)
        write(self._hoodoo_df, table, given, self._hoodoo_mode)

    def saveAsTable(
        self,
        name: str,
        format: str | None = None,
        mode: str | None = None,
        partitionBy: Any = None,
        **options: Any,
    ) -> None:
        """Write a table of the catalog. Raise `OptionError` for the formats of Hudi tables."""
        self._take(format, mode, partitionBy, options)
        if self._is_ours():
            raise OptionError(
                f"saveAsTable({name!r}) creates a table of Spark's catalog, which hoodoo does not do; use save(path), "
                "and the option 'catalogs' to list the table in a catalog"
            )
        super().saveAsTable(name)

    def _take(self, source: str | None, mode: str | None, partition: Any, options: dict[str, Any]) -> None:
        """Record the arguments of the call that starts the write, in PySpark's order."""
        self.mode(mode).options(**options)
        if partition is not None:
            self.partitionBy(partition)
        if source is not None:
            self.format(source)


def column_names(columns: tuple[Any, ...]) -> list[str]:
    """Return the columns of a call of `partitionBy`, which takes names or one list of names."""
    if len(columns) == 1 and isinstance(columns[0], list | tuple):
        columns = tuple(columns[0])
    return [str(column) for column in columns]
