"""Test suite of catalog providers: databases, tables and partitions are stored as given, and calls can be repeated."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from typing import Any

import attrs
import pytest

from hoodoo.plugin import BaseCatalogProvider, CatalogColumn, CatalogPartition, CatalogTable
from hoodoo.plugin.completion import completed
from hoodoo.testing.suites.plugin_suite import NamedSuite

__all__ = ["CatalogSuite"]


class CatalogSuite(NamedSuite):
    """Tests of a catalog provider: derive a class `Test...` from it and set `plugin`."""

    family = "catalog"

    @pytest.fixture
    def catalog(self) -> Iterator[BaseCatalogProvider]:
        """Yield an instance of the provider, and close it after the test."""
        provider = completed(self.made(), BaseCatalogProvider)
        yield provider
        provider.close()

    @pytest.fixture
    def table(self, catalog: BaseCatalogProvider) -> CatalogTable:
        """Return a new table with one partition column, in a new database of the catalog."""
        name = f"t{uuid.uuid4().hex[:8]}"
        catalog.create_database(f"db_{name}")
        table = CatalogTable(
            f"db_{name}",
            name,
            (CatalogColumn("id", "bigint"), CatalogColumn("fare", "struct<amount:double,unit:string>")),
            (CatalogColumn("city", "string"),),
            f"s3://bucket/{name}",
            "org.apache.hudi.hadoop.HoodieParquetInputFormat",
            "org.apache.hadoop.hive.ql.io.parquet.MapredParquetOutputFormat",
            "org.apache.hadoop.hive.ql.io.parquet.serde.ParquetHiveSerDe",
            {"path": f"s3://bucket/{name}"},
            {"EXTERNAL": "TRUE", "spark.sql.sources.provider": "hudi"},
        )
        catalog.create_table(table)
        return table

    def test_it_describes_itself(self, catalog: BaseCatalogProvider) -> None:
        """Test that the description is not empty."""
        assert catalog.describe(), f"{self.label} returns an empty description of its catalog"

    def test_a_database_exists_after_it_was_created(self, catalog: BaseCatalogProvider) -> None:
        """Test that a database is found only after its creation, which may be repeated."""
        name = f"d{uuid.uuid4().hex[:8]}"
        assert not catalog.has_database(name), f"{self.label} finds a database that does not exist"
        catalog.create_database(name)
        catalog.create_database(name)
        assert catalog.has_database(name), f"{self.label} does not find the database that it created"

    def test_a_table_is_found_as_it_was_created(self, catalog: BaseCatalogProvider, table: CatalogTable) -> None:
        """Test that columns, formats and properties of a table are stored; the catalog may add properties."""
        found = catalog.find_table(table.database, table.name.upper())
        assert found is not None, f"{self.label} does not find the table that it created"
        assert found.properties.items() >= table.properties.items()
        assert found.serde_properties.items() >= table.serde_properties.items()
        plain = attrs.evolve(
            found, name=table.name, properties=table.properties, serde_properties=table.serde_properties
        )
        assert plain == table, f"{self.label} changed the table that it created"
        assert catalog.find_table(table.database, "absent") is None

    def test_a_changed_table_keeps_other_properties(self, catalog: BaseCatalogProvider, table: CatalogTable) -> None:
        """Test that a change sets columns and properties, and that other properties remain."""
        columns = (*table.columns, CatalogColumn("tip", "double", "given by the rider"))
        catalog.alter_table(attrs.evolve(table, columns=columns, properties={"last": "1"}), cascade=False)
        found = catalog.find_table(table.database, table.name)
        assert found is not None
        assert found.columns == columns, f"{self.label} lost a column"
        assert found.properties.items() >= {**table.properties, "last": "1"}.items(), f"{self.label} lost a property"
        assert found.partition_columns == table.partition_columns

    def test_columns_of_a_table_with_partitions_can_change(
        self, catalog: BaseCatalogProvider, table: CatalogTable
    ) -> None:
        """Test that a change that includes the partitions does not change their values and locations."""
        partitions = _partitions(table, "oslo", "rome")
        catalog.add_partitions(table, partitions)
        columns = (attrs.evolve(table.columns[0], type="decimal(20,0)"), *table.columns[1:])
        catalog.alter_table(attrs.evolve(table, columns=columns), cascade=True)
        assert sorted(catalog.find_partitions(table), key=_values) == partitions

    def test_partitions_are_added_once(self, catalog: BaseCatalogProvider, table: CatalogTable) -> None:
        """Test that partitions are found by their values, and that adding existing partitions is not an error."""
        partitions = _partitions(table, "a=b/c d%", "oslo", "rome")
        catalog.add_partitions(table, partitions[:2])
        catalog.add_partitions(table, partitions)
        assert sorted(catalog.find_partitions(table), key=_values) == partitions
        wanted = [("a=b/c d%",), ("rome",), ("absent",)]
        assert sorted(catalog.find_partitions(table, wanted), key=_values) == [partitions[0], partitions[2]]
        assert catalog.find_partitions(table, [("absent",)]) == []

    def test_partitions_can_be_moved(self, catalog: BaseCatalogProvider, table: CatalogTable) -> None:
        """Test that a move changes only the location of the moved partition."""
        partitions = _partitions(table, "oslo", "rome")
        catalog.add_partitions(table, partitions)
        moved = attrs.evolve(partitions[0], location=f"{table.location}/city=oslo")
        catalog.move_partitions(table, [moved])
        assert sorted(catalog.find_partitions(table), key=_values) == [moved, partitions[1]]

    def test_dropped_partitions_are_gone(self, catalog: BaseCatalogProvider, table: CatalogTable) -> None:
        """Test that partitions are dropped, and that a second drop has no effect."""
        partitions = _partitions(table, "oslo", "rome")
        catalog.add_partitions(table, partitions)
        for _ in range(2):
            catalog.drop_partitions(table, partitions[:1])
        assert catalog.find_partitions(table) == partitions[1:]

    def test_more_partitions_than_one_call_accepts(self, catalog: BaseCatalogProvider, table: CatalogTable) -> None:
        """Test that 230 partitions are added, found, moved and dropped; some services accept fewer in one call."""
        partitions = _partitions(table, *(f"city{number:04}" for number in range(230)))
        catalog.add_partitions(table, partitions)
        found = catalog.find_partitions(table, [each.values for each in partitions])
        assert sorted(found, key=_values) == partitions
        moved = [attrs.evolve(each, location=each.location + "x") for each in partitions]
        catalog.move_partitions(table, moved)
        assert sorted(catalog.find_partitions(table), key=_values) == moved
        catalog.drop_partitions(table, moved[1:])
        assert catalog.find_partitions(table) == moved[:1]

    def test_it_works_after_it_was_closed(self, catalog: BaseCatalogProvider, table: CatalogTable) -> None:
        """Test that a closed provider opens its connections again."""
        catalog.close()
        catalog.close()
        assert catalog.find_table(table.database, table.name) is not None


def _partitions(table: CatalogTable, *cities: str) -> list[CatalogPartition]:
    return [CatalogPartition((city,), f"{table.location}/p{number:04}") for number, city in enumerate(cities)]


def _values(partition: CatalogPartition) -> Any:
    return partition.values
