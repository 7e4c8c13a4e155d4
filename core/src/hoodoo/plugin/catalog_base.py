"""Base class of catalog providers, with the default of each member that a provider may omit."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence

from hoodoo.plugin.catalog_tables import CatalogPartition, CatalogTable

__all__ = ["BaseCatalogProvider"]


class BaseCatalogProvider:
    """Base of a catalog provider: a service that lists tables for query engines.

    One instance is made per write or `hoodoo table sync`, on the driver. The core computes the changes, and calls the
    methods after the commit. A method raises `CatalogError` if the service rejects a call or does not respond. Names of
    databases, tables and columns are compared without regard to case.
    """

    def missing(self) -> str:
        """Return an instruction to set the required options that are missing; "" if none is missing.

        If options are missing, a write warns and does not update the catalog, and `hoodoo table sync` fails.
        """
        return ""

    @abstractmethod
    def describe(self) -> str:
        """Return a description of the service and its address, for messages, without secrets."""
        raise NotImplementedError

    @abstractmethod
    def has_database(self, database: str) -> bool:
        """Return whether the catalog has a database of this name."""
        raise NotImplementedError

    @abstractmethod
    def create_database(self, database: str) -> None:
        """Create a database, unless it exists."""
        raise NotImplementedError

    @abstractmethod
    def find_table(self, database: str, table: str) -> CatalogTable | None:
        """Return the table of this name; None if the catalog does not have it."""
        raise NotImplementedError

    @abstractmethod
    def create_table(self, table: CatalogTable) -> None:
        """Create a table that the catalog does not have; `add_partitions` adds its partitions later, if it has any."""
        raise NotImplementedError

    @abstractmethod
    def alter_table(self, table: CatalogTable, *, cascade: bool) -> None:
        """Set columns, formats and properties of a table. Other properties and attributes in the catalog remain.

        Args:
            table: The table with its new columns, formats and properties.
            cascade: Whether the columns of the existing partitions change as well.
        """
        raise NotImplementedError

    @abstractmethod
    def find_partitions(
        self, table: CatalogTable, values: Sequence[tuple[str, ...]] | None = None
    ) -> list[CatalogPartition]:
        """Return the existing partitions of a table that have the given values.

        Args:
            table: The table that has the partitions.
            values: One value per partition column for each partition; None for all partitions.
        """
        raise NotImplementedError

    @abstractmethod
    def add_partitions(self, table: CatalogTable, partitions: Sequence[CatalogPartition]) -> None:
        """Add partitions to a table. A partition that exists already is not an error and is not changed."""
        raise NotImplementedError

    @abstractmethod
    def move_partitions(self, table: CatalogTable, partitions: Sequence[CatalogPartition]) -> None:
        """Set the locations of existing partitions."""
        raise NotImplementedError

    @abstractmethod
    def drop_partitions(self, table: CatalogTable, partitions: Sequence[CatalogPartition]) -> None:
        """Drop partitions from the catalog and keep their files; ignore partitions that do not exist."""
        raise NotImplementedError

    def close(self) -> None:
        """Close the provider's connections."""
