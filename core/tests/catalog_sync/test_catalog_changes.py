"""Changes of a catalog, computed from the wanted and the stored tables and partitions."""

import attrs
import pytest

from hoodoo.catalog_sync.catalog_changes import (
    AddPartitions,
    AddTable,
    AlterTable,
    DropPartitions,
    MovePartitions,
    is_same_location,
    partition_changes,
    table_change,
)
from hoodoo.catalog_sync.partition_values import PartitionValues
from hoodoo.catalog_sync.wanted_tables import WantedTable
from hoodoo.errors import CatalogError
from hoodoo.plugin import CatalogColumn, CatalogPartition, CatalogTable

COLUMNS = (CatalogColumn("Id", "bigint"), CatalogColumn("fare", "decimal(5,2)"))
TABLE = CatalogTable(
    "d", "t", COLUMNS, (CatalogColumn("city", "string"),), "s3://b/t", "in", "out", "serde", {"path": "p"}, {"a": "1"}
)
WANTED = WantedTable(TABLE, PartitionValues(("city",), "SinglePartPartitionValueExtractor", False), comments=False)
# a service stores names in lower case, spaces in types, its own properties, and comments of users
STORED = attrs.evolve(
    TABLE,
    columns=(CatalogColumn("id", "BIGINT", "the key"), CatalogColumn("fare", "decimal(5, 2)")),
    location="s3a://b/t/",
    properties={"a": "1", "transient_lastDdlTime": "7"},
)


def test_a_missing_table_is_created():
    assert table_change(WANTED, None) == AddTable(TABLE)


def test_an_equal_table_is_not_changed():
    assert table_change(WANTED, STORED) is None


def test_new_columns_and_types_are_named_and_other_facts_remain():
    columns = (CatalogColumn("Id", "decimal(20,0)"), *COLUMNS[1:], CatalogColumn("tip", "double"))
    wanted = attrs.evolve(WANTED, table=attrs.evolve(TABLE, columns=columns, properties={"a": "2", "EXTERNAL": "TRUE"}))
    change = table_change(wanted, STORED)

    assert isinstance(change, AlterTable)
    assert (change.added, change.retyped) == (("tip",), ("Id",))
    assert change.table.properties == {"a": "2", "transient_lastDdlTime": "7"}
    assert [each.comment for each in change.table.columns] == ["the key", "", ""]
    assert str(change) == "altered table d.t: added tip; changed the type of Id"


def test_the_partitions_change_as_well_if_a_column_is_added_changed_or_removed():
    """A change of columns includes existing partitions; otherwise Hive shows null for a new column there."""
    added = (*COLUMNS, CatalogColumn("tip", "double"))
    retyped = (attrs.evolve(COLUMNS[0], type="decimal(20,0)"), *COLUMNS[1:])
    for columns in (added, retyped, COLUMNS[:1]):
        change = table_change(attrs.evolve(WANTED, table=attrs.evolve(TABLE, columns=columns)), STORED)
        assert isinstance(change, AlterTable)
        assert change.cascade
    unpartitioned = attrs.evolve(TABLE, columns=added, partition_columns=())
    change = table_change(attrs.evolve(WANTED, table=unpartitioned), attrs.evolve(STORED, partition_columns=()))
    assert isinstance(change, AlterTable)
    assert not change.cascade
    change = table_change(attrs.evolve(WANTED, table=attrs.evolve(TABLE, properties={"a": "2"})), STORED)
    assert isinstance(change, AlterTable)
    assert not change.cascade


def test_a_changed_property_or_format_is_a_change():
    for changed in ({"properties": {"a": "2"}}, {"input_format": "other"}, {"serde_properties": {"path": "q"}}):
        change = table_change(attrs.evolve(WANTED, table=attrs.evolve(TABLE, **changed)), STORED)
        assert str(change) == "altered table d.t: properties"


def test_comments_are_compared_if_asked_for():
    commented = attrs.evolve(TABLE, columns=(attrs.evolve(COLUMNS[0], comment="new"), COLUMNS[1]))
    change = table_change(attrs.evolve(WANTED, table=commented, comments=True), STORED)

    assert isinstance(change, AlterTable)
    assert [each.comment for each in change.table.columns] == ["new", ""]


def test_another_table_of_the_name_is_not_changed():
    with pytest.raises(CatalogError, match=r"d.t in the catalog is at s3://b/u, and this table is at s3://b/t; drop"):
        table_change(WANTED, attrs.evolve(STORED, location="s3://b/u"))
    with pytest.raises(CatalogError, match="partition columns day, and this table has the partition columns city"):
        table_change(WANTED, attrs.evolve(STORED, partition_columns=(CatalogColumn("day", "string"),)))


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        ("s3://b/t", "s3a://b/t/", True),
        ("file:/data/t", "file:///data/t", True),
        ("/data/t", "file:/data/t", True),
        ("s3://b/t", "s3://c/t", False),
        ("/data/t", "/data/t2", False),
    ],
)
def test_locations(first, second, same):
    assert is_same_location(first, second) is same


def stored(**paths):
    return [CatalogPartition((city,), f"s3://b/t/{path}") for city, path in paths.items()]


def test_touched_partitions_are_added_moved_and_dropped():
    """A partition of the catalog is not changed if its path is neither among the present nor among the absent ones."""
    existing = stored(oslo="oslo", rome="old/rome", paris="paris", kyiv="kyiv")
    changes = partition_changes(WANTED, existing, {"oslo", "rome", "bonn"}, {"paris", "never"})

    assert changes == [
        AddPartitions(TABLE, tuple(stored(bonn="bonn"))),
        MovePartitions(TABLE, tuple(stored(rome="rome"))),
        DropPartitions(TABLE, tuple(stored(paris="paris"))),
    ]
    assert [str(change) for change in changes] == [
        "added 1 partition of d.t",
        "moved 1 partition of d.t",
        "dropped 1 partition of d.t",
    ]


def test_all_partitions_drop_every_other_one():
    changes = partition_changes(WANTED, stored(oslo="oslo", kyiv="kyiv"), {"oslo"}, None)

    assert changes == [DropPartitions(TABLE, tuple(stored(kyiv="kyiv")))]


def test_equal_partitions_are_no_change():
    assert partition_changes(WANTED, stored(oslo="oslo"), {"oslo"}, set()) == []


def test_two_paths_of_one_partition_are_an_error():
    with pytest.raises(CatalogError, match=r"'2020-1' and '2020/1' are the same partition in d.t: 2020-1"):
        partition_changes(WANTED, [], {"2020/1", "2020-1"}, None)


@pytest.mark.parametrize("decode", [False, True])
def test_a_folder_has_one_entry_after_a_change_of_decoding(decode):
    """The entry with the other spelling of the values is dropped; entries of another folder remain."""
    wanted = attrs.evolve(WANTED, values=attrs.evolve(WANTED.values, decode=decode))
    encoded, decoded = ("a%3Ab",), ("a:b",)
    new, old = (decoded, encoded) if decode else (encoded, decoded)
    entry = CatalogPartition(old, "s3a://b/t/a%3Ab/")

    changes = partition_changes(wanted, [entry], {"a%3Ab", "c"}, frozenset())
    assert changes == [
        AddPartitions(TABLE, (CatalogPartition(new, "s3://b/t/a%3Ab"), CatalogPartition(("c",), "s3://b/t/c"))),
        DropPartitions(TABLE, (entry,)),
    ]
    assert partition_changes(wanted, [entry], frozenset(), {"a%3Ab"}) == [DropPartitions(TABLE, (entry,))]

    other = attrs.evolve(entry, location="s3://b/t/other")
    kept = [CatalogPartition(new, "s3://b/t/a%3Ab"), other]
    assert partition_changes(wanted, kept, {"a%3Ab"}, frozenset()) == []
    assert partition_changes(wanted, [other], frozenset(), {"a%3Ab"}) == []
