"""Statistics of partitions equal those that Hudi wrote, and are computed from the files that a change leaves."""

from __future__ import annotations

import pytest
from attrs import evolve

from hoodoo.errors import UnsupportedTable
from hoodoo.metadata_table.maintenance import column_stats_records
from hoodoo.metadata_table.maintenance.changed_files.current_slices import current_slices
from hoodoo.metadata_table.maintenance.partition_stats_records import obstacle, records
from hoodoo.metadata_table.maintenance.record_schema import record_schema
from hoodoo.metadata_table.maintenance.table_change import TableChange
from hoodoo.metadata_table.metadata_table import MetadataTable
from hoodoo.properties import TableProperties

from .hudi_commits import SHARED, as_mapping, before, commits, decoded, golden_names, opened

ALWAYS = ("cow9-columns-widened", "mor8-archived-by-1.0.2", "mor9-parquet", "mor9-bucket")
WITHOUT_BASE = ("mor8-compaction-pending-by-1.0.2", "mor9-compaction-pending", "mor9-compaction-done")
"""Tables with logs since a pending compaction: for Hudi they are the whole slice, without the base file before them."""
WITH_REPLACED = ("mor8-overwrite-by-1.0.2",)
"""Tables in which later commits of Hudi, too, have the statistics of replaced file groups."""


def compare(root, name):
    """Compare the records of each commit with those of Hudi; return the number of compared values.

    Values of one schema are compared byte by byte. Of some tables, only the keys are compared.
    """
    table = opened(root)
    if table is None or "partition_stats" not in table.metadata.partitions:
        return 0
    compared = 0
    for change, operation, theirs in commits(table, "partition_stats"):
        earlier = before(table, change.instant)
        if earlier is None or not (theirs.records or theirs.deleted):
            continue
        if operation == "DELETE_PARTITION":
            assert set(records(earlier.metadata, change).deleted.to_pylist()) == theirs.deleted
            continue
        # Hudi computes the statistics before a commit replaces file groups
        mine = as_mapping(records(earlier.metadata, evolve(change, replaced={})))
        assert mine.keys() == theirs.records.keys()
        if name in WITHOUT_BASE or name in WITH_REPLACED:
            continue
        schema = record_schema(earlier.metadata)
        for key, (value, stored_schema) in theirs.records.items():
            assert decoded(mine[key], schema) == decoded(value, stored_schema)
            assert mine[key] == value or schema != stored_schema
        compared += len(mine)
    return compared


@pytest.mark.parametrize("name", ALWAYS)
def test_records_of_golden_tables(real_table, name):
    assert compare(real_table(name), name) > 10


@pytest.mark.nightly
@pytest.mark.parametrize("name", golden_names(*ALWAYS))
def test_records_of_other_golden_tables(real_table, name):
    compare(real_table(name), name)


@pytest.mark.parametrize("name", sorted(set(SHARED) - {"sample_table_mor_avro__v9_nonpartitioned_rollback"}))
def test_records_of_shared_tables(real_table, name):
    assert compare(real_table(name), name) > 10


def content(table, found):
    schema = record_schema(table.metadata)
    rows = [decoded(value, schema)["ColumnStatsMetadata"] for value in found.values.to_pylist()]
    return {(row["fileName"], row["columnName"]): row for row in rows}


def replacing(table):
    """Return the last change that replaces file groups and writes files, and the table before this change."""
    found = [change for change, *_ in commits(table, "partition_stats") if change.replaced and change.stats]
    return found[-1], before(table, found[-1].instant)


def test_replaced_file_groups_are_left_out(real_table):
    table = opened(real_table("sample_table_cow__v9_txns_simple_overwrite"))
    change, earlier = replacing(table)
    found = content(earlier, records(earlier.metadata, change))
    written = {stat.partition_path for stat in change.stats}
    assert {partition for partition, _ in found} == written
    for (partition, column), row in found.items():
        rows = sum(stat.num_writes for stat in change.stats if stat.partition_path == partition)
        assert row["valueCount"] == rows, (partition, column)
        assert row["isTightBound"]


def test_statistics_of_the_same_change_are_used(real_table):
    table = opened(real_table("sample_table_cow__v9_txns_simple_overwrite"))
    change, earlier = replacing(table)
    stats = column_stats_records.records(earlier.metadata, change)
    expected = records(earlier.metadata, change)
    assert records(earlier.metadata, change, stats) == expected
    # files without statistics are read
    none = column_stats_records.records(earlier.metadata, TableChange(change.instant))
    assert as_mapping(records(earlier.metadata, change, none)) == as_mapping(expected)


def test_a_partition_without_files_loses_its_statistics(real_table):
    table = opened(real_table("sample_table_cow__v9_txns_simple_overwrite"))
    partition = "us"
    groups = list(current_slices(table.metadata, table.timeline, [partition]))
    found = records(table.metadata, TableChange("29990101000000000", replaced={partition: [g for _, g in groups]}))
    assert len(found.keys) == 0
    assert len(found.deleted) == len({stats.column for stats in table.metadata.partition_stats()})


def test_a_clean_changes_nothing_and_the_removal_of_a_current_file_does(real_table):
    table = opened(real_table("sample_table_cow__v9_txns_simple_meta"))
    files = table.metadata.files()
    partition = "region=us"
    current = {found.base for found in current_slices(table.metadata, table.timeline, [partition]).values()}
    old = sorted(set(files[partition]) - current)
    assert old
    cleaned = records(table.metadata, TableChange("29990101000000000", removed={partition: old}))
    assert (len(cleaned.keys), len(cleaned.deleted)) == (0, 0)
    restored = records(table.metadata, TableChange("29990101000000000", removed={partition: sorted(current)}))
    assert {row for row, _ in content(table, restored)} <= {partition}
    assert len(restored.keys) + len(restored.deleted) > 0


def test_computed_values_are_an_obstacle():
    table = TableProperties(
        {
            "hoodie.table.name": "t",
            "hoodie.table.type": "MERGE_ON_READ",
            "hoodoo.merger": "x",
        }
    )
    assert "may compute values that no file has" in obstacle(table)
    message = "'partition_stats' of the metadata table cannot be kept current: the merge rule of table 't'"
    with pytest.raises(UnsupportedTable, match=message):
        records(MetadataTable(None, table, None, None), TableChange("1"))
