"""Comments of columns of a DataFrame: Spark keeps them in the metadata of columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

from hoodoo.schema.comments import comments_of
from hoodoo.spark.spark_types import quoted, spark_schema

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame
    from pyspark.sql.types import StructField

__all__ = ["with_column_comments"]


def with_column_comments(frame: DataFrame, schema: pa.Schema) -> DataFrame:
    """Return the rows of a DataFrame, with the comments of a schema on its columns and on fields of structs.

    Columns that Spark reads from files have them already; those that functions or expressions return do not.

    Args:
        frame: The rows, with the columns of the schema in the same order.
        schema: The columns and their comments.
    """
    if not comments_of(schema):
        return frame
    given, wanted = frame.schema, spark_schema(schema)
    same = [
        one.metadata == other.metadata and one.dataType == other.dataType
        for one, other in zip(given, wanted, strict=True)
    ]
    if all(same):
        return frame
    if not any(pa.types.is_nested(field.type) for field in schema):
        # much faster than an expression for each column, but it builds structs and arrays again
        return frame.to(wanted)
    columns = zip(quoted(schema.names), given.fields, wanted.fields, same, strict=True)
    return frame.select(*(name if is_same else _commented(name, own, other) for name, own, other, is_same in columns))


def _commented(name: str, given: StructField, wanted: StructField) -> Column:
    """Return a column with the comments of a field, cast to the type of the field if the types differ."""
    from pyspark.sql import functions as F

    value = F.col(name) if given.dataType == wanted.dataType else F.col(name).cast(wanted.dataType)
    return value.alias(wanted.name, metadata=wanted.metadata)
