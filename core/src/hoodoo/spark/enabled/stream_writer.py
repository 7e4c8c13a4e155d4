"""DataStreamWriter of an enabled session."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from hoodoo.errors import OptionError
from hoodoo.spark.enabled.recorder import Recorder
from hoodoo.spark.enabled.writer import PARTITION_KEYS, column_names
from hoodoo.spark.foreach_batch import foreach_batch
from hoodoo.spark.session_conf import is_connect

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.streaming.query import StreamingQuery
    from pyspark.sql.streaming.readwriter import DataStreamWriter as _Base
else:
    _Base = object

__all__ = ["EnabledStreamWriter"]

_SPARK_KEYS = ("checkpointlocation",)
"""Options of the query, in lower case, which its writes do not receive."""


class EnabledStreamWriter(Recorder, _Base):
    """Writer that passes each call on to Spark, except for the formats of Hudi tables, which hoodoo writes."""

    def begin_record(self, df: DataFrame, plain: Callable[[], Any]) -> None:
        """Clear the recorded calls: no options and no other settings remain. `plain` returns a new writer of Spark."""
        self.begin_options(df.sparkSession)
        self._hoodoo_df = df
        self._hoodoo_plain = plain
        self._hoodoo_settings: dict[str, tuple[tuple[Any, ...], dict[str, Any]]] = {}
        self._hoodoo_partition: list[str] = []

    def outputMode(self, outputMode: str) -> Any:
        """Set the output mode."""
        self._hoodoo_settings["outputMode"] = ((outputMode,), {})
        return super().outputMode(outputMode)

    def queryName(self, queryName: str) -> Any:
        """Set the name of the query."""
        self._hoodoo_settings["queryName"] = ((queryName,), {})
        return super().queryName(queryName)

    def trigger(self, *args: Any, **kwargs: Any) -> Any:
        """Set the trigger of the micro-batches."""
        self._hoodoo_settings["trigger"] = (args, kwargs)
        return super().trigger(*args, **kwargs)

    def partitionBy(self, *cols: Any) -> Any:
        """Set the partition columns."""
        self._hoodoo_partition = column_names(cols)
        return super().partitionBy(*cols)

    def foreach(self, f: Any) -> Any:
        """Pass rows to a function; a format that was set before has no effect, as in Spark."""
        self._hoodoo_ours = False
        return super().foreach(f)

    def foreachBatch(self, func: Any) -> Any:
        """Pass micro-batches to a function; a format that was set before has no effect, as in Spark."""
        self._hoodoo_ours = False
        return super().foreachBatch(func)

    def start(
        self,
        path: str | None = None,
        format: str | None = None,
        outputMode: str | None = None,
        partitionBy: Any = None,
        queryName: str | None = None,
        **options: Any,
    ) -> StreamingQuery:
        """Start a query that writes to the table at a path. Spark writes formats other than those of Hudi tables.

        Raises:
            OptionError: The path is missing or ambiguous, or an option is invalid; see `hoodoo.foreach_batch`.
        """
        self._take(format, outputMode, partitionBy, queryName, options)
        if not self._is_ours():
            return super().start(path)
        table = self._hoodoo_options.table_path(path, "start()", globs=False)
        given = self._hoodoo_options.without(*_SPARK_KEYS)
        if self._hoodoo_partition and not self._hoodoo_options.has(*PARTITION_KEYS):
            given["partition_by"] = ",".join(self._hoodoo_partition)
        settings = dict(self._hoodoo_settings)
        if is_connect(self._hoodoo_df.sparkSession):
            # the function finds its query by this name, see `hoodoo.spark.foreach_batch`
            settings.setdefault("queryName", ((f"hoodoo-{uuid.uuid4()}",), {}))
        [name] = settings.get("queryName", ((None,), {}))[0]
        [output] = settings.get("outputMode", (("append",), {}))[0]
        mode = "overwrite" if output.lower() == "complete" else "append"
        # partition columns are not valid with a function, and a writer cannot remove them
        writer = self._hoodoo_plain()
        for setting, (arguments, named) in settings.items():
            writer = getattr(writer, setting)(*arguments, **named)
        checkpoint = self._hoodoo_options.get("checkpointlocation")
        if checkpoint is not None:
            writer = writer.option("checkpointLocation", checkpoint)
        query: StreamingQuery = writer.foreachBatch(foreach_batch(table, given, mode, query_name=name)).start()
        return query

    def toTable(
        self,
        tableName: str,
        format: str | None = None,
        outputMode: str | None = None,
        partitionBy: Any = None,
        queryName: str | None = None,
        **options: Any,
    ) -> StreamingQuery:
        """Start a query that writes to a table of the catalog. Raise `OptionError` for the formats of Hudi tables."""
        self._take(format, outputMode, partitionBy, queryName, options)
        if self._is_ours():
            raise OptionError(
                f"toTable({tableName!r}) creates a table of Spark's catalog, which hoodoo does not do; use "
                "start(path), and the option 'catalogs' to list the table in a catalog"
            )
        return super().toTable(tableName)

    def _take(
        self, source: str | None, output: str | None, partition: Any, name: str | None, options: dict[str, Any]
    ) -> None:
        """Record the arguments of the call that starts the query, in PySpark's order."""
        self.options(**options)
        if output is not None:
            self.outputMode(output)
        if partition is not None:
            self.partitionBy(partition)
        if source is not None:
            self.format(source)
        if name is not None:
            self.queryName(name)
