"""Columns, tables and partitions in a catalog, which catalog providers accept and return."""

from __future__ import annotations

from collections.abc import Mapping

from attrs import field, frozen

__all__ = ["CatalogColumn", "CatalogPartition", "CatalogTable"]


@frozen
class CatalogColumn:
    """Column of a table in a catalog.

    Attributes:
        name: The name of the column.
        type: The type in the notation of Hive.
        comment: The comment; empty without one.
    """

    name: str
    type: str
    comment: str = ""


@frozen
class CatalogTable:
    """Table in a catalog.

    Attributes:
        database: The name of the database.
        name: The name of the table.
        columns: The columns without the partition columns.
        partition_columns: The partition columns, in the order of the values of a partition.
        location: The path or URI of the table's root folder.
        input_format: The Java class of the input format.
        output_format: The Java class of the output format.
        serde: The Java class that reads rows.
        serde_properties: The properties of that class.
        properties: The properties of the table.
        managed: Whether the catalog owns the files and deletes them together with the table.
    """

    database: str
    name: str
    columns: tuple[CatalogColumn, ...]
    partition_columns: tuple[CatalogColumn, ...]
    location: str
    input_format: str
    output_format: str
    serde: str
    serde_properties: Mapping[str, str] = field(factory=dict)
    properties: Mapping[str, str] = field(factory=dict)
    managed: bool = False

    @property
    def label(self) -> str:
        """Return the name with the database, for messages."""
        return f"{self.database}.{self.name}"


@frozen
class CatalogPartition:
    """Partition of a table in a catalog.

    Attributes:
        values: One value per partition column, as text.
        location: The path or URI of the partition's folder.
    """

    values: tuple[str, ...]
    location: str
