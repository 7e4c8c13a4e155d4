"""Partition columns that only the partition path contains: the table leaves them out of its files."""

from __future__ import annotations

from urllib.parse import unquote

import pyarrow as pa

from hoodoo.errors import UnsupportedTable
from hoodoo.keys.partition_path import DEFAULT_PARTITION
from hoodoo.properties import TableProperties

__all__ = ["path_values", "with_path_columns"]


def with_path_columns(schema: pa.Schema, properties: TableProperties) -> pa.Schema:
    """Return the schema with the partition columns that only paths contain, as texts at the end, as Hudi does."""
    if not properties.drop_partition_columns:
        return schema
    missing = [name for name in properties.partition_by if name not in schema.names]
    return pa.schema([*schema, *(pa.field(name, pa.string()) for name in missing)], schema.metadata)


def path_values(properties: TableProperties, partition: str) -> dict[str, str | None]:
    """Return the values of partition columns that the files lack, from a partition path; empty if they lack none.

    Raises:
        UnsupportedTable: The path does not have one level for each partition column.
    """
    columns = properties.partition_by
    if not properties.drop_partition_columns or not columns:
        return {}
    # the value of a single column may contain slashes, such as a date
    levels = [partition] if len(columns) == 1 else partition.split("/")
    if len(levels) != len(columns):
        raise UnsupportedTable(
            f"table '{properties.name}' leaves its partition columns ({', '.join(columns)}) out of its files, and "
            f"partition path '{partition}' does not have one level for each of them; "
            "rewrite the table with the columns in its files",
            code="dropped_partition_columns",
        )
    values: dict[str, str | None] = {}
    for name, level in zip(columns, levels, strict=True):
        text = level.removeprefix(f"{name}=") if properties.hive_style else level
        text = unquote(text) if properties.url_encode else text
        values[name] = None if text == DEFAULT_PARTITION else text
    return values
