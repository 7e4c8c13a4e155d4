"""Partitions of a table by the values of their columns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import pyarrow as pa

from hoodoo.catalog_sync.partition_values import partition_values_of
from hoodoo.errors import CatalogError
from hoodoo.keys.partition_path import DEFAULT_PARTITION
from hoodoo.keys.value_text import as_text
from hoodoo.properties.property_keys import CONSISTENT_TIMESTAMPS
from hoodoo.spark.spark_types import spark_schema
from hoodoo.spark.sql.context import Context
from hoodoo.spark.sql.plain_sql import plain_sql
from hoodoo.sql_parsing.statements import PartitionValue
from hoodoo.sql_text.fragment import Name
from hoodoo.table import Table

if TYPE_CHECKING:
    from pyspark.sql.types import StructField

__all__ = ["columns_of", "matching_paths", "partition_columns", "stored_partitions", "values_of"]


def partition_columns(table: Table) -> tuple[str, ...]:
    """Return the partition columns of a table, without the kinds of a custom key generator, as in `day:simple`."""
    return tuple(name.partition(":")[0] for name in table.properties.partition_by)


def stored_partitions(table: Table) -> dict[str, tuple[str, ...]]:
    """Return the partition paths with rows, each with one text per column; empty if there are no partition columns.

    If the levels of a path do not correspond to the columns, the first text is the decoded path, and the others are "".
    """
    columns = partition_columns(table)
    properties = table.properties
    paths = sorted({file_slice.partition for file_slice in table.file_slices()})
    if not columns:
        return {}
    rule = partition_values_of(None, None, columns, hive_style=properties.hive_style, decode=properties.url_encode)
    found: dict[str, tuple[str, ...]] = {}
    for path in paths:
        try:
            found[path] = rule.of(path)
        except CatalogError:
            # the levels of the path do not correspond to the columns: the path itself is the value
            found[path] = (unquote(path), *("" for _ in columns[1:]))
    return found


def columns_of(name: Name, columns: tuple[str, ...], what: str) -> str:
    """Return the partition column of a name, which may differ in case. Raise `StatementError` for another name.

    `what` is the clause that has the name, for the message.
    """
    for column in columns:
        if len(name.parts) == 1 and column.lower() == name.parts[0].lower():
            return column
    named = (
        f"the partition columns of the table are: {', '.join(columns)}; name one of them"
        if columns
        else "the table has no partitions"
    )
    raise name.at.error(f"{what} names '{name}', and {named}", code="partition")


def values_of(context: Context, table: Table, clause: tuple[PartitionValue, ...]) -> dict[str, Any]:
    """Return the values of a clause PARTITION by column, in the types of the columns.

    Columns without a value in the clause are left out.

    Raises:
        StatementError: A column is not a partition column, or a value does not fit the type of its column.
    """
    columns = partition_columns(table)
    fields = {field.name: field for field in spark_schema(table.schema).fields}
    found: dict[str, Any] = {}
    for entry in clause:
        column = columns_of(entry.column, columns, "PARTITION")
        if entry.value is not None:
            found[column] = _value(context, entry, fields[column])
    return found


def _value(context: Context, entry: PartitionValue, field: StructField) -> Any:
    """Return the value of an entry, cast to the type of its column; None for an entry without a value."""
    if entry.value is None:
        return None
    expression = context.expression(entry.value)
    type_ = field.dataType.simpleString()
    [row] = plain_sql(
        context.spark, f"SELECT try_cast({expression} AS {type_}) AS value, ({expression}) IS NULL AS is_null"
    ).collect()
    if row["value"] is None and not row["is_null"]:
        raise entry.value.error(
            f"the value does not fit the type {type_} of partition column '{field.name}'; give a value of this type"
        )
    return row["value"]


def matching_paths(table: Table, values: Mapping[str, Any]) -> list[str]:
    """Return the partition paths with rows whose partition columns have the given values."""
    columns = partition_columns(table)
    wanted = {columns.index(column): _text(table, column, value) for column, value in values.items()}
    return [
        path
        for path, texts in stored_partitions(table).items()
        if all(texts[index] == text for index, text in wanted.items())
    ]


def _text(table: Table, column: str, value: Any) -> str:
    """Return the text of a value in partition paths, without the encoding of special characters.

    For null and for an empty text, return the name of the default partition.
    """
    type_ = table.schema.field(column).type
    consistent = table.properties.get(CONSISTENT_TIMESTAMPS, "false").lower() == "true"
    text = as_text(pa.array([value], type_), column, consistent_timestamps=consistent)[0].as_py()
    return text if text else DEFAULT_PARTITION
