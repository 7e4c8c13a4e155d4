"""First records of partitions, computed from the files of golden tables: they have the content of Hudi's records."""

from __future__ import annotations

import pytest

from core.tests.metadata_table.maintenance.hudi_commits import opened
from hoodoo.format.hfile import Cells
from hoodoo.metadata_table import PartitionKind
from hoodoo.metadata_table.content.records import FILES, file_entries
from hoodoo.metadata_table.content.records import records as decoded_records
from hoodoo.metadata_table.content.statistics import layered_stats
from hoodoo.metadata_table.creation.initial_records import InitialRecords
from hoodoo.metadata_table.layers import Layer
from hoodoo.metadata_table.maintenance.record_schema import record_schema
from hoodoo.metadata_table.maintenance.statistics import IndexedColumns
from hoodoo.metadata_table.maintenance.table_change import TableChange

TABLES = ["cow6", "cow8-by-1.0.2", "cow9-clustered", "cow9-columns-widened", "mor6-commit-time", "mor9-by-sql"]


def source_of(table):
    change = TableChange("", removed=dict.fromkeys(table.metadata.files(), ()))
    columns = IndexedColumns.load(table.metadata, change)
    return InitialRecords(table.storage, table.table, table.timeline, record_schema(table.metadata), columns, list)


def layer_of(source, kind):
    found = source.of(kind)
    assert len(found.deleted) == 0
    return Layer("test", "a", Cells(found.keys, found.values), source.schema)


@pytest.mark.parametrize("name", TABLES)
def test_files_and_statistics_are_those_that_hudi_has(real_table, name):
    table = opened(real_table(name))
    source = source_of(table)
    listed = {key: file_entries(entry) for key, entry in decoded_records(layer_of(source, PartitionKind.FILES), FILES)}
    theirs = {partition or ".": files for partition, files in table.metadata.files().items()}
    assert set(listed.pop("__all_partitions__")) == set(theirs)
    assert {key: files for key, files in listed.items() if files} == {k: f for k, f in theirs.items() if f}

    mine = {(s.file, s.column): s for s in layered_stats([layer_of(source, PartitionKind.COLUMN_STATS)])}
    stats = {(s.file, s.column): s for s in table.metadata.column_stats()}
    bases = {key for key in stats if not key[0].startswith(".")}
    assert len(bases) > 10
    assert bases == {key for key in mine if not key[0].startswith(".")}
    assert {key: mine[key] for key in bases} == {key: stats[key] for key in bases}

    if PartitionKind.PARTITION_STATS in table.metadata.partitions:
        ours = {(s.file, s.column): s for s in layered_stats([layer_of(source, PartitionKind.PARTITION_STATS)])}
        hudi = {(s.file, s.column): s for s in table.metadata.partition_stats()}
        assert ours.keys() == hudi.keys()
        assert len(ours) > 5
