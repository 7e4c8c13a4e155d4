"""Store assignment: conversion of a value to the type of its column by Spark's rules.

Spark applies these rules in its own INSERT: numbers become other numbers if they fit, dates and timestamps become each
other, each plain type becomes a string, and a string becomes no other type.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as F
from pyspark.sql import types as T

from hoodoo.spark.spark_types import is_same_type, quote

if TYPE_CHECKING:
    from pyspark.sql import Column

__all__ = ["assigned", "is_assignable"]

_DATETIME = (T.DateType, T.TimestampType, T.TimestampNTZType)
_NOT_PLAIN = (T.ArrayType, T.MapType, T.StructType, T.NullType)


def is_assignable(given: T.DataType, wanted: T.DataType) -> bool:
    """Return whether a value of one type can be assigned to a column of another."""
    if is_same_type(given, wanted) or isinstance(given, T.NullType):
        return True
    if isinstance(given, T.NumericType) and isinstance(wanted, T.NumericType):
        return True
    if isinstance(wanted, (T.StringType, T.CharType, T.VarcharType)):
        return not isinstance(given, _NOT_PLAIN)
    if isinstance(given, _DATETIME) and isinstance(wanted, _DATETIME):
        return True
    if isinstance(given, T.ArrayType) and isinstance(wanted, T.ArrayType):
        return is_assignable(given.elementType, wanted.elementType)
    if isinstance(given, T.MapType) and isinstance(wanted, T.MapType):
        return is_assignable(given.keyType, wanted.keyType) and is_assignable(given.valueType, wanted.valueType)
    if isinstance(given, T.StructType) and isinstance(wanted, T.StructType):
        names = [field.name.lower() for field in given.fields] == [field.name.lower() for field in wanted.fields]
        return names and all(
            is_assignable(one.dataType, other.dataType) for one, other in zip(given, wanted, strict=True)
        )
    return False


def assigned(column: str, given: T.DataType, wanted: T.DataType, place: str) -> Column:
    """Return the values of a column in another type. A number that does not fit is an error of the query.

    Args:
        column: The name of a column of the DataFrame.
        given: The type of this column.
        wanted: The type of the result, to which `given` is assignable.
        place: The name of the assigned column, for the error.
    """
    if is_same_type(given, wanted):
        return F.col(column)
    if isinstance(given, T.NullType):
        return F.col(column).cast(wanted)
    return F.expr(_converted(quote(column), given, wanted, place))


def _converted(value: str, given: T.DataType, wanted: T.DataType, place: str) -> str:
    """Return the conversion of a value in SQL.

    Nested values are converted separately, because their cast can wrap around.
    """
    if is_same_type(given, wanted):
        return value
    if isinstance(given, T.ArrayType) and isinstance(wanted, T.ArrayType):
        item = _parameter(value)
        return f"transform({value}, {item} -> {_converted(item, given.elementType, wanted.elementType, place)})"
    if isinstance(given, T.MapType) and isinstance(wanted, T.MapType):
        item = _parameter(value)
        keys = _converted(item, given.keyType, wanted.keyType, place)
        values = _converted(item, given.valueType, wanted.valueType, place)
        return (
            f"map_from_arrays(transform(map_keys({value}), {item} -> {keys}), "
            f"transform(map_values({value}), {item} -> {values}))"
        )
    if isinstance(given, T.StructType) and isinstance(wanted, T.StructType):
        fields = (
            f"{_literal(other.name)}, {_converted(f'{value}.{quote(one.name)}', one.dataType, other.dataType, place)}"
            for one, other in zip(given, wanted, strict=True)
        )
        return f"if({value} IS NULL, NULL, named_struct({', '.join(fields)}))"
    type_ = wanted.simpleString()
    if not isinstance(given, T.NumericType):
        return f"cast({value} AS {type_})"
    # a plain cast wraps around if the session does not use ANSI mode
    tried = f"try_cast({value} AS {type_})"
    message = _literal(f"a value of type {given.simpleString()} does not fit into column '{place}' of type {type_}: ")
    error = f"cast(raise_error(concat({message}, cast({value} AS string))) AS {type_})"
    return f"if({value} IS NOT NULL AND {tried} IS NULL, {error}, {tried})"


def _parameter(value: str) -> str:
    """Return a name for the parameter of a lambda that does not occur in a value."""
    number = 0
    while f"__hoodoo_x{number}" in value:
        number += 1
    return f"__hoodoo_x{number}"


def _literal(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"
