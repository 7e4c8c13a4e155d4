"""Compaction of one file slice."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import hoodoo
from hoodoo.options import FileOptions
from hoodoo.testing.engine import write_arrow
from hoodoo.txn.markers import open_markers
from hoodoo.writing.data_files.task_attempt import WriteToken
from hoodoo.writing.tasks.slice_compaction import CompactTask, _row_groups, compacted_columns
from hoodoo.writing.write_spec import FileSpec, TableSpec

OPTIONS = {"table_name": "t", "record_key": "id", "partition_by": "p", "ordering": "ts", "table_type": "MERGE_ON_READ"}
LATER = "20990101000000000"


@pytest.fixture
def compacted(storage, rows):
    """Compact a slice with an update, a delete and an unchanged row.

    Return the status of the new file, its rows by key, and the instants of the first two commits.
    """
    first = write_arrow(rows(("a", "x", 1, "a1"), ("b", "x", 1, "b1"), ("c", "x", 1, "c1")), storage.uri, OPTIONS)
    second = write_arrow(rows(("a", "x", 2, "a2")), storage.uri, OPTIONS)
    write_arrow(rows(("b", "x", 2, "")), storage.uri, {**OPTIONS, "operation": "delete"})
    table = hoodoo.Table(storage.uri)
    schema = pa.schema([("id", pa.string()), ("p", pa.string()), ("ts", pa.int64()), ("v", pa.string())])
    [split] = table.plan(columns=compacted_columns(schema)).splits
    open_markers(storage, LATER, "test")
    task = CompactTask(LATER, TableSpec(storage.uri, "t", schema), FileSpec(FileOptions()), split)
    status = task(WriteToken(1))
    found = pq.read_table(f"{storage.uri.removeprefix('file://')}/{status.path}", partitioning=None)
    return status, {row["id"]: row for row in found.to_pylist()}, (first.instant, second.instant)


def test_the_new_base_file_has_the_rows_that_readers_see(compacted):
    status, rows, _ = compacted
    assert {key: row["v"] for key, row in rows.items()} == {"a": "a2", "c": "c1"}
    assert status.rows == 2


def test_rows_keep_their_commit_times(compacted):
    _, rows, (first, second) = compacted
    assert rows["a"]["_hoodie_commit_time"] == second
    assert rows["c"]["_hoodie_commit_time"] == first
    assert {row["_hoodie_file_name"] for row in rows.values()} == {compacted[0].path.rpartition("/")[2]}


def test_a_compaction_counts_no_changes(compacted):
    status, _, _ = compacted
    assert (status.inserted, status.updated, status.deleted, status.incoming) == (0, 0, 0, 0)
    assert status.previous < LATER


def test_small_batches_become_one_row_group():
    batches = [pa.record_batch({"n": list(range(100))}) for _ in range(3)]
    assert [table.num_rows for table in _row_groups(batches)] == [300]
    assert list(_row_groups([])) == []


def test_columns_to_read_have_the_meta_columns_that_differ_between_rows():
    names = compacted_columns(pa.schema([("n", pa.int64())]))
    assert names == ["_hoodie_commit_time", "_hoodie_commit_seqno", "_hoodie_record_key", "n"]
