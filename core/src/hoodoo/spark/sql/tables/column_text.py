"""Definitions of columns in SQL, with the comments of columns and of fields of structs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hoodoo.spark.sql.plain_sql import quoted_name, text_literal

if TYPE_CHECKING:
    from pyspark.sql.types import DataType, StructField

__all__ = ["column_text", "comment_in"]


def comment_in(field: StructField) -> str | None:
    """Return the comment of a column or field; None if it has none."""
    comment = (field.metadata or {}).get("comment")
    return None if comment is None else str(comment)


def column_text(field: StructField) -> str:
    """Return the definition of a column, such as "`id` INT COMMENT 'the key'"."""
    return f"{quoted_name(field.name)} {_type_text(field.dataType)}{_clause(field)}"


def _clause(field: StructField) -> str:
    comment = comment_in(field)
    return "" if comment is None else f" COMMENT {text_literal(comment)}"


def _type_text(type_: DataType) -> str:
    from pyspark.sql import types as T

    if isinstance(type_, T.StructType):
        fields = (f"{quoted_name(f.name)}: {_type_text(f.dataType)}{_clause(f)}" for f in type_.fields)
        return f"STRUCT<{', '.join(fields)}>"
    if isinstance(type_, T.ArrayType):
        return f"ARRAY<{_type_text(type_.elementType)}>"
    if isinstance(type_, T.MapType):
        return f"MAP<{_type_text(type_.keyType)}, {_type_text(type_.valueType)}>"
    return type_.simpleString().upper()
