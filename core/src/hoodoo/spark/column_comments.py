"""Comments of columns of a DataFrame: Spark keeps them in the metadata of columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

from hoodoo.schema.comments import comments_of
from hoodoo.spark.spark_types import quoted, spark_schema

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

__all__ = ["with_column_comments"]


def with_column_comments(frame: DataFrame, schema: pa.Schema) -> DataFrame:
    """Return the same rows in columns with the comments of a schema.

    Columns that Spark reads from files have them already; those that functions or expressions return have not.

    Args:
        frame: The rows, in the columns of the schema.
        schema: The columns.
    """
    if not comments_of(schema):
        return frame
    from pyspark.sql import functions as F

    given, columns = frame.schema, quoted(schema.names)
    chosen: list[str | Column] = []
    for name, field, wanted in zip(columns, given.fields, spark_schema(schema).fields, strict=True):
        if field.metadata == wanted.metadata and field.dataType == wanted.dataType:
            chosen.append(name)
            continue
        value = F.col(name) if field.dataType == wanted.dataType else F.col(name).cast(wanted.dataType)
        chosen.append(value.alias(wanted.name, metadata=wanted.metadata or {}))
    return frame if all(isinstance(each, str) for each in chosen) else frame.select(*chosen)
