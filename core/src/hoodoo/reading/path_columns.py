"""Partition columns that a table leaves out of its files: the path of a partition holds their values."""

from __future__ import annotations

from urllib.parse import unquote

import pyarrow as pa

from hoodoo.errors import UnsupportedTable
from hoodoo.keys.partition_path import DEFAULT_PARTITION
from hoodoo.properties import TableProperties

__all__ = ["path_values", "with_path_columns"]


def with_path_columns(schema: pa.Schema, properties: TableProperties) -> pa.Schema:
    """The columns of a table's files, and behind them, as Hudi shows them, those that paths hold: texts."""
    if not properties.drop_partition_columns:
        return schema
    missing = [name for name in properties.partition_by if name not in schema.names]
    return pa.schema([*schema, *(pa.field(name, pa.string()) for name in missing)], schema.metadata)


def path_values(properties: TableProperties, partition: str) -> dict[str, str | None]:
    """What the path of a partition says of the columns that the files lack; nothing where they lack none.

    Raises:
        UnsupportedTable: The path cannot be divided among the partition columns.
    """
    columns = properties.partition_by
    if not properties.drop_partition_columns or not columns:
        return {}
    # one column may have values with slashes, as dates have
    levels = [partition] if len(columns) == 1 else partition.split("/")
    if len(levels) != len(columns):
        raise UnsupportedTable(
            f"table '{properties.name}' leaves its partition columns ({', '.join(columns)}) out of its files, and the "
            f"path of partition '{partition}' does not have a level for each",
            code="dropped_partition_columns",
        )
    values: dict[str, str | None] = {}
    for name, level in zip(columns, levels, strict=True):
        text = level.removeprefix(f"{name}=") if properties.hive_style else level
        text = unquote(text) if properties.url_encode else text
        values[name] = None if text == DEFAULT_PARTITION else text
    return values
