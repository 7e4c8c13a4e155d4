"""A catalog in memory, as a simple model of a service: it stores tables and partitions, and lists the calls."""

from __future__ import annotations

from typing import Any, ClassVar

import attrs
from attrs import define

from hoodoo.errors import CatalogError
from hoodoo.plugin import BaseCatalogProvider, CatalogPartition, CatalogTable, option


@define(eq=False)
class MemoryCatalog(BaseCatalogProvider):
    """Catalog provider whose state is in the class, because the clients of a service share the state of the service.

    A call whose name is in `refuses` raises a `CatalogError`.
    """

    databases: ClassVar[set[str]] = set()
    tables: ClassVar[dict[Any, CatalogTable]] = {}
    partitions: ClassVar[dict[Any, dict[Any, str]]] = {}
    calls: ClassVar[list[Any]] = []
    refuses: ClassVar[list[str]] = []

    address: str = option(default="", key="hoodie.datasource.hive_sync.memory.address", help="Any text.")
    password: str = option(default="", key="hoodie.datasource.hive_sync.memory.password", help="Any.", secret=True)

    @classmethod
    def reset(cls) -> None:
        """Remove all databases, tables and partitions, and the lists of calls and of refused calls."""
        for state in (cls.databases, cls.tables, cls.partitions, cls.calls, cls.refuses):
            state.clear()

    def missing(self) -> str:
        return "" if self.address else "set hoodie.datasource.hive_sync.memory.address"

    def describe(self) -> str:
        return f"memory at {self.address}"

    def has_database(self, database: str) -> bool:
        return database in self.databases

    def create_database(self, database: str) -> None:
        self._call("create_database", database)
        self.databases.add(database)

    def find_table(self, database: str, table: str) -> CatalogTable | None:
        return self.tables.get((database, table))

    def create_table(self, table: CatalogTable) -> None:
        self._call("create_table", table.name)
        # a service adds further properties
        self.tables[table.database, table.name] = attrs.evolve(table, properties={**table.properties, "owned": "yes"})
        self.partitions[table.database, table.name] = {}

    def alter_table(self, table: CatalogTable, *, cascade: bool) -> None:
        self._call("alter_table", table.name, cascade)
        key = table.database, table.name
        self.tables[key] = attrs.evolve(table, properties={**self.tables[key].properties, **table.properties})

    def find_partitions(self, table: CatalogTable, values: Any = None) -> list[CatalogPartition]:
        self._call("find_partitions", table.name, values)
        found = self.partitions[table.database, table.name]
        return [CatalogPartition(*each) for each in found.items() if values is None or each[0] in values]

    def add_partitions(self, table: CatalogTable, partitions: Any) -> None:
        self._put("add_partitions", table, partitions)

    def move_partitions(self, table: CatalogTable, partitions: Any) -> None:
        self._put("move_partitions", table, partitions)

    def drop_partitions(self, table: CatalogTable, partitions: Any) -> None:
        self._call("drop_partitions", table.name, [each.values for each in partitions])
        for each in partitions:
            del self.partitions[table.database, table.name][each.values]

    def _put(self, call: str, table: CatalogTable, partitions: Any) -> None:
        self._call(call, table.name, [each.values for each in partitions])
        self.partitions[table.database, table.name].update({each.values: each.location for each in partitions})

    def _call(self, *call: object) -> None:
        if call[0] in self.refuses:
            raise CatalogError(f"{call[0]} is refused for {self.address} and {self.password}")
        self.calls.append(call)
