"""DataFrameReader of an enabled session."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from hoodoo.errors import SchemaError
from hoodoo.spark.enabled.recorder import Recorder
from hoodoo.spark.scan.read import read
from hoodoo.spark.sql.rows.table_rows import table_of_name

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.readwriter import DataFrameReader as _Base
    from pyspark.sql.types import StructType
else:
    _Base = object

__all__ = ["EnabledReader"]


class EnabledReader(Recorder, _Base):
    """Reader that passes each call on to Spark, except for Hudi tables, which hoodoo reads."""

    def begin_record(self, spark: SparkSession, plain: Callable[[], Any]) -> None:
        """Clear the recorded calls: no format, no options and no schema remain."""
        self.begin_options(spark)
        self._hoodoo_schema: StructType | str | None = None

    def schema(self, schema: StructType | str) -> Any:
        """Set the columns to read."""
        self._hoodoo_schema = schema
        return super().schema(schema)

    def load(
        self,
        path: Any = None,
        format: str | None = None,
        schema: StructType | str | None = None,
        **options: Any,
    ) -> DataFrame:
        """Return the rows of a table, or of the files of another format.

        Raises:
            OptionError: The path is missing or ambiguous, or a pattern selects a part of the table.
            SchemaError: The schema has a column that the table lacks, or a type that differs from that of the table.
            HoodooError: As in `hoodoo.read`.
        """
        if format is not None:
            self.format(format)
        if schema is not None:
            self.schema(schema)
        self.options(**options)
        if not self._is_ours():
            return super().load(path)
        table = self._hoodoo_options.table_path(path, "load()", globs=True)
        given = self._hoodoo_options.without()
        if self._hoodoo_schema is None:
            return read(self._hoodoo_session, table, **given)
        return _with_schema(self._hoodoo_session, table, given, self._hoodoo_schema)

    def table(self, tableName: str) -> DataFrame:
        """Return the rows of a table by its name."""
        found = table_of_name(self._hoodoo_session, tableName, self._hoodoo_options.without())
        return super().table(tableName) if found is None else found


def _with_schema(spark: SparkSession, path: str, options: dict[str, Any], schema: StructType | str) -> DataFrame:
    """Return the rows in the columns of a schema. Raise `SchemaError` if a type differs from that of the table."""
    wanted = spark.createDataFrame([], schema).schema if isinstance(schema, str) else schema
    frame = read(spark, path, **{**options, "columns": wanted.names})
    for field, stored in zip(wanted.fields, frame.schema.fields, strict=True):
        if field.dataType.simpleString() != stored.dataType.simpleString():
            raise SchemaError(
                f"column '{field.name}' of {path} is of type {stored.dataType.simpleString()}, and the schema of the "
                f"read has {field.dataType.simpleString()}; read it with its own type and cast it afterwards",
                code="read_schema",
            )
    return frame
