"""Partitions that a filter leaves out by `partition_stats`: the rows are the same, and the files are not listed."""

from __future__ import annotations

from collections import Counter

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from hoodoo import Table
from hoodoo.metadata_table import ColumnStats, MetadataTable
from hoodoo.reading.indexed import filter_tree
from hoodoo.reading.indexed.kept_partitions import partitions_without_rows

NAMES = ["cow9-clustered", "mor9-archived", "mor9-bucket"]
SCHEMA = pa.schema([("_hoodie_commit_time", pa.string()), ("n", pa.int64()), ("s", pa.string())])


def rows(table):
    return Counter(map(repr, table.to_pylist()))


@pytest.mark.parametrize("name", NAMES)
def test_the_files_of_partitions_without_rows_are_not_listed(real_table, name):
    path = real_table(name)
    whole = Table(path).to_arrow()
    column = whole.column("_hoodie_partition_path").to_pylist()
    compared = 0
    for partition in sorted(set(column)):
        here = whole.filter(pc.equal(whole.column("_hoodie_partition_path"), partition))
        condition = pc.field("_hoodie_partition_path") == partition
        planned = Table(path).plan(filter=condition, metadata_table=True)
        assert "by partition_stats" in planned.way
        assert {split.partition for split in planned.splits} == {partition}
        assert rows(Table(path).to_arrow(filter=condition, metadata_table=True)) == rows(here)
        compared += 1
    assert compared > 1
    nothing = pc.field("_hoodie_partition_path") == "no such partition"
    assert Table(path).plan(filter=nothing, metadata_table=True).splits == ()


def test_partitions_do_not_limit_other_queries(real_table):
    path = real_table("mor9-archived")
    condition = pc.field("_hoodie_partition_path") == "part=x"
    first, *_, last = sorted(commit.instant for commit in Table(path).history())
    for query in ({"as_of": last}, {"query_type": "read_optimized"}, {"query_type": "incremental", "begin": first}):
        expected = Table(path).to_arrow(filter=condition, **query)
        assert "partition_stats" not in Table(path).plan(filter=condition, metadata_table=True, **query).way
        assert rows(Table(path).to_arrow(filter=condition, metadata_table=True, **query)) == rows(expected)


def stats(partition, column, low, high, values=4, nulls=0):
    return ColumnStats(partition, column, low, high, values, nulls, 1, 1, True)


def left_out(real_table, monkeypatch, condition, *given, name="cow9-clustered"):
    """Return the partitions that a filter leaves out if the metadata table has the statistics `given`."""
    table = Table(real_table(name))
    metadata = MetadataTable.open(table._storage, table.properties, table.timeline)
    monkeypatch.setattr(MetadataTable, "partition_stats", lambda self, columns: list(given))
    return partitions_without_rows(metadata, filter_tree(condition, SCHEMA), SCHEMA)


COUNTS = [stats(name, "_hoodie_commit_time", "1", "2") for name in "xyz"]


def test_a_range_of_fewer_values_excludes_nothing(real_table, monkeypatch):
    """A range of fewer values than rows excludes nothing: it may lack files from before the column was indexed."""
    given = [*COUNTS, stats("x", "n", 1, 2), stats("y", "n", 1, 2, values=3), stats("z", "n", 7, 8)]
    assert left_out(real_table, monkeypatch, pc.field("n") > 5, *given) == {"x"}
    assert left_out(real_table, monkeypatch, pc.field("n") > 5, *given[3:]) == frozenset()
    assert left_out(real_table, monkeypatch, pc.field("n").is_null(), *given) == {"x", "z"}
    assert left_out(real_table, monkeypatch, pc.field("s") == "a", *given) == frozenset()
    both = (pc.field("n") > 5) & (pc.field("s") == "a")
    assert left_out(real_table, monkeypatch, both, *given) == {"x"}


def test_a_table_with_a_pending_compaction_has_incomplete_ranges(real_table, monkeypatch):
    given = [*COUNTS, stats("x", "n", 1, 2)]
    condition = pc.field("n") > 5
    assert left_out(real_table, monkeypatch, condition, *given, name="mor9-archived") == {"x"}
    assert left_out(real_table, monkeypatch, condition, *given, name="mor9-compaction-pending") == frozenset()


def test_rules_that_make_values(real_table, monkeypatch):
    given = [*COUNTS, stats("x", "n", 1, 2)]
    assert left_out(real_table, monkeypatch, pc.field("n") > 5, *given, name="mor9-partial-update") == frozenset()
