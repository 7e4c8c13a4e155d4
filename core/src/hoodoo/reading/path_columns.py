"""Partition columns that only the partition path contains, because the table leaves them out of its files."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import unquote

import pyarrow as pa
from attrs import frozen

from hoodoo.errors import UnsupportedTable
from hoodoo.keys.partition_path import DEFAULT_PARTITION
from hoodoo.properties import TableProperties

__all__ = ["PathColumns", "filled", "with_path_columns"]


@frozen
class PathColumns:
    """Partition columns that the files of a table lack, in the order of the levels of a partition path.

    Attributes:
        table: Name of the table, for messages.
        names: The columns; none if the files have the partition columns.
        hive_style: Whether a level has the form `column=value`.
        url_encode: Whether values are percent-encoded.
    """

    table: str = ""
    names: tuple[str, ...] = ()
    hive_style: bool = False
    url_encode: bool = False

    @classmethod
    def of(cls, properties: TableProperties) -> PathColumns:
        """Return the partition columns that the files of a table lack; `names` is () if they have all of them."""
        names = properties.partition_by if properties.drop_partition_columns else ()
        return cls(properties.name, names, properties.hive_style, properties.url_encode)

    def values(self, partition: str) -> dict[str, str | None]:
        """Return the value of each column in a partition as text, None for null; empty if the files have all columns.

        Raises:
            UnsupportedTable: The path does not have one level for each column.
        """
        if not self.names:
            return {}
        # the value of a single column may contain slashes, such as a date
        levels = [partition] if len(self.names) == 1 else partition.split("/")
        if len(levels) != len(self.names):
            raise UnsupportedTable(
                f"table '{self.table}' leaves its partition columns ({', '.join(self.names)}) out of its files, and "
                f"partition path '{partition}' does not have one level for each of them; "
                "rewrite the table with the columns in its files",
                code="dropped_partition_columns",
            )
        values: dict[str, str | None] = {}
        for name, level in zip(self.names, levels, strict=True):
            text = level.removeprefix(f"{name}=") if self.hive_style else level
            text = unquote(text) if self.url_encode else text
            values[name] = None if text == DEFAULT_PARTITION else text
        return values


def with_path_columns(schema: pa.Schema, properties: TableProperties) -> pa.Schema:
    """Return the schema, followed by the partition columns that only paths contain; they are strings, as in Hudi."""
    if not properties.drop_partition_columns:
        return schema
    missing = [name for name in properties.partition_by if name not in schema.names]
    return pa.schema([*schema, *(pa.field(name, pa.string()) for name in missing)], schema.metadata)


def filled(rows: pa.Table, values: Mapping[str, str | None]) -> pa.Table:
    """Return rows of one partition in which the columns that the files lack have the values from the path."""
    for name, value in values.items():
        if name in rows.column_names:
            column = pa.repeat(pa.scalar(value, pa.string()), rows.num_rows)
            rows = rows.set_column(rows.column_names.index(name), name, column)
    return rows
